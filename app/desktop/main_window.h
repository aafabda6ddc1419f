#pragma once
// One window, one plan: wires the document, the evaluation and the panels. Computes nothing itself.

#include <memory>

#include <QMainWindow>

#include "app/desktop/appearance.h"
#include "app/desktop/document.h"
#include "app/desktop/evaluator.h"
#include "app/desktop/latest.h"
#include "app/desktop/measured_loader.h"
#include "app/desktop/report_export.h"
#include "app/desktop/result_area.h"
#include "app/desktop/session.h"
#include "app/desktop/trace_comparer.h"

class QDockWidget;
class QLabel;
class QMenu;
class QToolButton;

namespace ridgepoint {

class ChartPages;
class ExplainPanel;
class MappingDialog;
class OperationPages;
class PlanEditor;
class ProblemsPanel;
class RecoveryBar;
class VerdictStrip;
class WhatIfPages;

class MainWindow final : public QMainWindow {
    Q_OBJECT

public:
    explicit MainWindow(SpecStore specs, QWidget* parent = nullptr);
    ~MainWindow() override;

    // Opens a plan, a trace or a config.json, whichever it is. Problems go to the problems list.
    bool open_file(const QString& file);
    bool open_plan(const QString& file);
    void open_measured(const QStringList& files); // folders: every file in them
    void close_measured(); // the one that is shown
    bool import_model(const QString& file);
    bool compare_with(const QString& file); // which becomes plan A; empty: asks for it
    bool save();
    bool save_as(const QString& file);
    bool export_report(const QString& file, const ReportRequest& request = {}); // .pdf, .html, .md by name

    [[nodiscard]] Document& document() { return m_document; }
    [[nodiscard]] Evaluator& evaluator() { return m_evaluator; }
    [[nodiscard]] MeasuredLoader& measured_loader() { return m_loader; }
    [[nodiscard]] TraceComparer& trace_comparer() { return m_comparer; }
    [[nodiscard]] PlanEditor* plan_editor() const { return m_editor; }
    [[nodiscard]] VerdictStrip* verdict() const { return m_verdict; }
    [[nodiscard]] ResultArea* results() const { return m_results; }
    [[nodiscard]] ChartPages* charts() const { return m_charts; }
    [[nodiscard]] WhatIfPages* what_if() const { return m_what_if; }
    [[nodiscard]] OperationPages* operation() const { return m_operation; }
    [[nodiscard]] ExplainPanel* explanation() const { return m_explain; }
    [[nodiscard]] ProblemsPanel* problems() const { return m_problems; }
    [[nodiscard]] EvaluationPointer result() const { return m_result; } // newest, good or not
    [[nodiscard]] QList<QAction*> all_actions() const; // of the menus, in their order

    void show_page(Page page);
    void show_page_named(const QString& name); // as page_names() has it
    void explain(const QString& number);
    void set_ask_before_losing(bool ask) { m_ask = ask; } // tests and --screenshot: no questions

signals:
    void result_shown(); // verdict and visible charts are up to date

protected:
    void closeEvent(QCloseEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void build_widgets();
    void build_what_if();
    void build_operation();
    void build_operation_menu(QMenu* menu);
    void show_operation(const EvaluationPointer& result);
    void build_actions();
    void build_file_menu();
    void build_launch_menu(QMenu* menu);
    void build_edit_menu();
    void build_view_menu();
    void build_help_menu();
    QAction* add_action(QMenu* menu, const QString& text, const QKeySequence& keys, const QString& icon = {});

    void connect_parts();
    void show_plan();
    void show_result(const EvaluationPointer& result);
    void add_measured(const std::vector<MeasuredView>& views);
    void show_measured(int index);
    void compare_measured();
    void calibrate_plan();
    void accept_factors();
    void infer_from_measured();
    void map_columns(); // asks what the columns of the table that is shown mean
    void apply_mapping_to_shown(const ColumnMapping& mapping);
    void load_mapping(MappingDialog* dialog);
    void save_mapping(const MappingDialog* dialog);
    std::vector<Measured> open_contents() const;
    void show_comparison(const TraceComparison& compared);
    void apply_advice(int index);
    void update_explanation();
    void update_title();
    void update_problem_count(int count);
    void offer_recovery();
    void report(int topic, const Error& error, const QString& subject); // into the problems list, and shows it
    bool may_lose_changes();
    void choose_and_open(const QString& title, const QString& filter);
    void fill_recent_menu(QMenu* menu);
    void fill_examples_menu(QMenu* menu);
    void show_palette();
    void set_appearance(Appearance appearance);
    void change_text_scale(int steps); // 0: back to normal
    void save_state();
    void restore_state();
    QString directory_for_dialogs() const;

    Document m_document;
    Evaluator m_evaluator;
    MeasuredLoader m_loader;
    TraceComparer m_comparer;
    Session m_session;
    EvaluationPointer m_result;
    EvaluationPointer m_good; // what the charts show
    std::vector<MeasuredView> m_measured;
    int m_shown_measured = 0;
    std::optional<MeasuredFactors> m_calibrated; // fitted, not yet taken

    PlanEditor* m_editor = nullptr;
    VerdictStrip* m_verdict = nullptr;
    ResultArea* m_results = nullptr;
    ChartPages* m_charts = nullptr;
    WhatIfPages* m_what_if = nullptr;
    OperationPages* m_operation = nullptr;
    QList<QPair<Page, QAction*>> m_operation_actions;
    MeasuredPanel* m_measured_panel = nullptr;
    ExplainPanel* m_explain = nullptr;
    ProblemsPanel* m_problems = nullptr;
    RecoveryBar* m_recovery = nullptr;
    QDockWidget* m_editor_dock = nullptr;
    QDockWidget* m_explain_dock = nullptr;
    QDockWidget* m_problems_dock = nullptr;
    QLabel* m_timing = nullptr;
    QToolButton* m_problem_count = nullptr;
    bool m_ask = true;
    // Last: they wait for nothing and must go first.
    Latest<std::shared_ptr<struct ComparedFiles>> m_residuals{this};
    Latest<std::shared_ptr<Expected<CalibrationResult>>> m_calibrator{this};
    Latest<std::shared_ptr<Expected<MeasuredView>>> m_mapper{this};
};

} // namespace ridgepoint

#pragma once
// Measured files of any kind: which are open, what the chosen one holds, how the prediction compares with it, and what all of
// them together say of the machine. Shows values; reading and computing are the program's.

#include <memory>
#include <optional>
#include <vector>

#include <QWidget>

#include "model/calibration/observations.h"
#include "model/fitting/calibrate.h"
#include "model/measured/measured.h"
#include "model/measured/tables/column_mapping.h"
#include "model/report/report.h"
#include "views/panels/trace_panel.h"

class QComboBox;
class QFrame;
class QLabel;
class QPushButton;
class QStackedWidget;
class QTabWidget;

namespace ridgepoint {

// One thing of one file, with what is shown of it, computed off the GUI thread.
struct MeasuredView {
    std::shared_ptr<const Measured> measured;
    std::optional<TraceView> trace; // of a profiler timeline
    std::vector<ReportTable> tables; // of everything else
    std::shared_ptr<const Measured> unmapped; // a table of no known tool as it was read; null: the file needs no mapping
    std::optional<ColumnMapping> mapping; // what its columns were said to mean; none: not said yet
};
MeasuredView view_of(std::shared_ptr<const Measured> measured);
// The same of a table with a mapping. Errors: those of apply_mapping.
Expected<MeasuredView> mapped_view(std::shared_ptr<const Measured> unmapped, const ColumnMapping& mapping);

class MeasuredPanel final : public QWidget {
    Q_OBJECT

public:
    explicit MeasuredPanel(QWidget* parent = nullptr);

    void show_empty();
    void show_progress(const QString& file, double fraction);
    void set_views(const std::vector<MeasuredView>& views, int current);
    // Against the plan of that name: of the current view, and of all of them.
    void show_residuals(const std::vector<ReportTable>& tables, const std::vector<std::string>& notes, const QString& plan);
    void show_ranks(const std::vector<ReportTable>& tables); // of several ranks' traces; empty: no such page
    void show_calibration(const CalibrationResult& result);
    void show_calibration_error(const Error& error);
    [[nodiscard]] TracePanel* trace() const { return m_trace; }
    [[nodiscard]] int current() const;

signals:
    void open_requested();
    void cancel_requested();
    void selected(int index); // by the user
    void close_requested();
    void infer_requested();
    void calibrate_requested();
    void factors_accepted();
    void mapping_requested(); // of the file that is shown

private:
    QWidget* make_bar();
    QWidget* make_pages();
    QWidget* make_mapping_bar();
    void show_mapping(const MeasuredView& view);
    static void fill(QTabWidget* tabs, const std::vector<ReportTable>& tables);

    QWidget* m_bar = nullptr;
    QComboBox* m_files = nullptr;
    QStackedWidget* m_pages = nullptr;
    TracePanel* m_trace = nullptr;
    QTabWidget* m_tables = nullptr; // of the file
    QFrame* m_mapping_bar = nullptr;
    QLabel* m_mapping_note = nullptr;
    QPushButton* m_map = nullptr;
    QTabWidget* m_sides = nullptr; // the file, against the plan, ranks, calibration
    QTabWidget* m_residuals = nullptr;
    QLabel* m_notes = nullptr;
    QWidget* m_rank_page = nullptr;
    QTabWidget* m_ranks = nullptr;
    QTabWidget* m_calibration = nullptr;
    QLabel* m_calibration_note = nullptr;
    QPushButton* m_accept = nullptr;
    std::vector<MeasuredView> m_views;
};

} // namespace ridgepoint

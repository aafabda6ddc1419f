#pragma once
// The search for the best plan: what to try, what counts, what was found so far. Computes nothing; who owns it starts and
// stops the search and shows its snapshots.

#include <memory>
#include <optional>

#include <QWidget>

#include "model/report/search_tables.h"

class QComboBox;
class QLabel;
class QProgressBar;
class QPushButton;
class QTabWidget;
class QFormLayout;

namespace ridgepoint {

class AxesEditor;
class CellTable;
class NumberBox;
class ParetoChart;

// A search as it stands, with its tables: made on the search's thread.
struct SearchSnapshot {
    std::shared_ptr<const SearchProblem> problem;
    SearchOptions options;
    SearchResult result;
    ReportTable best, pareto, rejections;
    std::vector<std::string> choices; // of best, then of pareto
    std::vector<Neighbour> near; // once ended: the plan itself where it fits, else the smallest changes that make it fit
    bool running = false;
};
SearchSnapshot snapshot_of(std::shared_ptr<const SearchProblem> problem, const SearchOptions& options, SearchResult result, bool running);

class SearchPanel final : public QWidget {
    Q_OBJECT

public:
    explicit SearchPanel(QWidget* parent = nullptr);

    void set_instances(const QStringList& ids);
    void set_plan(const Plan& plan, const SearchSpace& sensible);
    [[nodiscard]] SearchOptions options() const;
    [[nodiscard]] Expected<SearchSpace> space() const;

    void show_started();
    void show_snapshot(std::shared_ptr<const SearchSnapshot> snapshot);
    void show_failed(const QString& text); // the search did not begin

    [[nodiscard]] AxesEditor* axes() const { return m_axes; }
    [[nodiscard]] CellTable* best() const { return m_best; }
    [[nodiscard]] CellTable* pareto_table() const { return m_front; }
    [[nodiscard]] CellTable* rejections() const { return m_rejections; }
    [[nodiscard]] ParetoChart* chart() const { return m_chart; }
    [[nodiscard]] QPushButton* start_button() const { return m_start; }
    [[nodiscard]] QPushButton* open_button() const { return m_open; }
    [[nodiscard]] QString summary() const;

signals:
    void start_requested();
    void stop_requested();
    void open_requested(const ridgepoint::SearchPoint& point);

private:
    QWidget* build_settings();
    QWidget* build_limits();
    QWidget* build_results();
    void fill_tables();
    void fill_chart();
    void select(quint64 id);
    void open(quint64 id);
    void update_warning();
    void set_running(bool running);
    void show_error(const QString& text);
    [[nodiscard]] const FoundPlan* plan_of(quint64 id) const;

    std::shared_ptr<const SearchSnapshot> m_shown;
    std::optional<Plan> m_plan;
    bool m_training = true;
    bool m_axis_chosen = false;
    bool m_running = false;
    AxesEditor* m_axes;
    QComboBox* m_objective;
    QFormLayout* m_limits = nullptr;
    NumberBox* m_headroom;
    NumberBox* m_ttft;
    NumberBox* m_tpot;
    NumberBox* m_budget;
    NumberBox* m_days;
    NumberBox* m_rate;
    QPushButton* m_start;
    QPushButton* m_open;
    QProgressBar* m_progress;
    QLabel* m_summary;
    QLabel* m_warning;
    QTabWidget* m_tables;
    CellTable* m_best;
    CellTable* m_front;
    CellTable* m_rejections;
    QComboBox* m_axis;
    ParetoChart* m_chart;
};

} // namespace ridgepoint

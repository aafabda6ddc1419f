#pragma once
// A measured trace: what was read and what was left out, busy and idle time, classes, the longest kernels, and the
// measured breakdown beside the predicted one. Shows values; reading is the program's.

#include <memory>
#include <vector>

#include <QWidget>

#include "model/calibration/compare.h"
#include "model/trace/timeline.h"

class QLabel;
class QProgressBar;
class QPushButton;
class QStackedWidget;
class QTableWidget;
class QTabWidget;

namespace ridgepoint {

// Executions of one kernel name taken together.
struct KernelTotal {
    QString name;
    KernelClass kernel_class = KernelClass::other;
    std::int64_t count = 0;
    Seconds sum;
    Seconds longest;
    double flops = 0; // of executions whose shapes are known
    double bytes = 0;
    std::int64_t with_work = 0;
};
std::vector<KernelTotal> kernel_totals(const Timeline& timeline); // longest sum first

// Everything the panel shows of one file, computed off the GUI thread.
struct TraceView {
    std::shared_ptr<const Timeline> timeline;
    TimelineSummary summary;
    std::vector<KernelTotal> kernels;
};

class TracePanel final : public QWidget {
    Q_OBJECT

public:
    explicit TracePanel(QWidget* parent = nullptr);

    void show_empty();
    void show_progress(const QString& file, double fraction);
    void show_trace(const TraceView& view);
    void show_comparison(const Comparison& comparison, const QString& plan); // with the plan of that name
    void show_placement(const PlacedKernels& placed); // what the roofline shows of the trace
    [[nodiscard]] bool has_trace() const { return m_has_trace; }
    [[nodiscard]] QString summary_text() const;

signals:
    void open_requested();
    void cancel_requested();

private:
    QWidget* make_empty_page();
    QWidget* make_progress_page();
    QWidget* make_trace_page();

    QStackedWidget* m_pages = nullptr;
    QLabel* m_progress_text = nullptr;
    QProgressBar* m_progress = nullptr;
    QLabel* m_summary = nullptr;
    QLabel* m_placement = nullptr;
    QTabWidget* m_tables = nullptr;
    QTableWidget* m_classes = nullptr;
    QTableWidget* m_kernels = nullptr;
    QTableWidget* m_skipped = nullptr;
    QTableWidget* m_comparison = nullptr;
    QLabel* m_comparison_note = nullptr;
    bool m_has_trace = false;
};

} // namespace ridgepoint

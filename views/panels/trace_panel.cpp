#include "views/panels/trace_panel.h"

#include <algorithm>
#include <cmath>

#include <QFileInfo>
#include <QHeaderView>
#include <QLabel>
#include <QLocale>
#include <QProgressBar>
#include <QPushButton>
#include <QScrollArea>
#include <QStackedWidget>
#include <QTabWidget>
#include <QTableWidget>
#include <QVBoxLayout>

#include "model/units/format.h"
#include "views/widgets/text.h"

namespace ridgepoint {
namespace {

    constexpr int side_characters = 44, name_characters = 38; // of average width, beside the tables

    // Sorts by the number behind the text.
    class NumberItem final : public QTableWidgetItem {
    public:
        NumberItem(const QString& text, double value) : QTableWidgetItem(text), m_value(value)
        {
            setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
        }
        bool operator<(const QTableWidgetItem& other) const override
        {
            const auto* number = dynamic_cast<const NumberItem*>(&other);
            return number ? m_value < number->m_value : QTableWidgetItem::operator<(other);
        }

    private:
        double m_value;
    };

    QTableWidgetItem* number(const QString& text, double value) { return new NumberItem(text, value); }
    QTableWidgetItem* time(Seconds t) { return number(to_qt(format(t)), t.value()); }
    QTableWidgetItem* count(std::int64_t n) { return number(QLocale().toString(static_cast<qlonglong>(n)), static_cast<double>(n)); }
    QTableWidgetItem* share(double fraction) { return number(to_qt(format_percent(fraction)), fraction); }
    QTableWidgetItem* text(const QString& value)
    {
        auto* item = new QTableWidgetItem(value);
        item->setToolTip(value);
        return item;
    }

    QTableWidget* make_table(const QStringList& header, const QString& name, int stretched, QWidget* parent)
    {
        auto* table = new QTableWidget(0, static_cast<int>(header.size()), parent);
        table->setHorizontalHeaderLabels(header);
        table->setAccessibleName(name);
        table->verticalHeader()->hide();
        table->verticalHeader()->setDefaultSectionSize(table->fontMetrics().height() + 8);
        table->setEditTriggers(QAbstractItemView::NoEditTriggers);
        table->setSelectionBehavior(QAbstractItemView::SelectRows);
        table->setAlternatingRowColors(true);
        table->setTabKeyNavigation(false);
        table->setWordWrap(false);
        table->horizontalHeader()->setHighlightSections(false);
        for (int i = 0; i < static_cast<int>(header.size()); ++i)
            table->horizontalHeader()->setSectionResizeMode(i, i == stretched ? QHeaderView::Stretch : QHeaderView::ResizeToContents);
        return table;
    }

    double fraction(Seconds part, Seconds whole) { return whole.value() > 0 ? part.value() / whole.value() : 0.0; }

    QString row(const QString& name, const QString& value) { return QStringLiteral("<tr><td>%1&nbsp;&nbsp;</td><td><b>%2</b></td></tr>").arg(name, value); }

    QString percent_of(Seconds part, Seconds whole)
    {
        return QStringLiteral("%1 (%2)").arg(to_qt(format(part)), to_qt(format_percent(fraction(part, whole))));
    }

    Seconds median(std::vector<Seconds> values)
    {
        const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
        std::nth_element(values.begin(), middle, values.end());
        return *middle;
    }

} // namespace

std::vector<KernelTotal> kernel_totals(const Timeline& timeline)
{
    std::vector<KernelTotal> totals(timeline.names.size());
    for (std::size_t i = 0; i < timeline.size(); ++i) {
        KernelTotal& total = totals[timeline.name[i]];
        const Seconds duration{static_cast<double>(timeline.duration_ns[i]) * 1e-9};
        total.kernel_class = timeline.kernel_class[i];
        ++total.count;
        total.sum += duration;
        total.longest = std::max(total.longest, duration);
        if (i < timeline.work.size() && timeline.work[i].known) {
            total.flops += timeline.work[i].flops;
            total.bytes += timeline.work[i].bytes;
            ++total.with_work;
        }
    }
    for (std::size_t i = 0; i < totals.size(); ++i)
        totals[i].name = to_qt(timeline.names[i]);
    std::erase_if(totals, [](const KernelTotal& t) { return t.count == 0; });
    std::stable_sort(totals.begin(), totals.end(), [](const KernelTotal& a, const KernelTotal& b) { return a.sum > b.sum; });
    return totals;
}

TracePanel::TracePanel(QWidget* parent) : QWidget(parent)
{
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    m_pages = new QStackedWidget(this);
    m_pages->addWidget(make_empty_page());
    m_pages->addWidget(make_progress_page());
    m_pages->addWidget(make_trace_page());
    layout->addWidget(m_pages);
}

QWidget* TracePanel::make_empty_page()
{
    auto* page = new QWidget;
    auto* layout = new QVBoxLayout(page);
    auto* label = new QLabel(tr("<p align='center'><b>No measured file is open</b></p><p align='center'>Open or drop profiler traces, benchmark results, training logs or metrics, also several or a "
                                "folder at once. Kernels are classified and laid over the roofline where their shapes are known; everything is "
                                "compared with this plan's prediction.</p>"));
    label->setWordWrap(true);
    label->setFixedWidth(label->fontMetrics().averageCharWidth() * 70);
    label->setMinimumHeight(label->heightForWidth(label->width()));
    auto* open = new QPushButton(tr("Open measured files…"));
    connect(open, &QPushButton::clicked, this, &TracePanel::open_requested);
    layout->addStretch(1);
    layout->addWidget(label, 0, Qt::AlignHCenter);
    layout->addWidget(open, 0, Qt::AlignHCenter);
    layout->addStretch(2);
    return page;
}

QWidget* TracePanel::make_progress_page()
{
    auto* page = new QWidget;
    auto* layout = new QVBoxLayout(page);
    m_progress_text = new QLabel;
    m_progress_text->setAlignment(Qt::AlignCenter);
    m_progress = new QProgressBar;
    m_progress->setRange(0, 1000);
    m_progress->setMaximumWidth(420);
    m_progress->setMinimumWidth(320);
    m_progress->setAccessibleName(tr("Progress of reading the trace"));
    auto* cancel = new QPushButton(tr("Cancel"));
    cancel->setAccessibleName(tr("Cancel reading the trace"));
    connect(cancel, &QPushButton::clicked, this, &TracePanel::cancel_requested);
    layout->addStretch(1);
    layout->addWidget(m_progress_text);
    layout->addWidget(m_progress, 0, Qt::AlignHCenter);
    layout->addWidget(cancel, 0, Qt::AlignHCenter);
    layout->addStretch(2);
    return page;
}

QWidget* TracePanel::make_trace_page()
{
    auto* page = new QWidget;
    auto* layout = new QHBoxLayout(page);
    layout->setContentsMargins(6, 6, 6, 6);
    auto* scroll = new QScrollArea;
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->setFixedWidth(scroll->fontMetrics().averageCharWidth() * side_characters);
    auto* side = new QWidget;
    auto* side_layout = new QVBoxLayout(side);
    side_layout->setContentsMargins(0, 0, 4, 0);
    m_summary = new QLabel;
    m_summary->setWordWrap(true);
    m_summary->setTextFormat(Qt::RichText);
    m_summary->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_summary->setFocusPolicy(Qt::NoFocus);
    m_summary->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    m_placement = new QLabel;
    m_placement->setWordWrap(true);
    side_layout->addWidget(m_summary);
    side_layout->addWidget(m_placement);
    side_layout->addStretch(1);
    scroll->setWidget(side);
    layout->addWidget(scroll);

    m_tables = new QTabWidget;
    m_tables->setDocumentMode(true);
    auto* comparison_page = new QWidget;
    auto* comparison_layout = new QVBoxLayout(comparison_page);
    comparison_layout->setContentsMargins(0, 4, 0, 0);
    m_comparison = make_table({tr("Part of the step"), tr("Measured"), tr("Predicted"), tr("Predicted / measured"), tr("Difference")},
        tr("Measured against predicted"), 0, comparison_page);
    m_comparison_note = new QLabel;
    m_comparison_note->setWordWrap(true);
    comparison_layout->addWidget(m_comparison_note);
    comparison_layout->addWidget(m_comparison, 1);
    m_classes = make_table({tr("Class"), tr("Events"), tr("Sum of durations"), tr("Share")}, tr("Kernel classes"), 0, this);
    m_kernels = make_table({tr("Kernel"), tr("Class"), tr("Count"), tr("Sum"), tr("Longest"), tr("TFLOP/s"), tr("FLOP/byte")}, tr("Longest kernels"), 0, this);
    // Names are long: their column has a width of its own and the table scrolls.
    m_kernels->horizontalHeader()->setSectionResizeMode(0, QHeaderView::Interactive);
    m_kernels->horizontalHeader()->resizeSection(0, m_kernels->fontMetrics().averageCharWidth() * 46);
    m_skipped = make_table({tr("Left out because"), tr("Events"), tr("First place")}, tr("Events left out"), 0, this);
    m_tables->addTab(m_kernels, tr("Kernels"));
    m_tables->addTab(m_classes, tr("Classes"));
    m_tables->addTab(comparison_page, tr("Measured against predicted"));
    m_tables->addTab(m_skipped, tr("Left out"));
    layout->addWidget(m_tables, 1);
    return page;
}

void TracePanel::show_empty()
{
    m_has_trace = false;
    m_pages->setCurrentIndex(0);
}

void TracePanel::show_progress(const QString& file, double done)
{
    m_progress_text->setText(tr("Reading %1").arg(QFileInfo(file).fileName()));
    m_progress->setValue(static_cast<int>(std::lround(std::clamp(done, 0.0, 1.0) * 1000.0)));
    m_pages->setCurrentIndex(1);
}

void TracePanel::show_trace(const TraceView& view)
{
    const Timeline& t = *view.timeline;
    const TimelineSummary& s = view.summary;
    // A name is one word: a long one would widen the text past its pane.
    QFont bold = m_summary->font();
    bold.setBold(true);
    const int room = m_summary->fontMetrics().averageCharWidth() * name_characters;
    const QString name = QFontMetrics(bold).elidedText(QFileInfo(to_qt(t.file)).fileName(), Qt::ElideMiddle, room);
    QString html = QStringLiteral("<p><b>%1</b></p><table cellspacing='2'>").arg(name.toHtmlEscaped());
    html += row(tr("Device"), t.device_name.empty() ? tr("not stated") : to_qt(t.device_name).toHtmlEscaped());
    if (t.rank >= 0)
        html += row(tr("Rank"), t.world_size > 0 ? tr("%1 of %2").arg(t.rank).arg(t.world_size) : QString::number(t.rank));
    html += row(tr("Steps"), s.step_durations.empty() ? tr("none marked")
                                                      : tr("%1, median %2").arg(s.step_durations.size()).arg(to_qt(format(median(s.step_durations)))));
    html += row(tr("GPU events"), tr("%1, %2 kernels").arg(QLocale().toString(static_cast<qlonglong>(s.gpu_events)), QLocale().toString(static_cast<qlonglong>(s.kernels))));
    html += row(tr("Span"), to_qt(format(s.span)));
    html += row(tr("Busy"), percent_of(s.busy, s.span));
    html += row(tr("Idle"), percent_of(s.idle, s.span));
    html += row(tr("Kernel time"), to_qt(format(s.kernel_sum)));
    html += row(tr("Compute"), percent_of(s.compute_union, s.span));
    html += row(tr("Collectives"), percent_of(s.collective_union, s.span));
    html += row(tr("Overlapped"), to_qt(format(s.overlap)));
    html += row(tr("Exposed"), percent_of(s.exposed_collective, s.span));
    html += row(tr("Known work"), tr("%1 of %2 events").arg(QLocale().toString(static_cast<qlonglong>(s.with_work)),
                                     QLocale().toString(static_cast<qlonglong>(s.with_work + s.without_work))));
    html += QStringLiteral("</table>");
    if (t.truncated)
        html += QStringLiteral("<p><b>%1</b></p>").arg(tr("The file ends early; the complete events before its end are shown."));
    html += QStringLiteral("<p><small>%1</small></p>").arg(tr("Busy: at least one GPU event runs. Compute and collectives: union of their times over all "
                                                              "streams. Exposed: collective time with no other kernel running."));
    m_summary->setText(html);
    m_summary->setToolTip(to_qt(t.file).toHtmlEscaped());
    m_placement->clear();

    const auto fill = [](QTableWidget* table, int rows) {
        table->setSortingEnabled(false);
        table->setRowCount(rows);
    };
    fill(m_classes, static_cast<int>(s.classes.size()));
    Seconds all;
    for (const ClassTotal& c : s.classes)
        all += c.sum;
    for (int i = 0; i < m_classes->rowCount(); ++i) {
        const ClassTotal& c = s.classes[static_cast<std::size_t>(i)];
        m_classes->setItem(i, 0, text(to_qt(name_of(c.kernel_class))));
        m_classes->setItem(i, 1, count(c.count));
        m_classes->setItem(i, 2, time(c.sum));
        m_classes->setItem(i, 3, share(fraction(c.sum, all)));
    }
    m_classes->setSortingEnabled(true);
    m_classes->sortByColumn(2, Qt::DescendingOrder);

    constexpr int shown_kernels = 500;
    fill(m_kernels, std::min<int>(shown_kernels, static_cast<int>(view.kernels.size())));
    for (int i = 0; i < m_kernels->rowCount(); ++i) {
        const KernelTotal& k = view.kernels[static_cast<std::size_t>(i)];
        m_kernels->setItem(i, 0, text(k.name));
        m_kernels->setItem(i, 1, text(to_qt(name_of(k.kernel_class))));
        m_kernels->setItem(i, 2, count(k.count));
        m_kernels->setItem(i, 3, time(k.sum));
        m_kernels->setItem(i, 4, time(k.longest));
        const bool known = k.with_work == k.count && k.sum.value() > 0;
        const double rate = known ? k.flops / k.sum.value() : -1;
        const double intensity = known && k.bytes > 0 ? k.flops / k.bytes : -1;
        m_kernels->setItem(i, 5, number(rate >= 0 ? to_qt(format_number(rate / 1e12)) : QStringLiteral("–"), rate));
        m_kernels->setItem(i, 6, number(intensity >= 0 ? to_qt(format_number(intensity)) : QStringLiteral("–"), intensity));
    }
    m_kernels->setSortingEnabled(true);
    m_kernels->sortByColumn(3, Qt::DescendingOrder);

    fill(m_skipped, static_cast<int>(t.skipped.size()));
    for (int i = 0; i < m_skipped->rowCount(); ++i) {
        const Timeline::Skipped& left_out = t.skipped[static_cast<std::size_t>(i)];
        m_skipped->setItem(i, 0, text(to_qt(left_out.reason)));
        m_skipped->setItem(i, 1, count(left_out.count));
        m_skipped->setItem(i, 2, text(to_qt(left_out.first_place)));
    }
    m_skipped->setSortingEnabled(true);
    m_tables->setTabText(3, t.skipped.empty() ? tr("Left out: none") : tr("Left out (%1)").arg(t.skipped.size()));
    m_has_trace = true;
    m_pages->setCurrentIndex(2);
}

void TracePanel::show_comparison(const Comparison& comparison, const QString& plan)
{
    QString note = tr("Per step, against \"%1\"; measured from %2.").arg(plan, to_qt(comparison.step_source));
    for (const std::string& caveat : comparison.caveats)
        note += QStringLiteral("\n• ") + to_qt(caveat);
    m_comparison_note->setText(note);
    m_comparison->setSortingEnabled(false);
    m_comparison->setRowCount(static_cast<int>(comparison.rows.size()));
    for (int i = 0; i < m_comparison->rowCount(); ++i) {
        const ComparisonRow& r = comparison.rows[static_cast<std::size_t>(i)];
        m_comparison->setItem(i, 0, text(to_qt(r.label)));
        m_comparison->setItem(i, 1, r.measured > Seconds{} ? time(r.measured) : number(tr("not measured"), 0));
        m_comparison->setItem(i, 2, r.predicted > Seconds{} ? time(r.predicted) : number(tr("not predicted"), 0));
        m_comparison->setItem(i, 3, number(r.has_ratio() ? to_qt(format_number(r.ratio())) : QStringLiteral("–"), r.has_ratio() ? r.ratio() : -1));
        const Seconds difference = r.predicted - r.measured;
        m_comparison->setItem(i, 4, r.has_ratio() ? number((difference > Seconds{} ? QStringLiteral("+") : QStringLiteral("−")) + to_qt(format(Seconds{std::abs(difference.value())})),
                                        difference.value())
                                                  : number(QStringLiteral("–"), 0));
    }
}

void TracePanel::show_placement(const PlacedKernels& placed)
{
    const auto n = [](std::int64_t count) { return QLocale().toString(static_cast<qlonglong>(count)); };
    QString text = tr("<b>On the roofline:</b> %1 executions placed by the shapes in the trace").arg(n(placed.placed_by_shape));
    if (placed.placed_by_plan > 0)
        text += tr(", %1 by the work of this plan's operators").arg(n(placed.placed_by_plan));
    text += placed.not_placed > 0 ? tr("; %1 (%2) not placed: neither the trace nor the plan tells their work.").arg(n(placed.not_placed), to_qt(format(placed.not_placed_time)))
                                  : tr("; none left out.");
    m_placement->setText(text);
}

QString TracePanel::summary_text() const { return m_summary->text(); }

} // namespace ridgepoint

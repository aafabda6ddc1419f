#include "views/panels/search_panel.h"

#include <algorithm>
#include <cmath>

#include <QComboBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QSplitter>
#include <QTabWidget>
#include <QVBoxLayout>

#include "model/units/format.h"
#include "views/charts/pareto_chart.h"
#include "views/panels/axes_editor.h"
#include "views/widgets/cell_table.h"
#include "views/widgets/number_box.h"
#include "views/widgets/text.h"

namespace ridgepoint {
namespace {

    NumberBox* limit_box(const QString& unit, QWidget* parent, const QString& none)
    {
        auto* box = new NumberBox(false, NumberBox::Step::One, parent);
        box->setRange(0, 1e12);
        box->setSuffix(QLatin1Char(' ') + unit);
        box->setSpecialValueText(none);
        return box;
    }

    QSplitter* splitter(Qt::Orientation way, QWidget* first, QWidget* second, int a, int b)
    {
        auto* s = new QSplitter(way);
        s->addWidget(first);
        s->addWidget(second);
        s->setStretchFactor(0, a);
        s->setStretchFactor(1, b);
        s->setChildrenCollapsible(false);
        return s;
    }

} // namespace

SearchPanel::SearchPanel(QWidget* parent)
    : QWidget(parent)
    , m_axes(new AxesEditor(this))
    , m_objective(new QComboBox(this))
    , m_headroom(limit_box(QStringLiteral("GiB"), this, tr("none")))
    , m_ttft(limit_box(QStringLiteral("ms"), this, tr("any")))
    , m_tpot(limit_box(QStringLiteral("ms"), this, tr("any")))
    , m_budget(limit_box(QStringLiteral("$"), this, tr("any")))
    , m_days(limit_box(tr("days"), this, tr("any")))
    , m_rate(limit_box(tr("$/h"), this, tr("any")))
    , m_start(new QPushButton(tr("&Start"), this))
    , m_open(new QPushButton(tr("&Open as Plan"), this))
    , m_progress(new QProgressBar(this))
    , m_summary(new QLabel(this))
    , m_warning(new QLabel(this))
    , m_tables(new QTabWidget(this))
    , m_best(new CellTable(tr("Best plans"), this))
    , m_front(new CellTable(tr("Pareto front"), this))
    , m_rejections(new CellTable(tr("Why not the others"), this))
    , m_axis(new QComboBox(this))
    , m_chart(new ParetoChart(this))
{
    auto* across = splitter(Qt::Horizontal, build_settings(), build_results(), 0, 1);
    across->setSizes({310, 900});
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(6, 6, 6, 2);
    layout->addWidget(across);

    connect(m_start, &QPushButton::clicked, this, [this] {
        if (m_running)
            emit stop_requested();
        else
            emit start_requested();
    });
    connect(m_open, &QPushButton::clicked, this, [this] {
        if (const auto id = m_chart->selected_id())
            open(*id);
    });
    for (CellTable* table : {m_best, m_front}) {
        connect(table, &CellTable::row_selected, this, &SearchPanel::select);
        connect(table, &CellTable::row_activated, this, &SearchPanel::open);
    }
    connect(m_chart, &ParetoChart::point_selected, this, &SearchPanel::select);
    connect(m_chart, &ParetoChart::point_activated, this, &SearchPanel::open);
    connect(m_axis, &QComboBox::activated, this, [this] { m_axis_chosen = true; });
    connect(m_axis, &QComboBox::currentIndexChanged, this, [this](int i) { m_chart->set_axis(static_cast<ParetoAxis>(i)); });
    show_error({});
    m_summary->setText(tr("Start tries every combination of the values on the left."));
}

QWidget* SearchPanel::build_settings()
{
    auto* side = new QWidget;
    side->setMinimumWidth(270);
    for (const auto& [objective, text] : {std::pair{Objective::throughput, tr("Most tokens per second")}, std::pair{Objective::throughput_per_gpu, tr("Most tokens per second and GPU")},
             std::pair{Objective::cost_per_token, tr("Lowest cost per token")}, std::pair{Objective::energy_per_token, tr("Lowest energy per token")},
             std::pair{Objective::latency, tr("Lowest latency")}})
        m_objective->addItem(text, static_cast<int>(objective));
    m_objective->setAccessibleName(tr("Objective of the search"));
    m_objective->setMinimumContentsLength(12);
    m_objective->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_start->setMinimumHeight(28);
    m_start->setAccessibleName(tr("Start or stop the search"));
    auto* goal = new QHBoxLayout;
    goal->addWidget(m_objective, 1);
    goal->addWidget(m_start);
    auto* head = new QLabel(tr("Values to try"), side);
    QFont bold = head->font();
    bold.setBold(true);
    head->setFont(bold);
    auto* layout = new QVBoxLayout(side);
    layout->setContentsMargins(0, 0, 4, 0);
    layout->setSpacing(5);
    layout->addLayout(goal);
    layout->addWidget(build_limits());
    layout->addWidget(head);
    layout->addWidget(m_axes, 1);
    return side;
}

QWidget* SearchPanel::build_limits()
{
    auto* box = new QWidget;
    m_limits = new QFormLayout(box);
    m_limits->setContentsMargins(6, 0, 6, 0);
    m_limits->setVerticalSpacing(3);
    m_limits->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    const auto add = [this](const QString& text, NumberBox* limit) {
        limit->setAccessibleName(text);
        m_limits->addRow(text, limit);
    };
    add(tr("Memory to spare, at least"), m_headroom);
    add(tr("Time to first token, at most"), m_ttft);
    add(tr("Time per token, at most"), m_tpot);
    add(tr("Cost of the run, at most"), m_budget);
    add(tr("Time to train, at most"), m_days);
    add(tr("Cost of the cluster, at most"), m_rate);
    return box;
}

QWidget* SearchPanel::build_results()
{
    m_summary->setAccessibleName(tr("Progress of the search"));
    m_summary->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_warning->setWordWrap(true);
    m_progress->setMaximumWidth(140);
    m_progress->setRange(0, 1000);
    m_progress->setAccessibleName(tr("Share of the points that were tried"));
    m_open->setEnabled(false);
    m_open->setToolTip(tr("Makes the selected plan the current one; undo brings the old one back"));
    auto* line = new QHBoxLayout;
    line->addWidget(m_progress);
    line->addWidget(m_summary, 1);
    line->addWidget(m_open);

    m_tables->setDocumentMode(true);
    m_tables->setAccessibleName(tr("Tables of the search"));
    m_tables->addTab(m_best, tr("Best"));
    m_tables->addTab(m_front, tr("Pareto front"));
    m_tables->addTab(m_rejections, tr("Why not"));

    for (const ParetoAxis axis : {ParetoAxis::cost, ParetoAxis::headroom, ParetoAxis::energy, ParetoAxis::time})
        m_axis->addItem(name_of(axis));
    m_axis->setAccessibleName(tr("Vertical axis of the chart"));
    auto* chart = new QWidget;
    auto* axis_line = new QHBoxLayout;
    auto* label = new QLabel(tr("&Upward"), chart);
    label->setBuddy(m_axis);
    axis_line->addWidget(label);
    axis_line->addWidget(m_axis);
    axis_line->addStretch(1);
    auto* chart_layout = new QVBoxLayout(chart);
    chart_layout->setContentsMargins(0, 2, 0, 0);
    chart_layout->setSpacing(2);
    chart_layout->addLayout(axis_line);
    chart_layout->addWidget(m_chart, 1);

    auto* side = new QWidget;
    auto* layout = new QVBoxLayout(side);
    layout->setContentsMargins(4, 0, 0, 0);
    layout->setSpacing(4);
    layout->addLayout(line);
    layout->addWidget(m_warning);
    layout->addWidget(splitter(Qt::Vertical, m_tables, chart, 1, 1), 1);
    return side;
}

void SearchPanel::set_instances(const QStringList& ids) { m_axes->set_instances(ids); }

void SearchPanel::set_plan(const Plan& plan, const SearchSpace& sensible)
{
    m_plan = plan;
    m_training = std::holds_alternative<Training>(plan.workload);
    for (const auto& [box, training] : {std::pair{m_ttft, false}, std::pair{m_tpot, false}, std::pair{m_budget, true}, std::pair{m_days, true}}) {
        box->setVisible(training == m_training);
        m_limits->labelForField(box)->setVisible(training == m_training);
    }
    m_axes->set_plan(plan, sensible);
    update_warning();
}

SearchOptions SearchPanel::options() const
{
    SearchOptions o;
    o.objective = static_cast<Objective>(m_objective->currentData().toInt());
    o.keep = 50;
    o.limits.headroom = gibibytes(m_headroom->value());
    if (!m_training && m_ttft->value() > 0)
        o.limits.ttft = milliseconds(m_ttft->value());
    if (!m_training && m_tpot->value() > 0)
        o.limits.tpot = milliseconds(m_tpot->value());
    if (m_training && m_budget->value() > 0)
        o.limits.run = Dollars{m_budget->value()};
    if (m_training && m_days->value() > 0)
        o.limits.deadline = hours(24.0 * m_days->value());
    if (m_rate->value() > 0)
        o.limits.rate = DollarsPerSecond{m_rate->value() / 3600.0};
    return o;
}

Expected<SearchSpace> SearchPanel::space() const { return m_axes->space(); }

QString SearchPanel::summary() const { return m_summary->text(); }

void SearchPanel::set_running(bool running)
{
    m_running = running;
    m_start->setText(running ? tr("&Stop") : tr("&Start"));
}

void SearchPanel::show_error(const QString& text)
{
    m_warning->setText(text);
    m_warning->setVisible(!text.isEmpty());
}

} // namespace ridgepoint

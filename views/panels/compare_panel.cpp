#include "views/panels/compare_panel.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSplitter>
#include <QStackedWidget>
#include <QVBoxLayout>

#include "model/units/format.h"
#include "views/charts/waterfall_chart.h"
#include "views/widgets/cell_table.h"
#include "views/widgets/text.h"

namespace ridgepoint {
namespace {

    QString money(const Cost& c)
    {
        const auto per_token = c.per_token ? c.per_token : c.per_input_token;
        return per_token ? to_qt(format(Dollars{per_token->value() * 1e6})) : QStringLiteral("–");
    }

    QString even_text(const std::optional<BreakEven>& even)
    {
        if (!even)
            return ComparePanel::tr("No break-even: one of the plans has no price.");
        QString text = ComparePanel::tr("Break-even: B costs the same per token as A at %1 times its price").arg(to_qt(format_number(even->price_factor, 3)));
        if (even->utilization)
            text += ComparePanel::tr(", or when %1 of its paid hours do useful work").arg(to_qt(format_percent(*even->utilization, 0)));
        if (!even->nodes)
            return text + ComparePanel::tr("; it is the cheaper one at no number of nodes up to 4,096.");
        return text + (*even->nodes == 1 ? ComparePanel::tr("; it is the cheaper one from 1 node on.") : ComparePanel::tr("; it is the cheaper one from %1 nodes on.").arg(*even->nodes));
    }

} // namespace

ComparePanel::ComparePanel(QWidget* parent)
    : QWidget(parent)
    , m_stack(new QStackedWidget(this))
    , m_sentence(new QLabel(this))
    , m_even(new QLabel(this))
    , m_chart(new WaterfallChart(this))
    , m_sums(new CellTable(tr("Sums of both plans"), this))
    , m_fields(new CellTable(tr("Fields that differ"), this))
{
    auto* file = new QPushButton(tr("Compare with a &File…"), this);
    auto* keep = new QPushButton(tr("&Keep the Plan as A"), this);
    keep->setToolTip(tr("Keeps a copy of the plan as it is now; later edits are compared with it"));
    auto* line = new QHBoxLayout;
    m_sentence->setWordWrap(true);
    m_sentence->setTextInteractionFlags(Qt::TextSelectableByMouse);
    line->addWidget(m_sentence, 1);
    line->addWidget(file);
    line->addWidget(keep);
    m_stack->addWidget(build_empty());
    m_stack->addWidget(build_comparison());
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(6, 6, 6, 4);
    layout->setSpacing(4);
    layout->addLayout(line);
    layout->addWidget(m_stack, 1);
    connect(file, &QPushButton::clicked, this, &ComparePanel::file_requested);
    connect(keep, &QPushButton::clicked, this, &ComparePanel::keep_requested);
    connect(m_fields, &CellTable::row_activated, this, [this](quint64 row) {
        if (row < m_differing.size())
            emit field_requested(to_qt(m_differing[row].path));
    });
    show_empty();
}

QWidget* ComparePanel::build_empty()
{
    auto* text = new QLabel(tr("Choose another plan file, or keep the plan as it is now and edit on:\nthe plan that is open is always B."), this);
    text->setAlignment(Qt::AlignCenter);
    text->setForegroundRole(QPalette::PlaceholderText);
    return text;
}

QWidget* ComparePanel::build_comparison()
{
    auto* tables = new QSplitter(Qt::Vertical);
    tables->addWidget(m_sums);
    tables->addWidget(m_fields);
    tables->setStretchFactor(0, 0);
    tables->setStretchFactor(1, 1);
    tables->setSizes({210, 300});
    auto* across = new QSplitter(Qt::Horizontal);
    across->addWidget(m_chart);
    across->addWidget(tables);
    across->setStretchFactor(0, 3);
    across->setStretchFactor(1, 2);
    across->setSizes({560, 400});
    for (QSplitter* s : {tables, across})
        s->setChildrenCollapsible(false);
    m_sums->set_even(true);
    m_fields->set_even(true);
    m_even->setWordWrap(true);
    m_even->setTextInteractionFlags(Qt::TextSelectableByMouse);
    auto* page = new QWidget(this);
    auto* layout = new QVBoxLayout(page);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(4);
    layout->addWidget(across, 1);
    layout->addWidget(m_even);
    return page;
}

QString ComparePanel::sentence() const { return m_sentence->text(); }

void ComparePanel::show_empty()
{
    m_sentence->setText(tr("There is no plan A yet."));
    m_even->setText(even_text(std::nullopt));
    m_chart->set_comparison(nullptr, {}, {}, {});
    m_stack->setCurrentIndex(0);
}

void ComparePanel::show_error(const QString& name_a, const QString& text)
{
    show_empty();
    m_sentence->setText(tr("%1 cannot be compared: %2").arg(name_a, text));
}

void ComparePanel::show_comparison(const PlanComparison& c, const std::optional<BreakEven>& even, const QString& name_a, const QString& name_b, const QString& time_name)
{
    m_sentence->setText(to_qt(c.sentence));
    m_even->setText(even_text(even));
    m_chart->set_comparison(&c, name_a, name_b, time_name);
    const auto hourly = [](const Evaluation& e) { return to_qt(format(Dollars{e.cost.cluster.value() * 3600})); };
    std::vector<CellTableModel::Row> rows = {
        {{tr("Plan"), {}}, {name_a, {}}, {name_b, {}}},
        {{time_name, {}}, {to_qt(format(c.a.estimate.time.total())), {}}, {to_qt(format(c.b.estimate.time.total())), {}}},
        {{tr("Tokens/s per GPU"), {}}, {to_qt(format_number(throughput_per_gpu(c.a.estimate))), {}}, {to_qt(format_number(throughput_per_gpu(c.b.estimate))), {}}},
        {{tr("Memory to spare"), {}}, {to_qt(format(c.a.estimate.memory.headroom())), {}}, {to_qt(format(c.b.estimate.memory.headroom())), {}}},
        {{tr("$ per M tokens"), {}}, {money(c.a.cost), {}}, {money(c.b.cost), {}}},
        {{tr("Cluster per hour"), {}}, {hourly(c.a), {}}, {hourly(c.b), {}}},
    };
    m_sums->set_table({{QString(), false, tr("sum")}, {QStringLiteral("A"), false, {}}, {QStringLiteral("B"), false, {}}}, std::move(rows));
    m_differing = c.fields;
    rows.clear();
    for (const FieldDifference& f : c.fields)
        rows.push_back({{to_qt(f.label), {}}, {to_qt(f.a), {}}, {to_qt(f.b), {}}});
    m_fields->set_table({{tr("Field"), false, {}}, {QStringLiteral("A"), false, {}}, {QStringLiteral("B"), false, {}}}, std::move(rows));
    m_stack->setCurrentIndex(1);
}

} // namespace ridgepoint

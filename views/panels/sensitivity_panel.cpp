#include "views/panels/sensitivity_panel.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QSplitter>
#include <QVBoxLayout>

#include "model/units/format.h"
#include "views/charts/tornado_chart.h"
#include "views/widgets/cell_table.h"
#include "views/widgets/number_box.h"
#include "views/widgets/text.h"

namespace ridgepoint {
namespace {

    QWidget* titled(const QString& title, QWidget* content)
    {
        auto* box = new QWidget;
        auto* label = new QLabel(title, box);
        QFont bold = label->font();
        bold.setBold(true);
        label->setFont(bold);
        label->setBuddy(content);
        label->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
        auto* layout = new QVBoxLayout(box);
        layout->setContentsMargins(0, 0, 0, 0);
        layout->setSpacing(2);
        layout->addWidget(label);
        layout->addWidget(content, 1);
        return box;
    }

} // namespace

SensitivityPanel::SensitivityPanel(QWidget* parent)
    : QWidget(parent)
    , m_measure(new QComboBox(this))
    , m_relative(new NumberBox(true, NumberBox::Step::One, this))
    , m_chart(new TornadoChart(this))
    , m_upgrades(new CellTable(tr("What doubling one figure buys"), this))
    , m_bandwidths(new CellTable(tr("Bandwidth that hides communication"), this))
{
    m_measure->addItem(tr("Time"));
    m_measure->addItem(tr("Cost per token"));
    m_relative->setRange(1, 90);
    m_relative->setValue(10);
    m_relative->setSuffix(QStringLiteral(" %"));
    m_relative->setKeyboardTracking(false);
    m_relative->setToolTip(tr("Figures of the hardware and the price are turned by so much; assumptions from half to twice their value"));
    auto* what = new QLabel(tr("&Change of"), this);
    what->setBuddy(m_measure);
    auto* by = new QLabel(tr("when the hardware is turned &by ±"), this);
    by->setBuddy(m_relative);
    auto* line = new QHBoxLayout;
    line->addWidget(what);
    line->addWidget(m_measure);
    line->addWidget(by);
    line->addWidget(m_relative);
    line->addStretch(1);

    auto* tables = new QSplitter(Qt::Vertical);
    tables->addWidget(titled(tr("What doubling one figure buys"), m_upgrades));
    tables->addWidget(titled(tr("Bandwidth that hides each communication"), m_bandwidths));
    auto* across = new QSplitter(Qt::Horizontal, this);
    across->addWidget(m_chart);
    across->addWidget(tables);
    across->setStretchFactor(0, 3);
    across->setStretchFactor(1, 2);
    across->setSizes({560, 400});
    for (QSplitter* s : {tables, across})
        s->setChildrenCollapsible(false);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(6, 6, 6, 2);
    layout->setSpacing(4);
    layout->addLayout(line);
    layout->addWidget(across, 1);

    connect(m_measure, &QComboBox::currentIndexChanged, this, [this](int i) { m_chart->set_of_cost(i == 1); });
    connect(m_relative, &QDoubleSpinBox::valueChanged, this, &SensitivityPanel::relative_changed);
    connect(m_chart, &TornadoChart::knob_clicked, this, &SensitivityPanel::knob_clicked);
}

double SensitivityPanel::relative() const { return m_relative->value() / 100.0; }

void SensitivityPanel::show_sensitivity(const Sensitivity& found, const QString& time_name)
{
    m_chart->set_swings(found.swings, time_name);
    std::vector<CellTableModel::Row> rows;
    for (const Upgrade& u : found.upgrades)
        rows.push_back({{to_qt(u.knob.label), {}}, {to_qt(format_percent(u.faster)), u.faster}, {u.fits ? tr("fits") : tr("does not fit"), {}}});
    m_upgrades->set_table({{tr("Twice the"), false, {}}, {tr("Faster by"), true, {}}, {tr("Memory"), false, {}}}, std::move(rows));
    rows.clear();
    for (const RequiredBandwidth& r : found.bandwidths)
        rows.push_back({{to_qt(r.part), {}}, {to_qt(format(r.exposed)), r.exposed.value()}, {to_qt(r.link), {}}, {to_qt(format(r.today)), r.today.value()},
            {r.factor ? to_qt(format(*r.factor * r.today)) : tr("no bandwidth does"), r.factor ? QVariant(*r.factor * r.today.value()) : QVariant()}});
    m_bandwidths->set_table({{tr("To hide"), false, {}}, {tr("Exposed"), true, tr("Exposed [s]")}, {tr("Link"), false, {}}, {tr("Today"), true, tr("Today [B/s]")},
                                {tr("Needed"), true, tr("Needed [B/s]")}},
        std::move(rows));
}

} // namespace ridgepoint

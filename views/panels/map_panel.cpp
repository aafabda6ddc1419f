#include "views/panels/map_panel.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <QComboBox>
#include <QGridLayout>
#include <QLabel>
#include <QToolButton>
#include <QVBoxLayout>

#include "model/project/fields.h"
#include "views/widgets/choice_box.h"
#include "views/widgets/number_box.h"
#include "views/widgets/text.h"

namespace ridgepoint {

MapPanel::MapPanel(QWidget* parent)
    : QWidget(parent)
    , m_x(make_side(tr("horizontal"), true))
    , m_y(make_side(tr("vertical"), false))
    , m_measure(new QComboBox(this))
    , m_chart(new RegimeChart(this))
    , m_status(new QLabel(this))
{
    m_measure->addItem(tr("Contours of time"));
    m_measure->addItem(tr("Contours of cost"));
    m_measure->setAccessibleName(tr("What the contour lines tell"));
    auto* reset = new QToolButton(this);
    reset->setText(tr("Reset Ranges"));
    reset->setMinimumHeight(24);
    auto* controls = new QGridLayout;
    controls->setHorizontalSpacing(5);
    controls->setVerticalSpacing(3);
    int row = 0;
    for (Side* side : {&m_x, &m_y}) {
        auto* label = new QLabel(side == &m_x ? tr("&Across") : tr("&Upward"), this);
        label->setBuddy(side->knob);
        controls->addWidget(label, row, 0);
        controls->addWidget(side->knob, row, 1);
        controls->addWidget(new QLabel(tr("from"), this), row, 2);
        controls->addWidget(side->low, row, 3);
        controls->addWidget(new QLabel(tr("to"), this), row, 4);
        controls->addWidget(side->high, row, 5);
        ++row;
    }
    controls->addWidget(m_measure, 0, 6);
    controls->addWidget(reset, 1, 6);
    controls->setColumnStretch(1, 3);
    controls->setColumnStretch(3, 1);
    controls->setColumnStretch(5, 1);
    m_status->setForegroundRole(QPalette::PlaceholderText);
    m_status->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(6, 6, 6, 2);
    layout->setSpacing(4);
    layout->addLayout(controls);
    layout->addWidget(m_chart, 1);
    layout->addWidget(m_status);

    connect(m_measure, &QComboBox::currentIndexChanged, this, [this](int i) { m_chart->set_measure(i == 0 ? MapMeasure::time : MapMeasure::cost); });
    connect(reset, &QToolButton::clicked, this, [this] {
        m_quiet = true;
        reset_range(m_x);
        reset_range(m_y);
        m_quiet = false;
        emit request_changed();
    });
    connect(m_chart, &RegimeChart::cell_chosen, this, [this](double x, double y) { emit values_chosen(to_qt(m_shown.x.id), x, to_qt(m_shown.y.id), y); });
}

MapPanel::Side MapPanel::make_side(const QString& name, bool across)
{
    Side side;
    side.knob = new SearchPicker(this);
    side.knob->setAccessibleName(tr("Knob of the %1 axis").arg(name));
    for (NumberBox** box : {&side.low, &side.high}) {
        *box = new NumberBox(false, NumberBox::Step::Ladder, this);
        (*box)->setKeyboardTracking(false);
        (*box)->setAccessibleName(box == &side.low ? tr("Lowest value of the %1 axis").arg(name) : tr("Highest value of the %1 axis").arg(name));
    }
    const auto of_side = [this, across]() -> Side& { return across ? m_x : m_y; };
    connect(side.knob, &ChoiceBox::picked, this, [this, of_side] {
        m_quiet = true;
        reset_range(of_side());
        m_quiet = false;
        emit request_changed();
    });
    for (NumberBox* box : {side.low, side.high})
        connect(box, &QDoubleSpinBox::valueChanged, this, [this, of_side] {
            if (m_quiet)
                return;
            of_side().typed = true;
            emit request_changed();
        });
    return side;
}

const Knob* MapPanel::knob_of(const Side& side) const
{
    const auto found = std::ranges::find(m_knobs, to_std(side.knob->value()), &Knob::id);
    return found == m_knobs.end() ? nullptr : &*found;
}

double MapPanel::value_of(const Knob& knob) const { return knob.factor ? 1.0 : std::strtod(field_value(*m_plan, knob.id).c_str(), nullptr); }

void MapPanel::reset_range(Side& side)
{
    side.typed = false;
    const Knob* knob = knob_of(side);
    if (!knob)
        return;
    constexpr double around = 8; // times less and more than planned
    const double value = value_of(*knob);
    side.low->setRange(knob->low, knob->high);
    side.high->setRange(knob->low, knob->high);
    side.low->setValue(knob->factor ? knob->low : std::max(knob->low, value > 0 ? value / around : 0.0));
    side.high->setValue(knob->factor ? knob->high : std::min(knob->high, value > 0 ? value * around : 1.0));
    for (NumberBox* box : {side.low, side.high})
        box->setSuffix(knob->factor ? QStringLiteral("×") : knob->unit.empty() ? QString() : QLatin1Char(' ') + to_qt(knob->unit));
}

void MapPanel::fill(Side& side, const QString& fallback)
{
    const QString chosen = side.knob->value();
    side.knob->clear();
    bool still_there = false;
    for (const Knob& k : m_knobs) {
        if (!k.factor) {
            const PlanField* field = find_field(k.id);
            if (field && !applies(*field, *m_plan))
                continue;
        }
        side.knob->addItem(k.factor ? tr("%1 (factor)").arg(to_qt(k.label)) : to_qt(k.label), to_qt(k.id));
        still_there = still_there || chosen == to_qt(k.id);
    }
    side.knob->set_value(still_there ? chosen : fallback);
    if (!still_there || !side.typed)
        reset_range(side);
}

void MapPanel::set_plan(const Plan& plan)
{
    m_plan = plan;
    m_knobs = knobs_of(plan);
    m_quiet = true;
    const bool training = std::holds_alternative<Training>(plan.workload);
    fill(m_x, training ? QStringLiteral("/workload/sequence_length") : QStringLiteral("/workload/concurrency"));
    fill(m_y, training ? QStringLiteral("hardware/network") : QStringLiteral("/workload/input_length"));
    m_quiet = false;
}

void MapPanel::choose(const QString& x, const QString& y)
{
    m_x.knob->set_value(x);
    m_y.knob->set_value(y);
    m_quiet = true;
    reset_range(m_x);
    reset_range(m_y);
    m_quiet = false;
    emit request_changed();
}

std::optional<MapRequest> MapPanel::request() const
{
    const Knob* x = m_plan ? knob_of(m_x) : nullptr;
    const Knob* y = m_plan ? knob_of(m_y) : nullptr;
    if (!x || !y || x == y)
        return std::nullopt;
    MapRequest r{*x, *y, value_of(*x), value_of(*y), {}, {}};
    r.xs = map_values(*x, r.plan_x, m_x.low->value(), m_x.high->value(), cells_across);
    r.ys = map_values(*y, r.plan_y, m_y.low->value(), m_y.high->value(), cells_across);
    if (r.xs.size() < 2 || r.ys.size() < 2)
        return std::nullopt;
    return r;
}

void MapPanel::show_map(std::shared_ptr<const RegimeMap> map, const MapRequest& asked, const QString& time_name, double milliseconds)
{
    m_shown = asked;
    m_status->setText(tr("%1 × %2 cells, %3 estimated in %4 ms · the star is the plan · a click takes a cell's values into the plan")
                          .arg(map->xs.size())
                          .arg(map->ys.size())
                          .arg(QLocale().toString(static_cast<qulonglong>(map->estimated)))
                          .arg(std::lround(milliseconds)));
    m_chart->set_map(std::move(map), asked.plan_x, asked.plan_y, time_name);
}

void MapPanel::show_error(const QString& text) { m_status->setText(text); }

} // namespace ridgepoint

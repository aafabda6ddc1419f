#include "views/charts/roofline_chart.h"

#include <cmath>

#include <QComboBox>
#include <QMenu>
#include <QtCharts/QLineSeries>

#include "views/charts/roofline_scene.h"
#include "views/widgets/text.h"

namespace ridgepoint {

RooflineChart::RooflineChart(QWidget* parent)
    : PlaneChart(parent)
    , m_scene(std::make_unique<RooflineScene>())
    , m_level_box(new QComboBox(this))
{
    for (const MemoryLevel level : {MemoryLevel::hbm, MemoryLevel::nvlink, MemoryLevel::network})
        m_level_box->addItem(level_name(level), static_cast<int>(level));
    m_level_box->setAccessibleName(tr("Memory level of the roofline"));
    m_level_box->setToolTip(
        tr("The bytes that intensity is counted in: device memory, NVLink or the network between nodes"));
    connect(m_level_box, &QComboBox::currentIndexChanged, this,
        [this] { set_level(static_cast<MemoryLevel>(m_level_box->currentData().toInt())); });
    refresh();
}

RooflineChart::~RooflineChart() = default;

void RooflineChart::set_model(const RooflineModel& model, const OperatorList& operators)
{
    m_scene->model = model;
    m_scene->operators = operators;
    m_scene->selection.removeIf([&](int i) { return i < 0 || static_cast<std::size_t>(i) >= operators.size(); });
    rebuild_roofs();
    m_scene->rebuild_marks();
    if (m_scene->measured)
        m_scene->rebuild_measured();
    refresh();
}

void RooflineChart::set_measured(std::shared_ptr<const MeasuredKernels> measured)
{
    m_scene->measured = std::move(measured);
    m_scene->rebuild_measured();
    refresh();
}

void RooflineChart::set_title(const QString& title)
{
    m_scene->title = title;
    refresh();
}

void RooflineChart::set_layer_names(const QStringList& names)
{
    m_scene->layer_names = names;
}

void RooflineChart::set_level(MemoryLevel level)
{
    if (level == m_scene->level)
        return;
    m_scene->level = level;
    {
        const QSignalBlocker blocker(m_level_box);
        m_level_box->setCurrentIndex(m_level_box->findData(static_cast<int>(level)));
    }
    rebuild_roofs();
    m_scene->rebuild_marks();
    show_frame(machine_frame());
    refresh();
    emit level_changed(level);
}

MemoryLevel RooflineChart::level() const
{
    return m_scene->level;
}

void RooflineChart::set_unused_ceilings_visible(bool visible)
{
    m_scene->unused_ceilings = visible;
    rebuild_roofs();
    refresh();
}

bool RooflineChart::unused_ceilings_visible() const
{
    return m_scene->unused_ceilings;
}

void RooflineChart::set_measured_roofs(std::vector<MeasuredRoof> roofs)
{
    m_scene->measured_roofs = std::move(roofs);
    rebuild_roofs();
    refresh();
}

void RooflineChart::set_measured_roofs_visible(bool visible)
{
    m_scene->measured_roofs_shown = visible;
    rebuild_roofs();
    refresh();
}

bool RooflineChart::measured_roofs_visible() const
{
    return m_scene->measured_roofs_shown;
}

void RooflineChart::set_class_visible(OperatorClass c, bool visible)
{
    if (visible)
        m_scene->hidden.erase(c);
    else
        m_scene->hidden.insert(c);
    m_scene->rebuild_marks();
    if (m_scene->measured)
        m_scene->rebuild_measured();
    refresh();
}

bool RooflineChart::is_class_visible(OperatorClass c) const
{
    return !m_scene->hidden.contains(c);
}

void RooflineChart::rebuild_roofs()
{
    for (const RoofLine& roof : m_scene->roofs)
        if (roof.series)
            remove_line(roof.series);
    m_scene->rebuild_roofs();
    for (RoofLine& roof : m_scene->roofs)
        roof.series = add_line();
    theme_changed();
}

void RooflineChart::refresh()
{
    const QString level = level_name(m_scene->level);
    set_axis_titles(tr("Arithmetic intensity [FLOP per byte of %1]").arg(level), tr("Performance [TFLOP/s]"));
    set_heading(figure_title(), caption());
    content_changed();
}

void RooflineChart::theme_changed()
{
    m_scene->density.valid = false;
    for (RoofLine& roof : m_scene->roofs) {
        if (!roof.series)
            continue;
        if (roof.measured()) {
            QPen pen(theme().measured_roof, 1.7);
            pen.setCapStyle(Qt::FlatCap);
            pen.setDashPattern(dash_of_measured_roofs());
            roof.series->setPen(pen);
            continue;
        }
        const QColor colour = roof.slope ? theme().of(roof.level) : theme().roof;
        QPen pen(roof.emphasised || roof.slope ? colour : theme().dim_roof, roof.emphasised ? 2.4 : 1.1);
        pen.setCapStyle(Qt::FlatCap);
        const QList<qreal> dash = roof.slope ? dash_of(roof.level) : dash_of(roof.arithmetic);
        if (!dash.isEmpty())
            pen.setDashPattern(dash);
        roof.series->setPen(pen);
    }
}

void RooflineChart::frame_changed()
{
    for (RoofLine& roof : m_scene->roofs) {
        if (!roof.series)
            continue;
        const auto ends = m_scene->segment(roof, frame());
        QList<QPointF> points;
        if (ends)
            points = {{std::pow(10.0, ends->first.x), std::pow(10.0, ends->first.y)},
                {std::pow(10.0, ends->second.x), std::pow(10.0, ends->second.y)}};
        roof.series->replace(points);
    }
}

LogFrame RooflineChart::machine_frame() const
{
    return m_scene->machine_frame();
}

void RooflineChart::set_selection(const QList<int>& operators)
{
    if (operators == m_scene->selection)
        return;
    m_scene->selection = operators;
    refresh();
}

QList<int> RooflineChart::selection() const
{
    return m_scene->selection;
}

void RooflineChart::select(const QList<int>& operators)
{
    if (operators == m_scene->selection)
        return;
    set_selection(operators);
    emit selection_changed(operators);
}

void RooflineChart::click_at(QPointF position, Qt::KeyboardModifiers modifiers)
{
    for (const LegendEntry& entry : legend())
        if (entry.box.contains(position)) {
            if (modifiers & Qt::AltModifier) { // only this; again: all
                const bool alone = is_class_visible(entry.operator_class) && m_scene->hidden.size() == 4;
                for (const OperatorClass c : {OperatorClass::gemm, OperatorClass::attention, OperatorClass::memory,
                         OperatorClass::collective, OperatorClass::other})
                    set_class_visible(c, alone || c == entry.operator_class);
            } else {
                set_class_visible(entry.operator_class, !is_class_visible(entry.operator_class));
            }
            return;
        }
    if (measured_roofs_legend().contains(position)) {
        set_measured_roofs_visible(!measured_roofs_visible());
        return;
    }
    const RooflineMark* mark = mark_at(position);
    const bool add = modifiers & Qt::ControlModifier;
    if (!mark) {
        if (!add)
            select({});
        return;
    }
    QList<int> next = add ? m_scene->selection : QList<int>{};
    const bool chosen = m_scene->is_selected(*mark);
    if (chosen && (add || m_scene->selection.size() == mark->operators.size()))
        for (const int i : mark->operators)
            next.removeAll(i);
    else
        for (const int i : mark->operators)
            if (!next.contains(i))
                next.append(i);
    select(next);
}

bool RooflineChart::step_selection(int direction)
{
    const auto& marks = m_scene->marks;
    if (marks.empty())
        return step_paths(direction);
    std::ptrdiff_t at = direction > 0 ? -1 : static_cast<std::ptrdiff_t>(marks.size());
    for (std::size_t i = 0; i < marks.size(); ++i)
        if (m_scene->is_selected(marks[i])) {
            at = static_cast<std::ptrdiff_t>(i);
            break;
        }
    at += direction;
    if (at < 0 || at >= static_cast<std::ptrdiff_t>(marks.size()))
        return false;
    const RooflineMark& mark = marks[static_cast<std::size_t>(at)];
    select(mark.operators);
    set_hover(frame().contains(mark.at) ? hover_of(mark) : HoverText{});
    return true;
}

std::optional<LogFrame> RooflineChart::selection_frame() const
{
    std::vector<LogPoint> points;
    for (const RooflineMark& mark : m_scene->marks)
        if (m_scene->is_selected(mark)) {
            points.push_back(mark.at);
            points.push_back({mark.at.x, m_scene->roof_at(mark.at.x)}); // with the roof above it
        }
    if (points.empty())
        return std::nullopt;
    return frame_around(points, 0.35, 1.2);
}

void RooflineChart::add_menu_actions(QMenu* menu, QPointF)
{
    QAction* unused = menu->addAction(tr("Ceilings the plan does not &use"));
    unused->setCheckable(true);
    unused->setChecked(unused_ceilings_visible());
    connect(unused, &QAction::toggled, this, &RooflineChart::set_unused_ceilings_visible);
    if (!m_scene->measured_roofs.empty()) {
        QAction* measured = menu->addAction(tr("&Measured roofs"));
        measured->setCheckable(true);
        measured->setChecked(measured_roofs_visible());
        connect(measured, &QAction::toggled, this, &RooflineChart::set_measured_roofs_visible);
    }
    menu->addSeparator();
}

double RooflineChart::controls_width() const
{
    return m_level_box->isVisibleTo(this) ? m_level_box->sizeHint().width() + 12.0 : 0.0;
}

void RooflineChart::place_controls()
{
    const QSize size = m_level_box->sizeHint();
    m_level_box->setGeometry(width() - size.width() - 8, 4, size.width(), std::min(size.height(), 28));
}

} // namespace ridgepoint

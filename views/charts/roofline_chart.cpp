#include "views/charts/roofline_chart.h"

#include <cmath>

#include <QComboBox>
#include <QLocale>
#include <QMenu>
#include <QtCharts/QLineSeries>

#include "model/units/format.h"
#include "views/charts/counted.h"
#include "views/charts/roofline_scene.h"
#include "views/items/csv.h"
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

QString RooflineChart::figure_title() const
{
    return m_scene->title.isEmpty() ? tr("Roofline") : tr("Roofline: %1").arg(m_scene->title);
}

QString RooflineChart::caption() const
{
    const QLocale locale;
    QStringList parts;
    const bool hbm = m_scene->level == MemoryLevel::hbm;
    const int marks = static_cast<int>(m_scene->marks.size());
    if (marks > 0 || !m_scene->operators.empty())
        parts << (hbm ? counted(marks, tr("1 operator predicted"), tr("%1 operators predicted"))
                      : counted(marks, tr("1 pass predicted"), tr("%1 passes predicted")));
    if (hbm && m_scene->model.not_plottable > 0)
        parts << tr("%1 without FLOPs, not plottable").arg(m_scene->model.not_plottable);
    if (m_scene->measured) {
        const auto count = [&](auto n) { return locale.toString(static_cast<qlonglong>(n)); };
        if (hbm) {
            parts << counted(
                static_cast<qint64>(m_scene->x.size()), tr("1 kernel measured"), tr("%1 kernels measured"));
            const auto without = static_cast<std::int64_t>(m_scene->not_plottable) + m_scene->measured->not_placed;
            if (without > 0)
                parts << tr("%1 measured not plottable").arg(count(without));
            if (m_scene->measured_above_roof > 0)
                parts << tr("%1 above the roof").arg(count(m_scene->measured_above_roof));
        } else {
            parts << tr("measured kernels have a place at the HBM level only");
        }
    }
    if (!hbm && marks == 0 && !m_scene->operators.empty())
        parts << tr("no pass computes and sends over this link");
    if (shows_paths())
        parts << tr("each point is a whole pass, the stars are the plan");
    return parts.join(QStringLiteral(" · "));
}

QString RooflineChart::value_text(LogPoint p) const
{
    return QStringLiteral("%1, %2").arg(
        to_qt(format(FlopPerByte{std::pow(10.0, p.x)})), to_qt(format(FlopPerSecond{std::pow(10.0, p.y + 12.0)})));
}

QString RooflineChart::accessible_text() const
{
    QStringList sentences;
    sentences << tr("Performance over arithmetic intensity at the level of %1, both axes logarithmic.")
                     .arg(level_name(m_scene->level));
    if (const QString c = caption(); !c.isEmpty())
        sentences << c + QLatin1Char('.');
    QStringList roofs;
    for (const RoofLine& r : m_scene->roofs)
        if (r.emphasised)
            roofs << r.label;
    if (!roofs.isEmpty())
        sentences << tr("Ceilings: %1.").arg(roofs.join(QStringLiteral(", ")));
    double compute = 0, all = 0;
    for (const RooflineMark& m : m_scene->marks) {
        all += m.time_total.value();
        compute += m.bound == Resource::compute ? m.time_total.value() : 0;
    }
    if (all > 0)
        sentences
            << tr("%1 of the time of these operators is compute bound.").arg(to_qt(format_percent(compute / all, 0)));
    for (std::size_t i = 0; i < std::min<std::size_t>(3, m_scene->marks.size()); ++i) {
        const RooflineMark& m = m_scene->marks[i];
        sentences << tr("%1, %2: %3, %4 of the roof.")
                         .arg(m.name, m.detail, to_qt(format(m.time_total)), to_qt(format_percent(m.of_roof, 0)));
    }
    for (const RooflineMark& m : m_scene->marks)
        if (m_scene->is_selected(m))
            sentences << tr("Selected: %1, %2.").arg(m.name, m.detail);
    if (shows_paths())
        sentences << paths_text();
    return sentences.join(QLatin1Char(' '));
}

QString RooflineChart::figure_csv(bool visible_only) const
{
    QString out = csv_line({QStringLiteral("source"), QStringLiteral("name"), QStringLiteral("detail"),
        QStringLiteral("class"), QStringLiteral("count"), QStringLiteral("time each [s]"),
        QStringLiteral("time total [s]"), QStringLiteral("intensity [FLOP/B]"), QStringLiteral("achieved [FLOP/s]"),
        QStringLiteral("of roof"), QStringLiteral("bound")});
    for (const RooflineMark& m : m_scene->marks)
        if (!visible_only || frame().contains(m.at))
            out += csv_line(
                {QStringLiteral("predicted"), m.name, m.detail, to_qt(name_of(m.operator_class)), csv_number(m.count),
                    csv_number(m.time_each.value()), csv_number(m.time_total.value()), csv_number(m.intensity.value()),
                    csv_number(m.achieved.value()), csv_number(m.of_roof), to_qt(name_of(m.bound))});
    if (m_scene->measured && m_scene->level == MemoryLevel::hbm)
        for (std::size_t i = 0; i < m_scene->x.size(); ++i) {
            const LogPoint at{m_scene->x[i], m_scene->y[i]};
            if (visible_only && !frame().contains(at))
                continue;
            const MeasuredKernel& k = m_scene->measured->kernels[m_scene->kernel[i]];
            const QString name
                = k.name < m_scene->measured->names.size() ? to_qt(m_scene->measured->names[k.name]) : QString();
            out += csv_line({QStringLiteral("measured"), name, {}, to_qt(name_of(k.kernel_class)), QStringLiteral("1"),
                csv_number(k.time.value()), csv_number(k.time.value()), csv_number(k.intensity.value()),
                csv_number(k.achieved.value()), csv_number(std::pow(10.0, at.y - m_scene->roof_at(at.x))), {}});
        }
    return out + paths_csv(visible_only);
}

} // namespace ridgepoint

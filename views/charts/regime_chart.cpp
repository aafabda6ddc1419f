#include "views/charts/regime_chart.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <QAccessible>
#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QKeyEvent>
#include <QMenu>
#include <QMouseEvent>

#include "model/units/format.h"
#include "views/export/figure_export.h"
#include "views/items/csv.h"
#include "views/widgets/text.h"

namespace ridgepoint {
namespace {

    constexpr std::size_t most_contours = 9;
    constexpr std::size_t regime_count = static_cast<std::size_t>(Regime::impossible) + 1;

} // namespace

QString knob_value_text(const Knob& knob, double value)
{
    const QString number = knob.whole ? to_qt(group_thousands(value)) : to_qt(format_number(value, 3));
    return knob.factor ? number + QStringLiteral("×") : knob.unit.empty() ? number : QStringLiteral("%1 %2").arg(number, to_qt(knob.unit));
}

RegimeChart::RegimeChart(QWidget* parent)
    : QWidget(parent)
    , m_theme(Theme::from_palette(palette()))
{
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAttribute(Qt::WA_OpaquePaintEvent);
    setMinimumSize(320, 220);
    rebuild();
}

void RegimeChart::set_map(std::shared_ptr<const RegimeMap> map, double plan_x, double plan_y, const QString& time_name)
{
    const bool same_cells = map && m_map && map->xs == m_map->xs && map->ys == m_map->ys;
    m_map = std::move(map);
    m_plan_x = plan_x;
    m_plan_y = plan_y;
    m_time_name = time_name;
    if (!same_cells)
        m_pointed.reset();
    rebuild();
}

void RegimeChart::set_measure(MapMeasure measure)
{
    m_measure = measure;
    rebuild();
}

void RegimeChart::set_title(const QString& title)
{
    m_title = title;
    rebuild();
}

void RegimeChart::set_theme(const Theme& theme)
{
    m_own_theme = true;
    m_theme = theme;
    m_picture = {};
    update();
}

void RegimeChart::rebuild()
{
    m_contours.clear();
    m_legend.clear();
    m_picture = {};
    if (m_map) {
        double low = 0, high = 0;
        std::array<std::size_t, regime_count> cells{};
        for (const RegimeCell& c : m_map->cells) {
            ++cells[static_cast<std::size_t>(c.regime)];
            if (const double v = measured_at(c, m_measure); v > 0) {
                low = low > 0 ? std::min(low, v) : v;
                high = std::max(high, v);
            }
        }
        m_contours = contour_lines(*m_map, m_measure, contour_levels(low, high, most_contours));
        for (std::size_t r = 0; r < regime_count; ++r)
            if (cells[r] > 0)
                m_legend.push_back({{}, QStringLiteral("%1  %2").arg(to_qt(name_of(static_cast<Regime>(r))),
                                            to_qt(format_percent(static_cast<double>(cells[r]) / static_cast<double>(m_map->cells.size()), 0))),
                    static_cast<Regime>(r) == Regime::does_not_fit, static_cast<int>(r), {}});
    }
    lay_out(rect());
    setAccessibleName(figure_title());
    setAccessibleDescription(accessible_text());
    QAccessibleEvent changed(this, QAccessible::DescriptionChanged);
    QAccessible::updateAccessibility(&changed);
    update();
}

QString RegimeChart::figure_title() const
{
    if (!m_map)
        return tr("What bounds the plan");
    const QString axes = tr("%1 against %2").arg(to_qt(m_map->y.label), to_qt(m_map->x.label));
    return m_title.isEmpty() ? axes : QStringLiteral("%1: %2").arg(m_title, axes);
}

QString RegimeChart::level_text(double level) const
{
    return m_measure == MapMeasure::time ? to_qt(format(Seconds{level})) : QStringLiteral("$") + to_qt(format_number(level, 2));
}

HoverText RegimeChart::hover_text(std::size_t cell) const
{
    HoverText t;
    if (!m_map || cell >= m_map->cells.size())
        return t;
    const RegimeCell& c = m_map->cells[cell];
    const std::size_t w = m_map->xs.size();
    t.anchor = centre_of(cell);
    t.heading = c.regime == Regime::impossible ? tr("Cannot run") : c.regime == Regime::does_not_fit ? tr("Does not fit in memory") : tr("Bound by %1").arg(to_qt(name_of(c.regime)));
    t.rows.append({to_qt(m_map->x.label), knob_value_text(m_map->x, m_map->xs[cell % w])});
    t.rows.append({to_qt(m_map->y.label), knob_value_text(m_map->y, m_map->ys[cell / w])});
    if (c.time > 0)
        t.rows.append({m_time_name.isEmpty() ? tr("Time") : m_time_name, to_qt(format(Seconds{c.time}))});
    if (c.dollars_per_million > 0)
        t.rows.append({tr("$ per M tokens"), to_qt(format(Dollars{c.dollars_per_million}))});
    if (m_map->x.factor && m_map->y.factor)
        t.note = tr("Factors on the hardware: no plan holds them.");
    return t;
}

std::optional<std::size_t> RegimeChart::cell_at(QPointF position) const
{
    if (!m_map || !m_plot.contains(position) || m_map->cells.empty())
        return std::nullopt;
    const auto along = [](double share, std::size_t n) { return std::min(static_cast<std::size_t>(share * static_cast<double>(n)), n - 1); };
    const std::size_t i = along((position.x() - m_plot.left()) / m_plot.width(), m_map->xs.size());
    const std::size_t j = along((m_plot.bottom() - position.y()) / m_plot.height(), m_map->ys.size());
    return j * m_map->xs.size() + i;
}

QPointF RegimeChart::place(double i, double j) const
{
    return {m_plot.left() + (i + 0.5) / static_cast<double>(m_map->xs.size()) * m_plot.width(), m_plot.bottom() - (j + 0.5) / static_cast<double>(m_map->ys.size()) * m_plot.height()};
}

QPointF RegimeChart::centre_of(std::size_t cell) const
{
    return m_map ? place(static_cast<double>(cell % m_map->xs.size()), static_cast<double>(cell / m_map->xs.size())) : QPointF();
}

void RegimeChart::point_at(std::optional<std::size_t> cell)
{
    if (cell == m_pointed)
        return;
    m_pointed = cell;
    const HoverText text = cell ? hover_text(*cell) : HoverText();
    emit status_changed(text.plain().replace(QLatin1Char('\n'), QStringLiteral(" · ")));
    if (cell) {
        setAccessibleDescription(text.plain());
        QAccessibleEvent changed(this, QAccessible::DescriptionChanged);
        QAccessible::updateAccessibility(&changed);
    }
    update();
}

void RegimeChart::mouseMoveEvent(QMouseEvent* event) { point_at(cell_at(event->position())); }

void RegimeChart::mousePressEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton)
        return;
    if (const auto cell = cell_at(event->position()))
        emit cell_chosen(m_map->xs[*cell % m_map->xs.size()], m_map->ys[*cell / m_map->xs.size()]);
}

void RegimeChart::leaveEvent(QEvent* event)
{
    QWidget::leaveEvent(event);
    point_at(std::nullopt);
}

void RegimeChart::keyPressEvent(QKeyEvent* event)
{
    const bool across = event->key() == Qt::Key_Left || event->key() == Qt::Key_Right, along = event->key() == Qt::Key_Up || event->key() == Qt::Key_Down;
    if (!m_map || m_map->cells.empty())
        return event->ignore();
    const auto w = static_cast<std::ptrdiff_t>(m_map->xs.size()), h = static_cast<std::ptrdiff_t>(m_map->ys.size());
    if (across || along) {
        std::ptrdiff_t i = w / 2, j = h / 2;
        if (m_pointed) {
            i = static_cast<std::ptrdiff_t>(*m_pointed) % w;
            j = static_cast<std::ptrdiff_t>(*m_pointed) / w;
        } else if (const auto at = plan_position()) {
            i = std::lround(at->x());
            j = std::lround(at->y());
        }
        const std::ptrdiff_t step = event->modifiers() & Qt::ShiftModifier ? 10 : 1;
        i = std::clamp<std::ptrdiff_t>(i + (across ? (event->key() == Qt::Key_Right ? step : -step) : 0), 0, w - 1);
        j = std::clamp<std::ptrdiff_t>(j + (along ? (event->key() == Qt::Key_Up ? step : -step) : 0), 0, h - 1);
        point_at(static_cast<std::size_t>(j * w + i));
    } else if ((event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter || event->key() == Qt::Key_Space) && m_pointed) {
        emit cell_chosen(m_map->xs[*m_pointed % m_map->xs.size()], m_map->ys[*m_pointed / m_map->xs.size()]);
    } else if (event->key() == Qt::Key_Escape && m_pointed) {
        point_at(std::nullopt);
    } else {
        event->ignore();
    }
}

void RegimeChart::contextMenuEvent(QContextMenuEvent* event)
{
    QMenu menu(this);
    const auto cell = event->reason() == QContextMenuEvent::Mouse ? cell_at(QPointF(event->pos())) : m_pointed;
    menu.addAction(tr("Copy &value"), this, [this, cell] { QApplication::clipboard()->setText(hover_text(*cell).plain()); })->setEnabled(cell.has_value());
    menu.addAction(tr("Copy as &CSV"), this, [this] { QApplication::clipboard()->setText(figure_csv(false)); });
    menu.addSeparator();
    menu.addAction(tr("&Export figure…"), this, [this] { export_figure_dialog(*this, this); });
    menu.exec(event->globalPos());
}

void RegimeChart::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && !m_own_theme)
        m_theme = Theme::from_palette(palette());
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) {
        lay_out(rect());
        update();
    }
}

void RegimeChart::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    lay_out(rect());
}

QString RegimeChart::accessible_text() const
{
    if (!m_map)
        return tr("Nothing to show yet.");
    QStringList shares;
    for (const LegendItem& i : m_legend)
        shares << i.text;
    return tr("What bounds the plan over %1 and %2. Shares of the map: %3. Arrow keys walk the cells, Enter takes one into the plan.")
        .arg(to_qt(m_map->x.label), to_qt(m_map->y.label), shares.join(QStringLiteral(", ")));
}

QString RegimeChart::figure_csv(bool) const
{
    const auto unit = [](const Knob& k) { return k.unit.empty() ? to_qt(k.label) : QStringLiteral("%1 [%2]").arg(to_qt(k.label), to_qt(k.unit)); };
    if (!m_map)
        return {};
    QString out = csv_line({unit(m_map->x), unit(m_map->y), QStringLiteral("regime"), QStringLiteral("time [s]"), QStringLiteral("cost [USD per million tokens]")});
    for (std::size_t j = 0; j < m_map->ys.size(); ++j)
        for (std::size_t i = 0; i < m_map->xs.size(); ++i) {
            const RegimeCell& c = m_map->at(i, j);
            out += csv_line({csv_number(m_map->xs[i]), csv_number(m_map->ys[j]), to_qt(name_of(c.regime)), c.time > 0 ? csv_number(c.time) : QString(),
                c.dollars_per_million > 0 ? csv_number(c.dollars_per_million) : QString()});
        }
    return out;
}

} // namespace ridgepoint

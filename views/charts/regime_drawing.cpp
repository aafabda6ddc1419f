// How a regime map is painted: cells as one image, the rest as vectors over it.

#include <algorithm>
#include <cmath>

#include <QFontMetricsF>

#include "model/roofline/axis_ticks.h"
#include "model/units/format.h"
#include "views/charts/plane_labels.h"
#include "views/charts/regime_chart.h"
#include "views/widgets/text.h"

namespace ridgepoint {
namespace {

    QColor tint(const QColor& colour, const QColor& background, double share)
    {
        const auto mix = [share](int a, int b) { return static_cast<int>(std::lround(a * share + b * (1 - share))); };
        return {mix(colour.red(), background.red()), mix(colour.green(), background.green()), mix(colour.blue(), background.blue())};
    }

    // Weak enough for lines and words to read on it, strong enough to tell regions apart.
    QColor colour_of(Regime r, const Theme& theme)
    {
        if (r == Regime::impossible)
            return theme.plot;
        if (r == Regime::does_not_fit)
            return tint(theme.text, theme.plot, theme.dark ? 0.42 : 0.34);
        return tint(theme.of(static_cast<Resource>(r)), theme.plot, theme.dark ? 0.5 : 0.42);
    }

    bool is_logarithmic(const std::vector<double>& v) { return v.size() > 1 && v.front() > 0 && v.back() / v.front() >= 5; }

    // Where a value lies among those of the cells, in cells; none: outside.
    std::optional<double> position_of(const std::vector<double>& values, double v)
    {
        if (values.empty() || v < values.front() * (1 - 1e-9) || v > values.back() * (1 + 1e-9))
            return std::nullopt;
        const auto above = std::ranges::upper_bound(values, v);
        if (above == values.begin())
            return 0.0;
        const auto i = static_cast<std::size_t>(above - values.begin() - 1);
        if (i + 1 >= values.size())
            return static_cast<double>(values.size() - 1);
        return static_cast<double>(i) + (v - values[i]) / (values[i + 1] - values[i]);
    }

    std::vector<double> round_values(const std::vector<double>& values)
    {
        if (values.size() <= 12)
            return values;
        std::vector<double> out;
        if (is_logarithmic(values)) {
            for (double decade = std::pow(10.0, std::floor(std::log10(values.front()))); decade <= values.back(); decade *= 10)
                for (const double s : {1.0, 2.0, 5.0})
                    if (s * decade >= values.front() * (1 - 1e-9) && s * decade <= values.back() * (1 + 1e-9))
                        out.push_back(s * decade);
            return out;
        }
        const std::vector<LinearTick> ticks = linear_ticks(values.back() - values.front(), 600, 80);
        const double step = ticks.size() > 1 ? ticks[1].value : values.back();
        for (double v = std::ceil(values.front() / step) * step; v <= values.back() * (1 + 1e-9); v += step)
            out.push_back(v);
        return out;
    }

    QString tick_text(const Knob& knob, double v)
    {
        const QString number = v >= 1e6 ? to_qt(format_si(v, "", 3)).trimmed() : v >= 1000 ? to_qt(group_thousands(v)) : QString::number(v, 'g', 4);
        return knob.factor ? number + QStringLiteral("×") : number;
    }

    QString axis_title(const Knob& knob) { return knob.unit.empty() || knob.factor ? to_qt(knob.label) : QStringLiteral("%1 [%2]").arg(to_qt(knob.label), to_qt(knob.unit)); }

} // namespace

void RegimeChart::lay_out(const QRectF& target)
{
    const QFont font = pixel_font(this->font());
    const QFontMetricsF metrics(font);
    const double u = metrics.height();
    const double legend = lay_out_legend(m_legend, {}, target.width() - 1.2 * u, pixel_font(font, 0.92));
    double values = 3 * u;
    if (m_map)
        for (const double v : round_values(m_map->ys))
            values = std::max(values, metrics.horizontalAdvance(tick_text(m_map->y, v)));
    const double left = values + 2.4 * u, top = 2.3 * u, bottom = 3.1 * u + legend + 0.3 * u;
    m_plot = QRectF(target.left() + left, target.top() + top, std::max(20.0, target.width() - left - 1.4 * u), std::max(20.0, target.height() - top - bottom));
    m_plot = m_plot.toRect(); // cells on whole pixels: scaled hatching would waver
    for (LegendItem& i : m_legend)
        i.box.translate(target.left() + 0.8 * u, m_plot.bottom() + 3.0 * u);
    m_picture = {};
}

QImage RegimeChart::picture(const Theme& theme, double pixels) const
{
    const int width = std::max(1, static_cast<int>(std::lround(m_plot.width() * pixels))), height = std::max(1, static_cast<int>(std::lround(m_plot.height() * pixels)));
    QImage image(width, height, QImage::Format_RGB32);
    std::vector<QRgb> colours;
    for (int r = 0; r <= static_cast<int>(Regime::impossible); ++r)
        colours.push_back(colour_of(static_cast<Regime>(r), theme).rgb());
    const QRgb blank = theme.plot.rgb();
    const auto w = m_map->xs.size(), h = m_map->ys.size();
    const int period = std::max(4, static_cast<int>(std::lround(7 * pixels))), line = std::max(1, static_cast<int>(std::lround(1.4 * pixels)));
    for (int y = 0; y < height; ++y) {
        auto* row = reinterpret_cast<QRgb*>(image.scanLine(y));
        const std::size_t j = std::min(static_cast<std::size_t>(height - 1 - y) * h / static_cast<std::size_t>(height), h - 1);
        for (int x = 0; x < width; ++x) {
            const std::size_t i = std::min(static_cast<std::size_t>(x) * w / static_cast<std::size_t>(width), w - 1);
            const Regime r = m_map->at(i, j).regime;
            row[x] = r == Regime::does_not_fit && (x + y) % period >= line ? blank : colours[static_cast<std::size_t>(r)];
        }
    }
    return image;
}

std::optional<QPointF> RegimeChart::plan_position() const
{
    if (!m_map)
        return std::nullopt;
    const auto i = position_of(m_map->xs, m_plan_x), j = position_of(m_map->ys, m_plan_y);
    return i && j ? std::optional(QPointF(*i, *j)) : std::nullopt;
}

void RegimeChart::draw_axes(QPainter& painter, const QRectF& target, const Theme& theme)
{
    const QFont font = painter.font();
    const double u = QFontMetricsF(font).height();
    const QFont small = pixel_font(font, 0.92);
    const QFontMetricsF metrics(small);
    painter.setFont(small);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(theme.axis, 1));
    painter.drawRect(m_plot);
    double free = m_plot.left() - 2 * u;
    for (const double v : round_values(m_map->xs))
        if (const auto i = position_of(m_map->xs, v)) {
            const double x = place(*i, 0).x(), half = metrics.horizontalAdvance(tick_text(m_map->x, v)) / 2;
            painter.setPen(QPen(theme.axis, 1));
            painter.drawLine(QPointF(x, m_plot.bottom()), QPointF(x, m_plot.bottom() + 4));
            if (x - half < free)
                continue;
            free = x + half + 0.6 * u;
            painter.setPen(theme.dim_text);
            painter.drawText(QRectF(x - half - 2, m_plot.bottom() + 0.35 * u, 2 * half + 4, u), Qt::AlignCenter, tick_text(m_map->x, v));
        }
    free = m_plot.bottom() + 2 * u;
    for (const double v : round_values(m_map->ys))
        if (const auto j = position_of(m_map->ys, v)) {
            const double y = place(0, *j).y();
            painter.setPen(QPen(theme.axis, 1));
            painter.drawLine(QPointF(m_plot.left() - 4, y), QPointF(m_plot.left(), y));
            if (y + 0.5 * u > free)
                continue;
            free = y - 0.6 * u;
            painter.setPen(theme.dim_text);
            painter.drawText(QRectF(m_plot.left() - 8 - 12 * u, y - 0.5 * u, 12 * u, u), Qt::AlignRight | Qt::AlignVCenter, tick_text(m_map->y, v));
        }
    painter.setFont(pixel_font(font, 0.96, true));
    painter.setPen(theme.text);
    painter.drawText(QRectF(m_plot.left(), m_plot.bottom() + 1.5 * u, m_plot.width(), 1.2 * u), Qt::AlignCenter, axis_title(m_map->x));
    painter.save();
    painter.translate(target.left() + 0.4 * u, m_plot.center().y());
    painter.rotate(-90);
    painter.drawText(QRectF(-m_plot.height() / 2, 0, m_plot.height(), 1.2 * u), Qt::AlignCenter, axis_title(m_map->y));
    painter.restore();
    painter.setFont(font);
}

void RegimeChart::draw_contours(QPainter& painter, const Theme& theme, std::vector<QRectF> taken)
{
    const QFont font = pixel_font(painter.font(), 0.9);
    const QFontMetricsF metrics(font);
    std::vector<std::pair<QPointF, QString>> labels;
    painter.save();
    painter.setClipRect(m_plot, Qt::IntersectClip);
    painter.setBrush(Qt::NoBrush);
    for (const ContourLine& line : m_contours) {
        QPolygonF polygon;
        double length = 0;
        for (const auto& [i, j] : line.points) {
            polygon << place(i, j);
            if (polygon.size() > 1)
                length += QLineF(polygon[polygon.size() - 2], polygon.last()).length();
        }
        painter.setPen(QPen(theme.text, 1.2));
        painter.drawPolyline(polygon);
        const QString text = level_text(line.level);
        const double width = metrics.horizontalAdvance(text) + 10;
        if (length < 2.5 * width)
            continue;
        // Near the middle first, then outwards, where no other label is.
        for (const double share : {0.5, 0.35, 0.65, 0.2, 0.8}) {
            const auto k = static_cast<qsizetype>(share * static_cast<double>(polygon.size() - 1));
            const QRectF box(polygon[k].x() - width / 2, polygon[k].y() - metrics.height() / 2, width, metrics.height());
            if (!m_plot.adjusted(4, 2, -4, -2).contains(box) || std::ranges::any_of(taken, [&](const QRectF& t) { return t.intersects(box); }))
                continue;
            taken.push_back(box);
            labels.emplace_back(QPointF(box.left() + 5, box.top() + metrics.ascent()), text);
            break;
        }
    }
    for (const auto& [at, text] : labels)
        draw_haloed_text(painter, at, text, font, theme.text, theme.plot);
    painter.restore();
}

std::vector<QRectF> RegimeChart::draw_region_names(QPainter& painter, const Theme& theme)
{
    const QFont font = pixel_font(painter.font(), 1.0, true);
    const QFontMetricsF metrics(font);
    std::vector<QRectF> taken;
    const double cell = std::min(m_plot.width() / static_cast<double>(m_map->xs.size()), m_plot.height() / static_cast<double>(m_map->ys.size()));
    for (const LegendItem& i : m_legend) {
        const auto middle = middle_of(*m_map, static_cast<Regime>(i.tag));
        const QString name = to_qt(name_of(static_cast<Regime>(i.tag)));
        if (!middle || cell * middle->second < std::max(1.8 * metrics.height(), 0.6 * metrics.horizontalAdvance(name)))
            continue;
        const QPointF at = place(static_cast<double>(middle->first % m_map->xs.size()), static_cast<double>(middle->first / m_map->xs.size()));
        draw_haloed_text(painter, at + QPointF(-metrics.horizontalAdvance(name) / 2, metrics.ascent() / 2), name, font, theme.text, theme.plot);
        taken.emplace_back(at.x() - metrics.horizontalAdvance(name) / 2, at.y() - metrics.height() / 2, metrics.horizontalAdvance(name), metrics.height());
    }
    return taken;
}

void RegimeChart::draw_plan(QPainter& painter, const Theme& theme)
{
    const auto at = plan_position();
    if (!at)
        return;
    const QPointF pixel = place(at->x(), at->y());
    painter.setPen(QPen(theme.plot, 1.6));
    painter.setBrush(theme.accent);
    painter.drawPath(mark_path(MarkShape::star, pixel, 8));
}

void RegimeChart::draw(QPainter& painter, const QRectF& target, const Theme& theme, double pixels)
{
    const QFont font = pixel_font(this->font());
    const double u = QFontMetricsF(font).height();
    painter.setFont(pixel_font(font, 1.15, true));
    painter.setPen(theme.text);
    painter.drawText(QRectF(target.left() + 0.8 * u, target.top() + 0.4 * u, target.width() - 1.6 * u, 1.5 * u), Qt::AlignLeft | Qt::AlignVCenter,
        QFontMetricsF(painter.font()).elidedText(figure_title(), Qt::ElideRight, target.width() - 1.6 * u));
    painter.setFont(font);
    if (!m_map || m_map->cells.empty()) {
        painter.setPen(theme.dim_text);
        painter.drawText(target, Qt::AlignCenter, tr("Nothing to show yet"));
        return;
    }
    if (m_picture.isNull())
        m_picture = picture(theme, pixels);
    painter.drawImage(m_plot, m_picture);
    draw_axes(painter, target, theme);
    draw_contours(painter, theme, draw_region_names(painter, theme));
    draw_plan(painter, theme);
    std::vector<LegendItem> legend = m_legend;
    for (LegendItem& i : legend)
        i.colour = static_cast<Regime>(i.tag) == Regime::impossible ? theme.plot : colour_of(static_cast<Regime>(i.tag), theme);
    draw_legend(painter, legend, pixel_font(font, 0.92), theme);
}

void RegimeChart::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.fillRect(rect(), m_theme.background);
    draw(painter, rect(), m_theme, devicePixelRatioF());
    if (m_pointed && m_map) {
        const QPointF at = centre_of(*m_pointed);
        const double w = std::max(5.0, m_plot.width() / static_cast<double>(m_map->xs.size())), h = std::max(5.0, m_plot.height() / static_cast<double>(m_map->ys.size()));
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(m_theme.accent, 2));
        painter.drawRect(QRectF(at.x() - w / 2, at.y() - h / 2, w, h));
        draw_hover_text(painter, hover_text(*m_pointed), rect(), pixel_font(font(), 0.94), m_theme);
    }
    if (hasFocus()) {
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(m_theme.accent, 1));
        painter.drawRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5));
    }
}

void RegimeChart::paint_figure(QPainter& painter, const QRectF& target, const Theme& theme)
{
    constexpr double export_pixels = 2;
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.fillRect(target, theme.background);
    painter.translate(target.topLeft());
    const QRectF area(QPointF(), target.size());
    lay_out(area);
    draw(painter, area, theme, export_pixels);
    painter.restore();
    lay_out(rect());
}

} // namespace ridgepoint

// The layers of a roofline.

#include <algorithm>
#include <array>
#include <cmath>

#include <QLocale>
#include <QtCharts/QLineSeries>

#include "views/charts/plane_labels.h"
#include "views/charts/roofline_chart.h"
#include "views/charts/roofline_scene.h"
#include "views/widgets/text.h"

namespace ridgepoint {
namespace {

constexpr int density_cell = 3; // pixels

QColor faded(const QColor& c, const QColor& into, double share)
{
    const auto mix = [share](int a, int b) { return static_cast<int>(std::lround(a * share + b * (1 - share))); };
    return {mix(c.red(), into.red()), mix(c.green(), into.green()), mix(c.blue(), into.blue())};
}

enum class Side { left, right, above, below };

QRectF draw_flag(QPainter& painter, Side side, std::size_t count, const QRectF& plot, double u, const Theme& theme,
    const QFont& font)
{
    const QString number = QLocale().toString(static_cast<qulonglong>(count));
    const QString text = side == Side::left ? QStringLiteral("◂ ") + number
        : side == Side::right               ? number + QStringLiteral(" ▸")
                              : (side == Side::above ? QStringLiteral("▴ ") : QStringLiteral("▾ ")) + number;
    const double width = QFontMetricsF(font).horizontalAdvance(text) + 0.8 * u;
    QRectF box(0, 0, width, 1.25 * u);
    switch (side) {
    case Side::left:
        box.moveTopLeft(QPointF(plot.left() + 4, plot.center().y()));
        break;
    case Side::right:
        box.moveTopRight(QPointF(plot.right() - 4, plot.center().y()));
        break;
    case Side::above:
        box.moveTopLeft(QPointF(plot.center().x() - width / 2, plot.top() + 4));
        break;
    case Side::below:
        box.moveBottomLeft(QPointF(plot.center().x() - width / 2, plot.bottom() - 4));
        break;
    }
    painter.setPen(QPen(theme.axis, 1));
    painter.setBrush(theme.tooltip);
    painter.drawRoundedRect(box, 3, 3);
    painter.setPen(theme.text);
    painter.setFont(font);
    painter.drawText(box, Qt::AlignCenter, text);
    return box;
}

} // namespace

void RooflineChart::draw(PlaneLayer layer, QPainter& painter)
{
    switch (layer) {
    case PlaneLayer::regions:
        break;
    case PlaneLayer::density:
        if (m_scene->shows_measured())
            draw_density(painter);
        break;
    case PlaneLayer::marks:
        if (m_scene->shows_measured())
            draw_measured(painter);
        draw_marks(painter);
        draw_paths(painter);
        break;
    case PlaneLayer::labels:
        draw_labels(painter, draw_outside_flags(painter));
        draw_legend(painter);
        draw_path_legend(painter);
        break;
    }
}

void RooflineChart::draw_density(QPainter& painter)
{
    RooflineScene::DensityImage& d = m_scene->density;
    const QSize size(std::max(1, static_cast<int>(plot_area().width()) / density_cell),
        std::max(1, static_cast<int>(plot_area().height()) / density_cell));
    if (!d.valid || !(d.frame == frame()) || d.size != size || d.dark != theme().dark) {
        d.grid = density_grid(m_scene->x, m_scene->y, m_scene->weight, frame(), size.width(), size.height());
        d.image = QImage(size, QImage::Format_ARGB32_Premultiplied);
        d.image.fill(Qt::transparent);
        std::array<QRgb, 256> palette{};
        for (std::size_t i = 0; i < palette.size(); ++i)
            palette[i] = theme().density(static_cast<double>(i) / 255.0).rgb();
        for (int row = 0; row < size.height(); ++row) {
            auto* line = reinterpret_cast<QRgb*>(d.image.scanLine(size.height() - 1 - row));
            for (int column = 0; column < size.width(); ++column)
                if (d.grid.at(column, row) > 0)
                    line[column] = palette[static_cast<std::size_t>(std::lround(255.0 * d.grid.shade(column, row)))];
        }
        d.grid.cells = {};
        d.frame = frame();
        d.size = size;
        d.dark = theme().dark;
        d.valid = true;
    }
    painter.setRenderHint(QPainter::SmoothPixmapTransform, false);
    painter.drawImage(plot_area(), d.image);
}

void RooflineChart::draw_measured(QPainter& painter)
{
    painter.setClipRect(plot_area());
    if (m_scene->largest.empty())
        return;
    const double most = std::max(1e-30, static_cast<double>(m_scene->weight[m_scene->largest.front()]));
    for (const std::size_t i : m_scene->largest) {
        const LogPoint at{m_scene->x[i], m_scene->y[i]};
        if (!frame().contains(at))
            continue;
        const KernelClass c = m_scene->measured->kernels[m_scene->kernel[i]].kernel_class;
        const bool above = at.y > m_scene->roof_at(at.x) + 0.005;
        const double radius = (0.18 + 0.32 * std::sqrt(m_scene->weight[i] / most)) * unit();
        painter.setPen(QPen(above ? theme().danger : theme().plot, above ? 1.8 : 0.8));
        painter.setBrush(theme().of(c));
        painter.drawPath(mark_path(shape_of(c), to_pixel(at), radius));
    }
    painter.setClipping(false);
}

void RooflineChart::draw_marks(QPainter& painter)
{
    painter.setClipRect(plot_area());
    const bool isolate
        = std::ranges::any_of(m_scene->marks, [this](const RooflineMark& m) { return m_scene->is_selected(m); });
    for (const bool chosen : {false, true})
        for (const RooflineMark& m : m_scene->marks) {
            if (m_scene->is_selected(m) != chosen || !frame().contains(m.at))
                continue;
            const double radius = mark_radius(m.share, unit());
            const QPointF at = to_pixel(m.at);
            const QPainterPath path = mark_path(shape_of(m.operator_class), at, radius);
            QColor fill = theme().of(m.operator_class);
            if (isolate && !chosen)
                fill = faded(fill, theme().plot, 0.45);
            // Large marks let the grid and their neighbours show through.
            QColor body = fill;
            body.setAlphaF(radius > unit() ? 0.78F : 0.92F);
            if (m_scene->shows_measured()) { // stands out from the cloud
                painter.setPen(QPen(theme().plot, 4));
                painter.setBrush(Qt::NoBrush);
                painter.drawPath(path);
            }
            painter.setPen(QPen(m.of_roof > 1.005 ? theme().danger
                    : isolate && !chosen          ? theme().plot
                                                  : fill.darker(theme().dark ? 60 : 135),
                m.of_roof > 1.005 ? 2.2 : 1.1));
            painter.setBrush(body);
            painter.drawPath(path);
            if (chosen) {
                painter.setBrush(Qt::NoBrush);
                painter.setPen(QPen(theme().accent, 2.4));
                painter.drawPath(mark_path(shape_of(m.operator_class), at, radius + 3.0));
            }
        }
    painter.setClipping(false);
}

void RooflineChart::draw_labels(QPainter& painter, const QList<QRectF>& flags)
{
    painter.setClipRect(plot_area());
    for (const auto& [at, label] : m_scene->ridges())
        if (frame().contains(at)) {
            painter.setPen(QPen(theme().roof, 1.8));
            painter.setBrush(theme().plot);
            painter.drawEllipse(to_pixel(at), 4.2, 4.2);
        }
    std::vector<LineLabel> labels;
    for (const RoofLine& roof : m_scene->roofs)
        if (const auto ends = m_scene->segment(roof, frame()))
            labels.push_back({roof.label, to_pixel(ends->first), to_pixel(ends->second),
                roof.measured()       ? theme().measured_roof
                    : roof.slope      ? theme().of(roof.level)
                    : roof.emphasised ? theme().roof
                                      : theme().dim_text,
                roof.emphasised});
    std::vector<LabelBox> taken;
    for (const QRectF& flag : flags)
        taken.push_back({flag.center().x(), flag.center().y(), flag.width(), flag.height(), 0});
    for (const auto& [at, label] : m_scene->ridges())
        taken.push_back({to_pixel(at).x(), to_pixel(at).y(), 12, 12, 0});
    std::vector<LabelBox> avoided;
    for (const RooflineMark& m : m_scene->marks)
        if (frame().contains(m.at))
            avoided.push_back({to_pixel(m.at).x(), to_pixel(m.at).y(), 2 * mark_radius(m.share, unit()),
                2 * mark_radius(m.share, unit()), 0});
    if (shows_paths())
        for (const RooflinePath& path : m_paths)
            for (const RooflinePathPoint& p : path.points) {
                const QPointF at = to_pixel({std::log10(p.intensity.value()), std::log10(p.achieved.value() / 1e12)});
                avoided.push_back({at.x(), at.y(), 10, 10, 0});
            }
    draw_line_labels(painter, labels, plot_area().adjusted(2, 1, -2, -1), figure_font(0.92), theme().plot,
        std::move(taken), avoided);
    painter.setClipping(false);
}

QList<QRectF> RooflineChart::draw_outside_flags(QPainter& painter)
{
    QList<QRectF> flags;
    std::array<std::size_t, 4> outside{};
    for (const RooflineMark& m : m_scene->marks) {
        if (m.at.x < frame().x.low)
            ++outside[0];
        else if (m.at.x > frame().x.high)
            ++outside[1];
        else if (m.at.y > frame().y.high)
            ++outside[2];
        else if (m.at.y < frame().y.low)
            ++outside[3];
    }
    if (m_scene->shows_measured()) {
        const DensityGrid& g = m_scene->density.grid;
        outside[0] += g.left;
        outside[1] += g.right;
        outside[2] += g.above;
        outside[3] += g.below;
    }
    for (std::size_t i = 0; i < outside.size(); ++i)
        if (outside[i] > 0)
            flags.append(
                draw_flag(painter, static_cast<Side>(i), outside[i], plot_area(), unit(), theme(), figure_font(0.9)));
    return flags;
}

} // namespace ridgepoint

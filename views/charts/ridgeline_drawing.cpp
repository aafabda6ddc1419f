// The layers of a ridgeline plane.

#include <algorithm>
#include <cmath>

#include "model/units/format.h"
#include "views/charts/plane_labels.h"
#include "views/charts/ridgeline_scene.h"
#include "views/widgets/text.h"

namespace ridgepoint {
namespace {

QColor tint(const QColor& colour, const QColor& background, double share)
{
    const auto mix = [share](int a, int b) { return static_cast<int>(std::lround(a * share + b * (1 - share))); };
    return {mix(colour.red(), background.red()), mix(colour.green(), background.green()),
        mix(colour.blue(), background.blue())};
}

} // namespace

void RidgelineChart::draw_regions(QPainter& painter)
{
    if (!m_scene->has_machine || !m_scene->shaded)
        return;
    const double v = m_scene->machine_balance;
    const double h = m_scene->shaded->balance;
    const auto far = [&](double x, double y) { return to_pixel({x, y}); };
    // Corners far outside any frame; the clip cuts them.
    constexpr double out = 40.0;
    const QPolygonF compute({far(v, h), far(v, out), far(out, out), far(out, v + h - out)});
    const QPolygonF memory({far(v, h), far(v, out), far(-out, out), far(-out, h)});
    const QPolygonF network({far(v, h), far(-out, h), far(-out, -out), far(out, -out), far(out, v + h - out)});
    const double share = theme().dark ? 0.13 : 0.09;
    painter.setClipRect(plot_area());
    painter.setPen(Qt::NoPen);
    painter.setBrush(tint(theme().of(Resource::compute), theme().plot, share));
    painter.drawPolygon(compute);
    painter.setBrush(tint(theme().of(Resource::hbm), theme().plot, share));
    painter.drawPolygon(memory);
    painter.setBrush(tint(theme().of(m_scene->shaded->level), theme().plot, share));
    painter.drawPolygon(network);
    painter.setClipping(false);
}

void RidgelineChart::draw_marks(QPainter& painter)
{
    painter.setClipRect(plot_area());
    // Large ones first, the star of the whole step above all.
    std::vector<int> order = m_scene->points;
    std::ranges::stable_partition(
        order, [&](int i) { return !m_scene->model.ridgeline[static_cast<std::size_t>(i)].whole_step; });
    for (const int i : order) {
        const RidgelinePoint& p = m_scene->model.ridgeline[static_cast<std::size_t>(i)];
        const LogPoint at = Scene::place(p);
        if (!frame().contains(at))
            continue;
        const QPointF pixel = to_pixel(at);
        const double radius = m_scene->radius(p, unit());
        const MarkShape shape = p.whole_step   ? MarkShape::star
            : p.network == MemoryLevel::nvlink ? MarkShape::diamond
                                               : MarkShape::circle;
        QColor fill = p.whole_step ? theme().accent : theme().of(p.network);
        fill.setAlphaF(p.whole_step ? 1.0F : 0.78F);
        painter.setBrush(fill);
        painter.setPen(QPen(theme().plot, 1.2));
        painter.drawPath(mark_path(shape, pixel, radius));
        if (i == m_scene->current) {
            painter.setBrush(Qt::NoBrush);
            painter.setPen(QPen(theme().accent, 2.4));
            painter.drawPath(mark_path(shape, pixel, radius + 3));
        }
    }
    painter.setClipping(false);
}

void RidgelineChart::draw_labels(QPainter& painter)
{
    const double u = unit();
    painter.setClipRect(plot_area());
    const QFont font = figure_font(0.92);
    const QFontMetricsF metrics(font);
    std::vector<LabelBox> taken;

    // Names of the points first: they are what is looked for.
    std::vector<LabelRequest> requests;
    std::vector<QString> texts;
    std::vector<QPointF> origins;
    for (const int i : m_scene->points) {
        const RidgelinePoint& p = m_scene->model.ridgeline[static_cast<std::size_t>(i)];
        const LogPoint at = Scene::place(p);
        if (!frame().contains(at) || texts.size() >= 12)
            continue;
        const QPointF pixel = to_pixel(at);
        const double r = m_scene->radius(p, u) + 2;
        taken.push_back({pixel.x(), pixel.y(), 2 * r, 2 * r, 0});
        const QString text = QString::fromStdString(p.label);
        const double w = metrics.horizontalAdvance(text) + 6, hh = metrics.height();
        LabelRequest request;
        // Beside the mark, then further and further away with a line back to it.
        for (const double far : {0.0, 1.2 * u, 2.6 * u, 4.2 * u})
            for (const QPointF d :
                {QPointF(r + far + w / 2 + 2, 0), QPointF(-r - far - w / 2 - 2, 0), QPointF(0, -r - far - hh / 2 - 1),
                    QPointF(0, r + far + hh / 2 + 1), QPointF(r * 0.75 + w / 2 + 2, -r * 0.75 - far - hh / 2),
                    QPointF(r * 0.75 + w / 2 + 2, r * 0.75 + far + hh / 2),
                    QPointF(-r * 0.75 - w / 2 - 2, -r * 0.75 - far - hh / 2),
                    QPointF(-r * 0.75 - w / 2 - 2, r * 0.75 + far + hh / 2)})
                request.candidates.push_back({pixel.x() + d.x(), pixel.y() + d.y(), w, hh, 0});
        requests.push_back(std::move(request));
        texts.push_back(text);
        origins.push_back(pixel);
    }
    const QRectF area = plot_area().adjusted(3, 2, -3, -2);
    const auto chosen = place_labels(requests, area.left(), area.top(), area.right(), area.bottom(), taken);
    for (std::size_t i = 0; i < texts.size(); ++i)
        if (chosen[i]) {
            const LabelBox& box = requests[i].candidates[*chosen[i]];
            taken.push_back(box);
            if (*chosen[i] >= 8) {
                const QPointF nearest(std::clamp(origins[i].x(), box.x - box.width / 2, box.x + box.width / 2),
                    std::clamp(origins[i].y(), box.y - box.height / 2, box.y + box.height / 2));
                painter.setPen(QPen(theme().axis, 1));
                painter.drawLine(nearest, origins[i]);
            }
            draw_haloed_text(painter, QPointF(box.x - box.width / 2 + 3, box.y - box.height / 2 + metrics.ascent()),
                texts[i], font, theme().text, theme().plot);
        }

    // Then the regions, in the corners where each is certain to be.
    if (m_scene->has_machine && m_scene->shaded) {
        const double v = m_scene->machine_balance, h = m_scene->shaded->balance;
        const QFont big = figure_font(1.05, true);
        const QFontMetricsF big_metrics(big);
        const auto region = [&](const QString& text, double x_low, double x_high, double y_low, double y_high,
                                const QColor& colour) {
            x_low = std::max(x_low, frame().x.low), x_high = std::min(x_high, frame().x.high);
            y_low = std::max(y_low, frame().y.low), y_high = std::min(y_high, frame().y.high);
            if (x_low >= x_high || y_low >= y_high)
                return;
            const double w = big_metrics.horizontalAdvance(text) + 8, hh = big_metrics.height();
            const QPointF a = to_pixel({x_low, y_high}), b = to_pixel({x_high, y_low});
            LabelRequest request;
            for (const double fy : {0.5, 0.25, 0.75, 0.1, 0.9})
                for (const double fx : {0.5, 0.3, 0.7})
                    request.candidates.push_back(
                        {a.x() + fx * (b.x() - a.x()), a.y() + fy * (b.y() - a.y()), w, hh, 0});
            const auto place = place_labels({request}, area.left(), area.top(), area.right(), area.bottom(), taken);
            if (!place[0])
                return;
            const LabelBox& box = request.candidates[*place[0]];
            taken.push_back(box);
            painter.setFont(big);
            painter.setPen(colour);
            painter.drawText(QRectF(box.x - box.width / 2, box.y - hh / 2, box.width, hh), Qt::AlignCenter, text);
        };
        region(tr("compute bound"), v, 99, h, 99, theme().of(Resource::compute));
        region(tr("memory bound"), -99, v, h, 99, theme().of(Resource::hbm));
        region(
            tr("%1 bound").arg(level_name(m_scene->shaded->level)), -99, v, -99, h, theme().of(m_scene->shaded->level));
    }

    std::vector<LineLabel> labels;
    for (const Scene::Line& line : m_scene->lines)
        if (const auto ends = m_scene->segment(line, frame())) {
            const bool upright = line.kind == Scene::Boundary::compute_memory;
            const QPointF from = to_pixel(ends->first), to = to_pixel(ends->second);
            labels.push_back({line.label, from, to, upright ? theme().roof : theme().of(line.level), false});
        }
    draw_line_labels(painter, labels, area, font, theme().plot, std::move(taken));
    painter.setClipping(false);

    painter.setFont(font);
    double x = plot_area().left();
    const double y = plot_area().top() - 0.9 * u;
    const auto entry = [&](MarkShape shape, const QColor& colour, const QString& text) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(colour);
        painter.drawPath(mark_path(shape, QPointF(x + 0.55 * u, y), 0.38 * u));
        painter.setPen(theme().text);
        painter.drawText(QRectF(x + 1.25 * u, y - 0.7 * u, 30 * u, 1.4 * u), Qt::AlignLeft | Qt::AlignVCenter, text);
        x += metrics.horizontalAdvance(text) + 2.4 * u;
    };
    entry(MarkShape::star, theme().accent, tr("whole step"));
    for (const Scene::Network& n : m_scene->networks)
        entry(n.level == MemoryLevel::nvlink ? MarkShape::diamond : MarkShape::circle, theme().of(n.level),
            tr("limited over %1").arg(level_name(n.level)));
}

} // namespace ridgepoint

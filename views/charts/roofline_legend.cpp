// The line of a roofline that says what its marks and dashes are, and switches them.

#include <array>

#include "model/calibration/kernel_operators.h"
#include "views/charts/roofline_chart.h"
#include "views/charts/roofline_scene.h"
#include "views/widgets/text.h"

namespace ridgepoint {
namespace {

constexpr std::array all_classes = {OperatorClass::gemm, OperatorClass::attention, OperatorClass::memory,
    OperatorClass::collective, OperatorClass::other};

} // namespace

std::vector<RooflineChart::LegendEntry> RooflineChart::legend() const
{
    std::vector<LegendEntry> out;
    const double u = unit();
    const QFontMetricsF metrics(figure_font(0.92));
    double x = plot_area().left();
    const double y = plot_area().top() - 1.6 * u;
    for (const OperatorClass c : all_classes) {
        const auto of_class = [c](const RooflinePoint& p, const OperatorList& ops) {
            return p.operator_index < ops.size() && class_of(ops[p.operator_index].kind) == c;
        };
        bool present = m_scene->hidden.contains(c);
        for (const RooflinePoint& p : m_scene->model.points)
            present = present || (m_scene->level == MemoryLevel::hbm && of_class(p, m_scene->operators));
        for (std::size_t i : m_scene->largest)
            present = present
                || (m_scene->shows_measured()
                    && operator_class_of(m_scene->measured->kernels[m_scene->kernel[i]].kernel_class) == c);
        present = present
            || (m_scene->level != MemoryLevel::hbm && c == OperatorClass::collective && !m_scene->marks.empty());
        if (!present)
            continue;
        const double width = metrics.horizontalAdvance(to_qt(name_of(c))) + 2.1 * u;
        if (x + width > plot_area().right())
            break;
        out.push_back({QRectF(x, y, width, 1.4 * u), c});
        x += width;
    }
    return out;
}

QRectF RooflineChart::measured_roofs_legend() const
{
    if (m_scene->measured_roofs.empty() || m_scene->level != MemoryLevel::hbm)
        return {};
    const double u = unit();
    const std::vector<LegendEntry> classes = legend();
    const double left = classes.empty() ? plot_area().left() : classes.back().box.right();
    const double width = QFontMetricsF(figure_font(0.92)).horizontalAdvance(tr("measured roofs")) + 3.2 * u;
    return left + width > plot_area().right() ? QRectF() : QRectF(left, plot_area().top() - 1.6 * u, width, 1.4 * u);
}

void RooflineChart::draw_legend(QPainter& painter)
{
    const double u = unit();
    painter.setFont(figure_font(0.92));
    double right = plot_area().left();
    for (const LegendEntry& entry : legend()) {
        const bool on = is_class_visible(entry.operator_class);
        const QColor colour = theme().of(entry.operator_class);
        painter.setPen(QPen(colour, 1.2));
        painter.setBrush(on ? QBrush(colour) : QBrush(Qt::NoBrush));
        painter.drawPath(mark_path(
            shape_of(entry.operator_class), QPointF(entry.box.left() + 0.55 * u, entry.box.center().y()), 0.36 * u));
        painter.setPen(on ? theme().text : theme().dim_text);
        const QString name = m_scene->level == MemoryLevel::hbm ? to_qt(name_of(entry.operator_class)) : tr("pass");
        painter.drawText(entry.box.adjusted(1.2 * u, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, name);
        right = entry.box.right();
    }
    if (const QRectF box = measured_roofs_legend(); !box.isEmpty()) {
        QPen pen(theme().measured_roof, 1.7);
        pen.setCapStyle(Qt::FlatCap);
        pen.setDashPattern(dash_of_measured_roofs());
        if (!measured_roofs_visible())
            pen.setColor(theme().dim_roof);
        painter.setPen(pen);
        painter.drawLine(QPointF(box.left() + 0.1 * u, box.center().y()), QPointF(box.left() + 2.0 * u, box.center().y()));
        painter.setPen(measured_roofs_visible() ? theme().text : theme().dim_text);
        painter.drawText(box.adjusted(2.4 * u, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, tr("measured roofs"));
        right = box.right();
    }
    QString note = tr("area ∝ time in the step");
    if (m_scene->shows_measured())
        note += tr(" · shading: measured time");
    const QRectF rest(right + 0.4 * u, plot_area().top() - 1.6 * u, plot_area().right() - right - 0.4 * u, 1.4 * u);
    if (!legend().empty() && rest.width() > QFontMetricsF(painter.font()).horizontalAdvance(note)) {
        painter.setPen(theme().dim_text);
        painter.drawText(rest, Qt::AlignRight | Qt::AlignVCenter, note);
        if (m_scene->shows_measured()) {
            QRectF ramp(rest.right() - QFontMetricsF(painter.font()).horizontalAdvance(note) - 4.4 * u,
                rest.center().y() - 0.3 * u, 4 * u, 0.6 * u);
            if (ramp.left() > rest.left())
                for (int i = 0; i < 16; ++i)
                    painter.fillRect(
                        QRectF(ramp.left() + i * ramp.width() / 16, ramp.top(), ramp.width() / 16 + 0.5, ramp.height()),
                        theme().density(i / 15.0));
        }
    }
}

} // namespace ridgepoint

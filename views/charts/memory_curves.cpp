#include <cmath>

#include "model/units/format.h"
#include "views/charts/operation_curves.h"
#include "views/widgets/text.h"

namespace ridgepoint {
namespace {

    constexpr double gibibyte = 1073741824.0;

    CurvePanel panel_of(const MemorySweep& sweep, Bytes capacity, int group)
    {
        CurvePanel panel;
        panel.title = sweep.name;
        panel.unit = QStringLiteral("GiB");
        panel.scale = gibibyte;
        panel.x_title = sweep.x_title;
        panel.kind = CurveKind::areas;
        panel.log_x = true;
        panel.group = group;
        for (std::size_t i = 0; i < memory_part_count; ++i) {
            const auto part = static_cast<MemoryPart>(i);
            Curve curve{name_of(part), {}, CurveRole::first, [part](const Theme& t) { return t.of(part); }};
            bool any = false;
            for (const MemoryPoint& p : sweep.points) {
                curve.values.push_back(part_of(p.memory, part).value());
                any = any || curve.values.back() > 0;
            }
            if (any)
                panel.curves.push_back(std::move(curve));
        }
        for (const MemoryPoint& p : sweep.points)
            panel.x.push_back(p.at);
        panel.value_text = [](double v) { return to_qt(format(Bytes{v})); };
        panel.place_text = [points = sweep.points, capacity, x = sweep.x_title](std::size_t i) {
            HoverText t;
            t.heading = QStringLiteral("%1: %2").arg(x, to_qt(group_thousands(points[i].at)));
            const Bytes room = capacity - points[i].memory.total();
            t.rows.append({CurveFigure::tr("Together"), to_qt(format(points[i].memory.total()))});
            t.rows.append({room >= Bytes{} ? CurveFigure::tr("Free") : CurveFigure::tr("Too much"), to_qt(format(room >= Bytes{} ? room : -room))});
            return t;
        };
        panel.marks.push_back({capacity.value(), CurveFigure::tr("usable %1").arg(to_qt(format(capacity))), MarkRole::limit, true});
        panel.marks.push_back({sweep.plan, CurveFigure::tr("the plan"), MarkRole::plan, false});
        if (sweep.largest > 0)
            panel.marks.push_back({sweep.largest, CurveFigure::tr("largest that fits"), MarkRole::best, false});
        return panel;
    }

} // namespace

CurveContent memory_curves(const std::vector<MemorySweep>& sweeps, Bytes capacity)
{
    CurveContent content;
    content.title = CurveFigure::tr("Memory of a GPU over batch and context");
    QStringList parts;
    for (const MemorySweep& sweep : sweeps) {
        if (sweep.points.empty())
            continue;
        parts << (sweep.largest > 0 ? CurveFigure::tr("%1: the plan has %2, %3 fit").arg(sweep.x_title, to_qt(group_thousands(sweep.plan)), to_qt(group_thousands(sweep.largest)))
                                    : CurveFigure::tr("%1: not even %2 fits").arg(sweep.x_title, to_qt(group_thousands(sweep.points.front().at))));
        content.panels.push_back(panel_of(sweep, capacity, static_cast<int>(content.panels.size())));
    }
    content.caption = parts.join(QStringLiteral(" · "));
    return content;
}

} // namespace ridgepoint

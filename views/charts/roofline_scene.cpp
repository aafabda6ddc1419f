#include "views/charts/roofline_scene.h"

#include <algorithm>
#include <cmath>

#include <QCoreApplication>
#include <QStringList>

#include "model/calibration/kernel_operators.h"
#include "model/roofline/level_points.h"
#include "model/units/format.h"
#include "views/widgets/text.h"

namespace ridgepoint {
namespace {

QString tr(const char* text)
{
    return QCoreApplication::translate("RooflineChart", text);
}

double log_tera(double value)
{
    return std::log10(value / 1e12);
}

QString shape_text(const Operator& op)
{
    if (!(op.m > 0 && op.n > 0 && op.k > 0))
        return {};
    const auto whole = [](double v) { return to_qt(group_thousands(v)); };
    return QStringLiteral("%1 × %2 × %3").arg(whole(op.m), whole(op.n), whole(op.k));
}

QString where_text(Phase phase, std::uint8_t kind, const QStringList& names)
{
    const QString name = to_qt(name_of(phase));
    if (kind == outside_layers)
        return tr("%1, outside the layers").arg(name);
    return kind < names.size() ? tr("%1, %2 layers").arg(name, names[kind]) : name;
}

} // namespace

double mark_radius(double share, double unit)
{
    return std::max(0.26, 1.9 * std::sqrt(std::clamp(share, 0.0, 1.0))) * unit;
}

QString level_name(MemoryLevel level)
{
    switch (level) {
    case MemoryLevel::hbm:
        return tr("HBM");
    case MemoryLevel::nvlink:
        return tr("NVLink");
    case MemoryLevel::network:
        break;
    }
    return tr("network");
}

void RooflineScene::rebuild_marks()
{
    marks.clear();
    double total = 0;
    const auto add = [&](RooflineMark m) {
        m.at = {std::log10(m.intensity.value()), log_tera(m.achieved.value())};
        if (!std::isfinite(m.at.x) || !std::isfinite(m.at.y) || hidden.contains(m.operator_class))
            return;
        total += m.time_total.value();
        marks.push_back(std::move(m));
    };
    if (level == MemoryLevel::hbm) {
        for (const RooflinePoint& p : model.points) {
            if (p.level != level || p.operator_index >= operators.size())
                continue;
            const Operator& op = operators[p.operator_index];
            RooflineMark m;
            m.name = to_qt(name_of(op.kind));
            m.detail = where_text(op.phase, op.layer_kind, layer_names);
            m.operator_class = class_of(op.kind);
            m.operators = {static_cast<int>(p.operator_index)};
            m.count = op.count;
            m.time_each = op.time.total();
            m.time_total = p.total_time;
            m.intensity = p.intensity;
            m.achieved = p.achieved;
            m.of_roof = p.of_roof;
            m.bound = p.bound;
            m.shape = shape_text(op);
            add(std::move(m));
        }
    } else {
        const BandwidthCeiling* bandwidth = slope();
        const FlopPerSecond peak = highest_ceiling(true);
        for (const LevelPoint& p : level_points(operators, level)) {
            RooflineMark m;
            m.name = tr("Whole pass");
            m.detail = where_text(p.phase, p.layer_kind, layer_names);
            m.operator_class = OperatorClass::collective;
            m.operators = QList<int>(p.operators.begin(), p.operators.end());
            m.time_each = m.time_total = p.total_time;
            m.intensity = p.intensity;
            m.achieved = p.achieved;
            m.bound = p.bound;
            if (bandwidth && peak > FlopPerSecond{})
                m.of_roof = p.achieved / attainable(peak, bandwidth->bandwidth, p.intensity);
            add(std::move(m));
        }
    }
    for (RooflineMark& m : marks)
        m.share = total > 0 ? m.time_total.value() / total : 0;
    std::ranges::stable_sort(
        marks, [](const RooflineMark& a, const RooflineMark& b) { return a.time_total > b.time_total; });
}

void RooflineScene::rebuild_measured()
{
    x.clear();
    y.clear();
    weight.clear();
    kernel.clear();
    not_plottable = measured_above_roof = 0;
    density.valid = false;
    if (measured) {
        const std::size_t n = measured->kernels.size();
        x.reserve(n);
        y.reserve(n);
        weight.reserve(n);
        kernel.reserve(n);
        for (std::size_t i = 0; i < n; ++i) {
            const MeasuredKernel& k = measured->kernels[i];
            const double intensity = k.intensity.value();
            const double achieved = k.achieved.value();
            if (!(intensity > 0 && achieved > 0 && std::isfinite(intensity) && std::isfinite(achieved))) {
                ++not_plottable;
                continue;
            }
            if (hidden.contains(operator_class_of(k.kernel_class)))
                continue;
            const auto lx = static_cast<float>(std::log10(intensity));
            const auto ly = static_cast<float>(log_tera(achieved));
            if (ly > roof_at(lx) + 0.005)
                ++measured_above_roof;
            x.push_back(lx);
            y.push_back(ly);
            weight.push_back(static_cast<float>(k.time.value()));
            kernel.push_back(static_cast<std::uint32_t>(i));
        }
    }
    index = PointIndex(x, y);
    largest = largest_indices(weight, largest_shown);
}

bool RooflineScene::is_selected(const RooflineMark& mark) const
{
    return std::ranges::any_of(mark.operators, [&](int i) { return selection.contains(i); });
}

const RooflineMark* RooflineScene::mark_of(int operator_index) const
{
    const auto at
        = std::ranges::find_if(marks, [&](const RooflineMark& m) { return m.operators.contains(operator_index); });
    return at == marks.end() ? nullptr : &*at;
}

} // namespace ridgepoint

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

const BandwidthCeiling* RooflineScene::slope() const
{
    const auto at = std::ranges::find(model.bandwidth, level, &BandwidthCeiling::level);
    return at == model.bandwidth.end() ? nullptr : &*at;
}

FlopPerSecond RooflineScene::highest_ceiling(bool used_only) const
{
    FlopPerSecond best;
    for (const ComputeCeiling& c : model.compute)
        if (c.used || !used_only)
            best = std::max(best, c.peak);
    return best;
}

void RooflineScene::rebuild_roofs()
{
    // Precisions of one peak share one line.
    struct Ceiling
    {
        double peak = 0;
        bool used = false;
        Arithmetic arithmetic = Arithmetic::bf16;
        QStringList names;
    };
    std::vector<Ceiling> ceilings;
    for (const ComputeCeiling& c : model.compute) {
        const double peak = c.peak.value();
        if (!(peak > 0) || !std::isfinite(peak) || (!c.used && !unused_ceilings))
            continue;
        auto same
            = std::ranges::find_if(ceilings, [&](const Ceiling& o) { return std::abs(o.peak - peak) < 0.005 * peak; });
        if (same == ceilings.end())
            same = ceilings.insert(ceilings.end(), Ceiling{peak, false, c.arithmetic, {}});
        same->names.insert(c.used ? 0 : same->names.size(), to_qt(name_of(c.arithmetic)).toUpper());
        if (c.used && !same->used)
            same->arithmetic = c.arithmetic;
        same->used = same->used || c.used;
    }
    std::ranges::stable_sort(
        ceilings, [](const Ceiling& a, const Ceiling& b) { return a.used != b.used ? a.used : a.peak > b.peak; });

    roofs.clear();
    const auto add_slope = [&](const BandwidthCeiling& b) {
        if (b.bandwidth.value() > 0 && std::isfinite(b.bandwidth.value()))
            roofs.push_back({to_qt(b.label), true, b.level == level, std::log10(b.bandwidth.value() / 1e12),
                Arithmetic::bf16, b.level, nullptr});
    };
    for (const Ceiling& c : ceilings)
        roofs.push_back(
            {QStringLiteral("%1 %2").arg(c.names.join(QStringLiteral(", ")), to_qt(format(FlopPerSecond{c.peak}))),
                false, c.used, log_tera(c.peak), c.arithmetic, MemoryLevel::hbm, nullptr});
    for (const BandwidthCeiling& b : model.bandwidth)
        add_slope(b);
    std::ranges::stable_sort(roofs, [](const RoofLine& a, const RoofLine& b) { return a.emphasised > b.emphasised; });
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

double RooflineScene::roof_at(double log_intensity) const
{
    const BandwidthCeiling* b = slope();
    const FlopPerSecond top = highest_ceiling(false);
    const double ceiling = top > FlopPerSecond{} ? log_tera(top.value()) : 1e300;
    return b ? std::min(ceiling, log_intensity + std::log10(b->bandwidth.value() / 1e12)) : ceiling;
}

std::optional<std::pair<LogPoint, LogPoint>> RooflineScene::segment(const RoofLine& roof, const LogFrame& f) const
{
    if (!roof.slope) {
        const BandwidthCeiling* b = slope();
        const double from = b ? std::max(f.x.low, roof.value - std::log10(b->bandwidth.value() / 1e12)) : f.x.low;
        if (!f.y.contains(roof.value) || from >= f.x.high)
            return std::nullopt;
        return std::pair{LogPoint{from, roof.value}, LogPoint{f.x.high, roof.value}};
    }
    double top = -1e300;
    for (const RoofLine& other : roofs)
        if (!other.slope)
            top = std::max(top, other.value);
    double from = std::max(f.x.low, f.y.low - roof.value);
    double to = std::min(f.x.high, f.y.high - roof.value);
    if (top > -1e300)
        to = std::min(to, top - roof.value);
    if (from >= to)
        return std::nullopt;
    return std::pair{LogPoint{from, from + roof.value}, LogPoint{to, to + roof.value}};
}

std::vector<std::pair<LogPoint, QString>> RooflineScene::ridges() const
{
    std::vector<std::pair<LogPoint, QString>> out;
    const BandwidthCeiling* b = slope();
    if (!b)
        return out;
    const double shift = std::log10(b->bandwidth.value() / 1e12);
    for (const RoofLine& r : roofs)
        if (!r.slope && r.emphasised)
            out.emplace_back(LogPoint{r.value - shift, r.value}, r.label);
    return out;
}

LogFrame RooflineScene::machine_frame() const
{
    const BandwidthCeiling* b = slope();
    double least = 1e300, most = 0, top = 0;
    for (const ComputeCeiling& c : model.compute) {
        if (!(c.peak.value() > 0) || (!c.used && !unused_ceilings))
            continue;
        most = std::max(most, c.peak.value());
        if (c.used)
            least = std::min(least, c.peak.value());
        top = std::max(top, c.peak.value() / 1e12);
    }
    if (!(most > 0))
        return {{-1, 4}, {-1, 4}};
    if (least > most)
        least = most;
    const double bandwidth = b && b->bandwidth.value() > 0 ? b->bandwidth.value() : most / 200.0;
    // Streaming kernels (a fraction of a FLOP per byte) on the left, room for the ridge and large products on the
    // right; over a link every pass has a higher intensity.
    const double right = level == MemoryLevel::hbm ? 8.0 : 30.0;
    LogFrame f;
    f.x = snapped_to_decades(least / bandwidth / 2000.0, most / bandwidth * right);
    f.y = snapped_to_decades(bandwidth / 1e12 * std::pow(10.0, f.x.low) / 2.0, top * 1.2);
    return f;
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

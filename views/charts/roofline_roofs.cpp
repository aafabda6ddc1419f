// The roofs of a roofline: the machine's, the plan's level first, and those that were measured.

#include <algorithm>
#include <cmath>

#include <QCoreApplication>

#include "model/units/format.h"
#include "views/charts/roofline_scene.h"
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

bool is_device_memory(const QString& label)
{
    return label.startsWith(QStringLiteral("HBM")) || label.startsWith(QStringLiteral("DRAM"))
        || label.startsWith(QStringLiteral("Device memory"));
}

} // namespace

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
                Arithmetic::bf16, b.level, nullptr, {}, {}});
    };
    for (const Ceiling& c : ceilings)
        roofs.push_back(
            {QStringLiteral("%1 %2").arg(c.names.join(QStringLiteral(", ")), to_qt(format(FlopPerSecond{c.peak}))),
                false, c.used, log_tera(c.peak), c.arithmetic, MemoryLevel::hbm, nullptr, {}, {}});
    for (const BandwidthCeiling& b : model.bandwidth)
        add_slope(b);
    if (measured_roofs_shown && level == MemoryLevel::hbm)
        add_measured_roofs();
    const auto rank = [](const RoofLine& r) { return r.emphasised ? 0 : r.measured() ? 1 : 2; };
    std::ranges::stable_sort(roofs, [&](const RoofLine& a, const RoofLine& b) { return rank(a) < rank(b); });
}

// The bytes of a cache are not those of device memory, but the tools that measure both draw them over one axis.
void RooflineScene::add_measured_roofs()
{
    for (const MeasuredRoof& r : measured_roofs) {
        const double rate = r.bandwidth ? r.bandwidth->value() : r.peak ? r.peak->value() : 0.0;
        if (!(rate > 0) || !std::isfinite(rate))
            continue;
        const std::string figure = r.bandwidth ? format(*r.bandwidth) : format(*r.peak);
        RoofLine line;
        line.label = tr("%1 %2, measured").arg(to_qt(r.name), to_qt(figure));
        line.slope = r.bandwidth.has_value();
        line.value = log_tera(rate);
        line.source = to_qt(r.source);
        line.note = to_qt(r.detail);
        roofs.push_back(std::move(line));
    }
}

double RooflineScene::roof_at(double log_intensity) const
{
    const BandwidthCeiling* b = slope();
    const FlopPerSecond top = highest_ceiling(false);
    const double ceiling = top > FlopPerSecond{} ? log_tera(top.value()) : 1e300;
    return b ? std::min(ceiling, log_intensity + std::log10(b->bandwidth.value() / 1e12)) : ceiling;
}

// log10 of TB/s of the slope that a ceiling begins at: its own tool's device memory where that was measured, else the
// machine's; without any, none.
double RooflineScene::steepest_under(const RoofLine& ceiling) const
{
    if (ceiling.measured())
        for (const RoofLine& r : roofs)
            if (r.slope && r.source == ceiling.source && is_device_memory(r.label))
                return r.value;
    const BandwidthCeiling* b = slope();
    return b ? std::log10(b->bandwidth.value() / 1e12) : 1e300;
}

// log10 of TFLOP/s of the ceiling that a slope ends at: of its own source where that has one, else the machine's.
double RooflineScene::highest_over(const RoofLine& slope) const
{
    const auto highest = [this](const QString& source) {
        double top = -1e300;
        for (const RoofLine& r : roofs)
            if (!r.slope && r.source == source)
                top = std::max(top, r.value);
        return top;
    };
    const double own = highest(slope.source);
    return own > -1e300 ? own : highest(QString());
}

std::optional<std::pair<LogPoint, LogPoint>> RooflineScene::segment(const RoofLine& roof, const LogFrame& f) const
{
    if (!roof.slope) {
        const double from = std::max(f.x.low, roof.value - steepest_under(roof));
        if (!f.y.contains(roof.value) || from >= f.x.high)
            return std::nullopt;
        return std::pair{LogPoint{from, roof.value}, LogPoint{f.x.high, roof.value}};
    }
    const double top = highest_over(roof);
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

} // namespace ridgepoint

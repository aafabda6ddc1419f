#include "model/report/figures.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "model/report/svg.h"
#include "model/report/texts.h"
#include "model/roofline/roofline.h"
#include "model/units/format.h"

namespace ridgepoint {
namespace {

constexpr double width = 860;
constexpr std::array<const char*, resource_count> resource_css = {"r-compute", "r-hbm", "r-nvlink", "r-network", "r-latency", "r-storage"};
constexpr std::array<const char*, 5> class_css = {"k-gemm", "k-attention", "k-memory", "k-collective", "k-other"};

// Rows of coloured keys; returns the height used.
double legend(Svg& svg, double x, double y, const std::vector<std::pair<std::string, std::string>>& keys)
{
    double at = x, row = y;
    for (const auto& [css, label] : keys) {
        const double w = text_width(label, 12) + 34;
        if (at > x && at + w > width - 10) {
            at = x;
            row += 18;
        }
        svg.rect(at, row - 9, 12, 12, css);
        svg.text(at + 17, row + 1, label);
        at += w;
    }
    return row - y + 18;
}

struct LogAxis {
    double from, to; // decades
    double start, end; // pixels
    [[nodiscard]] double at(double v) const { return start + (std::log10(v) - from) / (to - from) * (end - start); }
};

std::string decade_label(int decade, const char* unit) { return format_si(std::pow(10.0, decade), unit, 1); }

void grid(Svg& svg, const LogAxis& x, const LogAxis& y)
{
    for (int d = static_cast<int>(x.from); d <= static_cast<int>(x.to); ++d) {
        const double px = x.at(std::pow(10.0, d));
        svg.line(px, y.start, px, y.end, "grid");
        svg.text(px, y.start + 18, d < 0 ? fmt::format("{:g}", std::pow(10.0, d)) : group_thousands(std::pow(10.0, d)), "tick", "middle");
    }
    for (int d = static_cast<int>(y.from); d <= static_cast<int>(y.to); ++d) {
        const double py = y.at(std::pow(10.0, d));
        svg.line(x.start, py, x.end, py, "grid");
        svg.text(x.start - 8, py + 4, decade_label(d, "FLOP/s"), "tick", "end");
    }
    svg.text((x.start + x.end) / 2, y.start + 38, "Arithmetic intensity [FLOP per byte; of device memory for the marks]", "axis", "middle");
    svg.text(16, (y.start + y.end) / 2, "Performance of one GPU", "axis", "middle", -90);
}

// The slopes are drawn as far as the plot reaches; the label stands on the line, turned along it.
void ceilings(Svg& svg, const RooflineModel& r, const LogAxis& x, const LogAxis& y, double highest)
{
    const double slope = std::atan2(y.at(1.0) - y.at(10.0), x.at(10.0) - x.at(1.0)) * 180.0 / std::acos(-1.0);
    int nth = 0;
    for (const BandwidthCeiling& b : r.bandwidth) {
        const double w = b.bandwidth.value();
        const double left = std::pow(10.0, x.from), knee = highest / w;
        const bool main = b.level == MemoryLevel::hbm;
        svg.line(x.at(left), y.at(w * left), x.at(knee), y.at(highest), main ? "roof" : "roof minor");
        const double at = std::max(left * 1.6, std::pow(10.0, y.from) / w * 1.6) * (1.0 + 1.2 * nth++);
        svg.text(x.at(at), y.at(w * at) - 6, b.label, main ? "label strong" : "label", "start", -slope);
    }
    std::vector<ComputeCeiling> flat; // what networks run in, and whatever else the plan uses: a dozen roofs hide each other
    for (const ComputeCeiling& c : r.compute)
        if (c.used || c.arithmetic == Arithmetic::bf16 || c.arithmetic == Arithmetic::fp8 || c.arithmetic == Arithmetic::fp4)
            flat.push_back(c);
    std::stable_sort(flat.begin(), flat.end(), [](const auto& a, const auto& b) { return a.used > b.used; });
    double hbm = 0;
    for (const BandwidthCeiling& b : r.bandwidth)
        if (b.level == MemoryLevel::hbm)
            hbm = b.bandwidth.value();
    std::vector<double> taken;
    double ridge_label = y.start - 6; // one above the other
    for (const ComputeCeiling& c : flat) {
        const double py = y.at(c.peak.value());
        const double knee = hbm > 0 ? std::max(c.peak.value() / hbm, std::pow(10.0, x.from)) : std::pow(10.0, x.from);
        svg.line(x.at(knee), py, x.end, py, c.used ? "roof" : "roof minor");
        const bool crowded = std::any_of(taken.begin(), taken.end(), [&](double t) { return std::fabs(t - py) < 13; });
        if (!crowded) {
            svg.text(x.end - 6, py - 5, c.label, c.used ? "label strong" : "label", "end");
            taken.push_back(py);
        }
        if (c.used && hbm > 0) {
            svg.line(x.at(knee), py, x.at(knee), y.start, "ridge");
            svg.text(x.at(knee) + 4, ridge_label, fmt::format("ridge {} FLOP/B", format_number(knee)), "tick");
            ridge_label -= 16;
        }
    }
}

} // namespace

std::string roofline_svg(const Evaluation& v)
{
    const RooflineModel r = roofline_of(v.estimate, v.job);
    const double height = 500;
    double highest = 1e12;
    for (const ComputeCeiling& c : r.compute)
        highest = std::max(highest, c.peak.value());
    double least = highest;
    for (const RooflinePoint& p : r.points)
        if (p.level == MemoryLevel::hbm && p.achieved.value() > 0)
            least = std::min(least, p.achieved.value());
    const LogAxis x{-1, 4, 112, width - 30};
    const LogAxis y{std::clamp(std::floor(std::log10(least)), 9.0, 12.0), std::ceil(std::log10(highest * 1.05)), height - 78, 14};
    Svg svg(width, height, "fig-roofline", "Roofline of the step",
        fmt::format("Operators of one GPU by arithmetic intensity and performance under the ceilings of {}. The table of operators below says the same in numbers.",
            v.job.cluster.accelerator.name));
    svg.rect(x.start, y.end, x.end - x.start, y.start - y.end, "frame");
    grid(svg, x, y);
    svg.clip_to(x.start, y.end, x.end - x.start, y.start - y.end);
    ceilings(svg, r, x, y, highest);
    const double all = v.estimate.time.total().value();
    std::vector<const RooflinePoint*> points;
    for (const RooflinePoint& p : r.points)
        if (p.level == MemoryLevel::hbm && p.intensity.value() > 0 && p.achieved.value() > 0)
            points.push_back(&p);
    std::stable_sort(points.begin(), points.end(), [](const auto* a, const auto* b) { return a->total_time > b->total_time; }); // large ones first, below
    for (const RooflinePoint* p : points) {
        const Operator& op = v.estimate.operators[p->operator_index];
        const double share = all > 0 ? p->total_time.value() / all : 0;
        const double radius = 3.0 + 22.0 * std::sqrt(std::min(share, 1.0)); // area follows time
        svg.circle(x.at(p->intensity.value()), y.at(p->achieved.value()), radius, class_css[static_cast<std::size_t>(class_of(op.kind))],
            fmt::format("{} ({}): {}, {} of the roof, {} of the time, bound by {}", name_of(op.kind), name_of(op.phase), format(p->achieved), format_percent(p->of_roof, 0),
                format_percent(share), name_of(p->bound)));
    }
    svg.end_clip();
    svg.text(x.end, height - 13, "area: share of the time", "tick", "end");
    legend(svg, x.start, height - 14, {{"k-gemm", "matrix products"}, {"k-attention", "attention"}, {"k-memory", "memory-bound kernels"}, {"k-other", "other"}});
    return svg.str();
}

std::string breakdown_svg(const Evaluation& v)
{
    const StepBreakdown& b = v.estimate.breakdown;
    const AttributedTime total = b.total();
    std::vector<std::size_t> parts;
    double longest = 0;
    for (std::size_t i = 0; i < step_part_count; ++i)
        if (b.parts[i].total() > Seconds{}) {
            parts.push_back(i);
            longest = std::max(longest, b.parts[i].total().value());
        }
    std::vector<std::pair<std::string, std::string>> keys;
    for (std::size_t r = 0; r < resource_count; ++r)
        if (std::fabs(total.share(static_cast<Resource>(r))) >= 0.0005)
            keys.emplace_back(resource_css[r], std::string(name_of(static_cast<Resource>(r))));
    const double left = 170, right = width - 150, row = 26;
    const double height = 24 + row * static_cast<double>(parts.size()) + 34;
    Svg svg(width, height, "fig-breakdown", "Where the time goes",
        fmt::format("Bars of the parts of {}, coloured by the resource that bounds them. The table below says the same in numbers.", format(total.total())));
    double y = 12;
    for (const std::size_t i : parts) {
        const AttributedTime& part = b.parts[i];
        svg.text(left - 8, y + 15, name_of(static_cast<StepPart>(i)), "label", "end");
        double positive = 0;
        for (std::size_t r = 0; r < resource_count; ++r)
            positive += std::max(0.0, part.part(static_cast<Resource>(r)).value());
        double x = left;
        const double length = part.total().value() / longest * (right - left);
        for (std::size_t r = 0; r < resource_count; ++r) {
            const double share = positive > 0 ? std::max(0.0, part.part(static_cast<Resource>(r)).value()) / positive : 0;
            if (share <= 0)
                continue;
            svg.rect(x, y + 2, share * length, row - 8, resource_css[r],
                fmt::format("{}: {} of {}", name_of(static_cast<StepPart>(i)), format_percent(share, 0), name_of(static_cast<Resource>(r))));
            x += share * length;
        }
        svg.text(x + 6, y + 15, fmt::format("{}  ({})", format(part.total()), format_percent(part.total() / total.total())));
        y += row;
    }
    legend(svg, left, y + 20, keys);
    return svg.str();
}

std::string memory_svg(const Evaluation& v)
{
    const MemoryFit& m = v.estimate.memory;
    const int last = static_cast<int>(m.stages.size()) - 1;
    std::vector<const StageMemory*> shown;
    for (const StageMemory& s : m.stages)
        if (last < 16 || s.stage == 0 || s.stage == last || s.stage == m.worst_stage || s.stage % ((last + 8) / 8) == 0)
            shown.push_back(&s);
    struct Part {
        const char* css;
        const char* label;
        Bytes StageMemory::*bytes;
    };
    static constexpr Part parts[] = {{"m-weights", "weights", &StageMemory::weights}, {"m-gradients", "gradients", &StageMemory::gradients},
        {"m-optimizer", "optimizer", &StageMemory::optimizer}, {"m-activations", "activations", &StageMemory::activations},
        {"m-kv", "KV cache", &StageMemory::kv_cache}, {"m-workspace", "workspace", &StageMemory::workspace}, {"m-reserve", "reserve", &StageMemory::reserve}};
    double most = m.capacity.value();
    for (const StageMemory* s : shown)
        most = std::max(most, s->total().value());
    most *= 1.04;
    const double left = 92, right = width - 110, row = 24;
    const double height = 44 + row * static_cast<double>(shown.size()) + 34;
    Svg svg(width, height, "fig-memory", "Memory of one GPU by pipeline stage",
        fmt::format("Bars of the memory of each stage against the capacity of {}. The table below says the same in numbers.", format(m.capacity)));
    double y = 28;
    const auto at = [&](Bytes b) { return left + b.value() / most * (right - left); };
    for (const StageMemory* s : shown) {
        svg.text(left - 8, y + 14, fmt::format("stage {}", s->stage), "label", "end");
        Bytes sum;
        for (const Part& p : parts) {
            const Bytes b = s->*p.bytes;
            if (b <= Bytes{})
                continue;
            svg.rect(at(sum), y + 2, at(sum + b) - at(sum), row - 8, p.css, fmt::format("stage {}: {} {}", s->stage, p.label, format(b)));
            sum += b;
        }
        svg.text(at(sum) + 6, y + 14, format(sum), sum > m.capacity ? "label bad" : "label");
        y += row;
    }
    svg.line(at(m.capacity), 20, at(m.capacity), y + 4, "limit");
    svg.text(at(m.capacity), 14, fmt::format("capacity {}", format(m.capacity)), "label strong", "middle");
    std::vector<std::pair<std::string, std::string>> keys;
    for (const Part& p : parts)
        if (std::any_of(shown.begin(), shown.end(), [&](const StageMemory* s) { return s->*p.bytes > Bytes{}; }))
            keys.emplace_back(p.css, p.label);
    legend(svg, left, y + 24, keys);
    return svg.str();
}

} // namespace ridgepoint

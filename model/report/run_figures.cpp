#include "model/report/run_figures.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "model/report/svg.h"
#include "model/units/format.h"

namespace ridgepoint {
namespace {

constexpr double width = 860;
constexpr std::array<const char*, 8> part_css = {"r-compute", "r-nvlink", "r-hbm", "r-storage", "m-workspace", "r-network", "m-gradients", "r-latency"};

// One horizontal bar cut into parts, and a key below that states them.
struct Cut {
    std::string label;
    std::string amount;
    double share = 0;
};
std::string cut_bar(const char* id, const std::string& title, const std::string& description, const std::vector<Cut>& cuts)
{
    std::vector<double> key_width;
    for (const Cut& c : cuts)
        key_width.push_back(text_width(c.label + ": " + c.amount, 12) + 34);
    double rows = 1, at = 0;
    for (const double w : key_width) {
        if (at > 0 && at + w > width - 20) {
            ++rows;
            at = 0;
        }
        at += w;
    }
    Svg svg(width, 62 + 18 * rows, id, title, description);
    double x = 10;
    for (std::size_t i = 0; i < cuts.size(); ++i) {
        const double w = cuts[i].share * (width - 20);
        svg.rect(x, 8, w, 34, part_css[i % part_css.size()], fmt::format("{}: {}", cuts[i].label, cuts[i].amount));
        x += w;
    }
    double y = 62;
    x = 10;
    for (std::size_t i = 0; i < cuts.size(); ++i) {
        if (x > 10 && x + key_width[i] > width - 10) {
            x = 10;
            y += 18;
        }
        svg.rect(x, y - 10, 12, 12, part_css[i % part_css.size()]);
        svg.text(x + 17, y, cuts[i].label + ": " + cuts[i].amount);
        x += key_width[i];
    }
    return svg.str();
}

// Steps of 1, 2 or 5 times a power of ten, about `count` of them.
double nice_step(double range, int count)
{
    const double raw = range / count;
    const double power = std::pow(10.0, std::floor(std::log10(raw)));
    for (const double m : {1.0, 2.0, 5.0, 10.0})
        if (m * power >= raw)
            return m * power;
    return 10 * power;
}

} // namespace

std::string pareto_svg(const std::vector<FoundPlan>& front, const std::optional<FoundPlan>& own)
{
    if (front.empty())
        return {};
    const bool priced = std::all_of(front.begin(), front.end(), [](const FoundPlan& f) { return f.cost_per_token.has_value(); });
    const auto value = [priced](const FoundPlan& f) { return priced ? f.cost_per_token->value() * 1e6 : in_gibibytes(f.headroom); };
    std::vector<const FoundPlan*> all;
    for (const FoundPlan& f : front)
        all.push_back(&f);
    if (own && (!priced || own->cost_per_token))
        all.push_back(&*own);
    double x_low = 1e300, x_high = 0, y_low = 1e300, y_high = -1e300;
    for (const FoundPlan* f : all) {
        x_low = std::min(x_low, f->tokens_per_second.value());
        x_high = std::max(x_high, f->tokens_per_second.value());
        y_low = std::min(y_low, value(*f));
        y_high = std::max(y_high, value(*f));
    }
    const auto padded = [](double& low, double& high) {
        const double pad = std::max((high - low) * 0.08, std::max(std::abs(high), 1e-9) * 0.01);
        low -= pad;
        high += pad;
    };
    padded(x_low, x_high);
    padded(y_low, y_high);
    constexpr double left = 86, right = width - 20, top = 14, bottom = 270;
    Svg svg(width, 320, "fig-pareto", "Throughput and cost of the plans that no other beats",
        fmt::format("{} layouts on the front{}. The table says the best of them in numbers.", front.size(), own ? " and this plan" : ""));
    const auto px = [&](double v) { return left + (v - x_low) / (x_high - x_low) * (right - left); };
    const auto py = [&](double v) { return bottom - (v - y_low) / (y_high - y_low) * (bottom - top); };
    const double x_step = nice_step(x_high - x_low, 6), y_step = nice_step(y_high - y_low, 5);
    for (double v = std::ceil(x_low / x_step) * x_step; v <= x_high; v += x_step) {
        svg.line(px(v), top, px(v), bottom, "grid");
        svg.text(px(v), bottom + 18, format_si(v, "", 3), "tick", "middle");
    }
    for (double v = std::ceil(y_low / y_step) * y_step; v <= y_high; v += y_step) {
        svg.line(left, py(v), right, py(v), "grid");
        svg.text(left - 8, py(v) + 4, priced ? format(Dollars{v}) : format_number(v), "tick", "end");
    }
    svg.text((left + right) / 2, bottom + 40, "Tokens per second of the cluster", "axis", "middle");
    svg.text(16, (top + bottom) / 2, priced ? "USD per million tokens" : "Memory to spare [GiB]", "axis", "middle", -90);
    for (const FoundPlan& f : front)
        svg.circle(px(f.tokens_per_second.value()), py(value(f)), 5, "r-compute", fmt::format("{} tokens/s, {}", format_number(f.tokens_per_second.value()), format_number(value(f))));
    if (own && (!priced || own->cost_per_token)) {
        const double x = px(own->tokens_per_second.value()), y = py(value(*own));
        svg.circle(x, y, 7, "r-network", "this plan");
        const bool left_side = x > right - 90;
        svg.text(left_side ? x - 11 : x + 11, y + 4, "this plan", "label strong", left_side ? "end" : "start");
    }
    return svg.str();
}

std::string tornado_svg(const std::vector<Swing>& swings)
{
    std::vector<const Swing*> shown;
    for (const Swing& s : swings)
        if (shown.size() < 12 && std::max(std::abs(s.down), std::abs(s.up)) > 5e-4)
            shown.push_back(&s);
    if (shown.empty())
        return {};
    double most = 0;
    for (const Swing* s : shown)
        most = std::max({most, std::abs(s->down), std::abs(s->up)});
    constexpr double left = 300, right = width - 70, row = 24;
    const double middle = (left + right) / 2, scale = (right - left) / 2 / most;
    Svg svg(width, 30 + row * static_cast<double>(shown.size()), "fig-tornado", "What the time hangs on",
        fmt::format("Change of the time when one figure is turned down and up; {} moves it most.", shown.front()->knob.label));
    double y = 8;
    const auto percent = [](double v) { return fmt::format("{:+.1f} %", 100 * v); };
    for (const Swing* s : shown) {
        svg.text(left - 60, y + 15, s->knob.label, "label", "end");
        for (const auto& [change, css, what] : {std::tuple{s->down, "r-compute", "low"}, std::tuple{s->up, "r-hbm", "high"}}) {
            const double w = std::abs(change) * scale;
            svg.rect(change < 0 ? middle - w : middle, y + 3, w, row - 9, css, fmt::format("{} {}: {}", s->knob.label, what, percent(change)));
        }
        const double fastest = std::min({s->down, s->up, 0.0}), slowest = std::max({s->down, s->up, 0.0});
        if (fastest < 0)
            svg.text(middle + fastest * scale - 5, y + 15, percent(fastest), "tick", "end");
        if (slowest > 0)
            svg.text(middle + slowest * scale + 5, y + 15, percent(slowest), "tick");
        y += row;
    }
    svg.line(middle, 4, middle, y + 2, "roof minor");
    svg.rect(left - 60, y + 6, 12, 12, "r-compute");
    svg.text(left - 43, y + 16, "figure turned down");
    svg.rect(left + 90, y + 6, 12, 12, "r-hbm");
    svg.text(left + 107, y + 16, "figure turned up");
    return svg.str();
}

std::string bill_svg(const Bill& bill)
{
    if (bill.total <= Dollars{})
        return {};
    std::vector<Cut> cuts;
    for (const CostLine& l : bill.lines)
        if (l.amount > Dollars{})
            cuts.push_back({l.name, format(l.amount), l.amount / bill.total});
    return cut_bar("fig-bill", "What the run costs", fmt::format("One bar of {} cut into its lines.", format(bill.total)), cuts);
}

std::string run_svg(const RunPrediction& run)
{
    if (run.wall <= Seconds{})
        return {};
    std::vector<Cut> cuts;
    for (std::size_t i = 0; i < run_part_count; ++i)
        if (run.parts[i] > Seconds{})
            cuts.push_back({std::string(name_of(static_cast<RunPart>(i))), format_percent(run.parts[i] / run.wall), run.parts[i] / run.wall});
    return cut_bar("fig-run", "Where the expected wall time goes", fmt::format("One bar of {} cut into its parts.", format(run.wall)), cuts);
}

std::string waste_svg(const RunPrediction& run)
{
    if (run.waste.size() < 3)
        return {};
    constexpr double left = 70, right = width - 20, top = 12, bottom = 220;
    double most = 0;
    for (const WastePoint& p : run.waste)
        most = std::max(most, p.waste);
    most = std::min(1.0, most * 1.05);
    const double first = std::log(run.waste.front().interval.value()), last = std::log(run.waste.back().interval.value());
    const auto px = [&](Seconds t) { return left + (std::log(t.value()) - first) / (last - first) * (right - left); };
    const auto py = [&](double v) { return bottom - v / most * (bottom - top); };
    Svg svg(width, 268, "fig-waste", "What checkpoints and failures cost, by the interval between checkpoints",
        fmt::format("Share of the wall time that is not training; least at {}.", format(run.interval.optimum)));
    const double step = nice_step(most, 5);
    for (double v = 0; v <= most; v += step) {
        svg.line(left, py(v), right, py(v), "grid");
        svg.text(left - 8, py(v) + 4, format_percent(v, step < 0.01 ? 1 : 0), "tick", "end");
    }
    for (std::size_t i = 0; i < run.waste.size(); i += std::max<std::size_t>(1, run.waste.size() / 8)) {
        svg.line(px(run.waste[i].interval), top, px(run.waste[i].interval), bottom, "grid");
        svg.text(px(run.waste[i].interval), bottom + 18, format(run.waste[i].interval), "tick", "middle");
    }
    for (std::size_t i = 1; i < run.waste.size(); ++i)
        svg.line(px(run.waste[i - 1].interval), py(run.waste[i - 1].waste), px(run.waste[i].interval), py(run.waste[i].waste), "roof");
    const Seconds used = run.interval.used;
    if (used >= run.waste.front().interval && used <= run.waste.back().interval) {
        svg.line(px(used), top, px(used), bottom, "limit");
        const bool late = px(used) > right - 150;
        svg.text(late ? px(used) - 6 : px(used) + 6, top + 14, fmt::format("used: {}", format(used)), "label strong", late ? "end" : "start");
    }
    svg.text((left + right) / 2, bottom + 40, "Interval between checkpoints", "axis", "middle");
    svg.text(16, (top + bottom) / 2, "Waste", "axis", "middle", -90);
    return svg.str();
}

} // namespace ridgepoint

#include "views/charts/ridgeline_scene.h"

#include <algorithm>
#include <cmath>

#include "model/units/format.h"
#include "views/widgets/text.h"

namespace ridgepoint {

LogPoint RidgelineChart::Scene::place(const RidgelinePoint& p)
{
    return {std::log10(p.arithmetic_intensity.value()), std::log10(p.memory_intensity)};
}

void RidgelineChart::Scene::rebuild(const RooflineModel& next)
{
    model = next;
    lines.clear();
    networks.clear();
    points.clear();
    shaded = nullptr;
    without_network = 0;
    longest = 0;
    FlopPerSecond peak;
    for (const ComputeCeiling& c : model.compute)
        if (c.used)
            peak = std::max(peak, c.peak);
    BytesPerSecond memory;
    for (const BandwidthCeiling& b : model.bandwidth)
        if (b.level == MemoryLevel::hbm)
            memory = b.bandwidth;
    has_machine = peak > FlopPerSecond{} && memory > BytesPerSecond{};
    if (has_machine) {
        machine_balance = std::log10(peak / memory / FlopPerByte{1.0});
        for (const BandwidthCeiling& b : model.bandwidth)
            if (b.level != MemoryLevel::hbm && b.bandwidth > BytesPerSecond{})
                networks.push_back({b.level, std::log10(memory / b.bandwidth)});
        auto chosen = std::ranges::max_element(networks, {}, &Network::balance);
        for (const RidgelinePoint& p : model.ridgeline)
            if (const auto own = std::ranges::find(networks, p.network, &Network::level);
                p.whole_step && own != networks.end())
                chosen = own;
        shaded = chosen == networks.end() ? nullptr : &*chosen;
        double lowest = -1e300;
        if (!networks.empty())
            lowest = std::ranges::min_element(networks, {}, &Network::balance)->balance;
        const QString ridge = to_qt(format(peak / memory));
        lines.push_back(
            {Boundary::compute_memory, MemoryLevel::hbm, lowest, RidgelineChart::tr("peak / HBM = %1").arg(ridge),
                RidgelineChart::tr("Left of it memory, right of it computation takes longer."), nullptr});
        for (const Network& n : networks) {
            const QString name = level_name(n.level);
            lines.push_back({Boundary::memory_network, n.level, n.balance,
                RidgelineChart::tr("HBM / %1 = %2").arg(name, to_qt(format_number(std::pow(10.0, n.balance)))),
                RidgelineChart::tr("Above it memory, below it %1 takes longer.").arg(name), nullptr});
            lines.push_back({Boundary::compute_network, n.level, n.balance,
                RidgelineChart::tr("peak / %1 = %2")
                    .arg(name, to_qt(format(FlopPerByte{std::pow(10.0, machine_balance + n.balance)}))),
                RidgelineChart::tr("Above it computation, below it %1 takes longer.").arg(name), nullptr});
        }
    }
    for (std::size_t i = 0; i < model.ridgeline.size(); ++i) {
        const LogPoint at = place(model.ridgeline[i]);
        if (!std::isfinite(at.x) || !std::isfinite(at.y)) {
            ++without_network;
            continue;
        }
        points.push_back(static_cast<int>(i));
        if (!model.ridgeline[i].whole_step)
            longest = std::max(longest, model.ridgeline[i].total_time.value());
    }
    std::ranges::stable_sort(points, [&](int a, int b) {
        return model.ridgeline[static_cast<std::size_t>(a)].total_time
            > model.ridgeline[static_cast<std::size_t>(b)].total_time;
    });
}

std::optional<std::pair<LogPoint, LogPoint>> RidgelineChart::Scene::segment(const Line& line, const LogFrame& f) const
{
    const double v = machine_balance;
    const double h = line.balance;
    LogPoint a, b;
    switch (line.kind) {
    case Boundary::compute_memory:
        a = {v, std::max(f.y.low, h)};
        b = {v, f.y.high};
        if (!f.x.contains(v) || a.y >= b.y)
            return std::nullopt;
        break;
    case Boundary::memory_network:
        a = {f.x.low, h};
        b = {std::min(v, f.x.high), h};
        if (!f.y.contains(h) || a.x >= b.x)
            return std::nullopt;
        break;
    case Boundary::compute_network: {
        const double from = std::max({v, f.x.low, v + h - f.y.high});
        const double to = std::min(f.x.high, v + h - f.y.low);
        if (from >= to)
            return std::nullopt;
        a = {from, v + h - from};
        b = {to, v + h - to};
        break;
    }
    }
    return std::pair{a, b};
}

LogFrame RidgelineChart::Scene::machine_frame() const
{
    if (!has_machine)
        return {{-1, 4}, {-1, 4}};
    const double ridge = std::pow(10.0, machine_balance);
    double low = 1.0, high = 100.0;
    if (!networks.empty()) {
        low = std::pow(10.0, std::ranges::min_element(networks, {}, &Network::balance)->balance);
        high = std::pow(10.0, std::ranges::max_element(networks, {}, &Network::balance)->balance);
    }
    return {snapped_to_decades(ridge / 200.0, ridge * 20.0), snapped_to_decades(low / 30.0, high * 100.0)};
}

// The longest of F/P, M/W_M and N/W_N, from their ratios.
Resource RidgelineChart::Scene::region_at(LogPoint p, MemoryLevel network) const
{
    const double memory = machine_balance - p.x; // log10 of memory time over compute time
    const auto n = std::ranges::find(networks, network, &Network::level);
    const double link = n == networks.end() ? -1e300 : n->balance - p.y + memory; // of network time over compute time
    if (memory <= 0 && link <= 0)
        return Resource::compute;
    if (memory >= link)
        return Resource::hbm;
    return network == MemoryLevel::nvlink ? Resource::nvlink : Resource::network;
}

double RidgelineChart::Scene::radius(const RidgelinePoint& p, double unit) const
{
    return p.whole_step ? 0.75 * unit
                        : std::max(0.3, 1.3 * std::sqrt(longest > 0 ? p.total_time.value() / longest : 0.0)) * unit;
}

int RidgelineChart::Scene::point_at(QPointF pixel, const RidgelineChart& chart) const
{
    int best = -1;
    double best_radius = 1e300;
    for (const int i : points) {
        const RidgelinePoint& p = model.ridgeline[static_cast<std::size_t>(i)];
        const LogPoint at = place(p);
        if (!chart.frame().contains(at) || !chart.plot_area().contains(pixel))
            continue;
        const QPointF d = chart.to_pixel(at) - pixel;
        const double r = radius(p, chart.unit());
        if (std::hypot(d.x(), d.y()) <= r + 2 && r < best_radius) {
            best = i;
            best_radius = r;
        }
    }
    return best;
}

} // namespace ridgepoint

#include "model/roofline/level_points.h"

#include <algorithm>
#include <map>
#include <utility>

namespace ridgepoint {

Bytes bytes_at(const Operator& op, MemoryLevel level)
{
    switch (level) {
    case MemoryLevel::hbm:
        return op.hbm;
    case MemoryLevel::nvlink:
        return op.nvlink;
    case MemoryLevel::network:
        return op.network;
    }
    return {};
}

std::vector<LevelPoint> level_points(const OperatorList& operators, MemoryLevel level)
{
    struct Sum
    {
        Flops flops;
        Bytes bytes;
        AttributedTime time;
        std::vector<int> operators;
    };
    std::map<std::pair<Phase, std::uint8_t>, Sum> sums;
    for (std::size_t i = 0; i < operators.size(); ++i) {
        const Operator& op = operators[i];
        Sum& s = sums[{op.phase, op.layer_kind}];
        s.flops += op.flops * op.count;
        s.bytes += bytes_at(op, level) * op.count;
        s.time += op.time * (op.count * (1.0 - op.hidden));
        s.operators.push_back(static_cast<int>(i));
    }
    std::vector<LevelPoint> points;
    for (auto& [key, s] : sums) {
        const Seconds time = s.time.total();
        if (s.flops <= Flops{} || s.bytes <= Bytes{} || time <= Seconds{})
            continue;
        points.push_back(
            {key.first, key.second, s.flops / s.bytes, s.flops / time, time, s.time.bound(), std::move(s.operators)});
    }
    std::ranges::stable_sort(
        points, [](const LevelPoint& a, const LevelPoint& b) { return a.total_time > b.total_time; });
    return points;
}

} // namespace ridgepoint

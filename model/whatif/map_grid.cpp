#include "model/whatif/map_grid.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace ridgepoint {
namespace {

constexpr double doubled_below = 16;

double granule_of(double value)
{
    double g = 1;
    while (std::fmod(value, 2 * g) == 0.0 && 2 * g * doubled_below <= value)
        g *= 2;
    return g;
}

// Edges of the grid of centres: towards the next column, or towards the next row, from a centre.
std::size_t edge(std::size_t width, std::size_t i, std::size_t j, bool upward) { return 2 * (j * width + i) + (upward ? 1 : 0); }

struct Crossings {
    std::map<std::size_t, std::pair<double, double>> at; // by edge
    std::map<std::size_t, std::vector<std::size_t>> next; // edges joined by a segment
};

void cross_square(const RegimeMap& map, MapMeasure measure, double level, std::size_t i, std::size_t j, Crossings& out)
{
    const std::size_t w = map.xs.size();
    const std::array<std::pair<std::size_t, std::size_t>, 4> corner = {{{i, j}, {i + 1, j}, {i + 1, j + 1}, {i, j + 1}}};
    std::array<double, 4> v{};
    for (std::size_t k = 0; k < 4; ++k) {
        const double m = measured_at(map.at(corner[k].first, corner[k].second), measure);
        if (!(m > 0.0))
            return;
        v[k] = std::log(m / level);
    }
    const std::array<std::size_t, 4> edges = {edge(w, i, j, false), edge(w, i + 1, j, true), edge(w, i, j + 1, false), edge(w, i, j, true)};
    std::vector<std::size_t> crossed;
    for (std::size_t k = 0; k < 4; ++k) {
        const std::size_t l = (k + 1) % 4;
        if ((v[k] < 0.0) == (v[l] < 0.0))
            continue;
        const double t = v[k] / (v[k] - v[l]);
        const auto at = [&](double a, double b) { return a + t * (b - a); };
        out.at[edges[k]] = {at(static_cast<double>(corner[k].first), static_cast<double>(corner[l].first)), at(static_cast<double>(corner[k].second), static_cast<double>(corner[l].second))};
        crossed.push_back(edges[k]);
    }
    for (std::size_t k = 0; k + 1 < crossed.size(); k += 2) { // of a saddle either pairing is as good
        out.next[crossed[k]].push_back(crossed[k + 1]);
        out.next[crossed[k + 1]].push_back(crossed[k]);
    }
}

ContourLine follow(Crossings& c, std::size_t from, double level)
{
    ContourLine line{level, {c.at[from]}};
    for (std::size_t here = from;;) {
        std::vector<std::size_t>& ways = c.next[here];
        if (ways.empty())
            return line;
        const std::size_t there = ways.back();
        ways.pop_back();
        std::vector<std::size_t>& back = c.next[there];
        back.erase(std::ranges::find(back, here));
        line.points.push_back(c.at[there]);
        here = there;
    }
}

} // namespace

std::vector<double> map_values(const Knob& knob, double value, double low, double high, int count)
{
    if (low > high)
        std::swap(low, high);
    low = std::max(low, knob.low);
    high = std::min(high, knob.high);
    std::vector<double> out;
    if (!knob.whole || value < 1.0)
        out = sweep_values(knob, low, high, count);
    else if (value < doubled_below) {
        for (double v = value; v >= std::max(low, 1.0) && std::floor(v) == v; v /= 2)
            out.push_back(v);
        for (double v = 2 * value; v <= high; v *= 2)
            out.push_back(v);
    } else {
        const double g = granule_of(value);
        for (const double v : sweep_values(knob, low, high, count))
            if (const double m = std::round(v / g) * g; m >= std::max(low, g) && m <= high)
                out.push_back(m);
    }
    if (value >= low && value <= high)
        out.push_back(value);
    std::ranges::sort(out);
    const auto twice = std::ranges::unique(out);
    out.erase(twice.begin(), twice.end());
    return out;
}

double measured_at(const RegimeCell& cell, MapMeasure measure) { return measure == MapMeasure::time ? cell.time : cell.dollars_per_million; }

std::vector<double> contour_levels(double low, double high, std::size_t most)
{
    std::vector<double> out;
    if (!(low > 0.0) || !(high > low))
        return out;
    // From coarse to fine, the finest that is not too many.
    const std::vector<std::vector<double>> mantissas = {{1}, {1, 3}, {1, 2, 5}, {1, 1.5, 2, 3, 5, 7}, {1, 1.2, 1.4, 1.6, 1.8, 2, 2.5, 3, 3.5, 4, 5, 6, 7, 8, 9}};
    for (const std::vector<double>& steps : mantissas) {
        std::vector<double> finer;
        for (double decade = std::pow(10.0, std::floor(std::log10(low))); decade <= high; decade *= 10)
            for (const double s : steps)
                if (s * decade > low && s * decade < high)
                    finer.push_back(s * decade);
        if (finer.size() > most && !out.empty())
            break;
        out = std::move(finer);
    }
    return out;
}

std::vector<ContourLine> contour_lines(const RegimeMap& map, MapMeasure measure, const std::vector<double>& levels)
{
    std::vector<ContourLine> out;
    for (const double level : levels) {
        Crossings c;
        for (std::size_t j = 0; j + 1 < map.ys.size(); ++j)
            for (std::size_t i = 0; i + 1 < map.xs.size(); ++i)
                cross_square(map, measure, level, i, j, c);
        for (const bool ends : {true, false}) // open lines from their ends, then what is left: rings
            for (const auto& [from, at] : c.at)
                while (!c.next[from].empty() && (!ends || c.next[from].size() == 1))
                    out.push_back(follow(c, from, level));
    }
    return out;
}

std::optional<std::pair<std::size_t, int>> middle_of(const RegimeMap& map, Regime regime)
{
    // Side of the largest square of the regime whose lower right corner is the cell.
    const std::size_t w = map.xs.size();
    std::vector<int> side(map.cells.size());
    std::size_t best = 0;
    for (std::size_t k = 0; k < map.cells.size(); ++k) {
        if (map.cells[k].regime != regime)
            continue;
        side[k] = k % w == 0 || k < w ? 1 : 1 + std::min({side[k - 1], side[k - w], side[k - w - 1]});
        if (side[k] > side[best])
            best = k;
    }
    if (map.cells.empty() || side[best] == 0)
        return std::nullopt;
    const auto half = static_cast<std::size_t>((side[best] - 1) / 2);
    return std::pair{best - half * w - half, side[best]};
}

} // namespace ridgepoint

#include "model/whatif/sweep.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <thread>

namespace ridgepoint {
namespace {

constexpr std::size_t stride = 4; // of the coarse grid
constexpr int most_values = 10'000;

// f(i) for all i below n, on all cores.
template <typename F> void in_parallel(std::size_t n, const Progress& progress, F&& f)
{
    const unsigned threads = std::max(1U, std::min<unsigned>(std::thread::hardware_concurrency(), static_cast<unsigned>(n / 64 + 1)));
    std::atomic<std::size_t> next{0};
    constexpr std::size_t block = 32;
    const auto work = [&] {
        auto mine = f();
        for (std::size_t begin = next.fetch_add(block); begin < n && !progress.stopped(); begin = next.fetch_add(block))
            for (std::size_t i = begin; i < std::min(begin + block, n); ++i)
                mine(i);
    };
    std::vector<std::jthread> others;
    for (unsigned t = 1; t < threads; ++t)
        others.emplace_back(work);
    work();
}

RegimeCell cell_of(const Outcome& o)
{
    RegimeCell c;
    c.regime = regime_of(o);
    c.refined = true;
    if (o.possible()) {
        c.time = static_cast<float>(o.time.value());
        c.dollars_per_million = o.cost_per_token ? static_cast<float>(o.cost_per_token->value() * 1e6) : 0.0F;
    }
    return c;
}

class MapMaker {
public:
    MapMaker(const WhatIf& base, RegimeMap& map, const Progress& progress) : m_base(base), m_map(map), m_progress(progress) {}

    void estimate(const std::vector<std::size_t>& which)
    {
        in_parallel(which.size(), m_progress, [&] {
            return [&, what_if = m_base](std::size_t k) mutable {
                const std::size_t cell = which[k];
                m_map.cells[cell] = cell_of(what_if.at({{m_map.x.id, m_map.xs[cell % width()]}, {m_map.y.id, m_map.ys[cell / width()]}}));
            };
        });
        m_map.estimated += which.size();
    }

    [[nodiscard]] std::vector<std::size_t> coarse() const
    {
        std::vector<std::size_t> out;
        for (const std::size_t j : lines(height()))
            for (const std::size_t i : lines(width()))
                out.push_back(j * width() + i);
        return out;
    }

    // Cells of coarse squares whose corners, or whose neighbours' corners, are not of one regime.
    [[nodiscard]] std::vector<std::size_t> disputed() const
    {
        std::vector<std::size_t> out;
        const std::vector<std::size_t> is = lines(width()), js = lines(height());
        for (std::size_t b = 0; b + 1 < js.size(); ++b)
            for (std::size_t a = 0; a + 1 < is.size(); ++a)
                if (!agreed(is, js, a, b))
                    for (std::size_t j = js[b]; j <= js[b + 1]; ++j)
                        for (std::size_t i = is[a]; i <= is[a + 1]; ++i)
                            if (!m_map.at(i, j).refined)
                                out.push_back(j * width() + i);
        std::ranges::sort(out);
        const auto copies = std::ranges::unique(out);
        out.erase(copies.begin(), copies.end());
        return out;
    }

    void interpolate()
    {
        const std::vector<std::size_t> is = lines(width()), js = lines(height());
        for (std::size_t b = 0; b + 1 < js.size(); ++b)
            for (std::size_t a = 0; a + 1 < is.size(); ++a)
                for (std::size_t j = js[b]; j <= js[b + 1]; ++j)
                    for (std::size_t i = is[a]; i <= is[a + 1]; ++i)
                        if (RegimeCell& c = m_map.cells[j * width() + i]; !c.refined)
                            c = between(is[a], is[a + 1], js[b], js[b + 1], i, j);
    }

private:
    [[nodiscard]] std::size_t width() const { return m_map.xs.size(); }
    [[nodiscard]] std::size_t height() const { return m_map.ys.size(); }

    [[nodiscard]] static std::vector<std::size_t> lines(std::size_t n)
    {
        std::vector<std::size_t> out;
        for (std::size_t i = 0; i < n; i += stride)
            out.push_back(i);
        if (out.back() != n - 1)
            out.push_back(n - 1);
        return out;
    }

    [[nodiscard]] bool agreed(const std::vector<std::size_t>& is, const std::vector<std::size_t>& js, std::size_t a, std::size_t b) const
    {
        const std::size_t a0 = a > 0 ? a - 1 : a, a1 = std::min(a + 2, is.size() - 1), b0 = b > 0 ? b - 1 : b, b1 = std::min(b + 2, js.size() - 1);
        const Regime r = m_map.at(is[a], js[b]).regime;
        for (std::size_t v = b0; v <= b1; ++v)
            for (std::size_t u = a0; u <= a1; ++u)
                if (m_map.at(is[u], js[v]).regime != r)
                    return false;
        return true;
    }

    [[nodiscard]] RegimeCell between(std::size_t i0, std::size_t i1, std::size_t j0, std::size_t j1, std::size_t i, std::size_t j) const
    {
        const double u = i1 > i0 ? static_cast<double>(i - i0) / static_cast<double>(i1 - i0) : 0.0;
        const double v = j1 > j0 ? static_cast<double>(j - j0) / static_cast<double>(j1 - j0) : 0.0;
        const std::array corners = {&m_map.at(i0, j0), &m_map.at(i1, j0), &m_map.at(i0, j1), &m_map.at(i1, j1)};
        const std::array weights = {(1 - u) * (1 - v), u * (1 - v), (1 - u) * v, u * v};
        RegimeCell c;
        c.regime = corners[0]->regime;
        const auto mean = [&](float RegimeCell::*of) {
            double log = 0.0;
            for (std::size_t k = 0; k < corners.size(); ++k) {
                if (!(corners[k]->*of > 0.0F))
                    return 0.0F;
                log += weights[k] * std::log(static_cast<double>(corners[k]->*of));
            }
            return static_cast<float>(std::exp(log));
        };
        c.time = mean(&RegimeCell::time);
        c.dollars_per_million = mean(&RegimeCell::dollars_per_million);
        return c;
    }

    const WhatIf& m_base;
    RegimeMap& m_map;
    const Progress& m_progress;
};

} // namespace

std::string_view name_of(Regime r)
{
    constexpr std::array<std::string_view, 8> names = {"compute", "HBM", "NVLink", "network", "latency", "storage", "does not fit", "cannot run"};
    return names[static_cast<std::size_t>(r)];
}

Regime regime_of(const Outcome& o)
{
    if (!o.possible())
        return Regime::impossible;
    return o.fits() ? static_cast<Regime>((o.made_of + o.stops).bound()) : Regime::does_not_fit;
}

std::vector<double> sweep_values(const Knob& knob, double low, double high, int count)
{
    if (low > high)
        std::swap(low, high);
    const int n = std::clamp(count, 2, most_values);
    const bool logarithmic = low > 0.0 && high / low >= 10.0;
    std::vector<double> out;
    for (int i = 0; i < n; ++i) {
        const double t = static_cast<double>(i) / (n - 1);
        double v = logarithmic ? low * std::pow(high / low, t) : low + (high - low) * t;
        if (i == n - 1)
            v = high;
        if (knob.whole)
            v = std::round(v);
        if (out.empty() || v > out.back())
            out.push_back(v);
    }
    return out;
}

std::vector<SweepPoint> sweep(const WhatIf& base, const Knob& knob, const std::vector<double>& values, const Progress& progress)
{
    std::vector<SweepPoint> out(values.size());
    in_parallel(values.size(), progress, [&] {
        return [&, what_if = base](std::size_t i) mutable { out[i] = {values[i], what_if.at({{knob.id, values[i]}})}; };
    });
    return out;
}

RegimeMap regime_map(const WhatIf& base, const Knob& x, std::vector<double> xs, const Knob& y, std::vector<double> ys, bool exact, const Progress& progress)
{
    RegimeMap map;
    map.x = x;
    map.y = y;
    map.xs = std::move(xs);
    map.ys = std::move(ys);
    map.cells.resize(map.xs.size() * map.ys.size());
    if (map.cells.empty())
        return map;
    MapMaker maker(base, map, progress);
    // Of whole numbers what can run is no region: every other value may break a divisibility rule.
    if (exact || x.whole || y.whole) {
        std::vector<std::size_t> all(map.cells.size());
        for (std::size_t i = 0; i < all.size(); ++i)
            all[i] = i;
        maker.estimate(all);
        return map;
    }
    maker.estimate(maker.coarse());
    progress.at(0.3);
    maker.estimate(maker.disputed());
    progress.at(0.9);
    maker.interpolate();
    return map;
}

} // namespace ridgepoint

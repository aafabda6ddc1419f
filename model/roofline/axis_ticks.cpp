#include "model/roofline/axis_ticks.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

namespace ridgepoint {
namespace {

std::string superscript(int exponent)
{
    static constexpr std::array<const char*, 10> digits = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    std::string out = exponent < 0 ? "⁻" : "";
    for (const char c : std::to_string(std::abs(exponent)))
        out += digits[static_cast<std::size_t>(c - '0')];
    return out;
}

// Plain numbers where all labels are short in it, powers of ten otherwise.
class Labeller
{
public:
    explicit Labeller(LogRange range)
        : m_plain(range.low > -3.5 && range.high < 5.5)
    {
    }

    [[nodiscard]] std::string operator()(double mantissa, int exponent, int digits = 0) const
    {
        if (m_plain)
            return fmt::format("{:.{}f}", mantissa * std::pow(10.0, exponent), std::max(0, digits - exponent));
        if (mantissa == 1.0)
            return "10" + superscript(exponent);
        return fmt::format("{:.{}f}·10{}", mantissa, digits, superscript(exponent));
    }

private:
    bool m_plain;
};

constexpr double rounding = 1e-9;

// Every value mantissa x 10^e inside the range, mantissas ascending.
template <typename Mantissas, typename Emit> void each(LogRange range, const Mantissas& mantissas, Emit emit)
{
    const int first = static_cast<int>(std::floor(range.low + rounding)) - 1;
    const int last = static_cast<int>(std::ceil(range.high - rounding)) + 1;
    for (int e = first; e <= last; ++e)
        for (const double m : mantissas) {
            const double position = e + std::log10(m);
            if (position >= range.low - rounding && position <= range.high + rounding)
                emit(position, m, e);
        }
}

void thin_decades(
    std::vector<Tick>& ticks, LogRange range, const Labeller& label, double per_decade, double label_pixels)
{
    int step = 1;
    if (range.span() > 8.0)
        step = 2;
    while (per_decade * step < label_pixels)
        ++step;
    if (step > 2)
        step = (step + 2) / 3 * 3; // powers of a thousand
    each(range, std::array{1.0}, [&](double position, double m, int e) {
        const bool named = ((e % step) + step) % step == 0;
        ticks.push_back({position, named ? label(m, e) : std::string{}, true});
    });
}

void minor_lines(std::vector<Tick>& ticks, LogRange range, double per_decade)
{
    if (per_decade < 40.0)
        return;
    each(range, std::array{2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0}, [&](double position, double, int) {
        ticks.push_back({position, {}, false});
    });
}

// Labels drop out from the finest mantissas first while two neighbours are closer than a label.
bool fits(const std::vector<Tick>& ticks, double per_decade, double label_pixels)
{
    double last = -1e300;
    for (const Tick& t : ticks) {
        if (t.label.empty())
            continue;
        if ((t.position - last) * per_decade < label_pixels)
            return false;
        last = t.position;
    }
    return true;
}

std::vector<Tick> fine_ticks(LogRange range, const Labeller& label, double pixels, double label_pixels)
{
    // Within a factor of five the axis is nearly linear: steps of 1, 2 or 5 times a power of ten.
    const double low = std::pow(10.0, range.low);
    const double high = std::pow(10.0, range.high);
    const double most = std::max(2.0, std::floor(pixels / label_pixels));
    const double raw = (high - low) / most;
    const double magnitude = std::pow(10.0, std::floor(std::log10(raw)));
    double step = magnitude;
    for (const double m : {1.0, 2.0, 5.0, 10.0})
        if (m * magnitude >= raw) {
            step = m * magnitude;
            break;
        }
    const int exponent = static_cast<int>(std::floor(range.low + rounding));
    const int digits = std::max(0, exponent - static_cast<int>(std::floor(std::log10(step) + rounding)));
    const double per_decade = pixels / range.span();
    std::vector<Tick> ticks;
    double last = -1e300;
    for (double i = std::ceil(low / step - rounding); i * step <= high * (1.0 + rounding); ++i) {
        const double position = std::log10(i * step);
        Tick t{position, {}, true};
        if ((position - last) * per_decade >= label_pixels) {
            t.label = label(i * step / std::pow(10.0, exponent), exponent, digits);
            last = position;
        }
        ticks.push_back(t);
    }
    return ticks;
}

} // namespace

std::vector<Tick> log_ticks(LogRange range, double pixels, double label_pixels)
{
    std::vector<Tick> ticks;
    if (!(range.span() > 0) || !(pixels > 0) || !(label_pixels > 0))
        return ticks;
    const Labeller label(range);
    const double per_decade = pixels / range.span();
    if (range.span() >= 2.0) {
        thin_decades(ticks, range, label, per_decade, label_pixels);
        minor_lines(ticks, range, per_decade);
    } else if (range.span() < 0.7) {
        ticks = fine_ticks(range, label, pixels, label_pixels);
    } else {
        static const std::vector<std::vector<double>> sets
            = {{1, 2, 3, 4, 5, 6, 7, 8, 9}, {1, 2, 3, 5, 7}, {1, 2, 5}, {1, 3}, {1}};
        for (std::size_t i = range.span() < 1.0 ? 0 : 2; i < sets.size(); ++i) {
            ticks.clear();
            each(range, sets[i], [&](double position, double m, int e) {
                ticks.push_back({position, label(m, e), true});
            });
            if (fits(ticks, per_decade, label_pixels))
                break;
        }
        each(range, std::array{1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0}, [&](double position, double, int) {
            const bool there
                = std::ranges::any_of(ticks, [&](const Tick& t) { return std::abs(t.position - position) < rounding; });
            if (!there)
                ticks.push_back({position, {}, false});
        });
    }
    std::ranges::sort(ticks, {}, &Tick::position);
    return ticks;
}

std::vector<LinearTick> linear_ticks(double highest, double pixels, double label_pixels)
{
    std::vector<LinearTick> ticks;
    if (!(highest > 0) || !std::isfinite(highest) || !(pixels > 0) || !(label_pixels > 0))
        return ticks;
    const double raw = highest / std::max(1.0, std::floor(pixels / label_pixels));
    const double magnitude = std::pow(10.0, std::floor(std::log10(raw) + rounding));
    double step = 10.0 * magnitude;
    for (const double m : {1.0, 2.0, 5.0})
        if (m * magnitude >= raw * (1.0 - rounding)) {
            step = m * magnitude;
            break;
        }
    const int digits = std::max(0, -static_cast<int>(std::floor(std::log10(step) + rounding)));
    for (int i = 0; (i - 1) * step < highest * (1.0 - rounding); ++i)
        ticks.push_back({i * step, fmt::format("{:.{}f}", i * step, digits)});
    return ticks;
}

} // namespace ridgepoint

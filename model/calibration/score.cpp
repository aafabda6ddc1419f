#include "model/calibration/score.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <numeric>
#include <string_view>
#include <utility>

namespace ridgepoint {
namespace {

std::vector<double> ranks(const std::vector<double>& v)
{
    std::vector<std::size_t> order(v.size());
    std::iota(order.begin(), order.end(), 0u);
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return v[a] < v[b]; });
    std::vector<double> out(v.size());
    for (std::size_t i = 0; i < order.size();) {
        std::size_t j = i;
        while (j + 1 < order.size() && v[order[j + 1]] == v[order[i]])
            ++j;
        for (std::size_t k = i; k <= j; ++k)
            out[order[k]] = (static_cast<double>(i) + static_cast<double>(j)) / 2.0; // ties share their mean rank
        i = j + 1;
    }
    return out;
}

} // namespace

double quantile(std::vector<double> values, double q)
{
    if (values.empty())
        return std::numeric_limits<double>::quiet_NaN();
    std::sort(values.begin(), values.end());
    const double at = q * static_cast<double>(values.size() - 1);
    const auto i = static_cast<std::size_t>(at);
    const double part = at - static_cast<double>(i);
    return i + 1 < values.size() ? values[i] * (1.0 - part) + values[i + 1] * part : values.back();
}

double spearman(const std::vector<double>& a, const std::vector<double>& b)
{
    const std::size_t n = a.size();
    if (n < 3 || n != b.size())
        return std::numeric_limits<double>::quiet_NaN();
    const std::vector<double> ra = ranks(a), rb = ranks(b);
    const double mean = static_cast<double>(n - 1) / 2.0;
    double ab = 0, aa = 0, bb = 0;
    for (std::size_t i = 0; i < n; ++i) {
        ab += (ra[i] - mean) * (rb[i] - mean);
        aa += (ra[i] - mean) * (ra[i] - mean);
        bb += (rb[i] - mean) * (rb[i] - mean);
    }
    return aa > 0 && bb > 0 ? ab / std::sqrt(aa * bb) : std::numeric_limits<double>::quiet_NaN();
}

namespace {

constexpr std::size_t smallest_group = 4; // Spearman of three rows takes four values only

void rank_within_groups(const std::vector<const Prediction*>& predictions, Score& s)
{
    std::map<std::string, std::pair<std::vector<double>, std::vector<double>>> groups;
    for (const Prediction* p : predictions)
        if (!p->group.empty()) {
            groups[p->group].first.push_back(p->measured);
            groups[p->group].second.push_back(p->predicted);
        }
    double sum = 0.0, weight = 0.0;
    for (const auto& [name, values] : groups) {
        const double rank = values.first.size() < smallest_group ? std::numeric_limits<double>::quiet_NaN() : spearman(values.first, values.second);
        if (std::isnan(rank))
            continue;
        const auto rows = static_cast<double>(values.first.size());
        sum += rows * rank;
        weight += rows;
        ++s.groups;
    }
    s.group_rank = weight > 0 ? sum / weight : std::numeric_limits<double>::quiet_NaN();
}

// The number that a stratum's name begins with, in bytes where a binary unit follows; negative: a name without one.
double leading_number(const std::string& name)
{
    double value = -1.0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), value);
    if (error != std::errc{} || value < 0)
        return -1.0;
    const std::string_view rest(end, static_cast<std::size_t>(name.data() + name.size() - end));
    static constexpr std::pair<std::string_view, double> units[] = {{" KiB", 1024.0}, {" MiB", 1048576.0}, {" GiB", 1073741824.0}};
    for (const auto& [unit, bytes] : units)
        if (rest.starts_with(unit))
            return value * bytes;
    return value;
}

} // namespace

bool StratumOrder::operator()(const std::string& a, const std::string& b) const
{
    const double x = leading_number(a), y = leading_number(b);
    if (x != y && (x >= 0 || y >= 0))
        return x >= 0 && (y < 0 || x < y);
    return a < b;
}

double Score::coverage() const
{
    return intervals > 0 ? static_cast<double>(covered) / intervals : std::numeric_limits<double>::quiet_NaN();
}

Score score(const std::vector<const Prediction*>& predictions)
{
    Score s;
    std::vector<double> absolute, with_sign, measured, predicted;
    for (const Prediction* p : predictions) {
        absolute.push_back(std::fabs(p->error()));
        with_sign.push_back(p->error());
        measured.push_back(p->measured);
        predicted.push_back(p->predicted);
        s.bands += p->band();
        s.inside_band += p->band() && p->measured >= p->low && p->measured <= p->high;
        s.intervals += p->has_interval();
        s.covered += p->has_interval() && p->covered();
    }
    const auto within = [&](double most) {
        const auto rows = std::ranges::count_if(absolute, [&](double e) { return e <= most; });
        return absolute.empty() ? std::numeric_limits<double>::quiet_NaN() : static_cast<double>(rows) / static_cast<double>(absolute.size());
    };
    s.within_10 = within(0.1);
    s.within_20 = within(0.2);
    s.within_50 = within(0.5);
    s.count = static_cast<int>(predictions.size());
    s.median_abs_error = quantile(absolute, 0.5);
    s.p90_abs_error = quantile(absolute, 0.9);
    s.bias = quantile(with_sign, 0.5);
    s.rank_correlation = spearman(measured, predicted);
    rank_within_groups(predictions, s);
    return s;
}

} // namespace ridgepoint

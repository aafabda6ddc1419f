#include "model/calibration/score.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

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
    }
    s.count = static_cast<int>(predictions.size());
    s.median_abs_error = quantile(absolute, 0.5);
    s.p90_abs_error = quantile(absolute, 0.9);
    s.bias = quantile(with_sign, 0.5);
    s.rank_correlation = spearman(measured, predicted);
    return s;
}

} // namespace ridgepoint

#include "model/fitting/left_out.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "model/calibration/score.h"

namespace ridgepoint {
namespace {

constexpr double most_left_out = 0.55; // of the rows

std::vector<std::size_t> folds_of(const Grouping& grouping, std::size_t& folds)
{
    std::map<std::vector<double>, std::size_t> groups;
    for (const std::vector<double>& key : grouping.keys)
        groups.emplace(key, 0);
    folds = grouping.folds > 0 ? std::min(groups.size(), static_cast<std::size_t>(grouping.folds)) : groups.size();
    std::size_t next = 0;
    for (auto& [key, fold] : groups)
        fold = next++ % folds;
    std::vector<std::size_t> out;
    for (const std::vector<double>& key : grouping.keys)
        out.push_back(groups.at(key));
    return out;
}

} // namespace

FitError error_of(const std::vector<double>& residuals)
{
    std::vector<double> errors;
    for (const double r : residuals)
        if (!std::isnan(r))
            errors.push_back(std::abs(std::expm1(r)));
    if (errors.empty())
        return {};
    return {quantile(errors, 0.5), quantile(errors, 0.9), static_cast<int>(errors.size())};
}

std::vector<double> log_residuals(const FitProblem& problem, std::span<const double> values)
{
    std::vector<std::size_t> rows(problem.rows);
    std::iota(rows.begin(), rows.end(), std::size_t{0});
    std::vector<double> out(problem.rows);
    problem.residuals(values, rows, out);
    return out;
}

std::vector<double> left_out_residuals(const FitProblem& problem, const Grouping& grouping)
{
    std::size_t folds = 0;
    const std::vector<std::size_t> fold_of = folds_of(grouping, folds);
    if (static_cast<int>(folds) < std::max(2, grouping.least))
        return {};
    std::vector<double> out(problem.rows, std::numeric_limits<double>::quiet_NaN());
    for (std::size_t fold = 0; fold < folds; ++fold) {
        std::vector<std::size_t> in, left;
        for (std::size_t i = 0; i < problem.rows; ++i)
            (fold_of[i] == fold ? left : in).push_back(i);
        if (grouping.folds == 0 && static_cast<double>(left.size()) > most_left_out * static_cast<double>(problem.rows))
            continue;
        const Fit fit = fit_least_squares(problem, in);
        std::vector<double> r(left.size());
        problem.residuals(fit.values, left, r);
        for (std::size_t i = 0; i < left.size(); ++i)
            out[left[i]] = r[i];
    }
    return out;
}

FitError worst_of(const std::vector<std::pair<std::string, FitError>>& errors)
{
    FitError worst;
    for (const auto& [what, e] : errors) {
        worst.rows = std::max(worst.rows, e.rows);
        worst.median = std::max(worst.median, e.median);
        worst.p90 = std::max(worst.p90, e.p90);
    }
    return worst;
}

} // namespace ridgepoint

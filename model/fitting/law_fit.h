#pragma once
// From a law's struct of constants to a least-squares problem: which of its constants are free, and what the law makes of
// each measured row. The law that is fitted is the one that predicts; nothing here knows a formula.

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/fitting/left_out.h"
#include "model/units/quantity.h"

namespace ridgepoint {

// A constant as the spec file names it, in base units, with where it lives in the struct.
template <typename Law> struct FreeConstant {
    FitParameter parameter;
    std::function<double(const Law&)> get;
    std::function<void(Law&, double)> set;
};

inline double base_value(double v) { return v; }
template <typename Q> double base_value(const Q& q) { return q.value(); }

struct Range {
    double start, low, high, scale; // as in FitParameter
};
template <typename Law, typename Q> FreeConstant<Law> free_constant(std::string name, Q Law::*member, Range r)
{
    return {{std::move(name), r.start, r.low, r.high, r.scale}, [member](const Law& l) { return base_value(l.*member); },
        [member](Law& l, double v) { l.*member = Q{v}; }};
}
template <typename Law, typename Part, typename Q>
FreeConstant<Law> free_constant(std::string name, Part Law::*part, Q Part::*member, Range r)
{
    return {{std::move(name), r.start, r.low, r.high, r.scale}, [part, member](const Law& l) { return base_value(l.*part.*member); },
        [part, member](Law& l, double v) { l.*part.*member = Q{v}; }};
}

// Three significant digits: more than the rows tell, and what the files hold. A trace of what may be zero is zero.
double rounded(double value, double scale);

struct FittedConstant {
    std::string name; // below the law's pointer: "peak_fraction", "tree/base"
    double before = 0.0; // in base units
    double after = 0.0;
};

// One law of one spec file, refitted.
struct FittedLaw {
    std::string document; // "b200"
    std::string pointer; // "/software/tensorrt-llm/gemm/bf16"; constants and residual stand below
    std::vector<FittedConstant> constants;
    FitError shipped; // of the constants in the file, over all rows
    FitError refit; // of the new constants, over all rows
    FitError left_out; // of fits to the other groups
    std::vector<std::pair<std::string, FitError>> left_out_by; // the same by what was left out
    std::vector<std::pair<std::string, FitError>> residuals; // pointer of a law -> what the file shall say of it
};

struct FittedLaws {
    std::vector<FittedLaw> laws;
    std::map<std::string, int> not_expressed; // "gemm.csv: the number format is not modelled" -> rows
};

using Wanted = std::function<bool(const std::string& document)>; // "b200", "efa-v2": whether to fit it

// Fits the free constants of `law` (the rest keep what they are) and puts the result into it. `seconds` is what the law
// makes of one row.
template <typename Law> struct LawFit {
    std::vector<FreeConstant<Law>> free;
    std::vector<double> measured; // seconds
    std::vector<double> weights; // see FitProblem
    std::vector<Grouping> groupings;
    std::function<double(const Law&, std::size_t row)> seconds;
    double robust_scale = 0.08;
    double prior = 0.0;
    std::vector<std::vector<std::pair<std::string_view, double>>> other_starts; // what differs from the first start

    // Laws that are fitted together and what each row is of; empty: all rows are of one law.
    std::vector<std::pair<std::string, std::vector<std::size_t>>> parts; // pointer -> rows

    [[nodiscard]] FitProblem problem(const Law& law) const
    {
        FitProblem p;
        for (const FreeConstant<Law>& f : free)
            p.parameters.push_back(f.parameter);
        for (const auto& changes : other_starts) {
            std::vector<double> start;
            for (const FitParameter& q : p.parameters) {
                const auto changed = std::ranges::find_if(changes, [&](const auto& c) { return c.first == q.name; });
                start.push_back(changed == changes.end() ? q.start : changed->second);
            }
            p.other_starts.push_back(std::move(start));
        }
        p.rows = measured.size();
        p.weights = weights;
        p.robust_scale = robust_scale;
        p.prior = prior;
        p.residuals = [this, law](std::span<const double> values, std::span<const std::size_t> rows, std::span<double> out) {
            Law moved = law;
            for (std::size_t i = 0; i < free.size(); ++i)
                free[i].set(moved, values[i]);
            for (std::size_t i = 0; i < rows.size(); ++i)
                out[i] = std::log(seconds(moved, rows[i]) / measured[rows[i]]);
        };
        return p;
    }

    FittedLaw fit(Law& law, std::string document, std::string pointer) const
    {
        FittedLaw out;
        out.document = std::move(document);
        out.pointer = std::move(pointer);
        const FitProblem p = problem(law);
        std::vector<double> before, after = fit_least_squares(p).values;
        for (std::size_t i = 0; i < free.size(); ++i) {
            before.push_back(free[i].get(law));
            after[i] = rounded(after[i], free[i].parameter.scale);
            out.constants.push_back({free[i].parameter.name, before[i], after[i]});
        }
        out.shipped = error_of(log_residuals(p, before));
        out.refit = error_of(log_residuals(p, after));
        std::vector<std::vector<double>> left;
        for (const Grouping& g : groupings)
            if (std::vector<double> r = left_out_residuals(p, g); !r.empty()) {
                out.left_out_by.emplace_back(g.what, error_of(r));
                left.push_back(std::move(r));
            }
        out.left_out = worst_of(out.left_out_by);
        if (parts.empty())
            out.residuals.emplace_back(out.pointer, out.left_out);
        for (const auto& [part, rows] : parts) {
            std::vector<std::pair<std::string, FitError>> by;
            for (const std::vector<double>& all : left) {
                std::vector<double> some;
                for (const std::size_t i : rows)
                    some.push_back(all[i]);
                by.emplace_back(part, error_of(some));
            }
            out.residuals.emplace_back(part, worst_of(by));
        }
        for (std::size_t i = 0; i < free.size(); ++i)
            free[i].set(law, after[i]);
        return out;
    }
};

} // namespace ridgepoint

#include "model/fitting/calibrate.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>

#include <Eigen/Dense>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "model/calibration/score.h"
#include "model/fitting/least_squares.h"
#include "model/project/resolve.h"

namespace ridgepoint {
namespace {

// An own measurement speaks for itself, but one of few speaks softly: a single row of weight 1 moves its factor by
// 1 / (1 + prior^2) of its error.
constexpr double prior = 0.2;
constexpr double telling = 0.02; // elasticity below which a row says nothing of a factor
constexpr double to_80_percent = 1.2816; // standard deviations

Job with(const Job& base, const MeasuredFactors& factors)
{
    Job job = base;
    job.measured = factors;
    apply(job.kernels, job.collectives, factors);
    job.training.framework.per_step = job.training.framework.per_step + factors.per_step;
    job.engine.per_step = job.engine.per_step + factors.per_step;
    return job;
}

class Problem {
public:
    Problem(const Job& base, const Observations& observations) : m_base(base), m_factors{base.kernels.gpu, base.collectives.fabric.fabric, {1, 1, 1, 1, 1}, {}, {}}
    {
        for (const Observation& o : observations.rows)
            if (o.measured > Seconds{} && o.predict(base))
                m_rows.push_back(o);
    }
    [[nodiscard]] const std::vector<Observation>& rows() const { return m_rows; }

    // One value per part: factors, and seconds for the last.
    [[nodiscard]] MeasuredFactors factors(std::span<const double> values) const
    {
        MeasuredFactors f = m_factors;
        for (std::size_t p = 0; p < f.times.size(); ++p)
            f.times[p] = values[p];
        f.per_step = Seconds{values[measured_part_count - 1]};
        return f;
    }
    [[nodiscard]] std::vector<double> log_errors(std::span<const double> values) const
    {
        const auto job = with(m_base, factors(values));
        std::vector<double> out;
        for (const Observation& o : m_rows) {
            const auto t = o.predict(job);
            out.push_back(t ? std::log(*t / o.measured) : 0.0);
        }
        return out;
    }

private:
    const Job& m_base;
    MeasuredFactors m_factors;
    std::vector<Observation> m_rows;
};

// d log(predicted) / d log(factor) at the laws' own values; for the time beside the work per its own scale.
Eigen::MatrixXd elasticities(const Problem& problem, const std::vector<double>& at, double step_scale)
{
    const std::vector<double> base = problem.log_errors(at);
    Eigen::MatrixXd j(static_cast<Eigen::Index>(base.size()), static_cast<Eigen::Index>(at.size()));
    constexpr double h = 0.01;
    for (std::size_t p = 0; p < at.size(); ++p) {
        std::vector<double> moved = at;
        moved[p] = p + 1 == at.size() ? at[p] + h * step_scale : at[p] * std::exp(h);
        const std::vector<double> there = problem.log_errors(moved);
        for (std::size_t i = 0; i < base.size(); ++i)
            j(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(p)) = (there[i] - base[i]) / h;
    }
    return j;
}

CalibrationError error_of(const std::vector<double>& log_errors)
{
    if (log_errors.empty())
        return {};
    std::vector<double> absolute, signed_errors;
    for (const double e : log_errors) {
        signed_errors.push_back(std::expm1(e));
        absolute.push_back(std::abs(std::expm1(e)));
    }
    return {quantile(absolute, 0.5), quantile(absolute, 0.9), quantile(signed_errors, 0.5)};
}

} // namespace

Expected<CalibrationResult> calibrate(const Plan& plan, const SpecStore& specs, const std::vector<const Measured*>& measured)
{
    Plan as_shipped = plan;
    as_shipped.measured = {};
    const Expected<Job> base = resolve(as_shipped, specs);
    if (!base)
        return base.error();
    Observations observations;
    for (const Measured* m : measured) {
        Observations one = observe(*m, *base);
        std::move(one.rows.begin(), one.rows.end(), std::back_inserter(observations.rows));
        std::move(one.notes.begin(), one.notes.end(), std::back_inserter(observations.notes));
    }
    const Problem problem(*base, observations);
    if (problem.rows().empty())
        return bad_input("nothing in these files can be set against the plan", {}, observations.notes.empty() ? std::string() : observations.notes.front(),
            "a profiler trace, nccl-tests output, a training log or serving results of the plan's hardware");

    double step_scale = 0.0;
    for (const Observation& o : problem.rows())
        step_scale = std::max(step_scale, 0.1 * o.measured.value());
    const std::vector<double> laws = {1, 1, 1, 1, 1, 0};
    const Eigen::MatrixXd at_laws = elasticities(problem, laws, step_scale);

    // Whole steps alone cannot tell a time beside the work from slower work: it stays out unless the work is measured too.
    const bool parts_measured = std::any_of(problem.rows().begin(), problem.rows().end(), [](const Observation& o) { return o.part != MeasuredPart::step; });
    std::vector<std::size_t> free;
    for (std::size_t p = 0; p < measured_part_count; ++p)
        if (at_laws.col(static_cast<Eigen::Index>(p)).cwiseAbs().maxCoeff() >= telling && (p + 1 < measured_part_count || parts_measured))
            free.push_back(p);

    const auto expand = [&](std::span<const double> values) {
        std::vector<double> all = laws;
        for (std::size_t k = 0; k < free.size(); ++k)
            all[free[k]] = values[k];
        return all;
    };
    FitProblem fit;
    for (const std::size_t p : free) {
        const bool step = p + 1 == measured_part_count;
        fit.parameters.push_back({std::string(name_of(static_cast<MeasuredPart>(p))), laws[p], step ? 0.0 : 0.1, step ? 100.0 : 10.0, step ? step_scale : 0.0});
    }
    fit.rows = problem.rows().size();
    fit.prior = prior;
    for (const Observation& o : problem.rows())
        fit.weights.push_back(o.weight);
    fit.residuals = [&](std::span<const double> values, std::span<const std::size_t> rows, std::span<double> out) {
        const std::vector<double> all = problem.log_errors(expand(values));
        for (std::size_t i = 0; i < rows.size(); ++i)
            out[i] = all[rows[i]];
    };
    const std::vector<double> found = free.empty() ? laws : expand(fit_least_squares(fit).values);

    // The scatter that is left, and the pull to the laws, give each factor's interval.
    const std::vector<double> left = problem.log_errors(found);
    const Eigen::MatrixXd j = elasticities(problem, found, step_scale);
    Eigen::MatrixXd normal = Eigen::MatrixXd::Identity(6, 6) * prior * prior;
    double scatter = 0.0, weights = 0.0;
    for (std::size_t i = 0; i < left.size(); ++i) {
        const double w = problem.rows()[i].weight;
        const auto row = j.row(static_cast<Eigen::Index>(i));
        normal += w * row.transpose() * row;
        scatter += w * left[i] * left[i];
        weights += w;
    }
    const double sigma = std::max(0.03, std::sqrt(scatter / std::max(1.0, weights - static_cast<double>(free.size()))));
    const Eigen::MatrixXd covariance = sigma * sigma * normal.inverse();

    CalibrationResult out;
    out.factors = problem.factors(found);
    for (double& f : out.factors.times)
        f = std::round(f * 1e4) / 1e4; // as the plan's file shows them
    out.factors.per_step = Seconds{std::round(out.factors.per_step.value() * 1e7) / 1e7};
    std::set<std::string> files;
    for (const Observation& o : problem.rows())
        files.insert(o.file);
    out.factors.source = fmt::format("{} measurements of {}", problem.rows().size(), fmt::join(files, ", "));
    if (out.factors.source.size() > 1000)
        out.factors.source = fmt::format("{} measurements of {} files", problem.rows().size(), files.size());
    const bool same_gpu = plan.measured.gpu == base->kernels.gpu;
    for (std::size_t p = 0; p < measured_part_count; ++p) {
        const bool step = p + 1 == measured_part_count;
        CalibratedFactor f;
        f.part = static_cast<MeasuredPart>(p);
        f.before = !same_gpu ? laws[p] : step ? plan.measured.per_step.value() : plan.measured.times[p];
        f.after = found[p];
        f.determined = std::find(free.begin(), free.end(), p) != free.end();
        const double spread = to_80_percent * std::sqrt(std::max(0.0, covariance(static_cast<Eigen::Index>(p), static_cast<Eigen::Index>(p))));
        f.low = !f.determined ? f.after : step ? std::max(0.0, f.after - spread * step_scale) : f.after * std::exp(-spread);
        f.high = !f.determined ? f.after : step ? f.after + spread * step_scale : f.after * std::exp(spread);
        out.moved.push_back(f);
    }
    const MeasuredFactors old = same_gpu ? plan.measured : problem.factors(laws);
    const auto before = with(*base, old);
    const auto after = with(*base, out.factors);
    std::vector<double> errors_before, errors_after;
    for (const Observation& o : problem.rows()) {
        const auto b = o.predict(before);
        const auto a = o.predict(after);
        if (!a || !b)
            continue;
        out.rows.push_back({o, *b, *a});
        errors_before.push_back(std::log(*b / o.measured));
        errors_after.push_back(std::log(*a / o.measured));
    }
    out.before = error_of(errors_before);
    out.after = error_of(errors_after);
    out.notes = observations.notes;
    if (problem.rows().size() < free.size() + 2)
        out.notes.push_back(fmt::format("{} measurements for {} constants: what they do not tell apart is shared between them.", problem.rows().size(), free.size()));
    return out;
}

Plan with_factors(const Plan& plan, const MeasuredFactors& factors)
{
    Plan out = plan;
    out.measured = factors;
    return out;
}

} // namespace ridgepoint

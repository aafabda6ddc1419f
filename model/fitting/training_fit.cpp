#include "model/fitting/training_fit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <numeric>
#include <set>

#include "model/calibration/training_rows.h"
#include "model/collectives/read.h"
#include "model/estimate/quick.h"
#include "model/fitting/training_constants.h"
#include "model/kernels/read.h"

namespace ridgepoint {
namespace {

constexpr double robust_scale = 0.05; // good runs of one configuration scatter by so much
constexpr std::size_t least_rows = 10; // for a residual of a GPU's own; fewer take that of all GPUs

struct Run {
    Job job;
    KernelConstants kernels; // as measured in short benchmarks
    CollectiveConstants links;
    std::string source, gpu, fabric, framework;
    double measured = 0.0; // seconds
    // The last answers: most constants are of other GPUs, and a derivative in one of them asks the same again.
    std::array<std::pair<TrainingConstants, double>, 3> answers;
    std::size_t known = 0, next = 0;
};

// The fabric whose training constants a fabric shares: only two have runs.
std::string fabric_like(const std::string& fabric)
{
    return fabric.empty() ? "" : fabric.starts_with("efa") ? "efa-v4" : "infiniband-ndr";
}

class TrainingFit {
public:
    TrainingFit(const std::vector<MeasurementFile>& files, const SpecStore& specs, FittedLaws& out)
        : m_constants(training_constants())
    {
        for (const MeasurementFile& f : files)
            if (f.kind == "training")
                for (std::size_t i = 0; i < f.table.rows.size(); ++i)
                    add(CsvRow(f.table, i), specs, std::filesystem::path(f.table.file).filename().string(), out);
        for (std::size_t i = 0; i < m_constants.size(); ++i)
            m_index[m_constants[i].parameter.name] = i;
    }

    [[nodiscard]] bool empty() const { return m_runs.empty(); }

    void run(const SpecStore& specs, const Wanted& wanted, FittedLaws& out)
    {
        const FitProblem problem = make_problem();
        std::vector<double> values = fit_least_squares(problem).values;
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = rounded(values[i], 0.0);
        const std::vector<double> left = by_source(problem);
        const std::vector<double> refit = runs_of(log_residuals(problem, values));
        const std::vector<double> shipped = shipped_residuals(specs);
        write(values, shipped, refit, left, wanted, out);
    }

private:
    void add(const CsvRow& row, const SpecStore& specs, const std::string& file, FittedLaws& out)
    {
        Expected<Job> job = job_of_training_row(row, specs);
        if (!job) {
            ++out.not_expressed[file + ": " + job.error().message];
            return;
        }
        const std::optional<Seconds> measured = measured_step(row, *job);
        if (!measured || !estimate(*job)) {
            ++out.not_expressed[file + ": no step time, or a layout that is not legal"];
            return;
        }
        Run r;
        r.gpu = job->cluster.accelerator.efficiency_id;
        r.fabric = job->cluster.fabric.efficiency_id;
        r.framework = job->assumptions.framework == Framework::fsdp ? "fsdp" : "megatron";
        r.source = std::string(row.text("source_family"));
        r.measured = measured->value();
        const Expected<KernelConstants> kernels = read_kernel_constants(specs, r.gpu);
        const Expected<CollectiveConstants> links = read_collective_constants(specs, r.gpu, r.fabric);
        if (!kernels || !links)
            return;
        r.kernels = *kernels;
        r.links = *links;
        r.job = std::move(*job);
        m_runs.push_back(std::move(r));
    }

    static double step(Run& r, const TrainingConstants& constants)
    {
        r.job.kernels = r.kernels;
        r.job.collectives = r.links;
        r.job.training = constants;
        sustain(r.job.kernels, r.job.collectives, constants, r.job.cluster.accelerator, r.framework == "fsdp");
        const QuickEstimate e = QuickEstimator()(r.job);
        return e.possible() ? e.training->step.value() : r.measured;
    }

    [[nodiscard]] double residual(Run& r, const TrainingWorld& world) const
    {
        TrainingConstants c;
        if (const auto gpu = world.gpus.find(r.gpu); gpu != world.gpus.end())
            c.rates = gpu->second;
        c.rates.tdp = r.job.training.rates.tdp;
        if (const auto fabric = world.fabrics.find(fabric_like(r.fabric)); fabric != world.fabrics.end())
            c.links = fabric->second;
        c.framework = world.frameworks.at(r.framework);
        c.overlap = world.overlap;
        c.power_exponent = world.power_exponent;
        for (std::size_t i = 0; i < r.known; ++i)
            if (r.answers[i].first == c)
                return r.answers[i].second;
        const double out = std::log(step(r, c) / r.measured);
        // The first place keeps the point that derivatives are taken around; the others take turns.
        r.answers[r.next] = {c, out};
        r.known = std::max(r.known, r.next + 1);
        r.next = r.next + 1 < r.answers.size() ? r.next + 1 : 1;
        return out;
    }

    // Rows: the runs, then what each constant is drawn to, both of its start and of the one it is like.
    FitProblem make_problem()
    {
        FitProblem p;
        for (const TrainingConstant& c : m_constants)
            p.parameters.push_back(c.parameter);
        p.rows = m_runs.size() + 2 * m_constants.size();
        p.robust_scale = robust_scale;
        p.residuals = [this](std::span<const double> values, std::span<const std::size_t> rows, std::span<double> out) {
            TrainingWorld world;
            for (std::size_t i = 0; i < m_constants.size(); ++i)
                m_constants[i].set(world, values[i]);
            for (std::size_t i = 0; i < rows.size(); ++i)
                out[i] = rows[i] < m_runs.size() ? residual(m_runs[rows[i]], world) : pull(values, rows[i] - m_runs.size());
        };
        return p;
    }

    [[nodiscard]] double pull(std::span<const double> values, std::size_t row) const
    {
        const std::size_t i = row / 2;
        const TrainingConstant& c = m_constants[i];
        if (row % 2 == 0)
            return robust_scale * std::log(values[i] / c.parameter.start) / c.width;
        return c.like.empty() ? 0.0 : robust_scale * std::log(values[i] / values[m_index.at(c.like)]) / c.like_width;
    }

    [[nodiscard]] std::vector<double> runs_of(std::vector<double> residuals) const
    {
        residuals.resize(m_runs.size());
        return residuals;
    }

    // Residual of each run under a fit that saw no run of its source.
    std::vector<double> by_source(const FitProblem& problem)
    {
        std::set<std::string> sources;
        for (const Run& r : m_runs)
            sources.insert(r.source);
        std::vector<double> out(m_runs.size());
        for (const std::string& source : sources) {
            std::vector<std::size_t> in, left;
            for (std::size_t i = 0; i < problem.rows; ++i)
                (i < m_runs.size() && m_runs[i].source == source ? left : in).push_back(i);
            const Fit fit = fit_least_squares(problem, in);
            std::vector<double> r(left.size());
            problem.residuals(fit.values, left, r);
            for (std::size_t i = 0; i < left.size(); ++i)
                out[left[i]] = r[i];
        }
        return out;
    }

    std::vector<double> shipped_residuals(const SpecStore& specs)
    {
        std::vector<double> out;
        for (Run& r : m_runs) {
            const Expected<TrainingConstants> c = read_training_constants(specs, r.gpu, r.fabric, r.framework);
            out.push_back(c ? std::log(step(r, *c) / r.measured) : 0.0);
        }
        return out;
    }

    template <typename Of> FitError error_where(const std::vector<double>& residuals, Of&& of) const
    {
        std::vector<double> some;
        for (std::size_t i = 0; i < m_runs.size(); ++i)
            if (of(m_runs[i]))
                some.push_back(residuals[i]);
        return error_of(some);
    }

    void write(const std::vector<double>& values, const std::vector<double>& shipped, const std::vector<double>& refit, const std::vector<double>& left, const Wanted& wanted, FittedLaws& out) const
    {
        std::map<std::pair<std::string, std::string>, FittedLaw> laws;
        for (std::size_t i = 0; i < m_constants.size(); ++i) {
            const TrainingConstant& c = m_constants[i];
            if (!wanted(c.document))
                continue;
            FittedLaw& law = laws[{c.document, c.pointer}];
            law.document = c.document;
            law.pointer = c.pointer;
            for (const std::string& name : c.names)
                law.constants.push_back({name, 0.0, rounded(c.written(values[i]), 0.0)});
        }
        for (auto& [at, law] : laws) {
            const auto of_law = [&](const Run& r) {
                return law.document == "training" || r.gpu == law.document || (r.job.cluster.nodes > 1 && fabric_like(r.fabric) == law.document);
            };
            law.shipped = error_where(shipped, of_law);
            law.refit = error_where(refit, of_law);
            law.left_out = error_where(left, of_law);
            law.left_out_by = {{"sources", law.left_out}};
            if (law.pointer == "/training" && !law.document.starts_with("efa") && !law.document.starts_with("infiniband"))
                for (const bool experts : {false, true}) {
                    const auto of_kind = [&](const Run& r) { return r.job.model.is_moe() == experts; };
                    FitError e = error_where(left, [&](const Run& r) { return of_law(r) && of_kind(r); });
                    if (e.rows < static_cast<int>(least_rows)) {
                        const int own = e.rows;
                        e = error_where(left, of_kind);
                        e.rows = own;
                    }
                    const std::string kind = experts ? "mixture/" : "dense/";
                    law.constants.push_back({kind + "residual_median", 0.0, e.median});
                    law.constants.push_back({kind + "residual_p90", 0.0, e.p90});
                    law.constants.push_back({kind + "rows", 0.0, static_cast<double>(e.rows)});
                }
            out.laws.push_back(std::move(law));
        }
    }

    std::vector<TrainingConstant> m_constants;
    std::map<std::string, std::size_t> m_index;
    std::vector<Run> m_runs;
};

} // namespace

Status fit_training(const std::vector<MeasurementFile>& files, const SpecStore& specs, const Wanted& wanted, FittedLaws& out)
{
    TrainingFit fit(files, specs, out);
    if (!fit.empty())
        fit.run(specs, wanted, out);
    return Done{};
}

} // namespace ridgepoint

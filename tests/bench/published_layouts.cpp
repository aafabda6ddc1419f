// How layouts that people tuned and published rank among all legal layouts of the same model, GPUs, sequence, batch, precision
// and software, as the engine sees them. Prints a line per published layout and a summary; asserts nothing.
// usage: published_layouts TRAINING.csv

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "model/calibration/training_rows.h"
#include "model/estimate/quick.h"
#include "model/search/space.h"

using namespace ridgepoint;

namespace {

struct Rank {
    std::uint64_t fit = 0; // layouts that fit in memory
    std::uint64_t faster = 0; // than the published one, of those
    Seconds published;
    Seconds best;
    Layout best_layout;
    bool published_fits = false;
    double use = 0; // memory of the published one by capacity
};

std::string text_of(const Layout& l)
{
    return fmt::format("tp{} pp{} vpp{} cp{} ep{} etp{} mbs{} recompute{}", l.tp, l.pp, l.vpp, l.cp, l.ep, l.etp, l.micro_batch, static_cast<int>(l.recompute));
}

// What a user may choose for given software: degrees, microbatch, schedule, recomputation. Overlap and sharding stay.
SearchSpace space_of(const Job& job)
{
    Plan plan;
    plan.layout = job.layout;
    plan.workload = job.workload;
    SearchSpace s = default_space(plan, job);
    s.sharding = {job.layout.sharding};
    s.schedule = {PipelineSchedule::one_f_one_b, PipelineSchedule::interleaved};
    s.sequence_parallel = {job.layout.sequence_parallel || job.layout.tp == 1};
    s.overlap_tp = {job.layout.overlap_tp};
    s.overlap_moe = {job.layout.overlap_moe};
    s.expert_kernels = {job.layout.expert_dispatch_rdma};
    s.etp = {1};
    if (job.layout.etp > 1)
        s.etp.push_back(job.layout.etp);
    return s;
}

std::optional<Rank> rank(Job job)
{
    QuickEstimator quick;
    const QuickEstimate own = quick(job);
    if (!own.possible())
        return std::nullopt;
    Rank r;
    r.published = own.training->step;
    r.published_fits = own.headroom() >= Bytes{};
    r.use = own.memory / own.capacity;
    r.best = r.published;
    r.best_layout = job.layout;
    const SearchSpace space = space_of(job);
    const Layout base = job.layout;
    const std::vector<int> gpus = {job.cluster.gpus};
    for (std::uint64_t i = 0; i < space.points(); ++i) {
        const SearchPoint p = point_at(space, i, base, gpus);
        if (p.layout.dp == 0 || !is_canonical(p.layout, space, true))
            continue;
        job.layout = p.layout;
        const QuickEstimate e = quick(job);
        if (!e.possible() || e.headroom() < Bytes{})
            continue;
        ++r.fit;
        r.faster += e.training->step < r.published ? 1 : 0;
        if (e.training->step < r.best) {
            r.best = e.training->step;
            r.best_layout = p.layout;
        }
    }
    return r;
}

double at(std::vector<double> v, double share)
{
    if (v.empty())
        return 0;
    std::sort(v.begin(), v.end());
    return v[static_cast<std::size_t>(share * static_cast<double>(v.size() - 1))];
}

void summary(const char* what, const std::vector<Rank>& ranks)
{
    std::vector<double> place, lead;
    for (const Rank& r : ranks) {
        place.push_back(100.0 * static_cast<double>(r.faster) / static_cast<double>(std::max<std::uint64_t>(r.fit, 1)));
        lead.push_back(100.0 * (r.published / r.best - 1.0));
    }
    fmt::print("{:<6} {:>4} layouts: faster ones that fit, median {:.1f} %, p90 {:.1f} % of all; the best is faster by {:.1f} % at the median, {:.1f} % at p90; {} published ones do not fit\n", what,
        ranks.size(), at(place, 0.5), at(place, 0.9), at(lead, 0.5), at(lead, 0.9), std::count_if(ranks.begin(), ranks.end(), [](const Rank& r) { return !r.published_fits; }));
}

} // namespace

int main(int argc, char** argv)
{
    if (argc != 2)
        return fmt::print(stderr, "usage: published_layouts TRAINING.csv\n"), 2;
    const Expected<SpecStore> specs = SpecStore::load_default();
    const Expected<CsvTable> table = read_csv(argv[1]);
    if (!specs || !table)
        return fmt::print(stderr, "{}\n", (specs ? table.error() : specs.error()).text()), 2;
    std::set<std::string> seen;
    std::map<bool, std::vector<Rank>> ranks; // by whether the model has experts
    for (std::size_t i = 0; i < table->rows.size(); ++i) {
        const CsvRow row(*table, i);
        const Expected<Job> job = job_of_training_row(row, *specs);
        if (!job)
            continue;
        const auto& t = std::get<Training>(job->workload);
        const std::string name = fmt::format("{} {}x{} {} seq {} gbs {}", row.text("model"), job->cluster.gpus, row.text("gpu"), row.text("precision"), t.sequence_length, t.global_batch);
        if (!seen.insert(name + text_of(job->layout) + std::string(row.text("framework"))).second)
            continue;
        const std::optional<Rank> r = rank(*job);
        if (!r)
            continue;
        ranks[job->model.is_moe()].push_back(*r);
        fmt::print("{:<72} {:>6} of {:>6} faster, best {:+.1f} %{}: {} -> {}\n", name, r->faster, r->fit, 100.0 * (r->best / r->published - 1.0),
            r->published_fits ? "" : fmt::format(" (published: does not fit, {:.0f} % of capacity)", 100.0 * r->use), text_of(job->layout), text_of(r->best_layout));
        std::fflush(stdout);
    }
    summary("dense", ranks[false]);
    summary("MoE", ranks[true]);
    return 0;
}

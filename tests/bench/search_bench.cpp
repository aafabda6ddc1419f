// How fast a search goes, beside what was measured of a peer on the same model and number of GPUs. Prints figures; asserts
// nothing. usage: search_bench [PEER.json]

#include <chrono>
#include <cstdio>
#include <fstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "model/estimate/quick.h"
#include "model/project/resolve.h"
#include "model/search/axes.h"
#include "model/search/search.h"

using namespace ridgepoint;

namespace {

Plan gpt3()
{
    Plan p;
    p.name = "GPT-3 175B on 512 A100";
    p.model = "gpt3-175b";
    p.instance = "p4de.24xlarge";
    p.nodes = 64;
    Training t;
    t.sequence_length = 2048;
    t.global_batch = 512;
    p.workload = t;
    return p;
}

void print(const char* what, const SearchResult& r)
{
    fmt::print("{:<12} {:>10} points in {:.2f} s: {:.0f} points/s, {:.0f} complete estimates/s, {} fit\n", what, r.points, r.elapsed.value(),
        static_cast<double>(r.points) / r.elapsed.value(), static_cast<double>(r.estimated) / r.elapsed.value(), r.feasible);
}

// The estimates of the legal points alone, without finding them.
void print_estimates(const SearchProblem& problem)
{
    std::vector<Layout> legal;
    Job job = problem.job(problem.point(0));
    QuickEstimator finder;
    for (std::uint64_t i = 0; i < problem.space().points(); ++i) {
        const SearchPoint p = problem.point(i);
        if (p.layout.dp == 0 || !is_canonical(p.layout, problem.space(), true))
            continue;
        job.layout = p.layout;
        if (finder(job).possible())
            legal.push_back(p.layout);
    }
    QuickEstimator quick;
    double steps = 0.0;
    const auto start = std::chrono::steady_clock::now();
    for (const Layout& l : legal) {
        job.layout = l;
        steps += quick(job).training->step.value();
    }
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    fmt::print("estimates    {:>10} legal points in {:.2f} s on one core: {:.0f} complete estimates/s (steps sum to {})\n", legal.size(), seconds, static_cast<double>(legal.size()) / seconds, steps);
}

// calculon's own search space for the same model and GPUs, as it was sampled (pinned to one core).
void print_peer(const char* file)
{
    std::ifstream in(file);
    const nlohmann::json peer = nlohmann::json::parse(in, nullptr, false);
    if (!peer.is_object() || !peer.contains("calculon_random_sample_of_full_search_space"))
        return;
    for (const nlohmann::json& s : peer["calculon_random_sample_of_full_search_space"])
        if (s.value("app", "") == "models/gpt3-175B.json" && s.value("procs", 0) == 512)
            fmt::print("calculon     {:>10} points, {:.0f} points/s, {:.1f} ms a good one: {:.1f} h on one core (extrapolated from {} points; {})\n",
                s.value("total_space", 0), s.value("configs_per_s", 0.0), s.value("good_ms_median", 0.0), s.value("exhaustive_search_single_core_hours_extrapolated", 0.0),
                s.value("sampled", 0), peer.value("machine", ""));
}

} // namespace

int main(int argc, char** argv)
{
    const Expected<SpecStore> specs = SpecStore::load_default();
    if (!specs)
        return fmt::print(stderr, "{}\n", specs.error().text()), 2;
    const Expected<Job> job = resolve(gpt3(), *specs);
    if (!job)
        return fmt::print(stderr, "{}\n", job.error().text()), 2;
    SearchSpace space = default_space(gpt3(), *job);
    for (const char* axis : {"overlap_grad_reduce", "overlap_param_gather", "cuda_graphs"}) // at least as many points as the peer has
        if (const Status s = set_axis(space, gpt3(), axis, {"true", "false"}); !s)
            return fmt::print(stderr, "{}\n", s.error().text()), 2;
    const Expected<SearchProblem> problem = SearchProblem::make(gpt3(), space, *specs);
    if (!problem)
        return fmt::print(stderr, "{}\n", problem.error().text()), 2;
    SearchOptions options;
    options.threads = 1;
    print("one thread", search(*problem, options));
    options.threads = 0;
    print("all threads", search(*problem, options));
    print_estimates(*problem);
    if (argc > 1)
        print_peer(argv[1]);
    return 0;
}

#include <algorithm>
#include <limits>

#include "model/project/resolve.h"
#include "model/search/search.h"

namespace ridgepoint {

Expected<SearchProblem> SearchProblem::make(const Plan& plan, SearchSpace space, const SpecStore& specs)
{
    SearchProblem out;
    out.m_plan = plan;
    out.m_space = std::move(space);
    std::optional<Error> refused;
    bool any = false;
    for (const ClusterChoice& c : out.m_space.clusters) {
        int gpus = 0;
        for (const std::string& recipe : out.m_space.recipes) {
            Plan p = plan;
            p.instance = c.instance;
            p.nodes = c.nodes;
            p.gpus = c == ClusterChoice{plan.instance, plan.nodes} ? plan.gpus : 0;
            p.precision.recipe = recipe;
            p.layout = {}; // only what no layout decides is resolved here
            Variant v;
            Expected<Job> job = resolve(p, specs);
            if (job) {
                any = true;
                gpus = job->cluster.gpus;
                job->layout = plan.layout;
                v.job = std::move(*job);
                if (Expected<Price> price = price_of(p, specs))
                    v.price = std::move(*price);
            } else if (job.error().kind != ErrorKind::infeasible) {
                return job.error();
            } else {
                refused = job.error();
            }
            out.m_variants.push_back(std::move(v));
        }
        out.m_gpus.push_back(gpus);
    }
    if (!any)
        return refused ? *refused : infeasible("The space has no cluster or no precision recipe", "Name at least one of each");
    return out;
}

const Job* SearchProblem::base(const SearchPoint& p) const
{
    const Variant& v = variant(p);
    return v.job ? &*v.job : nullptr;
}

std::optional<SearchPoint> SearchProblem::own() const
{
    SearchPoint p;
    const auto cluster = std::ranges::find(m_space.clusters, ClusterChoice{m_plan.instance, m_plan.nodes});
    const auto recipe = std::ranges::find(m_space.recipes, m_plan.precision.recipe);
    if (cluster == m_space.clusters.end() || recipe == m_space.recipes.end())
        return std::nullopt;
    p.cluster = static_cast<std::size_t>(cluster - m_space.clusters.begin());
    p.recipe = static_cast<std::size_t>(recipe - m_space.recipes.begin());
    if (base(p) == nullptr)
        return std::nullopt;
    p.layout = m_plan.layout;
    if (p.layout.dp == 0) // whatever the GPUs leave; 0 where the degrees do not divide them, which no rule allows
        if (const int one = std::max(1, p.layout.tp * p.layout.cp * p.layout.pp); m_gpus[p.cluster] % one == 0)
            p.layout.dp = m_gpus[p.cluster] / one;
    if (const auto* serving = std::get_if<Serving>(&m_plan.workload))
        take(*serving, p);
    return p;
}

void SearchProblem::put(const SearchPoint& p, Job& job)
{
    job.layout = p.layout;
    if (auto* serving = std::get_if<Serving>(&job.workload))
        put(p, *serving);
}

void SearchProblem::put(const SearchPoint& p, Serving& w)
{
    w.concurrency = p.concurrency;
    w.pool.workers = p.prompt_workers;
    w.pool.decode_workers = p.decode_workers;
    w.pool.tp = p.prompt_tp;
    w.pool.ep = p.prompt_ep;
}

void SearchProblem::take(const Serving& w, SearchPoint& p)
{
    p.concurrency = w.concurrency;
    p.prompt_workers = w.pool.workers;
    p.decode_workers = w.pool.decode_workers;
    p.prompt_tp = w.pool.tp;
    p.prompt_ep = w.pool.ep;
}

Job SearchProblem::job(const SearchPoint& p) const
{
    Job j = *base(p);
    put(p, j);
    return j;
}

Plan SearchProblem::plan_of(const SearchPoint& p) const
{
    Plan out = m_plan;
    const ClusterChoice& c = m_space.clusters[p.cluster];
    if (c.instance != out.instance || c.nodes != out.nodes)
        out.gpus = 0;
    out.instance = c.instance;
    out.nodes = c.nodes;
    out.precision.recipe = m_space.recipes[p.recipe];
    out.layout = p.layout;
    out.layout.dp = 0; // what the GPUs leave, as in a plan made by hand
    if (auto* serving = std::get_if<Serving>(&out.workload))
        put(p, *serving);
    return out;
}

FoundPlan SearchProblem::found(const SearchPoint& p, const QuickEstimate& e) const
{
    const Variant& v = variant(p);
    const Job& job = *v.job;
    FoundPlan f;
    f.point = p;
    f.headroom = e.headroom();
    f.bound = e.time.bound();
    f.time = e.time.total();
    const UnitCost cost = unit_cost(e.time, e.training, e.serving, job, v.price ? std::optional(v.price->per_gpu) : std::nullopt, m_plan.price.utilization);
    f.energy_per_token = cost.energy_per_token;
    f.cost_per_token = cost.per_token ? cost.per_token : cost.per_input_token;
    if (e.training) {
        f.tokens_per_second = e.training->tokens_per_second;
        f.tokens_per_second_per_gpu = e.training->tokens_per_second_per_gpu;
        f.mfu = e.training->mfu;
    } else {
        const ServingResult& s = *e.serving;
        const bool prefill = s.output_per_second_per_gpu <= TokensPerSecond{};
        f.tokens_per_second_per_gpu = prefill ? s.input_per_second_per_gpu : s.output_per_second_per_gpu;
        f.tokens_per_second = f.tokens_per_second_per_gpu * static_cast<double>(job.cluster.gpus);
        if (s.prompt_gpu_share) { // whole units only: GPUs that are left over cost and do nothing
            f.tokens_per_second = s.output_per_second * s.replicas;
            f.tokens_per_second_per_gpu = f.tokens_per_second / static_cast<double>(job.cluster.gpus);
        }
        f.mfu = s.mfu;
        f.ttft = s.ttft;
    }
    return f;
}

std::optional<Rejection> SearchProblem::rejection(const FoundPlan& f, const QuickEstimate& e, const SearchLimits& limits) const
{
    if (f.headroom < limits.headroom)
        return Rejection::memory;
    if (e.serving) {
        if (e.serving->largest_batch < f.point.concurrency)
            return Rejection::largest_batch;
        if (limits.ttft && e.serving->ttft > *limits.ttft)
            return Rejection::ttft;
        if (limits.tpot && e.serving->tpot > *limits.tpot)
            return Rejection::tpot;
    }
    const Variant& v = variant(f.point);
    const double rented = static_cast<double>(v.job->cluster.nodes) * v.job->cluster.node.accelerators;
    if (limits.rate && (!v.price || v.price->per_gpu * rented > *limits.rate))
        return Rejection::rate;
    if (e.training && (limits.deadline || limits.run)) {
        if (!e.training->time_to_train)
            return Rejection::deadline;
        const Seconds paid = *e.training->time_to_train / m_plan.price.utilization;
        if (limits.deadline && paid > *limits.deadline)
            return Rejection::deadline;
        if (limits.run && (!v.price || v.price->per_gpu * rented * paid > *limits.run))
            return Rejection::budget;
    }
    return std::nullopt;
}

double FoundPlan::score(Objective o) const
{
    constexpr double unknown = std::numeric_limits<double>::infinity();
    switch (o) {
    case Objective::throughput:
        return -tokens_per_second.value();
    case Objective::throughput_per_gpu:
        return -tokens_per_second_per_gpu.value();
    case Objective::cost_per_token:
        return cost_per_token ? cost_per_token->value() : unknown;
    case Objective::energy_per_token:
        return energy_per_token.value() > 0.0 ? energy_per_token.value() : unknown;
    case Objective::latency:
        return time.value();
    }
    return unknown;
}

} // namespace ridgepoint

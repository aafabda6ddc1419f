#include "model/calibration/observations.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "model/calibration/kernel_operators.h"
#include "model/collectives/collectives.h"
#include "model/estimate/estimate.h"
#include "model/trace/queries.h"
#include "model/units/format.h"

namespace ridgepoint {
namespace {

double shared_weight(std::size_t rows) { return rows > 4 ? 1.0 / std::sqrt(static_cast<double>(rows) / 4.0) : 1.0; }

std::optional<Seconds> positive(Seconds t) { return t > Seconds{} ? std::optional(t) : std::nullopt; }

// --- Profiler timelines

std::optional<Seconds> predicted_class(const Job& job, OperatorClass wanted)
{
    const Expected<Estimate> e = estimate(job);
    if (!e)
        return std::nullopt;
    Seconds sum;
    for (const Operator& op : e->operators)
        if (class_of(op.kind) == wanted && op.kind != OperatorKind::optimizer)
            sum += op.total_time();
    if (wanted == OperatorClass::memory)
        sum += e->breakdown[StepPart::optimizer].total();
    return positive(sum);
}

std::optional<Collective> law_of(CollectiveType t)
{
    switch (t) {
    case CollectiveType::all_reduce:
        return Collective::all_reduce;
    case CollectiveType::all_gather:
        return Collective::all_gather;
    case CollectiveType::reduce_scatter:
        return Collective::reduce_scatter;
    case CollectiveType::all_to_all:
        return Collective::all_to_all;
    case CollectiveType::send_recv:
        return Collective::send_recv;
    default:
        return std::nullopt;
    }
}

// n ranks on so many nodes, as full as they can be. None: the group's place cannot be told.
std::optional<GroupPlacement> place(int ranks, int nodes, const Node& node)
{
    if (ranks < 2 || nodes < 1)
        return std::nullopt;
    GroupPlacement g;
    g.ranks = ranks;
    g.domains = ranks <= node.nvlink_domain && nodes * node.accelerators <= std::max(node.nvlink_domain, node.accelerators) ? 1 : nodes;
    if (ranks % g.domains != 0)
        return std::nullopt;
    g.ranks_per_domain = ranks / g.domains;
    g.groups_per_domain = 1;
    return g;
}

std::optional<Seconds> collective_time(const Job& job, Collective op, Bytes size, const GroupPlacement& group)
{
    return positive(collective_cost({op, size, group}, job.cluster, job.collectives).time.total());
}

void observe_classes(const Timeline& t, const std::string& file, Observations& out)
{
    const TimelineSummary s = summarize(t);
    const double steps = std::max<double>(1.0, static_cast<double>(s.step_durations.size()));
    struct Kind {
        OperatorClass operators;
        MeasuredPart part;
        const char* what;
    };
    for (const Kind& k : {Kind{OperatorClass::gemm, MeasuredPart::products, "Matrix products of a step"},
             Kind{OperatorClass::attention, MeasuredPart::attention, "Attention of a step"}, Kind{OperatorClass::memory, MeasuredPart::memory, "Memory-bound kernels of a step"}}) {
        Seconds sum;
        for (const ClassTotal& c : s.classes)
            if (compared_class_of(c.kernel_class) == k.operators)
                sum += c.sum;
        if (sum > Seconds{})
            out.rows.push_back({k.what, file, k.part, sum * (1.0 / steps), 1.0, [c = k.operators](const Job& job) { return predicted_class(job, c); }});
    }
    if (s.step_durations.empty()) {
        out.notes.push_back(fmt::format("{} marks no steps: its whole window is taken for one step of the plan.", file));
        return;
    }
    std::vector<Seconds> d = s.step_durations;
    std::sort(d.begin(), d.end());
    out.rows.push_back({"Step", file, MeasuredPart::step, d[d.size() / 2], 1.0, [](const Job& job) -> std::optional<Seconds> {
                            const Expected<Estimate> e = estimate(job);
                            return e ? positive(e->time.total()) : std::nullopt;
                        }});
    if (t.with_stack)
        out.notes.push_back(fmt::format("{} was recorded with Python stacks, which slow the host down: its steps are longer than without.", file));
}

// The fastest execution of each kind and size: the others wait for their peers.
void observe_trace_collectives(const Timeline& t, const std::string& file, const Job& job, Observations& out)
{
    const std::vector<CollectiveTotal> totals = collective_totals(t);
    std::vector<Observation> rows;
    for (const CollectiveTotal& c : totals) {
        const auto op = law_of(c.type);
        if (!op || c.size <= Bytes{} || c.group_size < 2 || c.fastest <= Seconds{})
            continue;
        const Node& node = job.cluster.node;
        const bool one_node = t.world_size > 0 && t.world_size <= node.nvlink_domain;
        const bool spans = c.group_size > node.nvlink_domain;
        if (!one_node && !spans)
            continue; // a small group of a large job may lie in one node or in many
        const auto group = place(c.group_size, one_node ? 1 : (c.group_size + node.accelerators - 1) / std::max(1, node.accelerators), node);
        if (!group)
            continue;
        rows.push_back({fmt::format("{} of {} over {} GPUs, fastest of {}", name_of(c.type), format(c.size), c.group_size, c.count), file,
            group->domains == 1 ? MeasuredPart::domain : MeasuredPart::network, c.fastest, 1.0,
            [op = *op, size = c.size, g = *group](const Job& j) { return collective_time(j, op, size, g); }});
    }
    for (Observation& r : rows) {
        r.weight = shared_weight(rows.size());
        out.rows.push_back(std::move(r));
    }
    if (!totals.empty() && rows.empty())
        out.notes.push_back(fmt::format("{} does not tell size and place of its collectives: none is compared one by one.", file));
}

// --- Collective benchmarks

void observe_sweep(const CollectiveSweep& sweep, const std::string& file, const Job& job, Observations& out)
{
    const auto op = law_of(sweep.type);
    const Node& node = job.cluster.node;
    const int nodes = sweep.hosts > 0 ? sweep.hosts : std::max(1, (sweep.ranks + node.accelerators - 1) / std::max(1, node.accelerators));
    const auto group = place(sweep.ranks, nodes, node);
    if (!op || !group) {
        out.notes.push_back(fmt::format("{}: {} over {} ranks on {} hosts has no law here.", file, sweep.test.empty() ? "a sweep" : sweep.test, sweep.ranks, nodes));
        return;
    }
    if (group->domains > 1 && job.cluster.nodes == 1)
        out.notes.push_back(fmt::format("{} ran on {} hosts; the plan has one node, whose fabric is taken.", file, nodes));
    std::vector<Observation> rows;
    for (const CollectiveRow& r : sweep.rows) {
        const auto& timing = r.out_of_place ? r.out_of_place : r.in_place;
        if (!timing || timing->time <= Seconds{} || r.size <= Bytes{})
            continue;
        rows.push_back({fmt::format("{} of {} over {} GPUs on {} node{}", name_of(*op), format(r.size), sweep.ranks, group->domains, group->domains == 1 ? "" : "s"), file,
            group->domains == 1 ? MeasuredPart::domain : MeasuredPart::network, timing->time, 1.0,
            [op = *op, size = r.size, g = *group](const Job& j) { return collective_time(j, op, size, g); }});
    }
    for (Observation& r : rows) {
        r.weight = shared_weight(rows.size());
        out.rows.push_back(std::move(r));
    }
}

// --- Training logs

void observe_log(const TrainingLog& log, const std::string& file, const Job& job, Observations& out)
{
    const auto* training = std::get_if<Training>(&job.workload);
    if (training == nullptr) {
        out.notes.push_back(fmt::format("{} is of a training run; the plan serves.", file));
        return;
    }
    if (log.global_batch && *log.global_batch != training->global_batch)
        out.notes.push_back(fmt::format("{} ran with a batch of {} sequences, the plan has {}.", file, *log.global_batch, training->global_batch));
    const SteadyPart steady = steady_part(log);
    std::optional<Seconds> step = steady.step;
    if (!step && steady.tokens_per_second_per_gpu && *steady.tokens_per_second_per_gpu > TokensPerSecond{}) {
        const double tokens = static_cast<double>(training->global_batch) * training->sequence_length;
        step = Seconds{tokens / (steady.tokens_per_second_per_gpu->value() * std::max(1, job.cluster.gpus))};
        out.notes.push_back(fmt::format("{} states tokens per second and GPU; the step follows with the plan's batch and GPUs.", file));
    }
    if (!step) {
        out.notes.push_back(fmt::format("{} states no step time.", file));
        return;
    }
    out.rows.push_back({fmt::format("Training step, median of {}", steady.used), file, MeasuredPart::step, *step, 1.0, [](const Job& j) -> std::optional<Seconds> {
                            const Expected<Estimate> e = estimate(j);
                            return e && e->training ? positive(e->training->step) : std::nullopt;
                        }});
}

// --- Serving benchmarks

// The plan's job at the run's lengths and concurrency.
std::optional<Job> at_run(const Job& job, const ServingRun& run, int concurrency)
{
    Job j = job;
    auto* s = std::get_if<Serving>(&j.workload);
    if (s == nullptr || run.completed <= 0)
        return std::nullopt;
    s->phase = ServingPhase::serving;
    s->concurrency = concurrency;
    if (run.input_tokens)
        s->input_length = std::max(1, static_cast<int>(*run.input_tokens / run.completed));
    if (run.output_tokens)
        s->output_length = std::max(1, static_cast<int>(*run.output_tokens / run.completed));
    return j;
}

void observe_run(const ServingRun& run, const std::string& file, const Job& job, Observations& out)
{
    const auto note = [&](const std::string& why) { out.notes.push_back(fmt::format("{}: {}", file, why)); };
    if (!std::holds_alternative<Serving>(job.workload))
        return note("a serving run; the plan trains.");
    if (run.tp && *run.tp != job.layout.tp)
        return note(fmt::format("run with tensor parallelism {}, the plan has {}.", *run.tp, job.layout.tp));
    const Expected<Estimate> e = estimate(job);
    if (!e || !e->serving)
        return note("the plan cannot be estimated.");
    std::optional<double> in_flight = run.in_flight();
    if (run.max_concurrency && (!in_flight || *run.max_concurrency < *in_flight))
        in_flight = *run.max_concurrency;
    if (!in_flight || !(*in_flight >= 0.5) || !(*in_flight < 1e7))
        return note("the run does not tell how many requests were in flight.");
    const int concurrency = std::max(1, static_cast<int>(std::lround(*in_flight / std::max(1, e->serving->replicas))));
    const auto add = [&](const std::string& what, std::optional<Seconds> measured, MeasuredPart part, auto get) {
        if (measured && *measured > Seconds{})
            out.rows.push_back({fmt::format("{}, {} in flight", what, concurrency), file, part, *measured, 1.0,
                [run, concurrency, get](const Job& j) -> std::optional<Seconds> {
                    const std::optional<Job> there = at_run(j, run, concurrency);
                    if (!there)
                        return std::nullopt;
                    const Expected<Estimate> x = estimate(*there);
                    return x && x->serving ? positive(get(*x->serving)) : std::nullopt;
                }});
    };
    const auto typical = [](const LatencyStatistics& l) { return l.median ? l.median : l.mean; };
    add("Time per output token", run.time_behind_first(), MeasuredPart::step, [](const ServingResult& s) { return s.tpot; });
    // Under an open load, waiting is part of the measured time to first token; only a closed loop compares.
    if (run.max_concurrency)
        add("Time to first token", typical(run.ttft), MeasuredPart::step, [](const ServingResult& s) { return s.ttft; });
}

} // namespace

Observations observe(const Measured& m, const Job& job)
{
    Observations out;
    if (const auto* t = std::get_if<Timeline>(&m.content)) {
        observe_classes(*t, m.file, out);
        observe_trace_collectives(*t, m.file, job, out);
    } else if (const auto* c = std::get_if<CollectiveBenchmark>(&m.content)) {
        for (const CollectiveSweep& sweep : c->sweeps)
            observe_sweep(sweep, m.file, job, out);
    } else if (const auto* l = std::get_if<TrainingLog>(&m.content)) {
        observe_log(*l, m.file, job, out);
    } else if (const auto* s = std::get_if<ServingBenchmark>(&m.content)) {
        for (const ServingRun& run : s->runs)
            observe_run(run, m.file, job, out);
    } else {
        out.notes.push_back(fmt::format("{} ({}) holds no time that a plan predicts.", m.file, m.format));
    }
    return out;
}

Observations observe(const std::vector<Measured>& measured, const Job& job)
{
    Observations all;
    for (const Measured& m : measured) {
        Observations one = observe(m, job);
        std::move(one.rows.begin(), one.rows.end(), std::back_inserter(all.rows));
        std::move(one.notes.begin(), one.notes.end(), std::back_inserter(all.notes));
    }
    return all;
}

std::vector<ObservedResidual> residuals(const Observations& observations, const Job& job)
{
    std::vector<ObservedResidual> out;
    for (const Observation& o : observations.rows)
        if (const auto predicted = o.predict(job))
            out.push_back({o, *predicted});
    std::stable_sort(out.begin(), out.end(), [](const ObservedResidual& a, const ObservedResidual& b) { return std::abs(a.error()) > std::abs(b.error()); });
    return out;
}

} // namespace ridgepoint

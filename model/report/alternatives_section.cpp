// What else was looked at: other layouts, other machines, single changes.

#include <algorithm>

#include <fmt/format.h>

#include "model/hardware/read.h"
#include "model/report/run_figures.h"
#include "model/report/search_tables.h"
#include "model/report/sections.h"
#include "model/report/texts.h"
#include "model/search/search.h"
#include "model/units/format.h"

namespace ridgepoint {
namespace {

std::vector<std::string> row_of(const Evaluation& v, std::string name)
{
    const Estimate& e = v.estimate;
    const Cost& c = v.cost;
    const double mfu = e.training ? e.training->mfu : e.serving->mfu;
    const bool prefill = e.serving && e.serving->output_per_second_per_gpu.value() <= 0;
    const Seconds time = e.training ? e.training->step : prefill ? e.serving->ttft : e.serving->tpot;
    const auto& token_price = c.per_token ? c.per_token : c.per_input_token;
    return {std::move(name), group_thousands(v.job.cluster.nodes), e.memory.fits() ? format(e.memory.headroom()) : "does not fit (" + format(-e.memory.headroom()) + " short)",
        format(time), format_number(throughput_per_gpu(e)), format_percent(mfu), std::string(name_of(e.bound())), c.price ? format(c.per_month) : "-",
        token_price ? format(Dollars{token_price->value() * 1e6}) : "-"};
}

std::vector<std::string> header_of(const Evaluation& v)
{
    const char* time = v.estimate.training ? "Step time" : throughput_per_gpu(v.estimate) == v.estimate.serving->input_per_second_per_gpu.value() ? "TTFT" : "TPOT";
    return {"Choice", "Nodes", "Headroom", time, "Tokens/s per GPU", "MFU", "Bound by", "USD per month", "USD per 1M tokens"};
}

// Rented types that are not the plan's own, in the order of the catalogue.
std::vector<std::string> other_instances(const ReportInput& in)
{
    std::vector<std::string> out;
    for (const std::string& id : in.specs.ids(SpecKind::instance)) {
        const Expected<Node> node = read_node(in.specs, id);
        if (id != in.plan.instance && node && node->vendor == "aws")
            out.push_back(id);
    }
    return out;
}

ReportTable instance_table(const ReportInput& in)
{
    ReportTable t;
    t.title = "Other instance types with the same number of GPUs and the same layout";
    t.header = header_of(in.evaluation);
    t.rows.push_back(row_of(in.evaluation, in.plan.instance + " (this plan)"));
    std::string refused;
    for (const std::string& id : other_instances(in)) {
        const Expected<Node> node = read_node(in.specs, id);
        Plan other = in.plan;
        other.instance = id;
        const int gpus = in.evaluation.job.cluster.gpus;
        other.nodes = (gpus + node->accelerators - 1) / node->accelerators;
        other.gpus = gpus;
        Expected<Evaluation> v = evaluate_only(other, in.specs);
        if (!v) {
            refused += fmt::format("{}{}: {}", refused.empty() ? "" : "; ", id, v.error().message);
            continue;
        }
        std::string name = id;
        for (const char* term : {"on_demand", "capacity_block"}) { // sold another way only
            if (v->cost.price || other.price.term == term || in.plan.price.term == "custom")
                continue;
            other.price.term = term;
            if (Expected<Evaluation> again = evaluate_only(other, in.specs); again && again->cost.price) {
                v = std::move(again);
                name += fmt::format(" ({})", term == std::string_view("capacity_block") ? "Capacity Block" : "on demand");
            }
        }
        t.rows.push_back(row_of(*v, std::move(name)));
    }
    t.note = "Each row is a full estimate of this plan on that instance type in the same region, under the same term where it is sold that way.";
    if (!refused.empty())
        t.note += " Not possible: " + refused + ".";
    return t;
}

ReportTable change_table(const ReportInput& in)
{
    ReportTable t;
    t.title = in.evaluation.estimate.feasible() ? "Single changes that raise the throughput per GPU" : "Changes that make it fit, or come nearest";
    t.header = {"Change", "Effect", "Throughput per GPU", "Headroom [GiB]"};
    for (const Advice& a : in.evaluation.changes)
        t.rows.push_back({a.change, a.effect, fmt::format("{:+.1f} %", a.gain * 100.0), fmt::format("{:.1f}", a.headroom_gib)});
    t.note = "Each line is a full estimate of the changed plan. Changes of the number format also change the arithmetic of the model: check its quality.";
    return t;
}

// Flags and machines stay the plan's: a reader compares layouts.
SearchSpace report_space(const Plan& plan, const Job& job)
{
    SearchSpace s = default_space(plan, job);
    s.clusters = {{plan.instance, plan.nodes}};
    s.recipes = {plan.precision.recipe};
    const Layout& l = job.layout;
    s.cp = {l.cp};
    s.etp = {l.etp};
    s.sequence_parallel = {l.sequence_parallel};
    s.overlap_tp = {l.overlap_tp};
    s.overlap_moe = {l.overlap_moe};
    s.expert_kernels = {l.expert_dispatch_rdma};
    s.cuda_graphs = {l.cuda_graphs};
    s.schedule = {l.schedule};
    s.overlap_grad_reduce = {l.overlap_grad_reduce};
    s.overlap_param_gather = {l.overlap_param_gather};
    if (const auto* serving = std::get_if<Serving>(&plan.workload))
        s.concurrency = {serving->concurrency};
    return s;
}

// The plan's own machines and batch over degrees, micro-batch, sharding and recomputation: some ten thousand points at most,
// the same on every machine.
void add_front(const ReportInput& in, ReportSection& s)
{
    const Expected<SearchProblem> problem = SearchProblem::make(in.plan, report_space(in.plan, in.evaluation.job), in.specs);
    if (!problem)
        return;
    const SearchResult found = search(*problem, {});
    if (found.best.empty())
        return;
    std::optional<FoundPlan> own;
    if (const auto point = problem->own())
        if (const QuickEstimate e = QuickEstimator()(problem->job(*point)); e.possible())
            own = problem->found(*point, e);
    s.svg = pareto_svg(found.pareto, own);
    std::vector<FoundPlan> best(found.best.begin(), found.best.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(6, found.best.size())));
    ReportTable t = search_table(*problem, best, fmt::format("The fastest of {} layouts on the same machines at the same batch", group_thousands(static_cast<double>(found.estimated))));
    for (std::string& h : t.header) // '>' tells a terminal's table what goes to the right
        if (h.starts_with('>'))
            h.erase(0, 1);
    t.note = "Differences within the error bar of the prediction are no reason to change a layout that is known to run.";
    s.tables.push_back(std::move(t));
}

} // namespace

ReportSection alternatives_section(const ReportInput& in)
{
    ReportSection s;
    s.title = "Alternatives";
    add_front(in, s);
    s.tables.push_back(instance_table(in));
    if (in.evaluation.changes.empty())
        s.paragraphs.push_back("None of the single changes tried (degrees of parallelism, recomputation, sharding, schedule, overlap, batch, precision) makes this plan better by 1 % or more.");
    else
        s.tables.push_back(change_table(in));
    return s;
}

} // namespace ridgepoint

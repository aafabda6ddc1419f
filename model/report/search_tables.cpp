#include "model/report/search_tables.h"

#include <algorithm>

#include <fmt/format.h>

#include "model/calibration/csv.h"
#include "model/project/fields.h"
#include "model/report/texts.h"
#include "model/units/format.h"

namespace ridgepoint {
namespace {

struct Column {
    const char* header;
    const char* field;
};
constexpr Column choices[] = {{"instance", "/cluster/instance"}, {"nodes", "/cluster/nodes"}, {"recipe", "/precision/recipe"}, {"tp", "/layout/tp"},
    {"cp", "/layout/cp"}, {"pp", "/layout/pp"}, {"vpp", "/layout/vpp"}, {"schedule", "/layout/schedule"}, {"ep", "/layout/ep"}, {"etp", "/layout/etp"},
    {"micro batch", "/layout/micro_batch"}, {"concurrency", "/workload/concurrency"}, {"attention dp", "/layout/attention_dp"},
    {"prompt workers", "/workload/prompt_pool/workers"}, {"decoding workers", "/workload/prompt_pool/decode_workers"},
    {"prompt tp", "/workload/prompt_pool/tp"}, {"prompt ep", "/workload/prompt_pool/ep"},
    {"recomputation", "/layout/recompute"}, {"sharding", "/layout/sharding"}, {"sequence parallel", "/layout/sequence_parallel"},
    {"overlap TP", "/layout/overlap_tp"}, {"overlap MoE", "/layout/overlap_moe"}, {"expert kernels", "/layout/expert_dispatch_rdma"},
    {"CUDA graphs", "/layout/cuda_graphs"}, {"overlap gradients", "/layout/overlap_grad_reduce"}, {"overlap parameters", "/layout/overlap_param_gather"}};

bool applies_here(const Column& c, const Plan& plan)
{
    const PlanField* f = find_field(c.field);
    return f != nullptr && (std::holds_alternative<Training>(plan.workload) ? f->training : f->serving);
}

std::string per_million(const std::optional<DollarsPerToken>& v) { return v ? format(Dollars{v->value() * 1e6}) : "-"; }

} // namespace

std::string choice_text(const SearchProblem& problem, const SearchPoint& point)
{
    Job job = problem.job(point);
    std::string out = layout_text(job);
    if (job.layout.recompute != Recompute::none)
        out += fmt::format(", {} recomputation", field_value(problem.plan_of(point), "/layout/recompute"));
    return out;
}

ReportTable search_table(const SearchProblem& problem, const std::vector<FoundPlan>& plans, std::string title)
{
    ReportTable t;
    t.title = std::move(title);
    const bool training = std::holds_alternative<Training>(problem.plan().workload);
    std::vector<Column> told;
    std::vector<std::vector<std::string>> cells(plans.size());
    for (const Column& c : choices) {
        if (!applies_here(c, problem.plan()))
            continue;
        std::vector<std::string> column;
        for (const FoundPlan& f : plans)
            column.push_back(field_value(problem.plan_of(f.point), c.field));
        const bool degree = std::string_view(c.header) == "tp" || std::string_view(c.header) == "pp";
        if (!degree && std::ranges::all_of(column, [&](const std::string& v) { return v == column.front(); }))
            continue;
        told.push_back(c);
        for (std::size_t i = 0; i < plans.size(); ++i)
            cells[i].push_back(column[i]);
    }
    t.header = {"#"};
    for (const Column& c : told)
        t.header.emplace_back(c.header);
    for (const char* h : {training ? ">step" : ">time", ">tokens/s", ">per GPU", ">MFU", ">to spare", ">$ per M tokens", ">J per token"})
        t.header.emplace_back(h);
    if (!training)
        t.header.emplace_back(">TTFT");
    t.header.emplace_back("bound");
    for (std::size_t i = 0; i < plans.size(); ++i) {
        const FoundPlan& f = plans[i];
        std::vector<std::string> row = {std::to_string(i + 1)};
        row.insert(row.end(), cells[i].begin(), cells[i].end());
        row.insert(row.end(), {format(f.time), format_number(f.tokens_per_second.value()), format_number(f.tokens_per_second_per_gpu.value()), format_percent(f.mfu),
            format(f.headroom), per_million(f.cost_per_token), f.energy_per_token.value() > 0 ? format_number(f.energy_per_token.value()) : "-"});
        if (!training)
            row.push_back(f.ttft ? format(*f.ttft) : "-");
        row.emplace_back(name_of(f.bound));
        t.rows.push_back(std::move(row));
    }
    return t;
}

std::string change_text(const Neighbour& n)
{
    std::string out;
    for (const AxisChange& c : n.changes)
        out += fmt::format("{}{} {} -> {}", out.empty() ? "" : ", ", c.axis, c.from, c.to);
    return out;
}

ReportTable rejection_table(const SearchProblem& problem, const SearchResult& r)
{
    struct Line {
        std::string why;
        const RejectionCount* count;
    };
    std::vector<Line> lines;
    for (std::size_t i = 1; i < layout_rule_count; ++i)
        if (r.broken_rules[i].points > 0)
            lines.push_back({std::string(name_of(static_cast<LayoutRule>(i))), &r.broken_rules[i]});
    for (std::size_t i = 0; i < rejection_count; ++i)
        if (r.rejected[i].points > 0)
            lines.push_back({std::string(name_of(static_cast<Rejection>(i))), &r.rejected[i]});
    std::ranges::stable_sort(lines, [](const Line& a, const Line& b) { return a.count->points > b.count->points; });
    ReportTable t;
    t.title = "Why the others are none";
    t.header = {"Reason", ">points", "for example"};
    for (const Line& l : lines) {
        std::string example;
        if (l.count->example && problem.base(*l.count->example)) {
            example = choice_text(problem, *l.count->example);
            if (l.count->shortfall > Bytes{})
                example += fmt::format(": misses by {}, the least of all", format(l.count->shortfall));
        }
        t.rows.push_back({l.why, group_thousands(static_cast<double>(l.count->points)), example});
    }
    return t;
}

std::string search_csv(const SearchProblem& problem, const std::vector<FoundPlan>& plans)
{
    std::string out = "rank,point";
    for (const Column& c : choices) {
        std::string name = c.header;
        std::ranges::replace(name, ' ', '_');
        out += "," + name;
    }
    out += ",dp,time_s,tokens_per_s,tokens_per_s_per_gpu,mfu,headroom_bytes,usd_per_million_tokens,joules_per_token,ttft_s,bound\n";
    for (std::size_t i = 0; i < plans.size(); ++i) {
        const FoundPlan& f = plans[i];
        const Plan plan = problem.plan_of(f.point);
        out += fmt::format("{},{}", i + 1, f.point.index);
        for (const Column& c : choices)
            out += "," + (applies_here(c, plan) ? csv_field(field_value(plan, c.field)) : std::string());
        out += fmt::format(",{},{},{},{},{},{},{},{},{},{}\n", f.point.layout.dp, f.time.value(), f.tokens_per_second.value(), f.tokens_per_second_per_gpu.value(), f.mfu,
            f.headroom.value(), f.cost_per_token ? fmt::format("{}", f.cost_per_token->value() * 1e6) : "",
            f.energy_per_token.value() > 0 ? fmt::format("{}", f.energy_per_token.value()) : "", f.ttft ? fmt::format("{}", f.ttft->value()) : "", name_of(f.bound));
    }
    return out;
}

nlohmann::ordered_json search_json(const SearchProblem& problem, const SearchResult& r, const SearchOptions& options)
{
    using Json = nlohmann::ordered_json;
    const auto plan_json = [&](const FoundPlan& f) {
        const Plan plan = problem.plan_of(f.point);
        Json changes = Json::object();
        for (const Column& c : choices)
            if (applies_here(c, plan))
                changes[c.field] = field_value(plan, c.field);
        Json out = {{"point", f.point.index}, {"fields", std::move(changes)}, {"dp", f.point.layout.dp}, {"time_s", f.time.value()},
            {"tokens_per_second", f.tokens_per_second.value()}, {"tokens_per_second_per_gpu", f.tokens_per_second_per_gpu.value()}, {"mfu", f.mfu},
            {"headroom_bytes", f.headroom.value()}};
        out["usd_per_million_tokens"] = f.cost_per_token ? Json(f.cost_per_token->value() * 1e6) : Json(nullptr);
        out["joules_per_token"] = f.energy_per_token.value() > 0 ? Json(f.energy_per_token.value()) : Json(nullptr);
        out["ttft_s"] = f.ttft ? Json(f.ttft->value()) : Json(nullptr);
        out["bound"] = name_of(f.bound);
        return out;
    };
    Json out = {{"kind", "search"}, {"version", 1}, {"objective", name_of(options.objective)}, {"points", r.points}, {"alike", r.alike}, {"estimated", r.estimated}, {"feasible", r.feasible},
        {"stopped", r.stopped}, {"elapsed_s", r.elapsed.value()}};
    out["best"] = Json::array();
    for (const FoundPlan& f : r.best)
        out["best"].push_back(plan_json(f));
    out["pareto"] = Json::array();
    for (const FoundPlan& f : r.pareto)
        out["pareto"].push_back(plan_json(f));
    out["rejected"] = Json::array();
    const auto reason = [&](std::string_view why, const RejectionCount& c) {
        if (c.points > 0)
            out["rejected"].push_back({{"reason", why}, {"points", c.points}, {"example", c.example ? Json(c.example->index) : Json(nullptr)},
                {"shortfall_bytes", c.shortfall > Bytes{} ? Json(c.shortfall.value()) : Json(nullptr)}});
    };
    for (std::size_t i = 1; i < layout_rule_count; ++i)
        reason(name_of(static_cast<LayoutRule>(i)), r.broken_rules[i]);
    for (std::size_t i = 0; i < rejection_count; ++i)
        reason(name_of(static_cast<Rejection>(i)), r.rejected[i]);
    return out;
}

} // namespace ridgepoint

#include "model/launch/watch.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "model/launch/context.h"
#include "model/launch/script.h"

namespace ridgepoint {
namespace {

constexpr const char* window = "5m"; // several scrapes and many steps
constexpr const char* patience = "15m"; // longer than a checkpoint or an evaluation

bool is_name(const std::string& text, bool colons)
{
    const auto good = [&](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || (colons && c == ':'); };
    return !text.empty() && text.size() <= 200 && std::isdigit(static_cast<unsigned char>(text.front())) == 0 && std::ranges::all_of(text, good);
}

// {cluster="train-7"}: strings of PromQL are those of Go, of which JSON's escapes are a part.
std::string selector(const WatchRequest& request)
{
    std::string out;
    for (const auto& [name, value] : request.labels)
        out += fmt::format("{}{}={}", out.empty() ? "" : ",", name, quoted_text(value));
    return out.empty() ? out : "{" + out + "}";
}

// vLLM 0.11 and SGLang 0.5 export histograms of these names; training frameworks export nothing of the kind.
std::string step_metric_of(const Evaluation& v, const WatchRequest& request)
{
    if (!request.step_metric.empty())
        return request.step_metric;
    const auto* s = std::get_if<Serving>(&v.job.workload);
    if (!s)
        return "training_step_seconds";
    const char* engine = v.job.assumptions.framework == Framework::vllm ? "vllm" : v.job.assumptions.framework == Framework::sglang ? "sglang" : "";
    if (*engine == '\0')
        return {};
    return fmt::format("{}:{}", engine, s->phase == ServingPhase::prefill ? "time_to_first_token_seconds" : "inter_token_latency_seconds");
}

std::string plan_label(const Plan& plan) { return quoted_text(one_line(plan.name)); }

struct Queries {
    std::string expression, each;
};
Queries queries(Meter m, const std::string& at, const std::string& step, bool histogram)
{
    const auto mean = [&](const char* metric) { return Queries{fmt::format("avg(avg_over_time({}{}[{}]))", metric, at, window), fmt::format("{}{}", metric, at)}; };
    switch (m) {
    case Meter::tensor:
        return mean("DCGM_FI_PROF_PIPE_TENSOR_ACTIVE");
    case Meter::dram:
        return mean("DCGM_FI_PROF_DRAM_ACTIVE");
    case Meter::nvlink:
        return mean("DCGM_FI_PROF_NVLINK_TX_BYTES");
    case Meter::efa: {
        const std::string host = fmt::format("sum by (instance) (rate(node_amazonefa_tx_bytes{}[{}]))", at, window);
        return {fmt::format("avg({})", host), host};
    }
    case Meter::power:
        return mean("DCGM_FI_DEV_POWER_USAGE");
    case Meter::step:
        break;
    }
    if (histogram)
        return {fmt::format("sum(rate({}_sum{}[{}])) / sum(rate({}_count{}[{}]))", step, at, window, step, at, window), {}};
    return {fmt::format("avg(avg_over_time({}{}[{}]))", step, at, window), {}};
}

// Values of rules with all the digits that a double has.
std::string number(double x) { return fmt::format("{:.9g}", x); }

std::string rule_text(const char* kind, const std::string& name, const std::string& expression, const std::string& plan)
{
    return fmt::format("      - {}: {}\n        expr: {}\n        labels:\n          plan: {}\n", kind, name, quoted_text(expression), plan);
}

std::string alert(const Watched& w, const std::string& plan, double error)
{
    const std::string measured = fmt::format("{}{{plan={}}}", w.rule, plan);
    std::string name = "RidgepointDeviation";
    bool upper = true;
    for (const char c : name_of(w.level.meter)) {
        if (c != '_')
            name += upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
        upper = c == '_';
    }
    std::string expression = fmt::format("{} < {}", measured, number(w.level.low));
    if (w.level.ceiling <= 0.0 || w.level.high < w.level.ceiling)
        expression += fmt::format(" or {} > {}", measured, number(w.level.high));
    std::string out = rule_text("alert", name, expression, plan);
    out += "          severity: warning\n";
    out += fmt::format("        for: {}\n        annotations:\n          summary: {}\n          description: {}\n", patience,
        quoted_text(w.level.title + " is not what the plan expects"),
        quoted_text(fmt::format("Measured {{{{ $value }}}}; the plan expects {} and its error bar of {:.1f} % allows {} to {}. Expected: {}.", number(w.level.expected), 100.0 * error, number(w.level.low), number(w.level.high), w.level.definition)));
    return out;
}

} // namespace

Expected<std::vector<Watched>> watched(const Evaluation& v, const WatchRequest& request)
{
    if (request.labels.size() > 30)
        return bad_input("too many labels", Place{"--label", 0, {}}, std::to_string(request.labels.size()), "at most 30");
    for (const auto& [name, value] : request.labels)
        if (!is_name(name, false))
            return bad_input("not the name of a label", Place{"--label", 0, {}}, name.substr(0, 60), "letters, digits and _");
    if (!request.step_metric.empty() && !is_name(request.step_metric, true))
        return bad_input("not the name of a metric", Place{"--step-metric", 0, {}}, request.step_metric.substr(0, 60), "letters, digits, _ and :");
    const std::string step = step_metric_of(v, request);
    const bool histogram = v.estimate.serving.has_value() && request.step_metric.empty();
    std::vector<Watched> out;
    for (const Level& l : expected_levels(v)) {
        if (l.meter == Meter::step && step.empty())
            continue;
        const Queries q = queries(l.meter, selector(request), step, histogram);
        out.push_back({l, fmt::format("ridgepoint:measured:{}", name_of(l.meter)), q.expression, q.each});
    }
    return out;
}

Expected<std::string> prometheus_rules(const Plan& plan, const Evaluation& v, const WatchRequest& request)
{
    const Expected<std::vector<Watched>> all = watched(v, request);
    if (!all)
        return all.error();
    const std::string label = plan_label(plan);
    const std::string group = label_of(plan.name);
    std::string out = fmt::format("# {}\n# Levels that a run should show if it goes as estimated: {}.\ngroups:\n  - name: {}-measured\n    interval: 30s\n    rules:\n", one_line(plan.name), one_line(v.verdict), group);
    for (const Watched& w : *all)
        out += rule_text("record", w.rule, w.expression, label);
    out += rule_text("record", "ridgepoint:measured:gpus", "count(DCGM_FI_DEV_POWER_USAGE" + selector(request) + ")", label);
    out += fmt::format("  - name: {}-expected\n    interval: 30s\n    rules:\n", group);
    for (const Watched& w : *all)
        for (const auto& [bound, value] : {std::pair{"expected", w.level.expected}, {"low", w.level.low}, {"high", w.level.high}})
            out += rule_text("record", fmt::format("ridgepoint:{}:{}", bound, name_of(w.level.meter)), fmt::format("vector({})", number(value)), label);
    out += fmt::format("  - name: {}-alerts\n    rules:\n", group);
    const double error = v.estimate.relative_error;
    if (error <= 0.0)
        out += "      # The estimate has no error bar: no deviation is an alarm.\n";
    else
        for (const Watched& w : *all)
            out += alert(w, label, error);
    out += rule_text("alert", "RidgepointGpusMissing", fmt::format("ridgepoint:measured:gpus{{plan={}}} < {} or absent(ridgepoint:measured:gpus{{plan={}}})", label, v.job.cluster.gpus, label), label);
    out += fmt::format("          severity: critical\n        for: {}\n        annotations:\n          summary: {}\n", window, quoted_text(fmt::format("Fewer than the plan's {} GPUs report", v.job.cluster.gpus)));
    return out;
}

} // namespace ridgepoint

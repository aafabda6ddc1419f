#include "model/report/texts.h"

#include <algorithm>

#include <fmt/format.h>

#include "model/units/format.h"

namespace ridgepoint {

std::string tokens_text(double tokens)
{
    std::string out = format_si(tokens, "");
    return out.substr(0, out.find_last_not_of(' ') + 1);
}

std::string rate_text(TokensPerSecond rate)
{
    return rate.value() >= 1e6 ? format_si(rate.value(), "tokens/s") : format(rate);
}

std::string error_bar_meaning(const Estimate& e)
{
    if (e.relative_error <= 0)
        return {};
    return e.training ? "80 % of published runs lay within, their source left out of the fit" : "residual of the fitted kernel and collective laws";
}

std::string error_bar_text(const Estimate& e) { return e.relative_error > 0 ? "+- " + format_percent(e.relative_error, 0) : std::string(); }

std::string workload_text(const Job& job)
{
    if (const auto* t = std::get_if<Training>(&job.workload)) {
        std::string out = fmt::format("{}, sequences of {} tokens, {} per step", name_of(t->kind), group_thousands(t->sequence_length), group_thousands(t->global_batch));
        if (t->tokens > Tokens{})
            out += fmt::format(", {} tokens in all", tokens_text(t->tokens.value()));
        return out;
    }
    const auto& s = std::get<Serving>(job.workload);
    std::string out = fmt::format("{}, {} prompt tokens", name_of(s.phase), group_thousands(s.input_length));
    if (s.phase == ServingPhase::prefill)
        return out + fmt::format(", {} at once", s.prefill_batch == 1 ? "one prompt" : fmt::format("{} prompts", s.prefill_batch));
    return out + fmt::format(", {} output tokens, {} sequences per replica", group_thousands(s.output_length), group_thousands(s.concurrency));
}

std::string layout_text(const Job& job)
{
    const Layout& l = job.layout;
    std::string out;
    const auto degree = [&](const char* name, int value, bool always = false) {
        if (value > 1 || always)
            out += fmt::format("{}{} {}", out.empty() ? "" : ", ", name, value);
    };
    degree("tp", l.tp, true);
    degree("pp", l.pp, true);
    degree("vpp", l.vpp);
    degree("cp", l.cp);
    degree("ep", l.ep);
    degree("etp", l.etp);
    degree("dp", l.dp, true);
    if (std::holds_alternative<Training>(job.workload))
        degree("micro batch", l.micro_batch, true);
    if (l.attention_dp)
        out += ", attention data parallel";
    return out;
}

std::string cluster_text(const Job& job)
{
    const Cluster& c = job.cluster;
    return fmt::format("{} x {} ({}), {} GPUs used", group_thousands(c.nodes), c.node.id, c.accelerator.name, group_thousands(c.gpus));
}

std::string precision_text(const Plan& plan, const Job& job)
{
    const PrecisionRecipe& p = job.precision;
    std::string out = fmt::format("{}: products in {}, weights {}", plan.precision.recipe, name_of(p.gemm), name_of(p.weights));
    if (job.model.is_moe() && p.expert_weights != p.weights)
        out += fmt::format(", experts {}", name_of(p.expert_weights));
    if (std::holds_alternative<Serving>(job.workload))
        out += fmt::format(", KV cache {}", name_of(p.kv_cache));
    else
        out += fmt::format(", gradients {}, optimizer {:g} B per parameter", name_of(p.gradients), p.optimizer_bytes);
    return out;
}

std::string part_shares_text(const AttributedTime& t)
{
    for (std::size_t i = 0; i < resource_count; ++i)
        if (t.share(static_cast<Resource>(i)) < -0.05)
            return fmt::format("{}, less what hides it", name_of(t.bound()));
    return shares_text(t);
}

std::string shares_text(const AttributedTime& t)
{
    std::vector<std::pair<double, std::string>> parts;
    for (std::size_t i = 0; i < resource_count; ++i) {
        const auto r = static_cast<Resource>(i);
        if (const double share = t.share(r); share >= 0.005 || share <= -0.005)
            parts.emplace_back(share, fmt::format("{} {}", name_of(r), format_percent(share, 0)));
    }
    std::sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    std::string out;
    for (const auto& part : parts)
        out += (out.empty() ? "" : ", ") + part.second;
    return out;
}

} // namespace ridgepoint

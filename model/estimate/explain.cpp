// Derivations are built from the very values that train() and serve() computed on their way.

#include <fmt/format.h>

#include "model/estimate/flops.h"
#include "model/estimate/disaggregated.h"
#include "model/estimate/serving.h"
#include "model/estimate/training.h"
#include "model/units/format.h"

namespace ridgepoint {
namespace {

Derivation leaf(std::string name, std::string value, std::string source = {}, std::string formula = {})
{
    return {std::move(name), std::move(formula), std::move(value), std::move(source), {}};
}

std::string shares(const AttributedTime& t)
{
    std::string out;
    for (std::size_t i = 0; i < resource_count; ++i) {
        const double share = t.share(static_cast<Resource>(i));
        if (share >= 0.005 || share <= -0.005)
            out += fmt::format("{}{} {}", out.empty() ? "" : ", ", name_of(static_cast<Resource>(i)), format_percent(share, 0));
    }
    return out;
}

Derivation timed(std::string name, std::string formula, const AttributedTime& t, std::string source = {})
{
    Derivation d{std::move(name), std::move(formula), format(t.total()), std::move(source), {}};
    if (t.total() > Seconds{})
        d.inputs.push_back(leaf("Made of", shares(t), "docs/regime-shares.md", "elasticity of this time to each resource's speed"));
    return d;
}

Derivation layer(const std::string& name, const PassTimes& p)
{
    Derivation d = timed(name, "forward + recomputation + backward, one microbatch", p.sum().total());
    const auto add = [&](const char* pass, const LayerTime& t) {
        if (t.total().total() <= Seconds{})
            return;
        Derivation x = timed(pass, "kernels in sequence + exposed communication + host", t.total());
        x.inputs.push_back(timed("Matrix products", "sum over products of smooth max(FLOP/(eta peak), byte/(eta bandwidth)) + launch", t.gemm, "specs/efficiency"));
        x.inputs.push_back(timed("Attention", "the same with the score and value products", t.attention, "specs/efficiency"));
        x.inputs.push_back(timed("Memory-bound kernels", "bytes / (eta bandwidth) + launch", t.elementwise, "specs/efficiency"));
        x.inputs.push_back(timed("Exposed tensor-parallel communication", "collectives that no GEMM hides", t.tp));
        x.inputs.push_back(timed("Exposed context-parallel communication", "", t.cp));
        x.inputs.push_back(timed("Exposed expert-parallel communication", "", t.ep));
        x.inputs.push_back(timed("Host", "launches x host time beyond the GPU's time", t.host));
        d.inputs.push_back(std::move(x));
    };
    add("Forward", p.forward);
    add("Recomputation", p.recompute);
    add("Backward", p.backward);
    return d;
}

Derivation mfu(const Job& job, const TrainingDetail& t, const Training& w)
{
    const TrainingResult& r = *t.estimate.training;
    Derivation d{"MFU", "model FLOPs / (step time x GPUs x dense peak)", format_percent(r.mfu), std::string(name_of(r.convention)), {}};
    d.inputs.push_back(leaf("Model FLOPs per step", format(r.model_flops_per_step), std::string(name_of(r.convention))));
    d.inputs.push_back(leaf("Dense peak", format(job.cluster.accelerator.dense_peak(r.peak_arithmetic)),
        fmt::format("accelerators/{} /peaks/{}", job.cluster.accelerator.id, name_of(r.peak_arithmetic))));
    const double per_gpu = r.step.value() * job.cluster.gpus * job.cluster.accelerator.dense_peak(r.peak_arithmetic).value();
    for (FlopConvention c : {FlopConvention::six_n, FlopConvention::six_n_full_attention, FlopConvention::six_n_causal_attention, FlopConvention::model_exact})
        d.inputs.push_back(leaf(fmt::format("Under {}", name_of(c)), format_percent(training_flops(job.model, w, c).value() / per_gpu)));
    d.inputs.push_back(leaf("Under hardware FLOPs (HFU)", format_percent(t.executed.value() / per_gpu), "recomputation and FlashAttention backward included"));
    return d;
}

Derivation memory(const Estimate& e)
{
    const StageMemory& m = e.memory.worst();
    Derivation d{"Memory of the fullest stage", "weights + gradients + optimizer + activations + KV cache + workspace + reserve",
        format(m.total()), fmt::format("stage {}", m.stage), {}};
    const std::pair<const char*, Bytes> parts[] = {{"Weights", m.weights}, {"Gradients", m.gradients}, {"Optimizer", m.optimizer},
        {"Activations", m.activations}, {"KV cache", m.kv_cache}, {"Workspace", m.workspace}, {"Reserve", m.reserve}};
    for (const auto& [name, value] : parts)
        if (value > Bytes{})
            d.inputs.push_back(leaf(name, format(value)));
    d.inputs.push_back(leaf("Capacity", format(e.memory.capacity), "visible memory, not the marketed one"));
    return d;
}

// What hours of training leave of the kernels' and links' rates; already in the times above.
Derivation sustained(const Job& job)
{
    const TrainingConstants& c = job.training;
    const std::string gpu = fmt::format("specs/efficiency/{} /training", job.cluster.accelerator.efficiency_id);
    Derivation d{"Sustained rates", "shares of short benchmarks' rates, fitted to published runs", "", gpu, {}};
    const GemmShape product{1, 1, 1, 1, job.precision.gemm, job.precision.activations, job.precision.weights};
    const auto kind = static_cast<std::size_t>(training_product_of(kind_of(product)));
    const std::string name(name_of(static_cast<TrainingProduct>(kind)));
    d.inputs.push_back(leaf("Products", format_percent(c.rates.products[kind]), gpu + "/products_" + name));
    if (job.model.is_moe())
        d.inputs.push_back(leaf("Products of experts", format_percent(c.rates.products[kind] * c.rates.experts[kind]), gpu + "/experts_" + name));
    const bool fsdp = job.assumptions.framework == Framework::fsdp;
    d.inputs.push_back(leaf("Attention", format_percent(fsdp ? c.rates.portable_attention : c.rates.attention),
        gpu + (fsdp ? "/portable_attention" : "/attention")));
    d.inputs.push_back(leaf("Element-wise passes", fmt::format("{:.2f}", fsdp && job.assumptions.compiled ? 1.0 : c.framework.memory_passes),
        "specs/efficiency/training /frameworks", "bytes moved over those of fused kernels"));
    d.inputs.push_back(leaf("Time of the framework per step", format(c.framework.per_step), "specs/efficiency/training /frameworks"));
    d.inputs.push_back(leaf("Contention", format_percent(c.overlap.contention), "specs/efficiency/training /overlap/contention",
        "computation lost per second of traffic behind it"));
    return d;
}

Derivation explain_training(const Job& job, const Training& w)
{
    const TrainingDetail t = train(job, w);
    const Estimate& e = t.estimate;
    Derivation root = timed("Step time", "steady state + bubble + exposed sends + exposed data parallelism + optimizer + stragglers + framework", e.time);
    Derivation steady = timed("Steady state", "microbatches x slowest stage", t.pipeline.steady, "Narayanan 2021, section 2.2.1");
    steady.inputs.push_back(leaf("Microbatches per replica", fmt::format("{}", t.microbatches), "", "global batch / (dp x micro batch)"));
    Derivation stage = timed(fmt::format("Stage {}, one microbatch", t.slowest_stage), "sum over its layers",
        t.stage_times[static_cast<std::size_t>(t.slowest_stage)]);
    const StageContent& content = t.stages[static_cast<std::size_t>(t.slowest_stage)];
    for (std::size_t k = 0; k < t.kinds.size(); ++k)
        if (content.layers[k] > 0)
            stage.inputs.push_back(layer(fmt::format("{} x {} layer", content.layers[k], job.model.kinds[k].moe ? "MoE" : "dense"), t.kinds[k]));
    if (content.embedding)
        stage.inputs.push_back(layer("Embedding", t.embedding));
    if (content.heads > 0)
        stage.inputs.push_back(layer(fmt::format("{} x LM head and loss", content.heads), t.head));
    steady.inputs.push_back(std::move(stage));
    root.inputs.push_back(std::move(steady));
    root.inputs.push_back(timed("Pipeline bubble", "share of the schedule x (sum of the stages - slowest stage)", t.pipeline.bubble, "Narayanan 2021; Qi et al. 2024"));
    root.inputs.push_back(timed("Exposed sends", "messages that the schedule does not hide", t.pipeline.p2p));
    root.inputs.push_back(timed("Exposed data parallelism", "max(last bucket, communication - 0.9 x backward of the last round of microbatches) + contention x hidden part, and the same for the parameter gather",
        e.breakdown[StepPart::dp_exposed]));
    root.inputs.push_back(timed("Optimizer", "30 B per parameter of the shard + gradient norm, clip and zeroing", t.optimizer));
    root.inputs.push_back(timed("Stragglers", "spread x sqrt(2 ln nodes) x the above", t.straggler));
    root.inputs.push_back(sustained(job));
    root.inputs.push_back(mfu(job, t, w));
    root.inputs.push_back(memory(e));
    return root;
}

Derivation serving_step(const std::string& name, const std::string& formula, const ServingStep& s)
{
    Derivation d = timed(name, formula, s.time);
    d.inputs.push_back(timed("Matrix products", "smooth max(FLOP/(eta peak), byte/(eta bandwidth)) + launch", s.gemm, "specs/efficiency"));
    d.inputs.push_back(timed("Attention", "prefill: scores and values; decode: streaming of the KV cache", s.attention, "specs/efficiency"));
    d.inputs.push_back(timed("Memory-bound kernels", "bytes / (eta bandwidth) + launch", s.elementwise, "specs/efficiency"));
    d.inputs.push_back(timed("Tensor-parallel all-reduce", "", s.tp));
    d.inputs.push_back(timed("Expert dispatch and combine", "", s.ep));
    d.inputs.push_back(timed("Sends between stages", "", s.p2p));
    d.inputs.push_back(timed("Host", "per step + per request x sequences", s.host));
    return d;
}

// What samples, thinking and adapters add to a serving answer.
void add_variants(Derivation& root, const Serving& w, const ServingResult& r)
{
    if (w.phase == ServingPhase::prefill)
        return;
    if (w.samples > 1)
        root.inputs.push_back(leaf("Prompts in flight", fmt::format("{:.4g}", prompts_in_flight(w)),
            w.shared_reads ? "the cache of a prompt is kept once, and read once for its samples: Hydragen, arXiv:2402.05099, section 3.1"
                           : "the cache of a prompt is kept once, and read by each of its samples",
            "sequences in flight / samples of a prompt"));
    if (w.adapters.resident > 0)
        root.inputs.push_back(leaf("LoRA adapters in memory", format(static_cast<double>(w.adapters.resident) * r.adapter), "slots of one rank, as vLLM's max_loras and max_lora_rank",
            fmt::format("{} slots x {} on the fullest GPU; {} distinct in a batch", w.adapters.resident, format(r.adapter), w.adapters.active)));
    if (!r.thinking)
        return;
    const ThinkingResult& t = *r.thinking;
    Derivation d{"Time to first answer token", "TTFT + tokens of thinking x time per output token", format(t.first_answer), w.burst ? "all sequences think at once" : "", {}};
    d.inputs.push_back(leaf("Thinking", format(t.time), {}, fmt::format("{} of {} output tokens", t.tokens, t.tokens + t.answer_tokens)));
    d.inputs.push_back(leaf("Decode step at the first token", format(t.first_step), {}, fmt::format("every sequence at {}; a cache of {} each", w.input_length + 1, format(t.first_cache))));
    d.inputs.push_back(leaf("Decode step at the last token", format(t.last_step), {}, fmt::format("every sequence at {}; a cache of {} each", w.input_length + w.output_length, format(t.last_cache))));
    root.inputs.push_back(std::move(d));
}

Derivation explain_serving(const Job& job, const Serving& w)
{
    const ServingDetail s = serve(job, w);
    const bool prefill = w.phase == ServingPhase::prefill;
    Derivation root = prefill
        ? timed("Time to first token", "all chunks of the prompt, no queueing", s.estimate.time)
        : timed("Time per output token", "decode step / tokens per step + (prompts in flight / output length) x prefill of one prompt", s.estimate.time);
    if (!prefill) {
        root.inputs.push_back(serving_step("Decode step", "pp x slowest stage + host", s.decode));
        root.inputs.push_back(timed("Prefill of others", "prompts in flight / (output length x prefill batch) x (prefill step - what a mixed batch does once)", s.steal));
    }
    root.inputs.push_back(serving_step("Prefill step", fmt::format("{} pass(es) through all stages + host", s.chunks), s.prefill));
    root.inputs.push_back(leaf("KV bytes per token", format(s.estimate.serving->kv_bytes_per_token), "architecture x KV format"));
    add_variants(root, w, *s.estimate.serving);
    root.inputs.push_back(memory(s.estimate));
    return root;
}

Derivation explain_disaggregated(const DisaggregatedDetail& d, const Serving& w)
{
    const Estimate& e = d.estimate;
    const DisaggregatedResult& r = *e.disaggregated;
    Derivation root = timed("Time per output token", "decode step / tokens per step; no prompt interrupts it", e.time);
    root.inputs.push_back(serving_step("Decode step", "pp x slowest stage + host", d.decode.decode));
    root.inputs.push_back(serving_step("Prefill step of a prompt worker", fmt::format("{} pass(es) through all stages + host", d.prompts.chunks), d.prompts.prefill));
    root.inputs.push_back(leaf("Cache of a prompt", format_decimal(r.cache), "prompt length x KV format, as the architecture keeps it"));
    root.inputs.push_back(leaf("Transfer of the cache", format(r.transfer), r.inside_domain ? "over NVLink, GPU to GPU" : "over the network, GPU to GPU"));
    root.inputs.push_back(leaf("Transfer that the first token waits for", format(r.exposed_transfer), "max(last layer's share, transfer - prefill of the layers before)"));
    root.inputs.push_back(leaf("Prompts started per second", fmt::format("{:.4g}", r.prompt_requests_per_second), "0.90 x prompt workers x prefill batch / prefill step"));
    root.inputs.push_back(leaf("Requests finished per second", fmt::format("{:.4g}", r.decode_requests_per_second), "0.92 x decoding workers x concurrency / (output length x TPOT)"));
    root.inputs.push_back(leaf("Requests per second", fmt::format("{:.4g}", e.serving->requests_per_second), "min(started, finished, what the links carry)"));
    root.inputs.push_back(leaf("Best ratio", fmt::format("{:.3g} prompt workers per decoding worker", r.best_ratio), "finished per decoding worker / started per prompt worker"));
    add_variants(root, w, *e.serving);
    root.inputs.push_back(memory(e));
    return root;
}

} // namespace

Expected<Derivation> explain(const Job& job)
{
    if (Expected<Estimate> e = estimate(job); !e)
        return e.error();
    if (runs_prompts_apart(job.workload)) {
        const Expected<DisaggregatedDetail> d = disaggregate(job, std::get<Serving>(job.workload));
        if (!d)
            return d.error();
        return explain_disaggregated(*d, std::get<Serving>(job.workload));
    }
    if (const auto* training = std::get_if<Training>(&job.workload))
        return explain_training(job, *training);
    return explain_serving(job, std::get<Serving>(job.workload));
}

} // namespace ridgepoint

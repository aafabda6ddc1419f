// Command lines of servers -> plan.

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "model/launch/given.h"
#include "model/specs/json_document.h"

namespace ridgepoint {
namespace {

// By the name in the API, else by the repository that a spec names as its source, else by the last part of the path.
void choose_model(ReadState& s, const std::string& model, const std::string& served, const std::string& path, std::string_view option)
{
    s.plan.model = model;
    if (s.plan.model.empty() && s.specs.contains(SpecKind::model, served))
        s.plan.model = served;
    for (const std::string& id : s.specs.ids(SpecKind::model)) {
        if (!s.plan.model.empty())
            return;
        const auto document = s.specs.document(SpecKind::model, id);
        const std::string url = document ? (*document)->value("/source/url"_json_pointer, std::string()) : std::string();
        if (!path.empty() && (url.ends_with("/" + path) || path == id))
            s.plan.model = id;
    }
    if (s.plan.model.empty())
        s.given.fail(option, "no known model has this name or repository", (served.empty() ? path : served).substr(0, 80), "name the model with --model");
}

// A request is bounded as a whole: half of it is taken for the prompt.
void lengths(ReadState& s, Serving& w, std::string_view option)
{
    const int most = s.given.whole(option, 0, 0);
    if (most <= 0)
        return;
    if (w.phase == ServingPhase::prefill) {
        w.input_length = most;
        return;
    }
    w.input_length = std::max(1, most - most / 2);
    w.output_length = std::max(1, most / 2);
    s.notes.push_back(fmt::format("{} bounds prompt and output together; half of {} tokens is taken for each", option, most));
}

void kv_cache(ReadState& s, const std::string& format)
{
    if (format.starts_with("fp8"))
        s.plan.precision.kv_cache = NumberFormat::fp8;
    else if (format == "fp4_e2m1")
        s.plan.precision.kv_cache = NumberFormat::nvfp4;
}

void quantization(ReadState& s, const std::string& name, std::string_view option)
{
    static const std::pair<const char*, const char*> known[] = {{"", "bf16"}, {"fp8", "fp8"}, {"modelopt", "fp8"}, {"modelopt_fp8", "fp8"}, {"w8a8_fp8", "fp8"}, {"mxfp8", "mxfp8"},
        {"modelopt_fp4", "nvfp4"}, {"mxfp4", "mxfp4"}, {"w8a8_int8", "int8"}, {"compressed-tensors", "int8"}, {"awq", "w4a16"}, {"gptq", "w4a16"}, {"awq_marlin", "w4a16"}, {"gptq_marlin", "w4a16"}};
    const auto* it = std::ranges::find_if(known, [&](const auto& k) { return name == k.first; });
    if (it == std::end(known))
        return s.given.fail(option, "the plan has no recipe for this format", name.substr(0, 40));
    s.plan.precision.recipe = it->second;
    if (name == "compressed-tensors")
        s.notes.push_back("compressed-tensors names a file format; INT8 is taken");
}

Serving workload(const Plan& plan) { return std::get<Serving>(plan.workload); }

// Attention groups take the experts of the whole replica.
void spread(Layout& l, int groups, int ep)
{
    l.attention_dp = groups > 1;
    l.ep = ep;
    l.etp = 1;
}

Status done(ReadState& s, const Serving& w)
{
    s.plan.workload = w;
    return s.given.error() ? Status(*s.given.error()) : Status(Done{});
}

// {"kv_role": "kv_producer"} of an option that holds JSON.
std::string json_member(Given& g, std::string_view option, const char* member)
{
    const std::string text = g.text(option);
    if (text.empty())
        return {};
    const Expected<JsonDocument> document = parse_json(text, "");
    if (!document || !document->root().is_object()) {
        g.fail(option, "the value is no JSON object", text.substr(0, 60));
        return {};
    }
    const auto it = document->root().find(member);
    return it == document->root().end() ? std::string() : it->is_string() ? it->get<std::string>() : it->dump();
}

} // namespace

Status read_vllm(ReadState& s, const std::string& model)
{
    Given& g = s.given;
    Layout& l = s.plan.layout;
    s.plan.assumptions.framework = Framework::vllm;
    const std::string path = g.text("--model", g.loose().empty() ? "" : g.loose().front());
    choose_model(s, model, g.text("--served-model-name"), path, "--served-model-name");
    Serving w = workload(s.plan);
    l.tp = g.whole("--tensor-parallel-size", 1);
    l.pp = g.whole("--pipeline-parallel-size", 1);
    const int ranks = g.whole("--data-parallel-size", 1);
    const bool experts = g.has("--enable-expert-parallel");
    const int groups = experts ? ranks : 1;
    if (experts)
        spread(l, groups, static_cast<int>(std::min(1'000'000LL, static_cast<long long>(l.tp) * groups)));
    l.expert_dispatch_rdma = g.text("--all2all-backend").starts_with("deepep") || g.text("--all2all-backend") == "pplx";
    s.gpus = static_cast<int>(std::min(1'000'000LL, static_cast<long long>(l.tp) * l.pp * ranks));
    const std::string role = json_member(g, "--kv-transfer-config", "kv_role");
    w.phase = role == "kv_producer" ? ServingPhase::prefill : role == "kv_consumer" ? ServingPhase::decode : ServingPhase::serving;
    const int sequences = static_cast<int>(std::min(1'000'000LL, static_cast<long long>(g.whole("--max-num-seqs", 256)) * groups));
    (w.phase == ServingPhase::prefill ? w.prefill_batch : w.concurrency) = sequences;
    lengths(s, w, "--max-model-len");
    w.chunk = g.has("--no-enable-chunked-prefill") ? 0 : g.whole("--max-num-batched-tokens", w.chunk);
    w.prefix_hit = 0.0;
    if (g.has("--enable-prefix-caching"))
        s.notes.push_back("The prefix cache is on; how much it finds is left at nothing (/workload/prefix_hit)");
    s.plan.assumptions.memory_fraction = g.number("--gpu-memory-utilization", 0.9);
    kv_cache(s, g.text("--kv-cache-dtype", "auto"));
    quantization(s, g.text("--quantization"), "--quantization");
    if (s.plan.precision.recipe == "bf16" && (g.text("--dtype") == "float16" || g.text("--dtype") == "half"))
        s.plan.precision.recipe = "fp16";
    l.cuda_graphs = !g.has("--enforce-eager");
    if (const std::string tokens = json_member(g, "--speculative-config", "num_speculative_tokens"); !tokens.empty()) {
        s.plan.assumptions.speculative_tokens = std::clamp(std::atoi(tokens.c_str()), 0, 64);
        s.notes.push_back("Drafted tokens are taken over; which share is kept is left at nothing (/assumptions/speculative_acceptance)");
    }
    return done(s, w);
}

Status read_sglang(ReadState& s, const std::string& model)
{
    Given& g = s.given;
    Layout& l = s.plan.layout;
    s.plan.assumptions.framework = Framework::sglang;
    choose_model(s, model, g.text("--served-model-name"), g.text("--model-path"), "--model-path");
    Serving w = workload(s.plan);
    const int tp = g.whole("--tensor-parallel-size", 1);
    const int dp = g.whole("--data-parallel-size", 1);
    l.pp = g.whole("--pipeline-parallel-size", 1);
    const bool attention_dp = g.has("--enable-dp-attention") && dp > 1;
    if (attention_dp && tp % dp != 0)
        g.fail("--data-parallel-size", fmt::format("tp {} is no multiple of the attention groups", tp), std::to_string(dp));
    l.tp = attention_dp ? std::max(1, tp / dp) : tp;
    const int ep = g.whole("--expert-parallel-size", 1);
    if (attention_dp) {
        spread(l, dp, ep);
        l.etp = std::max(1, tp / ep);
    } else {
        l.ep = ep;
        l.etp = ep > 1 ? std::max(1, tp / ep) : 1;
    }
    l.expert_dispatch_rdma = g.text("--moe-a2a-backend", "none") != "none";
    s.gpus = static_cast<int>(std::min(1'000'000LL, static_cast<long long>(tp) * l.pp * (attention_dp ? 1 : dp)));
    const std::string pool = g.text("--disaggregation-mode", "null");
    w.phase = pool == "prefill" ? ServingPhase::prefill : pool == "decode" ? ServingPhase::decode : ServingPhase::serving;
    if (w.phase == ServingPhase::prefill)
        w.prefill_batch = g.whole("--prefill-max-requests", g.whole("--max-running-requests", 1));
    else
        w.concurrency = g.whole("--max-running-requests", w.concurrency);
    lengths(s, w, "--context-length");
    w.chunk = std::max(0, g.whole("--chunked-prefill-size", w.chunk, -1));
    if (!g.has("--disable-radix-cache"))
        s.notes.push_back("The prefix cache is on; how much it finds is left at nothing (/workload/prefix_hit)");
    s.plan.assumptions.memory_fraction = g.number("--mem-fraction-static", 0.9);
    kv_cache(s, g.text("--kv-cache-dtype", "auto"));
    quantization(s, g.text("--quantization"), "--quantization");
    if (s.plan.precision.recipe == "bf16" && (g.text("--dtype") == "float16" || g.text("--dtype") == "half"))
        s.plan.precision.recipe = "fp16";
    l.cuda_graphs = !g.has("--disable-cuda-graph");
    s.plan.assumptions.speculative_tokens = g.has("--speculative-algorithm") ? std::max(0, g.whole("--speculative-num-draft-tokens", 1) - 1) : 0;
    return done(s, w);
}

Status read_tensorrt(ReadState& s, const std::string& model)
{
    Given& g = s.given;
    Layout& l = s.plan.layout;
    s.plan.assumptions.framework = Framework::tensorrt_llm;
    choose_model(s, model, {}, g.loose().empty() ? "" : g.loose().front(), "--tokenizer");
    Serving w = workload(s.plan);
    const int tp = g.whole("--tp_size", 1);
    l.tp = tp;
    l.pp = g.whole("--pp_size", 1);
    l.ep = g.whole("--ep_size", 1);
    l.etp = l.ep > 1 ? std::max(1, tp / l.ep) : 1;
    s.gpus = static_cast<int>(std::min(1'000'000LL, static_cast<long long>(tp) * l.pp));
    s.notes.push_back("Attention data parallelism and the format of the cache stand in the YAML of --extra_llm_api_options, which is not read");
    const std::string pool = g.text("--server_role");
    w.phase = pool == "CONTEXT" ? ServingPhase::prefill : pool == "GENERATION" ? ServingPhase::decode : ServingPhase::serving;
    const int sequences = g.whole("--max_batch_size", w.concurrency);
    (w.phase == ServingPhase::prefill ? w.prefill_batch : w.concurrency) = sequences;
    lengths(s, w, "--max_seq_len");
    w.chunk = g.has("--enable_chunked_prefill") ? g.whole("--max_num_tokens", w.chunk) : 0;
    s.plan.assumptions.memory_fraction = g.number("--kv_cache_free_gpu_memory_fraction", 0.9);
    return done(s, w);
}

} // namespace ridgepoint

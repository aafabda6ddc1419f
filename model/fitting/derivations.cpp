#include "model/fitting/derivations.h"

#include <array>

namespace ridgepoint {
namespace {

// A GPU of an architecture that has tables.
struct Relative {
    const char* gpu;
    const char* parent;
    // Median TFLOP/s for M, N, K >= 4096 over the dense peak, TensorRT-LLM back end: aiconfigurator's GEMM tables at the
    // revision of 2026-08-21. 0: the GPU has no such arithmetic.
    double bf16, fp8, fp4;
    double attention; // forward rate over the parent's, head dimension 128 (same tables; GB200 and GB300 by their clocks' bin)
};
constexpr std::array<Relative, 4> relatives = {{
    {"a100", "h100", 262.0 / 312, 0, 0, 0},
    {"b300", "b200", 1485.0 / 2250, 2492.0 / 4500, 4257.0 / 13500, 1461.0 / 1351},
    {"gb200", "b200", 1525.0 / 2500, 2501.0 / 5000, 3811.0 / 10000, 0.9},
    {"gb300", "b200", 1843.0 / 2500, 2873.0 / 5000, 4599.0 / 15000, 1461.0 / 1351 * 0.9},
}};
struct Parent { // the same medians
    const char* gpu;
    double bf16, fp8, fp4;
};
constexpr std::array<Parent, 2> parents = {{{"h100", 771 / 989.5, 1219.0 / 1979, 0}, {"b200", 1471.0 / 2250, 2374.0 / 4500, 3525.0 / 9000}}};
constexpr double most_of_peak = 0.95;

// FP8 attention: forward 761-836 (H100) and 1,498-1,654 (B200) TFLOP/s, and twice as long a way to half of the rate, since
// a tile takes half the time.
struct LowAttention {
    const char* gpu;
    double peak_fraction;
};
constexpr std::array<LowAttention, 3> low_attention = {{{"h100", 0.44}, {"h200", 0.44}, {"b200", 0.41}}};
// A100: 225 TFLOP/s forward without a mask, about 200 causal [FlashAttention-2, arXiv:2307.08691]; backward up to 63 %,
// forward up to 73 % of the peak.
constexpr double a100_attention = 0.68;
constexpr double a100_backward = 0.86;

// 16 GiB between two B200 at 660 of 900 GB/s.
constexpr double pair_fraction = 0.73;
// DeepEP on A100: what its slower clock adds to an exchange of few tokens; a planning value.
constexpr double a100_exchange = 1.3;

const std::string software = "/software/tensorrt-llm/";

double ratio_of(const Relative& r, const std::string& kind)
{
    const Parent& p = *std::ranges::find_if(parents, [&](const Parent& q) { return std::string_view(q.gpu) == r.parent; });
    if (kind == "fp8" || kind == "fp8_block")
        return r.fp8 / p.fp8;
    return kind == "fp4" ? r.fp4 / p.fp4 : r.bf16 / p.bf16;
}

} // namespace

void derive_kernels(EfficiencyDocuments& documents, const Wanted& wanted)
{
    for (const LowAttention& a : low_attention)
        if (wanted(a.gpu))
            documents.derive({a.gpu, software + "prefill/bf16", a.gpu, software + "prefill/fp8", {{"half_length", 2.0}}, {{"peak_fraction", a.peak_fraction}}});
    for (const Relative& r : relatives) {
        if (!wanted(r.gpu))
            continue;
        for (const char* group : {"gemm", "grouped"})
            for (const std::string& kind : documents.names(r.gpu, software + group)) {
                const std::string at = software + group + "/" + kind;
                documents.derive({r.parent, at, r.gpu, at, {{"peak_fraction", ratio_of(r, kind)}}, {}, most_of_peak});
            }
        for (const std::string& kind : documents.names(r.gpu, software + "prefill")) {
            const std::string at = software + "prefill/" + kind;
            if (r.attention > 0.0)
                documents.derive({r.parent, at, r.gpu, at, {{"peak_fraction", r.attention}}, {}});
            else
                documents.derive({r.parent, at, r.gpu, at, {}, {{"peak_fraction", a100_attention}, {"backward_fraction", a100_backward}}});
        }
        for (const char* group : {"decode", "latent"}) // the best decode rates are the same fraction of the bandwidth
            for (const std::string& kind : documents.names(r.gpu, software + group))
                documents.derive({r.parent, software + group + "/" + kind, r.gpu, software + group + "/" + kind, {}, {}});
    }
}

void derive_domains(EfficiencyDocuments& documents, const Wanted& wanted)
{
    for (const std::string& gpu : documents.ids()) {
        if (!wanted(gpu) || documents.find(gpu, "/domain") == nullptr)
            continue;
        documents.derive({gpu, "/domain/all_to_all", gpu, "/domain/send_recv", {}, {{"fraction", pair_fraction}, {"loss", 0.0}}});
        if (gpu == "gb300") // 8 GB200 of one NVL72 reach 847 GB/s against 843 of 8 B200, and so will GB300
            documents.derive({"b200", "/domain/all_reduce_switch", gpu, "/domain/all_reduce_switch", {}, {}});
        if (gpu == "a100")
            documents.derive({"h100", "/domain/exchange", gpu, "/domain/exchange", {{"latency", a100_exchange}}, {}});
        else if (gpu == "b300" || gpu.starts_with("gb"))
            documents.derive({"b200", "/domain/exchange", gpu, "/domain/exchange", {}, {}});
    }
}

void derive_fabrics(EfficiencyDocuments& documents, const Wanted& wanted)
{
    // Runs on more than two nodes are published of EFA v4 alone: a further domain costs the same part of the latency elsewhere.
    const auto latency = [&](const std::string& id, const char* name) {
        const nlohmann::ordered_json* v = documents.find(id, std::string("/exchange/") + name + "/value");
        return v != nullptr && v->is_number() ? v->get<double>() : 0.0;
    };
    const double known = latency("efa-v4", "latency");
    for (const char* id : {"efa-v1", "efa-v2", "efa-v3"})
        if (wanted(id) && known > 0.0)
            documents.set(id, "/exchange/per_domain", latency("efa-v4", "per_domain") * latency(id, "latency") / known);
}

void derive_training(EfficiencyDocuments& documents, const Wanted& wanted)
{
    for (const std::string& id : documents.ids()) {
        const std::string like = id.starts_with("efa") ? "efa-v4" : "infiniband-ndr";
        if (id == like || !wanted(id) || !documents.find(id, "/tree"))
            continue;
        EfficiencyDocuments::Derivation d;
        d.from_document = like;
        d.to_document = id;
        d.from = d.to = "/training";
        documents.derive(d);
    }
}

} // namespace ridgepoint

#include "model/calibration/kernel_shapes.h"

#include <algorithm>

#include "model/calibration/row_models.h"
#include "model/kernels/routed_load.h"

namespace ridgepoint {
namespace {

struct Formats {
    Arithmetic arithmetic = Arithmetic::bf16;
    NumberFormat weights = NumberFormat::bf16;
    NumberFormat activations = NumberFormat::bf16;
};
std::optional<Formats> formats_of(std::string_view dtype)
{
    if (dtype == "bfloat16" || dtype == "float16")
        return Formats{};
    if (dtype == "fp8")
        return Formats{Arithmetic::fp8, NumberFormat::fp8, NumberFormat::fp8};
    if (dtype == "fp8_block")
        return Formats{Arithmetic::fp8, NumberFormat::fp8_block, NumberFormat::fp8_block};
    if (dtype == "mxfp8")
        return Formats{Arithmetic::fp8, NumberFormat::mxfp8, NumberFormat::mxfp8};
    if (dtype == "nvfp4")
        return Formats{Arithmetic::fp4, NumberFormat::nvfp4, NumberFormat::nvfp4};
    if (dtype == "w4a16_mxfp4")
        return Formats{Arithmetic::bf16, NumberFormat::mxfp4, NumberFormat::bf16};
    if (dtype == "int4_wo")
        return Formats{Arithmetic::bf16, NumberFormat::int4, NumberFormat::bf16};
    return std::nullopt;
}

GemmShape shape_of(const Formats& f, double m, double n, double k)
{
    GemmShape s;
    s.m = m;
    s.n = n;
    s.k = k;
    s.arithmetic = f.arithmetic;
    s.a = f.activations;
    s.b = f.weights;
    s.quantize_a = bytes_per_element(f.activations) < 2.0;
    return s;
}

// DeepSeek-V3's router (arXiv:2412.19437, section 2.1.2) takes the experts of a token from 4 of 8 groups of 32. The
// "balanced" logits of these tables [aiconfigurator, collector/helper.py, balanced_logits] favour one expert in every group,
// token t expert t mod 32: four of them survive, and the other four are picked among equals, the same four of the first group
// for every token. So the first GPU, which was timed, gets more than its share when experts are spread.
constexpr double grouped_router_experts = 256;
constexpr double grouped_router_hidden = 7168;
void route_in_groups(ExpertLayerShape& s)
{
    constexpr double groups = 8, chosen_groups = 4, group_size = 32;
    const double ties = s.top_k - chosen_groups;
    const double real = std::min(chosen_groups, groups / s.expert_parallel);
    s.rows = s.tokens * (real + ties);
    s.touched = std::min(1.0, (real * std::min(s.tokens, group_size) + ties) / (s.experts / s.expert_parallel));
}

} // namespace

std::string software_class(std::string_view tool) { return contains_word(tool, "vllm") ? "vllm" : "tensorrt-llm"; }

std::optional<GemmShape> gemm_shape(const CsvRow& row)
{
    const auto f = formats_of(row.text("gemm_dtype"));
    if (!f)
        return std::nullopt;
    return shape_of(*f, row.number("m"), row.number("n"), row.number("k"));
}

std::optional<ExpertLayerShape> expert_layer_shape(const CsvRow& row)
{
    const auto f = formats_of(row.text("moe_dtype"));
    if (!f)
        return std::nullopt;
    ExpertLayerShape s;
    s.tokens = row.number("num_tokens");
    s.hidden = row.number("hidden_size");
    s.inter = row.number("inter_size") / row.number_or("moe_tp_size", 1);
    s.top_k = row.number("topk");
    s.experts = row.number("num_experts");
    s.expert_parallel = row.number_or("moe_ep_size", 1);
    s.masked = true; // one GPU's share of the kernels, without an exchange
    s.gated = s.experts != 512; // the table's 512-expert model (Nemotron 3) has a plain MLP
    s.arithmetic = f->arithmetic;
    s.a = f->activations;
    s.b = f->weights;
    s.quantize_a = bytes_per_element(f->activations) < 2.0;
    const bool balanced = row.text("distribution") == "balanced";
    const RoutedLoad load = balanced ? balanced_load(s.tokens, s.experts, s.top_k, s.expert_parallel)
                                     : power_law_load(s.tokens, s.experts, s.top_k, s.expert_parallel, 1.2);
    s.rows = load.rows;
    s.touched = load.touched;
    if (balanced && s.experts == grouped_router_experts && s.hidden == grouped_router_hidden)
        route_in_groups(s);
    return s;
}

AttentionShape attention_shape(const CsvRow& row)
{
    AttentionShape s;
    s.sequences = row.number("batch_size");
    s.query_heads = row.number("num_heads");
    s.kv_heads = row.number("num_key_value_heads");
    s.qk_dim = s.v_dim = row.number("head_dim");
    s.kv = row.text("kv_cache_dtype") == "fp8" ? NumberFormat::fp8 : NumberFormat::bf16;
    const bool prefill = row.text("phase") == "prefill";
    s.queries = prefill ? row.number("isl") : 1.0;
    s.keys = prefill ? row.number("isl") + row.number_or("step", 0) : row.number("kv_len");
    s.window = row.number_or("window", 0);
    s.cached = !prefill; // benchmarks loop over one cache that stays in L2
    return s;
}

AttentionShape latent_shape(const CsvRow& row)
{
    AttentionShape s; // DeepSeek: a latent of 512 and 64 rotary dimensions
    s.sequences = row.number("batch_size");
    s.query_heads = row.number("num_heads");
    s.kv_heads = 1;
    s.qk_dim = 576;
    s.v_dim = 512;
    s.queries = 1;
    s.keys = row.number("kv_len");
    s.kv = row.text("kv_cache_dtype") == "fp8" ? NumberFormat::fp8 : NumberFormat::bf16;
    s.latent = true;
    s.cached = true; // the loop of a benchmark again
    return s;
}

} // namespace ridgepoint

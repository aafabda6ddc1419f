// Published kernel timings: matrix products, grouped products, attention.

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "model/calibration/predictors.h"
#include "model/calibration/row_models.h"
#include "model/calibration/strata.h"
#include "model/hardware/read.h"
#include "model/kernels/kernels.h"
#include "model/kernels/read.h"
#include "model/kernels/routed_load.h"

namespace ridgepoint {
namespace {

struct Gpu {
    Accelerator accelerator;
    KernelConstants constants;
};

class KernelPredictor : public RowPredictor {
public:
    KernelPredictor(const SpecStore& specs, std::string name) : m_specs(specs), m_name(std::move(name)) {}
    std::string kind() const override { return m_name; }
    std::vector<std::string> quantities() const override { return {"latency_us"}; }

    RowOutcome predict(const CsvRow& row) override
    {
        RowOutcome out;
        const std::optional<Gpu>& gpu = gpu_of(std::string(row.text("system")), software(row));
        const double measured = row.number("latency_us");
        if (!gpu || std::isnan(measured) || measured <= 0) {
            out.not_expressed = gpu ? "no latency" : "the GPU is not in the catalogue";
            return out;
        }
        std::map<std::string, std::string> strata{{"gpu", std::string(row.text("system"))}};
        const std::optional<AttributedTime> t = time(row, *gpu, strata);
        if (!t) {
            out.not_expressed = "the number format or kernel is not modelled";
            return out;
        }
        const double predicted = in_microseconds(t->total());
        out.predictions.push_back({"latency_us", measured, predicted, predicted, predicted, strata});
        return out;
    }

protected:
    // Class of kernels that a row was measured with.
    [[nodiscard]] virtual std::string software(const CsvRow&) const { return "tensorrt-llm"; }
    virtual std::optional<AttributedTime> time(const CsvRow& row, const Gpu& gpu, std::map<std::string, std::string>& strata) const = 0;

private:
    const std::optional<Gpu>& gpu_of(const std::string& system, const std::string& software)
    {
        const std::string key = system + "/" + software;
        const auto known = m_gpus.find(key);
        if (known != m_gpus.end())
            return known->second;
        std::optional<Gpu> gpu;
        const std::string id = accelerator_for(system);
        if (Expected<Accelerator> a = id.empty() ? Expected<Accelerator>(bad_input("")) : read_accelerator(m_specs, id); a)
            if (Expected<KernelConstants> c = read_kernel_constants(m_specs, a->efficiency_id, software); c)
                gpu = Gpu{*a, *c};
        return m_gpus.emplace(key, std::move(gpu)).first->second;
    }

    const SpecStore& m_specs;
    std::string m_name;
    std::map<std::string, std::optional<Gpu>> m_gpus;
};

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

class GemmPredictor final : public KernelPredictor {
public:
    explicit GemmPredictor(const SpecStore& specs) : KernelPredictor(specs, "gemm") {}
    std::string software(const CsvRow& row) const override { return contains_word(row.text("source_tool"), "vllm") ? "vllm" : "tensorrt-llm"; }
    std::optional<AttributedTime> time(const CsvRow& row, const Gpu& gpu, std::map<std::string, std::string>& strata) const override
    {
        strata["precision"] = std::string(row.text("gemm_dtype"));
        strata["software"] = std::string(row.text("source_tool"));
        strata["gpu, precision, software"] = joined({row.text("system"), row.text("gemm_dtype"), row.text("source_tool")});
        strata["m"] = whole_band(row.number("m"), {16, 256, 4096});
        const auto f = formats_of(row.text("gemm_dtype"));
        if (!f || !gpu.accelerator.supports(f->arithmetic))
            return std::nullopt;
        return gemm_time(shape_of(*f, row.number("m"), row.number("n"), row.number("k")), gpu.accelerator, gpu.constants);
    }
};

// The routed experts of one layer: both products, the activation between them, permutation and sum.
class GroupedPredictor final : public KernelPredictor {
public:
    explicit GroupedPredictor(const SpecStore& specs) : KernelPredictor(specs, "moe_gemm") {}
    std::string software(const CsvRow& row) const override { return contains_word(row.text("tool"), "vllm") ? "vllm" : "tensorrt-llm"; }
    std::optional<AttributedTime> time(const CsvRow& row, const Gpu& gpu, std::map<std::string, std::string>& strata) const override
    {
        strata["precision"] = std::string(row.text("moe_dtype"));
        strata["routing"] = std::string(row.text("distribution"));
        strata["gpu, precision"] = joined({row.text("system"), row.text("moe_dtype")});
        strata["software"] = std::string(row.text("tool"));
        strata["tokens"] = whole_band(row.number("num_tokens"), {16, 256, 4096});
        strata["experts per GPU"] = whole_band(row.number("num_experts") / row.number_or("moe_ep_size", 1), {8, 32, 128});
        strata["tensor split"] = std::string(row.text("moe_tp_size"));
        const auto f = formats_of(row.text("moe_dtype"));
        if (!f || !gpu.accelerator.supports(f->arithmetic))
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
        // DeepSeek-V3's router reaches 4 of its 8 groups of experts when the logits are balanced.
        const bool grouped_router = balanced && s.experts == 256 && s.hidden == 7168 && s.expert_parallel == 1;
        s.rows = load.rows;
        s.touched = grouped_router ? std::min(load.touched, 0.5) : load.touched;
        return expert_layer_time(s, gpu.accelerator, gpu.constants);
    }
};

class AttentionPredictor final : public KernelPredictor {
public:
    explicit AttentionPredictor(const SpecStore& specs) : KernelPredictor(specs, "attention") {}
    std::optional<AttributedTime> time(const CsvRow& row, const Gpu& gpu, std::map<std::string, std::string>& strata) const override
    {
        strata["kv"] = std::string(row.text("kv_cache_dtype"));
        strata["gpu, kv"] = joined({row.text("system"), row.text("kv_cache_dtype")});
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
        strata["heads"] = sharing_of_heads(s.query_heads, s.kv_heads);
        strata["mask"] = prefill ? "causal" : "none: one query";
        strata["window"] = s.window > 0 ? "sliding" : "none";
        strata["keys"] = whole_band(s.keys, {128, 1024, 8192});
        strata["sequences"] = whole_band(s.sequences, {1, 8, 64});
        s.cached = !prefill; // benchmarks loop over one cache that stays in L2
        return attention_time(s, gpu.accelerator, gpu.constants);
    }
};

class MlaPredictor final : public KernelPredictor {
public:
    explicit MlaPredictor(const SpecStore& specs) : KernelPredictor(specs, "mla_decode") {}
    std::optional<AttributedTime> time(const CsvRow& row, const Gpu& gpu, std::map<std::string, std::string>& strata) const override
    {
        strata["kv"] = std::string(row.text("kv_cache_dtype"));
        strata["gpu, kv"] = joined({row.text("system"), row.text("kv_cache_dtype")});
        strata["heads"] = whole_band(row.number("num_heads"), {4, 16, 64});
        strata["keys"] = whole_band(row.number("kv_len"), {128, 1024, 8192});
        strata["sequences"] = whole_band(row.number("batch_size"), {1, 8, 64});
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
        s.cached = true; // as above
        return attention_time(s, gpu.accelerator, gpu.constants);
    }
};

} // namespace

std::unique_ptr<RowPredictor> make_gemm_predictor(const SpecStore& specs) { return std::make_unique<GemmPredictor>(specs); }
std::unique_ptr<RowPredictor> make_grouped_gemm_predictor(const SpecStore& specs) { return std::make_unique<GroupedPredictor>(specs); }
std::unique_ptr<RowPredictor> make_attention_predictor(const SpecStore& specs) { return std::make_unique<AttentionPredictor>(specs); }
std::unique_ptr<RowPredictor> make_mla_predictor(const SpecStore& specs) { return std::make_unique<MlaPredictor>(specs); }

} // namespace ridgepoint

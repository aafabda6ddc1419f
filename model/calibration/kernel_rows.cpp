// Published kernel timings: matrix products, grouped products, attention.

#include <cmath>
#include <map>
#include <optional>

#include "model/calibration/predictors.h"
#include "model/calibration/row_models.h"
#include "model/hardware/read.h"
#include "model/kernels/kernels.h"
#include "model/kernels/read.h"
#include "model/operators/layer.h"

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
        const std::optional<Gpu>& gpu = gpu_of(std::string(row.text("system")));
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
    virtual std::optional<AttributedTime> time(const CsvRow& row, const Gpu& gpu, std::map<std::string, std::string>& strata) const = 0;

private:
    const std::optional<Gpu>& gpu_of(const std::string& system)
    {
        const auto known = m_gpus.find(system);
        if (known != m_gpus.end())
            return known->second;
        std::optional<Gpu> gpu;
        const std::string id = accelerator_for(system);
        if (Expected<Accelerator> a = id.empty() ? Expected<Accelerator>(bad_input("")) : read_accelerator(m_specs, id); a)
            if (Expected<KernelConstants> c = read_kernel_constants(m_specs, a->efficiency_id); c)
                gpu = Gpu{*a, *c};
        return m_gpus.emplace(system, std::move(gpu)).first->second;
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
    std::optional<AttributedTime> time(const CsvRow& row, const Gpu& gpu, std::map<std::string, std::string>& strata) const override
    {
        strata["precision"] = std::string(row.text("gemm_dtype"));
        strata["software"] = std::string(row.text("source_tool"));
        const auto f = formats_of(row.text("gemm_dtype"));
        if (!f || !gpu.accelerator.supports(f->arithmetic))
            return std::nullopt;
        return gemm_time(shape_of(*f, row.number("m"), row.number("n"), row.number("k")), gpu.accelerator, gpu.constants);
    }
};

// Both products of the experts of one layer, and the activation between them.
class GroupedPredictor final : public KernelPredictor {
public:
    explicit GroupedPredictor(const SpecStore& specs) : KernelPredictor(specs, "moe_gemm") {}
    std::optional<AttributedTime> time(const CsvRow& row, const Gpu& gpu, std::map<std::string, std::string>& strata) const override
    {
        strata["precision"] = std::string(row.text("moe_dtype"));
        strata["routing"] = std::string(row.text("distribution"));
        const auto f = formats_of(row.text("moe_dtype"));
        if (!f || !gpu.accelerator.supports(f->arithmetic))
            return std::nullopt;
        MixtureOfExperts moe;
        moe.experts = static_cast<int>(row.number("num_experts"));
        moe.top_k = static_cast<int>(row.number("topk"));
        const double tokens = row.number("num_tokens");
        const double ep = row.number_or("moe_ep_size", 1);
        const double width = row.number("inter_size") / row.number_or("moe_tp_size", 1);
        const double local = moe.experts / ep;
        // Balanced rows spread copies over as many experts as there are; skewed ones choose at random.
        const double touched = row.text("distribution") == "balanced" ? std::min(1.0, tokens * moe.top_k / moe.experts) : touched_experts(moe, tokens);
        const double groups = std::max(1.0, local * touched);
        const double rows = tokens * moe.top_k / ep / groups;
        const double h = row.number("hidden_size");
        GemmShape up = shape_of(*f, rows, 2.0 * width, h);
        up.groups = groups;
        GemmShape down = shape_of(*f, rows, h, width);
        down.groups = groups;
        return gemm_time(up, gpu.accelerator, gpu.constants) + gemm_time(down, gpu.accelerator, gpu.constants)
            + memory_time(Bytes{6.0 * tokens * moe.top_k / ep * width}, 1, gpu.accelerator, gpu.constants);
    }
};

class AttentionPredictor final : public KernelPredictor {
public:
    explicit AttentionPredictor(const SpecStore& specs) : KernelPredictor(specs, "attention") {}
    std::optional<AttributedTime> time(const CsvRow& row, const Gpu& gpu, std::map<std::string, std::string>& strata) const override
    {
        strata["kv"] = std::string(row.text("kv_cache_dtype"));
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
        return attention_time(s, gpu.accelerator, gpu.constants);
    }
};

class MlaPredictor final : public KernelPredictor {
public:
    explicit MlaPredictor(const SpecStore& specs) : KernelPredictor(specs, "mla_decode") {}
    std::optional<AttributedTime> time(const CsvRow& row, const Gpu& gpu, std::map<std::string, std::string>& strata) const override
    {
        strata["kv"] = std::string(row.text("kv_cache_dtype"));
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
        return attention_time(s, gpu.accelerator, gpu.constants);
    }
};

} // namespace

std::unique_ptr<RowPredictor> make_gemm_predictor(const SpecStore& specs) { return std::make_unique<GemmPredictor>(specs); }
std::unique_ptr<RowPredictor> make_grouped_gemm_predictor(const SpecStore& specs) { return std::make_unique<GroupedPredictor>(specs); }
std::unique_ptr<RowPredictor> make_attention_predictor(const SpecStore& specs) { return std::make_unique<AttentionPredictor>(specs); }
std::unique_ptr<RowPredictor> make_mla_predictor(const SpecStore& specs) { return std::make_unique<MlaPredictor>(specs); }

} // namespace ridgepoint

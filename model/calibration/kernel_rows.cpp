// Published kernel timings: matrix products, grouped products, attention.

#include <cmath>
#include <map>
#include <optional>

#include "model/calibration/kernel_shapes.h"
#include "model/calibration/predictors.h"
#include "model/calibration/row_models.h"
#include "model/calibration/strata.h"
#include "model/hardware/read.h"
#include "model/kernels/kernels.h"
#include "model/kernels/read.h"

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

class GemmPredictor final : public KernelPredictor {
public:
    explicit GemmPredictor(const SpecStore& specs) : KernelPredictor(specs, "gemm") {}
    std::string software(const CsvRow& row) const override { return software_class(row.text("source_tool")); }
    std::optional<AttributedTime> time(const CsvRow& row, const Gpu& gpu, std::map<std::string, std::string>& strata) const override
    {
        strata["precision"] = std::string(row.text("gemm_dtype"));
        strata["software"] = std::string(row.text("source_tool"));
        strata["gpu, precision, software"] = joined({row.text("system"), row.text("gemm_dtype"), row.text("source_tool")});
        strata["m"] = whole_band(row.number("m"), {16, 256, 4096});
        const auto s = gemm_shape(row);
        if (!s || !gpu.accelerator.supports(s->arithmetic))
            return std::nullopt;
        return gemm_time(*s, gpu.accelerator, gpu.constants);
    }
};

class GroupedPredictor final : public KernelPredictor {
public:
    explicit GroupedPredictor(const SpecStore& specs) : KernelPredictor(specs, "moe_gemm") {}
    std::string software(const CsvRow& row) const override { return software_class(row.text("tool")); }
    std::optional<AttributedTime> time(const CsvRow& row, const Gpu& gpu, std::map<std::string, std::string>& strata) const override
    {
        strata["precision"] = std::string(row.text("moe_dtype"));
        strata["routing"] = std::string(row.text("distribution"));
        strata["gpu, precision"] = joined({row.text("system"), row.text("moe_dtype")});
        strata["software"] = std::string(row.text("tool"));
        strata["tokens"] = whole_band(row.number("num_tokens"), {16, 256, 4096});
        strata["experts per GPU"] = whole_band(row.number("num_experts") / row.number_or("moe_ep_size", 1), {8, 32, 128});
        strata["tensor split"] = std::string(row.text("moe_tp_size"));
        const auto s = expert_layer_shape(row);
        if (!s || !gpu.accelerator.supports(s->arithmetic))
            return std::nullopt;
        return expert_layer_time(*s, gpu.accelerator, gpu.constants);
    }
};

class AttentionPredictor final : public KernelPredictor {
public:
    explicit AttentionPredictor(const SpecStore& specs) : KernelPredictor(specs, "attention") {}
    std::optional<AttributedTime> time(const CsvRow& row, const Gpu& gpu, std::map<std::string, std::string>& strata) const override
    {
        strata["kv"] = std::string(row.text("kv_cache_dtype"));
        strata["gpu, kv"] = joined({row.text("system"), row.text("kv_cache_dtype")});
        const AttentionShape s = attention_shape(row);
        strata["heads"] = sharing_of_heads(s.query_heads, s.kv_heads);
        strata["mask"] = row.text("phase") == "prefill" ? "causal" : "none: one query";
        strata["window"] = s.window > 0 ? "sliding" : "none";
        strata["keys"] = whole_band(s.keys, {128, 1024, 8192});
        strata["sequences"] = whole_band(s.sequences, {1, 8, 64});
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
        return attention_time(latent_shape(row), gpu.accelerator, gpu.constants);
    }
};

} // namespace

std::unique_ptr<RowPredictor> make_gemm_predictor(const SpecStore& specs) { return std::make_unique<GemmPredictor>(specs); }
std::unique_ptr<RowPredictor> make_grouped_gemm_predictor(const SpecStore& specs) { return std::make_unique<GroupedPredictor>(specs); }
std::unique_ptr<RowPredictor> make_attention_predictor(const SpecStore& specs) { return std::make_unique<AttentionPredictor>(specs); }
std::unique_ptr<RowPredictor> make_mla_predictor(const SpecStore& specs) { return std::make_unique<MlaPredictor>(specs); }

} // namespace ridgepoint

#include "model/fitting/kernel_fits.h"

#include "model/fitting/kernel_rows.h"
#include "model/kernels/read.h"

namespace ridgepoint {
namespace {

// Ranges are what the hardware can do (a fraction of a peak is at most 1) and what a launch, a tile or a pass can cost.
std::vector<FreeConstant<GemmConstants>> gemm_constants(bool grouped, bool quantized)
{
    using G = GemmConstants;
    std::vector<FreeConstant<G>> c = {
        free_constant("peak_fraction", &G::peak_fraction, grouped ? Range{0.4, 0.05, 1.0, 0} : Range{0.75, 0.2, 1.0, 0}),
        free_constant("bandwidth_fraction", &G::bandwidth_fraction, {0.8, grouped ? 0.2 : 0.3, 1.0, 0}),
        free_constant("k_prologue", &G::k_prologue, {200, 0, 3000, 50}),
        free_constant("wave", &G::wave, {0.3, 0, 3, 0.1}),
        free_constant("minimum_rows", &G::minimum_rows, grouped ? Range{64, 1, 256, 0} : Range{30, 1, 200, 0}),
    };
    if (grouped)
        c.push_back(free_constant("masked_passes", &G::masked_passes, {0.5, 0, 20, 0.1}));
    else
        c.push_back(free_constant("pipeline", &G::pipeline, {1e-6, 0, 10e-6, 0.2e-6}));
    // A quantised product itself starts like a bf16 one; the rest of its floor belongs to the conversion.
    if (grouped || !quantized)
        c.push_back(free_constant("launch", &G::launch, grouped ? Range{10e-6, 1e-6, 60e-6, 0} : Range{3e-6, 0.5e-6, 30e-6, 0}));
    if (quantized) {
        c.push_back(free_constant("quantize_launch", &G::quantize_launch, {grouped ? 3e-6 : 1e-6, 0, grouped ? 60e-6 : 30e-6, 0.2e-6}));
        c.push_back(free_constant("quantize_passes", &G::quantize_passes, {1, 0, grouped ? 10.0 : 4.0, 0.2}));
    }
    return c;
}

std::vector<FreeConstant<PrefillConstants>> prefill_constants()
{
    using P = PrefillConstants;
    return {
        free_constant("peak_fraction", &P::peak_fraction, {0.65, 0.1, 1.0, 0}),
        free_constant("bandwidth_fraction", &P::bandwidth_fraction, {0.4, 0.05, 1.0, 0}),
        free_constant("half_length", &P::half_length, {500, 0, 5000, 100}),
        free_constant("wave", &P::wave, {1, 0, 10, 0.1}),
        free_constant("store_passes", &P::store_passes, {1, 0, 10, 0.2}),
        // The tables measure the attention kernel with those that write the cache. "launch" stays what one kernel costs.
        free_constant("store_launch", &P::store_launch, {4e-6, 0, 45e-6, 0.5e-6}),
    };
}

std::vector<FreeConstant<DecodeConstants>> decode_constants(bool latent)
{
    using D = DecodeConstants;
    return {
        free_constant("peak_fraction", &D::peak_fraction, {latent ? 0.5 : 0.2, 0.02, 1.0, 0}),
        free_constant("bandwidth_fraction", &D::bandwidth_fraction, {0.9, 0.3, 1.0, 0}),
        free_constant("launch", &D::launch, {10e-6, 1e-6, 50e-6, 0}),
        free_constant("reduction", &D::reduction, {3e-6, 0, 50e-6, 0.5e-6}),
        free_constant("unit", &D::unit, {1e-6, 0, 50e-6, 0.2e-6}),
        free_constant("output_passes", &D::output_passes, {1, 0, 8, 0.2}),
    };
}

using Starts = std::vector<std::vector<std::pair<std::string_view, double>>>;
const Starts gemm_starts = {{{"minimum_rows", 100}, {"wave", 0.1}}, {{"minimum_rows", 10}, {"wave", 0.8}}, {{"k_prologue", 20}, {"peak_fraction", 0.5}}};

template <typename Law, typename Shape> LawFit<Law> law_fit(const KernelRows<Shape>& rows, const char* families, const char* loads)
{
    LawFit<Law> f;
    f.measured = rows.seconds;
    f.prior = 0.05; // settles what two constants can explain alike, and no more
    f.groupings = {{families, rows.families, 2, 2}, {loads, rows.loads, 2, 2}};
    return f;
}

class KernelFitter {
public:
    KernelFitter(const SpecStore& specs, std::string gpu, FittedLaws& out) : m_specs(specs), m_gpu(std::move(gpu)), m_out(out) {}

    Status products(const std::map<std::string, std::map<GemmKind, KernelRows<GemmShape>>>& by_software)
    {
        for (const auto& [software, kinds] : by_software) {
            Expected<KernelConstants> k = read_kernel_constants(m_specs, m_gpu, software);
            if (!k)
                return k.error();
            for (const auto& [kind, rows] : kinds) { // bf16 is the first
                const auto at = static_cast<std::size_t>(kind);
                const bool quantized = rows.shapes.front().quantize_a;
                GemmConstants& law = k->gemm[at];
                FittedConstant launch{"launch", law.launch.value(), law.launch.value()};
                if (quantized)
                    law.launch = k->gemm[static_cast<std::size_t>(GemmKind::bf16)].launch;
                launch.after = law.launch.value();
                auto f = law_fit<GemmConstants>(rows, "families of n and k", "rows m");
                f.free = gemm_constants(false, quantized);
                f.other_starts = gemm_starts;
                f.seconds = [&rows, at, scratch = *k](const GemmConstants& c, std::size_t i) mutable {
                    scratch.gemm[at] = c;
                    return gemm_time(rows.shapes[i], *rows.gpu, scratch).total().value();
                };
                m_out.laws.push_back(f.fit(law, m_gpu, "/software/" + software + "/gemm/" + std::string(name_of(kind))));
                if (quantized)
                    m_out.laws.back().constants.push_back(launch);
            }
        }
        return Done{};
    }

    // Tables of experts and attention name one tool each, whose constants serve every class.
    Status read()
    {
        Expected<KernelConstants> k = read_kernel_constants(m_specs, m_gpu);
        if (!k)
            return k.error();
        m_constants = std::move(*k);
        return Done{};
    }

    void experts(const std::map<GemmKind, KernelRows<ExpertLayerShape>>& kinds)
    {
        for (const auto& [kind, rows] : kinds) {
            const auto at = static_cast<std::size_t>(kind);
            auto f = law_fit<GemmConstants>(rows, "layers of experts", "tokens");
            f.free = gemm_constants(true, rows.shapes.front().quantize_a);
            f.other_starts = gemm_starts;
            f.seconds = [&rows, at, scratch = m_constants](const GemmConstants& c, std::size_t i) mutable {
                scratch.grouped[at] = c;
                return expert_layer_time(rows.shapes[i], *rows.gpu, scratch).total().value();
            };
            m_out.laws.push_back(f.fit(m_constants.grouped[at], m_gpu, pointer("grouped", std::string(name_of(kind)))));
        }
    }

    template <typename Law>
    void attention(const std::map<bool, KernelRows<AttentionShape>>& caches, const std::string& group, const char* low_name,
        const std::vector<FreeConstant<Law>>& free, Law KernelConstants::*bf16, Law KernelConstants::*fp8)
    {
        for (const auto& [low, rows] : caches) {
            Law KernelConstants::*law = low ? fp8 : bf16;
            auto f = law_fit<Law>(rows, "numbers of heads", group == "prefill" ? "queries" : "keys");
            f.free = free;
            f.seconds = [&rows, law, scratch = m_constants](const Law& c, std::size_t i) mutable {
                scratch.*law = c;
                return attention_time(rows.shapes[i], *rows.gpu, scratch).total().value();
            };
            m_out.laws.push_back(f.fit(m_constants.*law, m_gpu, pointer(group, low ? low_name : "bf16")));
        }
    }

    void attention(const KernelTables& t)
    {
        using K = KernelConstants;
        if (const auto p = t.prefill.find(m_gpu); p != t.prefill.end())
            attention(p->second, "prefill", "bf16_cache_fp8", prefill_constants(), &K::prefill_bf16, &K::prefill_bf16_cache_fp8);
        if (const auto d = t.decode.find(m_gpu); d != t.decode.end())
            attention(d->second, "decode", "fp8", decode_constants(false), &K::decode_bf16, &K::decode_fp8);
        if (const auto l = t.latent.find(m_gpu); l != t.latent.end())
            attention(l->second, "latent", "fp8", decode_constants(true), &K::latent_bf16, &K::latent_fp8);
    }

private:
    [[nodiscard]] std::string pointer(const std::string& group, const std::string& name) const
    {
        return "/software/" + m_constants.software + "/" + group + "/" + name;
    }

    const SpecStore& m_specs;
    std::string m_gpu;
    KernelConstants m_constants;
    FittedLaws& m_out;
};

} // namespace

Status fit_kernels(const std::vector<MeasurementFile>& files, const SpecStore& specs, const Wanted& wanted, FittedLaws& out)
{
    const KernelTables tables = kernel_tables(files, specs, wanted, out);
    for (const auto& [accelerator, gpu] : tables.gpus) {
        const std::string& id = gpu.efficiency_id;
        if (!wanted(id))
            continue;
        KernelFitter fitter(specs, id, out);
        if (Status s = fitter.read(); !s)
            return s;
        if (const auto g = tables.gemm.find(id); g != tables.gemm.end())
            if (Status s = fitter.products(g->second); !s)
                return s;
        if (const auto g = tables.grouped.find(id); g != tables.grouped.end())
            fitter.experts(g->second);
        fitter.attention(tables);
    }
    return Done{};
}

} // namespace ridgepoint

#include "model/fitting/kernel_rows.h"

#include <filesystem>

#include "model/calibration/kernel_shapes.h"
#include "model/calibration/row_models.h"
#include "model/hardware/read.h"

namespace ridgepoint {
namespace {

template <typename Shape>
void add(KernelRows<Shape>& to, const Accelerator& gpu, const Shape& shape, double seconds, std::vector<double> family, std::vector<double> load)
{
    to.gpu = &gpu;
    to.shapes.push_back(shape);
    to.seconds.push_back(seconds);
    to.families.push_back(std::move(family));
    to.loads.push_back(std::move(load));
}

GemmKind kind_of(const ExpertLayerShape& s)
{
    GemmShape g;
    g.arithmetic = s.arithmetic;
    g.b = s.b;
    return ridgepoint::kind_of(g);
}

class Sorter {
public:
    Sorter(const SpecStore& specs, const Wanted& wanted, KernelTables& tables) : m_specs(specs), m_wanted(wanted), m_tables(tables) {}

    // Why the row teaches nothing; empty: it does, or nobody asked for its GPU.
    std::string take(const std::string& kind, const CsvRow& row)
    {
        const Accelerator* gpu = gpu_of(std::string(row.text("system")));
        const double seconds = row.number("latency_us") * 1e-6;
        if (gpu == nullptr)
            return "the GPU is not in the catalogue";
        if (!(seconds > 0.0))
            return "no latency";
        const std::string& id = gpu->efficiency_id;
        if (!m_wanted(id))
            return {};
        if (kind == "gemm") {
            const auto s = gemm_shape(row);
            if (!s || !gpu->supports(s->arithmetic))
                return "the number format is not modelled";
            add(m_tables.gemm[id][software_class(row.text("source_tool"))][ridgepoint::kind_of(*s)], *gpu, *s, seconds, {s->n, s->k}, {s->m});
        } else if (kind == "moe_gemm") {
            const auto s = expert_layer_shape(row);
            if (!s || !gpu->supports(s->arithmetic))
                return "the number format is not modelled";
            // A skewed routing tests the load that the busiest GPU gets, not the kernels.
            if (row.text("distribution") != "balanced")
                return "skewed routing: predicted by validate, not fitted";
            add(m_tables.grouped[id][kind_of(*s)], *gpu, *s, seconds, {s->hidden, s->inter, s->experts, s->expert_parallel}, {s->tokens});
        } else {
            const bool latent = kind == "mla_decode";
            const AttentionShape s = latent ? latent_shape(row) : attention_shape(row);
            auto& table = latent ? m_tables.latent : kind == "attention_prefill" ? m_tables.prefill : m_tables.decode;
            add(table[id][bytes_per_element(s.kv) < 2.0], *gpu, s, seconds, {s.query_heads, s.kv_heads}, {kind == "attention_prefill" ? s.queries : s.keys});
        }
        return {};
    }

private:
    const Accelerator* gpu_of(const std::string& system)
    {
        const std::string id = accelerator_for(system);
        if (id.empty())
            return nullptr;
        if (const auto known = m_tables.gpus.find(id); known != m_tables.gpus.end())
            return &known->second;
        Expected<Accelerator> a = read_accelerator(m_specs, id);
        return a ? &m_tables.gpus.emplace(id, std::move(*a)).first->second : nullptr;
    }

    const SpecStore& m_specs;
    const Wanted& m_wanted;
    KernelTables& m_tables;
};

} // namespace

KernelTables kernel_tables(const std::vector<MeasurementFile>& files, const SpecStore& specs, const Wanted& wanted, FittedLaws& out)
{
    KernelTables tables;
    Sorter sorter(specs, wanted, tables);
    for (const MeasurementFile& f : files) {
        if (f.kind != "gemm" && f.kind != "moe_gemm" && f.kind != "mla_decode" && !f.kind.starts_with("attention"))
            continue;
        const std::string name = std::filesystem::path(f.table.file).filename().string();
        for (std::size_t i = 0; i < f.table.rows.size(); ++i)
            if (const std::string why = sorter.take(f.kind, CsvRow(f.table, i)); !why.empty())
                ++out.not_expressed[name + ": " + why];
    }
    return tables;
}

} // namespace ridgepoint

#include "model/kernels/read.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "model/kernels/residual.h"
#include "model/specs/reader.h"

namespace ridgepoint {
namespace {

class Constants {
public:
    Constants(SpecReader& reader, std::vector<std::string> classes)
        : m_reader(reader)
        , m_classes(std::move(classes))
    {
    }

    // Pointer of a law in the first class that states it; empty: none does.
    [[nodiscard]] std::string find(const std::string& group, const std::string& name) const
    {
        for (const std::string& software : m_classes)
            if (std::string at = "/software/" + software + "/" + group + (name.empty() ? "" : "/" + name);
                m_reader.has(at))
                return at;
        return {};
    }
    // The same for the first name of a fallback chain.
    [[nodiscard]] std::string find(const std::string& group, std::initializer_list<const char*> names) const
    {
        for (const char* name : names)
            if (std::string at = find(group, std::string(name)); !at.empty())
                return at;
        return {};
    }
    std::string require(const std::string& group, std::initializer_list<const char*> names)
    {
        std::string at = find(group, names);
        if (at.empty())
            m_reader.fail("/software/" + m_classes.back(),
                "the class of kernels has no \"" + group + "\" for " + *(names.end() - 1));
        return at;
    }

    double fraction(const std::string& at) // a divisor
    {
        const double v = m_reader.number(at);
        if (m_reader.ok() && v <= 0.0)
            m_reader.fail(at + "/value", "too small", "0", "more than 0");
        return v;
    }

    GemmConstants gemm(const std::string& at)
    {
        GemmConstants c;
        if (at.empty())
            return c;
        c.peak_fraction = fraction(at + "/peak_fraction");
        c.bandwidth_fraction = fraction(at + "/bandwidth_fraction");
        c.launch = m_reader.quantity<Seconds>(at + "/launch");
        c.pipeline = m_reader.quantity<Seconds>(at + "/pipeline");
        c.k_prologue = m_reader.number(at + "/k_prologue");
        c.wave = m_reader.number(at + "/wave");
        c.minimum_rows = m_reader.number(at + "/minimum_rows");
        c.tile_m = fraction(at + "/tile_m");
        c.tile_n = fraction(at + "/tile_n");
        c.quantize_launch = m_reader.quantity<Seconds>(at + "/quantize_launch");
        c.quantize_passes = m_reader.number(at + "/quantize_passes");
        if (m_reader.has(at + "/masked_passes"))
            c.masked_passes = m_reader.number(at + "/masked_passes");
        c.residual = read_residual(m_reader, at);
        return c;
    }

    PrefillConstants prefill(const std::string& at)
    {
        PrefillConstants c;
        if (at.empty())
            return c;
        c.peak_fraction = fraction(at + "/peak_fraction");
        c.bandwidth_fraction = fraction(at + "/bandwidth_fraction");
        c.launch = m_reader.quantity<Seconds>(at + "/launch");
        c.half_length = m_reader.number(at + "/half_length");
        c.wave = m_reader.number(at + "/wave");
        c.store_launch = m_reader.quantity<Seconds>(at + "/store_launch");
        c.store_passes = m_reader.number(at + "/store_passes");
        c.backward_fraction = fraction(at + "/backward_fraction");
        c.residual = read_residual(m_reader, at);
        return c;
    }

    DecodeConstants decode(const std::string& at)
    {
        DecodeConstants c;
        if (at.empty())
            return c;
        c.peak_fraction = fraction(at + "/peak_fraction");
        c.bandwidth_fraction = fraction(at + "/bandwidth_fraction");
        c.launch = m_reader.quantity<Seconds>(at + "/launch");
        c.reduction = m_reader.quantity<Seconds>(at + "/reduction");
        c.unit = m_reader.quantity<Seconds>(at + "/unit");
        c.output_passes = m_reader.number(at + "/output_passes");
        c.residual = read_residual(m_reader, at);
        return c;
    }

    MemoryConstants memory(const std::string& at)
    {
        MemoryConstants c;
        if (at.empty())
            return c;
        c.bandwidth_fraction = fraction(at + "/bandwidth_fraction");
        c.launch = m_reader.quantity<Seconds>(at + "/launch");
        c.residual = read_residual(m_reader, at);
        return c;
    }

private:
    SpecReader& m_reader;
    std::vector<std::string> m_classes;
};

} // namespace

std::vector<std::string> software_classes(const SpecStore& store, const std::string& efficiency_id)
{
    std::vector<std::string> out;
    const Expected<const nlohmann::json*> document = store.document(SpecKind::efficiency, efficiency_id);
    if (!document || !(*document)->is_object())
        return out;
    const auto classes = (*document)->find("software");
    if (classes != (*document)->end() && classes->is_object())
        for (const auto& entry : classes->items())
            out.push_back(entry.key());
    std::sort(out.begin(), out.end());
    return out;
}

Expected<KernelConstants> read_kernel_constants(
    const SpecStore& store, const std::string& efficiency_id, const std::string& software)
{
    SpecReader reader(store, SpecKind::efficiency, efficiency_id);
    if (!reader.ok())
        return reader.error();
    if (const std::string kind = reader.text("/kind"); reader.ok() && kind != "gpu")
        reader.fail("/kind", "not the constants of a GPU", "\"" + kind + "\"", "\"gpu\"");
    const std::string standard = reader.text("/default_software");
    if (!reader.ok())
        return reader.error();

    KernelConstants k;
    k.gpu = efficiency_id;
    k.software = software.empty() ? standard : software;
    if (!reader.has("/software/" + k.software)) {
        std::string known;
        for (const std::string& name : software_classes(store, efficiency_id))
            known += (known.empty() ? "" : ", ") + name;
        reader.fail("/software", "no constants for this class of kernels", "\"" + k.software + "\"", known);
        return reader.error();
    }
    Constants c(reader, k.software == standard ? std::vector{standard} : std::vector{k.software, standard});

    const auto at = [](GemmKind kind) { return static_cast<std::size_t>(kind); };
    k.gemm[at(GemmKind::bf16)] = c.gemm(c.require("gemm", {"bf16"}));
    k.gemm[at(GemmKind::fp8)] = c.gemm(c.find("gemm", {"fp8", "bf16"}));
    k.gemm[at(GemmKind::fp8_block)] = c.gemm(c.find("gemm", {"fp8_block", "fp8", "bf16"}));
    k.gemm[at(GemmKind::mxfp8)] = c.gemm(c.find("gemm", {"mxfp8", "fp8_block", "fp8", "bf16"}));
    k.gemm[at(GemmKind::fp4)] = c.gemm(c.find("gemm", {"fp4", "fp8", "bf16"}));
    k.gemm[at(GemmKind::weight_only)] = c.gemm(c.find("gemm", {"weight_only", "bf16"}));
    for (std::size_t i = 0; i < gemm_kind_count; ++i) {
        const auto kind = static_cast<GemmKind>(i);
        std::string law = c.find("grouped", std::string(name_of(kind)));
        if (law.empty() && kind == GemmKind::mxfp8)
            law = c.find("grouped", "fp8_block");
        if (law.empty() && kind == GemmKind::fp8)
            law = c.find("grouped", "fp8_block");
        if (law.empty())
            law = c.find("grouped", "bf16");
        k.grouped[i] = law.empty() ? k.gemm[i] : c.gemm(law);
    }
    k.prefill_bf16 = c.prefill(c.require("prefill", {"bf16"}));
    k.prefill_fp8 = c.prefill(c.find("prefill", {"fp8", "bf16"}));
    k.prefill_bf16_cache_fp8 = c.prefill(c.find("prefill", {"bf16_cache_fp8", "bf16"}));
    k.decode_bf16 = c.decode(c.require("decode", {"bf16"}));
    k.decode_fp8 = c.decode(c.find("decode", {"fp8", "bf16"}));
    k.latent_bf16 = c.decode(c.require("latent", {"bf16"}));
    k.latent_fp8 = c.decode(c.find("latent", {"fp8", "bf16"}));
    std::string memory = c.find("memory", "");
    if (memory.empty())
        reader.fail("/software/" + standard, "the class of kernels has no \"memory\" law");
    k.memory = c.memory(memory);
    if (!reader.ok())
        return reader.error();
    return k;
}

} // namespace ridgepoint

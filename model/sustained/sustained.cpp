#include "model/sustained/sustained.h"

#include <algorithm>
#include <cmath>

#include "model/kernels/residual.h"

namespace ridgepoint {
namespace {

constexpr std::array<std::string_view, training_product_count> product_names = {"bf16", "fp8", "mxfp8", "fp4"};

double share(SpecReader& r, const std::string& at, double otherwise)
{
    if (!r.has(at))
        return otherwise;
    const double v = r.number(at);
    if (r.ok() && v <= 0.0)
        r.fail(at + "/value", "too small", "0", "more than 0");
    return v;
}

void read_rates(SpecReader& r, TrainingRates& rates)
{
    if (!r.has("/training"))
        return;
    for (std::size_t i = 0; i < training_product_count; ++i) {
        const std::string name(product_names[i]);
        rates.products[i] = share(r, "/training/products_" + name, 1.0);
        rates.experts[i] = share(r, "/training/experts_" + name, 1.0);
    }
    rates.attention = share(r, "/training/attention", 1.0);
    rates.portable_attention = share(r, "/training/portable_attention", 1.0);
    rates.routed_all_to_all = share(r, "/training/routed_all_to_all", 1.0);
    rates.routed_exchange = share(r, "/training/routed_exchange", 1.0);
    rates.tdp = r.quantity_or<Watts>("/training/tdp", Watts{});
    rates.dense = read_residual(r, "/training/dense");
    rates.mixture = read_residual(r, "/training/mixture");
}

void read_links(SpecReader& r, TrainingLinks& links)
{
    if (!r.has("/training"))
        return;
    links.routed_all_to_all = share(r, "/training/routed_all_to_all", 1.0);
    links.routed_exchange = share(r, "/training/routed_exchange", 1.0);
    links.exchange_latency = r.quantity_or<Seconds>("/training/exchange_latency", Seconds{});
}

} // namespace

std::string_view name_of(TrainingProduct p) { return product_names[static_cast<std::size_t>(p)]; }

TrainingProduct training_product_of(GemmKind kind)
{
    switch (kind) {
    case GemmKind::fp8:
    case GemmKind::fp8_block:
        return TrainingProduct::fp8;
    case GemmKind::mxfp8:
        return TrainingProduct::mxfp8;
    case GemmKind::fp4:
        return TrainingProduct::fp4;
    case GemmKind::bf16:
    case GemmKind::weight_only:
        break;
    }
    return TrainingProduct::bf16;
}

Expected<TrainingConstants> read_training_constants(
    const SpecStore& store, const std::string& gpu_id, const std::string& fabric_id, const std::string& framework)
{
    TrainingConstants c;
    SpecReader gpu(store, SpecKind::efficiency, gpu_id);
    if (gpu.ok())
        read_rates(gpu, c.rates);
    if (!gpu.ok())
        return gpu.error();
    if (!fabric_id.empty()) {
        SpecReader fabric(store, SpecKind::efficiency, fabric_id);
        if (fabric.ok())
            read_links(fabric, c.links);
        if (!fabric.ok())
            return fabric.error();
    }
    SpecReader common(store, SpecKind::efficiency, "training");
    if (common.ok()) {
        const std::string at = "/frameworks/" + framework;
        c.framework.memory_passes = common.number(at + "/memory_passes");
        c.framework.per_step = common.quantity<Seconds>(at + "/per_step");
        c.overlap.contention = common.number("/overlap/contention");
        c.overlap.expert_hidden = std::min(1.0, common.number("/overlap/expert_hidden"));
        c.power_exponent = common.number("/power/exponent");
    }
    if (!common.ok())
        return common.error();
    return c;
}

void sustain(KernelConstants& k, CollectiveConstants& links, const TrainingConstants& c, const Accelerator& gpu, bool portable_attention)
{
    const TrainingRates& r = c.rates;
    const double power = r.tdp > Watts{} && gpu.tdp > Watts{} ? std::pow(gpu.tdp / r.tdp, c.power_exponent) : 1.0;
    k.gemm[static_cast<std::size_t>(GemmKind::mxfp8)] = k.gemm[static_cast<std::size_t>(GemmKind::fp8)];
    k.grouped = k.gemm;
    for (std::size_t i = 0; i < gemm_kind_count; ++i) {
        const auto product = static_cast<std::size_t>(training_product_of(static_cast<GemmKind>(i)));
        k.gemm[i].peak_fraction *= power * r.products[product];
        k.grouped[i].peak_fraction *= power * r.products[product] * r.experts[product];
    }
    const double attention = power * (portable_attention ? r.portable_attention : r.attention);
    k.prefill_bf16.peak_fraction *= attention;
    k.prefill_fp8.peak_fraction *= attention;
    links.domain.routed_share = r.routed_all_to_all;
    links.domain.exchange.fraction *= r.routed_exchange;
    links.fabric.routed_share = c.links.routed_all_to_all;
    links.fabric.exchange.fraction *= c.links.routed_exchange;
    links.fabric.exchange.latency = links.fabric.exchange.latency + c.links.exchange_latency;
}

} // namespace ridgepoint

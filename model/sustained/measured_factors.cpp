#include "model/sustained/measured_factors.h"

namespace ridgepoint {
namespace {

constexpr std::array<std::string_view, measured_part_count> names = {"products", "attention", "memory", "domain", "network", "step"};
constexpr std::array<std::string_view, measured_part_count> labels
    = {"Matrix products", "Attention", "Memory-bound kernels", "Collectives over NVLink", "Collectives over the network", "Time beside the work"};

void slow(Seconds& time, double factor) { time = factor * time; }
void slow(double& share_of_rate, double factor) { share_of_rate /= factor; }
template <typename Law> void slow(Law& law, double factor);
template <typename... Parts> void slow_all(double factor, Parts&... parts) { (slow(parts, factor), ...); }

void slow_parts(GemmConstants& c, double f) { slow_all(f, c.peak_fraction, c.bandwidth_fraction, c.launch, c.pipeline, c.quantize_launch); }
void slow_parts(PrefillConstants& c, double f) { slow_all(f, c.peak_fraction, c.bandwidth_fraction, c.launch, c.store_launch); }
void slow_parts(DecodeConstants& c, double f) { slow_all(f, c.peak_fraction, c.bandwidth_fraction, c.launch, c.reduction, c.unit); }
void slow_parts(DomainLaw& c, double f) { slow_all(f, c.base, c.per_rank, c.ramp, c.fraction, c.part_fraction); }
void slow_parts(ExchangeLaw& c, double f) { slow_all(f, c.latency, c.per_domain, c.fraction); }
void slow_parts(TreeLaw& c, double f) { slow_all(f, c.base, c.per_hop, c.ramp, c.ramp_per_hop, c.fraction); }
void slow_parts(RingLaw& c, double f) { slow_all(f, c.base, c.per_step, c.per_step_rails, c.fraction); }
void slow_parts(PairwiseLaw& c, double f) { slow_all(f, c.base, c.per_peer, c.fraction); }
template <typename Law> void slow(Law& law, double factor) { slow_parts(law, factor); }

} // namespace

std::string_view name_of(MeasuredPart part) { return names[static_cast<std::size_t>(part)]; }
std::string_view label_of(MeasuredPart part) { return labels[static_cast<std::size_t>(part)]; }

void apply(KernelConstants& k, CollectiveConstants& c, const MeasuredFactors& factors)
{
    if (factors.gpu.empty() || factors.gpu != k.gpu)
        return;
    const double products = factors.of(MeasuredPart::products);
    for (std::size_t i = 0; i < gemm_kind_count; ++i)
        for (GemmConstants* g : {&k.gemm[i], &k.grouped[i]})
            slow(*g, products);
    const double attention = factors.of(MeasuredPart::attention);
    for (PrefillConstants* p : {&k.prefill_bf16, &k.prefill_fp8, &k.prefill_bf16_cache_fp8})
        slow(*p, attention);
    for (DecodeConstants* d : {&k.decode_bf16, &k.decode_fp8, &k.latent_bf16, &k.latent_fp8})
        slow(*d, attention);
    const double memory = factors.of(MeasuredPart::memory);
    slow_all(memory, k.memory.launch, k.memory.bandwidth_fraction);

    DomainConstants& d = c.domain;
    slow_all(factors.of(MeasuredPart::domain), d.all_reduce, d.all_reduce_switch, d.gather, d.all_to_all, d.send_recv, d.exchange, d.peer_all_reduce);
    if (factors.fabric != c.fabric.fabric)
        return;
    FabricConstants& f = c.fabric;
    slow_all(factors.of(MeasuredPart::network), f.tree, f.ring, f.all_to_all, f.send_recv, f.exchange, f.in_network_fraction, f.staged_fraction);
}

} // namespace ridgepoint

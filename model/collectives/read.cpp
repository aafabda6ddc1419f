#include "model/collectives/read.h"

#include <algorithm>

#include "model/specs/reader.h"

namespace ridgepoint {
namespace {

double divisor(SpecReader& r, const std::string& at)
{
    const double v = r.number(at);
    if (r.ok() && v <= 0.0)
        r.fail(at + "/value", "too small", "0", "more than 0");
    return v;
}

Bytes half_at(SpecReader& r, const std::string& at)
{
    const auto v = r.quantity<Bytes>(at);
    if (r.ok() && v.value() <= 0.0)
        r.fail(at + "/value", "too small", "0", "more than 0");
    return v;
}

// Below one, so that a group of two still has links.
double loss_at(SpecReader& r, const std::string& at)
{
    const double v = r.number(at);
    if (r.ok() && v >= 1.0)
        r.fail(at + "/value", "too large", {}, "less than 1");
    return v;
}

struct Worst { // residual of the laws of one file: the largest
    double median = 0.0;
    double p90 = 0.0;

    void add(SpecReader& r, const std::string& law)
    {
        if (!r.has(law + "/rows"))
            return;
        median = std::max(median, r.number(law + "/residual_median"));
        p90 = std::max(p90, r.number(law + "/residual_p90"));
    }
};

DomainLaw domain_law(SpecReader& r, const std::string& at)
{
    DomainLaw l;
    l.base = r.quantity<Seconds>(at + "/base");
    l.per_rank = r.quantity<Seconds>(at + "/per_rank");
    l.ramp = r.quantity<Seconds>(at + "/ramp");
    l.ramp_bytes = half_at(r, at + "/ramp_bytes");
    l.fraction = divisor(r, at + "/fraction");
    l.loss = loss_at(r, at + "/loss");
    if (r.has(at + "/part")) {
        l.part = r.quantity<Bytes>(at + "/part");
        l.part_fraction = divisor(r, at + "/part_fraction");
    }
    return l;
}

ExchangeLaw exchange_law(SpecReader& r, const std::string& at)
{
    ExchangeLaw l;
    l.latency = r.quantity<Seconds>(at + "/latency");
    l.per_domain = r.quantity_or<Seconds>(at + "/per_domain", {});
    l.fraction = divisor(r, at + "/fraction");
    return l;
}

PairwiseLaw pairwise_law(SpecReader& r, const std::string& at)
{
    PairwiseLaw l;
    l.base = r.quantity<Seconds>(at + "/base");
    l.per_peer = r.quantity<Seconds>(at + "/per_peer");
    l.fraction = divisor(r, at + "/fraction");
    l.decay = r.number(at + "/decay");
    return l;
}

void kind_must_be(SpecReader& r, const std::string& expected)
{
    if (const std::string kind = r.text("/kind"); r.ok() && kind != expected)
        r.fail("/kind", "constants of another kind", "\"" + kind + "\"", "\"" + expected + "\"");
}

} // namespace

Expected<CollectiveConstants> read_collective_constants(
    const SpecStore& store, const std::string& gpu_id, const std::string& fabric_id)
{
    CollectiveConstants c;
    SpecReader gpu(store, SpecKind::efficiency, gpu_id);
    if (!gpu.ok())
        return gpu.error();
    kind_must_be(gpu, "gpu");
    DomainConstants& d = c.domain;
    d.gpu = gpu_id;
    d.all_reduce = domain_law(gpu, "/domain/all_reduce");
    d.all_reduce_switch
        = gpu.has("/domain/all_reduce_switch") ? domain_law(gpu, "/domain/all_reduce_switch") : d.all_reduce;
    if (gpu.has("/domain/peer_all_reduce"))
        d.peer_all_reduce = exchange_law(gpu, "/domain/peer_all_reduce");
    d.switch_minimum_ranks = gpu.whole_or("/domain/switch_minimum_ranks", 2, 1'000'000, d.switch_minimum_ranks);
    d.gather = domain_law(gpu, "/domain/gather");
    d.all_to_all = domain_law(gpu, "/domain/all_to_all");
    d.send_recv = domain_law(gpu, "/domain/send_recv");
    d.exchange = exchange_law(gpu, "/domain/exchange");
    if (gpu.has("/domain/rails"))
        d.rails = divisor(gpu, "/domain/rails");
    Worst inside;
    for (const char* law : {"all_reduce", "all_reduce_switch", "gather", "all_to_all"})
        inside.add(gpu, std::string("/domain/") + law);
    d.residual_median = inside.median;
    d.residual_p90 = inside.p90;
    if (!gpu.ok())
        return gpu.error();
    if (fabric_id.empty())
        return c;

    SpecReader fabric(store, SpecKind::efficiency, fabric_id);
    if (!fabric.ok())
        return fabric.error();
    kind_must_be(fabric, "fabric");
    FabricConstants& f = c.fabric;
    f.fabric = fabric_id;
    f.tree.base = fabric.quantity<Seconds>("/tree/base");
    f.tree.per_hop = fabric.quantity<Seconds>("/tree/per_hop");
    f.tree.ramp = fabric.quantity<Seconds>("/tree/ramp");
    f.tree.ramp_per_hop = fabric.quantity<Seconds>("/tree/ramp_per_hop");
    f.tree.ramp_bytes = half_at(fabric, "/tree/ramp_bytes");
    f.tree.fraction = divisor(fabric, "/tree/fraction");
    f.ring.base = fabric.quantity<Seconds>("/ring/base");
    f.ring.per_step = fabric.quantity<Seconds>("/ring/per_step");
    f.ring.per_step_rails = fabric.quantity<Seconds>("/ring/per_step_rails");
    f.ring.fraction = divisor(fabric, "/ring/fraction");
    f.all_to_all = pairwise_law(fabric, "/all_to_all");
    f.send_recv = pairwise_law(fabric, "/send_recv");
    f.exchange = exchange_law(fabric, "/exchange");
    if (fabric.has("/in_network/fraction"))
        f.in_network_fraction = divisor(fabric, "/in_network/fraction");
    f.staged_fraction = divisor(fabric, "/staged/fraction");
    Worst across;
    across.add(fabric, "/tree");
    across.add(fabric, "/ring");
    f.residual_median = across.median;
    f.residual_p90 = across.p90;
    if (!fabric.ok())
        return fabric.error();
    return c;
}

} // namespace ridgepoint

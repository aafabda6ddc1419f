#include "model/collectives/collectives.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ridgepoint {
namespace {

constexpr std::array<std::string_view, 5> collective_names
    = {"all-reduce", "all-gather", "reduce-scatter", "all-to-all", "send/recv"};
constexpr std::array<std::string_view, 9> algorithm_names
    = {"none", "ring", "NVLS", "tree", "NVLS tree", "hierarchical", "pairwise", "direct", "in-network"};

struct Rates {
    double nvlink = 0.0; // one GPU, one way
    double network = 0.0; // one GPU's share of the NICs, one way
    bool direct = true; // GPUDirect RDMA
};

// A GPU drives the NICs next to it. Where there are fewer NICs than GPUs, the GPUs that leave at once share them.
Rates rates_of(const Cluster& cluster, const GroupPlacement& group)
{
    Rates r;
    r.nvlink = cluster.accelerator.nvlink_per_direction.value();
    r.direct = cluster.node.gpudirect_rdma;
    const double gpus = std::max(1, cluster.node.accelerators);
    const double nics = std::max(1, cluster.node.nics);
    const double node = cluster.node.network_per_node().value();
    double sharing = gpus;
    if (nics < gpus) {
        const double domains_per_node
            = gpus / std::max(1.0, static_cast<double>(std::max(cluster.node.nvlink_domain, 1)));
        const double leaving
            = group.ranks_per_domain * std::max(1, group.groups_per_domain) * std::max(1.0, domains_per_node);
        sharing = std::clamp(leaving, nics, gpus);
    }
    r.network = node / sharing;
    return r;
}

// Transfers over NVLink and NICs at once: the slower one decides, a little softened, since chunks of one wait for the
// other. (a^8 + b^8)^(1/8) with the shares of Euler's theorem.
AttributedTime pipelined(double nvlink, double network)
{
    const double top = std::max(nvlink, network);
    if (top <= 0.0)
        return {};
    const auto eighth = [top](double v) {
        const double two = (v / top) * (v / top);
        return two * two * two * two;
    };
    const double a = eighth(nvlink);
    const double b = eighth(network);
    const double total = top * std::sqrt(std::sqrt(std::sqrt(a + b)));
    return AttributedTime(Resource::nvlink, Seconds{total * a / (a + b)})
        + AttributedTime(Resource::network, Seconds{total * b / (a + b)});
}

// Rises over some three decades of sizes, as the library steps through protocols, channels and chunk sizes.
double saturating(double bytes, double half) { return bytes > 0.0 ? 1.0 / (1.0 + std::sqrt(half / bytes)) : 0.0; }

double domain_seconds(const DomainLaw& law, double bytes, double ranks, double rate)
{
    return rate > 0.0 ? bytes / (rate * law.fraction * (1.0 - law.loss / std::max(ranks, 1.0))) : 0.0;
}

// One pair: see DomainLaw.
double pair_seconds(const DomainLaw& law, double bytes, double rate)
{
    if (rate <= 0.0)
        return 0.0;
    return std::max(domain_seconds(law, bytes, 1.0, rate), std::min(bytes, law.part.value()) / (rate * law.part_fraction));
}

double domain_latency(const DomainLaw& law, double bytes, double ranks)
{
    return law.base.value() + law.per_rank.value() * (ranks - 1.0)
        + law.ramp.value() * saturating(bytes, law.ramp_bytes.value());
}

AttributedTime in_domain(const DomainLaw& law, double bytes, double ranks, double rate)
{
    return AttributedTime(Resource::latency, Seconds{domain_latency(law, bytes, ranks)})
        + AttributedTime(Resource::nvlink, Seconds{domain_seconds(law, bytes, ranks, rate)});
}

CollectiveCost fastest(const CollectiveCost& a, const CollectiveCost& b)
{
    return b.time.total() < a.time.total() ? b : a;
}

struct Span { // of a call, as plain numbers
    double n = 1.0;
    double domains = 1.0;
    double per_domain = 1.0;
    double bytes = 0.0; // bus_factor x buffer
    double buffer = 0.0;
};

CollectiveCost within_domain(
    const CollectiveCall& call, const Span& s, const Rates& v, bool sharp, const DomainConstants& c)
{
    CollectiveCost cost;
    cost.nvlink = Bytes{s.bytes};
    switch (call.op) {
    case Collective::all_reduce: {
        cost.algorithm = CollectiveAlgorithm::ring;
        cost.time = in_domain(c.all_reduce, s.bytes, s.n, v.nvlink);
        if (sharp && s.n >= c.switch_minimum_ranks && call.only != CollectiveAlgorithm::ring) {
            CollectiveCost nvls;
            nvls.algorithm = CollectiveAlgorithm::nvls;
            nvls.time = in_domain(c.all_reduce_switch, s.bytes, s.n, v.nvlink);
            nvls.nvlink = Bytes{s.buffer}; // the switch reduces: every GPU sends its buffer once
            cost = fastest(cost, nvls);
        }
        return cost;
    }
    case Collective::all_gather:
    case Collective::reduce_scatter:
        cost.algorithm = CollectiveAlgorithm::ring;
        cost.time = in_domain(c.gather, s.bytes, s.n, v.nvlink);
        return cost;
    case Collective::all_to_all:
        cost.algorithm = CollectiveAlgorithm::pairwise;
        cost.time = in_domain(c.all_to_all, s.bytes, s.n, v.nvlink);
        return cost;
    case Collective::send_recv:
        break;
    }
    cost.algorithm = CollectiveAlgorithm::direct;
    cost.time = AttributedTime(Resource::latency, Seconds{domain_latency(c.send_recv, s.bytes, 1.0)})
        + AttributedTime(Resource::nvlink, Seconds{pair_seconds(c.send_recv, s.bytes, v.nvlink)});
    return cost;
}

CollectiveCost ring_across(const CollectiveCall& call, const Span& s, const Rates& v, const CollectiveConstants& c)
{
    const bool reduce = call.op == Collective::all_reduce;
    const DomainLaw& inner = reduce ? c.domain.all_reduce : c.domain.gather;
    const RingLaw& law = c.fabric.ring;
    // Each rail carries its own ring: the group's NICs work together, NVLink carries the hops between ranks of a
    // domain.
    const double rails = std::min(s.per_domain, c.domain.rails);
    const double network = s.bytes / (v.network * rails * law.fraction);
    const double nvlink = s.per_domain > 1.0 ? domain_seconds(inner, s.bytes, s.n, v.nvlink) : 0.0;
    // Hops inside domains cost what they cost there; each crossing of the fabric more, and more so when many rails of a
    // node cross at once and share its proxies.
    const double crossings = (reduce ? 2.0 : 1.0) * (s.domains - 1.0);
    const double latency = law.base.value() + inner.per_rank.value() * (s.n - s.domains)
        + crossings * (law.per_step.value() + law.per_step_rails.value() * rails * rails);
    CollectiveCost cost;
    cost.algorithm = CollectiveAlgorithm::ring;
    cost.time = pipelined(nvlink, network) + AttributedTime(Resource::latency, Seconds{latency});
    // A rail's ring crosses the fabric once for every rank of the domain that it passes.
    cost.network = Bytes{s.bytes / s.per_domain};
    cost.nvlink = Bytes{s.bytes * (s.per_domain - 1.0) / s.per_domain};
    return cost;
}

CollectiveCost tree_across(
    const Span& s, const Rates& v, bool sharp, const CollectiveConstants& c, bool in_network = false)
{
    const TreeLaw& law = c.fabric.tree;
    // With two domains each half of the buffer goes up once and comes down once; an inner node of a larger double tree
    // sends twice as much. A switch that reduces needs the buffer once, however many domains there are.
    const double passes = in_network ? 1.0 : std::min(2.0, s.domains - 1.0);
    const double fraction = in_network ? c.fabric.in_network_fraction : law.fraction;
    const double rails = std::min(s.per_domain, c.domain.rails);
    const double network = passes * s.buffer / (v.network * rails * fraction);
    const bool nvls = sharp && s.per_domain >= 2.0;
    const DomainLaw& inner = nvls ? c.domain.all_reduce_switch : c.domain.all_reduce;
    const double inner_bytes = 2.0 * s.buffer * (s.per_domain - 1.0) / s.per_domain;
    const double nvlink = domain_seconds(inner, inner_bytes, s.per_domain, v.nvlink);
    const double hops = in_network ? 1.0 : std::log2(s.domains);
    const double latency = law.base.value() + law.per_hop.value() * hops
        + (law.ramp.value() + law.ramp_per_hop.value() * hops) * saturating(s.buffer, law.ramp_bytes.value());
    CollectiveCost cost;
    cost.algorithm = in_network ? CollectiveAlgorithm::in_network
        : nvls                  ? CollectiveAlgorithm::nvls_tree
                                : CollectiveAlgorithm::tree;
    cost.time = pipelined(nvlink, network) + AttributedTime(Resource::latency, Seconds{latency});
    cost.network = Bytes{passes * s.buffer / s.per_domain};
    cost.nvlink = Bytes{nvls ? s.buffer : inner_bytes};
    return cost;
}

CollectiveCost all_to_all_across(const Span& s, const Rates& v, const CollectiveConstants& c)
{
    const PairwiseLaw& law = c.fabric.all_to_all;
    const double off = s.buffer * (s.n - s.per_domain) / s.n;
    const double on = s.buffer * (s.per_domain - 1.0) / s.n;
    const double fraction = law.fraction / (1.0 + law.decay * std::log2(0.5 * s.domains));
    CollectiveCost cost;
    cost.algorithm = CollectiveAlgorithm::pairwise;
    cost.time = pipelined(domain_seconds(c.domain.all_to_all, on, s.per_domain, v.nvlink), off / (v.network * fraction))
        + AttributedTime(Resource::latency, law.base + law.per_peer * (s.n - 1.0));
    cost.network = Bytes{off};
    cost.nvlink = Bytes{on};
    return cost;
}

CollectiveCost send_across(const Span& s, const Rates& v, const CollectiveConstants& c)
{
    const PairwiseLaw& law = c.fabric.send_recv;
    const double fraction = law.fraction / (1.0 + law.decay * std::max(0.0, std::log2(0.25 * s.domains)));
    CollectiveCost cost;
    cost.algorithm = CollectiveAlgorithm::direct;
    cost.time = AttributedTime(Resource::network, Seconds{s.buffer / (v.network * fraction)})
        + AttributedTime(Resource::latency, law.base);
    cost.network = Bytes{s.buffer};
    return cost;
}

} // namespace

std::string_view name_of(Collective c) { return collective_names[static_cast<std::size_t>(c)]; }
std::string_view name_of(CollectiveAlgorithm a) { return algorithm_names[static_cast<std::size_t>(a)]; }

double bus_factor(Collective op, int ranks)
{
    if (ranks <= 1)
        return 0.0;
    const double n = ranks;
    switch (op) {
    case Collective::all_reduce:
        return 2.0 * (n - 1.0) / n;
    case Collective::send_recv:
        return 1.0;
    default:
        return (n - 1.0) / n;
    }
}

CollectiveCost collective_cost(const CollectiveCall& call, const Cluster& cluster, const CollectiveConstants& c)
{
    const GroupPlacement& group = call.group;
    if (group.ranks <= 1 || call.buffer.value() <= 0.0)
        return {};
    Span s;
    s.n = group.ranks;
    s.domains = std::max(1, group.domains);
    s.per_domain = std::max(1, group.ranks_per_domain);
    s.buffer = call.buffer.value();
    s.bytes = s.buffer * bus_factor(call.op, group.ranks);
    Rates v = rates_of(cluster, group);
    if (group.domains <= 1 && v.nvlink > 0.0)
        return within_domain(call, s, v, cluster.node.nvlink_sharp, c.domain);
    if (!v.direct)
        v.network *= c.fabric.staged_fraction;
    if (v.network <= 0.0)
        return {};

    switch (call.op) {
    case Collective::all_reduce: {
        const bool sharp = cluster.node.nvlink_sharp;
        if (call.only == CollectiveAlgorithm::in_network)
            return tree_across(s, v, sharp, c, true);
        if (call.only == CollectiveAlgorithm::tree || call.only == CollectiveAlgorithm::nvls_tree)
            return tree_across(s, v, sharp && call.only == CollectiveAlgorithm::nvls_tree, c);
        const CollectiveCost ring = ring_across(call, s, v, c);
        if (call.only == CollectiveAlgorithm::ring || call.only == CollectiveAlgorithm::nvls)
            return ring;
        return fastest(ring, tree_across(s, v, sharp, c));
    }
    case Collective::all_gather:
    case Collective::reduce_scatter:
        return ring_across(call, s, v, c);
    case Collective::all_to_all:
        return all_to_all_across(s, v, c);
    case Collective::send_recv:
        break;
    }
    return send_across(s, v, c);
}

CollectiveCost expert_exchange_cost(Bytes bytes_per_gpu, Bytes network_bytes_per_gpu, const GroupPlacement& group,
    const Cluster& cluster, const CollectiveConstants& c)
{
    if (group.ranks <= 1)
        return {};
    Rates v = rates_of(cluster, group);
    if (!v.direct)
        v.network *= c.fabric.staged_fraction;
    const double near = std::max(0.0, bytes_per_gpu.value());
    const double far = group.domains > 1 ? std::max(0.0, network_bytes_per_gpu.value()) : 0.0;
    const double nvlink = v.nvlink > 0.0 ? near / (v.nvlink * c.domain.exchange.fraction) : 0.0;
    const double network = far > 0.0 && v.network > 0.0 ? far / (v.network * c.fabric.exchange.fraction) : 0.0;
    const Seconds latency = group.domains > 1
        ? c.fabric.exchange.latency + c.fabric.exchange.per_domain * static_cast<double>(group.domains - 2)
        : c.domain.exchange.latency;
    CollectiveCost cost;
    cost.algorithm = CollectiveAlgorithm::direct;
    cost.time = pipelined(nvlink, network) + AttributedTime(Resource::latency, latency);
    cost.nvlink = Bytes{near};
    cost.network = Bytes{far};
    return cost;
}

} // namespace ridgepoint

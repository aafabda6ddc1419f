#include "model/calibration/collective_calls.h"

#include <algorithm>
#include <cmath>

#include "model/calibration/row_models.h"
#include "model/collectives/read.h"
#include "model/hardware/read.h"
#include "model/operators/layer.h"
#include "model/parallelism/layout.h"

namespace ridgepoint {
namespace {

constexpr int rack_domain = 36; // GPUs; an NVLink domain from here on is a rack, not a node

std::optional<Collective> collective_named(std::string_view op)
{
    if (op == "all_reduce")
        return Collective::all_reduce;
    if (op == "all_gather")
        return Collective::all_gather;
    if (op == "reduce_scatter")
        return Collective::reduce_scatter;
    if (op == "alltoall" || op == "all_to_all")
        return Collective::all_to_all;
    if (op == "sendrecv" || op == "send_recv")
        return Collective::send_recv;
    return std::nullopt;
}

// Node type of a row that names its system in words, its GPU and its network.
std::string instance_named(std::string_view system, std::string_view gpu, std::string_view interconnect)
{
    for (const char* cloud : {"p6-b300.48xlarge", "p6-b200.48xlarge", "p5en.48xlarge", "p5e.48xlarge", "p5.48xlarge", "p4de.24xlarge", "p4d.24xlarge", "a3-megagpu-8g"})
        if (contains_word(system, cloud))
            return cloud;
    if (contains_word(interconnect, "RoCE"))
        for (const char* name : {"H100", "B200"})
            if (gpu == name)
                return "hgx-" + squeezed(name) + "-roce";
    return generic_instance(gpu);
}

// An algorithm that the row's author forced; none: the library's own choice.
CollectiveAlgorithm forced_algorithm(std::string_view text)
{
    if (text == "Ring")
        return CollectiveAlgorithm::ring;
    if (text == "Tree")
        return CollectiveAlgorithm::tree;
    if (text == "NVLSTree")
        return CollectiveAlgorithm::nvls_tree;
    return contains_word(text, "coll") ? CollectiveAlgorithm::in_network : CollectiveAlgorithm::none;
}

// Ranks are spread over nodes evenly: n GPUs on N nodes, n/N on each; one job, so its groups share nothing.
GroupPlacement spread(int ranks, int nodes, int domain)
{
    GroupPlacement g;
    g.ranks = ranks;
    const int per_node = std::max(1, ranks / std::max(1, nodes));
    g.domains = domain >= ranks ? 1 : std::max(1, nodes);
    g.ranks_per_domain = g.domains == 1 ? ranks : per_node;
    g.groups_per_domain = 1;
    return g;
}

MeasuredCollective collective(const CsvRow& row, Sites& sites, const std::string& instance, double microseconds_measured, int nodes)
{
    MeasuredCollective out;
    const auto op = collective_named(row.text("op"));
    const int ranks = static_cast<int>(row.number_or("n_gpus", 0));
    const std::string_view link = row.text("interconnect");
    out.one_domain = nodes <= 1 || contains_word(link, "NVLink only");
    const std::optional<Site>& site = sites.at(instance, out.one_domain ? 1 : nodes);
    const double size = row.number("size_bytes");
    if (!op)
        out.not_expressed = "the operation is not modelled";
    else if (!site)
        out.not_expressed = "the node type is not in the catalogue";
    else if (!(microseconds_measured > 0) || !(size > 0) || ranks < 2)
        out.not_expressed = "time, size or rank count is missing";
    if (!out.not_expressed.empty())
        return out;
    out.measured = microseconds(microseconds_measured);
    out.site = &*site;
    out.cluster = site->cluster;
    Node& node = out.cluster.node;
    if (!out.one_domain)
        if (const auto rate = stated_network_per_node(link, node.accelerators); rate && node.nics > 0)
            node.nic_rate = *rate / static_cast<double>(node.nics);
    GroupPlacement group = spread(ranks, out.one_domain ? 1 : nodes, out.one_domain ? ranks : node.nvlink_domain);
    if (!out.one_domain && node.nvlink_domain >= rack_domain)
        group = place_group(out.cluster, ranks, 1);
    out.call = {*op, Bytes{size}, group, forced_algorithm(row.text("algo"))};
    return out;
}

MeasuredExchange exchange(const MixtureOfExperts& moe, double tokens, double hidden, double element, int ranks, int nodes, const Site& site)
{
    MeasuredExchange out;
    out.site = &site;
    out.group = spread(ranks, nodes, site.cluster.node.nvlink_domain);
    const ExpertTraffic t = expert_traffic(moe, out.group, tokens, ranks);
    out.copies = Bytes{t.copies * hidden * element};
    out.network = Bytes{tokens * t.distinct_remote_domains * hidden * element};
    return out;
}

MeasuredExchange not_expressed(std::string why)
{
    MeasuredExchange out;
    out.not_expressed = std::move(why);
    return out;
}

} // namespace

const std::optional<Site>& Sites::at(const std::string& instance, int nodes)
{
    const auto key = instance + "/" + std::to_string(nodes);
    if (const auto known = m_sites.find(key); known != m_sites.end())
        return known->second;
    std::optional<Site> site;
    if (Expected<Cluster> c = build_cluster(m_specs, instance, nodes, 0); c)
        if (Expected<CollectiveConstants> k = read_collective_constants(m_specs, c->accelerator.efficiency_id, c->fabric.efficiency_id); k)
            site = Site{*c, *k};
    return m_sites.emplace(key, std::move(site)).first->second;
}

MeasuredCollective node_collective(const CsvRow& row, Sites& sites)
{
    return collective(row, sites, generic_instance(row.text("gpu")), row.number("latency_us"), 1);
}

MeasuredCollective cluster_collective(const CsvRow& row, Sites& sites)
{
    const std::string instance = instance_named(row.text("system"), row.text("gpu"), row.text("interconnect"));
    return collective(row, sites, instance, row.number("time_us"), static_cast<int>(row.number_or("n_nodes", 1)));
}

MeasuredExchange dispatch_exchange(const CsvRow& row, Sites& sites)
{
    const double measured = row.number("time_us");
    const int nodes = static_cast<int>(row.number_or("n_nodes", 1));
    const int ranks = static_cast<int>(row.number_or("n_ranks", 0));
    const std::optional<Site>& site = sites.at(std::string(row.text("instance")), nodes);
    if (!site || !(measured > 0) || ranks < 2)
        return not_expressed(site ? "time or rank count is missing" : "the node type is not in the catalogue");
    MixtureOfExperts moe;
    moe.experts = static_cast<int>(row.number_or("experts", 256));
    moe.top_k = static_cast<int>(row.number_or("topk", 8));
    const bool combine = contains_word(row.text("op"), "combine");
    const double element = combine || row.text("dispatch_dtype") == "BF16" ? 2.0 : bytes_per_element(NumberFormat::mxfp8);
    MeasuredExchange out = exchange(moe, row.number("tokens_per_rank"), row.number_or("hidden", 7168), element, ranks, nodes, *site);
    out.quantity = "time_us";
    out.measured = microseconds(measured);
    return out;
}

std::vector<MeasuredExchange> low_latency_exchanges(const CsvRow& row, Sites& sites)
{
    const int nodes = static_cast<int>(row.number_or("node_num", 1));
    const std::optional<Site>& site = sites.at(generic_instance(row.text("system")), nodes);
    if (!site)
        return {not_expressed("the node type is not in the catalogue")};
    MixtureOfExperts moe;
    moe.experts = static_cast<int>(row.number("num_experts"));
    moe.top_k = static_cast<int>(row.number("num_topk"));
    std::vector<MeasuredExchange> out;
    for (const auto& [quantity, element] : {std::pair{"dispatch_avg_t_us", bytes_per_element(NumberFormat::mxfp8)}, std::pair{"combine_avg_t_us", 2.0}}) {
        const double measured = row.number(quantity);
        if (!(measured > 0))
            continue;
        out.push_back(exchange(moe, row.number("num_token"), row.number("hidden_size"), element, site->cluster.node.accelerators * nodes, nodes, *site));
        out.back().quantity = quantity;
        out.back().measured = microseconds(measured);
    }
    return out;
}

CollectiveCost cost_of(const MeasuredExchange& e, const CollectiveConstants& constants)
{
    return expert_exchange_cost(e.copies, e.network, e.group, e.site->cluster, constants);
}

} // namespace ridgepoint

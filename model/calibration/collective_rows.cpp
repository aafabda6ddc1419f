// Published collective timings: nccl-tests inside a node and across nodes, expert-parallel dispatch and combine.

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "model/calibration/predictors.h"
#include "model/calibration/row_models.h"
#include "model/calibration/strata.h"
#include "model/collectives/collectives.h"
#include "model/collectives/read.h"
#include "model/hardware/read.h"
#include "model/operators/layer.h"
#include "model/parallelism/layout.h"

namespace ridgepoint {
namespace {

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

std::string instance_named(std::string_view system, std::string_view gpu)
{
    for (const char* aws : {"p6-b300.48xlarge", "p6-b200.48xlarge", "p5en.48xlarge", "p5e.48xlarge", "p5.48xlarge", "p4de.24xlarge", "p4d.24xlarge"})
        if (contains_word(system, aws))
            return aws;
    return generic_instance(gpu);
}

struct Site {
    Cluster cluster;
    CollectiveConstants constants;
};

class CollectivePredictorBase : public RowPredictor {
public:
    CollectivePredictorBase(const SpecStore& specs, std::string name) : m_specs(specs), m_name(std::move(name)) {}
    std::string kind() const override { return m_name; }

protected:
    const std::optional<Site>& place(const std::string& instance, int nodes)
    {
        const auto key = instance + "/" + std::to_string(nodes);
        if (const auto known = m_places.find(key); known != m_places.end())
            return known->second;
        std::optional<Site> p;
        if (Expected<Cluster> c = build_cluster(m_specs, instance, nodes, 0); c)
            if (Expected<CollectiveConstants> k = read_collective_constants(m_specs, c->accelerator.efficiency_id, c->fabric.efficiency_id); k)
                p = Site{*c, *k};
        return m_places.emplace(key, std::move(p)).first->second;
    }

    const SpecStore& m_specs;

private:
    std::string m_name;
    std::map<std::string, std::optional<Site>> m_places;
};

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

class NcclPredictor final : public CollectivePredictorBase {
public:
    NcclPredictor(const SpecStore& specs, bool in_node)
        : CollectivePredictorBase(specs, in_node ? "collectives_node" : "collectives")
        , m_in_node(in_node)
    {
    }
    std::vector<std::string> quantities() const override { return {m_in_node ? "latency_us" : "time_us"}; }

    RowOutcome predict(const CsvRow& row) override
    {
        RowOutcome out;
        const std::string quantity = quantities().front();
        const double measured = row.number(quantity);
        const auto op = collective_named(row.text("op"));
        const int ranks = static_cast<int>(row.number_or("n_gpus", 0));
        int nodes = static_cast<int>(row.number_or("n_nodes", 1));
        std::string instance = m_in_node ? generic_instance(row.text("gpu")) : instance_named(row.text("system"), row.text("gpu"));
        const std::string_view link = row.text("interconnect");
        const bool one_domain = m_in_node || nodes <= 1 || contains_word(link, "NVLink only");
        if (one_domain)
            nodes = 1;
        const std::optional<Site>& p = place(instance, std::max(1, nodes));
        const double size = row.number("size_bytes");
        if (!op || !p || std::isnan(measured) || measured <= 0 || ranks < 2 || std::isnan(size)) {
            out.not_expressed = !op ? "the operation is not modelled" : !p ? "the node type is not in the catalogue"
                : std::isnan(size)                                       ? "the message size is not stated"
                                                                         : "time or rank count is missing";
            return out;
        }
        Cluster cluster = p->cluster;
        if (!one_domain)
            if (const auto rate = stated_network_per_node(link, cluster.node.accelerators); rate && cluster.node.nics > 0)
                cluster.node.nic_rate = *rate / static_cast<double>(cluster.node.nics);
        GroupPlacement group = spread(ranks, nodes, one_domain ? ranks : cluster.node.nvlink_domain);
        if (!one_domain && cluster.node.nvlink_domain > cluster.node.accelerators / 2 && cluster.node.nvlink_domain >= 36) {
            group = place_group(cluster, ranks, 1);
        }
        const CollectiveCost cost = collective_cost(
            {*op, Bytes{size}, group, forced_algorithm(row.text("algo"))}, cluster, p->constants);
        const double predicted = in_microseconds(cost.time.total());
        const std::string fabric = one_domain ? "NVLink" : fabric_class(link);
        out.predictions.push_back({quantity, measured, predicted, predicted, predicted,
            {{"gpu", std::string(row.text("gpu"))}, {"op", std::string(row.text("op"))}, {"nodes", one_domain ? "one domain" : "many"},
                {"gpu, fabric", joined({row.text("gpu"), fabric})}, {"op, size", joined({row.text("op"), message_band(size)})},
                {"ranks", whole_band(ranks, {2, 4, 8, 16, 64, 256})}, {"size", message_band(size)},
                {"source", std::string(row.text("source_family"))}}});
        return out;
    }

private:
    bool m_in_node;
};

class DispatchPredictor final : public CollectivePredictorBase {
public:
    explicit DispatchPredictor(const SpecStore& specs) : CollectivePredictorBase(specs, "moe_dispatch") {}
    std::vector<std::string> quantities() const override { return {"time_us"}; }

    RowOutcome predict(const CsvRow& row) override
    {
        RowOutcome out;
        const double measured = row.number("time_us");
        const int nodes = static_cast<int>(row.number_or("n_nodes", 1));
        const int ranks = static_cast<int>(row.number_or("n_ranks", 0));
        const std::optional<Site>& p = place(std::string(row.text("instance")), nodes);
        if (!p || std::isnan(measured) || measured <= 0 || ranks < 2) {
            out.not_expressed = p ? "time or rank count is missing" : "the node type is not in the catalogue";
            return out;
        }
        MixtureOfExperts moe;
        moe.experts = static_cast<int>(row.number_or("experts", 256));
        moe.top_k = static_cast<int>(row.number_or("topk", 8));
        const double tokens = row.number("tokens_per_rank");
        const double h = row.number_or("hidden", 7168);
        const bool combine = contains_word(row.text("op"), "combine");
        const double element = combine || row.text("dispatch_dtype") == "BF16" ? 2.0 : bytes_per_element(NumberFormat::mxfp8);
        const GroupPlacement group = spread(ranks, nodes, p->cluster.node.nvlink_domain);
        const ExpertTraffic t = expert_traffic(moe, group, tokens, ranks);
        const CollectiveCost cost = expert_exchange_cost(
            Bytes{t.copies * h * element}, Bytes{tokens * t.distinct_remote_domains * h * element}, group, p->cluster, p->constants);
        const double predicted = in_microseconds(cost.time.total());
        out.predictions.push_back({"time_us", measured, predicted, predicted, predicted,
            {{"gpu", std::string(row.text("gpu"))}, {"op", std::string(row.text("op"))}, {"mode", std::string(row.text("mode"))},
                {"library", std::string(row.text("library"))}, {"nodes", std::string(row.text("n_nodes"))}}});
        return out;
    }
};

class LowLatencyPredictor final : public CollectivePredictorBase {
public:
    explicit LowLatencyPredictor(const SpecStore& specs) : CollectivePredictorBase(specs, "moe_dispatch_low_latency") {}
    std::vector<std::string> quantities() const override { return {"dispatch_avg_t_us", "combine_avg_t_us"}; }

    RowOutcome predict(const CsvRow& row) override
    {
        RowOutcome out;
        const int nodes = static_cast<int>(row.number_or("node_num", 1));
        const std::optional<Site>& p = place(generic_instance(row.text("system")), nodes);
        if (!p) {
            out.not_expressed = "the node type is not in the catalogue";
            return out;
        }
        MixtureOfExperts moe;
        moe.experts = static_cast<int>(row.number("num_experts"));
        moe.top_k = static_cast<int>(row.number("num_topk"));
        const double tokens = row.number("num_token");
        const double h = row.number("hidden_size");
        const int ranks = p->cluster.node.accelerators * nodes;
        const GroupPlacement group = spread(ranks, nodes, p->cluster.node.nvlink_domain);
        const ExpertTraffic t = expert_traffic(moe, group, tokens, ranks);
        for (const auto& [quantity, element] : {std::pair{"dispatch_avg_t_us", bytes_per_element(NumberFormat::mxfp8)}, std::pair{"combine_avg_t_us", 2.0}}) {
            const double measured = row.number(quantity);
            if (std::isnan(measured) || measured <= 0)
                continue;
            const CollectiveCost cost = expert_exchange_cost(Bytes{t.copies * h * element},
                Bytes{tokens * t.distinct_remote_domains * h * element}, group, p->cluster, p->constants);
            const double predicted = in_microseconds(cost.time.total());
            out.predictions.push_back({quantity, measured, predicted, predicted, predicted,
                {{"gpu", std::string(row.text("system"))}, {"tokens", whole_band(tokens, {16, 128})}, {"experts", std::string(row.text("num_experts"))}}});
        }
        return out;
    }
};

} // namespace

std::unique_ptr<RowPredictor> make_node_collective_predictor(const SpecStore& specs) { return std::make_unique<NcclPredictor>(specs, true); }
std::unique_ptr<RowPredictor> make_collective_predictor(const SpecStore& specs) { return std::make_unique<NcclPredictor>(specs, false); }
std::unique_ptr<RowPredictor> make_dispatch_predictor(const SpecStore& specs) { return std::make_unique<DispatchPredictor>(specs); }
std::unique_ptr<RowPredictor> make_low_latency_predictor(const SpecStore& specs) { return std::make_unique<LowLatencyPredictor>(specs); }

} // namespace ridgepoint

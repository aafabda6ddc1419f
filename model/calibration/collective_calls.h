#pragma once
// Rows of published collective tables as the calls that the laws take. What predicts the tables (validate) and what fits
// the laws to them (model/fitting) read them here.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/calibration/csv.h"
#include "model/collectives/collectives.h"
#include "model/specs/store.h"

namespace ridgepoint {

struct Site {
    Cluster cluster;
    CollectiveConstants constants;
};

// Node types of the catalogue with their constants, read once each.
class Sites {
public:
    explicit Sites(const SpecStore& specs) : m_specs(specs) {}
    const std::optional<Site>& at(const std::string& instance, int nodes); // nothing: not in the catalogue

private:
    const SpecStore& m_specs;
    std::map<std::string, std::optional<Site>> m_sites;
};

struct MeasuredCollective {
    std::string not_expressed; // why the row has no call; empty: it has
    CollectiveCall call;
    Cluster cluster; // with the network rate that the row states
    const Site* site = nullptr;
    bool one_domain = true; // everything goes over NVLink
    Seconds measured;
};
MeasuredCollective node_collective(const CsvRow& row, Sites& sites); // collectives_node.csv
MeasuredCollective cluster_collective(const CsvRow& row, Sites& sites); // collectives.csv

// Dispatch or combine of an expert-parallel layer.
struct MeasuredExchange {
    std::string not_expressed;
    std::string quantity; // column of the time
    GroupPlacement group;
    Bytes copies; // that leave a GPU
    Bytes network; // of these, across the fabric
    const Site* site = nullptr;
    Seconds measured;
};
MeasuredExchange dispatch_exchange(const CsvRow& row, Sites& sites); // moe_dispatch.csv
std::vector<MeasuredExchange> low_latency_exchanges(const CsvRow& row, Sites& sites); // moe_dispatch_low_latency.csv
CollectiveCost cost_of(const MeasuredExchange& exchange, const CollectiveConstants& constants);

} // namespace ridgepoint

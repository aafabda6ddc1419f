#pragma once
// The run against the plan: rules of Prometheus and a dashboard of Grafana with the expected levels as reference lines.
// Metrics: dcgm-exporter (DCGM_FI_...), the node exporter's amazonefa collector (node_amazonefa_...), the server's own.

#include <string>
#include <utility>
#include <vector>

#include "model/launch/levels.h"

namespace ridgepoint {

struct WatchRequest {
    // Labels that tell the series of this job from others: {"cluster", "train-7"}. Names of letters, digits and _.
    std::vector<std::pair<std::string, std::string>> labels;
    // Gauge or histogram (name without _sum) of the step's time; empty: what the plan's framework exports.
    std::string step_metric;
};

// A recorded measurement and the expression that records it.
struct Watched {
    Level level;
    std::string rule; // "ridgepoint:measured:tensor_active"
    std::string expression; // PromQL; one series
    std::string each; // PromQL: one series a GPU or host, for the dashboard; empty: none
};
// Errors: a label or metric that is no name.
Expected<std::vector<Watched>> watched(const Evaluation& v, const WatchRequest& request);

Expected<std::string> prometheus_rules(const Plan& plan, const Evaluation& v, const WatchRequest& request);
Expected<std::string> grafana_dashboard(const Plan& plan, const Evaluation& v, const WatchRequest& request);

} // namespace ridgepoint

#pragma once
// Time series of a cluster's monitoring: Prometheus, exposition text, Grafana CSV.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ridgepoint {

struct MetricSeries { // NaN and blank sentinels are no samples; gaps are simply absent
    std::string name; // "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE"
    std::map<std::string, std::string> labels;
    bool counter = false; // rises for ever: needs a rate
    std::string unit; // of the values: "B", "W", "Hz", "J", "s", "ratio"; empty: the source does not say, as DCGM's own fields (SM_CLOCK in MHz)
    std::vector<double> times; // seconds since 1970; empty times: one sample without a time
    std::vector<double> values; // in the unit of the source, percentages and SI prefixes resolved
};

struct MetricSet {
    std::vector<MetricSeries> series;
};

} // namespace ridgepoint

#pragma once
// From what monitoring records of GPUs and networks to what a roofline and a network model speak of.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/measured/metric_series.h"
#include "model/units/quantity.h"

namespace ridgepoint {

// Of the GPU that was watched: the dense peak of the dtype that the work is assumed to use (never a sparse one), the
// memory's bandwidth, and the SM clock at which the peak is stated.
struct GpuPeaks {
    FlopPerSecond dense;
    BytesPerSecond memory;
    Hertz clock; // zero: no correction for the clock
};

// DCGM_FI_PROF_PIPE_TENSOR_ACTIVE counts cycles in which a tensor pipe was active, not how well it was fed: FLOP/s from it
// are an upper estimate, 0 to 25 % above the truth. FP8 and FP4 cannot be told from FP16 in it, so the dtype is assumed.
inline constexpr double tensor_active_bias = 0.25;

struct GpuSample {
    double time = 0; // seconds since 1970; 0: without a time
    FlopPerSecond flops; // tensor_active x dense peak x (SM clock / clock of the peak)
    BytesPerSecond bytes; // dram_active x peak bandwidth
};

struct GpuOnRoofline {
    std::string gpu; // UUID, else host and index
    std::string instance; // MIG: "1g.5gb/13"; ratios are then of the instance, and so must the peaks be
    std::string model; // "NVIDIA H100 80GB HBM3"; empty: not stated
    FlopPerSecond flops; // p50 of the samples
    BytesPerSecond bytes; // p50 of the samples
    std::optional<FlopPerByte> intensity; // of the two; none without traffic
    FlopPerSecond flops_without_bias; // flops / (1 + tensor_active_bias): the lower end of what it may have been
    std::vector<GpuSample> samples; // the scatter: averages over time mix phases
    std::optional<Hertz> clock; // p50 of the SM clock; none: not recorded, the clock of the peak is assumed
    std::optional<Watts> power; // p50
    std::optional<BytesPerSecond> nvlink_sent, nvlink_received; // p50
};

// One point a GPU (or MIG instance), in the order of the set. Series that exporters duplicate (same UUID and instance) count
// once. Ratios above 1.5 are percentages (older exporters) and divided by 100. A GPU without one of the two ratios has no point.
std::vector<GpuOnRoofline> roofline_points(const MetricSet& set, const GpuPeaks& peaks);

struct NodeTraffic {
    std::string node; // label instance, node or Hostname; empty: not labelled
    int devices = 0; // ports whose counters were summed
    struct Sample {
        double start = 0, end = 0; // seconds since 1970
        BytesPerSecond sent, received;
    };
    std::vector<Sample> samples;
    BytesPerSecond sent, received; // p50 of the samples
};

// Rates of the network counters of each node, summed over its ports: EFA's tx_bytes and rx_bytes (which hold RDMA reads,
// their responses and writes already: those are not added), or InfiniBand's. A counter that falls was reset: it then counts
// from zero, as in Prometheus' rate(). Nodes with a single sample have no rate.
std::vector<NodeTraffic> node_traffic(const MetricSet& set);

struct Utilisation { // of all series of a metric at one time
    double time = 0;
    double least = 0, mean = 0, most = 0;
    int series = 0;
};
std::vector<Utilisation> utilisation_over_time(const MetricSet& set, std::string_view metric);

// A series per second: of a counter the differences over time with resets, at the end of each interval; of a gauge itself.
// A gauge of bytes that never falls over six samples and more is a counter too: exporters differ.
MetricSeries rate_of(const MetricSeries& series);

} // namespace ridgepoint

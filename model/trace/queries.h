#pragma once
// Questions about a timeline that reports and comparisons ask: per kernel, per collective, per step.

#include <string>
#include <vector>

#include "model/trace/timeline.h"

namespace ridgepoint {

// All executions of one kernel name. Rates are over the executions whose work is known.
struct NamedKernel {
    std::string name;
    KernelClass kernel_class = KernelClass::other;
    KernelPrecision precision = KernelPrecision::unknown; // a guess from the name
    std::int64_t count = 0;
    Seconds total, mean, longest;
    std::int64_t with_work = 0;
    Seconds time_with_work;
    Flops flops;
    Bytes bytes;
    [[nodiscard]] FlopPerSecond achieved() const { return time_with_work > Seconds{} ? flops / time_with_work : FlopPerSecond{}; }
};
// By total time, longest first; `most` 0: all. Copies and fills included.
std::vector<NamedKernel> top_kernels(const Timeline& timeline, std::size_t most = 0);

// Collectives of one kind and size. Bandwidths as nccl-tests define them (PERFORMANCE.md there): algorithm bandwidth =
// size / time, bus bandwidth = that times 2(n-1)/n for all-reduce, (n-1)/n for all-gather, reduce-scatter and
// all-to-all, 1 for the others. A collective's time in a trace includes the wait for the last rank: `fastest` is the
// closest to the transfer alone that one rank's trace can show.
struct CollectiveTotal {
    CollectiveType type = CollectiveType::other;
    std::string dtype;
    Bytes size; // 0: unknown
    int group_size = 0;
    std::int64_t count = 0;
    Seconds total, mean, fastest;
    BytesPerSecond bus_bandwidth; // at the mean time; 0 if size or group is unknown
    BytesPerSecond best_bus_bandwidth; // at the fastest
};
std::vector<CollectiveTotal> collective_totals(const Timeline& timeline); // by total time
double bus_factor(CollectiveType type, int group_size);

// What one step did on the GPU. An event belongs to the step in which the host launched it; where the launch is not in
// the file, to the step in whose GPU time it starts.
struct TracedStep {
    std::string name;
    Seconds duration; // on the host
    Seconds period; // from its first GPU event to the next step's first, or to its last end
    Seconds busy, compute, collective, exposed_collective, memory;
    Seconds idle; // period - busy; 0 where the next step's work begins before this one's has ended
    std::int64_t events = 0;
    std::vector<ClassTotal> classes;
};
// The step of each event as an index into `steps`, or into `gpu_steps` where the host's are not recorded; -1: none.
std::vector<std::int32_t> steps_of_events(const Timeline& timeline);
std::vector<TracedStep> step_breakdowns(const Timeline& timeline);
// Index of the step with the median period; -1 without steps.
int median_step(const std::vector<TracedStep>& steps);

} // namespace ridgepoint

#pragma once
// Every combination of the values that a search may choose, numbered from 0: point i is decoded from i alone, so that
// shards, threads and machines agree on what it is. Whatever a space does not vary stays as the plan has it.

#include <cstdint>
#include <string>
#include <vector>

#include "model/parallelism/layout.h"
#include "model/project/plan.h"

namespace ridgepoint {

struct ClusterChoice {
    std::string instance; // spec id
    int nodes = 1;
    bool operator==(const ClusterChoice&) const = default;
};

struct SearchSpace {
    // Slowest first: neighbours in the numbering differ in what changes no layer, which is computed once for all of them.
    std::vector<ClusterChoice> clusters;
    std::vector<std::string> recipes;
    std::vector<int> tp, cp, ep, etp, micro_batch;
    std::vector<Recompute> recompute;
    std::vector<bool> sequence_parallel, overlap_tp, overlap_moe, expert_kernels, cuda_graphs;
    std::vector<int> pp, vpp;
    std::vector<PipelineSchedule> schedule;
    std::vector<DataSharding> sharding;
    std::vector<bool> overlap_grad_reduce, overlap_param_gather;
    // Serving: sequences in flight of one replica, and whether attention is data parallel.
    std::vector<int> concurrency;
    std::vector<bool> attention_dp;
    // Serving on pools of their own: workers of either side, and the degrees of a prompt worker.
    std::vector<int> prompt_workers = {1}, decode_workers = {1}, prompt_tp = {1}, prompt_ep = {1};

    [[nodiscard]] std::uint64_t points() const;
};

struct SearchPoint {
    std::uint64_t index = 0;
    std::size_t cluster = 0; // of SearchSpace::clusters
    std::size_t recipe = 0; // of SearchSpace::recipes
    Layout layout; // dp is what the GPUs leave, 0 where the degrees do not divide them
    int concurrency = 0; // serving
    int prompt_workers = 1, decode_workers = 1, prompt_tp = 1, prompt_ep = 1; // serving on pools of their own
};

// What a user expects of "search everything": powers of two and divisors for the degrees, all schedules, shardings and
// recomputation policies that the engine knows. Axes that the workload has no use for hold the plan's value alone.
SearchSpace default_space(const Plan& plan, const Job& job);

// `gpus`: of each cluster. The layout's other fields are taken from `plan`.
SearchPoint point_at(const SearchSpace& space, std::uint64_t index, const Layout& plan, const std::vector<int>& gpus);

// Two points that can differ in nothing that is computed have one canonical form, and only that is estimated: flags of
// parallelism that is off, chunks of a pipeline that is none. `rule` says nothing of legality.
bool is_canonical(const Layout& layout, const SearchSpace& space, bool training);
// Of pools: 2 prompt workers to 4 decoding ones are twice 1 to 2, which costs as much per GPU and shares its links with fewer.
bool is_canonical_split(const SearchPoint& point, const SearchSpace& space);

} // namespace ridgepoint

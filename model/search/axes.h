#pragma once
// The axes of a space by the names of the plan's fields, for the command line and the desktop.

#include <string>
#include <string_view>
#include <vector>

#include "model/base/error.h"
#include "model/search/space.h"

namespace ridgepoint {

// "tp", "pp", "vpp", "cp", "ep", "etp", "micro_batch", "recompute", "schedule", "sharding", "sequence_parallel", "overlap_tp",
// "overlap_moe", "expert_dispatch_rdma", "cuda_graphs", "overlap_grad_reduce", "overlap_param_gather", "attention_dp",
// "concurrency", "prompt_workers", "decode_workers", "prompt_tp", "prompt_ep", "recipe"; "nodes" and "instance" make the clusters: every instance with every number of nodes.
std::vector<std::string> axis_names();
std::string field_of_axis(std::string_view axis); // "/layout/tp"; empty: no axis
bool axis_applies(const Plan& plan, std::string_view axis); // to plans of this kind of workload

// The values that the axis takes in `space`, as in a plan file.
std::vector<std::string> axis_values(const SearchSpace& space, const Plan& plan, std::string_view axis);

// Replaces the axis' values. Values are checked like those of a plan's field; at most 1,000 of one axis.
Status set_axis(SearchSpace& space, const Plan& plan, std::string_view axis, const std::vector<std::string>& values);

} // namespace ridgepoint

#pragma once
// JSON results of collective benchmarks: nccl-tests -J and its forerunner that prints
// an object among the text.

#include <string>
#include <string_view>
#include <vector>

#include "model/measured/measured.h"

namespace ridgepoint {

// {"identifier": "nccl-tests structured output", "benchmark": [{"33554432": {"oop_time": ...}}]} anywhere in a text.
// `version` is set if empty.
std::vector<CollectiveSweep> sweeps_of_inline_json(std::string_view text, const std::string& file, std::vector<Skipped>& skipped, std::string& version);

bool is_nccl_json(std::string_view text); // versions 2 and 3 of nccl-tests -J, complete or cut
Expected<Measured> read_nccl_json(std::string_view text, const std::string& file);

} // namespace ridgepoint

#pragma once
// One run from an object with the keys of bench_serving.

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "model/measured/serving/run_reading.h"

namespace ridgepoint {

struct ServeArrays { // detailed results; seconds
    std::int64_t itls = 0; // gaps between chunks, over all requests
    std::optional<double> mean_ttft; // of the array
};

bool is_serve_object(const nlohmann::json& object);
// Notes say what was decided about units and what arrays tell.
ServingRun serve_run(const nlohmann::json& object, ServeArrays& arrays, std::vector<std::string>& notes);

} // namespace ridgepoint

#pragma once
// What the user asked, by name: the document of the program. Saved as *.ridgepoint (JSON, versioned).

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "model/base/error.h"
#include "model/estimate/job.h"

namespace ridgepoint {

struct PrecisionChoice {
    std::string recipe = "bf16"; // "bf16", "fp16", "fp8" (per tensor), "fp8_block", "mxfp8", "nvfp4"; serving also "int8", "w4a16", "mxfp4"
    std::optional<NumberFormat> weights; // overrides of the recipe
    std::optional<NumberFormat> kv_cache;
};

struct PriceChoice {
    std::string region = "us-east-1";
    std::string term = "on_demand"; // "on_demand", "capacity_block", "custom"
    std::optional<double> custom_dollars_per_gpu_hour; // term == "custom": the user's own rate
    double utilization = 1.0; // paid hours that do useful work
};

struct Plan {
    std::string name = "Untitled";
    std::string notes;
    std::string model = "llama-3.1-8b"; // spec id
    Workload workload = Training{};
    std::string instance = "p5.48xlarge"; // spec id
    int nodes = 1;
    int gpus = 0; // 0: all of the nodes
    Layout layout; // layout.dp == 0: whatever the GPUs leave (the default)
    PrecisionChoice precision;
    Assumptions assumptions;
    PriceChoice price;
    bool operator==(const Plan&) const;
};

Plan example_plan(); // built in: Llama 3.1 405B pre-training on p5en
nlohmann::json to_json(const Plan& plan); // complete: every field
Expected<Plan> plan_from_text(std::string_view text, const std::string& file); // located errors; migrates old versions
Expected<Plan> load_plan(const std::string& file);
Status save_plan(const Plan& plan, const std::string& file); // atomically

} // namespace ridgepoint

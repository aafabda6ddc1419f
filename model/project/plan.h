#pragma once
// What the user asked, by name: the document of the program. Saved as *.ridgepoint (JSON, versioned).

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "model/base/error.h"
#include "model/estimate/job.h"
#include "model/specs/store.h"
#include "model/workload/fleet.h"
#include "model/workload/load.h"
#include "model/workload/post_training.h"
#include "model/workload/run.h"

namespace ridgepoint {

struct PrecisionChoice {
    std::string recipe = "bf16"; // "bf16", "fp16", "fp8" (per tensor), "fp8_block", "mxfp8", "nvfp4"; serving also "int8", "w4a16", "mxfp4"
    std::optional<NumberFormat> weights; // overrides of the recipe
    std::optional<NumberFormat> kv_cache;
    std::optional<NumberFormat> gradients; // training: sums and what is reduced
};

struct PriceChoice {
    std::string region = "us-east-1";
    std::string term = "on_demand"; // "on_demand", "capacity_block", "savings_plan_1y", "savings_plan_3y", "custom"
    std::optional<double> custom_dollars_per_gpu_hour; // term == "custom": the user's own rate
    double utilization = 1.0; // paid hours that do useful work
};

// A catalogue document as it was when the plan was saved: an old plan gives the same numbers for ever.
struct SpecSnapshot {
    SpecKind kind = SpecKind::model;
    std::string id;
    std::string text; // JSON
    bool operator==(const SpecSnapshot&) const = default;
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
    MeasuredFactors measured; // what the user's own measurements say; see calibrate
    Load load; // serving: what users bring and are promised
    Fleet fleet; // serving: how much of it, over days and months
    PostTraining post_training; // fine-tuning and LoRA: the learner of reinforcement learning
    Run run; // training: from the step to the finished run
    std::vector<SpecSnapshot> snapshots; // used instead of what the catalogue says today; see snapshots.h
    bool operator==(const Plan&) const;
};

inline constexpr int plan_format_version = 1; // "ridgepoint" in the file

Plan example_plan(); // built in: Llama 3.1 405B pre-training on p5en
nlohmann::json to_json(const Plan& plan); // every field of fields.h that this plan has; not the snapshots
// The file: fields in the order of fields.h, then the snapshots. Sections that only some plans ask for (load, fleet,
// post_training, run) stand in it once one of their fields has been changed.
std::string to_text(const Plan& plan);
// Missing fields take the defaults of the workload's kind. Errors say file, line, JSON pointer, found and expected:
// unknown fields, wrong types, values out of range. Files of older versions are migrated.
Expected<Plan> plan_from_text(std::string_view text, const std::string& file);
Expected<Plan> load_plan(const std::string& file);
Status save_plan(const Plan& plan, const std::string& file); // atomically: the old file stays whole until the new one is

} // namespace ridgepoint

#pragma once
// From a plan by name to its launch files, and from a text to a checked plan: with the built-in tables of options, as every
// front end needs it.

#include <optional>
#include <string>
#include <vector>

#include "model/launch/launch.h"
#include "model/launch/read.h"
#include "model/specs/store.h"

namespace ridgepoint {

// Built-in tables: specs/launch/<framework>.json.
Expected<FlagTable> read_flag_table(LaunchFramework framework);

// That can start this kind of plan, the plan's own first.
std::vector<LaunchFramework> launch_frameworks(const Plan& plan);

// The repository that the model's spec names as its source; empty: none.
std::string repository_of(const std::string& model, const SpecStore& specs);

// `decode`: plan of the decode pool, `plan` is the prefill pool then; a serving plan whose prompts run apart is cut into its
// two pools. `request.checkpoint` empty: the repository of the model's spec. Errors: as of resolve(), check_legal() and
// make_launch(); `decode_failed` tells whose it is.
Expected<Launch> launch_plan(const Plan& plan, const Plan* decode, const SpecStore& specs, LaunchFramework framework, LaunchRequest request, bool* decode_failed = nullptr);

// plan_from_launch_text() with the built-in tables; the ranges of every field are checked.
Expected<ReadPlan> read_launch_text(const std::string& text, const std::string& file, const SpecStore& specs, const ReadRequest& request);

} // namespace ridgepoint

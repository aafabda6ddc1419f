#pragma once
// Back again: the arguments of Megatron-LM, a TOML of torchtitan or the command line of a server become a plan. The text was
// written by anybody: nothing of it is run or expanded, sizes are bounded, and what is wrong is named with line and option.

#include <optional>
#include <string>
#include <vector>

#include "model/launch/flag_table.h"
#include "model/project/plan.h"

namespace ridgepoint {

struct ReadRequest {
    std::optional<LaunchFramework> framework; // none: recognised by the text
    std::string instance; // command lines name no machine; empty: the default plan's
    int nodes = 0; // 0: as the text says (torchrun, #SBATCH), else as few as the degrees need
    std::string model; // id; empty: as the text says
};

struct ReadPlan {
    Plan plan;
    LaunchFramework framework = LaunchFramework::megatron_lm;
    std::vector<std::string> notes; // assumed, ignored, ambiguous
};

// `file` names the text in messages. A network that the catalogue does not know becomes a snapshot in the plan.
Expected<ReadPlan> plan_from_launch_text(const std::string& text, const std::string& file, const FlagTables& tables, const SpecStore& specs,
    const ReadRequest& request);

} // namespace ridgepoint

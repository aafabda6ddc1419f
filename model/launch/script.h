#pragma once
// The script that runs on every host of a job, whoever starts it: it knows NODE_RANK and HEAD_ADDRESS, the rest stands in it.

#include <string>
#include <vector>

#include "model/launch/context.h"
#include "model/launch/launch.h"

namespace ridgepoint {

struct HostScript {
    std::string text; // bash, without the shebang
    std::vector<Argument> arguments;
    std::vector<NotExpressed> not_expressed;
    std::vector<std::string> placeholders;
    std::string config_name; // "train.toml"; empty: none
    std::string config; // its text
};

HostScript host_script(const LaunchContext& c, PoolRole role);
// The options alone, one a line, or the configuration file.
std::string argument_text(const LaunchContext& c, const HostScript& script);
// "# ..." lines: what the plan says that the framework does not, and what is left to fill in.
std::string comments(const LaunchContext& c, const HostScript& script);
// A comment's line: control characters gone, so that no name ends it.
std::string one_line(std::string_view text);
// "plan-name": a label of DNS (RFC 1123), at most 40 characters.
std::string label_of(std::string_view name);

std::string slurm_script(const LaunchContext& c, const HostScript& script);
std::string kubernetes_objects(const LaunchContext& c, const HostScript& script, LaunchForm form, const std::string& suffix);

} // namespace ridgepoint

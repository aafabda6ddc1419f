#pragma once
// A plan as what starts it: arguments, a script for every host, a Slurm job or Kubernetes objects. Values in, text out;
// everything comes from the Job that was estimated, so that what is bought is what runs.

#include <optional>
#include <string>
#include <vector>

#include "model/launch/arguments.h"
#include "model/project/plan.h"

namespace ridgepoint {

enum class LaunchForm : unsigned char {
    arguments, // one option a line, or the configuration file of the framework
    shell, // a script to run on every host
    slurm, // sbatch
    pytorch_job, // Kubeflow training operator
    jobset, // jobset.x-k8s.io
};
std::string_view name_of(LaunchForm f); // "slurm"
std::optional<LaunchForm> parse_launch_form(std::string_view name);

struct LaunchRequest {
    LaunchForm form = LaunchForm::slurm;
    std::string checkpoint; // repository or folder of the weights or tokenizer; empty: asked for when the job starts
};

struct Launch {
    std::string text; // the file
    std::vector<Argument> arguments; // as checked against the table
    std::vector<NotExpressed> not_expressed; // also in the text, as comments
    std::vector<std::string> placeholders; // what the reader must still fill in, one sentence each; also in the text
};

// Errors: a framework that does not serve or does not train (bad_input at /workload/kind), a form that the framework does
// not have, an argument that the table of the version lacks.
Expected<Launch> make_launch(const Plan& plan, const Job& job, const FlagTable& table, const LaunchRequest& request);

// Two pools of a disaggregated service: prefill and decode with layouts (and clusters) of their own, and how they find
// each other. Both plans serve the same model with the framework of `table`.
struct PoolPlan {
    const Plan& plan;
    const Job& job;
};
Expected<Launch> make_disaggregated_launch(const PoolPlan& prefill, const PoolPlan& decode, const FlagTable& table, const LaunchRequest& request);

} // namespace ridgepoint

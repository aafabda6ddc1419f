#pragma once
// What all generators start from: the plan and everything it resolves to.

#include <string>

#include "model/launch/arguments.h"
#include "model/project/plan.h"

namespace ridgepoint {

struct LaunchContext {
    const Plan& plan;
    const Job& job; // of the same plan
    const FlagTable& table;
    std::string checkpoint; // repository or folder of the weights; empty: not known

    [[nodiscard]] const Layout& layout() const { return job.layout; }
    [[nodiscard]] const Transformer& model() const { return job.model; }
    // Of the run: tokens / (batch x sequence length), rounded up; 0 where the plan names no tokens.
    [[nodiscard]] long long steps() const;
};

// Machines as an operating system counts them. An UltraServer is one node of the plan and many hosts.
struct Hosts {
    int count = 1;
    int gpus = 8; // of each that work
    int nics = 0; // EFA devices of each
    std::string instance; // AWS instance type of each; empty: not AWS
};
Hosts hosts_of(const Job& job);

// HSDP's group: as stated, or one node. A group of all ranks is ZeRO-3, one of a single rank is no sharding.
int shard_group_of(const Job& job);
DataSharding sharding_of(const Job& job);

// Entries of a configuration file ("a.b.c" -> value) as TOML or YAML. Texts are quoted so that none adds a line.
std::string to_toml(const std::vector<Argument>& entries, const FlagTable& table);
std::string to_yaml(const std::vector<Argument>& entries, const FlagTable& table);
// A text as a JSON string, which TOML and YAML read alike.
std::string quoted_text(std::string_view text);

// The arguments of each framework. Errors: the plan is of the other kind (bad_input at /workload/kind).
Arguments megatron_arguments(const LaunchContext& c);
Arguments megatron_model_arguments(const Transformer& model, int tp);
Arguments bridge_arguments(const LaunchContext& c);
Arguments torchtitan_entries(const LaunchContext& c);
Arguments accelerate_entries(const LaunchContext& c); // of its configuration file
Arguments accelerate_script_arguments(const LaunchContext& c); // of the training script
Arguments maxtext_arguments(const LaunchContext& c);

enum class PoolRole : unsigned char { whole, prefill, decode };
Arguments vllm_arguments(const LaunchContext& c, PoolRole role);
Arguments sglang_arguments(const LaunchContext& c, PoolRole role);
Arguments tensorrt_arguments(const LaunchContext& c, PoolRole role);
Arguments tensorrt_entries(const LaunchContext& c, PoolRole role); // of --extra_llm_api_options

// Layers of every model chunk in the order of the stages: chunk r of stage s at r x pp + s.
std::vector<int> layers_of_chunks(const Transformer& model, const Layout& layout);

} // namespace ridgepoint

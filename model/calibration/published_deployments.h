#pragma once
// How the deployments of a public benchmark were laid out. Its tables of results leave out how many workers there were, how
// attention was cut and whether tokens were drafted; the benchmark's configuration files state all three. Configurations
// only: nothing here was measured. Private to the calibration floor.
//
// Source: InferenceX, .github/configs/nvidia-master.yaml of 2026-01 [InferenceMAX/InferenceMAX @ 525079a] and of 2026-03
// [SemiAnalysisAI/InferenceX @ 0004cf5], Apache-2.0.

#include <array>
#include <span>
#include <string_view>
#include <vector>

namespace ridgepoint {

// "dep8": eight GPUs, replicated attention (attention data parallelism) and whole experts; "tep8": attention cut eight ways,
// whole experts; "tp8": everything cut eight ways.
struct WorkerShape {
    std::string_view name;
    [[nodiscard]] int gpus() const;
    [[nodiscard]] bool attention_dp() const { return name.starts_with("dep"); }
    [[nodiscard]] bool whole_experts() const { return !name.starts_with("tp"); }
};

struct Deployment {
    int input = 0, output = 0; // tokens
    int prefill_workers = 0; // 0: prompts and decoding on the same workers
    WorkerShape prefill;
    int decode_workers = 1;
    WorkerShape decode;
    int drafted = 0; // tokens drafted per step (multi-token prediction); -1: some, how many is not stated
    std::array<int, 8> concurrency{}; // users; unused places are 0

    [[nodiscard]] bool runs(int users) const;
    [[nodiscard]] int gpus() const { return prefill_workers * prefill.gpus() + decode_workers * decode.gpus(); }
};

struct DeploymentFamily {
    std::string_view model, system, engine, precision; // as the tables write them; model: a part of the name
    std::string_view version; // of the engine's image; empty: the sources have one for all
    std::span<const Deployment> deployments;
};
std::span<const DeploymentFamily> published_tensorrt_llm();
std::span<const DeploymentFamily> published_sglang();

// The deployments with these lengths and users. Of families that differ in version alone, that of the row's version counts
// where it has one.
struct DeploymentQuery {
    std::string_view model, system, engine, precision, version;
    int input = 0, output = 0, users = 0;
};
struct FoundDeployments {
    std::vector<Deployment> matches;
    bool one_pool = false; // some configuration of the family, whatever its lengths, runs prompts and decoding together
    bool one_pool_drafts = false; // and one of those drafts
};
FoundDeployments find_deployments(const DeploymentQuery& query);

} // namespace ridgepoint

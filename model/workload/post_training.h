#pragma once
// Reinforcement learning on top of a pre-trained model: answers are sampled, judged and learnt from, over and over. The
// training plan gives model, layout and precision of the learner.

#include <string>

#include "model/units/quantity.h"

namespace ridgepoint {

enum class PostTrainingAlgorithm : unsigned char {
    grpo, // groups of answers, no critic [arXiv:2402.03300]
    ppo, // a critic as large as the policy [arXiv:1707.06347]; with a reward model: RLHF [arXiv:2203.02155]
    dpo, // pairs of given answers, no rollout [arXiv:2305.18290]
};
enum class Placement : unsigned char {
    colocated, // rollout and learner take turns on all GPUs
    disaggregated, // each has its own
};

struct PostTraining {
    PostTrainingAlgorithm algorithm = PostTrainingAlgorithm::grpo;
    int prompts = 512; // per iteration
    int group = 8; // answers to one prompt
    int prompt_length = 512; // tokens
    int output_length = 2048; // mean tokens of an answer
    double output_spread = 1.0; // lognormal: standard deviation over mean
    int output_limit = 16384; // longer answers are cut
    int updates = 4; // optimizer steps per iteration and epoch
    int epochs = 1; // passes over the samples
    bool reference = true; // log-probabilities of a frozen copy, for the KL term
    bool recompute_old = true; // log-probabilities of the policy itself by the learner rather than the rollout engine
    double reward_model = 0.0; // size of the reward model over the policy's; 0: rules or tests
    Seconds reward_time; // outside the GPUs, per iteration: verifiers, sandboxes
    Placement placement = Placement::colocated;
    int rollout_gpus = 0; // disaggregated; 0: the best division
    int staleness = 1; // disaggregated: iterations by which the rollout may run ahead; 0: they wait for each other
    int rollout_tp = 1;
    std::string rollout_recipe = "bf16";
    int rollout_batch = 256; // sequences in flight on one rollout replica
    bool share_prompts = false; // the answers to one prompt keep its KV cache once
    bool offload = true; // colocated: gradients and optimizer leave for host memory during the rollout
};

} // namespace ridgepoint

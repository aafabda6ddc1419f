// Reinforcement learning around the learner that a fine-tuning plan describes.

#include "model/project/field_builders.h"
#include "model/project/precision_recipes.h"

namespace ridgepoint {
namespace {

bool learns(const Plan& p)
{
    const auto* t = std::get_if<Training>(&p.workload);
    return t != nullptr && t->kind != TrainingKind::pretraining;
}

template <typename T> auto of(T PostTraining::*member)
{
    return [member](Plan& p) -> T* { return learns(p) ? &(p.post_training.*member) : nullptr; };
}

bool generates(const Plan& p) { return p.post_training.algorithm != PostTrainingAlgorithm::dpo; }
bool colocated(const Plan& p) { return generates(p) && p.post_training.placement == Placement::colocated; }
bool disaggregated(const Plan& p) { return generates(p) && p.post_training.placement == Placement::disaggregated; }

FieldEntry when(FieldEntry entry, bool (*relevant)(const Plan&))
{
    entry.relevant = relevant;
    return entry;
}

std::vector<Choice<std::string>> rollout_recipes()
{
    std::vector<Choice<std::string>> out;
    for (const PrecisionRecipeInfo& r : precision_recipes())
        if (r.serving)
            out.push_back({r.id, r.label, r.id});
    return out;
}

} // namespace

void add_post_training_fields(std::vector<FieldEntry>& table)
{
    const auto about = [](const char* path, const char* label, const char* unit, double low, double high, const char* help, const char* source) {
        return field_of("Post-training", {path, label, unit, low, high, help, source, Scope::training});
    };
    const auto generated = [](FieldEntry e) { return when(std::move(e), generates); };
    table.push_back(choice_entry<PostTrainingAlgorithm>(about("/post_training/algorithm", "Algorithm", "", 0, 0,
        "GRPO samples groups of answers; PPO trains a critic beside (with a reward model: RLHF); DPO learns from given pairs.", "GRPO, arXiv:2402.03300"),
        {{"grpo", "GRPO", PostTrainingAlgorithm::grpo}, {"ppo", "PPO", PostTrainingAlgorithm::ppo}, {"dpo", "DPO", PostTrainingAlgorithm::dpo}},
        of(&PostTraining::algorithm)));
    table.push_back(whole_entry(about("/post_training/prompts", "Prompts", "prompts", 1, 1'000'000, "Prompts of one iteration.", "512: DAPO, arXiv:2503.14476"), of(&PostTraining::prompts)));
    table.push_back(generated(whole_entry(about("/post_training/group", "Answers per prompt", "answers", 1, 1024, "Answers sampled to one prompt.", "assumed; DAPO takes 16"), of(&PostTraining::group))));
    table.push_back(whole_entry(about("/post_training/prompt_length", "Prompt length", "tokens", 1, 1'000'000, "Tokens of a prompt.", "assumed"), of(&PostTraining::prompt_length)));
    table.push_back(whole_entry(about("/post_training/output_length", "Answer length", "tokens", 1, 1'000'000, "Mean tokens of an answer, before the longest are cut.", "assumed"), of(&PostTraining::output_length)));
    table.push_back(number_entry(about("/post_training/output_spread", "Spread of answers", "", 0, 10, "Standard deviation of the answer length over its mean, lognormal.", "assumed"), of(&PostTraining::output_spread)));
    table.push_back(whole_entry(about("/post_training/output_limit", "Longest answer", "tokens", 1, 1'000'000, "Answers are cut here.", "16,384: DAPO, arXiv:2503.14476"), of(&PostTraining::output_limit)));
    table.push_back(whole_entry(about("/post_training/updates", "Updates", "", 1, 10'000, "Optimizer steps on the samples of one iteration, per epoch.", "assumed; DAPO takes 16"), of(&PostTraining::updates)));
    table.push_back(whole_entry(about("/post_training/epochs", "Epochs", "", 1, 100, "Passes of the learner over the samples of one iteration.", "one"), of(&PostTraining::epochs)));
    table.push_back(generated(flag_entry(about("/post_training/reference", "Reference model", "", 0, 0, "A frozen copy rates the answers too, for the KL term.", "GRPO, equation 3"), of(&PostTraining::reference))));
    table.push_back(generated(flag_entry(about("/post_training/recompute_old", "Recompute log-probabilities", "", 0, 0,
        "The learner rates the answers before its updates, because the rollout engine's numbers differ.", "common in open frameworks"), of(&PostTraining::recompute_old))));
    table.push_back(generated(number_entry(about("/post_training/reward_model", "Reward model", "", 0, 100, "Its size over the policy's; 0: rules or tests judge.", "rules"), of(&PostTraining::reward_model))));
    table.push_back(generated(number_entry(about("/post_training/reward_time_s", "Reward time", "s", 0, 1e6, "Time of verifiers and sandboxes per iteration, outside the GPUs.", "none"), of(&PostTraining::reward_time))));
    table.push_back(generated(choice_entry<Placement>(about("/post_training/placement", "Placement", "", 0, 0,
        "Rollout and learner take turns on all GPUs, or each has its own.", "turns"),
        {{"colocated", "Colocated", Placement::colocated}, {"disaggregated", "Disaggregated", Placement::disaggregated}}, of(&PostTraining::placement))));
    table.push_back(when(whole_entry(about("/post_training/rollout_gpus", "Rollout GPUs", "GPUs", 0, 1'000'000, "GPUs that roll out; 0 looks for the best division.", "the best division"), of(&PostTraining::rollout_gpus)), disaggregated));
    table.push_back(when(whole_entry(about("/post_training/staleness", "Staleness", "iterations", 0, 64,
        "Iterations by which the rollout may run ahead of the learner; 0: they wait for each other.", "one step off policy"), of(&PostTraining::staleness)), disaggregated));
    table.push_back(generated(whole_entry(about("/post_training/rollout_tp", "Rollout tensor parallel", "GPUs", 1, 65536, "GPUs of one rollout replica.", "the model is not cut"), of(&PostTraining::rollout_tp))));
    table.push_back(generated(choice_entry<std::string>(about("/post_training/rollout_recipe", "Rollout precision", "", 0, 0, "Precision recipe of the rollout engine.", "as trained"),
        rollout_recipes(), of(&PostTraining::rollout_recipe))));
    table.push_back(generated(whole_entry(about("/post_training/rollout_batch", "Rollout batch", "sequences", 1, 65536, "Sequences that a rollout replica runs at once, where the KV cache has room.", "vLLM max_num_seqs 256"), of(&PostTraining::rollout_batch))));
    table.push_back(when(flag_entry(about("/post_training/share_prompts", "Share prompts", "", 0, 0,
        "The answers to one prompt keep its KV cache once in the rollout.", "each its own: the cautious figure"), of(&PostTraining::share_prompts)), generates));
    table.push_back(when(flag_entry(about("/post_training/offload", "Offload", "", 0, 0,
        "The learner's weights, gradients and optimizer leave for host memory during the rollout.", "room for the KV cache"), of(&PostTraining::offload)), colocated));
}

} // namespace ridgepoint

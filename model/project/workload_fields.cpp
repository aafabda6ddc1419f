// Model and workload: what is to be trained or served.

#include <algorithm>

#include "model/project/field_builders.h"

namespace ridgepoint {
namespace {

constexpr const char* group = "Workload";

// Accessors: the member of the variant that the plan holds, or nothing.
template <typename T> auto of_training(T Training::*member)
{
    return [member](Plan& p) -> T* {
        auto* t = std::get_if<Training>(&p.workload);
        return t ? &(t->*member) : nullptr;
    };
}
template <typename T> auto of_serving(T Serving::*member)
{
    return [member](Plan& p) -> T* {
        auto* s = std::get_if<Serving>(&p.workload);
        return s ? &(s->*member) : nullptr;
    };
}
template <typename T> auto of_pool(T PromptPool::*member)
{
    return [member](Plan& p) -> T* {
        auto* s = std::get_if<Serving>(&p.workload);
        return s ? &(s->pool.*member) : nullptr;
    };
}
template <typename T> auto of_adapters(T ServedAdapters::*member)
{
    return [member](Plan& p) -> T* {
        auto* s = std::get_if<Serving>(&p.workload);
        return s ? &(s->adapters.*member) : nullptr;
    };
}
template <typename T> auto of_lora(T Lora::*member)
{
    return [member](Plan& p) -> T* {
        auto* t = std::get_if<Training>(&p.workload);
        return t ? &(t->lora.*member) : nullptr;
    };
}

bool is_lora(const Plan& p)
{
    const auto* t = std::get_if<Training>(&p.workload);
    return t != nullptr && t->kind == TrainingKind::lora;
}
bool has_phase(const Plan& p, std::initializer_list<ServingPhase> phases)
{
    const auto* s = std::get_if<Serving>(&p.workload);
    return s != nullptr && std::find(phases.begin(), phases.end(), s->phase) != phases.end();
}
bool decodes(const Plan& p) { return has_phase(p, {ServingPhase::decode, ServingPhase::serving}); }
bool prefills(const Plan& p) { return has_phase(p, {ServingPhase::prefill, ServingPhase::serving}); }
bool serves(const Plan& p) { return has_phase(p, {ServingPhase::serving}); }
bool samples(const Plan& p) { return decodes(p) && std::get<Serving>(p.workload).samples > 1; }
bool adapts(const Plan& p)
{
    const auto* s = std::get_if<Serving>(&p.workload);
    return s != nullptr && s->adapters.resident > 0;
}
bool serves_apart(const Plan& p) { return runs_prompts_apart(p.workload); }

FieldEntry when(FieldEntry entry, bool (*relevant)(const Plan&))
{
    entry.relevant = relevant;
    return entry;
}

// The kind decides which of the other fields exist, so it is set by switching the plan over.
FieldEntry kind_entry()
{
    PlanField f = field_of(group, {"/workload/kind", "Kind", "", 0, 0, "What is run: a kind of training or a phase of inference.", "example plan"});
    f.type = FieldType::choice;
    f.choices = {"pretraining", "fine_tuning", "lora", "prefill", "decode", "serving"};
    f.choice_labels = {"Pre-training", "Fine-tuning (all weights)", "Fine-tuning (LoRA)", "Prefill only", "Decode only", "Serving (prefill and decode)"};
    FieldEntry e;
    e.field = std::move(f);
    e.get = [](const Plan& p) -> std::optional<nlohmann::ordered_json> { return nlohmann::ordered_json(workload_kind(p)); };
    e.set = [](Plan& p, const nlohmann::json& j) {
        const std::string kind = j.get<std::string>();
        const Plan fresh = default_plan(kind);
        if (p.workload.index() != fresh.workload.index())
            p.workload = fresh.workload;
        if (auto* t = std::get_if<Training>(&p.workload))
            t->kind = std::get<Training>(fresh.workload).kind;
        if (auto* s = std::get_if<Serving>(&p.workload))
            s->phase = std::get<Serving>(fresh.workload).phase;
    };
    return e;
}

} // namespace

void add_workload_fields(std::vector<FieldEntry>& table)
{
    const auto about = [](const About& a) { return field_of(group, a); };
    table.push_back(kind_entry());

    table.push_back(whole_entry(about({"/workload/sequence_length", "Sequence length", "tokens", 1, 16'777'216,
        "Tokens of one training sequence.", "Llama 3 pre-trains at 8,192 [arXiv:2407.21783, table 3]", Scope::training}), of_training(&Training::sequence_length)));
    table.push_back(whole_entry(about({"/workload/global_batch", "Global batch", "sequences", 1, 10'000'000,
        "Sequences of one optimizer step over the whole cluster; a multiple of dp x micro batch.", "2 Mi tokens at 4,096", Scope::training}),
        of_training(&Training::global_batch)));
    table.push_back(number_entry(about({"/workload/tokens", "Tokens to train on", "tokens", 0, 1e18,
        "Length of the whole run; 0 asks for the step only.", "not set", Scope::training}), of_training(&Training::tokens)));
    table.push_back(flag_entry(about({"/workload/causal", "Causal attention", "", 0, 0,
        "A token sees only the tokens before it (every generative model).", "decoder-only models", Scope::training}), of_training(&Training::causal)));
    table.push_back(flag_entry(about({"/workload/dropout", "Dropout", "", 0, 0,
        "Keep the masks of hidden and attention dropout for the backward pass (GPT-3 era models).", "off since Llama", Scope::training}),
        of_training(&Training::dropout)));
    table.push_back(when(whole_entry(about({"/workload/lora/rank", "LoRA rank", "", 1, 8192,
        "Inner width of the trained adapters.", "16 of Hugging Face PEFT examples; Hu et al. 2021 use 4 to 64", Scope::training}), of_lora(&Lora::rank)), is_lora));
    table.push_back(when(flag_entry(about({"/workload/lora/attention", "LoRA on attention", "", 0, 0,
        "Adapters on the query, key, value and output projections.", "Hu et al. 2021, arXiv:2106.09685", Scope::training}), of_lora(&Lora::attention)), is_lora));
    table.push_back(when(flag_entry(about({"/workload/lora/mlp", "LoRA on the MLP", "", 0, 0,
        "Adapters on the MLP matrices.", "all linear layers, as QLoRA [arXiv:2305.14314]", Scope::training}), of_lora(&Lora::mlp)), is_lora));

    table.push_back(whole_entry(about({"/workload/input_length", "Prompt length", "tokens", 1, 16'777'216,
        "Prompt tokens of one request.", "1,024: common in published serving benchmarks", Scope::serving}), of_serving(&Serving::input_length)));
    table.push_back(when(whole_entry(about({"/workload/output_length", "Output length", "tokens", 1, 16'777'216,
        "New tokens of one request.", "1,024: common in published serving benchmarks", Scope::serving}), of_serving(&Serving::output_length)), decodes));
    table.push_back(when(whole_entry(about({"/workload/concurrency", "Concurrency", "sequences", 1, 1'000'000,
        "Sequences in flight on one replica of the model.", "a moderate load", Scope::serving}), of_serving(&Serving::concurrency)), decodes));
    table.push_back(when(whole_entry(about({"/workload/prefill_batch", "Prefill batch", "prompts", 1, 100'000,
        "Prompts processed together.", "one prompt at a time gives the lowest TTFT", Scope::serving}), of_serving(&Serving::prefill_batch)), prefills));
    table.push_back(when(whole_entry(about({"/workload/chunk", "Prefill chunk", "tokens", 0, 16'777'216,
        "Prompt tokens of one step of chunked prefill; 0 takes prompts whole.", "vLLM max_num_batched_tokens", Scope::serving}), of_serving(&Serving::chunk)), prefills));
    table.push_back(when(number_entry(about({"/workload/prefix_hit", "Prefix cache hit", "", 0, 0.999,
        "Share of the prompt tokens found in the prefix cache.", "no reuse assumed", Scope::serving}), of_serving(&Serving::prefix_hit)), prefills));
    table.push_back(when(flag_entry(about({"/workload/burst", "Burst", "", 0, 0,
        "All requests start together (offline batch): decode does not pay for the prefill of others.", "steady arrivals", Scope::serving}), of_serving(&Serving::burst)), serves));

    table.push_back(when(whole_entry(about({"/workload/samples", "Samples of a prompt", "sequences", 1, 65'536,
        "Answers sampled from one prompt, which is computed and cached once for all of them. A request is a prompt with all its answers; concurrency counts sequences.",
        "one answer to a prompt", Scope::serving}), of_serving(&Serving::samples)), decodes));
    table.push_back(when(flag_entry(about({"/workload/shared_reads", "Shared cache read once", "", 0, 0,
        "Decoding reads the cache of a shared prompt once for all its samples (cascade attention); off: once for each.",
        "off: engines do so in special cases only; Hydragen, arXiv:2402.05099, section 3.1", Scope::serving}), of_serving(&Serving::shared_reads)), samples));
    table.push_back(when(whole_entry(about({"/workload/thinking_length", "Thinking", "tokens", 0, 16'777'216,
        "Of the output: tokens before the first of the answer, which the reader waits for.", "the output is the answer", Scope::serving}), of_serving(&Serving::thinking_length)), decodes));
    table.push_back(whole_entry(about({"/workload/adapters/resident", "LoRA adapters resident", "", 0, 100'000,
        "Slots for adapters in GPU memory, which the KV cache does without; 0: none are served.", "vLLM max_loras; none", Scope::serving}), of_adapters(&ServedAdapters::resident)));
    table.push_back(when(whole_entry(about({"/workload/adapters/active", "Distinct in a batch", "", 1, 100'000,
        "Different adapters that the requests of one batch ask for; at most one for each.", "one", Scope::serving}), of_adapters(&ServedAdapters::active)), adapts));
    table.push_back(when(whole_entry(about({"/workload/adapters/rank", "Adapters' rank", "", 1, 8192,
        "Rank that every slot is sized for.", "vLLM max_lora_rank 16", Scope::serving}), of_adapters(&ServedAdapters::rank)), adapts));
    table.push_back(when(flag_entry(about({"/workload/adapters/attention", "Adapters on attention", "", 0, 0,
        "On the query, key, value and output projections.", "Hu et al. 2021, arXiv:2106.09685", Scope::serving}), of_adapters(&ServedAdapters::attention)), adapts));
    table.push_back(when(flag_entry(about({"/workload/adapters/mlp", "Adapters on the MLP", "", 0, 0,
        "On the MLP matrices, not on those of routed experts.", "all linear layers, as QLoRA [arXiv:2305.14314]", Scope::serving}), of_adapters(&ServedAdapters::mlp)), adapts));

    table.push_back(when(flag_entry(about({"/workload/prompt_pool/apart", "Prompts apart", "", 0, 0,
        "Prompts and decoding run on workers of their own (disaggregated serving). Layout and concurrency are those of one decoding worker.",
        "one pool does both", Scope::serving}), of_pool(&PromptPool::apart)), serves));
    table.push_back(when(whole_entry(about({"/workload/prompt_pool/workers", "Prompt workers", "", 1, 4096,
        "Workers that run prompts, beside the decoding workers of one unit.", "one", Scope::serving}), of_pool(&PromptPool::workers)), serves_apart));
    table.push_back(when(whole_entry(about({"/workload/prompt_pool/decode_workers", "Decoding workers", "", 1, 4096,
        "Workers that decode, of one unit.", "one", Scope::serving}), of_pool(&PromptPool::decode_workers)), serves_apart));
    table.push_back(when(whole_entry(about({"/workload/prompt_pool/tp", "Prompt workers' tp", "GPUs", 1, 1024,
        "Tensor parallelism of a prompt worker.", "one GPU", Scope::serving}), of_pool(&PromptPool::tp)), serves_apart));
    table.push_back(when(whole_entry(about({"/workload/prompt_pool/pp", "Prompt workers' pp", "stages", 1, 1024,
        "Pipeline stages of a prompt worker.", "one stage", Scope::serving}), of_pool(&PromptPool::pp)), serves_apart));
    table.push_back(when(whole_entry(about({"/workload/prompt_pool/ep", "Prompt workers' ep", "GPUs", 1, 1024,
        "Expert parallelism of a prompt worker; above 1 it replicates attention where the decoding workers do.", "experts cut like the rest", Scope::serving}), of_pool(&PromptPool::ep)), serves_apart));
    table.push_back(when(flag_entry(about({"/workload/prompt_pool/overlap", "Cache sent by layer", "", 0, 0,
        "A layer's cache leaves while the next layers compute; off: it is sent after the prompt.", "Splitwise, arXiv:2311.18677, section 4.3", Scope::serving}), of_pool(&PromptPool::overlap)), serves_apart));
}

} // namespace ridgepoint

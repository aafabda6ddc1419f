// Precision, and what is neither hardware nor layout.

#include "model/project/field_builders.h"
#include "model/project/precision_recipes.h"

namespace ridgepoint {
namespace {

// "recipe" leaves the choice to the recipe.
FieldEntry format_entry(const About& about, std::optional<NumberFormat> PrecisionChoice::*member, std::vector<NumberFormat> formats)
{
    FieldEntry e;
    e.field = field_of("Precision", about);
    e.field.type = FieldType::choice;
    e.field.choices = {"recipe"};
    e.field.choice_labels = {"As the recipe"};
    for (const NumberFormat f : formats) {
        e.field.choices.emplace_back(name_of(f));
        e.field.choice_labels.push_back(fmt::format("{} ({:.4g} B)", name_of(f), bytes_per_element(f)));
    }
    e.get = [member](const Plan& p) -> std::optional<nlohmann::ordered_json> {
        const std::optional<NumberFormat>& f = p.precision.*member;
        return nlohmann::ordered_json(f ? std::string(name_of(*f)) : std::string("recipe"));
    };
    e.set = [member](Plan& p, const nlohmann::json& j) { p.precision.*member = parse_number_format(j.get<std::string>()); };
    return e;
}

template <typename T> auto of_assumptions(T Assumptions::*member)
{
    return [member](Plan& p) -> T* { return &(p.assumptions.*member); };
}

void add_precision_fields(std::vector<FieldEntry>& table)
{
    std::vector<Choice<std::string>> recipes;
    for (const PrecisionRecipeInfo& r : precision_recipes())
        recipes.push_back({r.id, r.label, r.id});
    table.push_back(choice_entry<std::string>(field_of("Precision", {"/precision/recipe", "Recipe", "", 0, 0,
        "Arithmetic and number formats of the matrix products.", "bf16: the common base line"}), recipes, [](Plan& p) { return &p.precision.recipe; }));
    table.push_back(format_entry({"/precision/weights", "Weights", "", 0, 0, "Stored format of the weights, where it differs from the recipe's.", "the recipe", Scope::serving},
        &PrecisionChoice::weights, {NumberFormat::bf16, NumberFormat::fp8, NumberFormat::fp8_block, NumberFormat::mxfp8, NumberFormat::int8, NumberFormat::int4,
            NumberFormat::mxfp4, NumberFormat::nvfp4}));
    table.push_back(format_entry({"/precision/kv_cache", "KV cache", "", 0, 0, "Stored format of keys and values.", "the recipe", Scope::serving},
        &PrecisionChoice::kv_cache, {NumberFormat::bf16, NumberFormat::fp8, NumberFormat::int8, NumberFormat::nvfp4}));
    table.push_back(format_entry({"/precision/gradients", "Gradients", "", 0, 0,
        "Format in which gradients are summed and reduced (grad_reduce_in_fp32 of Megatron-Core). bf16 halves their buffer.", "fp32; NVIDIA's performance recipes take bf16", Scope::training},
        &PrecisionChoice::gradients, {NumberFormat::fp32, NumberFormat::bf16}));
}

} // namespace

void add_assumption_fields(std::vector<FieldEntry>& table)
{
    add_precision_fields(table);
    const auto about = [](const About& a) { return field_of("Assumptions", a); };
    table.push_back(choice_entry<Framework>(about({"/assumptions/framework", "Framework", "", 0, 0,
        "Software whose kernels and memory layout are assumed.", "Megatron for training, vLLM for serving"}),
        {{"megatron", "Megatron-Core", Framework::megatron}, {"fsdp", "PyTorch FSDP2 (torchtitan)", Framework::fsdp},
            {"deepspeed", "Megatron-DeepSpeed", Framework::deepspeed}, {"vllm", "vLLM", Framework::vllm}, {"sglang", "SGLang", Framework::sglang},
            {"tensorrt_llm", "TensorRT-LLM", Framework::tensorrt_llm}},
        of_assumptions(&Assumptions::framework)));
    table.push_back(choice_entry<FlopConvention>(about({"/assumptions/convention", "FLOP convention", "", 0, 0,
        "What counts as useful work in the MFU.", "every product at its true cost", Scope::training}),
        {{"six_n", "6N", FlopConvention::six_n}, {"six_n_full_attention", "6N + full attention (PaLM, torchtitan)", FlopConvention::six_n_full_attention},
            {"six_n_causal_attention", "6N + causal attention (Megatron)", FlopConvention::six_n_causal_attention},
            {"model_exact", "Model FLOPs, exact", FlopConvention::model_exact}, {"hardware", "Hardware FLOPs (HFU)", FlopConvention::hardware}},
        of_assumptions(&Assumptions::convention)));
    table.push_back(number_entry(about({"/assumptions/moe_imbalance", "Expert imbalance", "", 1, 100,
        "Tokens of the busiest expert rank over the mean.", "1: forced balance, as in published benchmarks"}), of_assumptions(&Assumptions::moe_imbalance)));
    table.push_back(number_entry(about({"/assumptions/runtime_reserve_gib", "Runtime reserve", "GiB", 0, 1000,
        "Memory of the CUDA context and of the communication libraries on each GPU.", "context 0.5 + NCCL buffers about 1"}),
        of_assumptions(&Assumptions::runtime_reserve), 1073741824.0));
    table.push_back(number_entry(about({"/assumptions/fragmentation", "Fragmentation", "", 0, 0.5,
        "Memory that the allocator cannot use, relative to what is allocated.", "4 to 8 % in measured runs; SimuMax reserves 6 %", Scope::training}),
        of_assumptions(&Assumptions::fragmentation)));
    table.push_back(number_entry(about({"/assumptions/memory_fraction", "Memory fraction", "", 0.05, 1,
        "Share of the visible memory that the serving engine may take.", "vLLM gpu_memory_utilization 0.9", Scope::serving}),
        of_assumptions(&Assumptions::memory_fraction)));
    table.push_back(number_entry(about({"/assumptions/straggler", "Straggler spread", "", 0, 1,
        "Relative spread s of node speed: the slowest of N nodes costs 1 + s sqrt(2 ln N).", "fit to published runs of 1 to 1,024 nodes", Scope::training}),
        of_assumptions(&Assumptions::straggler)));
    table.push_back(number_entry(about({"/assumptions/host_per_launch_us", "Host time per launch", "us", 0, 10'000,
        "Host time to submit one operator eagerly; hidden while the GPU is busy.", "PyTorch eager: 4 to 10 us", Scope::training}),
        of_assumptions(&Assumptions::host_per_launch), 1e-6));
    table.push_back(number_entry(about({"/assumptions/host_per_moe_layer_ms", "Host time per MoE layer", "ms", 0, 1'000,
        "Host time to read the router's counts and launch the experts of one layer forward (twice that backward), eager; 0 with fixed shapes (token drop).",
        "fit to published runs of mixtures of experts", Scope::training}),
        of_assumptions(&Assumptions::host_per_moe_layer), 1e-3));
    table.push_back(flag_entry(about({"/assumptions/compiled", "Compiled", "", 0, 0,
        "torch.compile fuses element-wise operators; only FSDP asks.", "on", Scope::training}), of_assumptions(&Assumptions::compiled)));
    table.push_back(number_entry(about({"/assumptions/host_per_step_ms", "Host time per step", "ms", 0, 10'000,
        "Host time per step beside what the engine itself takes (specs/efficiency/serving.json).", "none beside the engine's own", Scope::serving}),
        of_assumptions(&Assumptions::host_per_step), 1e-3));
    table.push_back(number_entry(about({"/assumptions/host_per_request_us", "Host time per request", "us", 0, 100'000,
        "Host time per sequence and step beside what the engine itself takes.", "none beside the engine's own", Scope::serving}),
        of_assumptions(&Assumptions::host_per_request), 1e-6));
    table.push_back(number_entry(about({"/assumptions/speculative_acceptance", "Speculative acceptance", "", 0, 0.999,
        "Chance that a drafted token is kept.", "no speculation; Leviathan 2023, equation 1", Scope::serving}), of_assumptions(&Assumptions::speculative_acceptance)));
    table.push_back(whole_entry(about({"/assumptions/speculative_tokens", "Drafted tokens", "tokens", 0, 64,
        "Tokens drafted per step; 0 turns speculation off.", "no speculation", Scope::serving}), of_assumptions(&Assumptions::speculative_tokens)));
}

} // namespace ridgepoint

#include "model/project/precision_recipes.h"

#include <algorithm>

#include <fmt/format.h>

namespace ridgepoint {
namespace {

Error wrong_recipe(const std::string& message, const std::string& found, bool serving)
{
    std::string known;
    for (const PrecisionRecipeInfo& r : precision_recipes())
        if (serving ? r.serving : r.training)
            known += (known.empty() ? "" : ", ") + std::string(r.id);
    return bad_input(message, Place{{}, 0, "/precision/recipe"}, found, "one of " + known);
}

// Training keeps bf16 weights beside the fp32 master [Micikevicius 2018, arXiv:1710.03740]; Megatron accumulates and
// reduces gradients in fp32; FSDP2 keeps the fp32 master alone (4 + 8 bytes) and gathers bf16 copies of it.
PrecisionRecipe training_base(Framework framework)
{
    PrecisionRecipe r;
    r.optimizer_bytes = framework == Framework::fsdp ? 8.0 : 12.0;
    return r;
}

PrecisionRecipe training_recipe(const std::string& id, Framework framework)
{
    PrecisionRecipe r = training_base(framework);
    const auto low = [&](Arithmetic arithmetic, NumberFormat format) {
        r.gemm = arithmetic; // linear layers only: attention and the LM head stay in bf16 in every published recipe
        r.weights = r.activations = r.expert_weights = format;
    };
    if (id == "fp8")
        low(Arithmetic::fp8, NumberFormat::fp8);
    else if (id == "fp8_block") {
        low(Arithmetic::fp8, NumberFormat::fp8_block);
        r.dispatch = NumberFormat::mxfp8; // FP8 with one fp32 scale per 128 elements: 1 + 4/128 B, as many as mxfp8
    } else if (id == "mxfp8")
        low(Arithmetic::fp8, NumberFormat::mxfp8);
    else if (id == "nvfp4")
        low(Arithmetic::fp4, NumberFormat::nvfp4);
    else if (id == "w4a16")
        r.weights = r.expert_weights = NumberFormat::int4;
    return r;
}

PrecisionRecipe serving_recipe(const std::string& id, const Transformer& model)
{
    PrecisionRecipe r;
    const auto both = [&](Arithmetic arithmetic, NumberFormat format) {
        r.gemm = arithmetic;
        r.weights = r.activations = r.expert_weights = format;
    };
    if (id == "fp8") {
        both(Arithmetic::fp8, NumberFormat::fp8);
        r.dispatch = NumberFormat::fp8;
    } else if (id == "fp8_block") {
        both(Arithmetic::fp8, NumberFormat::fp8_block);
        r.dispatch = NumberFormat::mxfp8; // see above
    } else if (id == "mxfp8") {
        both(Arithmetic::fp8, NumberFormat::mxfp8);
        r.dispatch = NumberFormat::mxfp8;
    } else if (id == "int8") {
        both(Arithmetic::int8, NumberFormat::int8);
    } else if (id == "w4a16") {
        r.weights = r.expert_weights = NumberFormat::int4;
    } else if (id == "mxfp4") {
        // gpt-oss keeps everything but the experts in bf16; kernels multiply in bf16 after unpacking, or without on GPUs
        // that have FP4 units (resolve_precision).
        r.expert_weights = NumberFormat::mxfp4;
        if (!model.is_moe())
            r.weights = NumberFormat::mxfp4;
    } else if (id == "nvfp4") {
        both(Arithmetic::fp4, NumberFormat::nvfp4);
        r.dispatch = NumberFormat::fp8;
        r.kv_cache = NumberFormat::fp8;
    }
    // 4-bit checkpoints of DeepSeek and Kimi models keep self-attention in bf16 (nvidia/DeepSeek-R1-NVFP4 and
    // moonshotai/Kimi-K2.5, quantization_config: "ignore").
    const bool latent = std::any_of(model.kinds.begin(), model.kinds.end(), [](const LayerKind& k) { return !k.attention_free && k.attention.kind == AttentionKind::latent; });
    r.plain_attention = model.is_moe() && latent && bytes_per_element(r.weights) < 1.0;
    return r;
}

Status check_units(const std::string& id, const PrecisionRecipe& r, const Accelerator& gpu, bool serving)
{
    const auto refuse = [&](std::string message) {
        const char* hint = !serving ? "Choose the bf16 recipe"
            : gpu.supports(Arithmetic::fp8) ? "Choose fp8, or w4a16 for smaller weights"
            : gpu.supports(Arithmetic::int8) ? "Choose bf16, int8, or w4a16 (weights in 4 bits, arithmetic in bf16)"
                                             : "Choose bf16, or w4a16 (weights in 4 bits, arithmetic in bf16)";
        Error e = infeasible(std::move(message), hint);
        e.place.pointer = "/precision/recipe";
        e.found = id;
        return e;
    };
    if (!gpu.supports(r.gemm))
        return refuse(fmt::format("{} has no {} tensor cores", gpu.name, name_of(r.gemm)));
    if (id == "mxfp8" && gpu.architecture != Architecture::blackwell)
        return refuse(fmt::format("{} has no block-scaled (MX) tensor cores", gpu.name));
    return Done{};
}

} // namespace

const std::vector<PrecisionRecipeInfo>& precision_recipes()
{
    static const std::vector<PrecisionRecipeInfo> recipes = {
        {"bf16", "BF16", true, true, "mixed precision, fp32 master weights [Micikevicius 2018]"},
        {"fp16", "FP16", true, true, "mixed precision with loss scaling [Micikevicius 2018]; peaks and bytes as bf16"},
        {"fp8", "FP8, one scale per tensor", true, true, "Transformer Engine delayed or current scaling; vLLM and ModelOpt FP8 checkpoints"},
        {"fp8_block", "FP8, scale per block", true, true, "DeepSeek-V3 [arXiv:2412.19437, section 3.3]: 128x128 weights, 1x128 activations, FP8 dispatch"},
        {"mxfp8", "MXFP8", true, true, "Transformer Engine on Blackwell; OCP MX 1.0: a scale per 32 elements"},
        {"nvfp4", "NVFP4", true, true, "training: arXiv:2509.25149; serving: ModelOpt NVFP4 checkpoints (FP8 KV cache)"},
        {"int8", "INT8 (W8A8)", false, true, "SmoothQuant [arXiv:2211.10438]"},
        {"w4a16", "INT4 weights, BF16 arithmetic", true, true, "AWQ [arXiv:2306.00978], GPTQ; training: QLoRA's frozen weights [arXiv:2305.14314]"},
        {"mxfp4", "MXFP4 experts, BF16 arithmetic", false, true, "gpt-oss model card: MXFP4 experts, the rest bf16"},
    };
    return recipes;
}

Expected<PrecisionRecipe> resolve_precision(const Plan& plan, const Transformer& model, const Accelerator& gpu)
{
    const std::string& id = plan.precision.recipe;
    const auto* training = std::get_if<Training>(&plan.workload);
    const PrecisionRecipeInfo* info = nullptr;
    for (const PrecisionRecipeInfo& r : precision_recipes())
        if (id == r.id)
            info = &r;
    if (info == nullptr)
        return wrong_recipe("no precision recipe of this name", id, training == nullptr);
    if (training != nullptr ? !info->training : !info->serving)
        return wrong_recipe(fmt::format("the {} recipe is not for {}", id, training ? "training" : "serving"), id, training == nullptr);
    if (training != nullptr && id == "w4a16" && training->kind != TrainingKind::lora)
        return wrong_recipe("4-bit weights can only be trained around (LoRA), not trained", id, false);

    PrecisionRecipe r = training ? training_recipe(id, plan.assumptions.framework) : serving_recipe(id, model);
    if (Status s = check_units(id, r, gpu, training == nullptr); !s)
        return s.error();
    if (training == nullptr) {
        // MXFP4 weights x MXFP8 activations [NVIDIA TensorRT-LLM, examples/models/core/gpt_oss: W4A8_MXFP4_MXFP8 on Blackwell].
        r.native_fp4_experts = id == "mxfp4" && model.is_moe() && gpu.supports(Arithmetic::fp4);
        if (plan.precision.weights) // stored smaller than the recipe; the arithmetic stays
            r.weights = r.expert_weights = *plan.precision.weights;
        if (plan.precision.kv_cache)
            r.kv_cache = *plan.precision.kv_cache;
    } else if (plan.precision.gradients)
        r.gradients = r.gradient_reduce = *plan.precision.gradients;
    return r;
}

} // namespace ridgepoint

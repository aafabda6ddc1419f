// The laws with the shipped constants against the measurements they were fitted to: a mistake in either shows here. The
// bounds are loose on purpose; the figures are printed.

#include <filesystem>

#include <gtest/gtest.h>

#include "model/kernels/kernels.h"
#include "model/kernels/routed_load.h"
#include "tests/model/kernels/gpus.h"
#include "tests/model/kernels/measurements.h"

namespace ridgepoint {
namespace {

using test::Comparison;
using test::Table;

class Measured : public testing::Test {
protected:
    void SetUp() override
    {
        if (!std::filesystem::exists(directory()))
            GTEST_SKIP() << "no measurements at " << directory();
    }
    static std::string directory() { return std::string(RIDGEPOINT_SHARED_DIR) + "/reference/measurements"; }
    static std::string gpu_of(const std::string& system) { return system.substr(0, system.find('_')); }
    static void judge(const Comparison& c, double median, double p90)
    {
        c.print();
        for (const std::string& s : c.strata()) {
            EXPECT_LT(c.median(s), median) << s;
            EXPECT_LT(c.quantile(s, 0.9), p90) << s;
        }
    }
};

TEST_F(Measured, Gemm)
{
    const Table t = Table::read(directory() + "/gemm.csv");
    std::map<std::string, KernelConstants> constants;
    Comparison c;
    for (std::size_t i = 0; i < t.rows(); ++i) {
        const std::string id = gpu_of(t.text(i, "system"));
        const std::string software = t.text(i, "source_tool").starts_with("vllm") ? "vllm" : "tensorrt-llm";
        const std::string key = id + " " + software;
        if (!constants.contains(key))
            constants[key] = test::kernel_constants(id, software);
        GemmShape s;
        s.m = t.number(i, "m");
        s.n = t.number(i, "n");
        s.k = t.number(i, "k");
        const std::string& type = t.text(i, "gemm_dtype");
        if (type != "bfloat16") {
            s.quantize_a = true;
            s.arithmetic = type == "nvfp4" ? Arithmetic::fp4 : Arithmetic::fp8;
            s.a = type == "nvfp4" ? NumberFormat::nvfp4 : NumberFormat::fp8;
            s.b = type == "nvfp4" ? NumberFormat::nvfp4 : type == "fp8" ? NumberFormat::fp8 : NumberFormat::fp8_block;
        }
        c.add(key + " " + type, gemm_time(s, test::gpu(id), constants[key]).total().value() * 1e6,
            t.number(i, "latency_us"));
    }
    judge(c, 0.12, 0.35);
}

TEST_F(Measured, ExpertLayer)
{
    const Table t = Table::read(directory() + "/moe_gemm.csv");
    std::map<std::string, KernelConstants> constants;
    Comparison c;
    for (std::size_t i = 0; i < t.rows(); ++i) {
        const std::string id = gpu_of(t.text(i, "system"));
        if (!constants.contains(id))
            constants[id] = test::kernel_constants(id, "vllm");
        ExpertLayerShape s;
        s.tokens = t.number(i, "num_tokens");
        s.hidden = t.number(i, "hidden_size");
        s.inter = t.number(i, "inter_size") / t.number(i, "moe_tp_size");
        s.top_k = t.number(i, "topk");
        s.experts = t.number(i, "num_experts");
        s.expert_parallel = t.number(i, "moe_ep_size");
        s.masked = true;
        s.gated = s.experts != 512; // Nemotron's experts have one up projection
        const bool balanced = t.text(i, "distribution") == "balanced";
        const RoutedLoad load = balanced ? balanced_load(s.tokens, s.experts, s.top_k, s.expert_parallel)
                                         : power_law_load(s.tokens, s.experts, s.top_k, s.expert_parallel, 1.2);
        s.rows = load.rows;
        s.touched = load.touched;
        // DeepSeek-V3's router keeps 4 of the 8 experts that balanced logits favour, one in each of its groups; the other 4
        // are ties, the same for all tokens and all on the first GPU.
        if (balanced && s.experts == 256 && s.hidden == 7168) {
            const double real = std::min(4.0, 8.0 / s.expert_parallel);
            s.rows = s.tokens * (real + 4.0);
            s.touched = std::min(1.0, (real * std::min(s.tokens, 32.0) + 4.0) * s.expert_parallel / s.experts);
        }
        const std::string& type = t.text(i, "moe_dtype");
        if (type == "fp8_block" || type == "nvfp4") {
            s.quantize_a = true;
            s.arithmetic = type == "nvfp4" ? Arithmetic::fp4 : Arithmetic::fp8;
            s.a = type == "nvfp4" ? NumberFormat::nvfp4 : NumberFormat::fp8;
            s.b = type == "nvfp4" ? NumberFormat::nvfp4 : NumberFormat::fp8_block;
        } else if (type == "w4a16_mxfp4")
            s.b = NumberFormat::mxfp4;
        c.add(id + (balanced ? " experts " : " experts, skewed, ") + type,
            expert_layer_time(s, test::gpu(id), constants[id]).total().value() * 1e6, t.number(i, "latency_us"));
    }
    judge(c, 0.2, 0.5);
}

TEST_F(Measured, AttentionPrefill)
{
    const Table t = Table::read(directory() + "/attention_prefill.csv");
    std::map<std::string, KernelConstants> constants;
    Comparison c;
    for (std::size_t i = 0; i < t.rows(); ++i) {
        const std::string id = gpu_of(t.text(i, "system"));
        if (!constants.contains(id))
            constants[id] = test::kernel_constants(id);
        AttentionShape s;
        s.sequences = t.number(i, "batch_size");
        s.query_heads = t.number(i, "num_heads");
        s.kv_heads = t.number(i, "num_key_value_heads");
        s.qk_dim = s.v_dim = t.number(i, "head_dim");
        s.queries = t.number(i, "isl");
        s.keys = t.number(i, "isl") + t.number(i, "step");
        s.kv = t.text(i, "kv_cache_dtype") == "fp8" ? NumberFormat::fp8 : NumberFormat::bf16;
        c.add(id + " cache " + t.text(i, "kv_cache_dtype"),
            attention_time(s, test::gpu(id), constants[id]).total().value() * 1e6, t.number(i, "latency_us"));
    }
    judge(c, 0.12, 0.3);
}

TEST_F(Measured, AttentionDecode)
{
    std::map<std::string, KernelConstants> constants;
    for (bool latent : {false, true}) {
        const Table t = Table::read(directory() + (latent ? "/mla_decode.csv" : "/attention_decode.csv"));
        Comparison c;
        for (std::size_t i = 0; i < t.rows(); ++i) {
            const std::string id = gpu_of(t.text(i, "system"));
            if (!constants.contains(id))
                constants[id] = test::kernel_constants(id);
            AttentionShape s;
            s.sequences = t.number(i, "batch_size");
            s.query_heads = t.number(i, "num_heads");
            s.queries = 1;
            s.keys = t.number(i, "kv_len");
            s.kv = t.text(i, "kv_cache_dtype") == "fp8" ? NumberFormat::fp8 : NumberFormat::bf16;
            s.latent = latent;
            s.cached = true; // the loop reads one cache again and again
            if (latent) {
                s.kv_heads = 1;
                s.qk_dim = 576;
                s.v_dim = 512;
            } else {
                s.kv_heads = t.number(i, "num_key_value_heads");
                s.qk_dim = s.v_dim = t.number(i, "head_dim");
            }
            c.add(id + (latent ? " latent " : " ") + t.text(i, "kv_cache_dtype"),
                attention_time(s, test::gpu(id), constants[id]).total().value() * 1e6, t.number(i, "latency_us"));
        }
        judge(c, 0.1, 0.3);
    }
}

} // namespace
} // namespace ridgepoint

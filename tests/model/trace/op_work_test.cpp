#include <gtest/gtest.h>

#include "model/trace/format.h"
#include "model/trace/op_work.h"
#include "model/trace/queries.h"

namespace ridgepoint {
namespace {

OpWork work(std::string_view op, std::string_view dims, std::string_view types, std::string_view concrete = "")
{
    const OpRule* rule = op_rule(op);
    return rule ? work_of(*rule, dims, types, concrete) : OpWork{};
}

TEST(OpWork, MatrixProducts)
{
    const auto mm = work("aten::mm", "[[64, 128], [128, 32]]", R"(["float", "float"])");
    EXPECT_DOUBLE_EQ(mm.work.flops, 2.0 * 64 * 128 * 32);
    EXPECT_DOUBLE_EQ(mm.work.bytes, 4.0 * (64 * 128 + 128 * 32 + 64 * 32));
    const auto addmm = work("aten::addmm", "[[768], [4, 768], [768, 768], [], []]", R"(["c10::BFloat16", "c10::BFloat16", "c10::BFloat16", "Scalar", "Scalar"])");
    EXPECT_DOUBLE_EQ(addmm.work.flops, 2.0 * 4 * 768 * 768);
    EXPECT_DOUBLE_EQ(addmm.work.bytes, 2.0 * (4 * 768 + 768 * 768 + 4 * 768 + 768));
    const auto bmm = work("aten::bmm", "[[12, 5, 7], [12, 7, 3]]", R"(["c10::Half", "c10::Half"])");
    EXPECT_DOUBLE_EQ(bmm.work.flops, 2.0 * 12 * 5 * 7 * 3);
    const auto linear = work("aten::linear", "[[2, 3, 64], [32, 64], []]", R"(["float", "float", ""])");
    EXPECT_DOUBLE_EQ(linear.work.flops, 2.0 * 6 * 64 * 32);
    EXPECT_FALSE(work("aten::mm", "[[64, 128], [127, 32]]", R"(["float", "float"])").work.known);
    EXPECT_EQ(work("aten::mm", "", "").gap, WorkGap::no_shapes);
}

// [4, 3, 224, 224] with [768, 3, 16, 16] at stride 16: 14 x 14 patches of 768 outputs, 3*16*16 multiply-adds each.
TEST(OpWork, Convolution)
{
    const auto c = work("aten::convolution", "[[4, 3, 224, 224], [768, 3, 16, 16], [768], [], [], [], [], [], []]", R"(["float", "float", "float"])",
        R"(["", "", "", "[16, 16]", "[0, 0]", "[1, 1]", "False", "[0, 0]", "1"])");
    EXPECT_DOUBLE_EQ(c.work.flops, 2.0 * 4 * 14 * 14 * 768 * 3 * 16 * 16);
    const auto b = work("aten::convolution_backward", "[[4, 768, 14, 14], [4, 3, 224, 224], [768, 3, 16, 16]]", R"(["float", "float", "float"])",
        R"(["", "", "", "[768]", "[16, 16]", "[0, 0]", "[1, 1]", "False", "[0, 0]", "1", "[True, True, True]"])");
    EXPECT_DOUBLE_EQ(b.work.flops, 2 * c.work.flops);
    const auto weight_only = work("aten::convolution_backward", "[[4, 768, 14, 14], [4, 3, 224, 224], [768, 3, 16, 16]]", R"(["float", "float", "float"])",
        R"(["", "", "", "[768]", "[16, 16]", "[0, 0]", "[1, 1]", "False", "[0, 0]", "1", "[False, True, True]"])");
    EXPECT_DOUBLE_EQ(weight_only.work.flops, c.work.flops);
    EXPECT_EQ(work("aten::convolution", "[[4, 3, 224, 224], [768, 3, 16, 16]]", R"(["float", "float"])").gap, WorkGap::no_convolution_arguments);
}

TEST(OpWork, Attention)
{
    const char* types = R"(["c10::BFloat16", "c10::BFloat16", "c10::BFloat16"])";
    const auto full = work("aten::_scaled_dot_product_flash_attention", "[[2, 8, 128, 64], [2, 8, 128, 64], [2, 8, 128, 64]]", types, R"(["", "", "", "0.", "False", "False", ""])");
    EXPECT_DOUBLE_EQ(full.work.flops, 4.0 * 2 * 8 * 128 * 128 * 64);
    EXPECT_DOUBLE_EQ(full.work.bytes, 2.0 * 4 * 2 * 8 * 128 * 64);
    const auto causal = work("aten::_scaled_dot_product_flash_attention", "[[2, 8, 128, 64], [2, 8, 128, 64], [2, 8, 128, 64]]", types, R"(["", "", "", "0.", "True", "False", ""])");
    EXPECT_DOUBLE_EQ(causal.work.flops, full.work.flops / 2);
    // One query against a cache sees all keys, causal or not.
    const auto decode = work("aten::_scaled_dot_product_flash_attention", "[[2, 8, 1, 64], [2, 8, 128, 64], [2, 8, 128, 64]]", types, R"(["", "", "", "0.", "True", "False", ""])");
    EXPECT_DOUBLE_EQ(decode.work.flops, 4.0 * 2 * 8 * 128 * 64);
    EXPECT_EQ(work("aten::_scaled_dot_product_flash_attention", "[[2, 8, 128, 64], [2, 8, 128, 64], [2, 8, 128, 64]]", types).gap, WorkGap::no_causal_flag);
    EXPECT_EQ(work("flash_attn::_flash_attn_varlen_forward", "[[512, 8, 64], [512, 8, 64], [512, 8, 64]]", types).gap, WorkGap::data_dependent);
}

// FP8 products write the type that their arguments name: bf16 (15) without one, float (6) here.
TEST(OpWork, ScaledProducts)
{
    const char* types = R"(["c10::Float8_e4m3fn", "c10::Float8_e4m3fn", "float", "float", "", "", "Scalar", "Scalar"])";
    const auto bf16 = work("aten::_scaled_mm", "[[64, 128], [128, 32], [], [], [], [], [], []]", types, R"(["", "", "", "", "", "", "15", "True"])");
    EXPECT_DOUBLE_EQ(bf16.work.flops, 2.0 * 64 * 128 * 32);
    EXPECT_DOUBLE_EQ(bf16.work.bytes, 64 * 128 + 128 * 32 + 2.0 * 64 * 32);
    const auto fp32 = work("aten::_scaled_mm", "[[64, 128], [128, 32], [], [], [], [], [], []]", types, R"(["", "", "", "", "", "", "6", "True"])");
    EXPECT_DOUBLE_EQ(fp32.work.bytes, 64 * 128 + 128 * 32 + 4.0 * 64 * 32);
    // Two FP4 numbers in an element: the recorded 64 columns are 128.
    const auto fp4 = work("aten::_scaled_mm", "[[64, 64], [64, 32]]", R"(["c10::Float4_e2m1fn_x2", "c10::Float4_e2m1fn_x2"])");
    EXPECT_DOUBLE_EQ(fp4.work.flops, 2.0 * 64 * 128 * 32);
    EXPECT_DOUBLE_EQ(fp4.work.bytes, 64 * 64 + 64 * 32 + 2.0 * 64 * 32);
    const auto out_first = work("_C::cutlass_scaled_mm", "[[64, 32], [64, 128], [128, 32]]", R"(["c10::BFloat16", "c10::Float8_e4m3fn", "c10::Float8_e4m3fn"])");
    EXPECT_DOUBLE_EQ(out_first.work.flops, bf16.work.flops);
    EXPECT_DOUBLE_EQ(out_first.work.bytes, bf16.work.bytes);
    const auto integer = work("aten::_int_mm", "[[64, 128], [128, 32]]", R"(["signed char", "signed char"])");
    EXPECT_DOUBLE_EQ(integer.work.bytes, 64 * 128 + 128 * 32 + 4.0 * 64 * 32);
}

// 8-bit weights move at one byte, whatever the type of the product.
TEST(OpWork, WeightsOfAnotherType)
{
    const auto w = work("aten::_weight_int8pack_mm", "[[4, 64], [32, 64], [32]]", R"(["c10::BFloat16", "signed char", "c10::BFloat16"])");
    EXPECT_DOUBLE_EQ(w.work.flops, 2.0 * 4 * 64 * 32);
    EXPECT_DOUBLE_EQ(w.work.bytes, 2.0 * (4 * 64 + 4 * 32 + 32) + 32 * 64);
}

TEST(OpWork, BatchedAndGroupedProducts)
{
    const char* types = R"(["float", "float", "float"])";
    const auto batch = work("aten::baddbmm", "[[12, 5, 3], [12, 5, 7], [12, 7, 3]]", types);
    EXPECT_DOUBLE_EQ(batch.work.flops, 2.0 * 12 * 5 * 7 * 3);
    EXPECT_DOUBLE_EQ(batch.work.bytes, 4.0 * 12 * (5 * 7 + 7 * 3 + 2 * 5 * 3));
    // The sum over the batch is one matrix.
    const auto summed = work("aten::addbmm", "[[5, 3], [12, 5, 7], [12, 7, 3]]", types);
    EXPECT_DOUBLE_EQ(summed.work.flops, batch.work.flops);
    EXPECT_DOUBLE_EQ(summed.work.bytes, 4.0 * (12 * (5 * 7 + 7 * 3) + 2 * 5 * 3));
    const char* half = R"(["c10::BFloat16", "c10::BFloat16", "int"])";
    const auto equal = work("aten::_grouped_mm", "[[8, 16, 64], [8, 64, 32], []]", half);
    EXPECT_DOUBLE_EQ(equal.work.flops, 2.0 * 8 * 16 * 64 * 32);
    EXPECT_EQ(work("aten::_grouped_mm", "[[128, 64], [8, 64, 32], [8]]", half).gap, WorkGap::data_dependent);
    EXPECT_EQ(work("aten::_scaled_grouped_mm", "[[128, 64], [8, 64, 32], [], [], [8]]", half).gap, WorkGap::data_dependent);
}

// 6 indices into a table of 4 rows read at most those 4, and write 6.
TEST(OpWork, EmbeddingsMoveBytesOnly)
{
    const auto few = work("aten::embedding", "[[1000, 64], [2, 3], [], [], []]", R"(["float", "long int", "Scalar", "Scalar", "Scalar"])");
    EXPECT_TRUE(few.work.known);
    EXPECT_EQ(few.work.flops, 0);
    EXPECT_DOUBLE_EQ(few.work.bytes, 4.0 * 64 * (6 + 6) + 8 * 6);
    const auto small = work("aten::embedding", "[[4, 64], [2, 3]]", R"(["float", "long int"])");
    EXPECT_DOUBLE_EQ(small.work.bytes, 4.0 * 64 * (4 + 6) + 8 * 6);
}

// [2, 8, 5, 5] with [8, 4, 3, 3] transposed at stride 2: every input element meets 4 * 3 * 3 weights.
TEST(OpWork, TransposedConvolutionsAndTheGradientsOf2021)
{
    const auto t = work("aten::cudnn_convolution_transpose", "[[2, 8, 5, 5], [8, 4, 3, 3]]", R"(["float", "float"])",
        R"(["", "", "[0, 0]", "[0, 0]", "[2, 2]", "[1, 1]", "1"])");
    EXPECT_DOUBLE_EQ(t.work.flops, 2.0 * 2 * 8 * 5 * 5 * 4 * 3 * 3);
    // Out: (5 - 1) * 2 + 3 = 11 a side.
    EXPECT_DOUBLE_EQ(t.work.bytes, 4.0 * (2 * 8 * 5 * 5 + 8 * 4 * 3 * 3 + 2 * 4 * 11 * 11));
    // A forward pass of 2 * 14 * 14 * 64 outputs, 32 * 3 * 3 each: as much again for the weight's gradient.
    const auto w = work("aten::cudnn_convolution_backward_weight", "[[], [2, 64, 14, 14], [2, 32, 14, 14]]", R"(["", "float", "float"])", R"(["[64, 32, 3, 3]", "", ""])");
    EXPECT_DOUBLE_EQ(w.work.flops, 2.0 * 2 * 14 * 14 * 64 * 32 * 3 * 3);
    EXPECT_EQ(work("aten::cudnn_convolution_backward_weight", "[[], [2, 64, 14, 14], [2, 32, 14, 14]]", R"(["", "float", "float"])").gap, WorkGap::no_convolution_arguments);
    const auto d = work("aten::_conv_depthwise2d", "[[2, 32, 14, 14], [32, 1, 3, 3]]", R"(["float", "float"])", R"(["", "", "[3, 3]", "", "[1, 1]", "[1, 1]", "[1, 1]"])");
    EXPECT_DOUBLE_EQ(d.work.flops, 2.0 * 2 * 32 * 14 * 14 * 3 * 3);
}

// FlashAttention-3: [B, S, H, D]; causal is argument 24, sequences packed or paged are data.
TEST(OpWork, FlashAttention3)
{
    std::string dims = "[[2, 128, 8, 64], [2, 128, 8, 64], [2, 128, 8, 64]";
    std::string values = R"(["", "", "")";
    for (int i = 3; i < 26; ++i) {
        dims += ", []";
        values += i == 24 ? R"(, "True")" : i == 25 ? R"(, "-1")" : R"(, "")";
    }
    const char* types = R"(["c10::BFloat16", "c10::BFloat16", "c10::BFloat16"])";
    const auto causal = work("flash_attn_3::fwd", dims + "]", types, values + "]");
    EXPECT_DOUBLE_EQ(causal.work.flops, 4.0 * 2 * 8 * 128 * 128 * 64 / 2);
    std::string paged = dims;
    for (std::size_t at = 0, i = 0; i < 12; ++i) // the twelfth empty one is argument 14
        if (at = paged.find("[]", at) + 1; i == 11)
            paged.insert(at, "64, 8");
    EXPECT_EQ(work("flash_attn_3::fwd", paged + "]", types, values + "]").gap, WorkGap::data_dependent);
    EXPECT_EQ(work("vllm::unified_attention_with_output", "[[512, 8, 64], [512, 8, 64], [512, 8, 64], [512, 8, 64]]", types).gap, WorkGap::data_dependent);
    // Backward is two and a half times the forward pass.
    const auto backward = work("aten::_cudnn_attention_backward", "[[2, 8, 128, 64], [2, 8, 128, 64], [2, 8, 128, 64], [2, 8, 128, 64], [], [], [], [], [], [], [], [], [], [], []]",
        R"(["c10::BFloat16", "c10::BFloat16", "c10::BFloat16", "c10::BFloat16"])", R"(["", "", "", "", "", "", "", "", "", "", "", "", "", "0.", "False", ""])");
    EXPECT_DOUBLE_EQ(backward.work.flops, 2.5 * 4.0 * 2 * 8 * 128 * 128 * 64);
}

// Split-K: a product and its reduction are one operator; the sum of their work is the operator's.
TEST(OpWork, SeveralKernelsShareTheirOperatorsWork)
{
    const auto rules = KernelRules::load(RIDGEPOINT_SOURCE_DIR "/specs/trace/kernel_classes.json");
    ASSERT_TRUE(rules);
    const auto t = read_timeline_text(R"({"traceEvents": [
{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":0,"dur":50,"args":{"External id":7,"Input Dims":[[64,128],[128,32]],"Input type":["float","float"]}},
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":10,"dur":5,"args":{"External id":7,"correlation":1}},
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":20,"dur":5,"args":{"correlation":2}},
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":2,"ts":22,"dur":5,"args":{"correlation":3}},
{"ph":"X","cat":"kernel","name":"ampere_sgemm_128x64","pid":0,"tid":7,"ts":100,"dur":30,"args":{"correlation":1,"stream":7,"device":0}},
{"ph":"X","cat":"kernel","name":"cublasLt::splitKreduce_kernel","pid":0,"tid":7,"ts":130,"dur":10,"args":{"correlation":2,"stream":7,"device":0}},
{"ph":"X","cat":"kernel","name":"ampere_sgemm_128x64","pid":0,"tid":7,"ts":150,"dur":10,"args":{"correlation":3,"stream":7,"device":0}}]})",
        "test.json", *rules);
    ASSERT_TRUE(t) << t.error().text();
    ASSERT_EQ(t->size(), 3U);
    const double flops = 2.0 * 64 * 128 * 32;
    EXPECT_DOUBLE_EQ(t->work[0].flops, flops * 0.75); // by its External id
    EXPECT_DOUBLE_EQ(t->work[1].flops, flops * 0.25); // by the operator around its launch
    EXPECT_FALSE(t->work[2].known); // launched on another thread
    const auto top = top_kernels(*t, 1);
    ASSERT_EQ(top.size(), 1U);
    EXPECT_EQ(top[0].count, 2);
    EXPECT_EQ(top[0].with_work, 1);
    EXPECT_DOUBLE_EQ(top[0].achieved().value(), flops * 0.75 / 30e-6);
}

TEST(Collectives, BusBandwidthIsThatOfNcclTests)
{
    const auto rules = KernelRules::load(RIDGEPOINT_SOURCE_DIR "/specs/trace/kernel_classes.json");
    ASSERT_TRUE(rules);
    const auto t = read_timeline_text(R"([{"ph":"X","cat":"kernel","name":"ncclDevKernel_AllReduce_Sum_bf16_RING_LL","pid":0,"tid":20,"ts":1,"dur":200,
"args":{"Collective name":"allreduce","In msg nelems":16777216,"Out msg nelems":16777216,"Group size":8,"dtype":"BFloat16"}}])", "test.json", *rules);
    ASSERT_TRUE(t);
    const auto c = collective_totals(*t);
    ASSERT_EQ(c.size(), 1U);
    EXPECT_EQ(c[0].type, CollectiveType::all_reduce);
    EXPECT_NEAR(c[0].bus_bandwidth.value(), 33554432.0 / 200e-6 * 2 * 7 / 8, 1);
}

} // namespace
} // namespace ridgepoint

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

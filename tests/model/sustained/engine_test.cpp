#include "model/sustained/engine.h"

#include <gtest/gtest.h>

#include "model/specs/sources.h"

using namespace ridgepoint;

TEST(Engine, ConstantsOfEveryEngineAreInTheSpecs)
{
    const auto layers = default_spec_layers();
    ASSERT_TRUE(layers);
    const Expected<SpecStore> specs = SpecStore::load(*layers);
    ASSERT_TRUE(specs);
    for (const char* id : {"vllm", "sglang", "tensorrt_llm"}) {
        const Expected<EngineConstants> e = read_engine_constants(*specs, id);
        ASSERT_TRUE(e) << id << ": " << e.error().text();
        EXPECT_EQ(e->engine, id);
        EXPECT_GT(e->per_step.value(), 0.0);
        EXPECT_LT(e->per_step.value(), 10e-3);
        EXPECT_LE(e->launch_share, 1.5);
        EXPECT_LE(e->prefill_share, 1.3);
        EXPECT_GE(e->bunching, 0.0);
        EXPECT_LE(e->bunching, 1.0);
    }
    EXPECT_FALSE(read_engine_constants(*specs, "no such engine"));
}

TEST(Engine, AnIdealOneLeavesTheKernelsAlone)
{
    KernelConstants k;
    k.memory.launch = microseconds(2);
    k.gemm[0].launch = microseconds(3);
    const KernelConstants before = k;
    run_inside(k, EngineConstants{});
    EXPECT_DOUBLE_EQ(k.memory.launch.value(), before.memory.launch.value());
    EXPECT_DOUBLE_EQ(k.gemm[0].launch.value(), before.gemm[0].launch.value());
    EXPECT_DOUBLE_EQ(k.grouped[0].peak_fraction, before.grouped[0].peak_fraction);
}

TEST(Engine, GraphsShortenLaunchesAndFusionDropsSmallKernels)
{
    KernelConstants k;
    k.memory.launch = microseconds(2);
    k.gemm[0].launch = microseconds(3);
    EngineConstants e;
    e.launch_share = 0.5;
    e.small_kernels = 0.5;
    run_inside(k, e);
    EXPECT_DOUBLE_EQ(in_microseconds(k.memory.launch), 0.5);
    EXPECT_DOUBLE_EQ(in_microseconds(k.gemm[0].launch), 1.5);
}

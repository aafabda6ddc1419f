#include "model/sustained/sustained.h"

#include <cmath>

#include <gtest/gtest.h>

#include "model/collectives/read.h"
#include "model/kernels/read.h"

using namespace ridgepoint;

namespace {

constexpr auto bf16 = static_cast<std::size_t>(GemmKind::bf16);
constexpr auto fp8 = static_cast<std::size_t>(GemmKind::fp8);
constexpr auto mxfp8 = static_cast<std::size_t>(GemmKind::mxfp8);

Accelerator part(double watts)
{
    Accelerator a;
    a.tdp = Watts{watts};
    return a;
}

const SpecStore& specs()
{
    static const Expected<SpecStore> store = SpecStore::load_default();
    return *store;
}

struct Laws {
    KernelConstants kernels;
    CollectiveConstants links;
};
Laws sustained(const TrainingConstants& c, double watts, bool portable = false)
{
    Laws l;
    l.kernels.gemm[bf16].peak_fraction = 0.8;
    l.kernels.gemm[fp8].peak_fraction = 0.7;
    l.kernels.gemm[mxfp8].peak_fraction = 0.1;
    l.kernels.prefill_bf16.peak_fraction = 0.6;
    l.links.fabric.exchange.latency = microseconds(100);
    l.links.fabric.exchange.fraction = 0.5;
    sustain(l.kernels, l.links, c, part(watts), portable);
    return l;
}

} // namespace

TEST(Sustained, SharesOfOneLeaveDenseLawsAlone)
{
    const Laws l = sustained({}, 700);
    EXPECT_DOUBLE_EQ(l.kernels.gemm[bf16].peak_fraction, 0.8);
    EXPECT_DOUBLE_EQ(l.kernels.prefill_bf16.peak_fraction, 0.6);
    EXPECT_DOUBLE_EQ(l.links.fabric.exchange.fraction, 0.5);
    // One dense product per expert, and MXFP8 on the kernels of FP8.
    EXPECT_DOUBLE_EQ(l.kernels.grouped[bf16].peak_fraction, 0.8);
    EXPECT_DOUBLE_EQ(l.kernels.gemm[mxfp8].peak_fraction, 0.7);
}

TEST(Sustained, ExpertsLoseBesideTheProducts)
{
    TrainingConstants c;
    c.rates.products = {0.9, 0.8, 0.7, 0.6};
    c.rates.experts = {0.5, 0.5, 0.4, 0.5};
    const Laws l = sustained(c, 700);
    EXPECT_NEAR(l.kernels.gemm[bf16].peak_fraction, 0.8 * 0.9, 1e-12);
    EXPECT_NEAR(l.kernels.grouped[bf16].peak_fraction, 0.8 * 0.9 * 0.5, 1e-12);
    EXPECT_NEAR(l.kernels.grouped[mxfp8].peak_fraction, 0.7 * 0.7 * 0.4, 1e-12);
}

// 500 W of 700 W at an exponent of one half: sqrt(5/7) = 0.845.
TEST(Sustained, ATighterPowerLimitSlowsTheClocks)
{
    TrainingConstants c;
    c.rates.tdp = Watts{700};
    c.power_exponent = 0.5;
    EXPECT_NEAR(sustained(c, 500).kernels.gemm[bf16].peak_fraction, 0.8 * std::sqrt(5.0 / 7.0), 1e-12);
    EXPECT_NEAR(sustained(c, 700).kernels.gemm[bf16].peak_fraction, 0.8, 1e-12);
}

TEST(Sustained, PortableAttentionHasARateOfItsOwn)
{
    TrainingConstants c;
    c.rates.attention = 0.9;
    c.rates.portable_attention = 0.3;
    EXPECT_NEAR(sustained(c, 700, false).kernels.prefill_bf16.peak_fraction, 0.54, 1e-12);
    EXPECT_NEAR(sustained(c, 700, true).kernels.prefill_bf16.peak_fraction, 0.18, 1e-12);
}

TEST(Sustained, ExchangesLoseRateAndGainLatency)
{
    TrainingConstants c;
    c.links = {0.4, 0.5, microseconds(1000)};
    c.rates.routed_all_to_all = 0.7;
    const Laws l = sustained(c, 700);
    EXPECT_DOUBLE_EQ(l.links.fabric.routed_share, 0.4);
    EXPECT_DOUBLE_EQ(l.links.domain.routed_share, 0.7);
    EXPECT_NEAR(l.links.fabric.exchange.fraction, 0.25, 1e-12);
    EXPECT_NEAR(in_microseconds(l.links.fabric.exchange.latency), 1100, 1e-9);
}

// Every constant that ships can be read, and is what its meaning allows: shares near or below one, times of a step or an
// exchange that are small beside either.
TEST(Sustained, ShippedConstantsAreMeaningful)
{
    for (const char* gpu : {"a100", "h100", "h200", "b200", "b300", "gb200", "gb300"})
        for (const char* fabric : {"", "efa-v2", "efa-v4", "infiniband-ndr"})
            for (const char* framework : {"megatron", "fsdp"}) {
                const Expected<TrainingConstants> c = read_training_constants(specs(), gpu, fabric, framework);
                ASSERT_TRUE(c) << gpu << " " << c.error().message;
                for (std::size_t i = 0; i < training_product_count; ++i) {
                    EXPECT_GT(c->rates.products[i], 0.5) << gpu;
                    EXPECT_LT(c->rates.products[i], 1.2) << gpu;
                    EXPECT_GT(c->rates.experts[i], 0.3) << gpu;
                    EXPECT_LT(c->rates.experts[i], 1.3) << gpu;
                }
                EXPECT_LE(c->rates.portable_attention, c->rates.attention * 1.05) << gpu << ": newer units are not slower";
                EXPECT_GT(c->rates.tdp, Watts{});
                EXPECT_GT(c->rates.dense.p90, c->rates.dense.median);
                EXPECT_GT(c->rates.mixture.p90, c->rates.mixture.median);
                EXPECT_LT(c->links.exchange_latency, milliseconds(5));
                EXPECT_LT(c->framework.per_step, milliseconds(100));
                EXPECT_GE(c->overlap.contention, 0.0);
                EXPECT_LT(c->overlap.contention, 0.5);
            }
}

TEST(Sustained, AnUnknownFrameworkIsAnErrorWithItsPlace)
{
    const Expected<TrainingConstants> c = read_training_constants(specs(), "h100", "", "abacus");
    ASSERT_FALSE(c);
    EXPECT_EQ(c.error().place.pointer, "/frameworks/abacus/memory_passes");
}

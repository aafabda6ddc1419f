// What must hold of every law whatever its constants: homogeneous in the speeds, monotone in the work, right at the
// limits.

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <gtest/gtest.h>

#include "model/kernels/kernels.h"
#include "tests/model/kernels/gpus.h"

namespace ridgepoint {
namespace {

using test::gpu;
using test::kernel_constants;

struct Machine {
    Accelerator gpu;
    KernelConstants constants;
};

void scale(Seconds& t, double k) { t *= k; }

void scale_latencies(KernelConstants& c, double k)
{
    for (auto* set : {&c.gemm, &c.grouped})
        for (GemmConstants& g : *set) {
            scale(g.launch, k);
            scale(g.pipeline, k);
            scale(g.quantize_launch, k);
        }
    for (PrefillConstants* p : {&c.prefill_bf16, &c.prefill_fp8, &c.prefill_bf16_cache_fp8}) {
        scale(p->launch, k);
        scale(p->store_launch, k);
    }
    for (DecodeConstants* d : {&c.decode_bf16, &c.decode_fp8, &c.latent_bf16, &c.latent_fp8}) {
        scale(d->launch, k);
        scale(d->reduction, k);
        scale(d->unit, k);
    }
    scale(c.memory.launch, k);
}

// `k` times the speed of one resource.
Machine faster(Machine m, Resource r, double k)
{
    if (r == Resource::compute)
        for (Peak& p : m.gpu.peaks)
            p.dense *= k;
    if (r == Resource::hbm)
        m.gpu.hbm_bandwidth *= k;
    if (r == Resource::latency)
        scale_latencies(m.constants, 1.0 / k);
    return m;
}

using Law = std::function<AttributedTime(const Machine&)>;

std::vector<std::pair<std::string, Law>> laws()
{
    std::vector<std::pair<std::string, Law>> out;
    for (double m : {1.0, 48.0, 700.0, 16384.0}) {
        GemmShape g;
        g.m = m;
        g.n = 4096;
        g.k = 3072;
        out.emplace_back(fmt::format("bf16 product of {} rows", m),
            [g](const Machine& x) { return gemm_time(g, x.gpu, x.constants); });
        GemmShape low = g;
        low.arithmetic = Arithmetic::fp8;
        low.a = low.b = NumberFormat::fp8;
        low.quantize_a = true;
        out.emplace_back(fmt::format("fp8 product of {} rows", m),
            [low](const Machine& x) { return gemm_time(low, x.gpu, x.constants); });
        GemmShape experts = g;
        experts.groups = 32;
        experts.touched = 0.7;
        out.emplace_back(fmt::format("grouped product of {} rows", m),
            [experts](const Machine& x) { return gemm_time(experts, x.gpu, x.constants); });
    }
    for (double queries : {1.0, 16.0, 512.0, 8192.0}) {
        AttentionShape a;
        a.sequences = 4;
        a.query_heads = 32;
        a.kv_heads = 8;
        a.queries = queries;
        a.keys = 8192;
        out.emplace_back(fmt::format("attention of {} queries", queries),
            [a](const Machine& x) { return attention_time(a, x.gpu, x.constants); });
        out.emplace_back(fmt::format("attention backward of {} queries", queries),
            [a](const Machine& x) { return attention_backward_time(a, x.gpu, x.constants); });
        AttentionShape latent = a;
        latent.latent = true;
        latent.qk_dim = 576;
        latent.v_dim = 512;
        out.emplace_back(fmt::format("latent attention of {} queries", queries),
            [latent](const Machine& x) { return attention_time(latent, x.gpu, x.constants); });
        AttentionShape training = a;
        training.stores_cache = false;
        out.emplace_back(fmt::format("training attention of {} queries", queries),
            [training](const Machine& x) { return attention_time(training, x.gpu, x.constants); });
        AttentionShape warm = a;
        warm.cached = true;
        out.emplace_back(fmt::format("attention of {} queries, cache in L2", queries),
            [warm](const Machine& x) { return attention_time(warm, x.gpu, x.constants); });
        AttentionShape unfused = a;
        unfused.fused = false;
        out.emplace_back(fmt::format("unfused attention of {} queries", queries),
            [unfused](const Machine& x) { return attention_time(unfused, x.gpu, x.constants); });
    }
    for (double traffic : {1e3, 1e7, 1e10})
        out.emplace_back(fmt::format("streaming {} bytes", traffic),
            [traffic](const Machine& x) { return memory_time(Bytes{traffic}, 2, x.gpu, x.constants); });
    return out;
}

class EveryGpu : public testing::TestWithParam<const char*> {
protected:
    [[nodiscard]] static Machine machine() { return {gpu(GetParam()), kernel_constants(GetParam())}; }
};
INSTANTIATE_TEST_SUITE_P(Specs, EveryGpu, testing::Values("a100", "h100", "h200", "b200", "b300", "gb200", "gb300"));

TEST_P(EveryGpu, TwiceTheSpeedIsHalfTheTime)
{
    const Machine slow = machine();
    const Machine fast = faster(faster(faster(slow, Resource::compute, 2), Resource::hbm, 2), Resource::latency, 2);
    for (const auto& [name, law] : laws()) {
        const double t = law(slow).total().value();
        EXPECT_NEAR(law(fast).total().value(), 0.5 * t, 1e-12 * t) << name;
    }
}

TEST_P(EveryGpu, SharesAreElasticities)
{
    const Machine base = machine();
    constexpr double step = 1e-5;
    for (const auto& [name, law] : laws()) {
        const AttributedTime t = law(base);
        if (t.total().value() <= 0)
            continue; // this GPU lacks the arithmetic
        for (Resource r : {Resource::compute, Resource::hbm, Resource::latency}) {
            const double up = law(faster(base, r, 1 + step)).total().value();
            const double down = law(faster(base, r, 1 - step)).total().value();
            const double elasticity = -(std::log(up) - std::log(down)) / (std::log1p(step) - std::log1p(-step));
            EXPECT_NEAR(t.share(r), elasticity, 1e-6) << name << ", " << name_of(r);
        }
    }
}

TEST_P(EveryGpu, MoreWorkNeverTakesLess)
{
    const Machine x = machine();
    const auto rising = [](const std::string& name, const std::function<double(double)>& time, double from, double to) {
        double before = 0;
        for (double v = from; v <= to; v *= 1.07) {
            const double t = time(v);
            EXPECT_GE(t, before * (1 - 1e-12)) << name << " at " << v;
            before = t;
        }
    };
    for (Arithmetic a : {Arithmetic::bf16, Arithmetic::fp8, Arithmetic::fp4}) {
        GemmShape g;
        g.m = 300;
        g.n = 2000;
        g.k = 3000;
        g.arithmetic = a;
        if (a != Arithmetic::bf16) {
            g.a = g.b = a == Arithmetic::fp8 ? NumberFormat::fp8_block : NumberFormat::nvfp4;
            g.quantize_a = true;
        }
        for (double groups : {1.0, 16.0}) {
            g.groups = groups;
            rising(
                "rows",
                [&](double v) {
                    GemmShape s = g;
                    s.m = v;
                    return gemm_time(s, x.gpu, x.constants).total().value();
                },
                1, 1e5);
            rising(
                "columns",
                [&](double v) {
                    GemmShape s = g;
                    s.n = v;
                    return gemm_time(s, x.gpu, x.constants).total().value();
                },
                1, 1e5);
            rising(
                "depth",
                [&](double v) {
                    GemmShape s = g;
                    s.k = v;
                    return gemm_time(s, x.gpu, x.constants).total().value();
                },
                1, 1e5);
            rising(
                "groups",
                [&](double v) {
                    GemmShape s = g;
                    s.groups = 1 + v;
                    return gemm_time(s, x.gpu, x.constants).total().value();
                },
                1, 256);
            rising(
                "touched groups",
                [&](double v) {
                    GemmShape s = g;
                    s.groups = 64;
                    s.touched = v;
                    return gemm_time(s, x.gpu, x.constants).total().value();
                },
                0.02, 0.99);
        }
    }
    for (const auto& [latent, serving] : {std::pair{false, true}, std::pair{false, false}, std::pair{true, true}}) {
        AttentionShape a;
        a.stores_cache = serving;
        a.query_heads = 16;
        a.kv_heads = 4;
        a.queries = 100;
        a.keys = 5000;
        a.latent = latent;
        if (latent) {
            a.qk_dim = 576;
            a.v_dim = 512;
        }
        const auto forward
            = [&](const AttentionShape& s) { return attention_time(s, x.gpu, x.constants).total().value(); };
        const auto backward
            = [&](const AttentionShape& s) { return attention_backward_time(s, x.gpu, x.constants).total().value(); };
        rising(
            "queries",
            [&](double v) {
                AttentionShape s = a;
                s.queries = v;
                return forward(s);
            },
            1, 5000);
        rising(
            "keys",
            [&](double v) {
                AttentionShape s = a;
                s.keys = v;
                return forward(s);
            },
            100, 2e6);
        rising(
            "sequences",
            [&](double v) {
                AttentionShape s = a;
                s.sequences = v;
                return forward(s);
            },
            1, 512);
        rising(
            "keys in L2",
            [&](double v) {
                AttentionShape s = a;
                s.queries = 1;
                s.cached = true;
                s.keys = v;
                return forward(s);
            },
            1, 2e6);
        rising(
            "window",
            [&](double v) {
                AttentionShape s = a;
                s.window = v;
                return forward(s);
            },
            1, 1e4);
        rising(
            "heads",
            [&](double v) {
                AttentionShape s = a;
                s.query_heads = v;
                return forward(s);
            },
            1, 256);
        rising(
            "queries backward",
            [&](double v) {
                AttentionShape s = a;
                s.queries = v;
                return backward(s);
            },
            1, 5000);
        rising(
            "sequences backward",
            [&](double v) {
                AttentionShape s = a;
                s.sequences = v;
                return backward(s);
            },
            1, 512);
    }
}

TEST_P(EveryGpu, HugeProductRunsAtTheAsymptoteAndTinyOneAtTheFloor)
{
    const Machine x = machine();
    GemmShape g;
    g.m = g.n = g.k = 131072;
    const double achieved = gemm_work(g).flops.value() / gemm_time(g, x.gpu, x.constants).total().value();
    const double asymptote = x.constants.gemm[0].peak_fraction * x.gpu.dense_peak(Arithmetic::bf16).value();
    EXPECT_NEAR(achieved / asymptote, 1.0, 0.01);
    EXPECT_EQ(gemm_time(g, x.gpu, x.constants).bound(), Resource::compute);

    g.m = g.n = g.k = 1;
    const AttributedTime tiny = gemm_time(g, x.gpu, x.constants);
    EXPECT_NEAR(tiny.total() / x.constants.gemm[0].launch, 1.0, 0.05);
    EXPECT_EQ(tiny.bound(), Resource::latency);

    g.m = 1;
    g.n = g.k = 65536; // reads its weights
    EXPECT_EQ(gemm_time(g, x.gpu, x.constants).bound(), Resource::hbm);
}

TEST_P(EveryGpu, NothingToDoTakesNoTime)
{
    const Machine x = machine();
    EXPECT_EQ(gemm_time({}, x.gpu, x.constants).total().value(), 0);
    EXPECT_EQ(attention_time({}, x.gpu, x.constants).total().value(), 0);
    EXPECT_EQ(memory_time(Bytes{}, 0, x.gpu, x.constants).total().value(), 0);
}

TEST(Gemm, UnsupportedArithmeticIsNoTimeRatherThanInfinity)
{
    GemmShape g;
    g.m = g.n = g.k = 64;
    g.arithmetic = Arithmetic::fp8;
    EXPECT_EQ(gemm_time(g, gpu("a100"), kernel_constants("a100")).total().value(),
        0); // legality is judged before (parallelism/)
}

TEST(Gemm, KindFollowsArithmeticAndWeights)
{
    GemmShape g;
    EXPECT_EQ(kind_of(g), GemmKind::bf16);
    g.b = NumberFormat::int4;
    EXPECT_EQ(kind_of(g), GemmKind::weight_only);
    g.arithmetic = Arithmetic::fp8;
    g.b = NumberFormat::fp8;
    EXPECT_EQ(kind_of(g), GemmKind::fp8);
    g.b = NumberFormat::fp8_block;
    EXPECT_EQ(kind_of(g), GemmKind::fp8_block);
    g.b = NumberFormat::mxfp8;
    EXPECT_EQ(kind_of(g), GemmKind::mxfp8);
    g.arithmetic = Arithmetic::fp4;
    EXPECT_EQ(kind_of(g), GemmKind::fp4);
}

} // namespace
} // namespace ridgepoint

// Published scaling runs, re-tabulated: the shape of the curve and its level. Deterministic, so a bound is right here; it holds
// what the release reaches, rounded up.

#include <cmath>

#include <gtest/gtest.h>

#include "model/project/resolve.h"

using namespace ridgepoint;

namespace {

const SpecStore& specs()
{
    static const Expected<SpecStore> store = SpecStore::load({{RIDGEPOINT_SOURCE_DIR "/specs", "built-in"}});
    return *store;
}

struct Measured {
    int gpus;
    int global_batch;
    double seconds; // measured, per step
};

double predicted(const char* model, const char* recipe, const Layout& layout, const Measured& run)
{
    Plan p;
    p.model = model;
    p.instance = "dgx-h100";
    p.nodes = run.gpus / 8;
    p.precision.recipe = recipe;
    p.layout = layout;
    p.layout.dp = 0;
    Training t;
    t.sequence_length = 8192;
    t.global_batch = run.global_batch;
    p.workload = t;
    const Expected<Evaluation> v = evaluate_only(p, specs());
    EXPECT_TRUE(v) << v.error().text();
    return v ? v->estimate.training->step.value() : NAN;
}

Layout interleaved(int tp, int pp, int vpp, int cp)
{
    Layout l;
    l.tp = tp;
    l.pp = pp;
    l.vpp = vpp;
    l.cp = cp;
    l.schedule = PipelineSchedule::interleaved;
    l.overlap_tp = true;
    return l;
}

} // namespace

// MLPerf Training v5.0, NVIDIA on Eos (DGX H100, NDR): Llama 3.1 405B in FP8, tp 8, pp 8, vpp 8, cp 2.
TEST(Scaling, Strong405BFrom512To8192Gpus)
{
    constexpr Measured runs[] = {{512, 1152, 55.143}, {2048, 1152, 14.222}, {2432, 1216, 12.712}, {2560, 1120, 11.173}, {8192, 1536, 5.180}};
    double first = 0;
    for (const Measured& r : runs) {
        const double ratio = predicted("llama-3.1-405b", "fp8", interleaved(8, 8, 8, 2), r) / r.seconds;
        EXPECT_NEAR(ratio, 1.0, 0.06) << r.gpus;
        first = first > 0 ? first : ratio;
        EXPECT_NEAR(ratio / first, 1.0, 0.05) << r.gpus << ": the shape";
    }
}

// NVIDIA dgxc-benchmarking v25.02: Llama 3.1 70B in BF16, tp 4, pp 4, vpp 5, cp 2, two sequences a GPU.
TEST(Scaling, Weak70BFrom64To2048Gpus)
{
    constexpr Measured runs[] = {{64, 128, 14.61}, {128, 256, 14.70}, {256, 512, 14.72}, {512, 1024, 14.80}, {1024, 2048, 14.86}, {2048, 4096, 14.84}};
    double first = 0;
    for (const Measured& r : runs) {
        const double ratio = predicted("llama-3.1-70b", "bf16", interleaved(4, 4, 5, 2), r) / r.seconds;
        EXPECT_NEAR(ratio, 1.0, 0.06) << r.gpus;
        first = first > 0 ? first : ratio;
        EXPECT_NEAR(ratio / first, 1.0, 0.04) << r.gpus << ": the shape";
    }
}

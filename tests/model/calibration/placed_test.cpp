// Measured files of other kinds as points of the roofline.

#include <gtest/gtest.h>

#include "model/calibration/compare.h"
#include "model/project/resolve.h"
#include "tests/model/project/catalogue.h"

namespace ridgepoint {
namespace {

Job h200_job()
{
    const Expected<Job> job = resolve(example_plan(), catalogue());
    EXPECT_TRUE(job) << job.error().text();
    return *job;
}

CountedKernel kernel(const char* name, Seconds time, std::optional<Flops> flops, Bytes bytes)
{
    CountedKernel k;
    k.name = name;
    k.time = time;
    k.flops = flops;
    k.dram_bytes = bytes;
    return k;
}

} // namespace

// Two launches of one kernel: 3e12 FLOP in 10 ms together, 1e10 bytes; the third has no counters and is counted, not placed.
TEST(PlacedMeasurements, KernelsWithCountersAreOnePointAName)
{
    KernelCounters k;
    k.kernels.push_back(kernel("gemm", milliseconds(4), Flops{1e12}, Bytes{4e9}));
    k.kernels.push_back(kernel("gemm", milliseconds(6), Flops{2e12}, Bytes{6e9}));
    k.kernels.push_back(kernel("copy", milliseconds(1), {}, Bytes{1e9}));
    Measured m;
    m.content = k;
    const PlacedKernels placed = place_measured(m, h200_job());
    ASSERT_EQ(placed.points.size(), 1U);
    EXPECT_DOUBLE_EQ(placed.points[0].intensity.value(), 300);
    EXPECT_NEAR(placed.points[0].achieved.value(), 3e14, 1);
    EXPECT_EQ(placed.placed_by_shape, 2);
    EXPECT_EQ(placed.not_placed, 1);
    EXPECT_DOUBLE_EQ(placed.not_placed_time.value(), 1e-3);
}

// Half of the cycles with tensor pipes active and a quarter with DRAM active: half of the dense peak, a quarter of the bandwidth.
TEST(PlacedMeasurements, AWatchedGpuIsOnePoint)
{
    const Job job = h200_job();
    MetricSet set;
    for (const auto& [name, value] : {std::pair{"DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", 0.5}, {"DCGM_FI_PROF_DRAM_ACTIVE", 0.25}})
    {
        MetricSeries s;
        s.name = name;
        s.labels = {{"UUID", "GPU-1"}};
        s.times = {1.0, 2.0, 3.0};
        s.values = {value, value, value};
        set.series.push_back(s);
    }
    Measured m;
    m.content = set;
    const PlacedKernels placed = place_measured(m, job);
    ASSERT_EQ(placed.points.size(), 1U);
    EXPECT_NEAR(placed.points[0].achieved.value(), 0.5 * job.cluster.accelerator.dense_peak(job.precision.gemm).value(), 1e6);
    EXPECT_NEAR(placed.points[0].intensity.value(), placed.points[0].achieved.value() / (0.25 * job.cluster.accelerator.hbm_bandwidth.value()), 1e-6);
}

TEST(PlacedMeasurements, OtherFilesHaveNone)
{
    Measured m;
    m.content = TrainingLog{};
    EXPECT_TRUE(place_measured(m, h200_job()).points.empty());
}

} // namespace ridgepoint

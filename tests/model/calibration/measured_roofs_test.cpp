// Measured roofs for the roofline.

#include <gtest/gtest.h>

#include "model/calibration/measured_roofs.h"
#include "model/project/resolve.h"
#include "tests/model/project/catalogue.h"

namespace ridgepoint {

TEST(MeasuredRoofs, AreTheMedianOverDevicesWithoutIntegerOperations)
{
    const auto found = read_measured_text("device,HBMBw,L2Bw,MFMABF16Flops,MFMAI8Ops\n0,1000,5000,170000,160000\n1,1010,5000,170500,160000\n2,1200,5000,171000,160000\n", "roofs.csv");
    ASSERT_TRUE(found) << found.error().text();
    const std::vector<MeasuredRoof> roofs = measured_roofs(found->front());
    ASSERT_EQ(roofs.size(), 3U);
    EXPECT_EQ(roofs[0].name, "HBM");
    EXPECT_EQ(roofs[0].source, "roofs.csv");
    EXPECT_NEAR(roofs[0].bandwidth->value(), 1.01e12, 1);
    EXPECT_NE(roofs[0].detail.find("3 devices"), std::string::npos);
    EXPECT_FALSE(roofs[0].peak);
    EXPECT_EQ(roofs[2].name, "MFMA BF16");
    EXPECT_NEAR(roofs[2].peak->value(), 170.5e12, 1e3);
}

TEST(MeasuredRoofs, RowsOfATableOfPeaksAreKeptApart)
{
    const auto found = read_measured_text("label,peak_flops,peak_bandwidth\ntheoretical,1e14,1e12\nempirical,0.9e14,0.8e12\n", "peaks.csv");
    ASSERT_TRUE(found) << found.error().text();
    const std::vector<MeasuredRoof> roofs = measured_roofs(found->front());
    ASSERT_EQ(roofs.size(), 4U);
    EXPECT_EQ(roofs[0].name, "DRAM, theoretical");
    EXPECT_TRUE(roofs[0].detail.empty());
}

TEST(MeasuredRoofs, OtherFilesHaveNone)
{
    Measured m;
    m.content = TrainingLog{};
    EXPECT_TRUE(measured_roofs(m).empty());
}

// Twice the time is half the rate.
TEST(MeasuredRoofs, CalibrationDividesTheLawsRates)
{
    Plan plan = example_plan();
    const Expected<Job> before = resolve(plan, catalogue());
    ASSERT_TRUE(before) << before.error().text();
    EXPECT_TRUE(calibrated_roofs(*before).empty());
    plan.measured.gpu = before->kernels.gpu;
    plan.measured.source = "my traces";
    plan.measured.of(MeasuredPart::memory) = 2.0;
    plan.measured.of(MeasuredPart::products) = 1.25;
    const Expected<Job> after = resolve(plan, catalogue());
    ASSERT_TRUE(after) << after.error().text();
    const std::vector<MeasuredRoof> roofs = calibrated_roofs(*after);
    ASSERT_EQ(roofs.size(), 2U);
    const double share = before->kernels.gemm[0].peak_fraction; // the example computes in bf16
    EXPECT_NEAR(roofs[0].peak->value(), share / 1.25 * before->cluster.accelerator.dense_peak(Arithmetic::bf16).value(), 1e6);
    EXPECT_NEAR(roofs[1].bandwidth->value(), before->kernels.memory.bandwidth_fraction / 2.0 * before->cluster.accelerator.hbm_bandwidth.value(), 1e3);
    EXPECT_EQ(roofs[1].source, "my traces");
    plan.measured.gpu = "another";
    const Expected<Job> other = resolve(plan, catalogue());
    ASSERT_TRUE(other);
    EXPECT_TRUE(calibrated_roofs(*other).empty());
}

} // namespace ridgepoint

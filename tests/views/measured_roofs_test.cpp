// Measured roofs on the roofline: dashed, named with their source, switched by their legend.

#include <cmath>

#include <gtest/gtest.h>

#include <QAction>
#include <QCoreApplication>
#include <QMouseEvent>

#include "tests/views/sample_results.h"
#include "views/charts/roofline_chart.h"
#include "views/charts/roofline_scene.h"

namespace ridgepoint {
namespace {

class MeasuredRoofsChart : public testing::Test
{
protected:
    void SetUp() override
    {
        chart.resize(1000, 640);
        chart.show();
        chart.set_model(sample::result_405b().roofline, sample::result_405b().estimate.operators);
        before = chart.frame();
        MeasuredRoof hbm{"HBM", "roofs.csv", "median of 4 devices, 3.90 TB/s to 4.10 TB/s", BytesPerSecond{4e12}, {}};
        MeasuredRoof bf16{"MFMA BF16", "roofs.csv", {}, {}, FlopPerSecond{800e12}};
        MeasuredRoof broken{"nothing", "roofs.csv", {}, {}, FlopPerSecond{0}};
        chart.set_measured_roofs({hbm, bf16, broken});
        QCoreApplication::processEvents();
    }
    void mouse(QEvent::Type type, QPointF at, Qt::MouseButton button, Qt::MouseButtons held)
    {
        QMouseEvent event(type, at, chart.viewport()->mapToGlobal(at), button, held, {});
        QCoreApplication::sendEvent(chart.viewport(), &event);
    }
    [[nodiscard]] std::vector<const RoofLine*> measured() const
    {
        std::vector<const RoofLine*> out;
        for (const RoofLine& r : chart.scene_model().roofs)
            if (r.measured())
                out.push_back(&r);
        return out;
    }

    RooflineChart chart;
    LogFrame before;
};

} // namespace

TEST_F(MeasuredRoofsChart, meet_at_their_own_ridge_and_leave_the_view_and_the_machine_alone)
{
    EXPECT_TRUE(chart.frame() == before);
    ASSERT_EQ(measured().size(), 2U) << "a roof of zero is none";
    const RooflineScene& scene = chart.scene_model();
    const auto slope = scene.segment(*measured()[0], chart.frame());
    const auto ceiling = scene.segment(*measured()[1], chart.frame());
    ASSERT_TRUE(slope && ceiling);
    // 800 TFLOP/s over 4 TB/s: 200 FLOP/B.
    EXPECT_NEAR(std::pow(10.0, slope->second.x), 200.0, 0.01);
    EXPECT_NEAR(std::pow(10.0, ceiling->first.x), 200.0, 0.01);
    // The data sheet's: 989 TFLOP/s over 4.8 TB/s, where it was.
    EXPECT_NEAR(std::pow(10.0, scene.ridges().front().first.x), 206.04, 0.1);
    EXPECT_NEAR(std::pow(10.0, scene.roof_at(3.0)), std::pow(10.0, scene.roof_at(3.5)), 1e-6);
}

TEST_F(MeasuredRoofsChart, say_their_source_under_the_pointer)
{
    mouse(QEvent::MouseMove, chart.to_pixel({0.0, std::log10(4.0)}), Qt::NoButton, {}); // on the slope at 1 FLOP/B
    const QString text = chart.hover().plain();
    EXPECT_TRUE(text.contains(QStringLiteral("measured"))) << text.toStdString();
    EXPECT_TRUE(text.contains(QStringLiteral("roofs.csv"))) << text.toStdString();
    EXPECT_TRUE(text.contains(QStringLiteral("4 devices"))) << text.toStdString();
    EXPECT_TRUE(chart.figure_csv(false).contains(QStringLiteral("measured roof")));
    EXPECT_TRUE(chart.accessibleDescription().contains(QStringLiteral("roofs.csv"))) << chart.accessibleDescription().toStdString();
}

TEST_F(MeasuredRoofsChart, are_switched_off_and_on)
{
    chart.set_measured_roofs_visible(false);
    EXPECT_TRUE(measured().empty());
    chart.set_measured_roofs_visible(true);
    EXPECT_EQ(measured().size(), 2U);
    chart.set_level(MemoryLevel::nvlink); // their bytes are device memory's
    EXPECT_TRUE(measured().empty());
    chart.set_level(MemoryLevel::hbm);
    EXPECT_EQ(measured().size(), 2U);
    chart.set_measured_roofs({});
    EXPECT_TRUE(measured().empty());
}

} // namespace ridgepoint

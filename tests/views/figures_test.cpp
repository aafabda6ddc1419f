// Every chart painted for real: nothing is empty, light or dark. With RIDGEPOINT_FIGURES=1 the pictures are kept to be
// looked at.

#include <QDir>
#include <QImage>
#include <gtest/gtest.h>

#include "tests/views/sample_results.h"
#include "views/charts/breakdown_chart.h"
#include "views/charts/memory_chart.h"
#include "views/charts/ridgeline_chart.h"
#include "views/charts/roofline_chart.h"
#include "views/export/figure_export.h"

namespace ridgepoint {
namespace {

void keep(Figure& figure, const QString& name)
{
    for (const bool dark : {false, true})
        for (const QSize size : {QSize(1280, 800), QSize(2560, 1440), QSize(560, 420)}) {
            FigureOptions o;
            o.size = size;
            o.scale = 1;
            o.theme = dark ? Theme::dark_theme() : Theme::light();
            o.footer = QStringLiteral("405B training · p5en.48xlarge · Ridgepoint");
            const QImage image = figure_image(figure, o);
            ASSERT_EQ(image.size(), size);
            int drawn = 0;
            for (int y = 0; y < image.height(); y += 4)
                for (int x = 0; x < image.width(); x += 4)
                    drawn += image.pixelColor(x, y) != o.theme.background;
            EXPECT_GT(drawn, size.width() * size.height() / 16 / 100) << name.toStdString() << " is nearly empty";
            if (qEnvironmentVariableIsSet("RIDGEPOINT_FIGURES")) {
                const QString folder = QStringLiteral(RIDGEPOINT_FIGURE_DIR);
                QDir().mkpath(folder);
                image.save(QStringLiteral("%1/%2-%3-%4.png")
                               .arg(folder, name, dark ? QStringLiteral("dark") : QStringLiteral("light"))
                               .arg(size.width()));
            }
        }
}

TEST(Figures, roofline)
{
    RooflineChart chart;
    chart.resize(1280, 800);
    chart.set_title(QStringLiteral("Llama 3.1 405B training, p5en.48xlarge"));
    chart.set_model(sample::result_405b().roofline, sample::result_405b().estimate.operators);
    keep(chart, QStringLiteral("roofline"));
    chart.set_level(MemoryLevel::nvlink);
    keep(chart, QStringLiteral("roofline-nvlink"));
}

TEST(Figures, roofline_with_measured_kernels)
{
    RooflineChart chart;
    chart.resize(1280, 800);
    chart.set_title(QStringLiteral("Llama 3.1 405B training, p5en.48xlarge"));
    chart.set_model(sample::result_405b().roofline, sample::result_405b().estimate.operators);
    chart.set_measured(sample::measured(20000));
    chart.set_selection({1});
    keep(chart, QStringLiteral("roofline-measured"));
    chart.show_frame({{2.2, 3.6}, {2.1, 3.4}});
    keep(chart, QStringLiteral("roofline-zoomed"));
}

TEST(Figures, ridgeline)
{
    RidgelineChart chart;
    chart.resize(1280, 800);
    chart.set_title(QStringLiteral("Llama 3.1 405B training, p5en.48xlarge"));
    chart.set_model(sample::result_405b().roofline);
    keep(chart, QStringLiteral("ridgeline"));
}

TEST(Figures, breakdown)
{
    BreakdownChart chart;
    chart.resize(1280, 800);
    chart.set_breakdown(sample::result_405b().estimate.breakdown, QStringLiteral("Step time"));
    keep(chart, QStringLiteral("breakdown"));
    MeasuredBreakdown measured{};
    for (std::size_t p = 0; p < step_part_count; ++p)
        measured[p] = sample::result_405b().estimate.breakdown.parts[p].total() * (0.9 + 0.03 * static_cast<double>(p));
    chart.set_measured(measured);
    keep(chart, QStringLiteral("breakdown-measured"));
}

TEST(Figures, memory)
{
    MemoryChart chart;
    chart.resize(1280, 800);
    chart.set_memory(sample::result_405b().estimate.memory);
    keep(chart, QStringLiteral("memory"));
    MemoryFit over;
    over.capacity = gibibytes(79.6);
    for (int s = 0; s < 64; ++s)
        over.stages.push_back(
            {s, gibibytes(20), gibibytes(20), gibibytes(7), gibibytes(45 - 0.6 * s), {}, gibibytes(3), gibibytes(4)});
    chart.set_memory(over);
    keep(chart, QStringLiteral("memory-64"));
    MemoryFit one;
    one.capacity = gibibytes(126.7);
    one.stages.push_back({0, gibibytes(37), {}, {}, gibibytes(3), gibibytes(74), gibibytes(1), gibibytes(5)});
    chart.set_memory(one);
    keep(chart, QStringLiteral("memory-one"));
}

} // namespace
} // namespace ridgepoint

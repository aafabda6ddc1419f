#include "views/export/figure_export.h"

#include <QFile>
#include <QImage>
#include <QTemporaryDir>
#include <gtest/gtest.h>

#include "tests/views/sample_results.h"
#include "views/charts/memory_chart.h"
#include "views/charts/roofline_chart.h"

namespace ridgepoint {
namespace {

class Export : public testing::Test
{
protected:
    void SetUp() override
    {
        chart.resize(900, 600);
        chart.set_model(sample::result_405b().roofline, sample::result_405b().estimate.operators);
        chart.set_measured(sample::measured(50000));
    }
    RooflineChart chart;
};

TEST_F(Export, png_has_the_size_times_the_scale)
{
    FigureOptions o;
    o.size = {640, 400};
    for (const double scale : {1.0, 2.0, 4.0}) {
        o.scale = scale;
        const auto bytes = render_figure(chart, FigureFormat::png, o);
        ASSERT_TRUE(bytes);
        EXPECT_EQ(QImage::fromData(*bytes).size(), QSize(static_cast<int>(640 * scale), static_cast<int>(400 * scale)));
    }
}

TEST_F(Export, exporting_leaves_the_widget_as_it_was)
{
    chart.show();
    const QImage before = chart.grab().toImage();
    const LogFrame f = chart.frame();
    FigureOptions o;
    o.theme = Theme::dark_theme();
    ASSERT_TRUE(render_figure(chart, FigureFormat::pdf, o));
    EXPECT_EQ(chart.frame(), f);
    EXPECT_EQ(chart.grab().toImage(), before);
}

TEST_F(Export, svg_is_small_text_stays_text_and_the_cloud_is_one_image)
{
    const auto bytes = render_figure(chart, FigureFormat::svg, {});
    ASSERT_TRUE(bytes);
    EXPECT_LT(bytes->size(), 1000000);
    EXPECT_TRUE(bytes->contains("BF16 989 TFLOP/s"));
    EXPECT_TRUE(bytes->contains("Arithmetic intensity"));
    EXPECT_EQ(bytes->count("<image"), 1);
}

TEST_F(Export, pdf_is_one_small_page)
{
    const auto bytes = render_figure(chart, FigureFormat::pdf, {});
    ASSERT_TRUE(bytes);
    EXPECT_TRUE(bytes->startsWith("%PDF-"));
    EXPECT_LT(bytes->size(), 1000000);
    EXPECT_TRUE(bytes->contains("/Count 1"));
    EXPECT_LE(bytes->count("/Subtype /Image"), 2); // the cloud and its transparency mask
    EXPECT_GE(bytes->count("/FontFile2"), 1); // embedded
}

TEST_F(Export, impossible_sizes_and_names_are_refused_with_a_reason)
{
    FigureOptions o;
    o.size = {100000, 100000};
    const auto large = render_figure(chart, FigureFormat::png, o);
    ASSERT_FALSE(large);
    EXPECT_FALSE(large.error().hint.empty());
    EXPECT_FALSE(write_figure(chart, QStringLiteral("/nowhere/x.png"), {}));
    const Status odd = write_figure(chart, QStringLiteral("x.bmp"), {});
    ASSERT_FALSE(odd);
    EXPECT_EQ(odd.error().found, "bmp");
}

TEST_F(Export, writes_by_suffix)
{
    QTemporaryDir dir;
    for (const char* suffix : {"png", "svg", "pdf"}) {
        const QString file = dir.filePath(QStringLiteral("figure.") + QString::fromLatin1(suffix));
        ASSERT_TRUE(write_figure(chart, file, {}));
        EXPECT_GT(QFile(file).size(), 1000);
    }
}

TEST_F(Export, a_chart_paints_into_any_part_of_a_page)
{
    MemoryChart memory;
    memory.set_memory(sample::result_405b().estimate.memory);
    for (Figure* figure : {static_cast<Figure*>(&chart), static_cast<Figure*>(&memory)}) {
        QImage page(1000, 1000, QImage::Format_RGB32);
        page.fill(Qt::magenta);
        QPainter painter(&page);
        paint_chart(*figure, painter, {100, 200, 600, 400}, {900, 600}, Theme::light());
        painter.end();
        EXPECT_EQ(page.pixelColor(50, 50), QColor(Qt::magenta));
        EXPECT_EQ(page.pixelColor(800, 800), QColor(Qt::magenta));
        EXPECT_EQ(page.pixelColor(102, 202), QColor(Qt::white));
    }
}

} // namespace
} // namespace ridgepoint

#pragma once
// What a roofline shows, in plane coordinates (log10 of FLOP/B and of TFLOP/s), without any drawing.

#include <memory>
#include <optional>
#include <set>
#include <vector>

#include <QImage>
#include <QList>
#include <QString>
#include <QStringList>

#include "model/calibration/measured_roofs.h"
#include "model/roofline/density_grid.h"
#include "model/roofline/log_frame.h"
#include "model/roofline/point_index.h"
#include "model/roofline/roofline.h"
#include "views/charts/measured_kernels.h"

class QLineSeries;

namespace ridgepoint {

struct RoofLine
{ // a ceiling (y = value) or a slope (y = x + value)
    QString label;
    bool slope = false;
    bool emphasised = false;
    double value = 0; // log10 of TFLOP/s or of TB/s
    Arithmetic arithmetic = Arithmetic::bf16;
    MemoryLevel level = MemoryLevel::hbm;
    QLineSeries* series = nullptr;
    QString source; // of a measured roof: the file, or what was fitted; empty: the data sheet's
    QString note; // more about it
    [[nodiscard]] bool measured() const { return !source.isEmpty(); }
};

struct RooflineMark
{ // a predicted operator, or a pass at the levels of links
    LogPoint at;
    QString name;
    QString detail; // phase, layer
    OperatorClass operator_class = OperatorClass::gemm;
    QList<int> operators;
    double count = 1;
    Seconds time_each, time_total;
    double share = 0; // of the time of all marks
    FlopPerByte intensity;
    FlopPerSecond achieved;
    double of_roof = 0;
    Resource bound = Resource::compute;
    QString shape; // "8192 x 28672 x 8192"
};

class RooflineScene
{
public:
    RooflineModel model;
    OperatorList operators;
    std::shared_ptr<const MeasuredKernels> measured;
    MemoryLevel level = MemoryLevel::hbm;
    bool unused_ceilings = true;
    std::vector<MeasuredRoof> measured_roofs; // over device memory only
    bool measured_roofs_shown = true;
    std::set<OperatorClass> hidden;
    QList<int> selection;
    QString title;
    QStringList layer_names; // by Operator::layer_kind; may be empty

    // Derived.
    std::vector<RoofLine> roofs; // in order of priority
    std::vector<RooflineMark> marks; // longest first
    std::vector<float> x, y, weight; // measured kernels that can be drawn
    std::vector<std::uint32_t> kernel; // index into measured->kernels
    std::vector<std::size_t> largest; // indices into x, longest first
    PointIndex index;
    std::size_t not_plottable = 0; // measured, with a zero or infinite coordinate
    std::size_t measured_above_roof = 0;

    struct DensityImage
    {
        QImage image;
        DensityGrid grid; // counts outside; its cells are dropped
        LogFrame frame;
        QSize size;
        bool dark = false;
        bool valid = false;
    } density;

    void rebuild_roofs(); // series pointers are lost
    void rebuild_marks();
    void rebuild_measured();

    [[nodiscard]] const BandwidthCeiling* slope() const; // of the level; null: the machine has none
    [[nodiscard]] FlopPerSecond highest_ceiling(bool used_only) const;
    [[nodiscard]] double roof_at(double log_intensity) const; // log10 TFLOP/s, under the highest ceiling that is shown
    [[nodiscard]] std::optional<std::pair<LogPoint, LogPoint>> segment(
        const RoofLine& roof, const LogFrame& frame) const;
    [[nodiscard]] std::vector<std::pair<LogPoint, QString>>
    ridges() const; // of emphasised ceilings with the level's slope
    [[nodiscard]] LogFrame machine_frame() const;
    [[nodiscard]] bool shows_measured() const { return level == MemoryLevel::hbm && !x.empty(); }
    [[nodiscard]] bool is_selected(const RooflineMark& mark) const;
    [[nodiscard]] const RooflineMark* mark_of(int operator_index) const;

    static constexpr std::size_t largest_shown = 200;

private:
    void add_measured_roofs();
    [[nodiscard]] double steepest_under(const RoofLine& ceiling) const;
    [[nodiscard]] double highest_over(const RoofLine& slope) const;
};

double mark_radius(double share, double unit); // area in proportion to time
QString level_name(MemoryLevel level);

} // namespace ridgepoint

#pragma once
// The roofline (Williams, Waterman, Patterson 2009): attained FLOP/s over FLOP per byte of one memory level, log-log,
// with the machine's ceilings, the plan's operators and, optionally, measured kernels and roofs.

#include <memory>

#include "model/calibration/measured_roofs.h"
#include "views/charts/measured_kernels.h"
#include "views/charts/plane_chart.h"

class QComboBox;

namespace ridgepoint {

class RooflineScene;
struct RooflineMark;

// A pass as a whole, at one size of the work: all its FLOPs over all its bytes and over its time.
struct RooflinePathPoint
{
    QString label; // "64 sequences"
    FlopPerByte intensity;
    FlopPerSecond achieved;
    Seconds time;
    Resource bound = Resource::compute;
    bool of_plan = false;
};
struct RooflinePath
{ // how that point wanders as the work grows
    QString name; // "Decode over the batch"
    OperatorClass look = OperatorClass::gemm; // colour and shape
    std::vector<RooflinePathPoint> points;
};

class RooflineChart final : public PlaneChart
{
    Q_OBJECT

public:
    explicit RooflineChart(QWidget* parent = nullptr);
    ~RooflineChart() override;

    // Neither call moves the view. Only other ceilings do, and only while the view is still the old machine's frame.
    void set_model(const RooflineModel& model, const OperatorList& operators);
    void set_measured(std::shared_ptr<const MeasuredKernels> measured); // null: none
    void set_title(const QString& title); // "405B training on p5en.48xlarge"
    void set_paths(std::vector<RooflinePath> paths); // over device memory only; beside or instead of operators
    void set_levels_offered(bool offered); // false: device memory alone
    void set_layer_names(const QStringList& names); // by Operator::layer_kind: "dense", "MoE"; set before the model

    void set_level(MemoryLevel level); // shows that level's machine frame
    [[nodiscard]] MemoryLevel level() const;
    void set_unused_ceilings_visible(bool visible);
    [[nodiscard]] bool unused_ceilings_visible() const;
    // Dashed, beside the machine's: over device memory only. They do not move the view.
    void set_measured_roofs(std::vector<MeasuredRoof> roofs);
    void set_measured_roofs_visible(bool visible); // what a click on their legend does
    [[nodiscard]] bool measured_roofs_visible() const;
    void set_class_visible(OperatorClass c, bool visible); // what a click on the legend does
    [[nodiscard]] bool is_class_visible(OperatorClass c) const;

    void set_selection(const QList<int>& operators); // indices into the operator list; does not emit
    [[nodiscard]] QList<int> selection() const;

    [[nodiscard]] QString caption() const; // what is shown and what is not, in one sentence
    [[nodiscard]] const RooflineScene& scene_model() const { return *m_scene; }

    [[nodiscard]] QString figure_title() const override;
    [[nodiscard]] QString figure_csv(bool visible_only) const override;

signals:
    void selection_changed(const QList<int>& operators); // by mouse or keyboard
    void hovered(int operator_index); // -1: nothing
    void level_changed(ridgepoint::MemoryLevel level);

protected:
    void draw(PlaneLayer layer, QPainter& painter) override;
    void frame_changed() override;
    void theme_changed() override;
    [[nodiscard]] LogFrame machine_frame() const override;
    HoverText hover_at(QPointF position) override;
    void click_at(QPointF position, Qt::KeyboardModifiers modifiers) override;
    bool step_selection(int direction) override;
    [[nodiscard]] std::optional<LogFrame> selection_frame() const override;
    void add_menu_actions(QMenu* menu, QPointF position) override;
    void place_controls() override;
    [[nodiscard]] double controls_width() const override;
    [[nodiscard]] QString accessible_text() const override;
    [[nodiscard]] QString value_text(LogPoint p) const override;

private:
    struct LegendEntry
    {
        QRectF box;
        OperatorClass operator_class;
    };

    void rebuild_roofs();
    void refresh(); // marks, heading and description after any change of content
    void select(const QList<int>& operators);
    [[nodiscard]] const RooflineMark* mark_at(QPointF position) const;
    [[nodiscard]] HoverText hover_of(const RooflineMark& mark) const;
    [[nodiscard]] HoverText hover_of_measured(std::size_t i) const;
    [[nodiscard]] HoverText hover_of_roofs(QPointF position) const;
    [[nodiscard]] HoverText hover_of_paths(QPointF position) const;
    [[nodiscard]] HoverText hover_of_path(std::size_t path, std::size_t point) const;
    bool step_paths(int direction);
    [[nodiscard]] bool shows_paths() const;
    [[nodiscard]] QString paths_csv(bool visible_only) const;
    [[nodiscard]] QString paths_text() const;
    [[nodiscard]] std::vector<LegendEntry> legend() const;
    [[nodiscard]] QRectF measured_roofs_legend() const; // empty: there are none, or no room

    void draw_density(QPainter& painter);
    void draw_measured(QPainter& painter);
    void draw_marks(QPainter& painter);
    void draw_labels(QPainter& painter, const QList<QRectF>& flags);
    void draw_legend(QPainter& painter);
    void draw_paths(QPainter& painter);
    void draw_path_legend(QPainter& painter);
    QList<QRectF> draw_outside_flags(QPainter& painter); // where they are

    std::unique_ptr<RooflineScene> m_scene;
    QComboBox* m_level_box;
    int m_last_hovered = -1;
    std::vector<RooflinePath> m_paths;
    int m_path_step = -1; // the keyboard's point, counted over all paths
};

} // namespace ridgepoint

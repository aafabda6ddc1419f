#pragma once
// The regime map with its controls: two knobs, their ranges, and what the contour lines tell.

#include <optional>

#include <QWidget>

#include "views/charts/regime_chart.h"

class QComboBox;
class QLabel;

namespace ridgepoint {

class NumberBox;
class SearchPicker;

struct MapRequest {
    Knob x, y;
    double plan_x = 0, plan_y = 0;
    std::vector<double> xs, ys;
};

class MapPanel final : public QWidget {
    Q_OBJECT

public:
    static constexpr int cells_across = 200;

    explicit MapPanel(QWidget* parent = nullptr);

    void set_plan(const Plan& plan); // knobs and typed ranges stay where the plan still has them
    void choose(const QString& x, const QString& y);
    [[nodiscard]] std::optional<MapRequest> request() const;
    void show_map(std::shared_ptr<const RegimeMap> map, const MapRequest& asked, const QString& time_name, double milliseconds);
    void show_error(const QString& text);

    [[nodiscard]] RegimeChart* chart() const { return m_chart; }

signals:
    void request_changed(); // another knob or range
    void values_chosen(const QString& x, double x_value, const QString& y, double y_value); // by a click

private:
    struct Side {
        SearchPicker* knob = nullptr;
        NumberBox* low = nullptr;
        NumberBox* high = nullptr;
        bool typed = false; // the range
    };
    Side make_side(const QString& name, bool across);
    void fill(Side& side, const QString& fallback);
    void reset_range(Side& side);
    [[nodiscard]] const Knob* knob_of(const Side& side) const;
    [[nodiscard]] double value_of(const Knob& knob) const;

    std::optional<Plan> m_plan;
    std::vector<Knob> m_knobs;
    MapRequest m_shown;
    Side m_x, m_y;
    QComboBox* m_measure;
    RegimeChart* m_chart;
    QLabel* m_status;
    bool m_quiet = false;
};

} // namespace ridgepoint

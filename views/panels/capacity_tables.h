#pragma once
// What the page of capacity shows of an answer: the table of alternatives (row id: index), bars of the best of them, one
// line, and the plan behind a row.

#include "views/charts/curve_figure.h"
#include "views/charts/parts_chart.h"
#include "views/panels/capacity_panel.h"

namespace ridgepoint {

void fill_capacity_table(CellTable* table, const CapacityFound& found, const CapacityAsked& asked);
std::vector<PartsGroup> capacity_parts(const CapacityFound& found, const CapacityAsked& asked);
CurveContent capacity_day(const CapacityFound& found, std::size_t row); // serve: instances through the day
QString capacity_summary(const CapacityFound& found, const CapacityAsked& asked);
QStringList capacity_notes(const CapacityFound& found);

struct CapacityChoice {
    std::optional<Plan> plan; // none: nothing runs there
    QString name; // "64 × p5en.48xlarge, tp 8 pp 4"
};
CapacityChoice capacity_choice(const CapacityFound& found, std::size_t row);

} // namespace ridgepoint

#pragma once
// What the page of a run draws: when it ends, what it wastes, what spare nodes buy; where its time goes and its bill.

#include "model/project/run_answer.h"
#include "views/charts/curve_figure.h"
#include "views/charts/parts_chart.h"

namespace ridgepoint {

// The time to train as a distribution, waste over the interval between checkpoints, goodput over spare nodes.
CurveContent run_curves(const RunAnswer& answer);

// The expected wall time by what it is spent on, and the expected bill line by line; the sums are the last rows.
std::vector<PartsGroup> run_parts(const RunAnswer& answer);

QString duration_text(Seconds t); // "65.3 days", below two days as elsewhere

} // namespace ridgepoint

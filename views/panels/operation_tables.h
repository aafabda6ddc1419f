#pragma once
// The tables of the pages of load, fleet and post-training, and what they found in one line.

#include "model/fleet/fleet.h"
#include "model/load/load.h"
#include "model/post_training/post_training.h"
#include "model/workload/load.h"

#include <QString>

namespace ridgepoint {

class CellTable;

void fill_load_table(CellTable* table, const LoadPrediction& prediction);
void fill_fleet_table(CellTable* table, const FleetPrediction& fleet); // the months
void fill_interactivity_table(CellTable* table, const std::vector<ParetoPoint>& points); // rows: id_of(point)
void fill_division_table(CellTable* table, const PostTrainingPrediction& prediction); // rows: GPUs that roll out

quint64 id_of(int tp, int concurrency);
std::pair<int, int> point_of(quint64 id);

QString load_summary(const LoadPrediction& prediction, const Load& load);
QString fleet_summary(const FleetPrediction& fleet, const QString& no_price);
QString interactivity_summary(const std::vector<ParetoPoint>& points, const std::optional<ParetoPoint>& own);
QString post_training_summary(const PostTrainingPrediction& prediction, const QString& no_price);

QString lines_of(const std::vector<std::string>& notes); // for a tool tip

} // namespace ridgepoint

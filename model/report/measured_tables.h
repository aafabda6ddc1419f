#pragma once
// What measured files hold and how they compare, as tables: the command line, the window and the report show the same.

#include <memory>
#include <string>
#include <vector>

#include "model/calibration/observations.h"
#include "model/fitting/calibrate.h"
#include "model/measured/measured.h"
#include "model/report/report.h"

namespace ridgepoint {

// At most `most` rows of each long table; 0: all. A Timeline gives its summary, classes, kernels, collectives and steps.
std::vector<ReportTable> measured_tables(const Measured& measured, std::size_t most = 0);
std::vector<ReportTable> timeline_tables(const Timeline& timeline, const TimelineSummary& summary, std::size_t most = 0);

// What monitoring says of GPUs and nodes, against the peaks of the plan's GPU: operating points, power, traffic. Empty where
// the metrics hold neither.
std::vector<ReportTable> metric_tables(const MetricSet& metrics, const Job& job);

// Several ranks of one job: who waits for whom. Empty where fewer than two timelines are among the files.
std::vector<ReportTable> rank_tables(const std::vector<std::shared_ptr<const Measured>>& measured);
// Two timelines of the same work, before and after a change.
std::vector<ReportTable> difference_tables(const Timeline& before, const Timeline& after, std::size_t most = 0);

ReportTable residual_table(const std::vector<ObservedResidual>& residuals, std::size_t most = 0); // measured against predicted
ReportTable factor_table(const CalibrationResult& result); // what moved
ReportTable calibration_rows(const CalibrationResult& result); // each measurement before and after

} // namespace ridgepoint

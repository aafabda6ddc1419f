#pragma once
// The sections of a report, one function each. Private to the report floor.

#include <optional>

#include "model/project/operation.h"
#include "model/project/run_answer.h"
#include "model/report/report.h"

namespace ridgepoint {

struct ReportInput {
    const Plan& plan;
    const Evaluation& evaluation;
    const SpecStore& specs; // with the plan's snapshots
    const ReportOptions& options;
    std::optional<RunAnswer> run; // training to the end
    std::string no_run; // why there is none
    std::optional<FleetAnswer> fleet; // serving, where the plan asks for a fleet
};

ReportSection decision_section(const ReportInput& in);
ReportSection requirement_section(const ReportInput& in);
ReportSection alternatives_section(const ReportInput& in);
ReportSection run_section(const ReportInput& in); // time, failures, storage
ReportSection fleet_section(const ReportInput& in);
ReportSection sensitivity_section(const ReportInput& in);
ReportSection risks_section(const ReportInput& in);
ReportSection measured_section(const ReportInput& in);
ReportSection fit_section(const ReportInput& in);
ReportSection bounds_section(const ReportInput& in);
ReportSection roofline_section(const ReportInput& in);
ReportSection cost_section(const ReportInput& in);
ReportSection assumptions_section(const ReportInput& in);
ReportSection sources_section(const ReportInput& in);
ReportSection reproduce_section(const ReportInput& in);

std::string catalogue_date(const ReportInput& in); // the newest date among the sources of the plan's hardware and prices

} // namespace ridgepoint

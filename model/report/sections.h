#pragma once
// The sections of a report, one function each. Private to the report floor.

#include "model/report/report.h"

namespace ridgepoint {

struct ReportInput {
    const Plan& plan;
    const Evaluation& evaluation;
    const SpecStore& specs; // with the plan's snapshots
};

ReportSection decision_section(const ReportInput& in);
ReportSection alternatives_section(const ReportInput& in);
ReportSection fit_section(const ReportInput& in);
ReportSection bounds_section(const ReportInput& in);
ReportSection roofline_section(const ReportInput& in);
ReportSection cost_section(const ReportInput& in);
ReportSection assumptions_section(const ReportInput& in);
ReportSection sources_section(const ReportInput& in);
ReportSection reproduce_section(const ReportInput& in);

std::string catalogue_date(const ReportInput& in); // the newest date among the sources of the plan's hardware and prices

} // namespace ridgepoint

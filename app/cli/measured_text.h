#pragma once
// What a measured file holds, for people and for programs.

#include <nlohmann/json.hpp>

#include "model/measured/measured.h"
#include "model/report/report.h"

namespace ridgepoint::cli {

void print_measured(const Measured& measured, int top); // at most `top` rows of each long table
nlohmann::ordered_json measured_json(const Measured& measured, int top);

void print_table(const ReportTable& table);
nlohmann::ordered_json timeline_json(const Timeline& timeline, const TimelineSummary& summary, int top);

} // namespace ridgepoint::cli

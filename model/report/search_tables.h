#pragma once
// What a search found, as tables, CSV and JSON: the same for the command line, the report and the desktop.

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "model/report/report.h"
#include "model/search/neighbours.h"
#include "model/search/search.h"

namespace ridgepoint {

// Only columns that tell the plans apart, or that are the answer.
ReportTable search_table(const SearchProblem& problem, const std::vector<FoundPlan>& plans, std::string title);
std::string change_text(const Neighbour& n); // "pp 8 -> 16, micro_batch 2 -> 1"
ReportTable rejection_table(const SearchProblem& problem, const SearchResult& result); // most frequent first
std::string search_csv(const SearchProblem& problem, const std::vector<FoundPlan>& plans); // every axis, SI units, one row a plan
nlohmann::ordered_json search_json(const SearchProblem& problem, const SearchResult& result, const SearchOptions& options); // schema: search-output

std::string choice_text(const SearchProblem& problem, const SearchPoint& point); // "tp 8, pp 4, dp 16, micro batch 1, full recomputation"

} // namespace ridgepoint

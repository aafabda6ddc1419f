#pragma once
// AIPerf and GenAI-Perf: the aggregate as JSON (a unit with every metric) and CSV, AIPerf's records of single requests.

#include <string_view>

#include "model/measured/measured.h"

namespace ridgepoint {

bool is_perf_json(std::string_view text);
Expected<Measured> read_perf_json(std::string_view text, const std::string& file);

bool is_perf_csv(std::string_view text); // "Metric,avg,min,max,p99" and "Metric,Value" blocks
Expected<Measured> read_perf_csv(std::string_view text, const std::string& file);

bool is_perf_table(std::string_view text); // as printed on the console, or as Markdown
Expected<Measured> read_perf_table(std::string_view text, const std::string& file);
bool is_perf_records(std::string_view text); // an object a request
Expected<Measured> read_perf_records(std::string_view text, const std::string& file);

} // namespace ridgepoint

#pragma once
// The medians of past versions: a CSV file with one line a version and date, one column a headline. A column that a past
// version did not have is empty there; one that this version does not know is kept.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/error.h"
#include "model/report/accuracy_headlines.h"

namespace ridgepoint {

struct AccuracyRecord {
    std::string version;
    std::string date; // 2026-11-30
    std::map<std::string, double> medians; // headline key -> median of the absolute error
};

Expected<std::vector<AccuracyRecord>> parse_accuracy_history(std::string_view text, const std::string& file);
std::string accuracy_history_text(const std::vector<AccuracyRecord>& history);

// Appends the figures; the same version on the same date is replaced.
void record_accuracy(std::vector<AccuracyRecord>& history, const std::string& version, const std::string& date, const std::vector<Headline>& lines);

} // namespace ridgepoint

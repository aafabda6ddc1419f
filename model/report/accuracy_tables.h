#pragma once
// The tables of the accuracy page. Private to the report floor.

#include <string>
#include <vector>

#include "model/report/accuracy_history.h"

namespace ridgepoint {

std::string headline_table(const std::vector<Headline>& lines);
std::string strata_table(const QuantityScore& q); // every stratum of enough rows; groups with one value are named below
std::string history_table(const std::vector<AccuracyRecord>& history);

// Strata whose median error is well above that of their quantity, worst first; chosen from the figures alone.
std::string weak_table(const std::vector<const QuantityScore*>& quantities);
// Rows that were not predicted, by reason; empty if all were.
std::string not_expressed_table(const std::vector<const QuantityScore*>& quantities);

inline constexpr int fewest_rows = 5; // of a stratum that the page lists; `validate` prints all
inline constexpr int fewest_weak_rows = 10; // below it a median says little

} // namespace ridgepoint

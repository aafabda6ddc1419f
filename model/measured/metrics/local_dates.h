#pragma once
// Dates as a browser's locale writes them: "19/07/2024 10:00:00", "7/19/2024, 10:00:15 PM", "19.07.2024 10:00".

#include <optional>
#include <string>
#include <vector>

namespace ridgepoint {

// Seconds since 1970, taken as UTC, of each cell. Day or month first follows from a part above 12 anywhere in the column; empty
// where none tells, for a guess would be wrong for half of the world. Dates of unix_seconds are read as there.
std::vector<std::optional<double>> column_times(const std::vector<std::string>& cells);

} // namespace ridgepoint

#pragma once
// Comma-separated values as spreadsheets, trackers and monitoring write them: any of , ; tab | between cells, quotes (RFC
// 4180), a BOM, Excel's "sep=;" line, lines of comment (#) before the header.

#include <optional>
#include <string_view>
#include <vector>

#include "model/measured/measured.h"

namespace ridgepoint {

// The table, or none if the text is not one: the first line that is no comment has less than two cells, most rows have
// another number of cells, or the header is of numbers. Rows of another width are skipped and counted.
std::optional<MeasuredTable> csv_table(std::string_view text, std::vector<Skipped>& skipped);

// The first lines only: quick.
bool looks_like_csv(std::string_view text);
std::vector<std::string> csv_header(std::string_view text); // empty: none

// A cell as a number: thousands separators, a decimal comma ("1.234,5", "0,27"), a unit behind it ("28.1%", "1.57 kW",
// "4.99 GB/s", "3 KiB") resolved to base units (%: 0 to 1). None: empty, "undefined", "N/A", text, NaN.
struct CellNumber {
    double value = 0;
    std::string_view unit; // as it stands; empty: none
};
std::optional<CellNumber> cell_number(std::string_view cell);

} // namespace ridgepoint

#pragma once
// One row of an nccl-tests table: 12 or 13 columns, with per-iteration columns 20 or 21, the root and the reduction
// missing in old versions, time stamps behind.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/measured/collective_benchmark.h"

namespace ridgepoint {

struct TableLayout { // of the last header line
    std::vector<std::string> columns; // "time", "algbw", "busbw", "#wrong" ... behind the type and the reduction, the root among them
    std::size_t in_place_at = 0; // character of the second "time"; 0: only one group
    std::size_t group = 4; // figures of a timing: time, algbw, busbw and the count of wrong elements; nccom-test has no count
    double time_unit = 1; // in microseconds; the first version, which calls the columns "bytes" and "N", prints milliseconds
};

// "# size count type redop root time algbw ..." ; none: another line.
std::optional<TableLayout> table_header(std::string_view line);

struct RowReading {
    enum class Kind { none, preamble, row } kind = Kind::none; // preamble: cut behind the root by another process's line
    CollectiveRow row;
};
RowReading table_row(std::string_view line, const TableLayout& layout);
// The figures of a row whose preamble stood on an earlier line; false: the line does not hold them.
bool finish_row(std::string_view line, const TableLayout& layout, CollectiveRow& row);

} // namespace ridgepoint

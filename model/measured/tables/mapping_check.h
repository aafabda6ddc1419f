#pragma once
// What is wrong with a column mapping of a table, cell by cell, before it is applied: for a dialog, and for the message of a
// program that cannot ask.

#include <cstdint>
#include <string>
#include <vector>

#include "model/measured/tables/column_mapping.h"

namespace ridgepoint {

struct MappingProblem {
    std::int64_t row = -1; // from 0, without the header; -1: the column as a whole
    int column = -1; // of the table, from 0; -1: the mapping as a whole
    std::string found; // the cell, cut at 40 characters; empty for whole columns
    std::string message; // "no number; expected step time in ms"
};

struct MappingCheck {
    std::vector<MappingProblem> problems; // of whole columns first, then by row; at most `most`
    std::int64_t wrong_cells = 0; // all of them; empty cells are missing values, not wrong
    std::int64_t rows_checked = 0; // the first ones
};
MappingCheck check_mapping(const MeasuredTable& table, const ColumnMapping& mapping, std::size_t most = 100, std::int64_t most_rows = 20'000);

// Whether the table has every column that the mapping names.
bool has_columns(const MeasuredTable& table, const ColumnMapping& mapping);

// Puts the mapping in the place of each table that has its columns, with what reading the table left out. The number of those
// tables. Errors: those of apply_mapping.
Expected<int> map_tables(std::vector<Measured>& found, const ColumnMapping& mapping);

} // namespace ridgepoint

#pragma once
// Summary tables as nsys and rocprof print them: CSV, or columns of fixed width under rows of dashes.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "model/trace/table_events.h"

namespace ridgepoint {

// Calls for each table of the text with its header and then for each of its rows. `name`: of the report, as a line before
// the table says it ("cuda_gpu_kern_sum"); empty if none does. Rows are as wide as the header.
struct TotalsTableVisitor {
    std::function<void(const std::string& name, const TableColumns& columns, int line)> table;
    std::function<void(const std::vector<std::string>& row, int line)> row;
};
void visit_totals_tables(std::string_view text, const TotalsTableVisitor& visitor);

// Whether a header is one of a summary: totals of time, and a name.
bool is_totals_header(const TableColumns& columns);

} // namespace ridgepoint

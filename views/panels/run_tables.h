#pragma once
// The table of the page of a run, and what was found in one line.

#include "model/project/run_answer.h"

#include <QString>

namespace ridgepoint {

class CellTable;

// Time by part, the bill line by line, other ways to buy, storage, failures, energy and carbon.
void fill_run_table(CellTable* table, const RunAnswer& answer);
QString run_summary(const RunAnswer& answer);

} // namespace ridgepoint

#pragma once
// Any CSV as a MeasuredTable, with the best guess of what its columns are: the last resort of read_measured.

#include "model/measured/measured.h"

namespace ridgepoint {

TextFormat table_format();

} // namespace ridgepoint

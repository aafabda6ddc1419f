#pragma once
// Nsight Compute's CSV, as `ncu --csv` prints it: long (a metric a row) or wide (`--page raw`: a launch a row, units in the
// second row), behind the program's own output.

#include <string_view>

#include "model/measured/measured.h"

namespace ridgepoint {

bool is_ncu_csv(std::string_view text);
// Errors: a header without a single launch.
Expected<Measured> read_ncu_csv(std::string_view text, const std::string& file);

} // namespace ridgepoint

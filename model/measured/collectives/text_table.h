#pragma once
// The tables that nccl-tests and rccl-tests print, alone or anywhere in a job's log.

#include <string_view>

#include "model/measured/measured.h"

namespace ridgepoint {

bool is_collective_text(std::string_view text);
// Errors: no row of a table.
Expected<Measured> read_collective_text(std::string_view text, const std::string& file);

} // namespace ridgepoint

#pragma once
// Residuals as the files of specs/efficiency/ state them, of kernels, of training and of serving engines alike.

#include <string>

#include "model/kernels/constants.h"
#include "model/specs/reader.h"

namespace ridgepoint {

// `at`: of the law; none where it states no "rows".
Residual read_residual(SpecReader& reader, const std::string& at);

} // namespace ridgepoint

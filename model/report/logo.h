#pragma once
// The picture on a report's first page.

#include <string>

#include "model/base/error.h"

namespace ridgepoint {

// Bytes of a PNG or SVG file of at most 2 MiB. Errors: unreadable, larger, another kind of picture.
Expected<std::string> read_logo(const std::string& file);

} // namespace ridgepoint

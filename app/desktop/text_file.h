#pragma once
// A text as a file that appears whole or not at all.

#include <string>

#include <QString>

#include "model/base/error.h"

namespace ridgepoint {

// `what`: of the message, "The report".
Status write_text_file(const std::string& text, const QString& file, const std::string& what);

} // namespace ridgepoint

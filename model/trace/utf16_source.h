#pragma once
// UTF-16 as UTF-8: what a Windows shell writes when a tool's output is redirected into a file.

#include <memory>

#include "model/trace/byte_source.h"

namespace ridgepoint {

// The text in UTF-8 if the source begins with a byte order mark of UTF-16 and a character of ASCII, else the source itself.
std::unique_ptr<ByteSource> through_utf16(std::unique_ptr<ByteSource> source);

} // namespace ridgepoint

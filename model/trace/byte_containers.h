#pragma once
// xz and zstd, unpacked as they are read. Memory is that of one window; a window that a file asks for beyond 256 MiB is
// refused.

#include <memory>

#include "model/trace/byte_source.h"

namespace ridgepoint {

// The unpacked bytes if the source begins with the magic bytes of xz or zstd, else the source itself.
std::unique_ptr<ByteSource> through_xz_or_zstd(std::unique_ptr<ByteSource> source);

} // namespace ridgepoint

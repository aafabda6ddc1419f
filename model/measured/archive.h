#pragma once
// A tar archive as a stream: its files one after the other [POSIX.1-2001, pax; GNU long names]. Links and devices are
// passed over; nothing is written to disk.

#include <functional>
#include <string>
#include <string_view>

#include "model/base/error.h"
#include "model/base/progress.h"
#include "model/trace/byte_source.h"

namespace ridgepoint {

bool is_tar(std::string_view head); // at least its first 512 bytes

struct ArchiveLimits {
    std::size_t largest_file = std::size_t{1} << 30; // bytes; larger ones are named, not read
    int most_files = 1000;
};
struct ArchiveMember {
    std::string name;
    std::uint64_t size = 0;
    std::string text; // empty if larger than the limit
    bool too_large = false;
};
// Errors: no file at all, cancelled. An archive that ends early gives the files that are whole; `trouble` then says so.
Status each_member(ByteSource& source, const std::string& file, const ArchiveLimits& limits, const Progress& progress, const std::function<void(ArchiveMember)>& visit, std::string& trouble);

} // namespace ridgepoint

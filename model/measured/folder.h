#pragma once
// The measured files of a folder: all ranks of a job, say.

#include <cstddef>
#include <string>
#include <vector>

#include "model/base/error.h"

namespace ridgepoint {

struct FolderLimits {
    std::size_t most_files = 512; // the ranks of a job
    std::size_t most_entries = 100'000; // looked at
    int most_levels = 4;
};

struct FolderFiles {
    std::vector<std::string> files; // by name
    std::size_t beyond_limit = 0; // further files that were not taken
};

// The files right in the folder; if there are none, those of the nearest level below that has any (each rank's trace in a
// folder of its own). Hidden ones are left out and links to folders not followed. Errors: the folder cannot be read, or has
// no file within the levels.
Expected<FolderFiles> files_in_folder(const std::string& folder, const FolderLimits& limits = {});

} // namespace ridgepoint

#include "model/measured/folder.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

namespace ridgepoint {
namespace {

namespace fs = std::filesystem;

bool is_hidden(const fs::path& p) { return p.filename().string().starts_with('.'); }

} // namespace

Expected<FolderFiles> files_in_folder(const std::string& folder, const FolderLimits& limits)
{
    std::vector<fs::path> level{folder};
    std::size_t seen = 0;
    for (int depth = 0; depth < limits.most_levels && !level.empty(); ++depth) {
        std::vector<fs::path> files, below;
        for (const fs::path& inside : level) {
            std::error_code ec;
            fs::directory_iterator at(inside, ec);
            if (ec && depth == 0)
                return io_error(fmt::format("the folder cannot be read ({})", ec.message()), folder);
            for (const fs::directory_iterator end; !ec && at != end && seen < limits.most_entries; at.increment(ec), ++seen) {
                std::error_code of_entry;
                if (is_hidden(at->path()))
                    continue;
                if (at->is_regular_file(of_entry))
                    files.push_back(at->path());
                else if (at->is_directory(of_entry) && !at->is_symlink(of_entry))
                    below.push_back(at->path());
            }
        }
        if (!files.empty()) {
            std::sort(files.begin(), files.end());
            FolderFiles found;
            found.beyond_limit = files.size() - std::min(files.size(), limits.most_files);
            files.resize(files.size() - found.beyond_limit);
            for (const fs::path& p : files)
                found.files.push_back(p.string());
            return found;
        }
        std::sort(below.begin(), below.end());
        level = std::move(below);
    }
    return bad_input("the folder holds no file", Place{folder, 0, {}}, {}, "a folder of measured files");
}

} // namespace ridgepoint

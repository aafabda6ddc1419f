#pragma once
// The files of the source tree as the architecture tests see them.

#include <map>
#include <set>
#include <string>
#include <vector>

namespace ridgepoint::architecture {

struct Include {
    int line = 0;
    std::string target; // between the quotes or angle brackets
};

struct SourceFile {
    std::string path; // from the root of the tree, with '/'
    std::string text;
};

// Files of some top folders whose name ends in one of `endings` (all, if there are none), in order of path.
std::vector<SourceFile> files_under(const std::vector<std::string>& folders, const std::vector<std::string>& endings);

// What version control tracks; a tree without it (a tarball) gives every file outside build folders.
std::vector<SourceFile> tracked_files();

std::vector<Include> includes_of(const std::string& text);
int line_count(const std::string& text);

// model/CMakeLists.txt: floor -> floors it may include, itself among them; `order` is low to high.
struct Floors {
    std::vector<std::string> order;
    std::map<std::string, std::set<std::string>> reach;
};
Floors floors_of(const std::string& cmake_text);

// "model/units/format.h" -> "units"; empty for a path that is not on a floor.
std::string floor_of(const std::string& path);

} // namespace ridgepoint::architecture

#include "tests/architecture/source_tree.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <regex>
#include <sstream>

namespace ridgepoint::architecture {
namespace {

namespace fs = std::filesystem;

const fs::path root = RIDGEPOINT_SOURCE_DIR;

std::string read(const fs::path& file)
{
    std::ifstream in(file, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

bool ends_with_any(const std::string& name, const std::vector<std::string>& endings)
{
    return endings.empty() || std::ranges::any_of(endings, [&](const std::string& e) { return name.ends_with(e); });
}

bool is_generated(const std::string& top) { return top == ".git" || top.starts_with("build") || top == ".cache"; }

std::string output_of(const std::string& command)
{
    const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
    std::string text;
    std::array<char, 4096> block{};
    while (pipe) {
        const std::size_t got = std::fread(block.data(), 1, block.size(), pipe.get());
        if (got == 0)
            break;
        text.append(block.data(), got);
    }
    return text;
}

} // namespace

std::vector<SourceFile> files_under(const std::vector<std::string>& folders, const std::vector<std::string>& endings)
{
    std::vector<SourceFile> files;
    for (const std::string& folder : folders) {
        if (!fs::is_directory(root / folder))
            continue;
        for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / folder))
            if (entry.is_regular_file() && ends_with_any(entry.path().filename().string(), endings))
                files.push_back({fs::relative(entry.path(), root).generic_string(), read(entry.path())});
    }
    std::ranges::sort(files, {}, &SourceFile::path);
    return files;
}

std::vector<SourceFile> tracked_files()
{
    std::vector<SourceFile> files;
    std::istringstream names(output_of("git -C '" + root.string() + "' ls-files 2>/dev/null"));
    for (std::string name; std::getline(names, name);)
        if (fs::is_regular_file(root / name))
            files.push_back({name, read(root / name)});
    if (!files.empty())
        return files;
    std::vector<std::string> tops;
    for (const fs::directory_entry& entry : fs::directory_iterator(root)) {
        const std::string top = entry.path().filename().string();
        if (entry.is_directory() && !is_generated(top))
            tops.push_back(top);
        else if (entry.is_regular_file())
            files.push_back({top, read(entry.path())});
    }
    for (SourceFile& file : files_under(tops, {}))
        files.push_back(std::move(file));
    return files;
}

std::vector<Include> includes_of(const std::string& text)
{
    static const std::regex directive(R"(^\s*#\s*include\s*[<"]([^>"]+)[>"])");
    std::vector<Include> found;
    std::istringstream lines(text);
    int number = 0;
    for (std::string line; std::getline(lines, line);) {
        ++number;
        std::smatch match;
        if (line.find("include") != std::string::npos && std::regex_search(line, match, directive))
            found.push_back({number, match[1]});
    }
    return found;
}

int line_count(const std::string& text) { return static_cast<int>(std::ranges::count(text, '\n')); }

Floors floors_of(const std::string& cmake_text)
{
    static const std::regex call(R"(ridgepoint_floor\(\s*(\w+)([^)]*)\))");
    Floors floors;
    std::istringstream lines(cmake_text);
    for (std::string line; std::getline(lines, line);) {
        std::smatch match;
        if (line.starts_with("function") || !std::regex_search(line, match, call))
            continue;
        const std::string floor = match[1];
        std::set<std::string> reach{floor};
        std::istringstream words(match[2]);
        bool uses = false;
        for (std::string word; words >> word;) {
            if (word == "USES" || word == "LIBRARIES") {
                uses = word == "USES";
            } else if (uses) {
                const auto lower = floors.reach.find(word); // a floor that is not yet known is above: left out, so it is reported
                if (lower != floors.reach.end())
                    reach.insert(lower->second.begin(), lower->second.end());
            }
        }
        floors.order.push_back(floor);
        floors.reach[floor] = reach;
    }
    return floors;
}

std::string floor_of(const std::string& path)
{
    static const std::regex on_floor(R"(^model/(\w+)/)");
    std::smatch match;
    return std::regex_search(path, match, on_floor) ? match[1].str() : std::string{};
}

} // namespace ridgepoint::architecture

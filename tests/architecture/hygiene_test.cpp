// What every file of the tree keeps to: no path of one machine, one concept of readable length, headers guarded.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <regex>
#include <sstream>

#include "tests/architecture/source_tree.h"

namespace ridgepoint::architecture {
namespace {

using testing::IsEmpty;

bool is_text(const std::string& text) { return text.find('\0') == std::string::npos; }

// Absolute paths that exist only where somebody works.
std::vector<std::string> machine_paths(const SourceFile& file)
{
    static const std::regex personal(R"((^|[\s"'`(=:,])/(work|home|root|Users)(/\w|\b))");
    std::vector<std::string> found;
    std::istringstream lines(file.text);
    int number = 0;
    for (std::string line; std::getline(lines, line);) {
        ++number;
        if (line.size() < 2000 && std::regex_search(line, personal))
            found.push_back(file.path + ":" + std::to_string(number) + ": " + line);
    }
    return found;
}

TEST(Hygiene, MachinePathsAreRecognised)
{
    const std::string slash = "/"; // apart, so that this file passes its own test
    EXPECT_THAT(machine_paths({"a", "see " + slash + "work/main"}), testing::SizeIs(1));
    EXPECT_THAT(machine_paths({"a", "\"" + slash + "home/ann/x\""}), testing::SizeIs(1));
    EXPECT_THAT(machine_paths({"a", "PATH=" + slash + "root/bin"}), testing::SizeIs(1));
    EXPECT_THAT(machine_paths({"a", "https://example.org/work/paper.pdf and model/work/x"}), IsEmpty());
}

TEST(Hygiene, NoFileNamesAMachine)
{
    const std::vector<SourceFile> files = tracked_files();
    ASSERT_GE(files.size(), 100U);
    std::vector<std::string> found;
    for (const SourceFile& file : files)
        if (is_text(file.text) && file.path != "LICENSE")
            std::ranges::move(machine_paths(file), std::back_inserter(found));
    EXPECT_THAT(found, IsEmpty());
}

// Types that the linker sees under their name: at the border of a line and in no nameless namespace.
std::vector<std::string> linked_types(const SourceFile& file)
{
    static const std::regex type(R"(^(struct|class|enum class) (\w+)( final)?( : .*)?( \{.*)?$)"), named(R"(^namespace ([\w:]+))");
    std::vector<std::string> found;
    std::istringstream lines(file.text);
    std::string space;
    bool nameless = false;
    for (std::string line; std::getline(lines, line);) {
        std::smatch m;
        if (line == "namespace {")
            nameless = true;
        else if (line == "} // namespace")
            nameless = false;
        else if (std::regex_search(line, m, named))
            space = m[1];
        else if (!nameless && std::regex_match(line, m, type))
            found.push_back(space + "::" + m[2].str());
    }
    return found;
}

TEST(Hygiene, LinkedTypesAreRecognised)
{
    const auto types = linked_types({"a", "namespace ridgepoint {\nstruct Forward;\nstruct One {\n    struct Inside {\n};\nnamespace {\nclass Own {\n};\n} // namespace\nclass Two final : public One {\nenum class Three : int { a };\n"});
    EXPECT_EQ(types, (std::vector<std::string>{"ridgepoint::One", "ridgepoint::Two", "ridgepoint::Three"}));
}

// Two types of one name link without a word, and one is destroyed as the other.
TEST(Hygiene, NoTwoTypesShareAName)
{
    std::map<std::string, std::string> first;
    for (const SourceFile& file : files_under({"model", "views", "app"}, {".h", ".cpp"}))
        for (const std::string& name : linked_types(file)) {
            const auto [at, is_new] = first.emplace(name, file.path);
            EXPECT_TRUE(is_new || at->second == file.path) << name << " is defined in " << at->second << " and in " << file.path;
        }
    EXPECT_GT(first.size(), 300U);
}

TEST(Hygiene, HeadersAreGuarded)
{
    for (const SourceFile& file : files_under({"model", "views", "app", "tests"}, {".h"}))
        EXPECT_NE(file.text.find("#pragma once"), std::string::npos) << file.path;
}

TEST(Hygiene, TextEndsWithANewline)
{
    for (const SourceFile& file : files_under({"model", "views", "app", "tests"}, {".h", ".cpp", ".txt", ".cmake", ".py"}))
        EXPECT_TRUE(file.text.empty() || file.text.back() == '\n') << file.path;
}

// Soft limits are printed for the reviewer; half as much again is more than one concept and fails.
struct Limit {
    const char* ending;
    int soft;
};

TEST(Hygiene, FilesHoldOneConcept)
{
    constexpr int hard_header = 400;
    constexpr int hard_source = 600;
    int over = 0;
    int total = 0;
    for (const SourceFile& file : files_under({"model", "views", "app"}, {".h", ".cpp"})) {
        const bool header = file.path.ends_with(".h");
        const int lines = line_count(file.text);
        total += lines;
        if (lines > (header ? 150 : 400)) {
            std::printf("  long: %4d lines  %s\n", lines, file.path.c_str());
            ++over;
        }
        EXPECT_LE(lines, header ? hard_header : hard_source) << file.path;
    }
    std::printf("  %d lines in all, %d files over the soft limit (headers 150, sources 400)\n", total, over);
    EXPECT_GT(total, 1000);
}

} // namespace
} // namespace ridgepoint::architecture

// Includes point downwards: within the engine along the order of its floors, and from app to views to model.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

#include "tests/architecture/source_tree.h"

namespace ridgepoint::architecture {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const std::vector<std::string> cpp = {".h", ".cpp"};

std::string text_of(const std::string& path)
{
    for (const SourceFile& file : tracked_files())
        if (file.path == path)
            return file.text;
    return {};
}

std::string place(const SourceFile& file, const Include& include)
{
    return file.path + ":" + std::to_string(include.line) + " includes " + include.target;
}

bool is_qt(const std::string& target) { return std::regex_search(target, std::regex(R"(^Qt\w*(/|$)|^Q[A-Z]\w*$|^qt6?/|\.moc$|^moc_)")); }

// Edges that point upwards, as sentences.
std::vector<std::string> upward_edges(const std::vector<SourceFile>& files, const Floors& floors)
{
    std::vector<std::string> wrong;
    for (const SourceFile& file : files) {
        const std::string from = floor_of(file.path);
        const auto reach = floors.reach.find(from);
        if (reach == floors.reach.end()) {
            wrong.push_back(file.path + " is on no floor that model/CMakeLists.txt names");
            continue;
        }
        for (const Include& include : includes_of(file.text)) {
            const std::string to = floor_of(include.target);
            if (!to.empty() && !reach->second.contains(to))
                wrong.push_back(place(file, include) + ": " + from + " may not reach " + to);
        }
    }
    return wrong;
}

std::vector<std::string> includes_into(const std::vector<SourceFile>& files, const std::vector<std::string>& forbidden)
{
    std::vector<std::string> wrong;
    for (const SourceFile& file : files)
        for (const Include& include : includes_of(file.text))
            for (const std::string& prefix : forbidden)
                if (include.target.starts_with(prefix))
                    wrong.push_back(place(file, include));
    return wrong;
}

TEST(Includes, FloorsAreReadInOrder)
{
    const Floors floors = floors_of("ridgepoint_floor(base LIBRARIES fmt::fmt)\n"
                                    "ridgepoint_floor(units USES base)\n"
                                    "ridgepoint_floor(trace USES units LIBRARIES ZLIB::ZLIB)\n");
    EXPECT_THAT(floors.order, ElementsAre("base", "units", "trace"));
    EXPECT_THAT(floors.reach.at("trace"), ElementsAre("base", "trace", "units"));
}

TEST(Includes, AnUpwardEdgeIsFound)
{
    const Floors floors = floors_of("ridgepoint_floor(base)\nridgepoint_floor(units USES base)\nridgepoint_floor(trace USES base)\n");
    EXPECT_THAT(upward_edges({{"model/base/error.h", "#pragma once\n#include \"model/units/format.h\"\n"}}, floors),
        ElementsAre("model/base/error.h:2 includes model/units/format.h: base may not reach units"));
    EXPECT_THAT(upward_edges({{"model/trace/a.cpp", "#include \"model/units/format.h\"\n"}}, floors), testing::SizeIs(1)) << "sideways";
    EXPECT_THAT(upward_edges({{"model/units/a.cpp", "#include \"model/base/error.h\"\n#include <vector>\n"}}, floors), IsEmpty());
    EXPECT_THAT(upward_edges({{"model/attic/a.cpp", ""}}, floors), testing::SizeIs(1));
}

TEST(Includes, QtIsRecognised)
{
    for (const char* header : {"QString", "QtWidgets/QtWidgets", "QtCharts/QChart", "Qt", "qt6/QtCore/QObject", "store.moc"})
        EXPECT_TRUE(is_qt(header)) << header;
    for (const char* header : {"Quantity.h", "model/units/quantity.h", "queue", "Eigen/QR"})
        EXPECT_FALSE(is_qt(header)) << header;
}

TEST(Includes, ModelPointsDownwards)
{
    const Floors floors = floors_of(text_of("model/CMakeLists.txt"));
    ASSERT_GE(floors.order.size(), 15U) << "model/CMakeLists.txt is no longer read right";
    const std::vector<SourceFile> files = files_under({"model"}, cpp);
    ASSERT_GE(files.size(), 50U);
    EXPECT_THAT(upward_edges(files, floors), IsEmpty());
}

TEST(Includes, ModelNeverSeesQtViewsOrApp)
{
    const std::vector<SourceFile> files = files_under({"model"}, cpp);
    EXPECT_THAT(includes_into(files, {"views/", "app/"}), IsEmpty());
    std::vector<std::string> qt;
    for (const SourceFile& file : files)
        for (const Include& include : includes_of(file.text))
            if (is_qt(include.target))
                qt.push_back(place(file, include));
    EXPECT_THAT(qt, IsEmpty());
}

TEST(Includes, TheCommandLineNeverSeesQtOrViews)
{
    const std::vector<SourceFile> files = files_under({"app/cli"}, cpp);
    ASSERT_FALSE(files.empty());
    EXPECT_THAT(includes_into(files, {"views/", "app/desktop/"}), IsEmpty());
    for (const SourceFile& file : files)
        for (const Include& include : includes_of(file.text))
            EXPECT_FALSE(is_qt(include.target)) << place(file, include);
}

TEST(Includes, ViewsNeverSeeApp) { EXPECT_THAT(includes_into(files_under({"views"}, cpp), {"app/"}), IsEmpty()); }

TEST(Includes, QuotedIncludesStartAtTheRoot)
{
    // One way to name a header: no "../", no bare neighbour, so that a file can move without its includers knowing.
    std::vector<std::string> relative;
    for (const SourceFile& file : files_under({"model", "views", "app"}, cpp))
        for (const Include& include : includes_of(file.text))
            if (include.target.starts_with("../") || include.target.starts_with("./"))
                relative.push_back(place(file, include));
    EXPECT_THAT(relative, IsEmpty());
}

} // namespace
} // namespace ridgepoint::architecture

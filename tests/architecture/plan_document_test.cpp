// docs/plan-file.md lists every field of a plan; the list is the engine's own table, so it cannot fall behind.
// RIDGEPOINT_UPDATE_DOCS=1 writes it anew.

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include <fmt/format.h>

#include "model/project/fields.h"

namespace ridgepoint {
namespace {

const std::string document = std::string(RIDGEPOINT_SOURCE_DIR) + "/docs/plan-file.md";
const std::string begin_mark = "<!-- fields: written by tests/architecture/plan_document_test.cpp -->\n";
const std::string end_mark = "<!-- end of fields -->\n";

std::string read(const std::string& file)
{
    std::ifstream in(file, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

std::string joined(const std::vector<std::string>& words)
{
    std::string text;
    for (const std::string& word : words)
        text += (text.empty() ? "`" : ", `") + word + "`";
    return text;
}

std::string number(double value)
{
    std::string digits = fmt::format("{:.0f}", value);
    if (value != static_cast<double>(static_cast<long long>(value)))
        return fmt::format("{:g}", value);
    if (value >= 1e12)
        return fmt::format("{:g}", value);
    for (int at = static_cast<int>(digits.size()) - 3; at > 0; at -= 3)
        digits.insert(static_cast<std::size_t>(at), ",");
    return digits;
}

std::string values_of(const PlanField& f)
{
    switch (f.type) {
    case FieldType::choice:
        return joined(f.choices);
    case FieldType::flag:
        return "`true`, `false`";
    case FieldType::whole:
    case FieldType::number:
        return fmt::format("{} to {}{}", number(f.minimum), number(f.maximum), f.unit.empty() ? "" : " " + f.unit);
    case FieldType::model:
        return "id in `specs/models`";
    case FieldType::instance:
        return "id in `specs/instances`";
    case FieldType::text:
        return "text";
    }
    return {};
}

std::string field_tables()
{
    std::string text;
    std::string group;
    for (const PlanField& f : plan_fields()) {
        if (f.group != group) {
            group = f.group;
            text += fmt::format("\n### {}\n\n| field | values | meaning | default from |\n|---|---|---|---|\n", group);
        }
        const char* only = f.training && f.serving ? "" : f.training ? " Training." : " Serving.";
        text += fmt::format("| `{}` | {} | {}{} | {} |\n", f.path, values_of(f), f.help, only, f.source);
    }
    return text + "\n";
}

TEST(PlanDocument, ListsEveryFieldOfTheTable)
{
    std::string text = read(document);
    const std::size_t begin = text.find(begin_mark);
    const std::size_t end = text.find(end_mark);
    ASSERT_NE(begin, std::string::npos);
    ASSERT_NE(end, std::string::npos);
    const std::size_t start = begin + begin_mark.size();
    const std::string wanted = field_tables();
    if (std::getenv("RIDGEPOINT_UPDATE_DOCS") != nullptr) { // NOLINT(concurrency-mt-unsafe)
        std::ofstream(document, std::ios::binary) << text.substr(0, start) << wanted << text.substr(end);
        return;
    }
    EXPECT_EQ(text.substr(start, end - start), wanted) << "run this test with RIDGEPOINT_UPDATE_DOCS=1 and commit the document";
}

} // namespace
} // namespace ridgepoint

// The plan's file: round trips, defaults, located errors, atomic saving, migrations.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <sys/stat.h>

#include <nlohmann/json.hpp>

#include "model/project/fields.h"
#include "model/project/migrations.h"
#include "model/project/plan.h"
#include "model/project/plan_schema.h"
#include "model/specs/schema.h"

namespace ridgepoint {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

std::string read(const fs::path& file)
{
    std::ifstream in(file, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

class Folder {
public:
    Folder()
    {
        std::string pattern = (fs::temp_directory_path() / "ridgepoint-plan-XXXXXX").string();
        m_path = mkdtemp(pattern.data());
    }
    ~Folder()
    {
        std::error_code ec;
        fs::remove_all(m_path, ec);
    }
    [[nodiscard]] fs::path operator/(const std::string& name) const { return m_path / name; }
    [[nodiscard]] const fs::path& path() const { return m_path; }

private:
    fs::path m_path;
};

const char* const kinds[] = {"pretraining", "fine_tuning", "lora", "prefill", "decode", "serving"};

Plan plan_of(const std::string& kind)
{
    Plan p = example_plan();
    EXPECT_TRUE(set_field(p, "/workload/kind", kind));
    return p;
}

TEST(PlanFile, EveryFieldOfEveryKindSurvivesARoundTrip)
{
    for (const char* kind : kinds) {
        Plan p = plan_of(kind);
        int changed = 0;
        for (const PlanField& f : plan_fields()) {
            if (f.path == "/workload/kind" || field_value(p, f.path).empty())
                continue;
            std::string other;
            switch (f.type) {
            case FieldType::flag:
                other = field_value(p, f.path) == "true" ? "false" : "true";
                break;
            case FieldType::choice:
                other = choices_for(f, p).back();
                break;
            case FieldType::whole:
                other = std::to_string(static_cast<long>(std::min(f.minimum + 3, f.maximum)));
                break;
            case FieldType::number:
                other = field_value(p, f.path) == "0.37" ? "0.38" : f.maximum < 0.5 ? "0.25" : f.minimum > 0.37 ? "1.37" : "0.37";
                if (std::stod(other) > f.maximum)
                    other = "0.5";
                break;
            default:
                other = "other-" + std::to_string(changed);
            }
            const Plan before = p;
            ASSERT_TRUE(set_field(p, f.path, other)) << f.path << " = " << other;
            EXPECT_EQ(field_value(p, f.path), other) << f.path;
            if (field_value(before, f.path) != other) {
                EXPECT_FALSE(before == p) << f.path << " is not compared";
            }
            ++changed;
        }
        EXPECT_GT(changed, 30);
        const Expected<Plan> again = plan_from_text(to_text(p), "p");
        ASSERT_TRUE(again) << again.error().text();
        EXPECT_TRUE(*again == p) << kind << "\n" << to_text(p) << to_text(*again);
        EXPECT_EQ(to_text(*again), to_text(p));
    }
}

TEST(PlanFile, UnitsOfTheFileAreExact)
{
    Plan p = plan_of("serving");
    ASSERT_TRUE(set_field(p, "/assumptions/host_per_request_us", "6.1"));
    EXPECT_EQ(field_value(p, "/assumptions/host_per_request_us"), "6.1"); // not 6.1000000000000005
    EXPECT_DOUBLE_EQ(p.assumptions.host_per_request.value(), 6.1e-6);
    ASSERT_TRUE(set_field(p, "/assumptions/runtime_reserve_gib", "2.5"));
    EXPECT_DOUBLE_EQ(p.assumptions.runtime_reserve.value(), 2.5 * 1024 * 1024 * 1024);
}

TEST(PlanFile, MissingFieldsTakeTheDefaultsOfTheKind)
{
    const Expected<Plan> training = plan_from_text(R"({"ridgepoint": 1})", "p");
    ASSERT_TRUE(training) << training.error().text();
    EXPECT_TRUE(std::holds_alternative<Training>(training->workload));
    EXPECT_EQ(training->layout.dp, 0); // follows from the GPUs
    EXPECT_EQ(training->assumptions.framework, Framework::megatron);
    const Expected<Plan> serving = plan_from_text(R"({"ridgepoint": 1, "workload": {"kind": "decode"}})", "p");
    ASSERT_TRUE(serving) << serving.error().text();
    EXPECT_EQ(std::get<Serving>(serving->workload).phase, ServingPhase::decode);
    EXPECT_EQ(serving->assumptions.framework, Framework::vllm);
    EXPECT_TRUE(serving->layout.cuda_graphs);
}

struct Wrong {
    const char* text;
    int line;
    const char* pointer;
    const char* says;
};

TEST(PlanFile, MistakesAreLocated)
{
    const Wrong cases[] = {
        {"{\n \"ridgepoint\": 1,\n \"layout\": {\n  \"pt\": 4 }}", 4, "/layout/pt", "Did you mean"},
        {"{\n \"ridgepoint\": 1,\n \"layuot\": {}}", 3, "/layuot", "\"layout\""},
        {"{\n \"ridgepoint\": 1,\n \"layout\": {\n  \"tp\": 0 }}", 4, "/layout/tp", "from 1 to"},
        {"{\n \"ridgepoint\": 1,\n \"layout\": {\n  \"tp\": 2.5 }}", 4, "/layout/tp", "whole"},
        {"{\n \"ridgepoint\": 1,\n \"layout\": {\n  \"tp\": \"8\" }}", 4, "/layout/tp", "number"},
        {"{\n \"ridgepoint\": 1,\n \"layout\": {\n  \"tp\": 1e300 }}", 4, "/layout/tp", "out of range"},
        {"{\n \"ridgepoint\": 1,\n \"layout\": {\n  \"sequence_parallel\": 1 }}", 4, "/layout/sequence_parallel", "true or false"},
        {"{\n \"ridgepoint\": 1,\n \"layout\": {\n  \"recompute\": \"some\" }}", 4, "/layout/recompute", "selective"},
        {"{\n \"ridgepoint\": 1,\n \"layout\": 3}", 3, "/layout", "object"},
        {"{\n \"ridgepoint\": 1,\n \"workload\": {\"kind\": \"training\"}}", 3, "/workload/kind", "pretraining"},
        {"{\n \"ridgepoint\": 1,\n \"workload\": {\"kind\": \"decode\",\n  \"global_batch\": 8}}", 4, "/workload/global_batch", "does not belong"},
        {"{\n \"ridgepoint\": 1,\n \"price\": {\"custom_usd_per_gpu_hour\": -1}}", 3, "/price/custom_usd_per_gpu_hour", "out of range"},
        {"{\n \"ridgepoint\": 99}", 2, "/ridgepoint", "newer version"},
        {"{\n \"ridgepoint\": \"1\"}", 2, "/ridgepoint", "version"},
        {"{ \"name\": \"x\" }", 1, "", "not a Ridgepoint plan"},
        {"[1]", 1, "", "object"},
        {"{\n \"ridgepoint\": 1,\n \"name\": \"a\",\n \"name\": \"b\"}", 4, "/name", "twice"},
        {"{\n \"ridgepoint\": 1,\n", 3, "", "ends"},
        {"{\n \"ridgepoint\": 1,\n \"snapshots\": {\"modles\": {}}}", 3, "/snapshots/modles", "no such kind"},
        {"{\n \"ridgepoint\": 1,\n \"snapshots\": {\"models\": {\"a\": {\"id\": \"b\"}}}}", 3, "/snapshots/models/a", "carry the id"},
    };
    for (const Wrong& w : cases) {
        const Expected<Plan> p = plan_from_text(w.text, "my.ridgepoint");
        ASSERT_FALSE(p) << w.text;
        EXPECT_EQ(p.error().kind, ErrorKind::bad_input) << w.text;
        EXPECT_EQ(p.error().place.file, "my.ridgepoint");
        EXPECT_EQ(p.error().place.line, w.line) << p.error().text();
        EXPECT_EQ(p.error().place.pointer, w.pointer) << p.error().text();
        EXPECT_THAT(p.error().text(), HasSubstr(w.says)) << w.text;
    }
}

TEST(PlanFile, HostileTextIsRefusedNotObeyed)
{
    std::string deep = R"({"ridgepoint": 1, "layout": )";
    for (int i = 0; i < 100'000; ++i)
        deep += "{\"a\":";
    EXPECT_FALSE(plan_from_text(deep, "p"));
    EXPECT_FALSE(plan_from_text(std::string("{\"ridgepoint\": 1, \"name\": \"a\0b\"}", 32), "p"));
    EXPECT_FALSE(plan_from_text("{\"ridgepoint\": 1, \"name\": \"\xff\"}", "p"));
    EXPECT_FALSE(plan_from_text("", "p"));
    EXPECT_FALSE(plan_from_text("{\"ridgepoint\": 1, \"name\": \"" + std::string(1000, 'x') + "\"}", "p"));
    EXPECT_FALSE(load_plan("/dev/zero"));
    EXPECT_FALSE(load_plan("/"));
}

TEST(PlanFile, SavesWholeAndLeavesNothingBeside)
{
    const Folder folder;
    const std::string file = (folder / "a plan.ridgepoint").string();
    Plan p = example_plan();
    ASSERT_TRUE(save_plan(p, file));
    Expected<Plan> loaded = load_plan(file);
    ASSERT_TRUE(loaded) << loaded.error().text();
    EXPECT_TRUE(*loaded == p);
    p.name = "second";
    ASSERT_TRUE(save_plan(p, file));
    EXPECT_EQ(load_plan(file)->name, "second");
    EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 1);
}

TEST(PlanFile, SavingThroughALinkKeepsTheLink)
{
    const Folder folder;
    ASSERT_TRUE(save_plan(example_plan(), (folder / "real.ridgepoint").string()));
    fs::create_symlink(folder / "real.ridgepoint", folder / "link.ridgepoint");
    Plan p = example_plan();
    p.name = "through the link";
    ASSERT_TRUE(save_plan(p, (folder / "link.ridgepoint").string()));
    EXPECT_TRUE(fs::is_symlink(folder / "link.ridgepoint"));
    EXPECT_EQ(load_plan((folder / "real.ridgepoint").string())->name, "through the link");
}

TEST(PlanFile, AFailedSaveLeavesTheOldFileAndSaysWhy)
{
    const Folder folder;
    const Status s = save_plan(example_plan(), (folder / "no such folder/p.ridgepoint").string());
    ASSERT_FALSE(s);
    EXPECT_EQ(s.error().kind, ErrorKind::io);
    EXPECT_THAT(s.error().text(), HasSubstr("no such folder"));
    fs::create_directory(folder / "taken.ridgepoint"); // a folder of that name: rename must fail
    std::ofstream(folder / "taken.ridgepoint" / "x") << "x";
    EXPECT_FALSE(save_plan(example_plan(), (folder / "taken.ridgepoint").string()));
    EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 1) << "no temporary file stays";
}

TEST(PlanFile, SavingOntoAPipeOrADeviceIsRefusedAndLeavesIt)
{
    const Folder folder;
    const fs::path pipe = folder / "pipe.ridgepoint"; // stands for /dev/null, which a failing test must not touch
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    const Status s = save_plan(example_plan(), pipe.string());
    ASSERT_FALSE(s);
    EXPECT_EQ(s.error().kind, ErrorKind::io);
    EXPECT_TRUE(fs::is_fifo(pipe));
    EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 1);
}

TEST(PlanFile, OldVersionsAreMigratedStepByStep)
{
    const MigrationStep steps[] = {
        [](nlohmann::json& p) { p["layout"]["tp"] = p["tensor_parallel"]; p.erase("tensor_parallel"); },
        [](nlohmann::json& p) { p["layout"]["tp"] = p["layout"]["tp"].get<int>() * 2; },
    };
    const auto run = [&](const char* text) {
        Expected<JsonDocument> d = parse_json(text, "old");
        EXPECT_TRUE(d);
        return migrate(std::move(*d), steps);
    };
    Expected<JsonDocument> from1 = run(R"({"ridgepoint": 1, "tensor_parallel": 4})");
    ASSERT_TRUE(from1);
    EXPECT_EQ(from1->root()["layout"]["tp"], 8);
    EXPECT_EQ(from1->root()["ridgepoint"], 3);
    EXPECT_FALSE(from1->root().contains("tensor_parallel"));
    Expected<JsonDocument> from2 = run(R"({"ridgepoint": 2, "layout": {"tp": 4}})");
    ASSERT_TRUE(from2);
    EXPECT_EQ(from2->root()["layout"]["tp"], 8);
    Expected<JsonDocument> newest = run(R"({"ridgepoint": 3, "layout": {"tp": 4}})");
    ASSERT_TRUE(newest);
    EXPECT_EQ(newest->root()["layout"]["tp"], 4);
}

// The schema is for editors and other programs: it must say what the reader does.
TEST(PlanSchema, IsTheOneInTheCatalogueAndAcceptsWhatIsWritten)
{
    const std::string file = std::string(RIDGEPOINT_SOURCE_DIR) + "/specs/schema/plan.schema.json";
    if (std::getenv("RIDGEPOINT_UPDATE_DOCS") != nullptr)
        std::ofstream(file, std::ios::binary) << plan_schema_text();
    EXPECT_EQ(read(file), plan_schema_text()) << "RIDGEPOINT_UPDATE_DOCS=1 writes it anew";
    Expected<JsonDocument> document = parse_json(plan_schema_text(), "plan.schema.json");
    ASSERT_TRUE(document);
    Expected<Schema> schema = Schema::compile(std::move(*document));
    ASSERT_TRUE(schema) << schema.error().text();
    for (const char* kind : kinds) {
        Expected<JsonDocument> plan = parse_json(to_text(plan_of(kind)), kind);
        ASSERT_TRUE(plan);
        const auto violation = schema->check(*plan);
        EXPECT_FALSE(violation) << violation->text();
    }
    for (const char* wrong : {R"({"ridgepoint":1,"layout":{"tp":0}})", R"({"ridgepoint":1,"layout":{"pt":1}})", R"({"ridgepoint":1,"precision":{"recipe":"fp7"}})", R"({})"}) {
        Expected<JsonDocument> plan = parse_json(wrong, "wrong");
        ASSERT_TRUE(plan);
        EXPECT_TRUE(schema->check(*plan)) << wrong;
        EXPECT_FALSE(plan_from_text(wrong, "wrong")) << wrong;
    }
}

} // namespace
} // namespace ridgepoint

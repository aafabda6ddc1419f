#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <nlohmann/json.hpp>

#include "model/specs/nearest.h"
#include "model/specs/reader.h"
#include "model/specs/sourced_values.h"
#include "model/specs/store.h"

namespace ridgepoint {
namespace {

namespace fs = std::filesystem;

class SpecFiles : public ::testing::Test {
protected:
    void SetUp() override
    {
        std::string pattern = (fs::temp_directory_path() / "ridgepoint-specs-XXXXXX").string();
        ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
        m_root = pattern;
    }
    void TearDown() override { fs::remove_all(m_root); }

    void write(const std::string& path, const std::string& text) const
    {
        fs::create_directories((m_root / path).parent_path());
        std::ofstream(m_root / path, std::ios::binary) << text;
    }
    [[nodiscard]] SpecDirectory layer(const std::string& folder, const std::string& name) const { return {(m_root / folder).string(), name}; }

    fs::path m_root;
};

TEST_F(SpecFiles, LaterLayersReplaceById)
{
    for (const char* name : {"b", "s", "u", "p"})
        write(std::string(name) + "/fabrics/net.json", std::string("{\"id\": \"net\", \"from\": \"") + name + "\"}");
    write("b/fabrics/only.json", R"({"id": "only", "from": "b"})");
    const std::vector<SpecDirectory> all = {layer("b", "built-in"), layer("s", "system"), layer("u", "user"), layer("p", "project")};
    for (std::size_t n = 1; n <= all.size(); ++n) {
        const auto store = SpecStore::load({all.begin(), all.begin() + static_cast<std::ptrdiff_t>(n)});
        ASSERT_TRUE(store.has_value()) << store.error().text();
        EXPECT_EQ((**store->document(SpecKind::fabric, "net"))["from"], std::string("bsup").substr(n - 1, 1));
        EXPECT_EQ(store->layer_of(SpecKind::fabric, "net"), all[n - 1].layer);
        EXPECT_EQ(store->layer_of(SpecKind::fabric, "only"), "built-in");
        EXPECT_EQ(store->ids(SpecKind::fabric), (std::vector<std::string>{"net", "only"}));
    }
}

TEST_F(SpecFiles, TheSchemaOfTheBuiltInLayerHoldsForAll)
{
    write("b/schema/fabric.schema.json", R"({"required": ["id", "kind"]})");
    write("b/fabrics/net.json", R"({"id": "net", "kind": "efa"})");
    write("p/schema/fabric.schema.json", R"({})"); // an attempt to loosen it
    write("p/fabrics/mine.json", "{\n  \"id\": \"mine\"\n}");
    const auto store = SpecStore::load({layer("b", "built-in"), layer("p", "project")});
    ASSERT_FALSE(store.has_value());
    EXPECT_EQ(store.error().place.file, (m_root / "p/fabrics/mine.json").string());
    EXPECT_EQ(store.error().place.line, 1);
    EXPECT_NE(store.error().message.find("kind"), std::string::npos);
}

TEST_F(SpecFiles, MistakesInFilesAreLocated)
{
    struct Row {
        const char* text;
        int line;
        const char* pointer;
    };
    for (const Row& row : {Row{"[]", 1, ""}, Row{"{\n}", 1, ""}, Row{"{\n\"id\": 5}", 2, "/id"}, Row{"{\n\"id\": \"other\"}", 2, "/id"},
             Row{"{\n\"id\": \"../x\"}", 2, "/id"}, Row{"{\"id\": \"net\",\n\"id\": \"net\"}", 2, "/id"}, Row{"{\"id\": \"net\",", 1, ""},
             Row{"{\"id\": \"net\",\n\"sources\": 4}", 2, "/sources"}, Row{"{\"id\": \"net\",\n\"sources\": {\"a\": {\"title\": 1}}}", 2, "/sources/a/title"}}) {
        write("b/fabrics/net.json", row.text);
        const auto store = SpecStore::load({layer("b", "built-in")});
        ASSERT_FALSE(store.has_value()) << row.text;
        EXPECT_EQ(store.error().place.line, row.line) << store.error().text();
        EXPECT_EQ(store.error().place.pointer, row.pointer) << store.error().text();
        EXPECT_EQ(store.error().kind, ErrorKind::bad_input);
    }
}

TEST_F(SpecFiles, ForeignFilesInAFolderAreLeftAlone)
{
    write("b/fabrics/net.json", R"({"id": "net"})");
    write("b/fabrics/README.md", "not JSON");
    write("b/fabrics/.net.json.swp", "x");
    write("b/fabrics/.hidden.json", "x");
    const auto store = SpecStore::load({layer("b", "built-in")});
    ASSERT_TRUE(store.has_value()) << store.error().text();
    EXPECT_EQ(store->ids(SpecKind::fabric).size(), 1u);
    EXPECT_FALSE(SpecStore::load({layer("nowhere", "built-in")}).has_value());
}

TEST_F(SpecFiles, SourcesAreResolvedFromTheFileThenTheSharedTable)
{
    write("b/sources.json", R"({"sources": {"shared": {"title": "Data sheet", "url": "https://a", "date": "2024"}, "both": {"title": "Shared"}}})");
    write("b/fabrics/net.json", R"({
      "id": "net", "source": "shared",
      "sources": {"both": {"title": "Own", "url": "https://own"}},
      "rate": {"value": 3.35, "unit": "TB/s", "source": ["both", "shared"], "date": "2024-05", "confidence": "high", "note": "why",
        "conflicts": [{"value": 3.2, "unit": "TB/s", "source": "shared", "note": "older"}, {"value": 3, "unit": "TB/s", "source": "a letter"}]},
      "deep": {"plain": 7}
    })");
    const auto store = SpecStore::load({layer("b", "built-in")});
    ASSERT_TRUE(store.has_value()) << store.error().text();
    for (const char* at : {"/rate", "/rate/value"}) {
        const auto p = store->provenance(SpecKind::fabric, "net", at);
        ASSERT_TRUE(p.has_value()) << at;
        EXPECT_EQ(p->value, "3.35 TB/s");
        EXPECT_EQ(p->source, "Own; Data sheet");
        EXPECT_EQ(p->url, "https://own");
        EXPECT_EQ(p->date, "2024-05");
        EXPECT_EQ(p->confidence, "high");
        EXPECT_EQ(p->note, "why");
        EXPECT_EQ(p->conflicts, (std::vector<std::string>{"3.2 TB/s (Data sheet): older", "3 TB/s (a letter)"}));
        EXPECT_EQ(p->place.line, 4);
    }
    const auto inherited = store->provenance(SpecKind::fabric, "net", "/deep/plain"); // from the document's own source
    ASSERT_TRUE(inherited.has_value());
    EXPECT_EQ(inherited->value, "7");
    EXPECT_EQ(inherited->source, "Data sheet");
    EXPECT_EQ(inherited->date, "2024");
    EXPECT_EQ(inherited->holder, "");
    EXPECT_FALSE(store->provenance(SpecKind::fabric, "net", "/nothing").has_value());
    EXPECT_FALSE(store->provenance(SpecKind::fabric, "none", "/rate").has_value());
}

// A constant of a law has its own value, and the source, note and fit of the law; what it says itself goes first.
TEST_F(SpecFiles, AConstantHasTheProvenanceOfItsLaw)
{
    write("b/fabrics/net.json", R"({
      "id": "net",
      "laws": {
        "ring": {"source": "a table", "note": "rows of 2026", "date": "2026-11-30", "confidence": "high",
          "base": {"value": 4.5, "unit": "us"}, "guess": {"value": 0.5, "unit": "1", "confidence": "low"},
          "residual_median": {"value": 0.039, "unit": "1"}, "residual_p90": {"value": 0.14, "unit": "1"}, "rows": {"value": 465, "unit": "count"}},
        "staged": {"source": "a guess", "fraction": {"value": 0.5, "unit": "1"}}
      }
    })");
    const auto store = SpecStore::load({layer("b", "built-in")});
    ASSERT_TRUE(store.has_value()) << store.error().text();
    for (const char* at : {"/laws/ring/base", "/laws/ring/base/value"}) {
        const auto p = store->provenance(SpecKind::fabric, "net", at);
        ASSERT_TRUE(p.has_value()) << at;
        EXPECT_EQ(p->value, "4.5 us");
        EXPECT_EQ(p->holder, "/laws/ring");
        ASSERT_TRUE(p->fit.has_value());
        EXPECT_EQ(p->fit->rows, 465);
        EXPECT_EQ(text_of(*p), "a table; rows of 2026; 2026-11-30, confidence high; 465 rows, error 3.9 % (median), 14.0 % (90th percentile)");
    }
    EXPECT_EQ(store->provenance(SpecKind::fabric, "net", "/laws/ring/guess")->confidence, "low");
    EXPECT_EQ(store->provenance(SpecKind::fabric, "net", "/laws/ring/guess")->note, "rows of 2026");
    EXPECT_FALSE(store->provenance(SpecKind::fabric, "net", "/laws/staged/fraction")->fit.has_value());

    const std::vector<SourcedValues> laws = sourced_values(*store, SpecKind::fabric, "net");
    ASSERT_EQ(laws.size(), 2U);
    EXPECT_EQ(laws[0].pointer, "/laws/ring");
    EXPECT_EQ(laws[0].values, (std::vector<std::pair<std::string, std::string>>{{"base", "4.5 us"}, {"guess", "0.5"}}));
    EXPECT_TRUE(sourced_values(*store, SpecKind::fabric, "none").empty());
}

TEST(SpecStore, CopiesAreIndependentAndAddReplaces)
{
    SpecStore a;
    ASSERT_TRUE(a.add(SpecKind::model, R"({"id": "m", "v": 1})", "one", "project").has_value());
    SpecStore b = a;
    const std::string hash = a.content_hash(SpecKind::model, "m");
    ASSERT_TRUE(b.add(SpecKind::model, R"({"id": "m", "v": 2})", "two", "project").has_value());
    EXPECT_EQ((**a.document(SpecKind::model, "m"))["v"], 1);
    EXPECT_EQ((**b.document(SpecKind::model, "m"))["v"], 2);
    EXPECT_NE(hash, b.content_hash(SpecKind::model, "m"));
    EXPECT_EQ(hash.size(), 16u);
    SpecStore c = std::move(b);
    EXPECT_TRUE(c.contains(SpecKind::model, "m"));
    const Status bad = c.add(SpecKind::model, R"({"v": 1})", "three", "project");
    ASSERT_FALSE(bad.has_value());
    EXPECT_EQ(bad.error().place.file, "three");
    EXPECT_EQ((**c.document(SpecKind::model, "m"))["v"], 2); // a refused document changes nothing
}

TEST(SpecStore, TheHashSeesContentNotLayout)
{
    SpecStore a, b, c;
    ASSERT_TRUE(a.add(SpecKind::model, R"({"id": "m", "x": [1, 2], "y": "é"})", "", "").has_value());
    ASSERT_TRUE(b.add(SpecKind::model, "{\"y\":\"\\u00e9\",\r\n\t\"x\":[1,2],\"id\":\"m\"}", "", "").has_value());
    ASSERT_TRUE(c.add(SpecKind::model, R"({"id": "m", "x": [2, 1], "y": "é"})", "", "").has_value());
    EXPECT_EQ(a.content_hash(SpecKind::model, "m"), b.content_hash(SpecKind::model, "m"));
    EXPECT_NE(a.content_hash(SpecKind::model, "m"), c.content_hash(SpecKind::model, "m"));
    EXPECT_EQ(a.content_hash(SpecKind::model, "none"), "");
}

TEST(SpecStore, AnUnknownIdNamesTheNearest)
{
    SpecStore s;
    for (const char* id : {"p5.48xlarge", "p5en.48xlarge", "p6-b200.48xlarge"})
        ASSERT_TRUE(s.add(SpecKind::instance, std::string("{\"id\": \"") + id + "\"}", "", "").has_value());
    const auto hint = [&](const char* id) { return s.document(SpecKind::instance, id).error().hint; };
    EXPECT_NE(hint("p5ne.48xlarge").find("p5en.48xlarge"), std::string::npos);
    EXPECT_NE(hint("P5.48XLARGE").find("p5.48xlarge"), std::string::npos);
    EXPECT_NE(hint("b200").find("p6-b200.48xlarge"), std::string::npos);
    const Error far = s.document(SpecKind::instance, "zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz").error();
    EXPECT_NE(far.expected.find("p5.48xlarge"), std::string::npos);
    EXPECT_NE(s.document(SpecKind::model, "x").error().hint.find("No model"), std::string::npos);
}

TEST(Nearest, DistanceIsAMetricOnTypingErrors)
{
    EXPECT_EQ(edit_distance("", ""), 0);
    EXPECT_EQ(edit_distance("abc", ""), 3);
    EXPECT_EQ(edit_distance("h100", "H100"), 0);
    EXPECT_EQ(edit_distance("h100", "h200"), 1);
    EXPECT_EQ(edit_distance("h100", "h010"), 1); // neighbours swapped
    EXPECT_EQ(edit_distance("kitten", "sitting"), 3);
    EXPECT_EQ(edit_distance("abcd", "dcba"), edit_distance("dcba", "abcd"));
}

TEST(SpecReader, KeepsTheFirstMistakeWithItsPlace)
{
    SpecStore s;
    ASSERT_TRUE(s.add(SpecKind::fabric, "{\n\"id\": \"n\",\n\"rate\": {\"value\": 400, \"unit\": \"Gbit/s\"},\n\"size\": {\"value\": 1, \"unit\": \"GB/s\"},\n\"half\": {\"value\": 1.5, \"unit\": \"1\"},\n\"bad\": 3,\n\"minus\": {\"value\": -1, \"unit\": \"GB\"},\n\"on\": {\"value\": true}\n}", "n.json", "").has_value());
    const auto error = [&](auto use) {
        SpecReader r(s, SpecKind::fabric, "n");
        use(r);
        EXPECT_FALSE(r.ok());
        return r.ok() ? Error{} : r.error();
    };
    {
        SpecReader r(s, SpecKind::fabric, "n");
        EXPECT_DOUBLE_EQ(r.quantity<BytesPerSecond>("/rate").value(), 50e9);
        EXPECT_TRUE(r.flag_or("/on", false));
        EXPECT_DOUBLE_EQ(r.quantity_or<Bytes>("/absent", Bytes{3}).value(), 3);
        EXPECT_TRUE(r.ok());
    }
    EXPECT_EQ(error([](SpecReader& r) { (void)r.quantity<Bytes>("/size"); }).place.line, 4);
    EXPECT_EQ(error([](SpecReader& r) { (void)r.whole("/half", 0, 9); }).place.pointer, "/half/value");
    EXPECT_EQ(error([](SpecReader& r) { (void)r.number("/bad"); }).place.line, 6);
    EXPECT_EQ(error([](SpecReader& r) { (void)r.quantity<Bytes>("/minus"); }).place.line, 7);
    EXPECT_EQ(error([](SpecReader& r) { (void)r.quantity<Bytes>("/none"); }).place.line, 1);
    EXPECT_EQ(error([](SpecReader& r) { (void)r.text("/bad"); (void)r.text("/rate"); }).place.line, 6);
}

TEST(BuiltinSpecs, TheEnvironmentHasTheFirstSay)
{
    ASSERT_EQ(::setenv("RIDGEPOINT_SPECS", "/somewhere/else", 1), 0);
    EXPECT_EQ(find_builtin_specs(), "/somewhere/else");
    EXPECT_EQ(SpecStore::load_default().error().kind, ErrorKind::io);
    ASSERT_EQ(::unsetenv("RIDGEPOINT_SPECS"), 0);
    EXPECT_TRUE(fs::is_directory(find_builtin_specs())) << find_builtin_specs();
}

TEST(BuiltinSpecs, AllKindsLoadAgainstTheirSchemas)
{
    const auto store = SpecStore::load({{std::string(RIDGEPOINT_SOURCE_DIR) + "/specs", "built-in"}});
    ASSERT_TRUE(store.has_value()) << store.error().text();
    for (const SpecKind kind : {SpecKind::accelerator, SpecKind::instance, SpecKind::fabric, SpecKind::storage, SpecKind::price, SpecKind::market})
        EXPECT_FALSE(store->ids(kind).empty()) << name_of(kind);
}

} // namespace
} // namespace ridgepoint

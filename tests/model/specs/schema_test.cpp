#include <gtest/gtest.h>

#include "model/specs/schema.h"

namespace ridgepoint {
namespace {

Schema compile(const std::string& text)
{
    Expected<JsonDocument> d = parse_json(text, "s.schema.json");
    EXPECT_TRUE(d.has_value()) << (d ? "" : d.error().text());
    Expected<Schema> s = Schema::compile(std::move(*d));
    EXPECT_TRUE(s.has_value()) << (s ? "" : s.error().text());
    return std::move(*s);
}

const char* const shape = R"({
  "$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object",
  "required": ["id", "kind"], "additionalProperties": false,
  "properties": {
    "id": { "type": "string", "pattern": "^[a-z0-9-]+$", "minLength": 2 },
    "kind": { "enum": ["gpu", "cpu"] },
    "version": { "const": 1 },
    "count": { "type": "integer", "minimum": 1, "maximum": 72 },
    "share": { "type": "number", "exclusiveMinimum": 0 },
    "rates": { "type": "array", "minItems": 1, "items": { "$ref": "#/$defs/rate" } },
    "either": { "oneOf": [ { "required": ["a"] }, { "required": ["b"] } ] },
    "mixed": { "anyOf": [ { "type": "string" }, { "type": "array", "items": { "type": "string" } } ] }
  },
  "$defs": { "rate": { "type": "object", "dimension": "bandwidth", "required": ["value", "unit"] } }
})";

TEST(Schema, AcceptsWhatItDescribes)
{
    const Schema s = compile(shape);
    const auto d = parse_json(R"({"id": "b200", "kind": "gpu", "version": 1, "count": 8, "share": 0.5,
        "rates": [{"value": 8, "unit": "TB/s"}], "either": {"a": 1}, "mixed": ["x"]})", "x.json");
    const auto e = s.check(*d);
    EXPECT_FALSE(e.has_value()) << e->text();
}

TEST(Schema, EachViolationIsLocatedWithFoundAndExpected)
{
    const Schema s = compile(shape);
    struct Row {
        const char* text;
        int line;
        const char* pointer;
        const char* found; // part of it
        const char* expected; // part of it
    };
    for (const Row& row : {
             Row{"[]", 1, "", "[]", "object"},
             Row{"{\n\"id\": \"b200\"}", 1, "", "without", "kind"},
             Row{"{\"id\": \"b200\",\n\"kind\": \"tpu\"}", 2, "/kind", "tpu", "gpu, cpu"},
             Row{"{\"kind\": \"gpu\",\n\n\"id\": 7}", 3, "/id", "7", "string"},
             Row{"{\"kind\": \"gpu\", \"id\": \"B200\"}", 1, "/id", "B200", "^[a-z0-9-]+$"},
             Row{"{\"kind\": \"gpu\", \"id\": \"b\"}", 1, "/id", "\"b\"", "2 characters"},
             Row{"{\"kind\": \"gpu\", \"id\": \"b2\",\n\"version\": 2}", 2, "/version", "2", "1"},
             Row{"{\"kind\": \"gpu\", \"id\": \"b2\",\n\"count\": 0}", 2, "/count", "0", "at least 1"},
             Row{"{\"kind\": \"gpu\", \"id\": \"b2\",\n\"count\": 73}", 2, "/count", "73", "at most 72"},
             Row{"{\"kind\": \"gpu\", \"id\": \"b2\",\n\"count\": 1.5}", 2, "/count", "1.5", "integer"},
             Row{"{\"kind\": \"gpu\", \"id\": \"b2\",\n\"share\": 0}", 2, "/share", "0", "more than 0"},
             Row{"{\"kind\": \"gpu\", \"id\": \"b2\",\n\"rates\": []}", 2, "/rates", "[]", "at least 1"},
             Row{"{\"kind\": \"gpu\", \"id\": \"b2\",\n\"rates\": [\n{\"value\": 1}]}", 3, "/rates/0", "without", "unit"},
             Row{"{\"kind\": \"gpu\", \"id\": \"b2\",\n\"rates\": [\n{\"value\": 1, \"unit\": \"GB\"}]}", 3, "/rates/0/unit", "GB", "GB/s"},
             Row{"{\"kind\": \"gpu\", \"id\": \"b2\",\n\"extra\": 1}", 2, "/extra", "extra", "one of"},
             Row{"{\"kind\": \"gpu\", \"id\": \"b2\",\n\"either\": {}}", 2, "/either", "without", "a"},
             Row{"{\"kind\": \"gpu\", \"id\": \"b2\",\n\"either\": {\"a\": 1, \"b\": 1}}", 2, "/either", "object", "exactly one"},
             Row{"{\"kind\": \"gpu\", \"id\": \"b2\",\n\"mixed\": [\"x\",\n 5]}", 3, "/mixed/1", "5", "string"},
         }) {
        const auto d = parse_json(row.text, "x.json");
        ASSERT_TRUE(d.has_value()) << row.text;
        const auto e = s.check(*d);
        ASSERT_TRUE(e.has_value()) << row.text;
        EXPECT_EQ(e->place.file, "x.json");
        EXPECT_EQ(e->place.line, row.line) << e->text();
        EXPECT_EQ(e->place.pointer, row.pointer) << e->text();
        EXPECT_NE(e->found.find(row.found), std::string::npos) << e->text();
        EXPECT_NE(e->expected.find(row.expected), std::string::npos) << e->text();
    }
}

TEST(Schema, AWrongSchemaIsAnErrorNotACheckThatPasses)
{
    for (const char* text : {R"({"typ": "object"})", R"({"$ref": "#/$defs/none"})", R"({"$ref": "other.json#/x"})", R"({"pattern": "("})",
             R"({"dimension": "furlongs"})", R"({"minimum": "1"})", R"({"required": "id"})", R"({"properties": []})", R"({"items": 3})",
             R"({"anyOf": []})", R"({"minLength": -1})", R"({"type": 4})", "[]"}) {
        Expected<JsonDocument> d = parse_json(text, "s.schema.json");
        ASSERT_TRUE(d.has_value());
        const Expected<Schema> s = Schema::compile(std::move(*d));
        ASSERT_FALSE(s.has_value()) << text;
        EXPECT_EQ(s.error().place.file, "s.schema.json");
    }
}

TEST(Schema, CircularReferencesEnd)
{
    const Schema s = compile(R"({"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}})");
    EXPECT_TRUE(s.check(*parse_json("{}", "x")).has_value());
    // A recursive schema over finite data is fine.
    const Schema tree = compile(R"({"type": "array", "items": {"$ref": "#"}})");
    EXPECT_FALSE(tree.check(*parse_json("[[[]],[]]", "x")).has_value());
    EXPECT_TRUE(tree.check(*parse_json("[[[1]],[]]", "x")).has_value());
}

TEST(Schema, LongTextAgainstAPatternIsBounded)
{
    const Schema s = compile(R"({"pattern": "^(a|aa)+$"})");
    const auto e = s.check(*parse_json("\"" + std::string(1'000'000, 'a') + "\"", "x"));
    ASSERT_TRUE(e.has_value());
    EXPECT_NE(e->message.find("long"), std::string::npos);
}

} // namespace
} // namespace ridgepoint

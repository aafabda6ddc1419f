// Text of unknown origin: every mistake has a line and a pointer, nothing crashes, hangs or is taken for something else.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <random>

#include "model/specs/json_document.h"

namespace ridgepoint {
namespace {

Error error_of(const std::string& text, const JsonLimits& limits = {})
{
    const Expected<JsonDocument> d = parse_json(text, "x.json", limits);
    EXPECT_FALSE(d.has_value()) << text.substr(0, 80);
    return d ? Error{} : d.error();
}

TEST(JsonDocument, KnowsTheLineOfEachValue)
{
    const Expected<JsonDocument> d = parse_json("{\n  \"a\": 1,\n  \"b\": [\n    10,\n    { \"c/d\": true }\n  ]\n}\n", "x.json");
    ASSERT_TRUE(d.has_value());
    EXPECT_EQ(d->line_of(""), 1);
    EXPECT_EQ(d->line_of("/a"), 2);
    EXPECT_EQ(d->line_of("/b"), 3);
    EXPECT_EQ(d->line_of("/b/0"), 4);
    EXPECT_EQ(d->line_of("/b/1/c~1d"), 5);
    EXPECT_EQ(d->line_of("/b/7"), 3); // not there: its list
    EXPECT_EQ(d->line_of("/bb"), 1); // "/b" is no ancestor of "/bb"
    ASSERT_NE(d->find("/b/1/c~1d"), nullptr);
    EXPECT_EQ(*d->find("/b/1/c~1d"), true);
    EXPECT_EQ(d->find("/b/01"), nullptr);
    EXPECT_EQ(d->find("/b/-"), nullptr);
    EXPECT_EQ(d->find("b"), nullptr);
    EXPECT_EQ(d->find("/b/1/c~2d"), nullptr);
    EXPECT_EQ(d->find("/b/99999999999999999999"), nullptr);
}

TEST(JsonDocument, LineEndsOfEveryKindCount)
{
    EXPECT_EQ(parse_json("{\r\n\"a\":\r\n1}", "x")->line_of("/a"), 3);
    EXPECT_EQ(parse_json("{\r\"a\":\r1}", "x")->line_of("/a"), 3);
    EXPECT_EQ(parse_json("\xEF\xBB\xBF{\n\"a\":1}", "x")->line_of("/a"), 2); // byte order mark
}

TEST(JsonDocument, NumbersKeepTheirKindAndValue)
{
    const Expected<JsonDocument> d = parse_json("[0, -0.0, 18446744073709551615, -9223372036854775808, 1e-3, 98765432109876543210, 0.1]", "x");
    ASSERT_TRUE(d.has_value());
    EXPECT_TRUE(d->root()[2].is_number_unsigned());
    EXPECT_EQ(d->root()[2].get<std::uint64_t>(), 18446744073709551615ull);
    EXPECT_EQ(d->root()[3].get<std::int64_t>(), std::numeric_limits<std::int64_t>::min());
    EXPECT_DOUBLE_EQ(d->root()[4].get<double>(), 0.001);
    EXPECT_DOUBLE_EQ(d->root()[5].get<double>(), 98765432109876543210.0);
    EXPECT_EQ(d->root()[6].get<double>(), 0.1);
}

TEST(JsonDocument, StringsDecode)
{
    const Expected<JsonDocument> d = parse_json(R"(["\u00e9\ud83d\ude00\n\"\\\/", "é😀"])", "x");
    ASSERT_TRUE(d.has_value());
    EXPECT_EQ(d->root()[0].get<std::string>(), "é😀\n\"\\/");
    EXPECT_EQ(d->root()[1].get<std::string>(), "é😀");
}

TEST(JsonDocument, DuplicateKeyIsLocated)
{
    const Error e = error_of("{\n \"layout\": {\n  \"tp\": 8,\n  \"tp\": 4\n }\n}");
    EXPECT_EQ(e.place.file, "x.json");
    EXPECT_EQ(e.place.line, 4);
    EXPECT_EQ(e.place.pointer, "/layout/tp");
    // The same key spelled with an escape is the same key.
    EXPECT_EQ(error_of("{\"a\": 1, \"\\u0061\": 2}").place.pointer, "/a");
}

TEST(JsonDocument, WhatIsNotJsonIsRefusedWithAPlace)
{
    struct Row {
        const char* text;
        int line;
        const char* pointer;
    };
    for (const Row& row : {
             Row{"", 1, ""}, Row{"   \n ", 2, ""}, Row{"{\"a\": NaN}", 1, "/a"}, Row{"{\"a\": Infinity}", 1, "/a"},
             Row{"{\"a\": -Infinity}", 1, "/a"}, Row{"{\"a\": nan}", 1, "/a"}, Row{"[1e999]", 1, "/0"}, Row{"[-1e999]", 1, "/0"},
             Row{"[01]", 1, "/0"}, Row{"[1.]", 1, "/0"}, Row{"[.5]", 1, "/0"}, Row{"[1e]", 1, "/0"}, Row{"[+1]", 1, "/0"},
             Row{"[0x1F]", 1, ""}, Row{"[1,]", 1, ""}, Row{"[\n1\n2]", 3, ""}, Row{"{\"a\":1,}", 1, ""}, Row{"{a:1}", 1, ""},
             Row{"{\"a\" 1}", 1, "/a"}, Row{"{'a':1}", 1, ""}, Row{"// c\n{}", 1, ""}, Row{"{} {}", 1, ""}, Row{"[tru]", 1, "/0"},
             Row{"[\"a\nb\"]", 1, "/0"}, Row{"[\"\\x\"]", 1, "/0"}, Row{"[\"\\u12G4\"]", 1, "/0"}, Row{"[\"\\ud800\"]", 1, "/0"},
             Row{"[\"\\ud800\\u0041\"]", 1, "/0"}, Row{"[\"\\udc00\"]", 1, "/0"}, Row{"[\"\xC0\xAF\"]", 1, "/0"},
             Row{"[\"\xED\xA0\x80\"]", 1, "/0"}, Row{"[\"\xF5\x80\x80\x80\"]", 1, "/0"}, Row{"[\"\xFF\"]", 1, "/0"},
         }) {
        const Error e = error_of(row.text);
        EXPECT_EQ(e.place.line, row.line) << row.text << " -> " << e.text();
        EXPECT_EQ(e.place.pointer, row.pointer) << row.text << " -> " << e.text();
        EXPECT_FALSE(e.message.empty()) << row.text;
    }
}

TEST(JsonDocument, EveryTruncationIsAnError)
{
    const std::string whole = R"({"a": [1.5e3, true, null, "x\u00e9"], "b": {"c": -2}})";
    ASSERT_TRUE(parse_json(whole, "x").has_value());
    for (std::size_t n = 0; n < whole.size(); ++n)
        EXPECT_FALSE(parse_json(whole.substr(0, n), "x").has_value()) << n;
}

TEST(JsonDocument, SizeDepthAndCountAreBounded)
{
    EXPECT_TRUE(parse_json(std::string(64, '[') + std::string(64, ']'), "x").has_value());
    EXPECT_NE(error_of(std::string(65, '[') + std::string(65, ']')).message.find("deep"), std::string::npos);
    EXPECT_NE(error_of(std::string(1'000'000, '[')).message.find("deep"), std::string::npos);
    std::string open;
    for (int i = 0; i < 100'000; ++i)
        open += "{\"a\":";
    EXPECT_NE(error_of(open).message.find("deep"), std::string::npos);
    JsonLimits tight;
    tight.bytes = 10;
    EXPECT_NE(error_of("[1,2,3,4,5,6]", tight).message.find("large"), std::string::npos);
    tight = {};
    tight.values = 4;
    EXPECT_NE(error_of("[1,2,3,4]", tight).message.find("many"), std::string::npos);
    EXPECT_NE(error_of(std::string((std::size_t{16} << 20) + 1, ' ')).message.find("large"), std::string::npos);
}

TEST(JsonDocument, RandomDamageNeverCrashesAndNeverYieldsInvalidText)
{
    const std::string whole = "{\"id\": \"é\", \"peaks\": {\"bf16\": {\"value\": 9.5e2, \"unit\": \"TFLOP/s\"}}, \"l\": [1, -2, true, null]}";
    std::mt19937 random(7);
    int accepted = 0;
    for (int i = 0; i < 20'000; ++i) {
        std::string text = whole;
        for (int k = 0; k < 1 + i % 3; ++k)
            text[random() % text.size()] = static_cast<char>(random() % 256);
        const Expected<JsonDocument> d = parse_json(text, "x");
        if (!d) {
            EXPECT_GE(d.error().place.line, 1);
            continue;
        }
        ++accepted;
        EXPECT_NO_THROW((void)d->root().dump()); // strict UTF-8
    }
    EXPECT_GT(accepted, 0);
}

TEST(JsonDocument, FilesThatAreNoFiles)
{
    EXPECT_EQ(load_json("/nonexistent/x.json").error().kind, ErrorKind::io);
    EXPECT_EQ(load_json(std::filesystem::temp_directory_path().string()).error().kind, ErrorKind::io);
    EXPECT_EQ(load_json("/dev/zero").error().kind, ErrorKind::io); // would never end
}

TEST(JsonDocument, ExcerptsAreShortAndWhole)
{
    std::string long_text;
    for (int i = 0; i < 100; ++i)
        long_text += "é";
    const std::string excerpt = json_excerpt(long_text);
    EXPECT_LE(excerpt.size(), 80u);
    EXPECT_NO_THROW((void)nlohmann::json(excerpt).dump());
}

} // namespace
} // namespace ridgepoint

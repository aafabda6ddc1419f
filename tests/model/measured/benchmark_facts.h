#pragma once
// Facts of real files against the reference facts beside them: integers exactly, other numbers within 0.1 %.

#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "model/measured/measured.h"

namespace ridgepoint::testing_facts {

inline std::filesystem::path traces_dir() { return std::filesystem::path(RIDGEPOINT_SHARED_DIR) / "traces"; }

inline void expect_facts(const nlohmann::json& expected, const nlohmann::json& actual, const std::string& at)
{
    if (expected.is_object()) {
        ASSERT_TRUE(actual.is_object()) << at << " is " << actual.dump();
        for (const auto& [key, value] : expected.items()) {
            if (key == "note" || key == "file")
                continue;
            ASSERT_TRUE(actual.contains(key)) << at << " has no " << key;
            expect_facts(value, actual[key], at + "/" + key);
        }
    } else if (expected.is_array()) {
        ASSERT_TRUE(actual.is_array()) << at << " is " << actual.dump();
        ASSERT_EQ(expected.size(), actual.size()) << at;
        for (std::size_t i = 0; i < expected.size(); ++i)
            expect_facts(expected[i], actual[i], at + "/" + std::to_string(i));
    } else if (expected.is_number_integer()) {
        EXPECT_EQ(expected, actual) << at;
    } else if (expected.is_number()) {
        ASSERT_TRUE(actual.is_number()) << at << " is " << actual.dump();
        const double e = expected.get<double>(), a = actual.get<double>();
        EXPECT_LE(std::abs(e - a), 0.001 * std::abs(e) + 1e-12) << at << ": " << e << " against " << a;
    } else {
        EXPECT_EQ(expected, actual) << at;
    }
}

inline nlohmann::json reference_facts()
{
    std::ifstream in(traces_dir() / "expected/other_facts.json");
    return in ? nlohmann::json::parse(in) : nlohmann::json();
}

inline std::string text_of(const std::filesystem::path& file)
{
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

// The first reading of a text with content of type T; fails the test if there is none.
template<typename T>
Measured reading_of(const std::string& text)
{
    auto found = read_measured_text(text, "test");
    if (!found) {
        ADD_FAILURE() << found.error().text();
        Measured nothing;
        nothing.content = T{};
        return nothing;
    }
    for (Measured& m : *found)
        if (std::holds_alternative<T>(m.content))
            return std::move(m);
    ADD_FAILURE() << "read as " << found->front().format;
    Measured nothing;
    nothing.content = T{};
    return nothing;
}

// Every entry of the reference facts whose file starts with `folder` and is there; the number of them.
inline int check_facts_under(const std::string& folder)
{
    int checked = 0;
    const nlohmann::json reference = reference_facts();
    for (const auto& [name, expected] : reference.items()) {
        const auto path = traces_dir() / name;
        if (!name.starts_with(folder) || !std::filesystem::exists(path))
            continue;
        SCOPED_TRACE(name);
        const auto found = read_measured(path.string());
        EXPECT_TRUE(found) << (found ? std::string() : found.error().text());
        if (!found)
            continue;
        EXPECT_EQ(1U, found->size());
        expect_facts(expected, facts_of(found->front()), name);
        ++checked;
    }
    return checked;
}

} // namespace ridgepoint::testing_facts

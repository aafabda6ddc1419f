#pragma once
// Reads published sample files and compares the facts with the reference.

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "model/measured/measured.h"

namespace ridgepoint {

inline std::filesystem::path shared_traces() { return std::filesystem::path(RIDGEPOINT_SHARED_DIR) / "traces"; }

inline nlohmann::json other_facts()
{
    std::ifstream in(shared_traces() / "expected" / "other_facts.json");
    return nlohmann::json::parse(in, nullptr, false);
}

// Every key of the reference is there; integers and text are equal, other numbers within 0.1 %.
inline void expect_facts(const nlohmann::json& got, const nlohmann::json& want, const std::string& where)
{
    if (want.is_object()) {
        for (const auto& [key, value] : want.items()) {
            ASSERT_TRUE(got.contains(key)) << where << "/" << key;
            expect_facts(got[key], value, where + "/" + key);
        }
    } else if (want.is_array()) {
        ASSERT_TRUE(got.is_array()) << where;
        ASSERT_EQ(got.size(), want.size()) << where;
        for (std::size_t i = 0; i < want.size(); ++i)
            expect_facts(got[i], want[i], where + "/" + std::to_string(i));
    } else if (want.is_number_float()) {
        ASSERT_TRUE(got.is_number()) << where << " is " << got;
        EXPECT_NEAR(got.get<double>(), want.get<double>(), 1e-3 * std::abs(want.get<double>())) << where;
    } else {
        EXPECT_EQ(got, want) << where;
    }
}

} // namespace ridgepoint

#pragma once
// As much of TOML 1.0 as a training configuration has: tables, dotted or bare keys, strings, numbers, booleans and arrays of
// them. Dates, inline tables and arrays of tables are errors that say so.

#include <string>
#include <string_view>
#include <vector>

#include "model/base/error.h"

namespace ridgepoint {

struct TomlEntry {
    std::string key; // "parallelism.tensor_parallel_degree"
    std::vector<std::string> values; // text of strings, numbers as written, "true", "false"; one unless an array
    bool array = false;
    int line = 0;
};

inline constexpr std::size_t most_toml_bytes = std::size_t{1} << 20;
inline constexpr std::size_t most_toml_values = 100'000;

// Keys given twice are errors, as the standard asks.
Expected<std::vector<TomlEntry>> parse_toml(std::string_view text, const std::string& file);

} // namespace ridgepoint

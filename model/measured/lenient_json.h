#pragma once
// JSON as benchmarks write it: NaN and Infinity, trailing commas, raw control bytes, bad UTF-8, a BOM, an end that is
// missing. What is sound is kept; what was mended is counted.

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "model/base/error.h"
#include "model/measured/skipped.h"

namespace ridgepoint {

// One document. NaN and infinities come as the strings "NaN", "Infinity", "-Infinity"; a document that ends early keeps its
// complete members. Errors: not JSON even so (line and column), nested deeper than 200 levels.
Expected<nlohmann::json> lenient_json(std::string_view text, const std::string& file, std::vector<Skipped>& mended);

// Documents one after the other, a line each as a rule (JSON lines); lines that are none are skipped and counted. `most`
// bounds their number.
std::vector<nlohmann::json> lenient_json_lines(std::string_view text, std::vector<Skipped>& skipped, std::size_t most = 10'000'000);

// A number, or a string that is one ("12.5", "1,234", "inf"); none for anything else, NaN included.
std::optional<double> number_of(const nlohmann::json& value);
std::optional<double> number_at(const nlohmann::json& object, std::string_view key); // none if absent
std::optional<double> positive_at(const nlohmann::json& object, std::string_view key); // none also if not finite or not above 0: tools write 0 and -1 for what they do not know
std::optional<std::int64_t> integer_at(const nlohmann::json& object, std::string_view key); // rounded; none beyond 2^63
std::string text_at(const nlohmann::json& object, std::string_view key); // empty if absent or no string
const nlohmann::json& member(const nlohmann::json& object, std::string_view key); // null if absent, or if it is no object

} // namespace ridgepoint

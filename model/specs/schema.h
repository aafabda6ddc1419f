#pragma once
// A subset of JSON Schema (draft 2020-12) that is enough for specs and plans, with messages for people:
//   type, required, properties, additionalProperties, enum, const, minimum, exclusiveMinimum, maximum, minLength,
//   maxLength, pattern, items, minItems, maxItems, oneOf, anyOf, $ref into the same file, $defs
// and one keyword of our own: "dimension" on an object {"value", "unit"} names what its unit must measure (units/parse.h).
// A keyword that is neither known nor an annotation is an error of the schema: nothing is ignored in silence.

#include <map>
#include <memory>
#include <optional>
#include <regex>
#include <string>

#include <nlohmann/json.hpp>

#include "model/base/error.h"
#include "model/specs/json_document.h"

namespace ridgepoint {

class Schema {
public:
    // Checks the schema itself: unknown keywords, bad patterns, references to nowhere or in circles.
    static Expected<Schema> compile(JsonDocument document);

    // The first violation in the document, deepest first, with its line; none: valid.
    [[nodiscard]] std::optional<Error> check(const JsonDocument& document) const;

private:
    struct Violation;
    class Checker;
    friend class Checker;

    JsonDocument m_document;
    std::map<std::string, std::regex> m_patterns;
};

} // namespace ridgepoint

#pragma once
// Model specs (specs/models/*.json) -> Transformer. The schema in specs/schema/model.schema.json says what a file may hold.

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "model/base/error.h"
#include "model/specs/store.h"
#include "model/transformer/transformer.h"

namespace ridgepoint {

Expected<Transformer> read_transformer(const SpecStore& specs, const std::string& id);

// From a document that is already parsed; `place` names its file in messages, their pointer is completed here.
Expected<Transformer> transformer_from_json(const nlohmann::json& document, const Place& place);
// The document of a model, in the shape of the schema. Round trip: transformer_from_json(to_spec_json(m)) == m.
nlohmann::json to_spec_json(const Transformer& model);

// What the model's makers say, for the catalogue's test and the report. Zero: not published.
struct PublishedCounts {
    double total = 0; // parameters
    double active = 0;
};
Expected<PublishedCounts> published_counts(const SpecStore& specs, const std::string& id);

} // namespace ridgepoint

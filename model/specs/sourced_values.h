#pragma once
// What a document says, by source: every object that names one, with the values in it. For showing a fitted law and its
// constants together.

#include <string>
#include <utility>
#include <vector>

#include "model/specs/store.h"

namespace ridgepoint {

struct SourcedValues {
    std::string pointer; // "/software/vllm/gemm/bf16"
    Provenance provenance;
    std::vector<std::pair<std::string, std::string>> values; // name and value with unit, by name; residuals are in provenance.fit
};
// In the document's order. An unknown document has none.
std::vector<SourcedValues> sourced_values(const SpecStore& store, SpecKind kind, const std::string& id);

} // namespace ridgepoint

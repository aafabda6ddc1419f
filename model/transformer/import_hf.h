#pragma once
// A Hugging Face config.json -> Transformer. The architecture is detected from "model_type", or from "architectures"
// where that is missing; a multimodal wrapper is entered through its "text_config" (the vision tower is not described).
//
// A key that is absent has the value that the architecture's configuration class in the transformers library gives it
// (its files leave out defaults), but never a width or a count that decides the size of the model, unless stated in
// hf_dense.cpp or hf_moe.cpp. What Transformer cannot describe is an error that names the field: linear attention,
// state-space layers, sparse attention with an indexer, encoders. Precision ("quantization_config") is not part of an
// architecture and is left to the plan.

#include <string>
#include <string_view>
#include <vector>

#include "model/base/error.h"
#include "model/transformer/transformer.h"

namespace ridgepoint {

// `file` names the document in messages; the model's id and name are made from it ("org--Name.json",
// "Name/config.json").
Expected<Transformer> import_hf_config(std::string_view text, const std::string& file);

// Every "model_type" that can be imported, sorted: for messages and documentation.
std::vector<std::string> importable_model_types();

} // namespace ridgepoint

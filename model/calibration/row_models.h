#pragma once
// From the words of published tables to specs: model names, GPU names, precision and fabric texts.

#include <optional>
#include <string>
#include <string_view>

#include "model/calibration/csv.h"
#include "model/hardware/node.h"
#include "model/specs/store.h"
#include "model/transformer/transformer.h"

namespace ridgepoint {

std::string squeezed(std::string_view name); // lower case letters and digits only: "Llama-3.1 70B" -> "llama3170b"
bool contains_word(std::string_view text, std::string_view word); // case-insensitive substring

// The model spec whose squeezed id is the longest prefix of (or is prefixed by) the squeezed name; empty if none.
std::string find_model_spec(const SpecStore& specs, std::string_view name);

// A copy with another number of layers: truncated proxies keep the first ones, longer ones repeat the last kind.
Transformer with_layers(Transformer model, int layers);

// As with_layers, for a published run of a shortened model: it leaves out the multi-token-prediction layers, and how many of
// its layers are dense is what comes closest to the parameters that the row states, in billions (NaN: the first ones stay).
Transformer truncated_proxy(Transformer model, int layers, double stated_billions);

// A dense network straight from the dimensions of a row (layers, hidden, ffn_hidden, heads, kv_heads, head_dim, vocab).
std::optional<Transformer> dense_from_row(const CsvRow& row);

// Generic node type that carries such GPUs outside AWS, by GPU name of a table ("H100", "A100", "h100_sxm").
std::string generic_instance(std::string_view gpu);
// Its accelerator spec id.
std::string accelerator_for(std::string_view gpu);

// Rate of the fabric of one node as free text states it ("8x ConnectX-7 IB NDR 400Gb/s", "1600 Gb/s per node",
// "400G IB per GPU"); nothing if it does not.
std::optional<BytesPerSecond> stated_network_per_node(std::string_view text, int gpus_per_node);

} // namespace ridgepoint

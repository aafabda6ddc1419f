#pragma once
// Rows of published kernel tables as the shapes that the laws take. What predicts the tables (validate) and what fits the
// laws to them (model/fitting) read them here.

#include <optional>
#include <string>

#include "model/calibration/csv.h"
#include "model/kernels/kernels.h"

namespace ridgepoint {

// Nothing where the table's number format has no law.
std::optional<GemmShape> gemm_shape(const CsvRow& row);
// The routed experts of one layer: both products, the activation between them, permutation and sum.
std::optional<ExpertLayerShape> expert_layer_shape(const CsvRow& row);
AttentionShape attention_shape(const CsvRow& row); // prefill or decode, as the row says
AttentionShape latent_shape(const CsvRow& row); // DeepSeek's absorbed MLA decode

// Class of kernels (specs/efficiency/<gpu>.json, "software") by the tool that a table names.
std::string software_class(std::string_view tool);

} // namespace ridgepoint

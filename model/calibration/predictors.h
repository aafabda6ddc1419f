#pragma once
// The kinds of measured rows that validate_file knows. Private to the calibration floor.

#include <memory>

#include "model/calibration/validate.h"

namespace ridgepoint {

std::unique_ptr<RowPredictor> make_training_predictor(const SpecStore& specs);
std::unique_ptr<RowPredictor> make_serving_predictor(const SpecStore& specs);
std::unique_ptr<RowPredictor> make_offline_predictor(const SpecStore& specs);
std::unique_ptr<RowPredictor> make_gemm_predictor(const SpecStore& specs);
std::unique_ptr<RowPredictor> make_grouped_gemm_predictor(const SpecStore& specs);
std::unique_ptr<RowPredictor> make_attention_predictor(const SpecStore& specs);
std::unique_ptr<RowPredictor> make_mla_predictor(const SpecStore& specs);
std::unique_ptr<RowPredictor> make_node_collective_predictor(const SpecStore& specs);
std::unique_ptr<RowPredictor> make_collective_predictor(const SpecStore& specs);
std::unique_ptr<RowPredictor> make_dispatch_predictor(const SpecStore& specs);
std::unique_ptr<RowPredictor> make_low_latency_predictor(const SpecStore& specs);
std::unique_ptr<RowPredictor> make_memory_predictor(const SpecStore& specs);

} // namespace ridgepoint

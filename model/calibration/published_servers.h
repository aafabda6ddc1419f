#pragma once
// How the servers of published closed-loop benchmarks were started: what of it decides the wait for a first token. Settings
// only: nothing here was measured. Private to the calibration floor.
//
// Source: InferenceX, benchmarks/*.sh of 2025-10 to 2026-04 [InferenceMAX/InferenceMAX @ 9596d23, 4e3c32e;
// SemiAnalysisAI/InferenceX @ b5ebafa, 29d69fa, 34bc7c4, 16ffb65, 285b662, 161e7f6, 405c601, 5632483], Apache-2.0.

#include "model/calibration/csv.h"

namespace ridgepoint {

// Rows of InferenceX carry the key of a database dump, say whether they are work in progress, or come from tables that compare
// a model with it.
bool from_inferencex(const CsvRow& row);

struct ServerSettings {
    int token_budget = 0; // prompt tokens of one step; 0: the engine's own
    // Decode steps between two looks of the scheduler at what has arrived (SGLang's --scheduler-recv-interval).
    double poll = 1;
    // Decode steps that a prompt may be held back until every attention group has one (TensorRT-LLM's attention_dp_config).
    double gather = 0;
    double waves = 10; // requests over users
};
// `users`: of the whole deployment. Disaggregated deployments have settings of their own, which are not tabulated.
ServerSettings server_settings(const CsvRow& row, int users);

} // namespace ridgepoint

#pragma once
// Which workers a row of a serving table describes: its columns, the published configurations that agree with them, and, where
// both leave it open, every reading that such deployments use. Private to the calibration floor.

#include <optional>
#include <vector>

#include "model/calibration/csv.h"
#include "model/calibration/serving_cases.h"
#include "model/transformer/transformer.h"

namespace ridgepoint {

struct ServingPools {
    Pool prefill, decode; // the same where prompts and decoding run together
    std::optional<int> drafted{}; // tokens per step; -1: some; nothing: the row does not tell whether any
    bool operator==(const ServingPools&) const = default;
};

int concurrency_of(const CsvRow& row, bool split); // users of the closed loop; 0: not stated
std::vector<ServingPools> pools_of(const CsvRow& row, const Transformer& model, int users);

} // namespace ridgepoint

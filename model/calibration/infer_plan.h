#pragma once
// The plan that measured files were run with, as far as they tell: hardware, ranks, parallel groups, model, batch,
// precision. Offered to the user field by field with the evidence; nothing is taken for granted.

#include <string>
#include <vector>

#include "model/measured/measured.h"
#include "model/project/plan.h"

namespace ridgepoint {

struct InferredField {
    std::string path; // "/cluster/nodes"
    std::string value; // as set_field takes it
    std::string evidence; // "8 ranks of world size 16 on nodes of 8 GPUs"
};

struct InferredPlan {
    Plan plan; // the base with every inferred field set
    std::vector<InferredField> fields; // in the order in which they were set
    std::vector<std::string> open; // what the files do not tell, in words: the base's value stands there
};

// `base`: what stands where the files are silent; its workload is replaced where the files are of another kind. Errors:
// files that contradict each other in a way that no plan can express (two GPUs), nothing inferred at all.
Expected<InferredPlan> infer_plan(const std::vector<Measured>& measured, const Plan& base, const SpecStore& specs);

// The catalogue's model of a name as benchmarks state it: "meta-llama/Llama-3.1-405B-FP8" -> "llama-3.1-405b". Empty: none.
std::string model_named(const SpecStore& specs, const std::string& stated);
// The catalogue's node of a device as tools state it: "NVIDIA H100 80GB HBM3" -> "p5.48xlarge". Empty: none.
std::string instance_of_device(const SpecStore& specs, const std::string& device);

} // namespace ridgepoint

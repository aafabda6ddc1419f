#pragma once
// The example plans of the catalogue, resolved: what benchmarks and speed tests run on.

#include <string>
#include <vector>

#include "model/estimate/job.h"
#include "model/project/plan.h"
#include "model/specs/store.h"

namespace ridgepoint::bench {

struct Example {
    std::string name; // of the file, without its ending
    Plan plan;
    Job job;
};

Expected<SpecStore> source_specs(); // specs/ of the source tree alone: no overlay of this machine or user
Expected<std::vector<Example>> examples(const SpecStore& specs); // in order of name

} // namespace ridgepoint::bench

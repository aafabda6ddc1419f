#pragma once
// Texts of serving benchmarks as the runs that are read from them.

#include "tests/model/measured/benchmark_facts.h"

namespace ridgepoint::testing_facts {

inline Measured serving_of(const std::string& text) { return reading_of<ServingBenchmark>(text); }
inline std::vector<ServingRun> runs_of(const Measured& m) { return std::get<ServingBenchmark>(m.content).runs; }
inline std::vector<ServingRun> runs_of(const std::string& text) { return runs_of(serving_of(text)); }

} // namespace ridgepoint::testing_facts

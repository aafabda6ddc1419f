#pragma once
// The traffic that a served model meets, and what its users are promised. Lengths are spread around the mean prompt and
// output of the Serving workload.

#include <string>

#include "model/units/quantity.h"

namespace ridgepoint {

enum class LengthSpread : unsigned char { constant, lognormal, file };
enum class Arrival : unsigned char {
    poisson, // independent users
    even, // equal gaps: a metered batch
    closed, // Serving::concurrency users per replica, each sends its next request when the last is answered
};

struct Load {
    Arrival arrival = Arrival::poisson;
    double rate = 1.0; // requests per second, over all replicas
    LengthSpread lengths = LengthSpread::lognormal;
    double input_spread = 1.0; // lognormal: standard deviation over mean
    double output_spread = 1.0; // where the output has a phase of thinking: of the answer
    double thinking_spread = 1.0; // lognormal: standard deviation over mean of the thinking
    int thinking_limit = 0; // tokens at which thinking is cut, the answer then follows; 0: none
    std::string file; // lengths of real requests
    int max_batch = 256; // sequences in flight on one replica, beside what the KV cache holds
    Seconds overhead; // of a request outside the engine, in TTFT
    Seconds ttft_limit{2.0};
    Seconds tpot_limit{0.05};
    double limit_share = 0.9; // of the requests that must stay within each limit
    int requests = 4000; // measured in the simulation
    int seed = 1;
};

} // namespace ridgepoint

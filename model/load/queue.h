#pragma once
// A replica with continuous batching as a queue whose speed depends on its state: a discrete-event simulation, step by
// step where prompts are processed, in one stride from event to event where only decoding goes on.
//
// Each step takes all sequences in flight one token further, and prompts of the next requests as far as the chunk leaves
// room (first come, first served; chunk 0: whole prompts). A step with both takes the sum of both times, as in
// estimate(): over `output` steps a sequence pays the prefill of one successor, TPOT = t_dec + (B / output) t_pf. A request
// enters when the batch and the KV cache have room for all of its tokens, so nothing is ever preempted.

#include <stop_token>
#include <vector>

#include "model/load/request_mix.h"
#include "model/load/step_times.h"

namespace ridgepoint {

enum class Feed : unsigned char {
    open, // arrivals do not wait for anything
    closed, // a fixed number of requests in the system
    drain, // all at once, until the last one ends
    given, // at stated times
};

struct QueueRules {
    Feed feed = Feed::open;
    double rate = 1.0; // open: per second
    bool even = false; // open: equal gaps instead of exponential ones
    int population = 1; // closed
    int max_batch = 256;
    int chunk = 8192;
    int prefill_batch = 1; // prompts of a step where chunk is 0
    double cached = 0.0; // share of each prompt found in the prefix cache
    // Requests that share one prompt follow each other: only the first of them computes it.
    int samples_per_prompt = 1;
    bool grouped = false; // they also arrive together and keep the prompt's cache once; rate and population then count prompts
    // An arrival ends a stride of decoding at the step it falls into, found with the steps growing as the contexts do. Else with the
    // first step's time, which over thousands of steps lets it wait for more than one.
    bool follow_growth = false;
    bool decode_only = false; // prompts have been computed elsewhere: a sequence decodes once it is let in
    std::vector<double> arrivals; // given: of each prompt, rising
    int warm_up = 0; // requests before the measured ones
    int measured = 1000;
    std::uint64_t seed = 1;
};

struct RequestTimes { // seconds
    double waiting = 0; // until a step takes the request up
    double first_token = 0; // since arrival
    double end = 0; // since arrival
    int output = 1;
    int thinking = 0; // of the output
    std::size_t prompt = 0; // that it answers, by order of arrival
    [[nodiscard]] double per_token() const { return output > 1 ? (end - first_token) / (output - 1) : 0.0; }
    [[nodiscard]] double first_answer() const { return first_token + thinking * per_token(); } // token of the answer, since arrival
};

struct WeightedTime {
    double seconds = 0;
    double weight = 0;
};

struct QueueRun {
    std::vector<RequestTimes> requests; // the measured ones that were served, in order of arrival
    std::vector<WeightedTime> gaps; // between deliveries of one sequence: a token each, with speculation several at once
    int rejected = 0; // larger than the whole KV cache
    double span = 0; // seconds that the averages below cover
    double mean_in_flight = 0; // sequences, prefilling ones included
    double mean_waiting = 0; // requests
    double cache_used = 0; // mean share, as reserved
    double busy = 0; // share of the time in which a step runs
    double prefill_share = 0; // of the busy time
    double served_per_second = 0; // sequences
    double input_per_second = 0; // tokens; of a grouped prompt once
    double output_per_second = 0;
    std::vector<double> ends; // drain: when each request ended, sorted
};

// `lengths` are taken in order, and again from the start when they run out. Stopped before the end, it returns what it has.
QueueRun simulate_queue(const StepTimes& steps, const std::vector<RequestLengths>& lengths, const QueueRules& rules, const std::stop_token& stop = {});

} // namespace ridgepoint

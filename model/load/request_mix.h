#pragma once
// Lengths of the requests: constant, spread by a law, or as a file of real ones has them.

#include <string>
#include <vector>

#include "model/base/error.h"
#include "model/load/random.h"
#include "model/workload/load.h"
#include "model/workload/workload.h"

namespace ridgepoint {

struct RequestLengths {
    int input = 1;
    int output = 1;
    int thinking = 0; // of the output, before the answer
    bool operator==(const RequestLengths&) const = default;
};

inline constexpr int longest_request = 16'777'216; // tokens

// `count` pairs in random order. The law's quantiles are drawn one from each of `count` equal shares (stratified), so that
// the sample keeps the mean; a file is repeated as often as needed. Lognormal: sigma^2 = ln(1 + spread^2),
// mu = ln(mean) - sigma^2 / 2. An output that thinks is the sum of two independent draws, thinking and answer; outputs of a file
// think for the mean's share.
std::vector<RequestLengths> draw_lengths(const Serving& mean, const Load& load, const std::vector<RequestLengths>& from_file, int count);

// CSV with a header, or JSON Lines; columns by the names that published traces use: input_length, ContextTokens,
// num_prefill_tokens, prompt_tokens, Request tokens, ...; output_length, GeneratedTokens, num_decode_tokens,
// completion_tokens, Response tokens, .... Bounded: 64 MiB, a million requests.
Expected<std::vector<RequestLengths>> read_request_lengths(const std::string& file);
Expected<std::vector<RequestLengths>> parse_request_lengths(const std::string& text, const std::string& file);

} // namespace ridgepoint

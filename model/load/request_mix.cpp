#include "model/load/request_mix.h"

#include <algorithm>
#include <cmath>

namespace ridgepoint {
namespace {

enum Stream : std::uint64_t { inputs = 1, outputs = 2, order = 3, thoughts = 4 };

int as_tokens(double v) { return static_cast<int>(std::clamp(std::round(v), 1.0, static_cast<double>(longest_request))); }

template <typename T> void shuffle(std::vector<T>& values, RandomStream& random)
{
    for (std::size_t i = values.size(); i > 1; --i)
        std::swap(values[i - 1], values[random.below(i)]);
}

std::vector<int> lognormal(double mean, double spread, int count, RandomStream random)
{
    const double variance = std::log1p(spread * spread);
    const double mu = std::log(mean) - variance / 2.0;
    const double sigma = std::sqrt(variance);
    std::vector<int> out;
    out.reserve(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) {
        const double p = (i + std::max(random.uniform(), 1e-9)) / count;
        out.push_back(as_tokens(std::exp(mu + sigma * normal_quantile(std::min(p, 1.0 - 1e-12)))));
    }
    shuffle(out, random);
    return out;
}

} // namespace

std::vector<RequestLengths> draw_lengths(const Serving& mean, const Load& load, const std::vector<RequestLengths>& from_file, int count)
{
    const auto seed = static_cast<std::uint64_t>(load.seed);
    std::vector<RequestLengths> out(static_cast<std::size_t>(std::max(count, 1)), {mean.input_length, mean.output_length, mean.thinking_length});
    const int answer = mean.output_length - mean.thinking_length;
    if (load.lengths == LengthSpread::lognormal) {
        const std::vector<int> in = lognormal(mean.input_length, load.input_spread, static_cast<int>(out.size()), {seed, inputs});
        const std::vector<int> made = lognormal(answer, load.output_spread, static_cast<int>(out.size()), {seed, outputs});
        for (std::size_t i = 0; i < out.size(); ++i)
            out[i] = {in[i], made[i], 0};
        if (mean.thinking_length > 0) {
            const std::vector<int> thought = lognormal(mean.thinking_length, load.thinking_spread, static_cast<int>(out.size()), {seed, thoughts});
            for (std::size_t i = 0; i < out.size(); ++i) {
                out[i].thinking = load.thinking_limit > 0 ? std::min(thought[i], load.thinking_limit) : thought[i];
                out[i].output = std::min(out[i].output + out[i].thinking, longest_request);
            }
        }
    } else if (load.lengths == LengthSpread::file && !from_file.empty()) {
        RandomStream random{seed, order};
        std::vector<RequestLengths> pass = from_file;
        for (std::size_t i = 0; i < out.size(); ++i) {
            if (i % pass.size() == 0)
                shuffle(pass, random);
            out[i] = pass[i % pass.size()];
            out[i].thinking = static_cast<int>(static_cast<double>(out[i].output) * mean.thinking_length / mean.output_length);
        }
    }
    return out;
}

} // namespace ridgepoint

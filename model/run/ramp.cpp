#include "model/run/ramp.h"

#include <fmt/format.h>

#include "model/estimate/quick.h"

namespace ridgepoint {
namespace {

constexpr int most_batches = 1000;

Error wrong(const char* pointer, std::string message, std::string found, std::string expected)
{
    return bad_input(std::move(message), Place{{}, 0, pointer}, std::move(found), std::move(expected));
}

} // namespace

Expected<RampTime> ramp_time(const Job& base, const Training& training, const Run& run)
{
    if (run.ramp_batch >= training.global_batch)
        return wrong("/run/ramp_batch", "the ramp starts at the full batch or above", fmt::format("{}", run.ramp_batch), fmt::format("less than {}", training.global_batch));
    if (run.ramp_increment < 1)
        return wrong("/run/ramp_increment", "the batch does not grow", fmt::format("{}", run.ramp_increment), "at least 1");
    const int gap = training.global_batch - run.ramp_batch, batches = (gap + run.ramp_increment - 1) / run.ramp_increment;
    if (gap % run.ramp_increment != 0)
        return wrong("/run/ramp_increment", "the ramp misses the full batch", fmt::format("{}", run.ramp_increment), fmt::format("a divisor of {} - {}", training.global_batch, run.ramp_batch));
    if (batches > most_batches)
        return wrong("/run/ramp_increment", "the ramp has too many batches", fmt::format("{}", batches), fmt::format("at most {}: a larger increment", most_batches));
    if (run.ramp_tokens > training.tokens)
        return wrong("/run/ramp_tokens", "the ramp is longer than the run", fmt::format("{:.6g}", run.ramp_tokens.value()), fmt::format("at most {:.6g}", training.tokens.value()));
    RampTime out;
    out.tokens = run.ramp_tokens;
    const double samples = run.ramp_tokens.value() / training.sequence_length / batches;
    Job job = base;
    for (int b = 0; b < batches; ++b) {
        Training smaller = training;
        smaller.global_batch = run.ramp_batch + b * run.ramp_increment;
        job.workload = smaller;
        const QuickEstimate e = QuickEstimator{}(job);
        if (!e.possible())
            return wrong("/run/ramp_batch", fmt::format("a batch of the ramp cannot run: {}", name_of(e.rule)), fmt::format("{} sequences", smaller.global_batch),
                fmt::format("multiples of dp x micro batch = {}", job.layout.dp * job.layout.micro_batch));
        const double steps = samples / smaller.global_batch;
        out.time += e.time * steps;
        out.steps += steps;
    }
    return out;
}

} // namespace ridgepoint

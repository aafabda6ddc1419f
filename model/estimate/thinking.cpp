#include "model/estimate/serving.h"

#include <algorithm>

#include "model/memory/serving_memory.h"

namespace ridgepoint {
namespace {

// A decode step with every sequence at this many tokens.
Seconds step_at(const Job& job, Serving w, int context)
{
    w.phase = ServingPhase::decode;
    w.input_length = std::max(1, context - 1);
    w.output_length = 2;
    w.thinking_length = 0;
    w.shared_reads = false;
    return serve(job, w).estimate.serving->decode_step;
}

} // namespace

ThinkingResult think(const Job& job, const Serving& w, const ServingDetail& detail)
{
    ThinkingResult r;
    r.tokens = w.thinking_length;
    r.answer_tokens = w.output_length - w.thinking_length;
    const ServingResult& s = *detail.estimate.serving;
    // In a steady mixture the others are at all contexts, so a token takes as long early as late.
    const Seconds each = w.burst ? step_at(job, w, w.input_length + w.thinking_length / 2) / detail.tokens_per_step : s.tpot;
    r.time = each * static_cast<double>(r.tokens);
    r.first_answer = s.ttft + r.time;
    r.first_step = step_at(job, w, w.input_length + 1);
    r.last_step = step_at(job, w, w.input_length + w.output_length);
    r.first_cache = kv_bytes_of_sequence(job.model, job.precision, w.input_length);
    r.last_cache = kv_bytes_of_sequence(job.model, job.precision, w.input_length + w.output_length);
    return r;
}

} // namespace ridgepoint

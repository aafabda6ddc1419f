#pragma once
// Sentences about a job that the command line and the report share.

#include <string>

#include "model/project/resolve.h"
#include "model/units/format.h"

namespace ridgepoint {

std::string workload_text(const Job& job); // "pre-training, sequences of 8,192 tokens, 2,048 per step, 15.6 T tokens"
std::string layout_text(const Job& job); // "tp 8, pp 16, vpp 7, dp 128, micro batch 1"
std::string cluster_text(const Job& job); // "2,048 x p5en.48xlarge (NVIDIA H200 SXM 141 GB), 16,384 GPUs used"
std::string precision_text(const Plan& plan, const Job& job);
std::string shares_text(const AttributedTime& time); // "compute 61 %, network 20 %", largest first
// Of a part of the step: an exposed time has negative shares for what would hide less of it; then only the cause is named.
std::string part_shares_text(const AttributedTime& time);
std::string tokens_text(double tokens); // "15.6 T"
std::string rate_text(TokensPerSecond rate); // "7.42 M tokens/s"
std::string error_bar_text(const Estimate& estimate); // "+- 8 %"; empty if unknown
std::string error_bar_meaning(const Estimate& estimate); // what lies within it; empty if unknown
// "66.3 days to 76.3 days": what proportional quantities span within the error bar; empty without one.
template <typename Q> std::string spread_text(const Q& value, const Estimate& e)
{
    return e.relative_error > 0 ? format((1.0 - e.relative_error) * value) + " to " + format((1.0 + e.relative_error) * value) : std::string();
}

} // namespace ridgepoint

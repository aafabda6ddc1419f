#include "model/measured/serving_benchmark.h"

namespace ridgepoint {

std::optional<Seconds> ServingRun::time_behind_first() const
{
    const std::optional<Seconds> gap = itl_counts_first ? std::nullopt : itl.mean;
    if (!tpot_counts_first && (tpot.median || tpot.mean)) {
        // Requests of a few tokens distort the mean TPOT: gaps between tokens are told by more of them.
        const bool distorted = gap && tpot.mean && *tpot.mean > *gap * 2.0;
        return distorted ? gap : tpot.median ? tpot.median : tpot.mean;
    }
    if (gap)
        return gap;
    if (ttft.mean && end_to_end.mean && *end_to_end.mean > *ttft.mean && output_length && *output_length > 1)
        return (*end_to_end.mean - *ttft.mean) / (*output_length - 1);
    return std::nullopt;
}

} // namespace ridgepoint

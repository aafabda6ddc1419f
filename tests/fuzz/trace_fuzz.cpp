// Any bytes as a trace: reading ends, with a timeline whose summary holds together or with an error.

#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "model/trace/difference.h"
#include "model/trace/format.h"
#include "model/trace/queries.h"
#include "model/trace/ranks.h"

using namespace ridgepoint;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    static const auto rules = KernelRules::load(RIDGEPOINT_SOURCE_DIR "/specs/trace/kernel_classes.json");
    if (!rules)
        std::abort();
    const auto timeline = read_timeline_text({reinterpret_cast<const char*>(data), size}, "fuzz", *rules);
    if (!timeline) {
        if (timeline.error().message.empty())
            std::abort();
        return 0;
    }
    const TimelineSummary s = summarize(*timeline);
    if (s.busy > s.span || s.overlap > s.collective_union || s.gpu_events != static_cast<std::int64_t>(timeline->size()))
        std::abort();
    top_kernels(*timeline, 10);
    collective_totals(*timeline);
    step_breakdowns(*timeline);
    const TimelineDifference d = difference(*timeline, *timeline);
    for (const TimelineChange& k : d.kernels)
        if (k.before != k.after)
            std::abort();
    const auto job = compare_ranks({&*timeline, &*timeline}); // a job of two equal ranks: nobody waits
    if (!job || !job->stragglers.empty() || job->unmatched != 0)
        std::abort();
    return 0;
}

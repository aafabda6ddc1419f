#pragma once
// One type for every measured trace: GPU events as columns, named once, times as integer nanoseconds.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/error.h"
#include "model/base/progress.h"
#include "model/units/quantity.h"

namespace ridgepoint {

enum class KernelClass : std::uint8_t { gemm, attention, norm, elementwise, convolution, optimizer, collective, memcpy, memset, other };
std::string_view name_of(KernelClass c);

// Floating-point operations and compulsory bytes of an event, from tensor shapes. `known` false: the trace does not say.
struct EventWork {
    double flops = 0;
    double bytes = 0;
    bool known = false;
};

struct Timeline {
    std::string file;
    std::string device_name; // "NVIDIA H100 80GB HBM3"; empty if the trace does not say
    int rank = -1; // -1: unknown
    int world_size = 0; // 0: unknown
    std::vector<std::string> names; // distinct kernel names

    // One entry per GPU event (kernel, copy, fill), sorted by start.
    std::vector<std::int64_t> start_ns; // relative to the first GPU event of the file
    std::vector<std::int64_t> duration_ns;
    std::vector<std::uint32_t> name; // index into names
    std::vector<KernelClass> kernel_class;
    std::vector<std::int32_t> device;
    std::vector<std::int32_t> stream;
    std::vector<EventWork> work;

    struct Step {
        std::string name; // "ProfilerStep#12"
        std::int64_t start_ns = 0;
        std::int64_t duration_ns = 0;
    };
    std::vector<Step> steps;

    // What was left out, and why: reason -> count, for the user to see.
    struct Skipped {
        std::string reason;
        std::int64_t count = 0;
        std::string first_place; // "byte 12345" or "event 77"
    };
    std::vector<Skipped> skipped;
    std::int64_t events_in_file = 0;
    bool truncated = false; // the file ends early; the complete events before are here

    [[nodiscard]] std::size_t size() const { return start_ns.size(); }
};

// Opens a file of any supported format, recognised by content. Errors: unreadable or unknown formats, located.
Expected<Timeline> read_timeline(const std::string& file, const Progress& progress = {});

struct ClassTotal {
    KernelClass kernel_class = KernelClass::other;
    std::int64_t count = 0;
    Seconds sum; // of durations
};

// Busy, idle, overlap over all streams; definitions in the .cpp and shown to the user.
struct TimelineSummary {
    std::int64_t gpu_events = 0;
    std::int64_t kernels = 0;
    Seconds span, busy, idle;
    Seconds kernel_sum;
    Seconds compute_union; // kernels that are not communication
    Seconds collective_union;
    Seconds overlap; // of the two unions
    Seconds exposed_collective;
    std::int64_t same_stream_overlaps = 0; // programmatic dependent launch; not an error
    std::vector<ClassTotal> classes;
    std::vector<Seconds> step_durations;
    std::int64_t with_work = 0; // events whose FLOPs and bytes are known from shapes
    std::int64_t without_work = 0;
};
TimelineSummary summarize(const Timeline& timeline);

} // namespace ridgepoint

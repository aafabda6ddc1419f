#pragma once
// One type for every measured trace: GPU events as columns, named once, times as integer nanoseconds.

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "model/base/error.h"
#include "model/base/progress.h"
#include "model/units/quantity.h"

namespace ridgepoint {

enum class KernelClass : std::uint8_t { gemm, attention, norm, elementwise, convolution, optimizer, collective, memcpy, memset, other };
inline constexpr std::size_t kernel_class_count = 10;
std::string_view name_of(KernelClass c);

// What a kernel's name says about its arithmetic; a guess, `unknown` where the name is silent.
enum class KernelPrecision : std::uint8_t { unknown, fp64, fp32, tf32, fp16, bf16, fp8, fp4, int8 };
std::string_view name_of(KernelPrecision p);

enum class CollectiveType : std::uint8_t { all_reduce, all_gather, reduce_scatter, all_to_all, broadcast, reduce, send_recv, barrier, other };
std::string_view name_of(CollectiveType t);

// Floating-point operations and compulsory bytes of an event, from tensor shapes. `known` false: the trace does not say.
struct EventWork {
    double flops = 0;
    double bytes = 0;
    bool known = false;
};

struct Timeline {
    static constexpr std::int64_t no_launch = std::numeric_limits<std::int64_t>::min();

    std::string file;
    std::string format; // "PyTorch profiler trace"
    std::string device_name; // "NVIDIA H100 80GB HBM3"; empty if the trace does not say
    int devices_listed = 0; // in the file's device table
    int rank = -1; // -1: unknown
    int world_size = 0; // 0: unknown
    std::int64_t origin_ns = 0; // of the first GPU event on the file's own clock, without base_ns
    std::int64_t base_ns = 0; // added to the file's clock gives nanoseconds since 1970; 0 where the clock is absolute
    // What a PyTorch trace says of itself; empty or -1: nothing.
    struct Recording {
        int schema = -1;
        std::string display_unit, backend, nccl_version;
        int process_groups = -1, process_groups_described = -1;
        std::vector<std::pair<std::string, std::int64_t>> phases; // events of each "ph"
        std::vector<std::pair<std::string, std::int64_t>> categories; // complete events ("X") of each category
    };
    Recording recording;
    bool with_stack = false; // Python stacks were recorded: host time, and so idle time, is inflated
    std::vector<std::string> names; // distinct kernel names
    std::vector<KernelPrecision> name_precision; // one per name
    std::vector<CollectiveType> name_collective; // one per name; means something for collectives only

    // One entry per GPU event (kernel, copy, fill), sorted by start.
    std::vector<std::int64_t> start_ns; // relative to the first GPU event of the file
    std::vector<std::int64_t> duration_ns;
    std::vector<std::uint32_t> name; // index into names
    std::vector<KernelClass> kernel_class;
    std::vector<std::int32_t> device;
    std::vector<std::int32_t> stream;
    std::vector<EventWork> work;
    std::vector<std::int64_t> launch_ns; // start of the host's launch call, or no_launch if the file does not have it
    std::vector<std::int32_t> collective; // index into collectives; -1: not a collective, or nothing known about it

    // What the trace says about a collective kernel, one entry per distinct combination. Elements are per rank.
    struct Collective {
        CollectiveType type = CollectiveType::other;
        std::string name; // as recorded: "allreduce", "_allgather_base"
        std::string dtype; // as recorded: "BFloat16"
        std::int64_t in_elements = 0;
        std::int64_t out_elements = 0;
        int group_size = 0; // 0: unknown
        std::string process_group;
        std::string group_description; // what the framework calls it: "TENSOR_MODEL_PARALLEL_GROUP"; empty: not recorded
        std::string group_ranks; // as recorded: "[0, 8, 16]", of large groups cut short with "..."; empty if not recorded
        Bytes size; // of the larger buffer: what nccl-tests calls the size; 0 if unknown
        auto operator<=>(const Collective&) const = default;
    };
    std::vector<Collective> collectives;

    struct MatrixProduct { // one entry per distinct shape, most work first
        std::int32_t m = 0, n = 0, k = 0;
        std::int64_t count = 0;
        [[nodiscard]] double flops() const { return 2.0 * m * n * k * static_cast<double>(count); }
    };
    std::vector<MatrixProduct> products; // from operators' shapes; batched ones left out

    struct Step {
        std::string name; // "ProfilerStep#12"
        std::int64_t start_ns = 0;
        std::int64_t duration_ns = 0;
    };
    std::vector<Step> steps; // as the host saw them
    std::vector<Step> gpu_steps; // the GPU's copy of the annotations: from the first kernel of the step to its last

    // What was left out, and why: reason -> count, for the user to see.
    struct Skipped {
        std::string reason;
        std::int64_t count = 0;
        std::string first_place; // "event 77, byte 12345" (of the text, after gzip)
    };
    std::vector<Skipped> skipped;
    std::vector<Skipped> without_work; // why kernels have no FLOPs and bytes; they are in the columns all the same
    std::int64_t events_in_file = 0;
    std::int64_t text_bytes = 0; // read, after gzip
    bool truncated = false; // the file ends early; the complete events before are here
    std::vector<std::string> notes; // definitions and doubts that the user must see
    std::shared_ptr<const nlohmann::json> own_facts; // beside the common facts, under this format's own names; null: none

    [[nodiscard]] std::size_t size() const { return start_ns.size(); }
};

// Opens a file of any supported format, recognised by content. Errors: unreadable or unknown formats, located; cancelled.
Expected<Timeline> read_timeline(const std::string& file, const Progress& progress = {});

struct ClassTotal {
    KernelClass kernel_class = KernelClass::other;
    std::int64_t count = 0;
    Seconds sum; // of durations
};

// Why no GPU event ran. A gap is between two instants of the union over all streams of one file.
struct IdleCauses {
    Seconds host; // the event after the gap was launched only after the gap had begun
    Seconds launch_latency; // launched in time, and the gap is at most 3 us: the GPU's own latency between kernels
    Seconds dependency; // launched in time, and waited longer: for an event, another stream or a copy
    Seconds unknown; // the launch is not in the file
};

// Busy, idle, overlap over all streams; definitions in the .cpp and shown to the user.
struct TimelineSummary {
    std::int64_t gpu_events = 0;
    std::int64_t kernels = 0;
    Seconds span, busy, idle;
    Seconds kernel_sum;
    Seconds compute_union; // kernels that are not communication
    Seconds collective_union;
    Seconds memory_union; // copies and fills
    Seconds overlap; // of the two unions
    Seconds exposed_collective;
    std::int64_t same_stream_overlaps = 0; // programmatic dependent launch; not an error
    std::int64_t zero_durations = 0;
    std::int64_t without_launch = 0; // GPU events whose launch call is not in the file
    IdleCauses idle_causes; // sums to idle
    std::vector<ClassTotal> classes;
    std::vector<Seconds> step_durations;
    std::int64_t with_work = 0; // events whose FLOPs and bytes are known from shapes
    std::int64_t without_work = 0;
};
TimelineSummary summarize(const Timeline& timeline);

} // namespace ridgepoint

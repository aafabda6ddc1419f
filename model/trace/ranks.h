#pragma once
// The ranks of one job side by side. A collective's time in one rank's trace includes the wait for the last rank to come;
// over all ranks the shortest time is the transfer, and what the others took longer is their wait.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/trace/timeline.h"

namespace ridgepoint {

// How a file's rank is known: it says so, its name does, or only its place in the list is left.
enum class RankSource : std::uint8_t { content, file_name, order };
std::string_view name_of(RankSource s);

// "rank-3.json", "trace_rank3.json.gz", "worker3_step_12.json", "step_r3.json", "rank_3/trace.json"; none of these: none.
std::optional<int> rank_in_name(std::string_view file);

struct JobRank {
    int rank = 0;
    RankSource source = RankSource::content;
    std::string file;
    Seconds step; // mean, as the host saw it; 0: the trace has no steps
    Seconds compute; // union of the kernels that are not communication
    Seconds collective; // union of the collectives
    Seconds exposed_collective;
    // Of the collectives that were matched over the ranks, sums of durations.
    Seconds transfer, wait; // together what this rank spent in them
    Seconds wait_caused; // of the other ranks in the collectives to which this one came last
    std::int64_t came_last = 0; // to how many
};

// Collectives of one kind and size in one process group, over the ranks that were given.
struct JobCollective {
    CollectiveType type = CollectiveType::other;
    std::string dtype;
    std::string process_group;
    Bytes size; // as nccl-tests counts it; 0: unknown
    int group_size = 0; // as recorded, else the number of ranks that take part
    std::int64_t count = 0;
    Seconds transfer; // sum over the collectives of the shortest time
    Seconds wait; // sum over collectives and ranks
    BytesPerSecond bus_bandwidth; // at the transfer's mean time; 0 if the size is unknown
};

struct JobTimelines {
    std::vector<JobRank> ranks; // by rank
    std::vector<JobCollective> collectives; // by transfer, longest first
    std::vector<int> stragglers; // ranks for which others waited, by the wait they caused
    double compute_imbalance = 0; // the longest rank's computing time over the mean, minus 1
    std::int64_t matched = 0; // collectives, each counted once
    std::int64_t unmatched = 0; // kernels that have no counterpart in another rank's file
    std::int64_t point_to_point = 0; // sends and receives: their peers are not recorded, so they are not matched
    std::vector<std::string> notes; // what to know about the reading of these files as one job
};

// Collectives are matched by process group and order, step by step where all files have steps. Errors: fewer than two
// files.
Expected<JobTimelines> compare_ranks(const std::vector<const Timeline*>& files);

} // namespace ridgepoint

#pragma once
// Job logs in front of the benchmark's own lines: launchers' tags, NCCL's chatter, colours, time stamps.

#include <string>
#include <string_view>

namespace ridgepoint {

struct BenchmarkLine {
    std::string text; // without tags and chatter
    std::string source; // the process that the tags name: "[1,0]", "0:"; empty: none
    std::string chatter; // what was cut off: "NCCL INFO NCCL version 2.22.3+cuda12.2"
};

// `mpirun --tag-output` tags are removed anywhere, for it puts them into rows as well; `srun -l`, pod and container
// prefixes and time stamps at the start only.
BenchmarkLine benchmark_line(std::string_view raw);

} // namespace ridgepoint

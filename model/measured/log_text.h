#pragma once
// Data that stands in a job's log: behind what the launcher said, or with the launcher's tag before each line.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ridgepoint {

// The text without colours and without what a launcher puts before every line: "0: " of srun -l, "[1,0]<stdout>:" of mpirun,
// "[pod/x/y] " of kubectl, "name | " of docker compose, "host: " of pdsh, "stdout F " of containerd, time stamps. Only what
// nearly all lines have is taken off, or the only line where a document begins behind it. Lines stay lines. Empty: there is nothing to take off.
std::string without_line_prefixes(std::string_view text);

// Offsets of lines behind the first where a JSON document or a table of comma-separated values may begin; a few at most.
std::vector<std::size_t> data_starts(std::string_view text);

} // namespace ridgepoint

#pragma once
// Lines of a job's log: free of terminal colours and of what launchers put in front, cut into named numbers.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/measured/trimmed.h"

namespace ridgepoint {

struct LogLine {
    std::string text; // no colour codes, no tag of a launcher; at most 64 KiB
    std::int64_t number = 0; // from 1
    std::optional<int> rank; // of the tag: "3: " of srun -l, "[rank3]:", "[1,3]<stdout>:" of mpirun, "[default3]:" of torchrun
};

// Lines end at \n, and at \r: progress bars overwrite themselves.
class LogLines {
public:
    explicit LogLines(std::string_view text) : m_rest(text) {}
    bool next(LogLine& line); // false: no more
    bool next_with(std::string_view word, LogLine& line); // the next line that holds the word

private:
    bool raw(std::string_view& line);
    std::string_view m_rest;
    std::int64_t m_number = 0;
    bool m_line_goes_on = false; // after \r
};

// "name: 12.5 GB", "name=1,234/5,678": the name as it stands, the first number, and what follows it without a blank.
struct NamedNumber {
    std::string_view name; // free of blanks, bars and brackets around it
    std::string_view text; // the number as it stands: "6,785"
    double value = 0; // NaN where the log says nan or inf
    std::string_view unit; // "GiB(86.69%)", "%", "K", "/240.9"
};
std::vector<NamedNumber> named_numbers(std::string_view line);

// The number at the start of a text, thousands commas and exponents included; none if there is none. `rest` is what follows.
std::optional<double> leading_number(std::string_view text, std::string_view& rest);

// "step 12", "iteration   12/ 300", "Step: 12": none if the line names no step.
std::optional<std::int64_t> step_in(std::string_view line);

// 1.25K, 3M, 2.1B, 1T as humans abbreviate counts; 1 for any other unit.
double count_factor(std::string_view unit);
// Bytes of a unit: "GiB", "GB", "MiB(12%)"; none for any other.
std::optional<double> bytes_factor(std::string_view unit);

} // namespace ridgepoint

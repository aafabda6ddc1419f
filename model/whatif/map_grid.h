#pragma once
// What a drawn regime map needs beside its cells: values of the axes that can mostly run, contour lines of time or cost, and
// where the name of a region has room.

#include <optional>
#include <utility>
#include <vector>

#include "model/whatif/sweep.h"

namespace ridgepoint {

// Values of one axis, `value` (the plan's) among them. Numbers of which most divide nothing would leave a map blank: whole
// knobs below 16 are doubled and halved, larger ones take multiples of the largest power of two that divides `value` and is
// at most a sixteenth of it. Others as sweep_values().
std::vector<double> map_values(const Knob& knob, double value, double low, double high, int count);

enum class MapMeasure : unsigned char { time, cost };
double measured_at(const RegimeCell& cell, MapMeasure measure); // 0: unknown

// Round numbers (1, 2, 5 times a power of ten; whole decades where the range is wide) within low to high, at most `most`.
std::vector<double> contour_levels(double low, double high, std::size_t most);

struct ContourLine {
    double level = 0;
    std::vector<std::pair<double, double>> points; // in cells: (2.5, 1) is half-way between the centres of cells 2 and 3 of row 1
};
// Marching squares over the logarithm of the measure, segments joined to lines; squares with a corner that cannot run are left out.
std::vector<ContourLine> contour_lines(const RegimeMap& map, MapMeasure measure, const std::vector<double>& levels);

// The cell of the regime that is farthest from any other, and how far (in cells, of a square around it).
std::optional<std::pair<std::size_t, int>> middle_of(const RegimeMap& map, Regime regime);

} // namespace ridgepoint

#pragma once
// Labels along lines, without overlap: greedy by priority, each label tries its candidate places in order and is left
// out if none is free. Places are rotated rectangles in pixels, y downwards.

#include <cstddef>
#include <optional>
#include <vector>

namespace ridgepoint {

struct LabelBox
{
    double x = 0, y = 0; // centre
    double width = 0, height = 0;
    double angle = 0; // radians, clockwise on the screen (y downwards)
};

bool overlap(const LabelBox& a, const LabelBox& b); // separating axes; touching is not overlap
bool inside(const LabelBox& box, double left, double top, double right, double bottom);

struct LabelRequest
{
    std::vector<LabelBox> candidates; // best first
};

// In order of priority. Answers the index of the chosen candidate of each request. `taken`: places that are not free;
// `avoided`: places to be covered only if a label has no other.
std::vector<std::optional<std::size_t>> place_labels(const std::vector<LabelRequest>& requests, double left, double top,
    double right, double bottom, std::vector<LabelBox> taken = {}, const std::vector<LabelBox>& avoided = {});

// Candidates along the segment (x0, y0)-(x1, y1), `inset` from its ends: from its end back to its start, above the line
// by `lift`, then below.
std::vector<LabelBox> along_segment(
    double x0, double y0, double x1, double y1, double width, double height, double lift, double inset = 0);

} // namespace ridgepoint

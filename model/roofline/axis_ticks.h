#pragma once
// Ticks of a logarithmic axis at any zoom: decades while they fit, 1-2-5 below two decades, linear steps below a factor
// of five, every second, third, ... decade above eight. One number format for all labels of an axis.

#include <string>
#include <vector>

#include "model/roofline/log_frame.h"

namespace ridgepoint {

struct Tick
{
    double position = 0; // log10
    std::string label; // empty: a line without a label
    bool major = false;
};

// `pixels`: length of the axis; `label_pixels`: room that one label needs along the axis, gap included.
std::vector<Tick> log_ticks(LogRange range, double pixels, double label_pixels);

struct LinearTick
{
    double value = 0;
    std::string label;
};
// 0, step, 2 step, ... up to at least `highest`, step 1, 2 or 5 times a power of ten; never more than fit.
std::vector<LinearTick> linear_ticks(double highest, double pixels, double label_pixels);

} // namespace ridgepoint

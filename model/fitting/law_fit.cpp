#include "model/fitting/law_fit.h"

#include <cstdlib>

#include <fmt/format.h>

namespace ridgepoint {

double rounded(double value, double scale)
{
    constexpr double trace = 1e-3; // of the scale
    return std::abs(value) < trace * scale ? 0.0 : std::strtod(fmt::format("{:.3g}", value).c_str(), nullptr);
}

} // namespace ridgepoint

#pragma once
// The report's figures as SVG. Classes of colours are defined by the page (html.cpp).

#include <string>

#include "model/project/resolve.h"

namespace ridgepoint {

std::string roofline_svg(const Evaluation& evaluation); // log-log, operators sized by their time
std::string breakdown_svg(const Evaluation& evaluation); // bars of the parts of the step, coloured by what bounds them
std::string memory_svg(const Evaluation& evaluation); // bars of the stages against the capacity

} // namespace ridgepoint

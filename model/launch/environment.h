#pragma once
// Environment variables of a job on its fabric, each with the reason.

#include <string>
#include <vector>

#include "model/launch/context.h"

namespace ridgepoint {

struct Variable {
    std::string name;
    std::string value;
    std::string why;
};

std::vector<Variable> environment_of(const LaunchContext& c);

} // namespace ridgepoint

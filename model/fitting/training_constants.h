#pragma once
// The constants of training that are fitted: where each stands in the files, and what is known of it beside the runs.
// Private to the fitting floor.

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "model/fitting/least_squares.h"
#include "model/sustained/sustained.h"

namespace ridgepoint {

struct TrainingWorld { // all constants at once, by the id of their file
    std::map<std::string, TrainingRates> gpus;
    std::map<std::string, TrainingLinks> fabrics;
    std::map<std::string, FrameworkConstants> frameworks;
    OverlapConstants overlap;
    double power_exponent = 0.5;
};

struct TrainingConstant {
    FitParameter parameter; // start: the middle of what is plausible; named by document and pointer
    double width = 0.3; // of that, as a standard deviation of the logarithm
    std::string like; // name of another constant whose value this one is drawn to; empty: none
    double like_width = 0.1;
    std::string document; // "h100"
    std::string pointer; // "/training"
    std::vector<std::string> names; // "products_bf16"; more than one where the runs cannot tell them apart
    std::function<void(TrainingWorld&, double)> set;
    std::function<double(double)> written = [](double v) { return v; }; // the file's figure, in base units
};

std::vector<TrainingConstant> training_constants();

} // namespace ridgepoint

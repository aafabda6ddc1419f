#pragma once
// specs/efficiency/ made anew from a folder of measurements.

#include <map>
#include <string>
#include <vector>

#include "model/base/progress.h"
#include "model/fitting/efficiency_documents.h"

namespace ridgepoint {

struct RefitRequest {
    std::string measurements; // a folder
    std::vector<std::string> only; // ids of efficiency files; empty: all
};

struct Refit {
    FittedLaws fitted;
    std::vector<SpecChange> changes; // of constants and residuals, with those of derived laws
    std::map<std::string, std::string> documents; // id -> text of the file, of all that were asked for
};
Expected<Refit> refit(const RefitRequest& request, SpecStore specs, const Progress& progress = {});

} // namespace ridgepoint

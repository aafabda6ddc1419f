#pragma once
// How often a node interrupts its job: a figure of the catalogue with its range and source.

#include <string>

#include "model/specs/store.h"
#include "model/units/quantity.h"

namespace ridgepoint {

struct Reliability {
    Seconds mtbf; // of one node; zero: it never fails, or nothing is known
    Seconds low, high; // what it may as well be: 10 and 90 % points
    std::string source, date, confidence, note;
    [[nodiscard]] bool known() const { return !source.empty(); }
};
// From specs/instances; unknown where the instance has no figure.
Expected<Reliability> read_reliability(const SpecStore& specs, const std::string& instance);

} // namespace ridgepoint

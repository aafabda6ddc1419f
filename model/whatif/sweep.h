#pragma once
// One knob over its values, or two over a grid coloured by what bounds each cell.

#include <cstdint>
#include <vector>

#include "model/base/progress.h"
#include "model/whatif/knob.h"

namespace ridgepoint {

// `count` values from low to high: evenly on a logarithmic scale where both are positive and a decade apart, whole numbers
// once each. At least 2 and at most 10,000.
std::vector<double> sweep_values(const Knob& knob, double low, double high, int count);

struct SweepPoint {
    double value = 0;
    Outcome outcome;
};
std::vector<SweepPoint> sweep(const WhatIf& base, const Knob& knob, const std::vector<double>& values, const Progress& progress = {});

// What colours a cell.
enum class Regime : std::uint8_t { compute, hbm, nvlink, network, latency, storage, does_not_fit, impossible };
std::string_view name_of(Regime r);
Regime regime_of(const Outcome& o);

struct RegimeCell {
    Regime regime = Regime::impossible;
    float time = 0; // seconds; 0 where it cannot run
    float dollars_per_million = 0; // 0: unknown
    bool refined = false; // estimated itself; else taken from its neighbours, which agree
};

struct RegimeMap {
    Knob x, y;
    std::vector<double> xs, ys; // of the cells
    std::vector<RegimeCell> cells; // row by row, ys slowest
    std::size_t estimated = 0;
    [[nodiscard]] const RegimeCell& at(std::size_t i, std::size_t j) const { return cells[j * xs.size() + i]; }
};

// A coarse grid first; then every cell whose surroundings disagree in regime, so that borders are exact. Inside a region time
// and cost are interpolated bilinearly on the logarithms. `exact`: every cell is estimated.
RegimeMap regime_map(const WhatIf& base, const Knob& x, std::vector<double> xs, const Knob& y, std::vector<double> ys, bool exact = false, const Progress& progress = {});

} // namespace ridgepoint

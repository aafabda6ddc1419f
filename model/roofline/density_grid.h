#pragma once
// Many points as a grid of weights: what a density image shows. Points are log10 coordinates in two arrays of equal
// length.

#include <cstddef>
#include <span>
#include <vector>

#include "model/roofline/log_frame.h"

namespace ridgepoint {

struct DensityGrid
{
    int width = 0, height = 0;
    std::vector<float> cells; // row 0 at the bottom (low y); sum of weights
    float largest = 0;
    std::size_t inside = 0; // points in the frame
    std::size_t left = 0, right = 0, below = 0, above = 0; // points outside; a corner counts on the x side

    [[nodiscard]] float at(int column, int row) const
    {
        return cells[static_cast<std::size_t>(row) * static_cast<std::size_t>(width)
            + static_cast<std::size_t>(column)];
    }
    [[nodiscard]] double shade(int column, int row) const; // 0..1, logarithmic: log1p(w / w_0) / log1p(w_max / w_0)
};

// `weights` empty: every point counts one.
DensityGrid density_grid(std::span<const float> x, std::span<const float> y, std::span<const float> weights,
    const LogFrame& frame, int width, int height);

// Indices of the `count` largest values, largest first; ties by index.
std::vector<std::size_t> largest_indices(std::span<const float> values, std::size_t count);

} // namespace ridgepoint

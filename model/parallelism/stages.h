#pragma once
// Which layers a pipeline stage holds.

#include <array>
#include <vector>

#include "model/parallelism/layout.h"

namespace ridgepoint {

inline constexpr std::size_t max_layer_kinds = most_layer_kinds;

struct StageContent {
    std::array<int, max_layer_kinds> layers{}; // count by Transformer::kinds, MTP layers included
    bool embedding = false;
    int heads = 0; // LM heads: one on the last stage, one more per MTP layer

    [[nodiscard]] int layer_count() const
    {
        int sum = 0;
        for (int n : layers)
            sum += n;
        return sum;
    }
};

// Layers are cut into pp x vpp chunks in order; chunk c belongs to stage c % pp. A remainder goes to the chunks in the
// middle first, because the first stage also holds the embedding and the last one the LM head.
std::vector<StageContent> cut_into_stages(const Transformer& model, const Layout& layout);

} // namespace ridgepoint

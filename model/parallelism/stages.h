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

    bool operator==(const StageContent&) const = default;
    [[nodiscard]] int layer_count() const
    {
        int sum = 0;
        for (int n : layers)
            sum += n;
        return sum;
    }
};

// Layers are cut into pp x vpp chunks in order; chunk c belongs to stage c % pp. Where the chunks divide the layers all
// get as many, as frameworks do by default. Where they do not, a hand-made layout is needed anyway, and those that are
// published give less to the stage that also holds LM heads and MTP layers (Megatron-Core's pipeline_model_parallel_layout,
// account_for_loss_in_pipeline_split): each layer goes to the stage that has least to do.
std::vector<StageContent> cut_into_stages(const Transformer& model, const Layout& layout);

} // namespace ridgepoint

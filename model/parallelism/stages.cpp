#include "model/parallelism/stages.h"

#include <algorithm>

namespace ridgepoint {

std::vector<StageContent> cut_into_stages(const Transformer& model, const Layout& layout)
{
    const int stages = std::max(layout.pp, 1);
    const int chunks = stages * std::max(layout.vpp, 1);
    const int total = model.layer_count();
    const int base = total / chunks;
    const int remainder = total % chunks;
    // Chunks [first_long, first_long + remainder) get one layer more.
    const int first_long = (chunks - remainder) / 2;

    std::vector<StageContent> out(static_cast<std::size_t>(stages));
    int layer = 0;
    for (int chunk = 0; chunk < chunks; ++chunk) {
        StageContent& stage = out[static_cast<std::size_t>(chunk % stages)];
        const int n = base + (chunk >= first_long && chunk < first_long + remainder ? 1 : 0);
        for (int i = 0; i < n && layer < total; ++i, ++layer)
            ++stage.layers[std::min<std::size_t>(model.layers[static_cast<std::size_t>(layer)], max_layer_kinds - 1)];
    }
    out.front().embedding = true;
    out.back().heads = 1 + model.mtp_depth;
    if (model.mtp_depth > 0 && !model.layers.empty())
        out.back().layers[std::min<std::size_t>(model.layers.back(), max_layer_kinds - 1)] += model.mtp_depth;
    return out;
}

} // namespace ridgepoint

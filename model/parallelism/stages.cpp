#include "model/parallelism/stages.h"

#include <algorithm>

namespace ridgepoint {

namespace {

// What an LM head costs beside one of the last layers: products of vocabulary and layer, per token.
double head_in_layers(const Transformer& model)
{
    if (model.layers.empty())
        return 0.0;
    const LayerKind& kind = model.kinds[std::min<std::size_t>(model.layers.back(), model.kinds.size() - 1)];
    const LayerParameters p = count_layer_parameters(model, kind);
    const MixtureOfExperts& moe = model.moe;
    const double active = p.attention + p.mlp + p.shared_expert + (moe.experts > 0 ? p.experts * moe.top_k / moe.experts : 0.0);
    return active > 0.0 ? static_cast<double>(model.hidden) * model.vocab / active : 0.0;
}

// Layers of each stage when they do not divide evenly: the load that all can reach, then one by one to the least loaded.
std::vector<int> balanced_counts(const Transformer& model, int stages, int total)
{
    std::vector<double> load(static_cast<std::size_t>(stages), 0.0);
    load.back() += (1 + model.mtp_depth) * head_in_layers(model) + model.mtp_depth;
    const double level = std::max(0.0, (total + load.back()) / stages - 1.0);
    std::vector<int> counts(load.size());
    int left = total;
    for (std::size_t i = 0; i < load.size() && left > 0; ++i) {
        counts[i] = std::min(left, static_cast<int>(std::max(0.0, level - load[i])));
        left -= counts[i];
        load[i] += counts[i];
    }
    for (; left > 0; --left) {
        const auto least = std::min_element(load.begin(), load.end());
        *least += 1.0;
        ++counts[static_cast<std::size_t>(least - load.begin())];
    }
    return counts;
}

// Layers in order, chunk by chunk: one chunk to each stage, then the next round.
void deal(const Transformer& model, const std::vector<int>& counts, int chunks, std::vector<StageContent>& stages)
{
    std::size_t layer = 0;
    for (int round = 0; round < chunks; ++round)
        for (std::size_t s = 0; s < stages.size(); ++s) {
            const int n = counts[s] / chunks + (round < counts[s] % chunks ? 1 : 0);
            for (int i = 0; i < n && layer < model.layers.size(); ++i, ++layer)
                ++stages[s].layers[std::min<std::size_t>(model.layers[layer], max_layer_kinds - 1)];
        }
}

} // namespace

std::vector<StageContent> cut_into_stages(const Transformer& model, const Layout& layout)
{
    const int stages = std::max(layout.pp, 1);
    const int per_stage = std::max(layout.vpp, 1);
    const int total = model.layer_count();
    const std::vector<int> counts = total % (stages * per_stage) == 0
        ? std::vector<int>(static_cast<std::size_t>(stages), total / stages)
        : balanced_counts(model, stages, total);

    std::vector<StageContent> out(static_cast<std::size_t>(stages));
    if (model.kinds.size() == 1) // all layers are alike: only their number makes a difference
        for (std::size_t s = 0; s < out.size(); ++s)
            out[s].layers[0] = counts[s];
    else
        deal(model, counts, per_stage, out);
    out.front().embedding = true;
    out.back().heads = 1 + model.mtp_depth;
    if (model.mtp_depth > 0 && !model.layers.empty())
        out.back().layers[std::min<std::size_t>(model.layers.back(), max_layer_kinds - 1)] += model.mtp_depth;
    return out;
}

} // namespace ridgepoint

#pragma once
// What one microbatch costs in each kind of layer, forward, again and backward, and before and after the layers. Depends on
// how a layer is cut (tp, cp, ep, micro batch, recomputation, overlap) and not on how many layers, stages and replicas there
// are, so that a search computes it once for many layouts. Private to the estimate floor.

#include <unordered_map>
#include <vector>

#include "model/estimate/job.h"
#include "model/operators/layer.h"
#include "model/schedule/layer_time.h"

namespace ridgepoint {

struct PassTimes { // of one layer kind, or of the embedding or head
    LayerTime forward, recompute, backward;
    AttributedTime sharded_exposed; // FSDP: what gathering and reducing adds per microbatch
    Seconds sharded_hidden;
    AttributedTime whole; // of the three passes, without what sharding adds
    [[nodiscard]] LayerTime sum() const { return forward + recompute + backward; }
};

struct PassRange { // operators of one pass
    std::size_t begin = 0, end = 0;
    Phase phase = Phase::forward;
    std::uint8_t layer_kind = outside_layers;
    bool embedding = false;
};

struct LayerPasses {
    std::vector<PassTimes> kinds; // by Transformer::kinds
    PassTimes embedding, head;
    OperatorList operators;
    std::vector<PassRange> ranges;
};

LayerPasses layer_passes(const OperatorContext& context, const Job& job, const TokenBatch& batch);

// Passes of layouts of ONE job (same model, cluster hardware, precision, sequence and assumptions). Not for several threads.
class LayerPassMemo {
public:
    // Computed on the first call with a layout that cuts layers in this way.
    const LayerPasses& passes(const OperatorContext& context, const Job& job, const TokenBatch& batch);

private:
    struct Key {
        int tp, cp, ep, etp, micro_batch;
        std::uint32_t flags;
        double recompute_share;
        bool operator==(const Key&) const = default;
    };
    struct Hash {
        std::size_t operator()(const Key& k) const;
    };
    static Key key_of(const Layout& l);

    static constexpr std::size_t most_kept = 20'000; // some 40 KB each at most; then it starts afresh
    std::unordered_map<Key, LayerPasses, Hash> m_kept;
    const LayerPasses* m_last = nullptr; // neighbours in a search mostly share it
    Key m_last_key{};
};

} // namespace ridgepoint

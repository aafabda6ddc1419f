#pragma once
// What a checkpoint holds, how long it takes to a tier of storage and back, and what the tier must provide for the data.

#include <string>
#include <vector>

#include "model/estimate/job.h"
#include "model/hardware/storage.h"
#include "model/units/attributed_time.h"
#include "model/workload/run.h"

namespace ridgepoint {

struct CheckpointSize {
    Bytes total; // written once across replicas: weights, master weights and moments
    Bytes shard; // of the GPU that writes most, with the write cut evenly over its replicas
    Bytes spread; // what a GPU that starts again gets from its replicas over the network, at most: weights it did not read itself
};
CheckpointSize checkpoint_size(const Job& job, const Training& training);

// What a tier lets a cluster read and write. A total of zero: no limit beside the clients'.
struct TierRates {
    BytesPerSecond node_read, node_write; // one instance
    BytesPerSecond total_read, total_write;
    Bytes capacity; // provisioned, in the steps that the tier is sold in
    std::string client; // "EFA", "ENA", "drives", "EBS"
};
// Error: infeasible where the instance has no such drives. `wanted`: the capacity asked for.
Expected<TierRates> tier_rates(const StorageTier& tier, const Cluster& cluster, Bytes wanted);

struct TransferTime {
    Seconds time;
    std::string limited_by; // "host link", "EFA of an instance", "file system"
};
// All GPUs move `shard` at once and `total` together, by `node` and `all` rates.
TransferTime transfer_time(Bytes shard, Bytes total, const Cluster& cluster, const std::string& client, BytesPerSecond node, BytesPerSecond all);

struct StorageDemand {
    std::string what; // "training data", "checkpoints"
    std::string tier; // spec id
    std::string tier_name;
    Bytes needed, capacity;
    BytesPerSecond demand, available; // read for data, write for checkpoints
    std::string limited_by;
    bool limits = false; // training waits for it
};

struct BatchReading {
    Seconds time; // of one batch, by all instances at once
    StorageDemand demand; // limits: longer than `step`
};
Expected<BatchReading> read_batch(const Job& job, const Training& training, const Run& run, const StorageTier& tier, Seconds step);

struct CheckpointPrediction {
    CheckpointSize size;
    Seconds write; // until it is safe on the tier
    Seconds blocking; // training stands still
    std::string write_limited_by, blocking_limited_by;
    Seconds reload;
    std::string reload_limited_by;
};

struct CheckpointWriting {
    CheckpointPrediction checkpoint;
    AttributedTime blocking; // `checkpoint.blocking` by resource
    StorageDemand demand; // what is asked for follows from the interval
};
Expected<CheckpointWriting> write_checkpoint(const Job& job, const Training& training, const Run& run, const StorageTier& tier);

} // namespace ridgepoint

#include "model/run/checkpoint.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "model/memory/states.h"
#include "model/parallelism/stages.h"

namespace ridgepoint {
namespace {

constexpr double adapter_weight = 2.0; // bytes, bf16

Error at(const char* pointer, Error error)
{
    error.place.pointer = pointer;
    return error;
}

Bytes in_steps(Bytes wanted, Bytes step) { return step > Bytes{} ? step * std::max(1.0, std::ceil(wanted / step - 1e-9)) : wanted; }

BytesPerSecond slower(BytesPerSecond a, BytesPerSecond b)
{
    if (a <= BytesPerSecond{} || b <= BytesPerSecond{})
        return std::max(a, b);
    return std::min(a, b);
}

} // namespace

// Weights as trained (bf16, or fp32 where they are the master copy) and what the optimizer keeps, as in training_states():
// 14 bytes a parameter for Adam with mixed precision. Ranks of one tensor-parallel group hold norms and routers in common;
// they count once a rank, less than a thousandth of the whole.
CheckpointSize checkpoint_size(const Job& job, const Training& training)
{
    const Layout& l = job.layout;
    const bool lora = training.kind == TrainingKind::lora;
    const double optimizer = job.precision.optimizer_bytes, weight = lora ? adapter_weight : optimizer < 10.0 ? 4.0 : 2.0;
    const double replicas = static_cast<double>(l.dp) * l.cp, expert_replicas = std::max(1, l.expert_dp());
    const ShardDegrees degrees = shard_degrees(l, replicas, job.cluster.gpus_per_node());
    const ShardDegrees expert_degrees = shard_degrees(l, expert_replicas, job.cluster.gpus_per_node());
    const auto received = [&](double parameters, double degree, double of) { return weight * parameters * (1.0 / degree - 1.0 / of); };
    CheckpointSize out;
    for (const StageContent& stage : cut_into_stages(job.model, l)) {
        const RankParameters p = rank_parameters(job.model, l, stage, lora ? &training.lora : nullptr);
        const double dense = lora ? p.adapters : p.dense, experts = lora ? 0.0 : p.experts;
        out.total += Bytes{(weight + optimizer) * (dense * l.tp + experts * l.ep * l.etp)};
        out.shard = std::max(out.shard, Bytes{(weight + optimizer) * (dense / replicas + experts / expert_replicas)});
        out.spread = std::max(out.spread, Bytes{received(dense, degrees.weights, replicas) + received(experts, expert_degrees.weights, expert_replicas)});
    }
    return out;
}

Expected<TierRates> tier_rates(const StorageTier& tier, const Cluster& cluster, Bytes wanted)
{
    TierRates r;
    const Node& node = cluster.node;
    const double nodes = cluster.nodes;
    switch (tier.kind) {
    case StorageKind::local_nvme: {
        if (node.nvme_drives == 0)
            return infeasible(fmt::format("{} has no local drives", node.id), "Take a file system or S3");
        const double drives = node.nvme_drives;
        r.client = "local drives";
        r.node_read = node.nvme_read > BytesPerSecond{} ? node.nvme_read : tier.drive_read * drives;
        r.node_write = tier.drive_write * drives;
        r.capacity = node.nvme_drive_size * (drives * nodes);
        r.total_read = r.node_read * nodes;
        r.total_write = r.node_write * nodes;
        return r;
    }
    case StorageKind::block:
        if (node.ebs_bandwidth <= BytesPerSecond{})
            return infeasible(fmt::format("no EBS bandwidth of {} is known", node.id), "Take a file system or S3");
        r.client = "EBS";
        r.node_read = r.node_write = node.ebs_bandwidth;
        r.total_read = r.total_write = node.ebs_bandwidth * nodes;
        r.capacity = wanted;
        return r;
    case StorageKind::parallel_file_system: {
        // The Lustre client runs over EFA from the second generation on [AWS, FSx for Lustre, 2024-11].
        const bool efa = cluster.fabric.kind == FabricKind::efa && cluster.fabric.id != "efa-v1" && tier.client_efa > BytesPerSecond{};
        r.client = efa ? "EFA" : "ENA";
        r.node_read = r.node_write = efa ? slower(tier.client_efa, node.network_per_node()) : tier.client_ena;
        r.capacity = in_steps(wanted, tier.capacity_step);
        r.total_read = tier.throughput_maximum > BytesPerSecond{} ? tier.throughput_maximum : tier.read_rate(r.capacity);
        r.total_write = tier.throughput_maximum > BytesPerSecond{} ? tier.throughput_maximum : tier.write_rate(r.capacity);
        return r;
    }
    case StorageKind::object_store:
        r.client = "ENA";
        r.node_read = r.node_write = tier.client_ena;
        r.capacity = wanted;
        return r;
    }
    return r;
}

TransferTime transfer_time(Bytes shard, Bytes total, const Cluster& cluster, const std::string& client, BytesPerSecond node, BytesPerSecond all)
{
    TransferTime out{{}, "host link"};
    const auto slowest = [&](Bytes amount, BytesPerSecond rate, const std::string& name) {
        if (rate > BytesPerSecond{} && amount / rate > out.time)
            out = {amount / rate, name};
    };
    const int busy = std::min(cluster.gpus, cluster.gpus_per_node());
    slowest(shard, cluster.node.host_link_per_direction, "host link");
    slowest(shard * static_cast<double>(busy), node, client + " of an instance");
    slowest(total, all, "the tier as a whole");
    return out;
}

Expected<BatchReading> read_batch(const Job& job, const Training& training, const Run& run, const StorageTier& tier, Seconds step)
{
    const Bytes all{training.tokens.value() * run.bytes_per_token};
    const Expected<TierRates> rates = tier_rates(tier, job.cluster, std::max(all, run.data_capacity));
    if (!rates)
        return at("/run/data_tier", rates.error());
    BatchReading out{{}, {"training data", tier.id, tier.name, all, rates->capacity, {}, {}, {}, false}};
    const Bytes batch{static_cast<double>(training.global_batch) * training.sequence_length * run.bytes_per_token};
    const TransferTime read = transfer_time({}, batch, job.cluster, rates->client, {}, rates->total_read);
    // Every instance reads its share of the batch.
    const Seconds by_instance = rates->node_read > BytesPerSecond{} ? batch / (rates->node_read * static_cast<double>(job.cluster.nodes)) : Seconds{};
    out.time = std::max(read.time, by_instance);
    out.demand.limited_by = by_instance >= read.time ? rates->client + " of the instances" : read.limited_by;
    out.demand.demand = batch / step;
    out.demand.available = out.time > Seconds{} ? batch / out.time : BytesPerSecond{};
    out.demand.limits = out.time > step;
    return out;
}

Expected<CheckpointWriting> write_checkpoint(const Job& job, const Training& training, const Run& run, const StorageTier& tier)
{
    CheckpointWriting out;
    CheckpointPrediction& c = out.checkpoint;
    c.size = checkpoint_size(job, training);
    const Bytes needed = c.size.total * static_cast<double>(run.checkpoints_kept);
    const Expected<TierRates> rates = tier_rates(tier, job.cluster, std::max(needed, run.checkpoint_capacity));
    if (!rates)
        return at("/run/checkpoint_tier", rates.error());
    const TransferTime write = transfer_time(c.size.shard, c.size.total, job.cluster, rates->client, rates->node_write, rates->total_write);
    const TransferTime copy = transfer_time(c.size.shard, {}, job.cluster, "host link", {}, {});
    // Each byte is read once and spread over the network (Megatron-Core --ckpt-fully-parallel-load).
    const TransferTime reload = transfer_time(c.size.shard, c.size.total, job.cluster, rates->client, rates->node_read, rates->total_read);
    const BytesPerSecond network = job.cluster.nodes > 1 ? job.cluster.node.network_per_accelerator() : job.cluster.accelerator.nvlink_per_direction;
    const Seconds spread = network > BytesPerSecond{} ? c.size.spread / network : Seconds{};
    c.write = write.time + run.checkpoint_overhead;
    c.write_limited_by = write.limited_by;
    const TransferTime& blocks = run.asynchronous ? copy : write;
    c.blocking = blocks.time + run.checkpoint_overhead;
    c.blocking_limited_by = blocks.time > run.checkpoint_overhead ? blocks.limited_by : "barriers and metadata";
    out.blocking = AttributedTime(Resource::storage, blocks.time) + AttributedTime(Resource::latency, run.checkpoint_overhead);
    c.reload = reload.time + spread;
    c.reload_limited_by = reload.limited_by;
    out.demand = {"checkpoints", tier.id, tier.name, needed, rates->capacity, {}, write.time > Seconds{} ? c.size.total / write.time : BytesPerSecond{}, write.limited_by, false};
    return out;
}

} // namespace ridgepoint

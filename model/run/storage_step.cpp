#include "model/run/storage_step.h"

#include <algorithm>

#include <fmt/format.h>

namespace ridgepoint {
namespace {

template <typename T> void scale(std::initializer_list<T*> rates, double factor)
{
    for (T* r : rates)
        *r *= factor;
}

void scale_tier(StorageTier& t, double factor)
{
    scale({&t.read_per_capacity, &t.write_per_capacity, &t.read_burst_per_capacity}, factor);
    scale({&t.throughput_step, &t.throughput_maximum, &t.client_ena, &t.client_efa, &t.client_gpudirect, &t.per_connection, &t.drive_read, &t.drive_write}, factor);
}

} // namespace

void scale_rates(RunStorage& storage, double factor)
{
    scale_tier(storage.data_tier, factor);
    scale_tier(storage.checkpoint_tier, factor);
}

void scale_rates(Node& node, double factor) { scale({&node.nvme_read, &node.ebs_bandwidth}, factor); }

Expected<StorageStep> storage_step(const Job& job, const AttributedTime& step, const RunStorage& storage)
{
    const auto* training = std::get_if<Training>(&job.workload);
    if (training == nullptr)
        return bad_input("only a training plan has a run", Place{{}, 0, "/workload/kind"}, {}, "pretraining, fine_tuning or lora");
    const Run& run = storage.run;
    const Expected<BatchReading> read = read_batch(job, *training, run, storage.data_tier, step.total());
    if (!read)
        return read.error();
    const Expected<CheckpointWriting> writing = write_checkpoint(job, *training, run, storage.checkpoint_tier);
    if (!writing)
        return writing.error();
    StorageStep out;
    out.step = larger(step, AttributedTime(Resource::storage, read->time));
    const Seconds node = run.mtbf_hours ? hours(*run.mtbf_hours) : storage.reliability.mtbf, mtbf = node / job.cluster.nodes;
    const RestartPrediction restart = predict_restart(run, mtbf, writing->checkpoint, run.spare_nodes);
    const FailureModel failures{mtbf, writing->checkpoint.blocking, restart.total()};
    const double batch = static_cast<double>(training->global_batch) * training->sequence_length;
    const Seconds work = out.step.total() * std::max(1.0, training->tokens.value() / batch);
    const IntervalPrediction interval = choose_interval(run, failures, writing->checkpoint, out.step.total(), work);
    out.stops = writing->blocking * (out.step.total() / interval.used);
    if (out.whole().bound() == Resource::storage)
        out.limit = read->demand.limits ? fmt::format("reading training data ({})", read->demand.limited_by) : fmt::format("checkpoints ({})", writing->checkpoint.write_limited_by);
    return out;
}

} // namespace ridgepoint

#include "model/launch/levels.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "model/economics/power.h"
#include "model/estimate/estimate.h"
#include "model/launch/context.h"
#include "model/units/format.h"

namespace ridgepoint {
namespace {

// Tensor-active readings lie 0 to 25 % above FLOP/s over the dense peak: the pipe is busy in cycles in which it does not
// retire a full product (DCGM issues 164 and 252; slurm-job-exporter issue 30).
constexpr double tensor_meter_excess = 1.25;
constexpr double largest_error = 0.9; // a bound stays finite

struct Rates { // of one GPU, per second
    double tensor = 0, dram = 0, nvlink = 0, network = 0;

    Rates& add(const Rates& o, double k)
    {
        tensor += k * o.tensor;
        dram += k * o.dram;
        nvlink += k * o.nvlink;
        network += k * o.network;
        return *this;
    }
};

Arithmetic arithmetic_of(const Operator& op, const PrecisionRecipe& p)
{
    return op.kind == OperatorKind::attention ? p.attention : op.kind == OperatorKind::lm_head ? p.lm_head : p.gemm;
}

Rates rates_of(const OperatorList& ops, double seconds, const Job& job)
{
    Rates r;
    if (seconds <= 0.0)
        return r;
    const Accelerator& gpu = job.cluster.accelerator;
    for (const Operator& op : ops) {
        const OperatorClass c = class_of(op.kind);
        if (c == OperatorClass::gemm || c == OperatorClass::attention)
            r.tensor += op.flops.value() * op.count / gpu.dense_peak(arithmetic_of(op, job.precision)).value() / seconds;
        r.dram += op.hbm.value() * op.count / gpu.hbm_bandwidth.value() / seconds;
        r.nvlink += op.nvlink.value() * op.count / seconds;
        r.network += op.network.value() * op.count / seconds;
    }
    return r;
}

// The operators are those of the stage that decides the time; the mean over all GPUs follows from all executed FLOPs.
Rates training_rates(const Evaluation& v)
{
    const Job& job = v.job;
    Rates r = rates_of(v.estimate.operators, v.estimate.training->step.value(), job);
    double stage = 0.0;
    for (const Operator& op : v.estimate.operators)
        stage += op.flops.value() * op.count;
    Job executed = job;
    executed.assumptions.convention = FlopConvention::hardware;
    const Expected<Estimate> e = estimate(executed);
    const double mean = e ? e->training->model_flops_per_step.value() / job.cluster.gpus : 0.0;
    if (stage > 0.0 && mean > 0.0) {
        r.tensor *= mean / stage;
        r.dram *= mean / stage;
    }
    return r;
}

// Serving alternates: prefill takes its share of the time, decode the rest.
Rates serving_rates(const Evaluation& v)
{
    const ServingResult& r = *v.estimate.serving;
    const auto& s = std::get<Serving>(v.job.workload);
    if (s.phase == ServingPhase::prefill)
        return rates_of(v.estimate.operators, r.prefill_step.value(), v.job);
    const double total = v.estimate.breakdown.total().total().value();
    const double share = total > 0.0 ? std::clamp(v.estimate.breakdown[StepPart::prefill_share].total().value() / total, 0.0, 1.0) : 0.0;
    Rates out;
    out.add(rates_of(v.estimate.operators, r.decode_step.value(), v.job), 1.0 - share);
    Job prompts = v.job;
    std::get<Serving>(prompts.workload).phase = ServingPhase::prefill;
    if (const Expected<Estimate> e = share > 0.0 ? estimate(prompts) : Expected<Estimate>(Error{}))
        out.add(rates_of(e->operators, e->serving->prefill_step.value(), v.job), share);
    return out;
}

Level level(Meter m, double expected, double ceiling, const char* unit, const char* title, std::string definition)
{
    return {m, expected, 0.0, 0.0, ceiling, unit, title, std::move(definition)};
}

} // namespace

std::string_view name_of(Meter m)
{
    constexpr std::array<std::string_view, meter_count> names = {"tensor_active", "dram_active", "nvlink_tx_bytes_per_second", "efa_tx_bytes_per_second", "gpu_power_watts", "step_seconds"};
    return names[static_cast<std::size_t>(m)];
}

std::vector<Level> expected_levels(const Evaluation& v)
{
    const Job& job = v.job;
    const Accelerator& gpu = job.cluster.accelerator;
    const bool training = v.estimate.training.has_value();
    const Rates r = training ? training_rates(v) : serving_rates(v);
    const Hosts hosts = hosts_of(job);
    const double activity = activity_of(v.estimate.time);
    const char* step = training ? "training step" : std::get<Serving>(job.workload).phase == ServingPhase::prefill ? "time to first token" : "time per output token";
    const double seconds = training ? v.estimate.training->step.value() : v.estimate.time.total().value();
    std::vector<Level> all;
    all.push_back(level(Meter::tensor, r.tensor, 1.0, "percentunit", "Tensor cores active",
        fmt::format("executed FLOPs of matrix products and attention over the dense peak of their arithmetic ({} at {}) and the time; mean over the GPUs. The meter counts cycles with any work and reads up to 25 % more",
            name_of(job.precision.gemm), format(gpu.dense_peak(job.precision.gemm)))));
    all.push_back(level(Meter::dram, r.dram, 1.0, "percentunit", "Device memory active",
        fmt::format("bytes to and from device memory over {} and the time", format(gpu.hbm_bandwidth))));
    all.push_back(level(Meter::nvlink, r.nvlink, gpu.nvlink_per_direction.value(), "Bps", "NVLink, sent by a GPU", "bytes of the plan's messages inside the NVLink domain over the time; without protocol"));
    all.push_back(level(Meter::efa, r.network * hosts.gpus, job.cluster.node.network_per_accelerator().value() * hosts.gpus, "Bps", "EFA, sent by a host",
        fmt::format("bytes of the plan's messages between nodes over the time, for the {} GPUs of a host; all devices of the host together", hosts.gpus)));
    all.push_back(level(Meter::power, gpu.tdp.value() * (idle_share + (busy_share - idle_share) * activity), gpu.tdp.value(), "watt", "Power of a GPU",
        fmt::format("TDP of {} x ({:.2f} + {:.2f} x {:.2f}), the last the share of the time in which the device works", format(gpu.tdp), idle_share, busy_share - idle_share, activity)));
    all.push_back(level(Meter::step, seconds, 0.0, "s", "Time of a step", fmt::format("the estimated {}", step)));
    const double e = std::clamp(v.estimate.relative_error, 0.0, largest_error);
    for (Level& l : all) {
        const bool time = l.meter == Meter::step;
        l.low = time ? l.expected * (1.0 - e) : l.expected / (1.0 + e);
        l.high = time ? l.expected * (1.0 + e) : l.expected / (1.0 - e);
        if (l.meter == Meter::tensor)
            l.high *= tensor_meter_excess;
        if (l.ceiling > 0.0)
            l.high = std::min(l.high, l.ceiling);
    }
    std::erase_if(all, [](const Level& l) { return l.expected <= 0.0; });
    return all;
}

} // namespace ridgepoint

#include "model/measured/training/quantities.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>

#include "model/measured/training/log_lines.h"

namespace ridgepoint {
namespace {

using enum TrainingQuantity;

struct Name {
    std::string_view name; // normalised
    TrainingQuantity quantity;
    double factor = 1;
};

constexpr std::array names{
    Name{"step", step}, Name{"global step", step}, Name{"iteration", step}, Name{"iter", step}, Name{"completed step", step}, Name{"train/global step", step}, Name{"trainer/global step", step},
    Name{"train step", step}, Name{"training step", step}, Name{"steps", step}, Name{"time/batch", step}, Name{"batch", step}, Name{"step num", step}, Name{"optimizer step", step},
    Name{"global step/max steps", step}, Name{"current steps", step}, // ms-swift: "10/40"; LLaMA-Factory
    Name{"_step", log_index},

    Name{"train step timing in s", step_time}, Name{"train step timing", step_time}, Name{"train step time", step_time}, Name{"step time", step_time}, Name{"step time in s", step_time},
    Name{"step time seconds", step_time}, Name{"perf/step time seconds", step_time}, Name{"iteration time", step_time}, Name{"iteration-time", step_time}, Name{"iter time", step_time},
    Name{"time per step", step_time}, Name{"seconds per step", step_time}, Name{"sec per step", step_time}, Name{"s/step", step_time}, Name{"s/it", step_time}, Name{"sec/step", step_time},
    Name{"time metrics/end to end(s)", step_time}, Name{"throughput/duration", step_time}, Name{"elapsed time per iteration", step_time}, Name{"time per iteration", step_time},
    Name{"batch time", step_time}, Name{"performance/step time", step_time}, Name{"timing/step", step_time}, Name{"step timing", step_time}, Name{"avg step time", step_time},
    Name{"time/step", step_time}, Name{"iteration time (s)", step_time}, Name{"step duration", step_time}, Name{"step avg", step_time}, Name{"seconds/step", step_time}, Name{"train speed(s/it)", step_time},

    Name{"throughput/batches per sec", steps_per_second}, Name{"throughput/device/batches per second", steps_per_second}, Name{"throughput/device/bps", steps_per_second},
    Name{"steps per second", steps_per_second}, Name{"steps/s", steps_per_second}, Name{"steps/sec", steps_per_second}, Name{"it/s", steps_per_second}, Name{"steps per sec", steps_per_second},
    Name{"train steps per second", steps_per_second}, Name{"perf/per device steps per sec", steps_per_second},
    Name{"train speed(iter/s)", steps_per_second},

    Name{"tps", tokens_per_second_per_gpu}, Name{"wps", tokens_per_second_per_gpu}, Name{"throughput(tps)", tokens_per_second_per_gpu}, Name{"tgs", tokens_per_second_per_gpu},
    Name{"throughput/device/tokens per sec", tokens_per_second_per_gpu}, Name{"throughput/device/tokens per second", tokens_per_second_per_gpu}, Name{"throughput/device/tps", tokens_per_second_per_gpu},
    Name{"tokens/sec/gpu", tokens_per_second_per_gpu}, Name{"tokens/s/gpu", tokens_per_second_per_gpu}, Name{"tokens per second per gpu", tokens_per_second_per_gpu},
    Name{"tokens per sec per gpu", tokens_per_second_per_gpu}, Name{"tokens/s/device", tokens_per_second_per_gpu}, Name{"tokens/sec/device", tokens_per_second_per_gpu},
    Name{"tokens per gpu (tokens/s/gpu)", tokens_per_second_per_gpu}, Name{"tokens/s/gpu inst/harmonic mean", tokens_per_second_per_gpu}, Name{"perf/per device tokens per sec", tokens_per_second_per_gpu},
    Name{"tokens per second per device", tokens_per_second_per_gpu}, Name{"tgs (tokens/gpu/second)", tokens_per_second_per_gpu}, Name{"tokens per gpu per second", tokens_per_second_per_gpu},
    Name{"train/tokens per gpu per second", tokens_per_second_per_gpu}, Name{"train tokens per second per gpu", tokens_per_second_per_gpu}, Name{"throughput per gpu (tokens/s/gpu)", tokens_per_second_per_gpu},
    Name{"tokens per gpu per second tgs", tokens_per_second_per_gpu}, Name{"tokens per gpu per second(tgs)", tokens_per_second_per_gpu}, Name{"tokens per gpu per second (tgs)", tokens_per_second_per_gpu}, // Megatron-DeepSpeed
    Name{"tokens per gpu per sec", tokens_per_second_per_gpu}, Name{"tok/s/gpu", tokens_per_second_per_gpu},

    Name{"tokens per second", tokens_per_second}, Name{"tokens per sec", tokens_per_second}, Name{"tokens/sec", tokens_per_second}, Name{"tokens/s", tokens_per_second}, Name{"tok/s", tokens_per_second},
    Name{"throughput/tokens per sec", tokens_per_second}, Name{"throughput/tokens per second", tokens_per_second}, Name{"train tokens per second", tokens_per_second},
    Name{"train/tokens per second", tokens_per_second}, Name{"perf/tokens per second", tokens_per_second}, Name{"train tokens per sec", tokens_per_second}, Name{"tok/sec", tokens_per_second},

    Name{"samples per second", samples_per_second}, Name{"samples/sec", samples_per_second}, Name{"samples/s", samples_per_second}, Name{"samplespersec", samples_per_second},
    Name{"currsamplespersec", samples_per_second}, Name{"train samples per second", samples_per_second}, Name{"throughput/samples per sec", samples_per_second},
    Name{"throughput/examples per second", samples_per_second}, Name{"train.total ips", samples_per_second}, Name{"sequences/sec", samples_per_second}, Name{"samples per sec", samples_per_second}, Name{"sequences per second", samples_per_second},
    Name{"runningavgsamplespersec", running_samples_per_second},

    Name{"throughput per gpu (tflop/s/gpu)", flops_per_gpu, 1e12}, Name{"compute per gpu (tflop/s/gpu)", flops_per_gpu, 1e12}, Name{"tflops", flops_per_gpu, 1e12}, Name{"tflops/gpu", flops_per_gpu, 1e12},
    Name{"tflop/s/device", flops_per_gpu, 1e12}, Name{"tflop/s/gpu", flops_per_gpu, 1e12}, Name{"model tflops per gpu", flops_per_gpu, 1e12}, Name{"throughput/tflops/device", flops_per_gpu, 1e12},
    Name{"throughput/device/flops per sec", flops_per_gpu}, Name{"model tflop/s/gpu", flops_per_gpu, 1e12}, Name{"tflops per gpu", flops_per_gpu, 1e12}, Name{"tflops per sec per gpu", flops_per_gpu, 1e12},
    Name{"perf/per device tflops per sec", flops_per_gpu, 1e12}, Name{"tflops/s/gpu", flops_per_gpu, 1e12}, Name{"model tflop", flops_per_gpu, 1e12}, Name{"throughput (tflop/s/gpu)", flops_per_gpu, 1e12},
    Name{"tflops/device", flops_per_gpu, 1e12}, Name{"train/tflops", flops_per_gpu, 1e12}, Name{"tflops per device", flops_per_gpu, 1e12},

    Name{"mfu", mfu}, Name{"mfu (%)", mfu, 0.01}, Name{"mfu(%)", mfu, 0.01}, Name{"throughput/device/mfu", mfu}, Name{"throughput/mfu", mfu}, Name{"train/mfu", mfu}, Name{"mfu %", mfu, 0.01},
    Name{"perf/mfu", mfu}, Name{"mfu percent", mfu, 0.01}, Name{"mfu pct", mfu, 0.01},

    Name{"loss", loss}, Name{"lm loss", loss}, Name{"reduced train loss", loss}, Name{"train loss", loss}, Name{"train/loss", loss}, Name{"loss/train/total", loss}, Name{"train/crossentropyloss", loss},
    Name{"train/ce loss", loss}, Name{"loss metrics/global avg loss", loss}, Name{"learning/loss", loss}, Name{"training loss", loss}, Name{"loss/train", loss}, Name{"lm-loss-training/lm loss", loss},

    Name{"memory", memory, 1073741824.0}, Name{"maxmemallocated", memory, 1e9}, Name{"peak memory active", memory, 1073741824.0}, Name{"max memory usage", memory, 1e9}, Name{"memory/max active(gib)", memory, 1073741824.0},
    Name{"memory/max reserved(gib)", memory, 1073741824.0}, Name{"hip mem usage/free/total/usage ratio", memory, 1e9}, Name{"peak memory", memory, 1e9}, Name{"system/peak gpu memory (mb)", memory, 1e6},
    Name{"memory/peak reserved mem", memory, 1e9}, Name{"memory/peak active mem", memory, 1e9}, Name{"mem-max-allocated-bytes", memory, 1}, Name{"max memory", memory, 1e9},
    Name{"memory(gib)", memory, 1073741824.0},

    Name{"global batch size", global_batch}, Name{"gbs", global_batch}, Name{"batch size", global_batch}, Name{"batch-size", global_batch}, Name{"cfg/global batch size", global_batch},
    Name{"micro batch size", micro_batch}, Name{"cfg/micro batch size", micro_batch}, Name{"train micro batch size per gpu", micro_batch}, Name{"seq length", sequence_length},
    Name{"sequence length", sequence_length}, Name{"max seq len", sequence_length}, Name{"seq len", sequence_length}, Name{"world size", gpus}, Name{"num gpus", gpus},
};

std::string normalised(std::string_view name)
{
    std::string out;
    for (const char c : trimmed(name)) {
        const char l = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c == '_' ? ' ' : c;
        if (l == ' ' && (out.empty() || out.back() == ' '))
            continue;
        out += l;
    }
    while (!out.empty() && out.back() == ' ')
        out.pop_back();
    if (out == "step" && trimmed(name).starts_with('_'))
        out = "_step";
    return out;
}

std::optional<NamedQuantity> find(std::string_view name)
{
    static const std::unordered_map<std::string_view, NamedQuantity> all = [] {
        std::unordered_map<std::string_view, NamedQuantity> map;
        for (const Name& n : names)
            map.emplace(n.name, NamedQuantity{n.quantity, n.factor});
        return map;
    }();
    if (const auto at = all.find(name); at != all.end())
        return at->second;
    // A time may carry its unit: "step_time_ms", "step time (ms)", "iter time (s)".
    struct Unit {
        std::string_view suffix;
        double seconds;
    };
    for (const Unit& u : {Unit{" (ms)", 1e-3}, Unit{"(ms)", 1e-3}, Unit{" ms", 1e-3}, Unit{" in ms", 1e-3}, Unit{" (s)", 1}, Unit{"(s)", 1}, Unit{" s", 1}, Unit{" in s", 1}, Unit{" (us)", 1e-6}, Unit{" us", 1e-6}, Unit{" sec", 1}, Unit{" (sec)", 1},
             Unit{" seconds", 1}, Unit{" (seconds)", 1}})
        if (name.ends_with(u.suffix))
            if (const auto at = all.find(name.substr(0, name.size() - u.suffix.size())); at != all.end() && at->second.quantity == step_time)
                return NamedQuantity{step_time, u.seconds};
    return std::nullopt;
}

bool positive(double v) { return v > 0 && std::isfinite(v); }

} // namespace

std::optional<NamedQuantity> quantity_named(std::string_view name)
{
    if (name.size() > 200 || name.ends_with("__MIN") || name.ends_with("__MAX")) // columns beside a tracker's chart
        return std::nullopt;
    const std::string key = normalised(name);
    if (const auto hit = find(key))
        return hit;
    // "run 7 - train/loss" of a tracker's chart; "INFO: step" and "rank0] step" of a logger; "train metrics/loss".
    for (const std::string_view cut : {" - ", "] ", ") ", "info ", "> "})
        if (const std::size_t at = key.rfind(cut); at != std::string::npos)
            if (const auto hit = find(std::string_view(key).substr(at + cut.size())))
                return hit;
    for (const std::string_view prefix : {"train ", "train/", "training ", "metrics/", "train metrics/", "perf/", "performance/"}) // "Train loss/train/total"
        if (key.starts_with(prefix))
            if (const auto hit = find(std::string_view(key).substr(prefix.size())))
                return hit;
    return std::nullopt;
}

bool put(TrainingStep& s, const NamedQuantity& what, double value, std::string_view unit)
{
    if (!std::isfinite(value))
        return false;
    const double v = value * what.factor;
    switch (what.quantity) {
    case step:
    case log_index:
        if (value < 0 || value > 9e15)
            return false;
        s.step = std::llround(value * count_factor(unit));
        return true;
    case step_time:
        if (unit.starts_with("ms") && what.factor == 1.0)
            value *= 1e-3;
        else if (unit.starts_with("us") && what.factor == 1.0)
            value *= 1e-6;
        if (!positive(value))
            return false;
        s.time = Seconds{value * what.factor * count_factor(unit)};
        return true;
    case steps_per_second:
        if (!positive(v))
            return false;
        if (!s.time)
            s.time = Seconds{1 / v};
        return true;
    case tokens_per_second_per_gpu:
        if (positive(v))
            s.tokens_per_second_per_gpu = TokensPerSecond{v * count_factor(unit)};
        return positive(v);
    case tokens_per_second:
        if (positive(v))
            s.tokens_per_second = TokensPerSecond{v * count_factor(unit)};
        return positive(v);
    case samples_per_second:
        if (positive(v))
            s.samples_per_second = v * count_factor(unit);
        return positive(v);
    case running_samples_per_second:
        if (positive(v) && !s.samples_per_second)
            s.samples_per_second = v;
        return positive(v);
    case flops_per_gpu:
        if (positive(v))
            s.flops_per_gpu = FlopPerSecond{v};
        return positive(v);
    case mfu:
        if (!(v >= 0))
            return false;
        // A share above 1.5 can only be a percentage; the unit says it otherwise.
        s.mfu = what.factor != 1.0 ? v : unit.starts_with('%') || v > 1.5 ? v / 100 : v;
        return true;
    case loss:
        s.loss = v;
        return true;
    case memory:
        if (!(value > 0))
            return false;
        s.memory = Bytes{value * bytes_factor(unit).value_or(what.factor)};
        return true;
    case global_batch:
    case micro_batch:
    case sequence_length:
    case gpus:
        return false; // of the log, not of a step
    }
    return false;
}

} // namespace ridgepoint

#include "model/measured/counters/ncu_metrics.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "model/measured/delimited_text.h"
#include "model/trace/kernel_rules.h"

namespace ridgepoint {
namespace {

using Metrics = std::map<std::string, double, std::less<>>;

std::optional<double> get(const Metrics& m, std::string_view name)
{
    const auto at = m.find(name);
    return at == m.end() ? std::nullopt : std::optional(at->second);
}

// The total of a counter over the launch: the sum itself, or a rate times what it is a rate of.
std::optional<double> total(const Metrics& m, const std::string& stem, std::optional<double> time, NcuCounted& counted)
{
    if (const auto sum = get(m, stem + ".sum"))
        return sum;
    if (const auto rate = get(m, stem + ".sum.per_second"); rate && time) {
        counted.rate_based = true;
        return *rate * *time;
    }
    const std::string unit = stem.substr(0, stem.find("__"));
    for (const char* base : {"elapsed", "active"})
        if (const auto rate = get(m, stem + ".sum.per_cycle_" + base)) {
            std::optional<double> cycles;
            for (const std::string& source : {unit, std::string("smsp"), std::string("sm")}) {
                if (cycles)
                    break;
                cycles = get(m, source + "__cycles_" + base + ".avg");
                if (!cycles)
                    cycles = get(m, source + "__cycles_" + base + ".max");
                if (const auto hertz = get(m, source + "__cycles_" + base + ".avg.per_second"); !cycles && hertz && time)
                    cycles = *hertz * *time;
            }
            if (cycles) {
                counted.rate_based = true;
                return *rate * *cycles;
            }
        }
    return std::nullopt;
}

// Additions, multiplications and fused ones of one precision, per SM quarter (smsp) or per SM (older versions).
std::optional<double> sass_flops(const Metrics& m, char precision, std::optional<double> time, NcuCounted& counted)
{
    for (const char* unit : {"smsp", "sm"}) {
        const std::string stem = std::string(unit) + "__sass_thread_inst_executed_op_" + precision;
        const auto add = total(m, stem + "add_pred_on", time, counted), mul = total(m, stem + "mul_pred_on", time, counted);
        auto fma = total(m, stem + "fma_pred_on", time, counted);
        if (!fma) // the roofline section has it doubled already
            if (const auto twice = total(m, std::string("derived__") + unit + "__sass_thread_inst_executed_op_" + precision + "fma_pred_on_x2", time, counted))
                fma = *twice / 2;
        if (!fma) {
            const auto twice = get(m, std::string("derived__") + unit + "__sass_thread_inst_executed_op_" + precision + "fma_pred_on_x2");
            const auto cycles = get(m, std::string(unit) + "__cycles_elapsed.avg.per_second");
            if (twice && cycles && time) { // per cycle
                counted.rate_based = true;
                fma = *twice / 2 * *cycles * *time;
            }
        }
        if (!add && !mul && !fma)
            continue;
        counted.partial_flops = counted.partial_flops || !add || !mul || !fma;
        return add.value_or(0) + mul.value_or(0) + 2 * fma.value_or(0);
    }
    return std::nullopt;
}

// Operations of tensor cores. The same operations are counted by source type and by instruction, and split by sparsity.
std::optional<double> tensor_flops(const Metrics& m, std::optional<double> time, NcuCounted& counted)
{
    constexpr std::string_view prefix = "sm__ops_path_tensor_";
    std::map<std::string, double> whole, split; // by stem without sparsity
    for (auto at = m.lower_bound(prefix); at != m.end() && at->first.starts_with(prefix); ++at) {
        const auto dot = at->first.find(".sum");
        if (dot == std::string::npos)
            continue;
        const std::string stem = at->first.substr(0, dot);
        const auto v = total(m, stem, time, counted);
        if (!v)
            continue;
        std::string base = stem;
        const auto sparsity = base.find("_sparsity_o");
        if (sparsity != std::string::npos)
            base.resize(sparsity);
        (sparsity == std::string::npos ? whole : split)[stem] = *v;
    }
    std::map<std::string, double> by_stem = whole;
    for (const auto& [stem, v] : split) {
        const std::string base = stem.substr(0, stem.find("_sparsity_o"));
        if (!whole.contains(base))
            by_stem[base] += v;
    }
    double by_source = 0, by_instruction = 0;
    bool any = false;
    for (const auto& [stem, v] : by_stem) {
        const std::string_view tail = std::string_view(stem).substr(prefix.size());
        if (tail.find("int8") != std::string_view::npos || tail.find("int4") != std::string_view::npos || tail.find("int1") != std::string_view::npos || tail.find("imma") != std::string_view::npos) {
            counted.integer_tensor = counted.integer_tensor || v > 0;
            continue;
        }
        any = true;
        (tail.starts_with("op_") ? by_instruction : by_source) += v;
    }
    return any ? std::optional(std::max(by_source, by_instruction)) : std::nullopt;
}

// Whether the launch used tensor cores, by any activity metric of their pipe; none: no metric tells.
std::optional<bool> used_tensor_cores(const Metrics& m)
{
    std::optional<bool> used;
    for (const std::string_view prefix : {"sm__inst_executed_pipe_tensor", "sm__inst_executed_pipe_tc", "sm__pipe_tensor", "sm__pipe_tc_", "smsp__inst_executed_pipe_tensor", "sm__inst_executed_pipe_uniform_tensor"})
        for (auto at = m.lower_bound(prefix); at != m.end() && at->first.starts_with(prefix); ++at)
            used = used.value_or(false) || at->second > 0;
    return used;
}

std::optional<double> first_of(const Metrics& m, std::initializer_list<std::string_view> names)
{
    for (const std::string_view name : names)
        if (const auto v = get(m, name))
            return v;
    return std::nullopt;
}

std::optional<Bytes> traffic(const Metrics& m, std::optional<double> time, NcuCounted& counted, const std::string& whole, std::initializer_list<std::pair<const char*, const char*>> halves, const std::string& sectors)
{
    if (const auto v = total(m, whole, time, counted))
        return bytes(*v);
    for (const auto& [read, write] : halves) {
        const auto r = total(m, read, time, counted), w = total(m, write, time, counted);
        if (r && w)
            return bytes(*r + *w);
    }
    if (const auto v = total(m, sectors, time, counted))
        return bytes(*v * 32); // a sector has 32 bytes on every architecture so far
    return std::nullopt;
}

const KernelRules* rules()
{
    static const auto loaded = KernelRules::load_default();
    return loaded ? loaded->get() : nullptr;
}

} // namespace

double ncu_unit_scale(std::string_view unit)
{
    unit = trimmed(unit);
    if (const auto slash = unit.find('/'); slash != std::string_view::npos) { // "Gbyte/second", "cycle/nsecond", "inst/cycle"
        const std::string_view below = trimmed(unit.substr(slash + 1));
        return ncu_unit_scale(unit.substr(0, slash)) / (below.find('/') == std::string_view::npos ? ncu_unit_scale(below) : 1);
    }
    if (unit == "%" || unit == "pct")
        return 0.01;
    struct Scale {
        std::string_view name;
        double factor;
    };
    constexpr std::array<Scale, 14> times{Scale{"ns", 1e-9}, {"nsecond", 1e-9}, {"nanosecond", 1e-9}, {"us", 1e-6}, {"usecond", 1e-6}, {"microsecond", 1e-6}, {"ms", 1e-3}, {"msecond", 1e-3}, {"millisecond", 1e-3},
        {"s", 1}, {"second", 1}, {"sec", 1}, {"minute", 60}, {"hour", 3600}};
    for (const Scale& t : times)
        if (unit == t.name)
            return t.factor;
    constexpr std::array<Scale, 5> binary{Scale{"Kibyte", 1024.0}, {"KiB", 1024.0}, {"MiB", 1048576.0}, {"GiB", 1073741824.0}, {"TiB", 1099511627776.0}};
    for (const Scale& b : binary)
        if (unit == b.name)
            return b.factor;
    if (unit.size() > 1 && unit != "pass" && unit != "thread" && unit != "kernel" && unit != "process") {
        const std::string rest = plain_name(unit.substr(1));
        const bool base = rest == "byte" || rest == "bytes" || rest == "b" || rest == "inst" || rest == "hz" || rest == "sector" || rest == "cycle" || rest == "request" || rest == "op" || rest == "ops" || rest == "flop" || rest == "thread" || rest == "warp";
        if (base)
            switch (unit.front()) {
            case 'k':
            case 'K': return 1e3;
            case 'M': return 1e6;
            case 'G': return 1e9;
            case 'T': return 1e12;
            case 'P': return 1e15;
            default: break;
            }
    }
    return 1;
}

CountedKernel counted_kernel(const NcuLaunch& launch, NcuCounted& counted)
{
    const Metrics& m = launch.metrics;
    CountedKernel k;
    k.name = launch.name;
    if (rules())
        k.kernel_class = rules()->kernel_class(launch.name);
    const auto time = first_of(m, {"gpu__time_duration.sum", "gpu__time_duration.avg", "gpu__time_duration.max", "gpu__time_duration_measured_user.sum", "Duration", "gpu__time_active.sum"});
    k.time_known = time && *time > 0 && std::isfinite(*time);
    if (k.time_known)
        k.time = seconds(*time);
    counted.time = counted.time || k.time_known;
    const std::optional<double> known_time = k.time_known ? time : std::nullopt;

    double flops = 0;
    bool any = false;
    for (const char precision : {'f', 'd', 'h'})
        if (const auto v = sass_flops(m, precision, known_time, counted)) {
            flops += *v;
            any = true;
        }
    const auto tensor = tensor_flops(m, known_time, counted);
    counted.tensor = counted.tensor || tensor;
    counted.flops = counted.flops || any || tensor;
    if (tensor) {
        k.flops = Flops{flops + *tensor};
    } else if (any) {
        const bool tensor_used = used_tensor_cores(m).value_or(flops <= 0 && (k.kernel_class == KernelClass::gemm || k.kernel_class == KernelClass::attention || k.kernel_class == KernelClass::convolution));
        if (tensor_used)
            counted.unattributed = true; // what the other units did is not the launch's work
        else
            k.flops = Flops{flops};
    }

    k.dram_bytes = traffic(m, known_time, counted, "dram__bytes", {{"dram__bytes_op_read", "dram__bytes_op_write"}, {"dram__bytes_read", "dram__bytes_write"}}, "dram__sectors");
    if (const auto rate = get(m, "Memory Throughput/second"); !k.dram_bytes && rate && known_time) { // the details page's name of dram__bytes.sum.per_second
        counted.rate_based = true;
        k.dram_bytes = bytes(*rate * *known_time);
    }
    k.l2_bytes = traffic(m, known_time, counted, "lts__t_bytes", {}, "lts__t_sectors");
    k.l1_bytes = traffic(m, known_time, counted, "l1tex__t_bytes", {}, "l1tex__t_sectors");
    counted.bytes = counted.bytes || k.dram_bytes;

    k.compute_share = first_of(m, {"sm__throughput.avg.pct_of_peak_sustained_elapsed", "Compute (SM) Throughput", "SM [%]", "SOL SM"});
    k.memory_share = first_of(m, {"gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed", "Memory Throughput", "Memory [%]", "SOL Memory", "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed", "dram__throughput.avg.pct_of_peak_sustained_elapsed"});
    return k;
}

} // namespace ridgepoint

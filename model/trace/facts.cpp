#include "model/trace/facts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include <nlohmann/json.hpp>

#include "model/trace/intervals.h"
#include "model/trace/kernel_rules.h"

namespace ridgepoint {
namespace {

double microseconds_of(std::int64_t ns) { return static_cast<double>(ns) / 1000.0; }
double microseconds_of(Seconds s) { return std::round(in_microseconds(s) * 1000.0) / 1000.0; }

std::string_view reference_name(KernelClass c)
{
    switch (c) {
    case KernelClass::collective: return "comm";
    case KernelClass::convolution: return "conv";
    case KernelClass::elementwise: return "other";
    default: return name_of(c);
    }
}

// Only the events whose launch is in the file.
nlohmann::json linked_only(const Timeline& t)
{
    Intervals all, collective;
    std::int64_t end = 0;
    for (std::size_t i = 0; i < t.size(); ++i)
        if (t.launch_ns[i] != Timeline::no_launch) {
            all.push_back({t.start_ns[i], t.start_ns[i] + t.duration_ns[i]});
            if (t.kernel_class[i] == KernelClass::collective)
                collective.push_back(all.back());
            end = std::max(end, all.back().end);
        }
    return {{"n_gpu_events", all.size()}, {"span_us", all.empty() ? 0 : microseconds_of(end - all.front().begin)},
        {"busy_union_us", microseconds_of(total(united(all)))}, {"comm_union_us", microseconds_of(total(united(collective)))}};
}

nlohmann::json collectives_of(const Timeline& t)
{
    std::map<std::int32_t, std::pair<std::int64_t, std::int64_t>> sums; // count, nanoseconds
    for (std::size_t i = 0; i < t.size(); ++i)
        if (t.collective[i] >= 0 && t.kernel_class[i] == KernelClass::collective) {
            auto& [count, ns] = sums[t.collective[i]];
            ++count;
            ns += t.duration_ns[i];
        }
    std::vector<std::pair<std::int32_t, std::pair<std::int64_t, std::int64_t>>> sorted(sums.begin(), sums.end());
    std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.second.second > b.second.second; });
    nlohmann::json out = nlohmann::json::array();
    for (const auto& [index, sum] : sorted) {
        const Timeline::Collective& c = t.collectives[static_cast<std::size_t>(index)];
        out.push_back({{"name", c.name}, {"dtype", c.dtype}, {"in_nelems", c.in_elements}, {"out_nelems", c.out_elements},
            {"group", c.group_size}, {"pg", c.process_group}, {"count", sum.first}, {"sum_us", microseconds_of(sum.second)}});
    }
    return out;
}

nlohmann::json steps_of(const std::vector<Timeline::Step>& steps)
{
    nlohmann::json out = nlohmann::json::array();
    for (const Timeline::Step& s : steps)
        out.push_back({{"name", s.name}, {"dur_us", microseconds_of(s.duration_ns)}});
    return out;
}

} // namespace

namespace {

nlohmann::json counts_of(const std::vector<std::pair<std::string, std::int64_t>>& counted)
{
    nlohmann::json f = nlohmann::json::object();
    for (const auto& [name, count] : counted)
        f[name] = count;
    return f;
}

nlohmann::json distributed_info(const Timeline& t)
{
    nlohmann::json f;
    if (!t.recording.backend.empty())
        f["backend"] = t.recording.backend;
    if (t.rank >= 0)
        f["rank"] = t.rank;
    if (t.world_size > 0)
        f["world_size"] = t.world_size;
    if (t.recording.process_groups >= 0)
        f["pg_count"] = t.recording.process_groups;
    if (!t.recording.nccl_version.empty())
        f["nccl_version"] = t.recording.nccl_version;
    return f;
}

std::int64_t negative_durations(const Timeline& t)
{
    std::int64_t sum = 0;
    for (const Timeline::Skipped& s : t.skipped)
        if (s.reason.find("negative duration") != std::string::npos)
            sum += s.count;
    return sum;
}

// The longest in all, with the beginning of their names.
nlohmann::json top_kernels(const Timeline& t, const std::vector<KernelClass>& classes)
{
    constexpr std::size_t most = 12, letters = 160;
    std::vector<std::pair<std::int64_t, std::int64_t>> sums(t.names.size()); // nanoseconds, count
    for (std::size_t i = 0; i < t.size(); ++i)
        if (t.kernel_class[i] != KernelClass::memcpy && t.kernel_class[i] != KernelClass::memset) {
            sums[t.name[i]].first += t.duration_ns[i];
            ++sums[t.name[i]].second;
        }
    std::vector<std::size_t> order;
    for (std::size_t n = 0; n < sums.size(); ++n)
        if (sums[n].second > 0)
            order.push_back(n);
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return sums[a].first > sums[b].first; });
    order.resize(std::min(order.size(), most));
    nlohmann::json list = nlohmann::json::array();
    for (const std::size_t n : order)
        list.push_back({{"name", t.names[n].substr(0, letters)}, {"cls", reference_name(classes[n])}, {"count", sums[n].second}, {"sum_us", microseconds_of(sums[n].first)}});
    return list;
}

Expected<nlohmann::json> common_facts(const Timeline& t)
{
    const auto rules = KernelRules::load_reference();
    if (!rules)
        return rules.error();
    std::vector<KernelClass> classes;
    for (const std::string& name : t.names)
        classes.push_back((*rules)->kernel_class(name));
    Timeline by_reference = t; // unions and overlaps by the plain classes as well
    for (std::size_t i = 0; i < t.size(); ++i)
        if (t.kernel_class[i] != KernelClass::memcpy && t.kernel_class[i] != KernelClass::memset)
            by_reference.kernel_class[i] = classes[t.name[i]];
    const TimelineSummary s = summarize(by_reference);
    nlohmann::json f;
    f["n_events"] = t.events_in_file;
    f["json_bytes"] = t.text_bytes;
    f["device"] = t.device_name.empty() && t.devices_listed == 0 ? nlohmann::json() : nlohmann::json(t.device_name);
    f["n_deviceProperties"] = t.devices_listed;
    f["baseTimeNanoseconds"] = t.base_ns ? nlohmann::json(t.base_ns) : nlohmann::json();
    const Timeline::Recording& r = t.recording;
    f["ph"] = counts_of(r.phases);
    f["X_cat"] = counts_of(r.categories);
    f["schemaVersion"] = r.schema >= 0 ? nlohmann::json(r.schema) : nlohmann::json();
    f["displayTimeUnit"] = r.display_unit.empty() ? nlohmann::json() : nlohmann::json(r.display_unit);
    f["distributedInfo"] = distributed_info(t);
    if (r.process_groups_described >= 0)
        f["n_pg_config"] = r.process_groups_described;
    if (!t.steps.empty()) {
        f["profiler_steps"] = steps_of(t.steps);
        std::int64_t sum = 0;
        for (const Timeline::Step& step : t.steps)
            sum += step.duration_ns;
        f["mean_step_us"] = microseconds_of(sum) / static_cast<double>(t.steps.size());
    }
    if (t.size() == 0) {
        f["gpu"] = "none";
        return f;
    }

    std::array<std::pair<std::int64_t, std::int64_t>, kernel_class_count> per_class{}; // count, nanoseconds
    std::set<std::int32_t> devices, streams;
    std::set<std::uint32_t> names;
    for (std::size_t i = 0; i < t.size(); ++i) {
        const KernelClass own = t.kernel_class[i];
        const bool memory = own == KernelClass::memcpy || own == KernelClass::memset;
        auto& [count, ns] = per_class[static_cast<std::size_t>(memory ? own : classes[t.name[i]])];
        ++count;
        ns += t.duration_ns[i];
        devices.insert(t.device[i]);
        streams.insert(t.stream[i]);
        if (!memory)
            names.insert(t.name[i]);
    }
    const auto number_texts = [](const std::set<std::int32_t>& numbers) {
        nlohmann::json list = nlohmann::json::array();
        for (const std::int32_t n : numbers)
            list.push_back(std::to_string(n));
        return list;
    };
    const auto& copies = per_class[static_cast<std::size_t>(KernelClass::memcpy)];
    const auto& fills = per_class[static_cast<std::size_t>(KernelClass::memset)];
    f["n_kernel"] = s.kernels;
    f["n_memcpy"] = copies.first;
    f["n_memset"] = fills.first;
    f["devices"] = number_texts(devices);
    f["streams"] = number_texts(streams);
    f["sum_kernel_dur_us"] = microseconds_of(s.kernel_sum);
    f["sum_memcpy_us"] = microseconds_of(copies.second);
    f["sum_memset_us"] = microseconds_of(fills.second);
    f["zero_dur_gpu_events"] = s.zero_durations;
    f["neg_dur_gpu_events"] = negative_durations(t);
    f["top_kernels"] = top_kernels(t, classes);
    f["gpu_first_ts_us"] = microseconds_of(t.origin_ns);
    f["gpu_span_us"] = microseconds_of(s.span);
    f["busy_union_us"] = microseconds_of(s.busy);
    f["idle_us"] = microseconds_of(s.idle);
    f["compute_union_us"] = microseconds_of(s.compute_union);
    f["comm_union_us"] = microseconds_of(s.collective_union);
    f["mem_union_us"] = microseconds_of(s.memory_union);
    f["comm_comp_overlap_us"] = microseconds_of(s.overlap);
    f["comm_overlap_pct"] = s.collective_union > Seconds{} ? nlohmann::json(std::round(s.overlap / s.collective_union * 1e6) / 1e4) : nlohmann::json();
    f["exposed_comm_us"] = microseconds_of(s.exposed_collective);
    f["same_stream_overlaps"] = s.same_stream_overlaps;
    f["n_distinct_kernel_names"] = names.size();
    f["gpu_events_without_launch_in_file"] = s.without_launch;
    if (s.without_launch > 0)
        f["linked_only"] = linked_only(by_reference);
    nlohmann::json& by_class = f["per_class"];
    for (std::size_t c = 0; c < kernel_class_count; ++c)
        if (per_class[c].first > 0)
            by_class[std::string(reference_name(static_cast<KernelClass>(c)))] = {{"count", per_class[c].first}, {"sum_us", microseconds_of(per_class[c].second)}};
    if (!t.gpu_steps.empty())
        f["gpu_profiler_steps"] = steps_of(t.gpu_steps);
    if (nlohmann::json list = collectives_of(t); !list.empty())
        f["collectives"] = std::move(list);
    return f;
}

} // namespace

Expected<nlohmann::json> facts_of(const Timeline& t)
{
    Expected<nlohmann::json> f = common_facts(t);
    if (f && t.own_facts)
        f->update(*t.own_facts);
    return f;
}

} // namespace ridgepoint

#include "model/trace/queries.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <tuple>

#include "model/trace/intervals.h"

namespace ridgepoint {
namespace {

Seconds in_seconds(std::int64_t ns) { return Seconds{static_cast<double>(ns) * 1e-9}; }

bool is_memory(KernelClass c) { return c == KernelClass::memcpy || c == KernelClass::memset; }

// The step that holds the instant; -1 if none.
int step_at(const std::vector<Timeline::Step>& steps, std::int64_t at)
{
    const auto after = std::upper_bound(steps.begin(), steps.end(), at, [](std::int64_t t, const Timeline::Step& s) { return t < s.start_ns; });
    if (after == steps.begin())
        return -1;
    const auto& s = *std::prev(after);
    return at < s.start_ns + s.duration_ns ? static_cast<int>(after - steps.begin() - 1) : -1;
}

TracedStep breakdown(const Timeline& t, const std::vector<std::uint32_t>& events)
{
    TracedStep b;
    Intervals all, compute, collective, memory;
    std::array<ClassTotal, kernel_class_count> classes{};
    for (const std::uint32_t i : events) {
        const KernelClass c = t.kernel_class[i];
        all.push_back({t.start_ns[i], t.start_ns[i] + t.duration_ns[i]});
        (is_memory(c) ? memory : c == KernelClass::collective ? collective : compute).push_back(all.back());
        ClassTotal& total_of = classes[static_cast<std::size_t>(c)];
        total_of.kernel_class = c;
        ++total_of.count;
        total_of.sum += in_seconds(t.duration_ns[i]);
    }
    const Intervals compute_union = united(compute);
    const Intervals collective_union = united(collective);
    b.events = static_cast<std::int64_t>(events.size());
    b.busy = in_seconds(total(united(all)));
    b.compute = in_seconds(total(compute_union));
    b.collective = in_seconds(total(collective_union));
    b.exposed_collective = in_seconds(total(collective_union) - common(compute_union, collective_union));
    b.memory = in_seconds(total(united(memory)));
    for (const ClassTotal& c : classes)
        if (c.count > 0)
            b.classes.push_back(c);
    std::stable_sort(b.classes.begin(), b.classes.end(), [](const ClassTotal& x, const ClassTotal& y) { return x.sum > y.sum; });
    return b;
}

} // namespace

std::vector<NamedKernel> top_kernels(const Timeline& t, std::size_t most)
{
    // A name can be both a kernel's and a copy's: keep the classes apart.
    std::map<std::pair<std::uint32_t, KernelClass>, NamedKernel> by_name;
    for (std::size_t i = 0; i < t.size(); ++i) {
        NamedKernel& k = by_name[{t.name[i], t.kernel_class[i]}];
        const Seconds duration = in_seconds(t.duration_ns[i]);
        ++k.count;
        k.total += duration;
        k.longest = std::max(k.longest, duration);
        if (i < t.work.size() && t.work[i].known) {
            ++k.with_work;
            k.time_with_work += duration;
            k.flops += Flops{t.work[i].flops};
            k.bytes += Bytes{t.work[i].bytes};
        }
    }
    std::vector<NamedKernel> out;
    for (auto& [key, k] : by_name) {
        k.name = t.names[key.first];
        k.kernel_class = key.second;
        k.precision = key.first < t.name_precision.size() ? t.name_precision[key.first] : KernelPrecision::unknown;
        k.mean = k.total / static_cast<double>(k.count);
        out.push_back(std::move(k));
    }
    std::stable_sort(out.begin(), out.end(), [](const NamedKernel& a, const NamedKernel& b) { return a.total > b.total; });
    if (most > 0 && out.size() > most)
        out.resize(most);
    return out;
}

double bus_factor(CollectiveType type, int n)
{
    if (n < 1)
        return 0;
    const double others = static_cast<double>(n - 1) / n;
    switch (type) {
    case CollectiveType::all_reduce: return 2 * others;
    case CollectiveType::all_gather:
    case CollectiveType::reduce_scatter:
    case CollectiveType::all_to_all: return others;
    default: return 1;
    }
}

std::vector<CollectiveTotal> collective_totals(const Timeline& t)
{
    std::map<std::tuple<CollectiveType, std::string, double, int>, CollectiveTotal> by_kind;
    for (std::size_t i = 0; i < t.size(); ++i) {
        if (t.kernel_class[i] != KernelClass::collective)
            continue;
        Timeline::Collective c; // nothing recorded: the kernel's name is all there is
        if (t.collective[i] >= 0)
            c = t.collectives[static_cast<std::size_t>(t.collective[i])];
        else
            c.type = t.name_collective[t.name[i]];
        CollectiveTotal& k = by_kind[{c.type, c.dtype, c.size.value(), c.group_size}];
        const Seconds duration = in_seconds(t.duration_ns[i]);
        k.fastest = k.count == 0 ? duration : std::min(k.fastest, duration);
        k.type = c.type;
        k.dtype = c.dtype;
        k.size = c.size;
        k.group_size = c.group_size;
        ++k.count;
        k.total += duration;
    }
    std::vector<CollectiveTotal> out;
    for (auto& [key, k] : by_kind) {
        k.mean = k.total / static_cast<double>(k.count);
        const double factor = bus_factor(k.type, k.group_size);
        if (k.mean > Seconds{})
            k.bus_bandwidth = k.size * factor / k.mean;
        if (k.fastest > Seconds{})
            k.best_bus_bandwidth = k.size * factor / k.fastest;
        out.push_back(std::move(k));
    }
    std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.total > b.total; });
    return out;
}

std::vector<std::int32_t> steps_of_events(const Timeline& t)
{
    const std::vector<Timeline::Step>& steps = t.steps.empty() ? t.gpu_steps : t.steps;
    std::vector<std::int32_t> out(t.size(), -1);
    if (steps.empty())
        return out;
    for (std::size_t i = 0; i < t.size(); ++i) {
        const bool launched = !t.steps.empty() && t.launch_ns[i] != Timeline::no_launch;
        out[i] = launched                        ? step_at(steps, t.launch_ns[i])
            : t.gpu_steps.size() == steps.size() ? step_at(t.gpu_steps, t.start_ns[i])
                                                 : step_at(steps, t.start_ns[i]);
    }
    return out;
}

std::vector<TracedStep> step_breakdowns(const Timeline& t)
{
    const std::vector<Timeline::Step>& steps = t.steps.empty() ? t.gpu_steps : t.steps;
    std::vector<std::vector<std::uint32_t>> events(steps.size());
    const std::vector<std::int32_t> of_event = steps_of_events(t);
    for (std::size_t i = 0; i < t.size(); ++i)
        if (of_event[i] >= 0)
            events[static_cast<std::size_t>(of_event[i])].push_back(static_cast<std::uint32_t>(i));
    std::vector<TracedStep> out;
    for (std::size_t s = 0; s < steps.size(); ++s) {
        TracedStep b = breakdown(t, events[s]);
        b.name = steps[s].name;
        b.duration = in_seconds(steps[s].duration_ns);
        if (!events[s].empty()) {
            const std::int64_t first = t.start_ns[events[s].front()];
            std::int64_t end = first;
            for (const std::uint32_t i : events[s])
                end = std::max(end, t.start_ns[i] + t.duration_ns[i]);
            if (s + 1 < steps.size() && !events[s + 1].empty())
                end = std::max(first, t.start_ns[events[s + 1].front()]);
            b.period = in_seconds(end - first);
            b.idle = std::max(Seconds{}, b.period - b.busy);
        }
        out.push_back(std::move(b));
    }
    return out;
}

int median_step(const std::vector<TracedStep>& steps)
{
    if (steps.empty())
        return -1;
    std::vector<int> order(steps.size());
    std::iota(order.begin(), order.end(), 0);
    const auto middle = order.begin() + static_cast<std::ptrdiff_t>((order.size() - 1) / 2);
    std::nth_element(order.begin(), middle, order.end(),
        [&](int a, int b) { return steps[static_cast<std::size_t>(a)].period < steps[static_cast<std::size_t>(b)].period; });
    return *middle;
}

} // namespace ridgepoint

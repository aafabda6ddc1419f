#include "model/calibration/causes.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "model/trace/queries.h"
#include "model/units/format.h"

namespace ridgepoint {
namespace {

constexpr double agree = 0.10; // of the measured time
constexpr std::int64_t small_kernel_ns = 10'000;
constexpr double waits = 1.5; // mean over fastest execution of a collective, from which waiting for peers is the better part

// Time of one class by what the kernels' names say of their arithmetic.
struct PrecisionShares {
    std::array<double, 9> time{};
    double known = 0, all = 0, small = 0;
    [[nodiscard]] KernelPrecision most() const
    {
        return static_cast<KernelPrecision>(std::max_element(time.begin() + 1, time.end()) - time.begin());
    }
};

PrecisionShares shares_of(const Timeline& t, KernelClass c)
{
    PrecisionShares out;
    for (std::size_t i = 0; i < t.size(); ++i) {
        if (t.kernel_class[i] != c)
            continue;
        const auto ns = static_cast<double>(std::max<std::int64_t>(0, t.duration_ns[i]));
        const auto p = static_cast<std::size_t>(t.name_precision[t.name[i]]);
        out.time[p] += ns;
        out.all += ns;
        out.known += p == 0 ? 0.0 : ns;
        out.small += t.duration_ns[i] < small_kernel_ns ? ns : 0.0;
    }
    return out;
}

bool is_low(KernelPrecision p) { return p == KernelPrecision::fp8 || p == KernelPrecision::fp4 || p == KernelPrecision::int8; }
bool is_low(Arithmetic a) { return a != Arithmetic::bf16; }

std::string of_products(bool slower, const Timeline& t, const Estimate& e)
{
    const PrecisionShares s = shares_of(t, KernelClass::gemm);
    const bool plan_low = e.training && is_low(e.training->peak_arithmetic);
    if (s.known > 0.5 * s.all && e.training && plan_low != is_low(s.most()))
        return fmt::format("The kernels' names say {}, the plan computes in {}.", name_of(s.most()), name_of(e.training->peak_arithmetic));
    if (!slower)
        return "Fewer or smaller products than the plan's: another model, batch or number of layers per GPU, or less recomputation.";
    if (s.small > 0.3 * s.all)
        return fmt::format("{} of their time is in kernels below 10 us, where launch and filling the GPU count: the products are small.", format_percent(s.small / s.all));
    return "Rates below the fitted law: clocks held down by a power limit, shapes that do not fill the tiles, or another library; or more work than the plan's.";
}

std::string of_memory(bool slower, const Timeline& t)
{
    std::int64_t aten = 0, all = 0;
    for (std::size_t i = 0; i < t.size(); ++i) {
        const KernelClass c = t.kernel_class[i];
        if (c != KernelClass::norm && c != KernelClass::elementwise && c != KernelClass::other)
            continue;
        ++all;
        aten += t.names[t.name[i]].find("at::native") != std::string::npos;
    }
    if (!slower)
        return "More is fused than the plan assumes.";
    if (all > 0 && aten * 2 > all)
        return fmt::format("{} of {} kernels are single ATen operators: compiling or fusing them would save passes over memory.",
            group_thousands(static_cast<double>(aten)), group_thousands(static_cast<double>(all)));
    return "More passes over memory than the plan assumes, or kernels that the classes do not know.";
}

std::string of_exposed(bool slower, const Timeline& t, const TimelineSummary& s)
{
    if (!slower)
        return "More of it runs behind computation than the plan assumes, or it is less.";
    Seconds total, fastest;
    for (const CollectiveTotal& c : collective_totals(t)) {
        total += c.total;
        fastest += c.fastest * static_cast<double>(c.count);
    }
    if (total > fastest * waits)
        return fmt::format("Collectives take {:.1f} times their fastest execution: ranks wait for one another (stragglers, uneven work) more than they transfer.", total / fastest);
    if (s.collective_union > Seconds{} && s.overlap < s.collective_union * 0.3)
        return fmt::format("Only {} of the communication runs behind computation.", format_percent(s.overlap / s.collective_union));
    return "The transfers themselves are slow: look at the collectives' bus bandwidth.";
}

std::string of_idle(bool slower, const Timeline& t, const TimelineSummary& s)
{
    if (!slower)
        return {};
    const IdleCauses& c = s.idle_causes;
    const Seconds most = std::max({c.host, c.launch_latency, c.dependency, c.unknown});
    if (most == c.host)
        return fmt::format("{} of the idle time the next kernel had not been launched yet: the host is the limit{}.", format_percent(c.host / s.idle),
            t.with_stack ? " (Python stacks were recorded, which slows it down)" : "");
    if (most == c.dependency)
        return "The next kernel was launched in time and waited: for an event, another stream or a copy.";
    if (most == c.launch_latency)
        return "Gaps of at most 3 us between kernels: many small kernels; recorded graphs would close them.";
    return "The trace does not hold the launches, so the cause of the gaps is not known.";
}

} // namespace

std::string likely_cause(ComparedPart part, Seconds measured, Seconds predicted, const Timeline& t, const TimelineSummary& s, const Estimate& e)
{
    if (measured <= Seconds{} || std::abs((measured - predicted) / measured) < agree)
        return {};
    const bool slower = measured > predicted;
    switch (part) {
    case ComparedPart::products:
        return of_products(slower, t, e);
    case ComparedPart::attention:
        return predicted <= Seconds{} ? std::string("The plan has no attention.")
            : slower                  ? "Another attention kernel than the plan assumes, longer sequences, or attention that is recomputed."
                                      : "Shorter or masked sequences than the plan's, or a better kernel.";
    case ComparedPart::memory:
        return of_memory(slower, t);
    case ComparedPart::optimizer:
        return slower ? "Not fused, or states that are not sharded as in the plan." : "";
    case ComparedPart::copies:
        return "Copies between host and device or between tensors; the plan has none.";
    case ComparedPart::communication:
    case ComparedPart::exposed:
        return of_exposed(slower, t, s);
    case ComparedPart::idle:
        return of_idle(slower, t, s);
    case ComparedPart::step:
        break;
    }
    return {};
}

} // namespace ridgepoint

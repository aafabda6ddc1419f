#include "app/desktop/serving_sweeps.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <set>

#include <QCoreApplication>

#include "model/units/format.h"
#include "views/charts/counted.h"
#include "views/widgets/text.h"

namespace ridgepoint {
namespace {

    using Change = std::function<void(Serving&, int)>; // sets the size
    constexpr int longest = 1 << 20; // tokens and sequences: what is asked beyond it is no plan

    QString tr(const char* text) { return QCoreApplication::translate("OperationPages", text); }

    std::optional<Estimate> at(const Job& base, const Change& change, int size)
    {
        Job job = base;
        Serving serving = std::get<Serving>(base.workload);
        change(serving, size);
        job.workload = serving;
        Expected<Estimate> e = estimate(job);
        return e ? std::optional(std::move(*e)) : std::nullopt;
    }

    // Powers of two with the plan's own size and the largest that fits among them.
    std::set<int> sizes(int low, int high, std::initializer_list<int> others)
    {
        std::set<int> out;
        for (long long v = low; v <= high; v *= 2)
            out.insert(static_cast<int>(v));
        for (const int v : others)
            if (v >= low && v <= high)
                out.insert(v);
        return out;
    }

    // The largest size that is estimated and fits; memory grows with the size. 0: none.
    int largest_fitting(const Job& job, const Change& change, int low, const std::stop_token& stop)
    {
        const auto fits = [&](int size) {
            const std::optional<Estimate> e = at(job, change, size);
            return e && e->feasible();
        };
        if (!fits(low))
            return 0;
        int good = low, bad = longest;
        for (long long next = 2LL * low; next < longest && !stop.stop_requested(); next *= 2) {
            if (!fits(static_cast<int>(next))) {
                bad = static_cast<int>(next);
                break;
            }
            good = static_cast<int>(next);
        }
        while (bad - good > 1 && bad < longest && !stop.stop_requested()) {
            const int middle = good + (bad - good) / 2;
            (fits(middle) ? good : bad) = middle;
        }
        return good;
    }

    int largest_batch(const Job& job)
    {
        const Expected<Estimate> e = estimate(job);
        return e && e->serving ? e->serving->largest_batch : 0;
    }

    MemorySweep sweep(const Job& job, const Change& change, int low, int plan, int largest, const std::stop_token& stop)
    {
        MemorySweep out;
        out.plan = plan;
        out.largest = largest;
        const long long high = std::min<long long>(longest, std::max({2LL * largest, 2LL * plan, 16LL * low}));
        for (const int size : sizes(low, static_cast<int>(high), {plan, largest})) {
            if (stop.stop_requested())
                break;
            // Far beyond what fits the chart would show nothing but the excess.
            if (const std::optional<Estimate> e = at(job, change, size); e && (size <= std::max(plan, largest) || e->memory.worst().total() < 1.6 * e->memory.capacity))
                out.points.push_back({static_cast<double>(size), e->memory.worst()});
        }
        return out;
    }

    RooflinePathPoint pass_point(const Estimate& e, Phase phase)
    {
        RooflinePathPoint p;
        Flops flops;
        Bytes bytes;
        AttributedTime time;
        for (const Operator& op : e.operators)
            if (op.phase == phase) {
                flops += op.flops * op.count;
                bytes += op.hbm * op.count;
                time += op.time * (op.count * (1.0 - op.hidden));
            }
        p.time = time.total();
        p.bound = time.bound();
        if (bytes > Bytes{} && p.time > Seconds{}) {
            p.intensity = flops / bytes;
            p.achieved = flops / p.time;
        }
        return p;
    }

    RooflinePath path(const Job& job, const QString& name, OperatorClass look, Phase phase, const Change& change, const std::set<int>& at_sizes, int plan,
        const std::function<QString(int)>& label, const std::stop_token& stop)
    {
        RooflinePath out{name, look, {}};
        for (const int size : at_sizes) {
            if (stop.stop_requested())
                break;
            if (const std::optional<Estimate> e = at(job, change, size); e && (e->feasible() || size == plan)) {
                out.points.push_back(pass_point(*e, phase));
                out.points.back().label = label(size);
                out.points.back().of_plan = size == plan;
            }
        }
        return out;
    }

    void set_concurrency(Serving& s, int size) { s.concurrency = size; }
    void set_prompts(Serving& s, int size) { s.prefill_batch = size; }
    void set_prompt(Serving& s, int size) { s.input_length = size; }

} // namespace

std::vector<MemorySweep> memory_sweeps(const Job& job, const std::stop_token& stop)
{
    const auto* serving = std::get_if<Serving>(&job.workload);
    if (serving == nullptr)
        return {};
    const bool prefill = serving->phase == ServingPhase::prefill;
    MemorySweep batch = prefill ? sweep(job, set_prompts, 1, serving->prefill_batch, largest_fitting(job, set_prompts, 1, stop), stop)
                                : sweep(job, set_concurrency, 1, serving->concurrency, largest_batch(job), stop);
    batch.name = tr("Over the batch");
    batch.x_title = prefill ? tr("prompts together") : tr("sequences on a replica");
    MemorySweep context = sweep(job, set_prompt, 128, serving->input_length, largest_fitting(job, set_prompt, 128, stop), stop);
    context.name = tr("Over the context");
    context.x_title = tr("prompt tokens");
    return {std::move(batch), std::move(context)};
}

std::vector<RooflinePath> pass_paths(const Job& base, const std::stop_token& stop)
{
    const auto* serving = std::get_if<Serving>(&base.workload);
    if (serving == nullptr)
        return {};
    const auto in_phase = [&](ServingPhase phase) {
        Job job = base;
        Serving s = *serving;
        s.phase = phase;
        job.workload = s;
        return job;
    };
    const auto sequences = [](int n) { return counted(n, tr("1 sequence"), tr("%1 sequences")); };
    const auto tokens = [](int n) { return tr("%1 tokens").arg(to_qt(group_thousands(n))); };
    std::vector<RooflinePath> out;
    if (serving->phase != ServingPhase::prefill) {
        const Job decode = in_phase(ServingPhase::decode);
        const int batch = largest_batch(decode), context = largest_fitting(decode, set_prompt, 128, stop);
        out.push_back(path(decode, tr("Decode over the batch"), OperatorClass::gemm, Phase::decode, set_concurrency, sizes(1, std::max(batch, serving->concurrency), {batch, serving->concurrency}),
            serving->concurrency, sequences, stop));
        out.push_back(path(decode, tr("Decode over the context"), OperatorClass::attention, Phase::decode, set_prompt, sizes(128, std::max(context, serving->input_length), {serving->input_length}),
            serving->input_length, tokens, stop));
    }
    if (serving->phase != ServingPhase::decode) {
        const Job prefill = in_phase(ServingPhase::prefill);
        const int prompt = largest_fitting(prefill, set_prompt, 16, stop);
        out.push_back(path(prefill, tr("Prefill over the prompt"), OperatorClass::memory, Phase::prefill, set_prompt, sizes(16, std::max(prompt, serving->input_length), {serving->input_length}),
            serving->input_length, tokens, stop));
    }
    return out;
}

} // namespace ridgepoint

// trace FILE...: what a measured file holds, and with --plan how it compares with the prediction.

#include <algorithm>
#include <map>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/cli/text_table.h"
#include "model/calibration/compare.h"
#include "model/measured/measured.h"
#include "model/project/resolve.h"
#include "model/report/evaluation_json.h"
#include "model/trace/timeline.h"
#include "model/units/format.h"

namespace ridgepoint::cli {
namespace {

using Json = nlohmann::ordered_json;

struct Arguments {
    std::vector<std::string> files;
    PlanArguments plan;
    bool json = false;
    int top = 15;
};

struct KernelTotal {
    std::string name;
    KernelClass kernel_class = KernelClass::other;
    std::int64_t count = 0;
    std::int64_t nanoseconds = 0;
};

std::vector<KernelTotal> kernels_by_time(const Timeline& t)
{
    std::vector<KernelTotal> all(t.names.size());
    for (std::size_t i = 0; i < t.size(); ++i) {
        KernelTotal& k = all[t.name[i]];
        k.kernel_class = t.kernel_class[i];
        ++k.count;
        k.nanoseconds += t.duration_ns[i];
    }
    for (std::size_t i = 0; i < all.size(); ++i)
        all[i].name = t.names[i];
    std::erase_if(all, [](const KernelTotal& k) { return k.count == 0; });
    std::stable_sort(all.begin(), all.end(), [](const KernelTotal& a, const KernelTotal& b) { return a.nanoseconds > b.nanoseconds; });
    return all;
}

Seconds from_ns(std::int64_t ns) { return Seconds{static_cast<double>(ns) * 1e-9}; }

void print_summary(const Timeline& t, const TimelineSummary& s, int top)
{
    fmt::print("{}\n\n", t.file);
    TextTable head({"", ">", ""});
    const auto of_span = [&](Seconds x) { return s.span > Seconds{} ? format_percent(x / s.span) + " of the window" : std::string(); };
    head.add({"Device", t.device_name.empty() ? "not stated" : t.device_name, t.rank >= 0 ? fmt::format("rank {}{}", t.rank, t.world_size > 0 ? fmt::format(" of {}", t.world_size) : "") : ""});
    head.add({"Window", format(s.span), fmt::format("{} GPU events, {} of them kernels; {} events in the file", group_thousands(static_cast<double>(s.gpu_events)),
        group_thousands(static_cast<double>(s.kernels)), group_thousands(static_cast<double>(t.events_in_file)))});
    head.add({"Busy", format(s.busy), of_span(s.busy)});
    head.add({"Idle", format(s.idle), of_span(s.idle)});
    head.add({"Computing", format(s.compute_union), of_span(s.compute_union)});
    head.add({"Communicating", format(s.collective_union), of_span(s.collective_union)});
    head.add({"Overlap", format(s.overlap), "of computing and communicating"});
    head.add({"Exposed communication", format(s.exposed_collective), of_span(s.exposed_collective)});
    head.add({"Known work", group_thousands(static_cast<double>(s.with_work)), fmt::format("events with FLOPs and bytes from shapes; {} without", group_thousands(static_cast<double>(s.without_work)))});
    for (const Timeline::Step& step : t.steps)
        head.add({step.name, format(from_ns(step.duration_ns)), ""});
    fmt::print("{}\n", head.text());

    TextTable classes({"Class", ">events", ">time", ">of kernel time"});
    for (const ClassTotal& c : s.classes)
        if (c.count > 0)
            classes.add({std::string(name_of(c.kernel_class)), group_thousands(static_cast<double>(c.count)), format(c.sum), s.kernel_sum > Seconds{} ? format_percent(c.sum / s.kernel_sum) : ""});
    fmt::print("{}\n", classes.text());

    TextTable kernels({"Kernel", "class", ">count", ">time", ">mean"});
    const auto by_time = kernels_by_time(t);
    for (std::size_t i = 0; i < by_time.size() && i < static_cast<std::size_t>(top); ++i) {
        const KernelTotal& k = by_time[i];
        kernels.add({shortened(k.name, 80), std::string(name_of(k.kernel_class)), group_thousands(static_cast<double>(k.count)), format(from_ns(k.nanoseconds)), format(from_ns(k.nanoseconds / k.count))});
    }
    fmt::print("{}", kernels.text());
    fmt::print("  {} distinct kernels, {} shown\n\n", by_time.size(), std::min<std::size_t>(by_time.size(), static_cast<std::size_t>(top)));
    for (const Timeline::Skipped& skipped : t.skipped)
        fmt::print("  Left out: {} x {}{}\n", skipped.count, skipped.reason, skipped.first_place.empty() ? "" : ", first at " + skipped.first_place);
    if (t.truncated)
        fmt::print("  The file ends early; the complete events before its end are counted.\n");
}

void print_comparison(const Comparison& c, const PlacedKernels& placed)
{
    fmt::print("\n  Measured against predicted, per step ({})\n", c.step_source);
    TextTable t({"", ">measured", ">predicted", ">predicted / measured"});
    for (const ComparisonRow& r : c.rows)
        t.add({r.label, format(r.measured), format(r.predicted), r.has_ratio() ? fmt::format("{:.2f}", r.ratio()) : "-"});
    fmt::print("{}", t.text());
    for (const std::string& caveat : c.caveats)
        fmt::print("{}", wrapped("Note: " + caveat, "  "));
    fmt::print("  On the roofline: {} events placed by their shapes, {} by the plan's operators, {} not placed ({}).\n", group_thousands(static_cast<double>(placed.placed_by_shape)),
        group_thousands(static_cast<double>(placed.placed_by_plan)), group_thousands(static_cast<double>(placed.not_placed)), format(placed.not_placed_time));
}

Json summary_json(const Timeline& t, const TimelineSummary& s, int top)
{
    Json classes = Json::array(), kernels = Json::array(), steps = Json::array(), skipped = Json::array();
    for (const ClassTotal& c : s.classes)
        classes.push_back({{"class", name_of(c.kernel_class)}, {"events", c.count}, {"time_s", c.sum.value()}});
    const auto by_time = kernels_by_time(t);
    for (std::size_t i = 0; i < by_time.size() && i < static_cast<std::size_t>(top); ++i)
        kernels.push_back({{"name", by_time[i].name}, {"class", name_of(by_time[i].kernel_class)}, {"events", by_time[i].count}, {"time_s", from_ns(by_time[i].nanoseconds).value()}});
    for (const Timeline::Step& step : t.steps)
        steps.push_back({{"name", step.name}, {"start_s", from_ns(step.start_ns).value()}, {"duration_s", from_ns(step.duration_ns).value()}});
    for (const Timeline::Skipped& x : t.skipped)
        skipped.push_back({{"reason", x.reason}, {"count", x.count}, {"first_place", x.first_place}});
    return {{"file", t.file}, {"device", t.device_name}, {"rank", t.rank}, {"world_size", t.world_size}, {"events_in_file", t.events_in_file},
        {"gpu_events", s.gpu_events}, {"kernels", s.kernels}, {"distinct_kernels", by_time.size()}, {"span_s", s.span.value()}, {"busy_s", s.busy.value()},
        {"idle_s", s.idle.value()}, {"kernel_sum_s", s.kernel_sum.value()}, {"compute_union_s", s.compute_union.value()},
        {"collective_union_s", s.collective_union.value()}, {"overlap_s", s.overlap.value()}, {"exposed_collective_s", s.exposed_collective.value()},
        {"same_stream_overlaps", s.same_stream_overlaps}, {"events_with_work", s.with_work}, {"events_without_work", s.without_work},
        {"truncated", t.truncated}, {"steps", steps}, {"classes", classes}, {"top_kernels", kernels}, {"skipped", skipped}};
}

Json comparison_json(const Comparison& c, const PlacedKernels& placed)
{
    Json rows = Json::array();
    for (const ComparisonRow& r : c.rows)
        rows.push_back({{"label", r.label}, {"measured_s", r.measured.value()}, {"predicted_s", r.predicted.value()}, {"ratio", r.has_ratio() ? Json(r.ratio()) : Json(nullptr)}});
    return {{"steps", c.steps}, {"step_source", c.step_source}, {"rows", rows}, {"caveats", c.caveats}, {"placed_by_shape", placed.placed_by_shape},
        {"placed_by_plan", placed.placed_by_plan}, {"not_placed", placed.not_placed}, {"not_placed_s", placed.not_placed_time.value()}};
}

int run(const Arguments& a)
{
    std::optional<Evaluation> evaluation;
    if (!a.plan.file.empty()) {
        Expected<LoadedPlan> loaded = load(a.plan);
        if (!loaded)
            return fail(loaded.error(), a.json);
        Expected<Evaluation> v = evaluate_only(loaded->plan, loaded->specs);
        if (!v)
            return fail(located(v.error(), a.plan), a.json);
        evaluation = std::move(*v);
    }
    Json out = {{"kind", "trace"}, {"version", 1}, {"files", Json::array()}};
    for (const std::string& file : a.files) {
        const Expected<std::vector<Measured>> found = read_measured(file);
        if (!found)
            return fail(found.error(), a.json);
        for (const Measured& m : *found) {
            Json entry = {{"file", m.file}, {"format", m.format}};
            if (const auto* t = std::get_if<Timeline>(&m.content)) {
                const TimelineSummary s = summarize(*t);
                if (a.json)
                    entry.update(summary_json(*t, s, a.top));
                else
                    print_summary(*t, s, a.top);
                if (evaluation) {
                    const Comparison c = compare(*t, evaluation->estimate);
                    const PlacedKernels placed = place_kernels(*t, &evaluation->estimate);
                    if (a.json)
                        entry["comparison"] = comparison_json(c, placed);
                    else
                        print_comparison(c, placed);
                }
            }
            if (a.json) {
                entry["facts"] = Json::parse(facts_of(m).dump());
                out["files"].push_back(entry);
            } else {
                fmt::print("\n");
            }
        }
    }
    if (a.json)
        fmt::print("{}\n", json_text(out));
    return done;
}

} // namespace

void add_trace_command(CLI::App& app, int& status)
{
    CLI::App* command = app.add_subcommand("trace", "Read profiler traces: summary, and measured against predicted");
    auto arguments = std::make_shared<Arguments>();
    command->add_option("FILE", arguments->files, "Trace files (PyTorch profiler, .json or .json.gz)")->required()->type_name("");
    command->add_option("--plan", arguments->plan.file, "Plan to compare with")->type_name("PLAN");
    command->add_option("--set", arguments->plan.edits, "Change a field of the plan; repeatable, in order")->type_name("/FIELD=VALUE");
    command->add_flag("--current-specs", arguments->plan.current_specs, "Ignore the specs saved in the plan");
    command->add_option("--top", arguments->top, "Kernels to list")->check(CLI::Range(0, 100'000))->capture_default_str();
    command->add_flag("--json", arguments->json, "Print JSON (specs/schema/trace-output.schema.json)");
    add_spec_arguments(*command, arguments->plan.specs);
    command->callback([arguments, &status] { status = run(*arguments); });
}

} // namespace ridgepoint::cli

// trace FILE...: what measured files hold, and with --plan how they compare with the prediction.

#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/cli/measured_files.h"
#include "app/cli/measured_text.h"
#include "app/cli/text_table.h"
#include "model/calibration/compare.h"
#include "model/calibration/infer_plan.h"
#include "model/calibration/observations.h"
#include "model/project/resolve.h"
#include "model/report/measured_tables.h"
#include "model/units/format.h"

namespace ridgepoint::cli {
namespace {

using Json = nlohmann::ordered_json;

struct Arguments {
    std::vector<std::string> files;
    PlanArguments plan;
    bool json = false;
    bool formats = false;
    bool ranks = false;
    bool difference = false;
    std::string infer; // plan file to write
    std::string mapping; // of columns
    int top = 15;
};

void print_comparison(const Comparison& c, const PlacedKernels& placed)
{
    fmt::print("\n  Measured against predicted, per step ({}), most lost time first\n", c.step_source);
    TextTable t({"", ">measured", ">predicted", ">lost", ">predicted / measured"});
    std::vector<ComparisonRow> rows = by_lost_time(c);
    rows.push_back(c.rows.back()); // the step
    for (const ComparisonRow& r : rows)
        t.add({r.label, format(r.measured), format(r.predicted), fmt::format("{}{}", r.lost() < Seconds{} ? "-" : "", format(Seconds{std::abs(r.lost().value())})),
            r.has_ratio() ? fmt::format("{:.2f}", r.ratio()) : "-"});
    fmt::print("{}", t.text());
    for (const ComparisonRow& r : rows)
        if (!r.cause.empty())
            fmt::print("{}", wrapped(r.label + ": " + r.cause, "  "));
    for (const std::string& caveat : c.caveats)
        fmt::print("{}", wrapped("Note: " + caveat, "  "));
    fmt::print("  On the roofline: {} events placed by their shapes, {} by the plan's operators, {} not placed ({}).\n", group_thousands(static_cast<double>(placed.placed_by_shape)),
        group_thousands(static_cast<double>(placed.placed_by_plan)), group_thousands(static_cast<double>(placed.not_placed)), format(placed.not_placed_time));
}

Json comparison_json(const Comparison& c, const PlacedKernels& placed)
{
    Json rows = Json::array();
    for (const ComparisonRow& r : c.rows)
        rows.push_back({{"label", r.label}, {"measured_s", r.measured.value()}, {"predicted_s", r.predicted.value()}, {"lost_s", r.lost().value()},
            {"ratio", r.has_ratio() ? Json(r.ratio()) : Json(nullptr)}, {"cause", r.cause}});
    return {{"steps", c.steps}, {"step_source", c.step_source}, {"rows", rows}, {"caveats", c.caveats}, {"placed_by_shape", placed.placed_by_shape},
        {"placed_by_plan", placed.placed_by_plan}, {"not_placed", placed.not_placed}, {"not_placed_s", placed.not_placed_time.value()}};
}

void print_residuals(const std::vector<ObservedResidual>& all, const Observations& o)
{
    if (!all.empty())
        print_table(residual_table(all));
    for (const std::string& n : o.notes)
        fmt::print("{}", wrapped("Note: " + n, "  "));
}

Json residuals_json(const std::vector<ObservedResidual>& all, const Observations& o)
{
    Json rows = Json::array();
    for (const ObservedResidual& r : all)
        rows.push_back({{"what", r.observation.what}, {"part", name_of(r.observation.part)}, {"measured_s", r.observation.measured.value()}, {"predicted_s", r.predicted.value()}, {"error", r.error()}});
    return {{"rows", rows}, {"notes", o.notes}};
}

void compare_with(const Measured& m, const Evaluation& evaluation, bool json, Json& entry)
{
    if (const auto* t = std::get_if<Timeline>(&m.content)) {
        const Comparison c = compare(*t, evaluation.estimate);
        const PlacedKernels placed = place_kernels(*t, &evaluation.estimate);
        if (json)
            entry["comparison"] = comparison_json(c, placed);
        else
            print_comparison(c, placed);
    }
    if (const auto* metrics = std::get_if<MetricSet>(&m.content)) {
        Json tables = Json::array();
        for (const ReportTable& t : metric_tables(*metrics, evaluation.job)) {
            tables.push_back({{"title", t.title}, {"header", t.header}, {"rows", t.rows}, {"note", t.note}});
            if (!json)
                print_table(t);
        }
        if (json)
            entry["operating_points"] = tables;
        return;
    }
    const Observations o = observe(m, evaluation.job);
    const std::vector<ObservedResidual> all = residuals(o, evaluation.job);
    if (json)
        entry["residuals"] = residuals_json(all, o);
    else
        print_residuals(all, o);
}

// The plan that the files were run with, as far as they tell: shown, and written where --infer says.
int infer(const Arguments& a, const std::vector<Measured>& measured, Json& out)
{
    Expected<SpecStore> specs = load_specs(a.plan.specs);
    if (!specs)
        return fail(specs.error(), a.json);
    Plan base = example_plan();
    base.notes.clear();
    base.name = "Inferred from measured files";
    if (!a.plan.file.empty()) {
        Expected<LoadedPlan> loaded = load(a.plan);
        if (!loaded)
            return fail(loaded.error(), a.json);
        base = loaded->plan;
    }
    const Expected<InferredPlan> inferred = infer_plan(measured, base, *specs);
    if (!inferred)
        return fail(inferred.error(), a.json);
    if (Status s = write_output(a.infer, to_text(inferred->plan)); !s)
        return fail(s.error(), a.json);
    Json fields = Json::array();
    for (const InferredField& f : inferred->fields)
        fields.push_back({{"path", f.path}, {"value", f.value}, {"evidence", f.evidence}});
    out["inferred"] = {{"fields", fields}, {"open", inferred->open}};
    if (a.json || a.infer == "-")
        return done;
    TextTable t({"Inferred", "value", "because"});
    for (const InferredField& f : inferred->fields)
        t.add({f.path, f.value, f.evidence});
    fmt::print("\n{}", t.text());
    for (const std::string& o : inferred->open)
        fmt::print("  Not told by the files, so taken from the base plan: {}\n", o);
    return done;
}

// Several traces as the ranks of one job, or two as before and after.
int show_together(const Arguments& a, const std::vector<Measured>& measured, Json& out)
{
    std::vector<std::shared_ptr<const Measured>> traces;
    for (const Measured& m : measured)
        if (std::holds_alternative<Timeline>(m.content))
            traces.push_back(std::make_shared<const Measured>(m));
    if (traces.size() < 2 || (a.difference && traces.size() != 2))
        return fail(bad_input(a.difference ? "--difference sets two profiler traces side by side" : "--ranks needs the traces of several ranks", {}, fmt::format("{} traces", traces.size()),
            a.difference ? "two traces" : "two traces or more"), a.json);
    const auto top = static_cast<std::size_t>(std::max(1, a.top));
    const std::vector<ReportTable> tables = a.difference ? difference_tables(std::get<Timeline>(traces[0]->content), std::get<Timeline>(traces[1]->content), top) : rank_tables(traces);
    Json list = Json::array();
    for (const ReportTable& t : tables) {
        list.push_back({{"title", t.title}, {"header", t.header}, {"rows", t.rows}, {"note", t.note}});
        if (!a.json)
            print_table(t);
    }
    out[a.difference ? "difference" : "ranks"] = list;
    return done;
}

void tell_left_out(const MeasuredFiles& reader, const Arguments& a, Json& out)
{
    for (const MeasuredFiles::LeftOut& l : reader.left_out()) {
        if (a.json)
            out["left_out"].push_back({{"file", l.file}, {"reason", l.reason}});
        else if (a.infer != "-")
            fmt::print("{}", wrapped(fmt::format("Left out: {}: {}", l.file, l.reason), "  "));
    }
}

int print_formats(bool json)
{
    const std::vector<std::string> names = measured_formats();
    if (json) {
        fmt::print("{}\n", json_text({{"kind", "formats"}, {"version", 1}, {"formats", names}}));
        return done;
    }
    for (const std::string& n : names)
        fmt::print("  {}\n", n);
    return done;
}

int run(const Arguments& a)
{
    if (a.formats)
        return print_formats(a.json);
    if (a.files.empty())
        return fail(bad_input("no file is named", {}, {}, "measured files, or --formats"), a.json);
    std::optional<Evaluation> evaluation;
    if (!a.plan.file.empty() && a.infer.empty()) {
        Expected<LoadedPlan> loaded = load(a.plan);
        if (!loaded)
            return fail(loaded.error(), a.json);
        Expected<Evaluation> v = evaluate_only(loaded->plan, loaded->specs);
        if (!v)
            return fail(located(v.error(), a.plan), a.json);
        evaluation = std::move(*v);
    }
    Json out = {{"kind", "trace"}, {"version", 1}, {"files", Json::array()}};
    std::vector<Measured> all;
    const bool together = a.ranks || a.difference;
    Expected<MeasuredFiles> reader = MeasuredFiles::with_mapping(a.mapping);
    if (!reader)
        return fail(reader.error(), a.json);
    const auto show = [&](std::vector<Measured> found) {
        for (Measured& m : found) {
            Json entry;
            if (a.json)
                entry = measured_json(m, a.top);
            else if (a.infer != "-" && !together)
                print_measured(m, a.top);
            if (evaluation)
                compare_with(m, *evaluation, a.json, entry);
            if (a.json)
                out["files"].push_back(std::move(entry));
            else if (a.infer != "-" && !together)
                fmt::print("\n");
            if (!a.infer.empty() || together)
                all.push_back(std::move(m));
        }
    };
    if (const Status read = reader->each(a.files, show); !read)
        return fail(read.error(), a.json);
    tell_left_out(*reader, a, out);
    if (together)
        if (const int status = show_together(a, all, out); status != done)
            return status;
    if (!a.infer.empty())
        if (const int status = infer(a, all, out); status != done)
            return status;
    if (a.json)
        fmt::print("{}\n", json_text(out));
    return done;
}

} // namespace

void add_trace_command(CLI::App& app, int& status)
{
    CLI::App* command = app.add_subcommand("trace", "Read measured files of any kind: what they hold, and measured against predicted");
    auto arguments = std::make_shared<Arguments>();
    command->add_option("FILE", arguments->files, "Profiler traces, benchmark results, training logs, metrics, plain or compressed; folders of them")->type_name("");
    command->add_option("--plan", arguments->plan.file, "Plan to compare with")->type_name("PLAN");
    command->add_option("--set", arguments->plan.edits, "Change a field of the plan; repeatable, in order")->type_name("/FIELD=VALUE");
    command->add_flag("--current-specs", arguments->plan.current_specs, "Ignore the specs saved in the plan");
    command->add_option("--infer", arguments->infer, "Write the plan that the files were run with, as far as they tell (- for standard output); the rest is --plan's")->type_name("FILE");
    command->add_option("--mapping", arguments->mapping, "What the columns of a table of no known tool mean, as the window saves it")->type_name("FILE");
    command->add_flag("--ranks", arguments->ranks, "Take the traces for the ranks of one job: stragglers, wait against transfer, imbalance");
    command->add_flag("--difference", arguments->difference, "Two traces as before and after: what changed most")->excludes("--ranks");
    command->add_option("--top", arguments->top, "Rows of the longest tables")->check(CLI::Range(0, 100'000))->capture_default_str();
    command->add_flag("--formats", arguments->formats, "List the formats that are read");
    command->add_flag("--json", arguments->json, "Print JSON (specs/schema/trace-output.schema.json)");
    add_spec_arguments(*command, arguments->plan.specs);
    command->callback([arguments, &status] { status = run(*arguments); });
}

} // namespace ridgepoint::cli

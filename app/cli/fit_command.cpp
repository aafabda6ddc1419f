// fit: the constants of specs/efficiency/ made anew from measurements.

#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "app/cli/command.h"
#include "app/cli/text_table.h"
#include "model/fitting/refit.h"
#include "model/units/format.h"

namespace ridgepoint::cli {
namespace {

struct Arguments {
    std::string measurements;
    std::vector<std::string> only;
    std::string out;
    bool check = false;
    double margin = 1.0;
    SpecArguments specs;
};

// "b200/software/tensorrt-llm/gemm/bf16", "efa-v2/tree, ring, all_to_all, send_recv".
std::string label(const FittedLaw& law)
{
    std::string out = law.document + law.pointer;
    if (law.residuals.size() == 1)
        return law.document + law.residuals.front().first;
    for (const auto& [pointer, error] : law.residuals)
        out += (pointer == law.residuals.front().first ? "/" : ", ") + pointer.substr(pointer.rfind('/') + 1);
    return out;
}

void print_errors(const Refit& r)
{
    TextTable t({"law", ">rows", ">shipped", ">90th pct", ">refitted", ">90th pct", ">left out", ">90th pct", "by what was left out (median, 90th pct)"});
    for (const FittedLaw& law : r.fitted.laws) {
        if (law.refit.rows == 0)
            continue;
        std::string by;
        for (const auto& [what, e] : law.left_out_by)
            by += fmt::format("{}{} {}, {}", by.empty() ? "" : "; ", what, format_percent(e.median), format_percent(e.p90));
        t.add({label(law), std::to_string(law.refit.rows), format_percent(law.shipped.median), format_percent(law.shipped.p90),
            format_percent(law.refit.median), format_percent(law.refit.p90), law.left_out.rows > 0 ? format_percent(law.left_out.median) : "-",
            law.left_out.rows > 0 ? format_percent(law.left_out.p90) : "-", by});
    }
    fmt::print("Error of the shipped and of the refitted constants over all rows, and of fits to other rows (left out):\n{}\n", t.text());
}

void print_changes(const Refit& r)
{
    if (r.changes.empty()) {
        fmt::print("No constant changes.\n");
        return;
    }
    TextTable t({"constant", ">shipped", ">refitted"});
    for (const SpecChange& c : r.changes)
        t.add({c.document + c.pointer, c.before.empty() ? "-" : c.before, c.after.empty() ? "-" : c.after});
    fmt::print("{}", t.text());
}

int check(const Refit& r, double margin)
{
    int worse = 0;
    for (const FittedLaw& law : r.fitted.laws)
        if (law.shipped.median > law.refit.median + margin / 100.0) {
            ++worse;
            fmt::print(stderr, "ridgepoint-cli: {}: the shipped constants miss by {} in the median, a refit by {}\n", label(law),
                format_percent(law.shipped.median), format_percent(law.refit.median));
        }
    fmt::print("{} of {} laws are more than {} % worse than a refit.\n", worse, r.fitted.laws.size(), margin);
    return worse > 0 ? not_feasible : done;
}

int run(const Arguments& a)
{
    Expected<SpecStore> specs = load_specs(a.specs);
    if (!specs)
        return fail(specs.error());
    std::error_code ec;
    if (!a.out.empty() && !std::filesystem::is_directory(a.out, ec))
        return fail(bad_input("there is no such folder to write to", {a.out, 0, {}}));
    const Expected<Refit> r = refit({a.measurements, a.only}, std::move(*specs));
    if (!r)
        return fail(r.error());
    print_errors(*r);
    if (!a.check)
        print_changes(*r);
    for (const auto& [what, rows] : r->fitted.not_expressed)
        fmt::print("{:6} rows not fitted: {}\n", rows, what);
    if (!a.out.empty())
        for (const auto& [id, text] : r->documents)
            if (Status s = write_output((std::filesystem::path(a.out) / (id + ".json")).string(), text); !s)
                return fail(s.error());
    return a.check ? check(*r, a.margin) : done;
}

} // namespace

void add_fit_command(CLI::App& app, int& status)
{
    CLI::App* command = app.add_subcommand("fit", "Refit the constants of specs/efficiency/ to measured kernels and collectives");
    auto arguments = std::make_shared<Arguments>();
    command->add_option("--measurements", arguments->measurements, "Folder of CSV files; each is recognised by its header")->required()->type_name("DIR");
    command->add_option("--only", arguments->only, "Only these GPUs and fabrics (ids of specs/efficiency/); repeatable")->type_name("ID");
    command->add_option("--out", arguments->out, "Write the JSON files here; without, only print what would change")->type_name("DIR");
    command->add_flag("--check", arguments->check, "Exit with 1 if shipped constants are worse than a refit by more than the margin");
    command->add_option("--margin", arguments->margin, "Of --check, in percentage points of the median error")->capture_default_str()->check(CLI::NonNegativeNumber)->type_name("POINTS");
    add_spec_arguments(*command, arguments->specs);
    command->callback([arguments, &status] { status = run(*arguments); });
}

} // namespace ridgepoint::cli

// report PLAN: the document for people who decide.

#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "model/report/evaluation_json.h"
#include "model/report/report.h"

namespace ridgepoint::cli {
namespace {

struct Arguments {
    PlanArguments plan;
    std::string output;
    std::string format;
};

// By --format, else by the ending of the file, else HTML.
std::string format_of(const Arguments& a)
{
    if (!a.format.empty())
        return a.format;
    for (const char* f : {"html", "md", "csv", "json"})
        if (a.output.ends_with(std::string(".") + f))
            return f;
    return "html";
}

nlohmann::ordered_json report_json(const Report& report)
{
    nlohmann::ordered_json sections = nlohmann::ordered_json::array();
    for (const ReportSection& s : report.sections) {
        nlohmann::ordered_json tables = nlohmann::ordered_json::array();
        for (const ReportTable& t : s.tables)
            tables.push_back({{"title", t.title}, {"header", t.header}, {"rows", t.rows}, {"note", t.note}});
        sections.push_back({{"title", s.title}, {"paragraphs", s.paragraphs}, {"tables", tables}});
    }
    return {{"title", report.title}, {"subtitle", report.subtitle}, {"sections", sections}, {"footer", report.footer}};
}

int run(const Arguments& a)
{
    const std::string format = format_of(a);
    Expected<LoadedPlan> loaded = load(a.plan);
    if (!loaded)
        return fail(loaded.error(), format == "json");
    Expected<Evaluation> v = evaluate(loaded->plan, loaded->specs);
    if (!v)
        return fail(located(v.error(), a.plan), format == "json");
    const Report report = build_report(loaded->plan, *v, loaded->specs);
    std::string text;
    if (format == "md") {
        text = to_markdown(report);
    } else if (format == "csv") {
        text = to_csv(report);
    } else if (format == "json") {
        nlohmann::ordered_json out = evaluation_to_json(loaded->plan, *v);
        out["kind"] = "report";
        out["derivation"] = nullptr;
        out["report"] = report_json(report);
        text = json_text(out) + "\n";
    } else {
        text = to_html(report, *v);
    }
    if (Status s = write_output(a.output, text); !s)
        return fail(s.error());
    if (!a.output.empty() && a.output != "-")
        fmt::print("{}\n", a.output);
    return v->estimate.feasible() ? done : not_feasible;
}

} // namespace

void add_report_command(CLI::App& app, int& status)
{
    CLI::App* command = app.add_subcommand("report", "Write the report: decision, alternatives, fit, bounds, cost, sources");
    auto arguments = std::make_shared<Arguments>();
    add_plan_arguments(*command, arguments->plan);
    command->add_option("-o,--output", arguments->output, "File to write; without it, standard output")->type_name("FILE");
    command->add_option("--format", arguments->format, "html, md, csv or json; without it, as the file's name ends")->check(CLI::IsMember({"html", "md", "csv", "json"}))->type_name("FORMAT");
    command->callback([arguments, &status] { status = run(*arguments); });
}

} // namespace ridgepoint::cli

// report PLAN: the document for people who decide.

#include <iterator>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "model/report/evaluation_json.h"
#include "model/report/logo.h"
#include "model/report/report.h"

namespace ridgepoint::cli {
namespace {

struct Arguments {
    PlanArguments plan;
    std::string output;
    std::string format;
    std::string detail = "engineering";
    std::string organization, author, reference, logo, today;
    std::vector<std::string> measured;
};

// Files that the options name, read.
struct ReadOptions {
    ReportOptions report;
    std::vector<Measured> measured;
};

Status read_options(const Arguments& a, ReadOptions& out)
{
    out.report.detail = a.detail == "executive" ? ReportDetail::executive : ReportDetail::engineering;
    out.report.organization = a.organization;
    out.report.author = a.author;
    out.report.reference = a.reference;
    if (!a.today.empty()) {
        const Expected<Date> today = parse_date(a.today);
        if (!today)
            return today.error();
        out.report.today = *today;
    }
    if (!a.logo.empty()) {
        Expected<std::string> logo = read_logo(a.logo);
        if (!logo)
            return logo.error();
        out.report.logo = std::move(*logo);
    }
    for (const std::string& file : a.measured) {
        Expected<std::vector<Measured>> found = read_measured(file);
        if (!found)
            return found.error();
        std::move(found->begin(), found->end(), std::back_inserter(out.measured));
    }
    if (!a.measured.empty())
        out.report.measured = &out.measured;
    return Done{};
}

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
    ReadOptions options;
    if (Status s = read_options(a, options); !s)
        return fail(s.error(), format == "json");
    const Report report = build_report(loaded->plan, *v, loaded->specs, options.report);
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
    command->add_option("--detail", arguments->detail, "executive: what was asked, the answer, alternatives, money, risks; engineering: everything")
        ->check(CLI::IsMember({"executive", "engineering"}))->type_name("LEVEL")->capture_default_str();
    command->add_option("--prepared-for", arguments->organization, "Title field")->type_name("TEXT");
    command->add_option("--by", arguments->author, "Title field")->type_name("TEXT");
    command->add_option("--reference", arguments->reference, "Title field")->type_name("TEXT");
    command->add_option("--logo", arguments->logo, "PNG or SVG, at most 2 MiB")->type_name("FILE");
    command->add_option("--today", arguments->today, "Date of the report, YYYY-MM-DD: tells how old prices are. Without it nothing in the report depends on the day")->type_name("DATE");
    command->add_option("--measured", arguments->measured, "Measured files to set the prediction against; repeatable")->type_name("FILE");
    command->callback([arguments, &status] { status = run(*arguments); });
}

} // namespace ridgepoint::cli

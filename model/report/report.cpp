#include "model/report/report.h"

#include <fmt/format.h>

#include "model/calibration/csv.h"
#include "model/project/fields.h"
#include "model/project/snapshots.h"
#include "model/report/sections.h"
#include "model/report/texts.h"

#ifndef RIDGEPOINT_VERSION
#define RIDGEPOINT_VERSION "development"
#endif

namespace ridgepoint {
namespace {

std::string csv_line(const std::vector<std::string>& cells)
{
    std::string out;
    for (std::size_t i = 0; i < cells.size(); ++i)
        out += (i > 0 ? "," : "") + csv_field(cells[i]);
    return out + "\n";
}

bool is_number_cell(const std::string& cell) // starts like a number: right-aligned
{
    if (cell.empty() || cell == "-")
        return true;
    const char c = cell[0] == '$' || cell[0] == '+' || cell[0] == '-' ? (cell.size() > 1 ? cell[1] : ' ') : cell[0];
    return c >= '0' && c <= '9' && cell.size() < 24;
}

// A cell of a Markdown table: one line, no bars, nothing that starts markup or HTML.
std::string markdown_cell(const std::string& text)
{
    std::string out;
    for (const char c : text) {
        if (c == '|' || c == '\\' || c == '*' || c == '_' || c == '`' || c == '<' || c == '[' || c == ']')
            out += '\\';
        out += c == '\n' || c == '\r' ? ' ' : c;
    }
    return out;
}

} // namespace

std::vector<bool> number_columns(const ReportTable& t)
{
    std::vector<bool> out(t.header.size(), !t.rows.empty());
    for (const auto& row : t.rows)
        for (std::size_t c = 0; c < out.size() && c < row.size(); ++c)
            out[c] = out[c] && c > 0 && is_number_cell(row[c]);
    return out;
}

Report build_report(const Plan& plan, const Evaluation& evaluation, const SpecStore& catalogue, const ReportOptions& options)
{
    const Expected<SpecStore> with = with_snapshots(plan, catalogue);
    const SpecStore& specs = with ? *with : catalogue; // an evaluation exists, so they were readable
    ReportInput in{plan, evaluation, specs, options, {}, {}, {}};
    const auto* training = std::get_if<Training>(&plan.workload);
    if (training != nullptr && training->tokens > Tokens{}) {
        Expected<RunAnswer> run = evaluate_run(plan, specs, options.today);
        if (run)
            in.run = std::move(*run);
        else
            in.no_run = run.error().text();
    }
    if (in_use("Fleet", plan))
        if (Expected<FleetAnswer> fleet = evaluate_fleet(plan, specs, {}))
            in.fleet = std::move(*fleet);

    Report r;
    r.title = plan.name;
    r.subtitle = fmt::format("{} on {}", evaluation.job.model.name, cluster_text(evaluation.job));
    for (const auto& [name, value] : {std::pair{"Prepared for", &options.organization}, {"By", &options.author}, {"Reference", &options.reference}})
        if (!value->empty())
            r.fields.emplace_back(name, *value);
    if (options.today)
        r.fields.emplace_back("Date", options.today->text());
    r.logo = options.logo;
    r.sections.push_back(decision_section(in));
    r.sections.push_back(requirement_section(in));
    r.sections.push_back(alternatives_section(in));
    const bool full = options.detail == ReportDetail::engineering;
    if (full)
        for (auto* section : {fit_section, bounds_section, roofline_section})
            r.sections.push_back(section(in));
    if (training != nullptr && training->tokens > Tokens{})
        r.sections.push_back(run_section(in));
    if (in.fleet)
        r.sections.push_back(fleet_section(in));
    r.sections.push_back(cost_section(in));
    r.sections.push_back(sensitivity_section(in));
    r.sections.push_back(risks_section(in));
    if (options.measured != nullptr)
        r.sections.push_back(measured_section(in));
    if (full)
        for (auto* section : {assumptions_section, sources_section})
            r.sections.push_back(section(in));
    r.sections.push_back(reproduce_section(in));
    r.footer = fmt::format("Ridgepoint {}; newest source {}. Planning figures, not a quote.", RIDGEPOINT_VERSION, catalogue_date(in));
    return r;
}

std::string to_markdown(const Report& report)
{
    std::string out = fmt::format("# {}\n\n{}\n", markdown_cell(report.title), markdown_cell(report.subtitle));
    for (const auto& [name, value] : report.fields)
        out += fmt::format("\n{}: {}\n", name, markdown_cell(value));
    for (const ReportSection& s : report.sections) {
        out += fmt::format("\n## {}\n", s.title);
        for (const std::string& p : s.paragraphs)
            out += fmt::format("\n{}\n", markdown_cell(p));
        for (const ReportTable& t : s.tables) {
            out += fmt::format("\n**{}**\n\n|", markdown_cell(t.title));
            for (const std::string& h : t.header)
                out += " " + markdown_cell(h) + " |";
            out += "\n|";
            for (std::size_t i = 0; i < t.header.size(); ++i)
                out += " --- |";
            out += "\n";
            for (const auto& row : t.rows) {
                out += "|";
                for (const std::string& cell : row)
                    out += " " + markdown_cell(cell) + " |";
                out += "\n";
            }
            if (!t.note.empty())
                out += fmt::format("\n{}\n", markdown_cell(t.note));
        }
        if (!s.code.empty())
            out += fmt::format("\n````json\n{}````\n", s.code);
    }
    return out + fmt::format("\n---\n\n{}\n", markdown_cell(report.footer));
}

std::string to_csv(const Report& report)
{
    std::string out;
    for (const ReportSection& s : report.sections)
        for (const ReportTable& t : s.tables) {
            out += csv_line({s.title, t.title});
            out += csv_line(t.header);
            for (const auto& row : t.rows)
                out += csv_line(row);
            out += "\n";
        }
    return out;
}

} // namespace ridgepoint

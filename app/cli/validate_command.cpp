// validate ROWS.csv|DIR...: published measurements against their predictions; --page writes the page "Accuracy".

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/cli/text_table.h"
#include "model/calibration/validate.h"
#include "model/report/accuracy_page.h"
#include "model/report/evaluation_json.h"
#include "model/units/format.h"

namespace ridgepoint::cli {
namespace {

using Json = nlohmann::ordered_json;

struct Arguments {
    std::vector<std::string> files;
    SpecArguments specs;
    bool json = false;
    std::string rows;
    std::string page;
    bool record = false;
};

Json number(double v) { return std::isfinite(v) ? Json(v) : Json(nullptr); }

Json score_json(const Score& s)
{
    return {{"predicted", s.count}, {"median_abs_error", number(s.median_abs_error)}, {"p90_abs_error", number(s.p90_abs_error)}, {"bias", number(s.bias)},
        {"within_10", number(s.within_10)}, {"within_20", number(s.within_20)}, {"within_50", number(s.within_50)},
        {"rank_correlation", number(s.rank_correlation)}, {"group_rank_correlation", number(s.group_rank)}, {"groups", s.groups}, {"bands", s.bands},
        {"inside_band", s.inside_band}, {"intervals", s.intervals}, {"interval_coverage", number(s.coverage())}};
}

Json quantity_json(const QuantityScore& q)
{
    Json out = {{"file", q.file}, {"kind", q.kind}, {"quantity", q.quantity}, {"rows", q.rows}, {"predicted", q.predicted}, {"not_expressed", q.not_expressed}};
    const Json total = score_json(q.total);
    for (const auto& [key, figure] : total.items())
        if (key != "predicted") // has its place above
            out[key] = figure;
    Json strata = Json::object();
    for (const auto& [group, values] : q.strata) {
        strata[group] = Json::object();
        for (const auto& [value, score] : values)
            strata[group][value] = score_json(score);
    }
    out["strata"] = strata;
    return out;
}

std::string share(double fraction) { return std::isfinite(fraction) ? fmt::format("{:.0f} %", 100.0 * fraction) : "-"; }
std::string correlation(double r) { return std::isfinite(r) ? fmt::format("{:.3f}", r) : "-"; }

void print_quantity(const QuantityScore& q)
{
    fmt::print("{}: {} ({})\n", q.file, q.quantity, q.kind);
    std::vector<std::string> header = {"", ">rows", ">median |error|", ">90th pct", ">bias", ">in 10 %", ">in 20 %", ">in 50 %", ">rank corr."};
    if (q.total.groups > 0)
        header.emplace_back(">in group");
    if (q.total.intervals > 0)
        header.emplace_back(">in interval");
    TextTable t(header);
    const auto add = [&](const std::string& name, const Score& s) {
        std::vector<std::string> cells = {name, std::to_string(s.count), format_percent(s.median_abs_error), format_percent(s.p90_abs_error), format_percent(s.bias),
            share(s.within_10), share(s.within_20), share(s.within_50), correlation(s.rank_correlation)};
        if (q.total.groups > 0)
            cells.push_back(correlation(s.group_rank));
        if (q.total.intervals > 0)
            cells.push_back(share(s.coverage()));
        t.add(std::move(cells));
    };
    add("all predicted", q.total);
    for (const auto& [group, values] : q.strata) {
        t.rule();
        for (const auto& [value, score] : values)
            add(fmt::format("{}: {}", group, value.empty() ? "(none)" : value), score);
    }
    fmt::print("{}", t.text());
    if (q.total.bands > 0)
        fmt::print("  {} rows do not state their whole configuration and are predicted as a band; {} of them measure inside it.\n", q.total.bands, q.total.inside_band);
    fmt::print("  {} of {} rows predicted", q.predicted, q.rows);
    if (q.not_expressed.empty()) {
        fmt::print(".\n\n");
        return;
    }
    fmt::print("; not expressed:\n");
    for (const auto& [reason, count] : q.not_expressed)
        fmt::print("    {:5}  {}\n", count, reason);
    fmt::print("\n");
}

// Folders become the measurements in them; what is no measurement is said, not dropped in silence.
Expected<std::vector<std::string>> files_of(const std::vector<std::string>& named)
{
    std::vector<std::string> files;
    for (const std::string& name : named) {
        std::error_code ec;
        if (!std::filesystem::is_directory(name, ec)) {
            files.push_back(name);
            continue;
        }
        Expected<MeasurementFolder> folder = find_measurements(name);
        if (!folder)
            return folder.error();
        for (const std::string& other : folder->unknown)
            fmt::print(stderr, "ridgepoint-cli: {}: the header fits no kind of measurement; left out\n", other);
        files.insert(files.end(), folder->files.begin(), folder->files.end());
    }
    return files;
}

// Of the run, or of SOURCE_DATE_EPOCH (reproducible-builds.org) where that is set.
std::string date_of_run()
{
    std::chrono::sys_seconds now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
    if (const char* fixed = std::getenv("SOURCE_DATE_EPOCH")) // NOLINT(concurrency-mt-unsafe): read before threads start
        now = std::chrono::sys_seconds(std::chrono::seconds(std::atoll(fixed)));
    const std::chrono::year_month_day day(std::chrono::floor<std::chrono::days>(now));
    return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(day.year()), static_cast<unsigned>(day.month()), static_cast<unsigned>(day.day()));
}

Status write_page(const Arguments& a, AccuracyPage page)
{
    if (Status s = read_accuracy_companions(a.page, page); !s)
        return s;
    if (a.record) {
        record_accuracy(page.history, RIDGEPOINT_VERSION, date_of_run(), headlines(page.files));
        if (Status s = write_output(accuracy_history_file(a.page), accuracy_history_text(page.history)); !s)
            return s;
    }
    return write_output(a.page, accuracy_markdown(page));
}

Status check(const Arguments& a, std::size_t files)
{
    if (!a.rows.empty() && files > 1)
        return bad_input("--rows takes the rows of one file, but several are given");
    if (a.record && a.page.empty())
        return bad_input("--record adds to the history of a page, but there is no --page");
    if (a.page == "-")
        return bad_input("the page has companion files beside it, so it needs a name", {"--page", 0, {}}, "-", "a file such as accuracy.md");
    return Done{};
}

int run(const Arguments& a)
{
    Expected<SpecStore> specs = load_specs(a.specs);
    if (!specs)
        return fail(specs.error(), a.json);
    const Expected<std::vector<std::string>> files = files_of(a.files);
    if (!files)
        return fail(files.error(), a.json);
    if (Status s = check(a, files->size()); !s)
        return fail(s.error(), a.json);
    Json out = {{"kind", "validate"}, {"version", 1}, {"files", Json::array()}};
    AccuracyPage page;
    for (const std::string& file : *files) {
        Expected<FileValidation> v = validate_file(file, *specs);
        if (!v)
            return fail(v.error(), a.json);
        for (const QuantityScore& q : v->quantities) {
            if (a.json)
                out["files"].push_back(quantity_json(q));
            else if (a.page.empty())
                print_quantity(q);
        }
        if (!a.rows.empty())
            if (Status s = write_output(a.rows, rows_with_predictions(*v)); !s)
                return fail(s.error(), a.json);
        if (!a.page.empty())
            page.files.push_back(std::move(*v));
    }
    if (!a.page.empty()) {
        if (Status s = write_page(a, std::move(page)); !s)
            return fail(s.error(), a.json);
        if (!a.json)
            fmt::print("{}\n", a.page);
    }
    if (a.json)
        fmt::print("{}\n", json_text(out));
    return done;
}

} // namespace

void add_validate_command(CLI::App& app, int& status)
{
    CLI::App* command = app.add_subcommand("validate", "Predict published measurements and print the error by stratum");
    auto arguments = std::make_shared<Arguments>();
    command->add_option("ROWS", arguments->files, "CSV files of measurements, or folders of them")->required()->type_name("");
    command->add_option("--rows", arguments->rows, "Write each row with its prediction as CSV to a file, or - for standard output")->type_name("FILE");
    command->add_option("--page", arguments->page, "Write the page \"Accuracy\" as Markdown, with the notes and the history beside it")->type_name("FILE");
    command->add_flag("--record", arguments->record, "Add the medians to the history of the page, under this version and date");
    command->add_flag("--json", arguments->json, "Print JSON (specs/schema/validate-output.schema.json)");
    add_spec_arguments(*command, arguments->specs);
    command->callback([arguments, &status] { status = run(*arguments); });
}

} // namespace ridgepoint::cli

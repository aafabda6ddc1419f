// validate ROWS.csv...: published measurements against their predictions.

#include <cmath>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/cli/text_table.h"
#include "model/calibration/validate.h"
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
};

Json number(double v) { return std::isfinite(v) ? Json(v) : Json(nullptr); }

Json score_json(const Score& s)
{
    return {{"predicted", s.count}, {"median_abs_error", number(s.median_abs_error)}, {"p90_abs_error", number(s.p90_abs_error)}, {"bias", number(s.bias)},
        {"rank_correlation", number(s.rank_correlation)}, {"bands", s.bands}, {"inside_band", s.inside_band}};
}

Json quantity_json(const QuantityScore& q)
{
    Json out = {{"file", q.file}, {"kind", q.kind}, {"quantity", q.quantity}, {"rows", q.rows}, {"predicted", q.predicted}, {"not_expressed", q.not_expressed}};
    const Json total = score_json(q.total);
    for (const char* key : {"median_abs_error", "p90_abs_error", "bias", "rank_correlation", "bands", "inside_band"})
        out[key] = total[key];
    Json strata = Json::object();
    for (const auto& [group, values] : q.strata) {
        strata[group] = Json::object();
        for (const auto& [value, score] : values)
            strata[group][value] = score_json(score);
    }
    out["strata"] = strata;
    return out;
}

std::vector<std::string> score_cells(const Score& s)
{
    return {std::to_string(s.count), format_percent(s.median_abs_error), format_percent(s.p90_abs_error), format_percent(s.bias),
        std::isfinite(s.rank_correlation) ? fmt::format("{:.3f}", s.rank_correlation) : "-"};
}

void print_quantity(const QuantityScore& q)
{
    fmt::print("{}: {} ({})\n", q.file, q.quantity, q.kind);
    TextTable t({"", ">rows", ">median |error|", ">90th pct", ">bias", ">rank corr."});
    const auto add = [&](const std::string& name, const Score& s) {
        std::vector<std::string> cells = score_cells(s);
        cells.insert(cells.begin(), name);
        t.add(std::move(cells));
    };
    add("all predicted", q.total);
    for (const auto& [group, values] : q.strata) {
        t.rule();
        for (const auto& [value, score] : values)
            add(fmt::format("{} {}", group, value.empty() ? "(none)" : value), score);
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

int run(const Arguments& a)
{
    Expected<SpecStore> specs = load_specs(a.specs);
    if (!specs)
        return fail(specs.error(), a.json);
    if (!a.rows.empty() && a.files.size() > 1)
        return fail(bad_input("--rows takes the rows of one file, but several are given"), a.json);
    Json out = {{"kind", "validate"}, {"version", 1}, {"files", Json::array()}};
    for (const std::string& file : a.files) {
        Expected<FileValidation> v = validate_file(file, *specs);
        if (!v)
            return fail(v.error(), a.json);
        for (const QuantityScore& q : v->quantities) {
            if (a.json)
                out["files"].push_back(quantity_json(q));
            else
                print_quantity(q);
        }
        if (!a.rows.empty())
            if (Status s = write_output(a.rows, rows_with_predictions(*v)); !s)
                return fail(s.error(), a.json);
    }
    if (a.json)
        fmt::print("{}\n", out.dump(2, ' ', false, Json::error_handler_t::replace));
    return done;
}

} // namespace

void add_validate_command(CLI::App& app, int& status)
{
    CLI::App* command = app.add_subcommand("validate", "Predict published measurements and print the error by stratum");
    auto arguments = std::make_shared<Arguments>();
    command->add_option("ROWS", arguments->files, "CSV files of measurements")->required()->type_name("");
    command->add_option("--rows", arguments->rows, "Write each row with its prediction as CSV to a file, or - for standard output")->type_name("FILE");
    command->add_flag("--json", arguments->json, "Print JSON (specs/schema/validate-output.schema.json)");
    add_spec_arguments(*command, arguments->specs);
    command->callback([arguments, &status] { status = run(*arguments); });
}

} // namespace ridgepoint::cli

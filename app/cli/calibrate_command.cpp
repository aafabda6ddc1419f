// calibrate PLAN FILE...: factors of the user's own machine, fitted to the user's own measurements.

#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/cli/measured_files.h"
#include "app/cli/measured_text.h"
#include "app/cli/text_table.h"
#include "model/report/measured_tables.h"

namespace ridgepoint::cli {
namespace {

using Json = nlohmann::ordered_json;

struct Arguments {
    PlanArguments plan;
    std::vector<std::string> files;
    std::string out;
    std::string mapping; // of columns
    bool json = false;
};

bool is_step(const CalibratedFactor& f) { return f.part == MeasuredPart::step; }
void print_result(const Plan& plan, const CalibrationResult& r)
{
    fmt::print("{}\n\n", plan.name);
    print_table(factor_table(r));
    print_table(calibration_rows(r));
    for (const std::string& n : r.notes)
        fmt::print("{}", wrapped("Note: " + n, "  "));
}

Json result_json(const CalibrationResult& r)
{
    Json factors = Json::array(), rows = Json::array();
    for (const CalibratedFactor& f : r.moved)
        factors.push_back({{"part", name_of(f.part)}, {"unit", is_step(f) ? "s" : "1"}, {"before", f.before}, {"after", f.after}, {"low", f.low}, {"high", f.high}, {"determined", f.determined}});
    for (const CalibrationResult::Row& x : r.rows)
        rows.push_back({{"what", x.observation.what}, {"file", x.observation.file}, {"measured_s", x.observation.measured.value()}, {"before_s", x.before.value()}, {"after_s", x.after.value()}});
    const auto error = [](const CalibrationError& e) { return Json{{"median", e.median}, {"p90", e.p90}, {"bias", e.bias}}; };
    return {{"kind", "calibrate"}, {"version", 1}, {"gpu", r.factors.gpu}, {"fabric", r.factors.fabric}, {"factors", factors}, {"error_before", error(r.before)}, {"error_after", error(r.after)},
        {"rows", rows}, {"notes", r.notes}};
}

int run(const Arguments& a)
{
    Expected<LoadedPlan> loaded = load(a.plan);
    if (!loaded)
        return fail(loaded.error(), a.json);
    std::vector<Measured> measured;
    Expected<MeasuredFiles> reader = MeasuredFiles::with_mapping(a.mapping);
    if (!reader)
        return fail(reader.error(), a.json);
    const auto keep = [&](std::vector<Measured> found) { std::move(found.begin(), found.end(), std::back_inserter(measured)); };
    if (const Status read = reader->each(a.files, keep); !read)
        return fail(read.error(), a.json);
    std::vector<const Measured*> files;
    for (const Measured& m : measured)
        files.push_back(&m);
    Expected<CalibrationResult> result = calibrate(loaded->plan, loaded->specs, files);
    if (!result)
        return fail(located(result.error(), a.plan), a.json);
    for (const MeasuredFiles::LeftOut& l : reader->left_out())
        result->notes.push_back(fmt::format("{} was left out: {}", l.file, l.reason));
    if (!a.out.empty())
        if (Status s = write_output(a.out, to_text(with_factors(loaded->plan, result->factors))); !s)
            return fail(s.error(), a.json);
    if (a.json)
        fmt::print("{}\n", json_text(result_json(*result)));
    else if (a.out != "-")
        print_result(loaded->plan, *result);
    return done;
}

} // namespace

void add_calibrate_command(CLI::App& app, int& status)
{
    CLI::App* command = app.add_subcommand("calibrate", "Fit at most six factors to your own measurements: what moved, by how much, and the error before and after");
    auto arguments = std::make_shared<Arguments>();
    add_plan_arguments(*command, arguments->plan);
    command->add_option("FILE", arguments->files, "Measured files of the plan's hardware; folders of them")->required()->type_name("");
    command->add_option("-o,--out", arguments->out, "Write the plan with the factors to this file (- for standard output); without it nothing is changed")->type_name("FILE");
    command->add_option("--mapping", arguments->mapping, "What the columns of a table of no known tool mean, as the window saves it")->type_name("FILE");
    command->add_flag("--json", arguments->json, "Print JSON");
    command->callback([arguments, &status] { status = run(*arguments); });
}

} // namespace ridgepoint::cli

#pragma once
// What the sub-commands share: how they are added, how they read a plan, how they report a mistake.

#include <functional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "model/project/plan.h"
#include "model/specs/store.h"

namespace ridgepoint::cli {

// Exit status, as documented: 0 done, 1 the plan is not feasible (or a check fails), 2 the input is wrong.
inline constexpr int done = 0;
inline constexpr int not_feasible = 1;
inline constexpr int wrong_input = 2;

// One file per sub-command; each adds itself and stores its exit status.
void add_plan_command(CLI::App& app, int& status);
void add_roofline_command(CLI::App& app, int& status);
void add_load_command(CLI::App& app, int& status);
void add_fleet_command(CLI::App& app, int& status);
void add_rl_command(CLI::App& app, int& status);
void add_run_command(CLI::App& app, int& status);
void add_capacity_command(CLI::App& app, int& status);
void add_trace_command(CLI::App& app, int& status);
void add_search_command(CLI::App& app, int& status);
void add_sweep_command(CLI::App& app, int& status);
void add_sensitivity_command(CLI::App& app, int& status);
void add_compare_command(CLI::App& app, int& status);
void add_calibrate_command(CLI::App& app, int& status);
void add_validate_command(CLI::App& app, int& status);
void add_fit_command(CLI::App& app, int& status);
void add_report_command(CLI::App& app, int& status);
void add_import_command(CLI::App& app, int& status);
void add_launch_command(CLI::App& app, int& status);
void add_plan_from_command(CLI::App& app, int& status);
void add_watch_command(CLI::App& app, int& status);
void add_specs_command(CLI::App& app, int& status);
void add_fields_command(CLI::App& app, int& status);
void add_help_command(CLI::App& app, int& status);

struct SpecArguments {
    std::vector<std::string> overlays; // --specs
};
void add_spec_arguments(CLI::App& command, SpecArguments& arguments);
Expected<SpecStore> load_specs(const SpecArguments& arguments, const std::string& project_directory = {});

struct PlanArguments {
    std::string file; // PLAN
    std::vector<std::string> edits; // --set
    bool current_specs = false; // --current-specs
    SpecArguments specs;
};
void add_plan_arguments(CLI::App& command, PlanArguments& arguments);

struct LoadedPlan {
    Plan plan;
    SpecStore specs;
};
Expected<LoadedPlan> load(const PlanArguments& arguments);
// Gives an error that only knows the plan's field the file and line of that field.
Error located(Error error, const PlanArguments& arguments);

// Names in plans and traces may hold bytes that are no UTF-8; they are replaced.
std::string json_text(const nlohmann::ordered_json& json);

// What --json and --csv ask for: CSV to a file or, as the only output, to standard output; JSON or else the table.
struct OutputArguments {
    bool json = false;
    std::string csv;
};
struct Answer { // made only where asked for
    std::function<std::string()> csv;
    std::function<nlohmann::ordered_json()> json;
    std::function<void()> print;
};
// Returns `status`, or that of a file that can't be written.
int give(const OutputArguments& arguments, const Answer& answer, int status);

// Prints the error (to stderr; with `json` as an object to stdout too) and returns the exit status it deserves.
int fail(const Error& error, bool json = false);

// Writes to a file, or to standard output if `file` is empty or "-". Files appear whole or not at all; devices and pipes
// are written to in place.
Status write_output(const std::string& file, const std::string& text);

} // namespace ridgepoint::cli

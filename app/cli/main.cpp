// ridgepoint-cli: everything that the desktop computes, on the command line. One file per sub-command.

#include <algorithm>
#include <cstdio>
#include <exception>
#include <new>

#include <fmt/format.h>

#include "app/cli/command.h"

namespace {

std::string commands_of(const CLI::App& app)
{
    std::string out;
    for (const CLI::App* command : app.get_subcommands({}))
        out += (out.empty() ? "" : ", ") + command->get_name();
    return out;
}

} // namespace

int main(int argc, char** argv)
{
    using namespace ridgepoint::cli;
    try {
        CLI::App app("Capacity planning and roofline analysis of foundation-model training and inference on AWS GPUs.\n"
                     "Exit status: 0 done, 1 the plan is not feasible, 2 the input is wrong.");
        app.name("ridgepoint-cli");
        app.set_version_flag("--version", "ridgepoint-cli " RIDGEPOINT_VERSION, "Print the version and end");
        app.require_subcommand(1);
        app.failure_message([](const CLI::App* a, const CLI::Error& e) {
            return "ridgepoint-cli: " + std::string(e.what()) + "\nTry: " + (a->get_parent() ? "ridgepoint-cli " : "") + a->get_name() + " --help\n";
        });
        int status = done;
        add_plan_command(app, status);
        add_roofline_command(app, status);
        add_search_command(app, status);
        add_sweep_command(app, status);
        add_sensitivity_command(app, status);
        add_compare_command(app, status);
        add_load_command(app, status);
        add_fleet_command(app, status);
        add_rl_command(app, status);
        add_run_command(app, status);
        add_capacity_command(app, status);
        add_trace_command(app, status);
        add_calibrate_command(app, status);
        add_validate_command(app, status);
        add_fit_command(app, status);
        add_report_command(app, status);
        add_import_command(app, status);
        add_launch_command(app, status);
        add_plan_from_command(app, status);
        add_watch_command(app, status);
        add_specs_command(app, status);
        add_fields_command(app, status);
        add_help_command(app, status);
        const auto named = [&](const CLI::App* command) { return command->get_name() == argv[1]; };
        if (argc > 1 && argv[1][0] != '-' && std::ranges::none_of(app.get_subcommands({}), named)) {
            fmt::print(stderr, "ridgepoint-cli: {}\n", ridgepoint::bad_input("there is no such command", {}, argv[1], commands_of(app)).text());
            return wrong_input;
        }
        try {
            app.parse(argc, argv);
        } catch (const CLI::ParseError& e) {
            return app.exit(e) == 0 ? done : wrong_input;
        }
        if (std::fflush(stdout) != 0)
            return wrong_input;
        return status;
    } catch (const std::bad_alloc&) {
        fmt::print(stderr, "ridgepoint-cli: out of memory\n");
    } catch (const std::exception& e) {
        fmt::print(stderr, "ridgepoint-cli: {}\n", e.what());
    }
    return wrong_input;
}

#include "app/cli/command.h"

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "model/project/fields.h"
#include "model/report/evaluation_json.h"
#include "model/specs/json_document.h"

namespace ridgepoint::cli {
namespace {

namespace fs = std::filesystem;

// specs/ beside the plan, unless it is the built-in catalogue itself.
std::string project_of(const std::string& plan_file)
{
    std::error_code ec;
    const fs::path folder = fs::absolute(plan_file, ec).parent_path();
    if (!ec && fs::equivalent(folder / "specs", find_builtin_specs(), ec))
        return {};
    return folder.string();
}

bool write_to(std::FILE* out, const std::string& text)
{
    return std::fwrite(text.data(), 1, text.size(), out) == text.size() && std::fflush(out) == 0;
}

Status apply_edit(Plan& plan, const std::string& edit)
{
    const std::size_t equals = edit.find('=');
    if (equals == std::string::npos || edit.empty() || edit.front() != '/')
        return bad_input("an edit is a field and its value", Place{"--set", 0, {}}, edit, "for example /layout/tp=4; see `ridgepoint-cli fields`");
    Status s = set_field(plan, edit.substr(0, equals), edit.substr(equals + 1));
    if (s)
        return s;
    Error e = s.error();
    e.place.file = "--set";
    return e;
}

} // namespace

void add_spec_arguments(CLI::App& command, SpecArguments& arguments)
{
    command.add_option("--specs", arguments.overlays, "Folder of specs that go before the installed ones; repeatable")->type_name("DIR");
}

Expected<SpecStore> load_specs(const SpecArguments& arguments, const std::string& project_directory)
{
    Expected<std::vector<SpecDirectory>> layers = default_spec_layers(project_directory);
    if (!layers)
        return layers.error();
    for (const std::string& overlay : arguments.overlays)
        layers->push_back({overlay, "user"});
    return SpecStore::load(*layers);
}

void add_plan_arguments(CLI::App& command, PlanArguments& arguments)
{
    command.add_option("PLAN", arguments.file, "Plan file (*.ridgepoint)")->required()->type_name("");
    command.add_option("--set", arguments.edits, "Change a field before computing; repeatable, in order")->type_name("/FIELD=VALUE");
    command.add_flag("--current-specs", arguments.current_specs, "Ignore the specs saved in the plan");
    add_spec_arguments(command, arguments.specs);
}

Expected<LoadedPlan> load(const PlanArguments& arguments)
{
    Expected<Plan> plan = load_plan(arguments.file);
    if (!plan)
        return plan.error();
    if (arguments.current_specs)
        plan->snapshots.clear();
    for (const std::string& edit : arguments.edits)
        if (Status s = apply_edit(*plan, edit); !s)
            return s.error();
    Expected<SpecStore> specs = load_specs(arguments.specs, project_of(arguments.file));
    if (!specs)
        return specs.error();
    return LoadedPlan{std::move(*plan), std::move(*specs)};
}

Error located(Error error, const PlanArguments& arguments)
{
    if (!error.place.file.empty() || error.place.pointer.empty())
        return error;
    for (const std::string& edit : arguments.edits)
        if (edit.starts_with(error.place.pointer + "=")) {
            error.place.file = "--set";
            return error;
        }
    if (const Expected<JsonDocument> document = load_json(arguments.file))
        error.place = document->place_of(error.place.pointer);
    return error;
}

std::string json_text(const nlohmann::ordered_json& json) { return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace); }

int give(const OutputArguments& arguments, const Answer& answer, int status)
{
    if (!arguments.csv.empty()) {
        if (Status s = write_output(arguments.csv, answer.csv()); !s)
            return fail(s.error(), arguments.json);
        if (!arguments.json)
            return status;
    }
    if (arguments.json)
        fmt::print("{}\n", json_text(answer.json()));
    else
        answer.print();
    return status;
}

int fail(const Error& error, bool json)
{
    std::fflush(stdout);
    fmt::print(stderr, "ridgepoint-cli: {}\n", error.text());
    if (json)
        fmt::print("{}\n", json_text(error_to_json(error)));
    return error.kind == ErrorKind::infeasible ? not_feasible : wrong_input;
}

Status write_output(const std::string& file, const std::string& text)
{
    if (file.empty() || file == "-")
        return write_to(stdout, text) ? Status(Done{}) : Status(io_error("cannot write to standard output", ""));
    std::error_code ec;
    const fs::path target = fs::exists(file, ec) ? fs::canonical(file, ec) : fs::path(file); // a link stays a link
    if (ec)
        return io_error(fmt::format("cannot write here: {}", ec.message()), file);
    // A device or a pipe is written to, never replaced: renaming a file onto /dev/null would destroy it.
    const fs::file_status old = fs::status(target, ec);
    const bool in_place = fs::exists(old) && !fs::is_regular_file(old);
    const fs::path path = in_place ? target : target.parent_path() / fmt::format(".{}.writing", target.filename().string());
    std::FILE* out = std::fopen(path.string().c_str(), "wb");
    if (out == nullptr)
        return io_error(fmt::format("cannot write here: {}", std::generic_category().message(errno)), file);
    const bool written = write_to(out, text);
    const bool ok = std::fclose(out) == 0 && written;
    if (ok && in_place)
        return Done{};
    std::error_code failed;
    if (ok) {
        if (fs::exists(old))
            fs::permissions(path, old.permissions(), failed);
        failed.clear();
        fs::rename(path, target, failed);
        if (!failed)
            return Done{};
    }
    if (!in_place)
        fs::remove(path, ec);
    return io_error(fmt::format("cannot write: {}", failed ? failed.message() : "the disk is full or the file is gone"), file);
}

} // namespace ridgepoint::cli

// help [TOPIC]: the program's own pages, or the options of a command.

#include <fstream>
#include <memory>
#include <sstream>

#include <fmt/format.h>

#include "app/cli/command.h"

namespace ridgepoint::cli {
namespace {

constexpr const char* pages[] = {"accuracy"};

int print_page(const std::string& topic)
{
    const std::string file = find_help_page(topic);
    std::ifstream in(file, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    if (file.empty() || !in)
        return fail(io_error("the help page is not installed", file.empty() ? "help/" + topic + ".md" : file));
    fmt::print("{}", text.str());
    return done;
}

int run(const CLI::App& app, const std::string& topic)
{
    if (topic.empty()) {
        fmt::print("{}\nPages of help (ridgepoint-cli help PAGE):\n", app.help());
        for (const char* page : pages)
            fmt::print("  {}\n", page);
        return done;
    }
    std::string known;
    for (const char* page : pages) {
        if (topic == page)
            return print_page(topic);
        known += fmt::format("{}{}", known.empty() ? "" : ", ", page);
    }
    for (const CLI::App* command : app.get_subcommands({})) {
        if (topic == command->get_name()) {
            fmt::print("{}", command->help());
            return done;
        }
        known += ", " + command->get_name();
    }
    return fail(bad_input("there is no help on this", {}, topic, known));
}

} // namespace

void add_help_command(CLI::App& app, int& status)
{
    CLI::App* command = app.add_subcommand("help", "Print a page of help (accuracy) or the options of a command");
    auto topic = std::make_shared<std::string>();
    command->add_option("TOPIC", *topic, "Page or command")->type_name("");
    command->callback([&app, topic, &status] { status = run(app, *topic); });
}

} // namespace ridgepoint::cli

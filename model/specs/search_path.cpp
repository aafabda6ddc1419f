#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "model/specs/store.h"

namespace ridgepoint {
namespace {

namespace fs = std::filesystem;

std::string environment(const char* name)
{
    const char* value = std::getenv(name); // NOLINT(concurrency-mt-unsafe): read before threads start
    return value ? value : "";
}

bool folder_exists(const fs::path& path)
{
    std::error_code ec;
    return fs::is_directory(path, ec);
}

// share/ridgepoint beside the folder of the program; empty where the system does not say which program runs.
fs::path installed_data()
{
    std::error_code ec;
    const fs::path program = fs::read_symlink("/proc/self/exe", ec);
    return ec ? fs::path() : program.parent_path().parent_path() / "share" / "ridgepoint";
}

} // namespace

std::string find_help_page(const std::string& name)
{
    std::vector<fs::path> folders;
    if (const fs::path data = installed_data(); !data.empty())
        folders.push_back(data / "help");
#ifdef RIDGEPOINT_SOURCE_SPECS
    folders.push_back(fs::path(RIDGEPOINT_SOURCE_SPECS).parent_path() / "resources" / "help");
#endif
    std::error_code ec;
    for (const fs::path& folder : folders)
        if (const fs::path page = folder / (name + ".md"); fs::is_regular_file(page, ec))
            return page.string();
    return {};
}

std::string find_builtin_specs()
{
    if (const std::string set = environment("RIDGEPOINT_SPECS"); !set.empty())
        return set;
    if (const fs::path data = installed_data(); !data.empty() && folder_exists(data / "specs"))
        return (data / "specs").string();
#ifdef RIDGEPOINT_SOURCE_SPECS
    return RIDGEPOINT_SOURCE_SPECS;
#else
    return {};
#endif
}

Expected<std::vector<SpecDirectory>> default_spec_layers(const std::string& project_directory)
{
    std::vector<SpecDirectory> layers;
    const std::string builtin = find_builtin_specs();
    if (builtin.empty() || !folder_exists(builtin)) {
        Error e = io_error("the built-in specs are not there", builtin);
        e.hint = "Set RIDGEPOINT_SPECS to the folder that holds accelerators/, instances/ and models/";
        return e;
    }
    layers.push_back({builtin, "built-in"});
    layers.push_back({"/etc/ridgepoint/specs", "system"});
    if (const std::string config = environment("XDG_CONFIG_HOME"); !config.empty())
        layers.push_back({(fs::path(config) / "ridgepoint" / "specs").string(), "user"});
    else if (const std::string home = environment("HOME"); !home.empty())
        layers.push_back({(fs::path(home) / ".config" / "ridgepoint" / "specs").string(), "user"});
    if (!project_directory.empty())
        layers.push_back({(fs::path(project_directory) / "specs").string(), "project"});
    std::vector<SpecDirectory> present;
    for (SpecDirectory& layer : layers)
        if (folder_exists(layer.path))
            present.push_back(std::move(layer));
    return present;
}

Expected<SpecStore> SpecStore::load_default(const std::string& project_directory)
{
    const Expected<std::vector<SpecDirectory>> layers = default_spec_layers(project_directory);
    if (!layers)
        return layers.error();
    return load(*layers);
}

} // namespace ridgepoint

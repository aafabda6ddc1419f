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

} // namespace

std::string find_builtin_specs()
{
    if (const std::string set = environment("RIDGEPOINT_SPECS"); !set.empty())
        return set;
    std::error_code ec;
    const fs::path program = fs::read_symlink("/proc/self/exe", ec);
    if (!ec) {
        const fs::path installed = program.parent_path().parent_path() / "share" / "ridgepoint" / "specs";
        if (folder_exists(installed))
            return installed.string();
    }
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

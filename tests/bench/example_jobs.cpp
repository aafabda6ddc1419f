#include "tests/bench/example_jobs.h"

#include <algorithm>
#include <filesystem>

#include "model/project/resolve.h"

namespace ridgepoint::bench {
namespace {

namespace fs = std::filesystem;

const fs::path specs_folder = fs::path(RIDGEPOINT_SOURCE_DIR) / "specs";

} // namespace

Expected<SpecStore> source_specs() { return SpecStore::load({{specs_folder.string(), "built-in"}}); }

Expected<std::vector<Example>> examples(const SpecStore& specs)
{
    std::vector<fs::path> files;
    std::error_code ec;
    for (const fs::directory_entry& entry : fs::directory_iterator(specs_folder / "examples", ec))
        if (entry.path().extension() == ".ridgepoint")
            files.push_back(entry.path());
    if (ec)
        return io_error("there are no example plans: " + ec.message(), (specs_folder / "examples").string());
    std::ranges::sort(files);
    std::vector<Example> found;
    for (const fs::path& file : files) {
        Expected<Plan> plan = load_plan(file.string());
        if (!plan)
            return plan.error();
        Expected<Job> job = resolve(*plan, specs);
        if (!job)
            return job.error();
        found.push_back({file.stem().string(), std::move(*plan), std::move(*job)});
    }
    return found;
}

} // namespace ridgepoint::bench

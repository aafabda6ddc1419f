#include "model/fitting/measurements.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include "model/calibration/validate.h"

namespace ridgepoint {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 12> fitted_kinds = {"gemm", "moe_gemm", "attention_prefill", "attention_decode", "mla_decode", "collectives_node",
    "collectives", "moe_dispatch", "moe_dispatch_low_latency", "training", "serving", "serving_offline"};

std::string names_of_kinds()
{
    std::string out;
    for (const std::string_view k : fitted_kinds)
        out += (out.empty() ? "" : ", ") + std::string(k);
    return out;
}

} // namespace

Expected<std::vector<MeasurementFile>> read_measurements(const std::string& folder)
{
    std::error_code ec;
    if (!fs::is_directory(folder, ec))
        return bad_input("There is no such folder of measurements", {folder, 0, {}});
    std::vector<fs::path> files;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, ec))
        if (entry.path().extension() == ".csv")
            files.push_back(entry.path());
    if (ec)
        return io_error("The folder cannot be read: " + ec.message(), folder);
    std::ranges::sort(files);
    std::vector<MeasurementFile> out;
    for (const fs::path& file : files) {
        Expected<CsvTable> table = read_csv(file.string());
        if (!table)
            return table.error();
        std::string kind = measurement_kind(*table);
        if (std::ranges::find(fitted_kinds, kind) != fitted_kinds.end())
            out.push_back({std::move(kind), std::move(*table)});
    }
    if (out.empty())
        return bad_input("The folder has no measurements of kernels or collectives", {folder, 0, {}}, {}, "CSV files with the columns of one of: " + names_of_kinds());
    return out;
}

} // namespace ridgepoint

#pragma once
// A folder of published measurements, each file recognised by its header as `validate` does.

#include <string>
#include <vector>

#include "model/base/error.h"
#include "model/calibration/csv.h"

namespace ridgepoint {

struct MeasurementFile {
    std::string kind; // "gemm", "collectives_node", ...
    CsvTable table;
};

// Every *.csv of the folder whose kind is one that laws are fitted to, sorted by name; other files are left alone. Errors:
// no such folder, a malformed table, nothing to fit.
Expected<std::vector<MeasurementFile>> read_measurements(const std::string& folder);

} // namespace ridgepoint

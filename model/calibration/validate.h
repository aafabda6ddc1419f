#pragma once
// Predicts published measurements row by row and scores the error. A file is recognised by its header, so that a file of
// the same columns from elsewhere can be scored too. A row that cannot be expressed is counted under its reason; none is
// dropped in silence.

#include <map>
#include <string>
#include <vector>

#include "model/base/error.h"
#include "model/base/progress.h"
#include "model/calibration/csv.h"
#include "model/calibration/score.h"
#include "model/specs/store.h"

namespace ridgepoint {

struct RowOutcome {
    int line = 0;
    std::vector<Prediction> predictions;
    std::string not_expressed; // empty: predicted
};

// One kind of measured file: knows its columns and how to predict a row.
class RowPredictor {
public:
    virtual ~RowPredictor() = default;
    [[nodiscard]] virtual std::string kind() const = 0; // "training"
    [[nodiscard]] virtual std::vector<std::string> quantities() const = 0; // measured columns
    virtual RowOutcome predict(const CsvRow& row) = 0;
};

struct QuantityScore {
    std::string file;
    std::string kind;
    std::string quantity;
    int rows = 0; // that measure it
    int predicted = 0;
    std::map<std::string, int> not_expressed; // reason -> count
    Score total;
    std::map<std::string, Stratum> strata; // "gpu" -> "H100" -> figures
};

struct FileValidation {
    std::string file;
    std::string kind;
    std::vector<QuantityScore> quantities;
    CsvTable table;
    std::vector<RowOutcome> rows; // one per row of the table
};

// "gemm", "collectives", ... by the header; empty: none of them.
std::string measurement_kind(const CsvTable& table);
// Errors: unreadable file, malformed CSV, or a header that fits no kind (the message lists the kinds).
Expected<FileValidation> validate_file(const std::string& file, const SpecStore& specs, const Progress& progress = {});
// The *.csv of a folder whose header fits a kind, by name; the others are `unknown`.
struct MeasurementFolder {
    std::vector<std::string> files;
    std::vector<std::string> unknown;
};
Expected<MeasurementFolder> find_measurements(const std::string& folder);
// The table with a predicted column and the 80 % interval (where one is stated) for each measured one, and
// the reason where there is no prediction.
std::string rows_with_predictions(const FileValidation& validation);

} // namespace ridgepoint

#pragma once
// Measured files as the commands take them: read, with a column mapping where one is given.

#include <optional>
#include <string>
#include <vector>

#include "model/measured/measured.h"
#include "model/measured/tables/column_mapping.h"

namespace ridgepoint::cli {

class MeasuredFiles {
public:
    // `mapping`: a file as the window saves it; empty: none. Errors: those of the file.
    static Expected<MeasuredFiles> with_mapping(const std::string& mapping);

    Expected<std::vector<Measured>> read(const std::string& file);
    // After the last file. Errors: a mapping was given and no table had its columns.
    [[nodiscard]] Status check() const;

private:
    std::string m_file; // of the mapping
    std::optional<ColumnMapping> m_mapping;
    int m_mapped = 0;
    std::vector<std::string> m_seen; // columns of the first table that it did not fit
};

} // namespace ridgepoint::cli

#pragma once
// Measured files as the commands take them: read, with a column mapping where one is given.

#include <functional>
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

    // Each file in turn, and each of a folder. Errors: a file that cannot be read; of a folder, that none of its files can be;
    // a mapping was given and no table had its columns.
    Status each(const std::vector<std::string>& names, const std::function<void(std::vector<Measured>)>& visit);

    struct LeftOut {
        std::string file, reason;
    };
    // Of folders: what is no measurement.
    [[nodiscard]] const std::vector<LeftOut>& left_out() const { return m_left_out; }

private:
    Expected<std::vector<Measured>> read(const std::string& file);
    Status each_of_folder(const std::string& folder, const std::function<void(std::vector<Measured>)>& visit);
    [[nodiscard]] Status check_mapping_used() const;

    std::vector<LeftOut> m_left_out;
    std::string m_file; // of the mapping
    std::optional<ColumnMapping> m_mapping;
    int m_mapped = 0;
    std::vector<std::string> m_seen; // columns of the first table that it did not fit
};

} // namespace ridgepoint::cli

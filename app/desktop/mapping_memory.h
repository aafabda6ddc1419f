#pragma once
// Column mappings that the user gave, one a header, so that the next file with the same columns is read without asking.

#include <optional>
#include <string>
#include <vector>

#include <QString>

#include "views/panels/measured_panel.h"

namespace ridgepoint {

class MappingMemory {
public:
    static QString folder(); // one JSON document a header, as write_mapping makes it
    static std::optional<ColumnMapping> find(const std::vector<std::string>& header); // unreadable ones are as good as none
    static Status keep(const std::vector<std::string>& header, const ColumnMapping& mapping);
    static void forget(const std::vector<std::string>& header);
};

// With the mapping kept for its header, if the file is a table and there is one that can be applied. Any thread.
MeasuredView remembered_view(std::shared_ptr<const Measured> measured);

} // namespace ridgepoint

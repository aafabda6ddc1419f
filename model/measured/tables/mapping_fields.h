#pragma once
// The fields of each target of a column mapping: their units, and the names under which tools state them.

#include <string_view>
#include <vector>

#include "model/measured/tables/column_mapping.h"

namespace ridgepoint {

struct MappingUnit {
    std::string_view name;
    double factor; // to the base unit
};

enum class MappingKind { number, text, instant };

struct MappingField {
    MappingTarget target;
    std::string_view name;
    std::vector<MappingUnit> units; // empty: a bare number or text
    std::vector<std::string_view> names; // of columns: lower case, only letters and digits, without the unit
    bool needed = false; // one of the needed fields of a target has to be there
    MappingKind kind = MappingKind::number;
};

// Any number of columns may be this field.
bool may_repeat(const MappingField& field);

const std::vector<MappingField>& mapping_fields();
const MappingField* mapping_field(MappingTarget target, std::string_view name);

} // namespace ridgepoint

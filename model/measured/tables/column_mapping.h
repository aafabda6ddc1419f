#pragma once
// What the columns of a table mean, so that any CSV can be read as what it measures: a small JSON document that is guessed
// from the header, offered, corrected by the user and saved beside the data.
//
// {"kind": "column-mapping", "version": 1, "target": "training log", "columns": {"Iter": {"is": "step"}, "t": {"is": "step time", "unit": "ms"}}}

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "model/measured/measured.h"

namespace ridgepoint {

enum class MappingTarget { training_log, serving_benchmark, collective_benchmark, metrics };
std::string_view name_of(MappingTarget target); // "training log"

struct ColumnMapping {
    MappingTarget target = MappingTarget::training_log;
    struct Column {
        std::string column; // as in the header
        std::string is; // "step time"; one of fields_of(target)
        std::string unit; // "ms"; one of units_of(field); empty: the field's first
    };
    std::vector<Column> columns;
};

// The fields that a target has, and the units of a field: the first is the one that is taken without a unit.
std::vector<std::string_view> fields_of(MappingTarget target);
std::vector<std::string_view> units_of(MappingTarget target, std::string_view field);

// Errors: no mapping, an unknown target, field or unit, a field twice (place: JSON pointer).
Expected<ColumnMapping> read_mapping(std::string_view text, const std::string& file);
std::string write_mapping(const ColumnMapping& mapping); // JSON, readable back

// Guesses from names and units of the header and from the size of the values, best first; empty: nothing fits. A unit that
// the header does not state stays empty: the first of the field is taken, and a note of apply_mapping says so.
std::vector<ColumnMapping> guess_mappings(const MeasuredTable& table);

// Errors: a column that the table has not, a target's needed field missing, no row with a number.
Expected<Measured> apply_mapping(const MeasuredTable& table, const ColumnMapping& mapping, const std::string& file);

} // namespace ridgepoint

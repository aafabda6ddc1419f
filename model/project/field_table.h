#pragma once
// The one table behind reading, writing, comparing and editing plans: a JSON pointer, what may stand there, and how it
// gets in and out of the struct. What is not in the table is not in the file. Private to the project floor.

#include <functional>
#include <optional>
#include <vector>

#include <nlohmann/json.hpp>

#include "model/project/fields.h"

namespace ridgepoint {

struct FieldEntry {
    PlanField field;
    bool nullable = false; // null in the file, "" in an editor: not given
    // Empty: the plan has no such thing (a prompt length in a training plan).
    std::function<std::optional<nlohmann::ordered_json>(const Plan&)> get;
    std::function<void(Plan&, const nlohmann::json&)> set; // the value has passed check_value; true if it belongs here
    std::function<bool(const Plan&)> relevant; // empty: whenever it exists
};

const std::vector<FieldEntry>& field_table();
const FieldEntry* find_entry(std::string_view path);

// Type, range and choice. Without a place; found and expected are filled.
Status check_value(const FieldEntry& entry, const nlohmann::json& value);

// The value that a user typed, as JSON of the field's type. Not checked for range.
Expected<nlohmann::json> parse_value(const FieldEntry& entry, const std::string& text);

// The plan that a new workload of this kind starts from; unknown kind: pre-training.
Plan default_plan(const std::string& workload_kind);
std::string workload_kind(const Plan& plan); // "pretraining", "fine_tuning", "lora", "prefill", "decode", "serving"

} // namespace ridgepoint

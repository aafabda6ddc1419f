#pragma once
// One table of everything in a plan that can be edited: the plan editor draws it, `--set path=value` writes by it,
// sweeps use it as axes. A field is a JSON pointer into to_json(plan).

#include <string>
#include <vector>

#include "model/project/plan.h"
#include "model/specs/store.h"

namespace ridgepoint {

enum class FieldType : unsigned char { text, whole, number, flag, choice, model, instance };

struct PlanField {
    std::string path; // "/layout/tp"
    std::string group; // "Model", "Workload", "Load", "Fleet", "Post-training", "Run", "Cluster", "Layout", ...
    std::string label; // "Tensor parallel"
    FieldType type = FieldType::number;
    std::string unit; // "GPUs", "tokens", "ms"; empty: none
    double minimum = 0;
    double maximum = 0;
    std::vector<std::string> choices; // values as in the file
    std::vector<std::string> choice_labels; // for people; same length as choices
    std::string help; // one sentence
    std::string source; // where the default comes from
    bool training = true; // applies to training plans
    bool serving = true; // applies to serving plans
};

const std::vector<PlanField>& plan_fields();
const PlanField* find_field(const std::string& path);
bool applies(const PlanField& field, const Plan& plan); // worth showing for this plan
// The choices that make sense for the plan's kind of workload: no INT8 recipe in training. Empty for other types.
std::vector<std::string> choices_for(const PlanField& field, const Plan& plan);

// Groups that operation.h answers (load, fleet, post-training, run, costs): no field of them changes the estimate.
bool is_operation(const std::string& group);
// These are in use once a field differs from its default; all other groups always are.
bool in_use(const std::string& group, const Plan& plan);

std::string field_value(const Plan& plan, const std::string& path); // as text
std::string field_default(const Plan& plan, const std::string& path); // what reset restores
// Checks type and range; on error the plan stays as it was. Choosing another family of workloads (training or serving)
// brings that family's layout, recipe and assumptions.
Status set_field(Plan& plan, const std::string& path, const std::string& value);

} // namespace ridgepoint

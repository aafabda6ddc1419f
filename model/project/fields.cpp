#include "model/project/fields.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "model/project/field_table.h"
#include "model/project/precision_recipes.h"
#include "model/specs/nearest.h"

namespace ridgepoint {
namespace {

bool trains(const Plan& plan) { return std::holds_alternative<Training>(plan.workload); }

bool framework_fits(std::string_view framework, bool training)
{
    return (framework == "megatron" || framework == "fsdp") == training;
}

bool recipe_fits(const std::string& recipe, const Plan& plan)
{
    for (const PrecisionRecipeInfo& r : precision_recipes())
        if (recipe == r.id)
            return trains(plan) ? r.training && (recipe != "w4a16" || workload_kind(plan) == "lora") : r.serving;
    return false;
}

// What the other family of workloads brings along; degrees that it understands stay.
void switch_family(Plan& plan, const std::string& kind)
{
    const Plan fresh = default_plan(kind);
    const Layout old = plan.layout;
    plan.workload = fresh.workload;
    plan.layout = fresh.layout;
    plan.layout.tp = old.tp;
    plan.layout.ep = old.ep;
    plan.layout.etp = old.etp;
    plan.layout.fused_attention = old.fused_attention;
    plan.layout.expert_dispatch_rdma = old.expert_dispatch_rdma;
    if (!recipe_fits(plan.precision.recipe, plan))
        plan.precision.recipe = fresh.precision.recipe;
    if (trains(plan)) {
        plan.precision.weights.reset();
        plan.precision.kv_cache.reset();
    } else
        plan.precision.gradients.reset();
    plan.assumptions.framework = fresh.assumptions.framework;
}

std::string as_text(const nlohmann::ordered_json& value)
{
    if (value.is_null())
        return {};
    if (value.is_string())
        return value.get<std::string>();
    if (value.is_number_float()) { // shortest text that reads back as the same number
        const std::string shortest = fmt::format("{}", value.get<double>());
        return shortest.ends_with(".0") ? shortest.substr(0, shortest.size() - 2) : shortest;
    }
    return value.dump();
}

Error unknown_field(const std::string& path)
{
    Error e = bad_input("the plan has no such field", Place{{}, 0, path});
    std::vector<std::string> known;
    for (const PlanField& f : plan_fields())
        known.push_back(f.path);
    if (const auto near = nearest_names(path, known, 2); !near.empty())
        e.hint = fmt::format("Did you mean {}?", fmt::join(near, " or "));
    return e;
}

} // namespace

const std::vector<PlanField>& plan_fields()
{
    static const std::vector<PlanField> fields = [] {
        std::vector<PlanField> out;
        for (const FieldEntry& e : field_table())
            out.push_back(e.field);
        return out;
    }();
    return fields;
}

const PlanField* find_field(const std::string& path)
{
    for (const PlanField& f : plan_fields())
        if (f.path == path)
            return &f;
    return nullptr;
}

bool applies(const PlanField& field, const Plan& plan)
{
    const FieldEntry* e = find_entry(field.path);
    if (e == nullptr || !(trains(plan) ? field.training : field.serving) || !e->get(plan))
        return false;
    return !e->relevant || e->relevant(plan);
}

bool is_operation(const std::string& group)
{
    return group == "Load" || group == "Fleet" || group == "Post-training" || group == "Run" || group == "Costs" || group == "Calibration";
}

bool in_use(const std::string& group, const Plan& plan)
{
    if (!is_operation(group))
        return true;
    const Plan fresh = default_plan(workload_kind(plan));
    for (const FieldEntry& e : field_table())
        if (e.field.group == group && e.get(plan) != e.get(fresh))
            return true;
    return false;
}

std::vector<std::string> choices_for(const PlanField& field, const Plan& plan)
{
    std::vector<std::string> out = field.choices;
    if (field.path == "/precision/recipe")
        std::erase_if(out, [&](const std::string& c) { return !recipe_fits(c, plan); });
    if (field.path == "/assumptions/framework")
        std::erase_if(out, [&](const std::string& c) { return !framework_fits(c, trains(plan)); });
    return out;
}

std::string field_value(const Plan& plan, const std::string& path)
{
    const FieldEntry* e = find_entry(path);
    const auto value = e ? e->get(plan) : std::nullopt;
    return value ? as_text(*value) : std::string();
}

std::string field_default(const Plan& plan, const std::string& path)
{
    if (path == "/workload/kind")
        return "pretraining";
    return field_value(default_plan(workload_kind(plan)), path);
}

Status set_field(Plan& plan, const std::string& path, const std::string& text)
{
    const FieldEntry* e = find_entry(path);
    if (e == nullptr)
        return unknown_field(path);
    const auto located = [&](Error error) {
        error.place.pointer = path;
        return error;
    };
    if (!e->get(plan))
        return located(bad_input(fmt::format("{} does not belong to a {} plan", e->field.label, workload_kind(plan)), {}, text));
    Expected<nlohmann::json> value = parse_value(*e, text);
    if (!value)
        return located(value.error());
    if (Status s = check_value(*e, *value); !s)
        return located(s.error());
    if (path == "/workload/kind" && std::holds_alternative<Training>(default_plan(text).workload) != trains(plan))
        switch_family(plan, text);
    else
        e->set(plan, *value);
    if (path == "/workload/kind" && !recipe_fits(plan.precision.recipe, plan)) // 4-bit weights outside LoRA
        plan.precision.recipe = "bf16";
    return Done{};
}

} // namespace ridgepoint

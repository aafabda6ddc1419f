// fields: what a plan consists of, for --set.

#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/cli/command.h"
#include "app/cli/text_table.h"
#include <nlohmann/json.hpp>

#include "model/project/fields.h"
#include "model/project/plan_schema.h"

namespace ridgepoint::cli {
namespace {

std::string values_of(const PlanField& f)
{
    switch (f.type) {
    case FieldType::choice:
        return fmt::format("{}", fmt::join(f.choices, " | "));
    case FieldType::flag:
        return "true | false";
    case FieldType::whole:
    case FieldType::number:
        return fmt::format("{:g} to {:g}{}", f.minimum, f.maximum, f.unit.empty() ? "" : " " + f.unit);
    case FieldType::model:
        return "id of a model";
    case FieldType::instance:
        return "id of an instance";
    case FieldType::text:
        return "text";
    }
    return {};
}

const char* scope_of(const PlanField& f) { return f.training && f.serving ? "" : f.training ? "training" : "serving"; }

struct Arguments {
    bool json = false;
    bool schema = false;
};

int run(const Arguments& a)
{
    if (a.schema) {
        fmt::print("{}", plan_schema_text());
        return done;
    }
    if (a.json) {
        nlohmann::ordered_json out = {{"kind", "fields"}, {"version", 1}, {"fields", nlohmann::ordered_json::array()}};
        for (const PlanField& f : plan_fields())
            out["fields"].push_back({{"path", f.path}, {"group", f.group}, {"label", f.label}, {"unit", f.unit}, {"values", values_of(f)},
                {"choices", f.choices}, {"minimum", f.minimum}, {"maximum", f.maximum}, {"help", f.help}, {"default_from", f.source},
                {"training", f.training}, {"serving", f.serving}});
        fmt::print("{}\n", json_text(out));
        return done;
    }
    std::string group;
    TextTable t({"Field", "for", "Values", "Meaning"});
    for (const PlanField& f : plan_fields()) {
        if (!group.empty() && f.group != group)
            t.rule();
        group = f.group;
        t.add({f.path, scope_of(f), values_of(f), f.help});
    }
    fmt::print("{}", t.text(""));
    return done;
}

} // namespace

void add_fields_command(CLI::App& app, int& status)
{
    CLI::App* command = app.add_subcommand("fields", "List every field of a plan, as --set and the plan file take it");
    auto arguments = std::make_shared<Arguments>();
    command->add_flag("--json", arguments->json, "Print JSON");
    command->add_flag("--schema", arguments->schema, "Print the JSON Schema of plan files (specs/schema/plan.schema.json)");
    command->callback([arguments, &status] { status = run(*arguments); });
}

} // namespace ridgepoint::cli

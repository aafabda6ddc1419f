#include "model/project/plan_schema.h"

#include <nlohmann/json.hpp>

#include "model/project/field_table.h"

namespace ridgepoint {
namespace {

using Json = nlohmann::ordered_json;

std::string describe(const PlanField& f)
{
    std::string out = f.help;
    if (!f.unit.empty())
        out += " Unit: " + f.unit + ".";
    if (!f.training || !f.serving)
        out += f.training ? " Training only." : " Inference only.";
    return out;
}

Json number(double v) { return v == static_cast<double>(static_cast<long long>(v)) ? Json(static_cast<long long>(v)) : Json(v); }

Json value_schema(const FieldEntry& e)
{
    const PlanField& f = e.field;
    Json out = {{"title", f.label}, {"description", describe(f)}};
    switch (f.type) {
    case FieldType::whole:
    case FieldType::number:
        out["type"] = f.type == FieldType::whole ? "integer" : "number";
        out["minimum"] = number(f.minimum);
        out["maximum"] = number(f.maximum);
        break;
    case FieldType::flag:
        out["type"] = "boolean";
        break;
    case FieldType::choice:
        out["enum"] = f.choices;
        break;
    default:
        out["type"] = "string";
        out["minLength"] = number(f.minimum);
        out["maxLength"] = number(f.maximum);
    }
    if (e.nullable)
        out["type"] = {out["type"], "null"};
    return out;
}

// The object that holds the last step of a pointer, made on the way.
Json& parent_of(Json& root, const std::string& path, std::string& last)
{
    Json* at = &root;
    std::size_t from = 1;
    for (std::size_t slash = path.find('/', from); slash != std::string::npos; slash = path.find('/', from)) {
        Json& child = (*at)["properties"][path.substr(from, slash - from)];
        if (child.is_null())
            child = {{"type", "object"}, {"additionalProperties", false}, {"properties", Json::object()}};
        at = &child;
        from = slash + 1;
    }
    last = path.substr(from);
    return *at;
}

} // namespace

std::string plan_schema_text()
{
    Json root = {{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", "Ridgepoint plan (*.ridgepoint)"},
        {"description", "Everything but the version has a default that follows from the kind of workload. Written from the program's table of fields."},
        {"type", "object"}, {"required", {"ridgepoint"}}, {"additionalProperties", false}, {"properties", Json::object()}};
    root["properties"]["$schema"] = {{"type", "string"}};
    root["properties"]["ridgepoint"] = {{"title", "Format version"}, {"type", "integer"}, {"minimum", 1}, {"maximum", plan_format_version}};
    for (const FieldEntry& e : field_table()) {
        std::string last;
        Json& parent = parent_of(root, e.field.path, last);
        parent["properties"][last] = value_schema(e);
    }
    const Json documents = {{"type", "object"}, {"additionalProperties", {{"type", "object"}}}};
    Json folders = Json::object();
    for (const SpecKind k : {SpecKind::accelerator, SpecKind::instance, SpecKind::fabric, SpecKind::storage, SpecKind::model, SpecKind::price, SpecKind::efficiency, SpecKind::market})
        folders[std::string(folder_of(k))] = documents;
    root["properties"]["snapshots"] = {{"description", "Specs as they were when the plan was saved, by kind and id; they go before the catalogue."},
        {"type", "object"}, {"additionalProperties", false}, {"properties", folders}};
    return root.dump(2) + "\n";
}

} // namespace ridgepoint

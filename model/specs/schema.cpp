#include "model/specs/schema.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "model/units/parse.h"

namespace ridgepoint {
namespace {

using nlohmann::json;

constexpr std::array<std::string_view, 24> keywords = {"type", "required", "properties", "additionalProperties", "enum", "const",
    "minimum", "exclusiveMinimum", "maximum", "minLength", "maxLength", "pattern", "items", "minItems", "maxItems", "oneOf",
    "anyOf", "$ref", "$defs", "dimension", "$schema", "$id", "title", "description"};
constexpr int deepest = 128; // of schema and document together: circles of $ref end here
constexpr std::size_t longest_matched = 512; // std::regex recurses once per character

// Properties that need no schema of their own in this position.
bool is_annotation(std::string_view key) { return key == "default" || key == "examples" || key == "$comment"; }

bool has_type(const json& value, const std::string& type)
{
    if (type == "number")
        return value.is_number();
    if (type == "integer") {
        if (value.is_number_float()) {
            const double v = value.get<double>();
            return std::floor(v) == v;
        }
        return value.is_number_integer();
    }
    return json_type_name(value) == type;
}

std::string list(const json& values, const char* join)
{
    std::string out;
    for (const json& v : values) {
        if (!out.empty())
            out += join;
        out += v.is_string() ? v.get<std::string>() : json_excerpt(v);
    }
    return out;
}

std::size_t characters(const std::string& text)
{
    return static_cast<std::size_t>(
        std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

} // namespace

struct Schema::Violation {
    std::string pointer;
    std::string message;
    std::string found;
    std::string expected;
};

class Schema::Checker {
public:
    explicit Checker(const Schema& schema)
        : m_schema(schema)
    {
    }

    std::optional<Violation> check(const json& rule, const json& value, const std::string& pointer, int depth)
    {
        if (rule.is_boolean())
            return rule.get<bool>() ? std::nullopt : broken(pointer, "nothing is allowed here", json_excerpt(value));
        if (depth > deepest)
            return broken(pointer, "nested too deeply for its schema");
        if (const auto ref = rule.find("$ref"); ref != rule.end()) {
            const json* target = m_schema.m_document.find(std::string_view(ref->get_ref<const std::string&>()).substr(1));
            if (auto v = check(*target, value, pointer, depth + 1))
                return v;
        }
        if (auto v = check_value(rule, value, pointer))
            return v;
        if (value.is_object())
            if (auto v = check_object(rule, value, pointer, depth))
                return v;
        if (value.is_array())
            if (auto v = check_array(rule, value, pointer, depth))
                return v;
        return check_choices(rule, value, pointer, depth);
    }

private:
    static std::optional<Violation> broken(std::string pointer, std::string message, std::string found = {}, std::string expected = {})
    {
        return Violation{std::move(pointer), std::move(message), std::move(found), std::move(expected)};
    }

    std::optional<Violation> check_value(const json& rule, const json& value, const std::string& pointer) const
    {
        if (const auto type = rule.find("type"); type != rule.end()) {
            const bool fits = type->is_array()
                ? std::any_of(type->begin(), type->end(), [&](const json& t) { return has_type(value, t.get<std::string>()); })
                : has_type(value, type->get<std::string>());
            if (!fits)
                return broken(pointer, "wrong type", json_excerpt(value), type->is_array() ? list(*type, " or ") : type->get<std::string>());
        }
        if (const auto allowed = rule.find("enum"); allowed != rule.end())
            if (std::find(allowed->begin(), allowed->end(), value) == allowed->end())
                return broken(pointer, "not one of the allowed values", json_excerpt(value), list(*allowed, ", "));
        if (const auto only = rule.find("const"); only != rule.end())
            if (*only != value)
                return broken(pointer, "not the allowed value", json_excerpt(value), json_excerpt(*only));
        if (value.is_number())
            return check_number(rule, value, pointer);
        if (value.is_string())
            return check_string(rule, value.get_ref<const std::string&>(), pointer);
        return std::nullopt;
    }

    static std::optional<Violation> check_number(const json& rule, const json& value, const std::string& pointer)
    {
        const double v = value.get<double>();
        if (const auto limit = rule.find("minimum"); limit != rule.end() && v < limit->get<double>())
            return broken(pointer, "too small", json_excerpt(value), fmt::format("at least {}", json_excerpt(*limit)));
        if (const auto limit = rule.find("exclusiveMinimum"); limit != rule.end() && v <= limit->get<double>())
            return broken(pointer, "too small", json_excerpt(value), fmt::format("more than {}", json_excerpt(*limit)));
        if (const auto limit = rule.find("maximum"); limit != rule.end() && v > limit->get<double>())
            return broken(pointer, "too large", json_excerpt(value), fmt::format("at most {}", json_excerpt(*limit)));
        return std::nullopt;
    }

    std::optional<Violation> check_string(const json& rule, const std::string& text, const std::string& pointer) const
    {
        if (const auto limit = rule.find("minLength"); limit != rule.end() && characters(text) < limit->get<std::size_t>())
            return broken(pointer, "too short", json_excerpt(text), fmt::format("at least {} characters", json_excerpt(*limit)));
        if (const auto limit = rule.find("maxLength"); limit != rule.end() && characters(text) > limit->get<std::size_t>())
            return broken(pointer, "too long", json_excerpt(text), fmt::format("at most {} characters", json_excerpt(*limit)));
        if (const auto pattern = rule.find("pattern"); pattern != rule.end()) {
            const auto& source = pattern->get_ref<const std::string&>();
            if (text.size() > longest_matched)
                return broken(pointer, "too long", json_excerpt(text), fmt::format("at most {} bytes", longest_matched));
            if (!std::regex_search(text, m_schema.m_patterns.at(source)))
                return broken(pointer, "wrong form", json_excerpt(text), fmt::format("text that matches {}", source));
        }
        return std::nullopt;
    }

    std::optional<Violation> check_object(const json& rule, const json& value, const std::string& pointer, int depth)
    {
        if (const auto names = rule.find("required"); names != rule.end())
            for (const json& name : *names)
                if (!value.contains(name.get_ref<const std::string&>()))
                    return broken(pointer, fmt::format("the property \"{}\" is missing", name.get<std::string>()), "an object without it",
                        fmt::format("\"{}\"", name.get<std::string>()));
        const auto properties = rule.find("properties");
        const auto rest = rule.find("additionalProperties");
        for (const auto& [name, child] : value.items()) {
            const std::string at = pointer + "/" + escape_pointer_token(name);
            if (properties != rule.end() && properties->contains(name)) {
                if (auto v = check((*properties)[name], child, at, depth + 1))
                    return v;
            } else if (rest != rule.end()) {
                if (rest->is_boolean() && !rest->get<bool>())
                    return broken(at, "unknown property", fmt::format("\"{}\"", name), known_properties(properties, rule));
                if (auto v = check(*rest, child, at, depth + 1))
                    return v;
            }
        }
        if (const auto kind = rule.find("dimension"); kind != rule.end())
            return check_dimension(kind->get_ref<const std::string&>(), value, pointer);
        return std::nullopt;
    }

    static std::string known_properties(json::const_iterator properties, const json& rule)
    {
        std::string out;
        if (properties != rule.end())
            for (const auto& entry : properties->items())
                out += (out.empty() ? "" : ", ") + entry.key();
        return out.empty() ? "no property" : "one of " + out;
    }

    static std::optional<Violation> check_dimension(const std::string& kind, const json& value, const std::string& pointer)
    {
        const auto number = value.find("value");
        const auto unit = value.find("unit");
        if (number == value.end() || !number->is_number())
            return std::nullopt; // "type" and "required" say so where it matters
        const std::string symbol = unit != value.end() && unit->is_string() ? unit->get<std::string>() : "1";
        const Expected<double> base = to_base_units(number->get<double>(), symbol, *find_dimension(kind));
        if (!base)
            return broken(pointer + "/unit", base.error().message, base.error().found, base.error().expected);
        return std::nullopt;
    }

    std::optional<Violation> check_array(const json& rule, const json& value, const std::string& pointer, int depth)
    {
        if (const auto limit = rule.find("minItems"); limit != rule.end() && value.size() < limit->get<std::size_t>())
            return broken(pointer, "too few entries", json_excerpt(value), fmt::format("at least {}", json_excerpt(*limit)));
        if (const auto limit = rule.find("maxItems"); limit != rule.end() && value.size() > limit->get<std::size_t>())
            return broken(pointer, "too many entries", json_excerpt(value), fmt::format("at most {}", json_excerpt(*limit)));
        if (const auto items = rule.find("items"); items != rule.end())
            for (std::size_t i = 0; i < value.size(); ++i)
                if (auto v = check(*items, value[i], pointer + "/" + std::to_string(i), depth + 1))
                    return v;
        return std::nullopt;
    }

    // Of several alternatives that all fail, the one that got furthest is what the author meant.
    std::optional<Violation> check_choices(const json& rule, const json& value, const std::string& pointer, int depth)
    {
        for (const char* keyword : {"anyOf", "oneOf"}) {
            const auto choices = rule.find(keyword);
            if (choices == rule.end())
                continue;
            int fitting = 0;
            std::optional<Violation> closest;
            for (const json& choice : *choices) {
                auto v = check(choice, value, pointer, depth + 1);
                if (!v)
                    ++fitting;
                else if (!closest || v->pointer.size() > closest->pointer.size())
                    closest = std::move(v);
            }
            if (fitting == 0)
                return closest;
            if (fitting > 1 && std::string_view(keyword) == "oneOf")
                return broken(pointer, "fits more than one of the allowed forms", json_excerpt(value), "exactly one form");
        }
        return std::nullopt;
    }

    const Schema& m_schema;
};

namespace {

// Walks a schema once so that Checker may trust every keyword's type.
class SchemaAudit {
public:
    SchemaAudit(const JsonDocument& document, std::map<std::string, std::regex>& patterns)
        : m_document(document)
        , m_patterns(patterns)
    {
    }

    std::optional<Error> audit(const json& rule, const std::string& pointer)
    {
        if (rule.is_boolean())
            return std::nullopt;
        if (!rule.is_object())
            return wrong(pointer, "a schema must be an object, true or false", json_excerpt(rule));
        for (const auto& [key, value] : rule.items()) {
            const std::string at = pointer + "/" + escape_pointer_token(key);
            if (is_annotation(key))
                continue;
            if (std::find(keywords.begin(), keywords.end(), key) == keywords.end())
                return wrong(at, "unknown schema keyword", "\"" + key + "\"");
            if (auto e = audit_keyword(key, value, at))
                return e;
        }
        return std::nullopt;
    }

private:
    std::optional<Error> wrong(const std::string& pointer, std::string message, std::string found, std::string expected = {}) const
    {
        return bad_input("schema: " + std::move(message), m_document.place_of(pointer), std::move(found), std::move(expected));
    }

    std::optional<Error> audit_keyword(const std::string& key, const json& value, const std::string& at)
    {
        if (key == "properties" || key == "$defs") {
            if (!value.is_object())
                return wrong(at, "wrong type", json_excerpt(value), "object");
            for (const auto& [name, child] : value.items())
                if (auto e = audit(child, at + "/" + escape_pointer_token(name)))
                    return e;
            return std::nullopt;
        }
        if (key == "items" || key == "additionalProperties")
            return audit(value, at);
        if (key == "anyOf" || key == "oneOf") {
            if (!value.is_array() || value.empty())
                return wrong(at, "wrong type", json_excerpt(value), "a list of schemas");
            for (std::size_t i = 0; i < value.size(); ++i)
                if (auto e = audit(value[i], at + "/" + std::to_string(i)))
                    return e;
            return std::nullopt;
        }
        if (key == "required" || (key == "type" && value.is_array())) {
            const bool names = value.is_array() && std::all_of(value.begin(), value.end(), [](const json& v) { return v.is_string(); });
            return names ? std::nullopt : wrong(at, "wrong type", json_excerpt(value), "a list of names");
        }
        if (key == "enum")
            return value.is_array() ? std::nullopt : wrong(at, "wrong type", json_excerpt(value), "a list");
        if (key == "minimum" || key == "maximum" || key == "exclusiveMinimum")
            return value.is_number() ? std::nullopt : wrong(at, "wrong type", json_excerpt(value), "number");
        if (key == "minLength" || key == "maxLength" || key == "minItems" || key == "maxItems")
            return value.is_number_unsigned() ? std::nullopt : wrong(at, "wrong type", json_excerpt(value), "a natural number");
        if (key == "const")
            return std::nullopt;
        if (!value.is_string())
            return wrong(at, "wrong type", json_excerpt(value), "string");
        return audit_text(key, value.get<std::string>(), at);
    }

    std::optional<Error> audit_text(const std::string& key, const std::string& value, const std::string& at)
    {
        if (key == "dimension" && !find_dimension(value))
            return wrong(at, "unknown dimension", "\"" + value + "\"");
        if (key == "$ref" && (value.empty() || value[0] != '#' || !m_document.find(std::string_view(value).substr(1))))
            return wrong(at, "reference to nowhere", "\"" + value + "\"", "\"#/$defs/...\"");
        if (key == "pattern" && !m_patterns.contains(value)) {
            try {
                m_patterns.emplace(value, std::regex(value, std::regex::ECMAScript | std::regex::optimize));
            } catch (const std::regex_error&) {
                return wrong(at, "not a regular expression", "\"" + value + "\"");
            }
        }
        return std::nullopt;
    }

    const JsonDocument& m_document;
    std::map<std::string, std::regex>& m_patterns;
};

} // namespace

Expected<Schema> Schema::compile(JsonDocument document)
{
    Schema out;
    out.m_document = std::move(document);
    SchemaAudit audit(out.m_document, out.m_patterns);
    if (auto e = audit.audit(out.m_document.root(), ""))
        return *e;
    return out;
}

std::optional<Error> Schema::check(const JsonDocument& document) const
{
    const auto v = Checker(*this).check(m_document.root(), document.root(), "", 0);
    if (!v)
        return std::nullopt;
    return bad_input(v->message, document.place_of(v->pointer), v->found, v->expected);
}

} // namespace ridgepoint

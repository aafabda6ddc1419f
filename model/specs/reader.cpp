#include "model/specs/reader.h"

#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "model/specs/json_document.h"

namespace ridgepoint {

SpecReader::SpecReader(const SpecStore& store, SpecKind kind, std::string id)
    : m_store(store)
    , m_kind(kind)
    , m_id(std::move(id))
{
    const Expected<const nlohmann::json*> document = store.document(kind, m_id);
    if (document)
        m_root = *document;
    else
        m_error = document.error();
}

const nlohmann::json* SpecReader::find(const std::string& pointer) const
{
    return m_root ? find_value(*m_root, pointer) : nullptr;
}

std::size_t SpecReader::size(const std::string& pointer) const
{
    const nlohmann::json* at = find(pointer);
    return at && at->is_structured() ? at->size() : 0;
}

std::string SpecReader::text(const std::string& pointer)
{
    const nlohmann::json* at = find(pointer);
    if (!at)
        fail(pointer, "a required text is missing", {}, "string");
    else if (!at->is_string())
        fail(pointer, "wrong type", json_excerpt(*at), "string");
    return at && at->is_string() ? at->get<std::string>() : std::string();
}

std::string SpecReader::text_or(const std::string& pointer, std::string otherwise)
{
    return has(pointer) ? text(pointer) : std::move(otherwise);
}

double SpecReader::base_value(const std::string& pointer, const Dimension& dimension, bool positive)
{
    const nlohmann::json* at = find(pointer);
    if (!at) {
        fail(pointer, "a required value is missing", {}, fmt::format("{{\"value\", \"unit\"}} in {}", units_of(dimension)));
        return 0.0;
    }
    const auto value = at->is_object() ? at->find("value") : at->end();
    if (!at->is_object() || value == at->end() || !value->is_number()) {
        fail(pointer, "not a value with a unit", json_excerpt(*at), "{\"value\": number, \"unit\": text}");
        return 0.0;
    }
    const auto unit = at->find("unit");
    if (unit != at->end() && !unit->is_string()) {
        fail(pointer + "/unit", "wrong type", json_excerpt(*unit), "string");
        return 0.0;
    }
    const double written = value->get<double>();
    const Expected<double> base = to_base_units(written, unit == at->end() ? std::string("1") : unit->get<std::string>(), dimension);
    if (!base) {
        fail(pointer + "/unit", base.error().message, base.error().found, base.error().expected);
        return 0.0;
    }
    if (positive && *base < 0.0) {
        fail(pointer + "/value", "too small", json_excerpt(*value), "at least 0");
        return 0.0;
    }
    return *base;
}

int SpecReader::whole(const std::string& pointer, int minimum, int maximum)
{
    const double v = number(pointer);
    if (!ok())
        return minimum;
    if (std::floor(v) != v || v < minimum || v > maximum) {
        fail(pointer + "/value", "not a whole number in the range", fmt::format("{}", v), fmt::format("{} to {}", minimum, maximum));
        return minimum;
    }
    return static_cast<int>(v);
}

int SpecReader::whole_or(const std::string& pointer, int minimum, int maximum, int otherwise)
{
    return has(pointer) ? whole(pointer, minimum, maximum) : otherwise;
}

bool SpecReader::flag_or(const std::string& pointer, bool otherwise)
{
    const nlohmann::json* at = find(pointer);
    if (!at)
        return otherwise;
    const nlohmann::json* value = at->is_object() ? find(pointer + "/value") : at;
    if (!value || !value->is_boolean()) {
        fail(pointer, "wrong type", json_excerpt(value ? *value : *at), "true or false");
        return otherwise;
    }
    return value->get<bool>();
}

void SpecReader::fail(const std::string& pointer, std::string message, std::string found, std::string expected)
{
    if (!m_error)
        m_error = bad_input(std::move(message), m_store.place_of(m_kind, m_id, pointer), std::move(found), std::move(expected));
}

void SpecReader::fail(const Error& error)
{
    if (!m_error)
        m_error = error;
}

} // namespace ridgepoint

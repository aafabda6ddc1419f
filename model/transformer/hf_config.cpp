#include "model/transformer/hf_config.h"

#include <fmt/format.h>

namespace ridgepoint {

using nlohmann::json;

const json* HfConfig::find(const std::string& key) const
{
    const json* v = m_document.find(m_prefix + "/" + key);
    return v && !v->is_null() ? v : nullptr;
}

bool HfConfig::given(const std::string& key) const
{
    return m_document.find(m_prefix + "/" + key) != nullptr;
}

int HfConfig::whole(const std::string& key, int minimum, int maximum)
{
    if (!has(key)) {
        fail(key, fmt::format("The configuration has no \"{}\"", key), given(key) ? "null" : "", "a whole number",
            "Derived or shortened files cannot be imported: use the config.json of the model's repository");
        return minimum;
    }
    return whole_or(key, minimum, maximum, minimum);
}

int HfConfig::whole_or(const std::string& key, int minimum, int maximum, int otherwise)
{
    const json* v = find(key);
    if (!v)
        return otherwise;
    // Compared as doubles: an unsigned value beyond the signed range must not wrap around.
    if (!v->is_number_integer() || v->get<double>() < minimum || v->get<double>() > maximum) {
        fail(key, fmt::format("\"{}\" is not usable", key), json_excerpt(*v),
            fmt::format("a whole number from {} to {}", minimum, maximum));
        return minimum;
    }
    return v->get<int>();
}

bool HfConfig::flag_or(const std::string& key, bool otherwise)
{
    const json* v = find(key);
    if (v && !v->is_boolean())
        fail(key, fmt::format("\"{}\" is not a truth value", key), json_excerpt(*v), "true or false");
    return v && v->is_boolean() ? v->get<bool>() : otherwise;
}

double HfConfig::number(const std::string& key, double minimum, double maximum)
{
    const json* v = find(key);
    if (v && v->is_number() && v->get<double>() >= minimum && v->get<double>() <= maximum)
        return v->get<double>();
    fail(key, fmt::format("\"{}\" is missing or not usable", key), v ? json_excerpt(*v) : "",
        fmt::format("a number from {} to {}", minimum, maximum));
    return minimum;
}

std::string HfConfig::text_or(const std::string& key, std::string otherwise)
{
    const json* v = find(key);
    if (v && !v->is_string())
        fail(key, fmt::format("\"{}\" is not a text", key), json_excerpt(*v), "a string");
    return v && v->is_string() ? v->get<std::string>() : otherwise;
}

std::vector<std::string> HfConfig::texts(const std::string& key, std::size_t most)
{
    std::vector<std::string> out;
    const json* v = find(key);
    if (!v)
        return out;
    if (!v->is_array() || v->size() > most) {
        fail(key, fmt::format("\"{}\" is not usable", key), json_excerpt(*v),
            fmt::format("a list of at most {} texts", most));
        return out;
    }
    for (std::size_t i = 0; i < v->size(); ++i) {
        if (!(*v)[i].is_string()) {
            fail(fmt::format("{}/{}", key, i), "Not a text", json_excerpt((*v)[i]), "a string");
            return out;
        }
        out.push_back((*v)[i].get<std::string>());
    }
    return out;
}

std::vector<int> HfConfig::wholes(const std::string& key, int minimum, int maximum, std::size_t most)
{
    std::vector<int> out;
    const json* v = find(key);
    if (!v)
        return out;
    if (!v->is_array() || v->size() > most) {
        fail(key, fmt::format("\"{}\" is not usable", key), json_excerpt(*v),
            fmt::format("a list of at most {} whole numbers", most));
        return out;
    }
    for (std::size_t i = 0; i < v->size(); ++i)
        out.push_back(whole(fmt::format("{}/{}", key, i), minimum, maximum));
    return out;
}

void HfConfig::fail(
    const std::string& key, std::string message, std::string found, std::string expected, std::string hint)
{
    if (m_error)
        return;
    m_error = bad_input(
        std::move(message), m_document.place_of(m_prefix + "/" + key), std::move(found), std::move(expected));
    m_error->hint = std::move(hint);
}

} // namespace ridgepoint

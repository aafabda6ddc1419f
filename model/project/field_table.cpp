#include "model/project/field_table.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "model/project/field_builders.h"
#include "model/specs/json_document.h"

namespace ridgepoint {
namespace {

std::string plain(double v) // 4096, 0.999, 1e+18
{
    return v == std::floor(v) && std::fabs(v) < 1e15 ? fmt::format("{:.0f}", v) : fmt::format("{:.6g}", v);
}

std::string range_text(const PlanField& f, const char* what)
{
    return fmt::format("{} from {} to {}{}", what, plain(f.minimum), plain(f.maximum), f.unit.empty() ? "" : " " + f.unit);
}

Status check_number(const PlanField& f, const nlohmann::json& value)
{
    const bool whole = f.type == FieldType::whole;
    const std::string expected = range_text(f, whole ? "a whole number" : "a number");
    if (!value.is_number())
        return bad_input(fmt::format("{} must be a number", f.label), {}, json_excerpt(value), expected);
    const double v = value.get<double>();
    if (whole && v != std::floor(v))
        return bad_input(fmt::format("{} must be a whole number", f.label), {}, json_excerpt(value), expected);
    if (!(v >= f.minimum && v <= f.maximum))
        return bad_input(fmt::format("{} is out of range", f.label), {}, json_excerpt(value), expected);
    return Done{};
}

Status check_text(const PlanField& f, const nlohmann::json& value)
{
    if (!value.is_string())
        return bad_input(fmt::format("{} must be a text", f.label), {}, json_excerpt(value), "a text in quotes");
    const auto length = static_cast<double>(value.get_ref<const std::string&>().size());
    if (length > f.maximum)
        return bad_input(fmt::format("{} is too long", f.label), {}, fmt::format("{:.0f} bytes", length), fmt::format("at most {:.0f} bytes", f.maximum));
    if (length < f.minimum)
        return bad_input(fmt::format("{} must not be empty", f.label), {}, "\"\"", "a text");
    return Done{};
}

Expected<nlohmann::json> parse_number(const PlanField& f, const std::string& text)
{
    const char* what = f.type == FieldType::whole ? "a whole number" : "a number";
    double v = 0.0;
    const char* end = text.data() + text.size();
    const auto [stopped, error] = std::from_chars(text.data(), end, v);
    if (error != std::errc{} || stopped != end || !std::isfinite(v))
        return bad_input(fmt::format("{} must be a number", f.label), {}, text, range_text(f, what));
    if (f.type == FieldType::whole && v == std::floor(v) && std::fabs(v) < 9e15)
        return nlohmann::json(static_cast<std::int64_t>(v));
    return nlohmann::json(v);
}

} // namespace

const std::vector<FieldEntry>& field_table()
{
    static const std::vector<FieldEntry> table = [] {
        std::vector<FieldEntry> t;
        add_cluster_fields(t);
        add_workload_fields(t);
        add_layout_fields(t);
        add_assumption_fields(t);
        add_measured_fields(t);
        add_load_fields(t);
        add_post_training_fields(t);
        add_run_fields(t);
        // Editors and files follow one order: what is asked, on what, how, at which price, assuming what.
        static constexpr std::array order = {"Plan", "Model", "Workload", "Load", "Fleet", "Post-training", "Run", "Cluster", "Layout", "Precision", "Price", "Costs", "Assumptions", "Calibration"};
        const auto rank = [](const FieldEntry& e) { return std::find(order.begin(), order.end(), e.field.group) - order.begin(); };
        std::stable_sort(t.begin(), t.end(), [&](const FieldEntry& a, const FieldEntry& b) { return rank(a) < rank(b); });
        return t;
    }();
    return table;
}

const FieldEntry* find_entry(std::string_view path)
{
    for (const FieldEntry& e : field_table())
        if (e.field.path == path)
            return &e;
    return nullptr;
}

Status check_value(const FieldEntry& entry, const nlohmann::json& value)
{
    const PlanField& f = entry.field;
    if (value.is_null() && entry.nullable)
        return Done{};
    switch (f.type) {
    case FieldType::whole:
    case FieldType::number:
        return check_number(f, value);
    case FieldType::flag:
        if (!value.is_boolean())
            return bad_input(fmt::format("{} must be true or false", f.label), {}, json_excerpt(value), "true or false");
        return Done{};
    case FieldType::choice:
        if (!value.is_string() || std::find(f.choices.begin(), f.choices.end(), value.get_ref<const std::string&>()) == f.choices.end())
            return bad_input(fmt::format("{} has no such choice", f.label), {}, json_excerpt(value), fmt::format("one of {}", fmt::join(f.choices, ", ")));
        return Done{};
    case FieldType::text:
    case FieldType::model:
    case FieldType::instance:
        return check_text(f, value);
    }
    return Done{};
}

Expected<nlohmann::json> parse_value(const FieldEntry& entry, const std::string& text)
{
    const PlanField& f = entry.field;
    if (text.empty() && entry.nullable)
        return nlohmann::json(nullptr);
    switch (f.type) {
    case FieldType::whole:
    case FieldType::number:
        return parse_number(f, text);
    case FieldType::flag:
        if (text == "true" || text == "false")
            return nlohmann::json(text == "true");
        return bad_input(fmt::format("{} must be true or false", f.label), {}, text, "true or false");
    default:
        return nlohmann::json(text);
    }
}

} // namespace ridgepoint

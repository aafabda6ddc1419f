#pragma once
// How entries of the field table are made: one function per type of member. Private to the project floor.

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "model/project/field_table.h"

namespace ridgepoint {

enum class Scope : unsigned char { both, training, serving };

struct About { // what a field's row says, in the order in which the tables below are written
    const char* path;
    const char* label;
    const char* unit;
    double minimum, maximum;
    const char* help;
    const char* source;
    Scope scope = Scope::both;
};
inline PlanField field_of(const char* group, const About& a)
{
    PlanField f;
    f.path = a.path;
    f.group = group;
    f.label = a.label;
    f.unit = a.unit;
    f.minimum = a.minimum;
    f.maximum = a.maximum;
    f.help = a.help;
    f.source = a.source;
    f.training = a.scope != Scope::serving;
    f.serving = a.scope != Scope::training;
    return f;
}

// One per group of fields.
void add_workload_fields(std::vector<FieldEntry>& table);
void add_cluster_fields(std::vector<FieldEntry>& table); // model, cluster, price
void add_layout_fields(std::vector<FieldEntry>& table);
void add_assumption_fields(std::vector<FieldEntry>& table); // precision and assumptions
void add_measured_fields(std::vector<FieldEntry>& table); // factors of calibrate
void add_load_fields(std::vector<FieldEntry>& table); // load and fleet
void add_post_training_fields(std::vector<FieldEntry>& table);
void add_run_fields(std::vector<FieldEntry>& table); // run and costs

// Values leave the struct in the unit of the file; fifteen digits undo the rounding of the conversion (6.1 us stays 6.1).
inline double in_file_unit(double base, double unit)
{
    const double v = base / unit;
    if (v == std::floor(v) || !std::isfinite(v))
        return v;
    return std::stod(fmt::format("{:.15g}", v));
}

inline double& base_of(double& v) { return v; }
template <int F, int B, int S, int D, int J, int T> class BaseReference {
public:
    explicit BaseReference(Quantity<F, B, S, D, J, T>& q) : m_quantity(q) {}
    operator double() const { return m_quantity.value(); }
    void operator=(double v) { m_quantity = Quantity<F, B, S, D, J, T>{v}; }

private:
    Quantity<F, B, S, D, J, T>& m_quantity;
};
template <int F, int B, int S, int D, int J, int T> BaseReference<F, B, S, D, J, T> base_of(Quantity<F, B, S, D, J, T>& q)
{
    return BaseReference<F, B, S, D, J, T>(q);
}

// `at` yields a pointer to the member, or nullptr where the plan has none.
template <typename At> auto* read_at(const At& at, const Plan& plan) { return at(const_cast<Plan&>(plan)); }

template <typename At> FieldEntry number_entry(PlanField field, At at, double unit = 1.0)
{
    field.type = FieldType::number;
    FieldEntry e;
    e.field = std::move(field);
    e.get = [at, unit](const Plan& p) -> std::optional<nlohmann::ordered_json> {
        auto* v = read_at(at, p);
        if (v == nullptr)
            return std::nullopt;
        return nlohmann::ordered_json(in_file_unit(base_of(*v), unit));
    };
    e.set = [at, unit](Plan& p, const nlohmann::json& j) {
        if (auto* v = at(p))
            base_of(*v) = j.get<double>() * unit;
    };
    return e;
}

template <typename At> FieldEntry whole_entry(PlanField field, At at)
{
    field.type = FieldType::whole;
    FieldEntry e;
    e.field = std::move(field);
    e.get = [at](const Plan& p) -> std::optional<nlohmann::ordered_json> {
        const int* v = read_at(at, p);
        return v ? std::optional<nlohmann::ordered_json>(*v) : std::nullopt;
    };
    e.set = [at](Plan& p, const nlohmann::json& j) {
        if (int* v = at(p))
            *v = static_cast<int>(j.get<double>());
    };
    return e;
}

template <typename At> FieldEntry flag_entry(PlanField field, At at)
{
    field.type = FieldType::flag;
    FieldEntry e;
    e.field = std::move(field);
    e.get = [at](const Plan& p) -> std::optional<nlohmann::ordered_json> {
        const bool* v = read_at(at, p);
        return v ? std::optional<nlohmann::ordered_json>(*v) : std::nullopt;
    };
    e.set = [at](Plan& p, const nlohmann::json& j) {
        if (bool* v = at(p))
            *v = j.get<bool>();
    };
    return e;
}

template <typename At> FieldEntry text_entry(PlanField field, FieldType type, At at)
{
    field.type = type;
    FieldEntry e;
    e.field = std::move(field);
    e.get = [at](const Plan& p) -> std::optional<nlohmann::ordered_json> {
        const std::string* v = read_at(at, p);
        return v ? std::optional<nlohmann::ordered_json>(*v) : std::nullopt;
    };
    e.set = [at](Plan& p, const nlohmann::json& j) {
        if (std::string* v = at(p))
            *v = j.get<std::string>();
    };
    return e;
}

// A value of the file, what people call it, and what it means.
template <typename T> struct Choice {
    const char* value;
    const char* label;
    T meaning;
};

template <typename T, typename At> FieldEntry choice_entry(PlanField field, std::vector<Choice<T>> choices, At at)
{
    field.type = FieldType::choice;
    for (const Choice<T>& c : choices) {
        field.choices.emplace_back(c.value);
        field.choice_labels.emplace_back(c.label);
    }
    FieldEntry e;
    e.field = std::move(field);
    e.get = [at, choices](const Plan& p) -> std::optional<nlohmann::ordered_json> {
        const T* v = read_at(at, p);
        if (v == nullptr)
            return std::nullopt;
        for (const Choice<T>& c : choices)
            if (c.meaning == *v)
                return nlohmann::ordered_json(c.value);
        return nlohmann::ordered_json(choices.front().value);
    };
    e.set = [at, choices](Plan& p, const nlohmann::json& j) {
        T* v = at(p);
        if (v == nullptr)
            return;
        for (const Choice<T>& c : choices)
            if (j == c.value)
                *v = c.meaning;
    };
    return e;
}

} // namespace ridgepoint

#include "model/fitting/efficiency_documents.h"

#include <algorithm>
#include <array>
#include <cstdlib>

#include <fmt/format.h>

#include "model/specs/json_document.h"
#include "model/units/parse.h"

namespace ridgepoint {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t largest_file = std::size_t{16} << 20;
constexpr std::array residual_names = {"residual_median", "residual_p90", "rows"};

bool is_residual(const std::string& name)
{
    return std::ranges::find(residual_names, name) != residual_names.end();
}

double significant(double value, int digits) { return std::strtod(fmt::format("{:.{}g}", value, digits).c_str(), nullptr); }

bool is_constant(const Json& v) { return v.is_object() && v.contains("value") && v["value"].is_number(); }

std::string shown(const Json& v)
{
    const std::string unit = v.value("unit", "1");
    return fmt::format("{}{}", v["value"].dump(), unit == "1" || unit == "count" ? "" : " " + unit);
}

bool is_quantity(const Json& v) { return is_constant(v) && v.size() == 2 && v.contains("unit"); }

std::string in_one_line(const Json& v)
{
    if (!v.is_object())
        return v.dump(-1, ' ', true);
    std::string out;
    for (const auto& [key, value] : v.items())
        out += (out.empty() ? "" : ", ") + Json(key).dump() + ": " + in_one_line(value);
    return "{" + out + "}";
}

// Two blanks an indent; a constant a line, and so a group of nothing but constants.
std::string laid_out(const Json& v, std::size_t indent)
{
    const auto all = [](const Json& o) { return std::ranges::all_of(o, is_quantity); };
    if (!v.is_object() || is_quantity(v) || all(v))
        return in_one_line(v);
    std::string out;
    for (const auto& [key, value] : v.items())
        out += (out.empty() ? "\n" : ",\n") + std::string(indent + 2, ' ') + Json(key).dump() + ": " + laid_out(value, indent + 2);
    return "{" + out + "\n" + std::string(indent, ' ') + "}";
}

void collect(const Json& before, const Json& now, const std::string& at, const std::string& id, std::vector<SpecChange>& out)
{
    if (is_constant(before) || is_constant(now)) {
        if (before != now)
            out.push_back({id, at, is_constant(before) ? shown(before) : "", is_constant(now) ? shown(now) : ""});
        return;
    }
    if (!now.is_object() || !before.is_object())
        return;
    const Json none;
    for (const auto& [key, value] : now.items())
        collect(before.contains(key) ? before[key] : none, value, at + "/" + key, id, out);
    for (const auto& [key, value] : before.items())
        if (!now.contains(key))
            collect(value, none, at + "/" + key, id, out);
}

} // namespace

Expected<EfficiencyDocuments> EfficiencyDocuments::load(const SpecStore& specs)
{
    EfficiencyDocuments out;
    for (const std::string& id : specs.ids(SpecKind::efficiency)) {
        const std::string file = specs.place_of(SpecKind::efficiency, id).file;
        Expected<std::string> text = read_text_file(file, largest_file);
        if (!text)
            return text.error();
        Json json = Json::parse(*text, nullptr, false);
        if (json.is_discarded())
            return bad_input("The file is no longer JSON", {file, 0, {}});
        out.m_documents[id] = {file, specs.layer_of(SpecKind::efficiency, id), json, json};
    }
    return out;
}

std::vector<std::string> EfficiencyDocuments::ids() const
{
    std::vector<std::string> out;
    for (const auto& [id, document] : m_documents)
        out.push_back(id);
    return out;
}

const Json* EfficiencyDocuments::find(const std::string& id, const std::string& pointer) const
{
    const auto document = m_documents.find(id);
    if (document == m_documents.end())
        return nullptr;
    const Json::json_pointer at(pointer);
    return document->second.now.contains(at) ? &document->second.now[at] : nullptr;
}

Json* EfficiencyDocuments::law(const std::string& id, const std::string& pointer)
{
    return const_cast<Json*>(find(id, pointer)); // the documents are ours
}

std::vector<std::string> EfficiencyDocuments::names(const std::string& id, const std::string& pointer) const
{
    std::vector<std::string> out;
    if (const Json* at = find(id, pointer); at != nullptr && at->is_object())
        for (const auto& [name, value] : at->items())
            out.push_back(name);
    return out;
}

Status EfficiencyDocuments::apply(const FittedLaw& fitted)
{
    const auto document = m_documents.find(fitted.document);
    if (document == m_documents.end())
        return bad_input("There are no constants to write to", {}, "\"" + fitted.document + "\"");
    const std::string& file = document->second.file;
    for (const FittedConstant& c : fitted.constants) {
        const std::string pointer = fitted.pointer + "/" + c.name;
        Json* at = law(fitted.document, pointer);
        if (at == nullptr || !is_constant(*at))
            return bad_input("A law lacks a constant that is fitted", {file, 0, pointer}, {}, "a value with its unit");
        const std::string name = at->value("unit", "");
        const Unit* unit = find_unit(name);
        if (unit == nullptr)
            return bad_input("A fitted constant has a unit that is not known", {file, 0, pointer}, "\"" + name + "\"");
        (*at)["value"] = significant(c.after / unit->to_base(1.0), 3);
    }
    for (const auto& [pointer, error] : fitted.residuals) {
        Json* at = law(fitted.document, pointer);
        if (at == nullptr)
            continue;
        for (const char* name : residual_names)
            if (error.rows == 0)
                at->erase(name);
        if (error.rows == 0)
            continue;
        // New entries join at the end of the law, known ones keep their place.
        (*at)["residual_median"] = {{"value", significant(error.median, 2)}, {"unit", "1"}};
        (*at)["residual_p90"] = {{"value", significant(error.p90, 2)}, {"unit", "1"}};
        (*at)["rows"] = {{"value", error.rows}, {"unit", "count"}};
    }
    return Done{};
}

void EfficiencyDocuments::derive(const Derivation& d)
{
    const Json* from = find(d.from_document, d.from);
    Json* to = law(d.to_document, d.to);
    if (from == nullptr || to == nullptr || to->contains("rows"))
        return;
    for (auto& [name, value] : to->items()) {
        if (!is_constant(value) || is_residual(name))
            continue;
        const auto equals = d.equals.find(name);
        const auto times = d.times.find(name);
        double v = value["value"];
        if (equals != d.equals.end())
            v = equals->second;
        else if (from->contains(name))
            v = (*from)[name]["value"].get<double>() * (times == d.times.end() ? 1.0 : times->second);
        if (name == "peak_fraction")
            v = std::min(v, d.most_of_peak);
        value["value"] = significant(v, 3);
    }
}

void EfficiencyDocuments::set(const std::string& id, const std::string& pointer, double value)
{
    if (Json* at = law(id, pointer); at != nullptr && is_constant(*at))
        (*at)["value"] = significant(value, 3);
}

std::string EfficiencyDocuments::text(const std::string& id) const { return laid_out(m_documents.at(id).now, 0) + "\n"; }

std::vector<SpecChange> EfficiencyDocuments::changes() const
{
    std::vector<SpecChange> out;
    for (const auto& [id, document] : m_documents)
        collect(document.before, document.now, {}, id, out);
    return out;
}

Status EfficiencyDocuments::put_into(SpecStore& specs) const
{
    for (const auto& [id, document] : m_documents)
        if (document.before != document.now)
            if (Status s = specs.add(SpecKind::efficiency, text(id), document.file, document.layer); !s)
                return s;
    return Done{};
}

} // namespace ridgepoint

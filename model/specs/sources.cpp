#include "model/specs/sources.h"

#include <algorithm>

#include <fmt/format.h>

namespace ridgepoint {
namespace {

using nlohmann::json;

std::string text_of(const json& object, const char* key)
{
    const auto it = object.find(key);
    return it != object.end() && it->is_string() ? it->get<std::string>() : std::string();
}

std::string value_text(const json& object)
{
    const auto value = object.find("value");
    if (value == object.end())
        return {};
    std::string out = value->is_string() ? value->get<std::string>() : json_excerpt(*value);
    const std::string unit = text_of(object, "unit");
    if (!unit.empty() && unit != "1" && unit != "count" && unit != "ratio")
        out += " " + unit;
    return out;
}

// The figure of {"value": 0.14, "unit": "1"} or of a plain number.
std::optional<double> figure(const json& object, const char* key)
{
    const auto it = object.find(key);
    if (it == object.end())
        return std::nullopt;
    const json& value = it->is_object() && it->contains("value") ? (*it)["value"] : *it;
    return value.is_number() ? std::optional(value.get<double>()) : std::nullopt;
}

std::optional<LawProvenance> fit_of(const json& law)
{
    const auto median = figure(law, "residual_median"), p90 = figure(law, "residual_p90"), rows = figure(law, "rows");
    if (!median || !p90 || !rows)
        return std::nullopt;
    return LawProvenance{*median, *p90, static_cast<int>(std::clamp(*rows, 0.0, 1e9))};
}

std::string parent_of(const std::string& pointer)
{
    const std::size_t slash = pointer.rfind('/');
    return slash == std::string::npos ? std::string() : pointer.substr(0, slash);
}

} // namespace

std::string text_of(const LawProvenance& f)
{
    return fmt::format("{} rows, error {:.1f} % (median), {:.1f} % (90th percentile)", f.rows, 100.0 * f.median, 100.0 * f.p90);
}

std::string text_of(const Provenance& p)
{
    std::string out;
    const auto add = [&](const std::string& part, const char* between) {
        if (!part.empty())
            out += (out.empty() ? "" : between) + part;
    };
    add(p.source, "; ");
    add(p.note, "; ");
    add(p.date, "; ");
    add(p.confidence.empty() ? "" : "confidence " + p.confidence, p.date.empty() ? "; " : ", ");
    add(p.fit ? text_of(*p.fit) : "", "; ");
    return out;
}

Status SourceTable::read(const JsonDocument& document, const std::string& pointer)
{
    const std::string table_at = pointer + "/sources";
    const json* table = document.find(table_at);
    if (!table)
        return bad_input("the property \"sources\" is missing", document.place_of(pointer), "an object without it", "\"sources\"");
    if (!table->is_object())
        return bad_input("wrong type", document.place_of(table_at), json_excerpt(*table), "object");
    for (const auto& [key, entry] : table->items()) {
        const std::string at = table_at + "/" + escape_pointer_token(key);
        if (!entry.is_object())
            return bad_input("wrong type", document.place_of(at), json_excerpt(entry), "an object with \"title\", \"url\" and \"date\"");
        for (const char* name : {"title", "url", "date"}) {
            const auto field = entry.find(name);
            if (field != entry.end() && !field->is_string())
                return bad_input("wrong type", document.place_of(at + "/" + name), json_excerpt(*field), "string");
        }
        if (text_of(entry, "title").empty())
            return bad_input("a source needs a title", document.place_of(at), json_excerpt(entry), "\"title\"");
        m_sources[key] = Source{text_of(entry, "title"), text_of(entry, "url"), text_of(entry, "date")};
    }
    return Done{};
}

Status SourceTable::read_inline(const JsonDocument& document)
{
    return document.find("/sources") ? read(document, "") : Status(Done{});
}

const Source* SourceTable::find(const std::string& key) const
{
    const auto it = m_sources.find(key);
    return it == m_sources.end() ? nullptr : &it->second;
}

// `source` is a key, a text, an object {title, url, date}, or a list of those: the first has the say on url and date.
void SourceTable::describe(const json& source, const SourceTable& own, Provenance& out) const
{
    Source found;
    if (source.is_array()) {
        for (const json& one : source)
            describe(one, own, out);
        return;
    }
    if (source.is_object()) {
        found = Source{text_of(source, "title"), text_of(source, "url"), text_of(source, "date")};
    } else if (source.is_string()) {
        const auto key = source.get<std::string>();
        const Source* known = own.find(key);
        if (!known)
            known = find(key);
        found = known ? *known : Source{key, {}, {}};
    }
    if (!found.title.empty())
        out.source += (out.source.empty() ? "" : "; ") + found.title;
    if (out.url.empty())
        out.url = found.url;
    if (out.date.empty())
        out.date = found.date;
}

std::optional<Provenance> SourceTable::provenance(const JsonDocument& document, const std::string& pointer) const
{
    if (!document.find(pointer))
        return std::nullopt;
    SourceTable own;
    (void)own.read_inline(document); // was checked when the document was loaded
    // The value itself: what the pointer names, or the object around a "value".
    const json* self = document.find(pointer);
    if (pointer.ends_with("/value"))
        if (const json* around = document.find(parent_of(pointer)); around && around->is_object())
            self = around;
    std::string at = pointer;
    const json* holder = document.find(at);
    while (holder && !(holder->is_object() && holder->contains("source"))) {
        if (at.empty())
            return std::nullopt;
        at = parent_of(at);
        holder = document.find(at);
    }
    if (!holder)
        return std::nullopt;
    Provenance out;
    out.value = self->is_object() && self->contains("value") ? value_text(*self) : json_excerpt(*self);
    // A constant of a law may say more than the law; what it does not say is the law's.
    const auto said = [&](const char* key) {
        const std::string own_text = self->is_object() ? text_of(*self, key) : std::string();
        return own_text.empty() ? text_of(*holder, key) : own_text;
    };
    out.date = said("date");
    out.confidence = said("confidence");
    out.note = said("note");
    out.holder = at;
    out.fit = fit_of(*holder);
    describe((*holder)["source"], own, out);
    if (const auto conflicts = holder->find("conflicts"); conflicts != holder->end() && conflicts->is_array())
        for (const json& other : *conflicts) {
            if (!other.is_object())
                continue;
            Provenance p;
            if (const auto source = other.find("source"); source != other.end())
                describe(*source, own, p);
            std::string line = value_text(other);
            if (!p.source.empty())
                line += fmt::format(" ({})", p.source);
            if (const std::string note = text_of(other, "note"); !note.empty())
                line += ": " + note;
            out.conflicts.push_back(std::move(line));
        }
    out.place = document.place_of(pointer);
    return out;
}

} // namespace ridgepoint

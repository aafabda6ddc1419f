#include "model/measured/tables/column_mapping.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include <fmt/format.h>

#include "model/measured/lenient_json.h"
#include "model/measured/metrics/metric_formats.h"
#include "model/measured/tables/csv.h"
#include "model/measured/tables/mapping_fields.h"

namespace ridgepoint {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array targets{MappingTarget::training_log, MappingTarget::serving_benchmark, MappingTarget::collective_benchmark, MappingTarget::metrics};

// "Step Time (ms)" -> "steptime" and "ms"; "mean_ttft_ms" -> "meanttft" and "ms"; "busbw (GB/s)".
struct Header {
    std::string name, unit;
};
Header header_of(std::string_view column)
{
    Header h;
    std::string_view rest = column;
    for (const auto& [open, close] : {std::pair{'(', ')'}, std::pair{'[', ']'}})
        if (const std::size_t at = rest.rfind(open); at != std::string_view::npos && at > 0 && rest.ends_with(close)) {
            h.unit = std::string(rest.substr(at + 1, rest.size() - at - 2));
            rest = rest.substr(0, at);
        }
    if (h.unit.empty())
        for (const std::string_view suffix : {"_ms", "_us", "_ns", "_s", " ms", " us", " s", "_sec", "_seconds", "_gb", "_bytes", "_gbps", "_GB", "_MiB", "_mib", "_pct", "_percent", " %", "_GBps", "_mb", "_MB", "_gib", "_GiB"})
            if (rest.ends_with(suffix) && rest.size() > suffix.size()) {
                h.unit = std::string(suffix.substr(1));
                rest.remove_suffix(suffix.size());
                break;
            }
    static const std::map<std::string, std::string, std::less<>> spelled{{"sec", "s"}, {"seconds", "s"}, {"second", "s"}, {"msec", "ms"}, {"milliseconds", "ms"}, {"usec", "us"}, {"microseconds", "us"}, {"gb", "GB"}, {"bytes", "B"}, {"b", "B"}, {"gbps", "GB/s"},
        {"GBps", "GB/s"}, {"gb/s", "GB/s"}, {"mib", "MiB"}, {"mb", "MB"}, {"gib", "GiB"}, {"pct", "%"}, {"percent", "%"}, {"tflops", "TFLOP/s"}, {"TFLOPS", "TFLOP/s"}, {"TFLOP/s/GPU", "TFLOP/s"}, {"TFLOPs", "TFLOP/s"}, {"Gbps", "Gbit/s"}};
    if (const auto at = spelled.find(h.unit); at != spelled.end())
        h.unit = at->second;
    for (const char c : rest) {
        if (c >= 'A' && c <= 'Z')
            h.name += static_cast<char>(c + 32);
        else if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))
            h.name += c;
    }
    return h;
}

std::optional<ColumnMapping> guess(const MeasuredTable& table, MappingTarget target)
{
    ColumnMapping m;
    m.target = target;
    bool needed = false;
    std::set<std::string_view> taken;
    for (const std::string& column : table.columns) {
        const Header h = header_of(column);
        for (const MappingField& f : mapping_fields()) {
            if (f.target != target || (taken.contains(f.name) && !may_repeat(f)) || std::find(f.names.begin(), f.names.end(), h.name) == f.names.end())
                continue;
            const bool known = std::any_of(f.units.begin(), f.units.end(), [&](const MappingUnit& u) { return u.name == h.unit; });
            m.columns.push_back({column, std::string(f.name), known ? h.unit : std::string()});
            taken.insert(f.name);
            needed |= f.needed;
            break;
        }
    }
    if (target == MappingTarget::metrics && needed) {
        const std::size_t index = static_cast<std::size_t>(std::find(table.columns.begin(), table.columns.end(), m.columns.front().column) - table.columns.begin());
        if (table.rows.empty() || !unix_seconds(table.rows.front()[index < table.rows.front().size() ? index : 0]))
            return std::nullopt;
        for (const std::string& column : table.columns)
            if (std::none_of(m.columns.begin(), m.columns.end(), [&](const auto& c) { return c.column == column; }))
                m.columns.push_back({column, "value", {}});
    }
    // One column alone says little by its name, unless its unit fits as well.
    return needed && (m.columns.size() >= 2 || !m.columns.front().unit.empty()) ? std::optional(m) : std::nullopt;
}

// How much a guess explains: metrics take any column, so every other target comes first.
std::size_t weight(const ColumnMapping& m) { return m.target == MappingTarget::metrics ? 1 : 2 * m.columns.size(); }

} // namespace

std::string_view name_of(MappingTarget target)
{
    switch (target) {
    case MappingTarget::training_log:
        return "training log";
    case MappingTarget::serving_benchmark:
        return "serving benchmark";
    case MappingTarget::collective_benchmark:
        return "collective benchmark";
    case MappingTarget::metrics:
        return "metrics";
    }
    return {};
}

std::vector<std::string_view> fields_of(MappingTarget target)
{
    std::vector<std::string_view> out;
    for (const MappingField& f : mapping_fields())
        if (f.target == target)
            out.push_back(f.name);
    return out;
}

std::vector<std::string_view> units_of(MappingTarget target, std::string_view field)
{
    std::vector<std::string_view> out;
    if (const MappingField* f = mapping_field(target, field))
        for (const MappingUnit& u : f->units)
            out.push_back(u.name);
    return out;
}

Expected<ColumnMapping> read_mapping(std::string_view text, const std::string& file)
{
    std::vector<Skipped> mended;
    const auto document = lenient_json(text, file, mended);
    if (!document)
        return document.error();
    if (!document->is_object() || text_at(*document, "kind") != "column-mapping")
        return bad_input("not a column mapping", Place{file, 0, "/kind"}, text_at(*document, "kind"), "kind \"column-mapping\"");
    if (integer_at(*document, "version") != 1)
        return bad_input("a version of column mappings that is not known here", Place{file, 0, "/version"}, {}, "version 1");
    ColumnMapping m;
    const std::string target = text_at(*document, "target");
    const auto at = std::find_if(targets.begin(), targets.end(), [&](MappingTarget t) { return name_of(t) == target; });
    if (at == targets.end())
        return bad_input("unknown target", Place{file, 0, "/target"}, target, "training log, serving benchmark, collective benchmark or metrics");
    m.target = *at;
    const auto columns = document->find("columns");
    if (columns == document->end() || !columns->is_object() || columns->size() > 10'000)
        return bad_input("no columns", Place{file, 0, "/columns"}, {}, "an object by column name");
    std::set<std::string> taken;
    for (const auto& [column, meaning] : columns->items()) {
        const std::string pointer = "/columns/" + column;
        const std::string field = text_at(meaning, "is"), unit = text_at(meaning, "unit");
        const MappingField* f = mapping_field(m.target, field);
        if (f == nullptr)
            return bad_input("unknown field", Place{file, 0, pointer + "/is"}, field, fmt::format("one of {}", fmt::join(fields_of(m.target), ", ")));
        if (!unit.empty() && std::none_of(f->units.begin(), f->units.end(), [&](const MappingUnit& u) { return u.name == unit; }))
            return bad_input("unknown unit", Place{file, 0, pointer + "/unit"}, unit, f->units.empty() ? "no unit" : fmt::format("one of {}", fmt::join(units_of(m.target, field), ", ")));
        if (!taken.insert(field).second && !may_repeat(*f))
            return bad_input("two columns are the same field", Place{file, 0, pointer + "/is"}, field, "each field once");
        m.columns.push_back({column, field, unit});
    }
    return m;
}

std::string write_mapping(const ColumnMapping& mapping)
{
    Json columns = Json::object();
    for (const ColumnMapping::Column& c : mapping.columns) {
        columns[c.column] = {{"is", c.is}};
        if (!c.unit.empty())
            columns[c.column]["unit"] = c.unit;
    }
    const Json out = {{"kind", "column-mapping"}, {"version", 1}, {"target", name_of(mapping.target)}, {"columns", columns}};
    return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::vector<ColumnMapping> guess_mappings(const MeasuredTable& table)
{
    std::vector<ColumnMapping> out;
    for (const MappingTarget target : targets)
        if (auto m = guess(table, target))
            out.push_back(std::move(*m));
    std::stable_sort(out.begin(), out.end(), [](const ColumnMapping& a, const ColumnMapping& b) { return weight(a) > weight(b); });
    return out;
}

} // namespace ridgepoint

#include "model/measured/tables/mapping_check.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "model/measured/metrics/metric_formats.h"
#include "model/measured/tables/csv.h"
#include "model/measured/tables/mapping_fields.h"
#include "model/measured/trimmed.h"

namespace ridgepoint {
namespace {

struct Checked {
    int column;
    const MappingField* field;
    std::string expected; // "step time in ms"
};

std::string shortened(const std::string& cell)
{
    constexpr std::size_t longest = 40;
    if (cell.size() <= longest)
        return cell;
    std::size_t end = longest;
    while (end > 0 && (static_cast<unsigned char>(cell[end]) & 0xC0U) == 0x80U) // not inside a character
        --end;
    return cell.substr(0, end) + "...";
}

// Empty: the cell is well, or says nothing.
std::string wrong_with(const std::string& cell, const Checked& c)
{
    if (trimmed(cell).empty() || c.field->kind == MappingKind::text)
        return {};
    if (c.field->kind == MappingKind::instant)
        return unix_seconds(cell) ? std::string() : "no time; expected a date or seconds since 1970";
    const auto v = cell_number(cell);
    if (!v)
        return fmt::format("no number; expected {}", c.expected);
    if (v->value < 0)
        return fmt::format("below zero; expected {}", c.expected);
    if (c.field->needed && v->value == 0 && c.field->name != "size") // an empty message can be sent; nothing takes no time
        return fmt::format("zero; expected {}", c.expected);
    return {};
}

} // namespace

MappingCheck check_mapping(const MeasuredTable& table, const ColumnMapping& mapping, std::size_t most, std::int64_t most_rows)
{
    MappingCheck out;
    std::vector<Checked> checked;
    std::map<std::string_view, std::string_view> taken; // field -> column
    bool needed = false;
    const auto whole = [&](int column, std::string message) {
        if (out.problems.size() < most)
            out.problems.push_back({-1, column, {}, std::move(message)});
    };
    for (const ColumnMapping::Column& c : mapping.columns) {
        const auto at = std::find(table.columns.begin(), table.columns.end(), c.column);
        const int column = at == table.columns.end() ? -1 : static_cast<int>(at - table.columns.begin());
        if (column < 0) {
            whole(-1, fmt::format("the table has no column \"{}\"", c.column));
            continue;
        }
        const MappingField* f = mapping_field(mapping.target, c.is);
        if (f == nullptr) {
            whole(column, fmt::format("\"{}\" is no field of a {}", c.is, name_of(mapping.target)));
            continue;
        }
        if (const auto [other, fresh] = taken.emplace(f->name, c.column); !fresh && !may_repeat(*f))
            whole(column, fmt::format("{} is already column \"{}\"", f->name, other->second));
        needed |= f->needed;
        const std::string_view unit = !c.unit.empty() ? std::string_view(c.unit) : f->units.empty() ? std::string_view() : f->units.front().name;
        checked.push_back({column, f, unit.empty() ? std::string(f->name) : fmt::format("{} in {}", f->name, unit)});
    }
    if (!needed) {
        std::vector<std::string_view> any;
        for (const MappingField& f : mapping_fields())
            if (f.target == mapping.target && f.needed)
                any.push_back(f.name);
        whole(-1, fmt::format("no column says what was measured; one of them must be {}", fmt::join(any, ", ")));
    }
    for (const auto& row : table.rows) {
        if (out.rows_checked >= most_rows)
            break;
        for (const Checked& c : checked) {
            if (static_cast<std::size_t>(c.column) >= row.size())
                continue; // tables are of one width; apply_mapping refuses others
            const std::string& cell = row[static_cast<std::size_t>(c.column)];
            std::string message = wrong_with(cell, c);
            if (message.empty())
                continue;
            ++out.wrong_cells;
            if (out.problems.size() < most)
                out.problems.push_back({out.rows_checked, c.column, shortened(cell), std::move(message)});
        }
        ++out.rows_checked;
    }
    return out;
}

bool has_columns(const MeasuredTable& table, const ColumnMapping& mapping)
{
    return !mapping.columns.empty()
        && std::all_of(mapping.columns.begin(), mapping.columns.end(), [&](const auto& c) { return std::find(table.columns.begin(), table.columns.end(), c.column) != table.columns.end(); });
}

Expected<int> map_tables(std::vector<Measured>& found, const ColumnMapping& mapping)
{
    int mapped = 0;
    for (Measured& m : found) {
        const auto* table = std::get_if<MeasuredTable>(&m.content);
        if (table == nullptr || !has_columns(*table, mapping))
            continue;
        Expected<Measured> applied = apply_mapping(*table, mapping, m.file);
        if (!applied)
            return applied.error();
        applied->skipped.insert(applied->skipped.begin(), m.skipped.begin(), m.skipped.end());
        m = std::move(*applied);
        ++mapped;
    }
    return mapped;
}

} // namespace ridgepoint

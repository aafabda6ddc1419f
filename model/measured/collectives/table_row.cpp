#include "model/measured/collectives/table_row.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

#include "model/measured/collectives/sweeps.h"
#include "model/measured/delimited_text.h"

namespace ridgepoint {
namespace {

std::optional<std::int64_t> integer(std::string_view word)
{
    std::int64_t v = 0;
    const auto r = std::from_chars(word.data(), word.data() + word.size(), v);
    return r.ec == std::errc{} && r.ptr == word.data() + word.size() && !word.empty() ? std::optional(v) : std::nullopt;
}

bool is_value(std::string_view word) { return word == "N/A" || word == "n/a" || word == "nan" || word == "-nan" || word == "inf" || word == "-inf" || (word.find(',') == std::string_view::npos && number_in(word)); }

bool is_name(std::string_view word)
{
    return !word.empty() && word.size() <= 16 && std::isalpha(static_cast<unsigned char>(word.front())) != 0 && !is_value(word)
        && std::all_of(word.begin(), word.end(), [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-'; });
}

bool is_reduction(std::string_view word)
{
    constexpr std::string_view known[]{"sum", "prod", "max", "min", "avg", "all", "none", "mulsum", "premulsum"};
    return std::find(std::begin(known), std::end(known), word) != std::end(known);
}

std::optional<CollectiveTiming> timing_of(const std::string_view* values, const TableLayout& layout)
{
    const auto time = number_in(values[0]);
    if (!time || !std::isfinite(*time) || *time < 0)
        return std::nullopt;
    CollectiveTiming t;
    t.time = microseconds(*time * layout.time_unit);
    t.algorithm_bandwidth = gigabytes_per_second(number_in(values[1]).value_or(std::nan("")));
    t.bus_bandwidth = gigabytes_per_second(number_in(values[2]).value_or(std::nan("")));
    t.wrong_text = layout.group > 3 ? values[3] : std::string_view("N/A");
    if (const auto wrong = number_in(t.wrong_text); wrong && std::abs(*wrong) < 9e18)
        t.wrong = std::llround(*wrong);
    return t;
}

// The words behind type and reduction. With the root or without, four or eight columns a group, one group or two.
bool take_values(const std::vector<std::string_view>& words, std::size_t from, std::string_view line, const TableLayout& layout, CollectiveRow& row)
{
    std::vector<std::string_view> values;
    for (std::size_t i = from; i < words.size() && is_value(words[i]); ++i)
        values.push_back(words[i]);
    const bool per_iteration = std::find(layout.columns.begin(), layout.columns.end(), "imin") != layout.columns.end();
    const std::size_t group = layout.group, width = per_iteration ? 8 : group;
    const bool header_root = std::find(layout.columns.begin(), layout.columns.end(), "root") != layout.columns.end();
    std::size_t first = 0;
    // Where the row is as long as the header, the header decides; else the count does.
    const bool root = layout.columns.size() == values.size() ? header_root : values.size() % group == 1 || (values.size() % group != 0 && header_root && values.size() > width);
    if (root) {
        const auto r = integer(values[0]);
        if (!r || *r < -1 || *r > 10'000'000)
            return false;
        row.root = static_cast<int>(*r);
        first = 1;
    }
    const std::size_t left = values.size() - first;
    if (left < group || (left > group && left < width + group))
        return false;
    // One group alone is the second where it stands under it (a replay leaves the first empty).
    const std::size_t at = static_cast<std::size_t>(values[first].data() - line.data());
    if (left < width + group && layout.in_place_at > 0 && at + 8 >= layout.in_place_at)
        row.in_place = timing_of(&values[first], layout);
    else
        row.out_of_place = timing_of(&values[first], layout);
    if (left >= width + group)
        row.in_place = timing_of(&values[first + width], layout);
    return row.out_of_place || row.in_place;
}

} // namespace

std::optional<TableLayout> table_header(std::string_view line)
{
    if (line.find("busbw") == std::string_view::npos)
        return std::nullopt;
    const auto words = words_of(line);
    const auto type = std::find(words.begin(), words.end(), "type");
    if (type == words.end() || type - words.begin() < 2)
        return std::nullopt;
    const bool first_version = *(type - 1) == "N" && *(type - 2) == "bytes";
    const std::string_view count = *(type - 1), size = *(type - 2);
    if (!first_version && (size.substr(0, size.find('(')) != "size" || count.substr(0, count.find('(')) != "count"))
        return std::nullopt;
    TableLayout layout;
    layout.time_unit = first_version ? 1e3 : 1;
    int times = 0;
    for (auto w = type + 1; w != words.end(); ++w) {
        const std::string name = plain_name(w->substr(0, w->find('('))); // "time(us)" of nccom-test
        if (name == "redop" || name == "op" || name == "timestamp")
            continue;
        if ((name == "time" || name == "cputime") && ++times == 2)
            layout.in_place_at = static_cast<std::size_t>(w->data() - line.data());
        layout.columns.push_back(name);
    }
    if (layout.columns.back() == "busbw" && times == 1)
        layout.group = 3;
    return layout;
}

RowReading table_row(std::string_view line, const TableLayout& layout)
{
    RowReading out;
    const auto words = words_of(line);
    // The type anchors the row: two whole numbers before it, then a reduction or figures.
    for (std::size_t i = 2; i < words.size() && i < 12; ++i) {
        if (!is_name(words[i]))
            continue;
        const auto size = integer(words[i - 2]), count = integer(words[i - 1]);
        if (!size || !count || *size < 0 || *count < 0)
            continue;
        const bool reduction = i + 1 < words.size() && is_reduction(words[i + 1]);
        if (!reduction && (bytes_per_element(words[i]) <= 0 || (i + 1 < words.size() && !is_value(words[i + 1]))))
            continue;
        out.row.size = bytes(static_cast<double>(*size));
        out.row.elements = *count;
        out.row.dtype = words[i];
        if (reduction)
            out.row.reduction = words[i + 1];
        const std::size_t next = i + (reduction ? 2 : 1);
        if (take_values(words, next, line, layout, out.row)) {
            out.kind = RowReading::Kind::row;
        } else if (next >= words.size() || (next + 1 == words.size() && integer(words[next]))) {
            if (next < words.size() && std::abs(*integer(words[next])) < 10'000'000)
                out.row.root = static_cast<int>(*integer(words[next]));
            out.kind = RowReading::Kind::preamble;
        }
        return out;
    }
    return out;
}

bool finish_row(std::string_view line, const TableLayout& layout, CollectiveRow& row)
{
    const auto words = words_of(line);
    if (words.empty() || !is_value(words.front()))
        return false;
    return take_values(words, 0, line, layout, row);
}

} // namespace ridgepoint

#include "model/measured/tables/csv.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "model/measured/trimmed.h"
#include "model/trace/utf8.h"

namespace ridgepoint {
namespace {

constexpr std::size_t widest = 10'000; // cells of a row
constexpr std::size_t longest_cell = std::size_t{1} << 20;

// Takes one row off the text; quotes may hold separators and line ends.
std::vector<std::string> take_row(std::string_view& text, char separator)
{
    std::vector<std::string> cells(1);
    bool quoted = false;
    std::size_t i = 0;
    for (; i < text.size(); ++i) {
        const char c = text[i];
        std::string& cell = cells.back();
        if (quoted) {
            if (c == '"' && i + 1 < text.size() && text[i + 1] == '"') {
                cell += '"';
                ++i;
            } else if (c == '"') {
                quoted = false;
            } else if (cell.size() < longest_cell) {
                cell += c;
            }
            continue;
        }
        if (c == '"' && trimmed(cell).empty()) {
            cell.clear();
            quoted = true;
        } else if (c == separator && cells.size() < widest) {
            cells.emplace_back();
        } else if (c == '\n') {
            ++i;
            break;
        } else if (c != '\r' && cell.size() < longest_cell) {
            cell += c;
        }
    }
    text.remove_prefix(i);
    for (std::string& cell : cells) {
        const std::string_view t = trimmed(cell);
        if (t.size() != cell.size())
            cell = std::string(t);
    }
    return cells;
}

std::string_view first_line(std::string_view text) { return text.substr(0, text.find('\n')); }

// Puts the text at its header; returns the separator, 0 for none.
char begin_table(std::string_view& text, std::int64_t& line)
{
    line = 1;
    if (text.starts_with("\xEF\xBB\xBF"))
        text.remove_prefix(3);
    char stated = 0;
    for (int i = 0; i < 1000 && !text.empty(); ++i) {
        const std::string_view head = trimmed(first_line(text));
        const bool is_separator = head.starts_with("sep=") && head.size() <= 5;
        if (is_separator)
            stated = head.size() == 5 ? head[4] : '\t';
        else if (!head.empty() && !head.starts_with('#'))
            break;
        text.remove_prefix(std::min(text.size(), first_line(text).size() + 1));
        ++line;
    }
    if (stated != 0)
        return stated;
    const std::string_view head = first_line(text).substr(0, std::size_t{1} << 20);
    char best = 0;
    std::size_t most = 0;
    for (const char separator : {',', ';', '\t', '|'}) {
        bool quoted = false;
        std::size_t n = 0;
        for (const char c : head) {
            quoted ^= c == '"';
            n += !quoted && c == separator ? 1 : 0;
        }
        if (n > most) {
            most = n;
            best = separator;
        }
    }
    return best;
}

// Spreadsheets of some locales write Latin-1; a mapping is JSON and can only name columns in UTF-8.
void mend(std::string& cell, std::vector<Skipped>& mended, std::int64_t line)
{
    if (is_utf8(cell))
        return;
    cell = utf8_of_latin1(cell);
    skip(mended, "text that is not UTF-8, read as Latin-1", fmt::format("line {}", line));
}

bool is_number(std::string_view text)
{
    double v = 0;
    const auto r = std::from_chars(text.data(), text.data() + text.size(), v);
    return !text.empty() && r.ec == std::errc{} && r.ptr == text.data() + text.size();
}

bool is_header(const std::vector<std::string>& cells)
{
    const auto words = std::count_if(cells.begin(), cells.end(), [](const std::string& c) { return !c.empty() && !is_number(c); });
    const bool object = !cells.empty() && trimmed(cells[0]).starts_with('{'); // a line of JSON has commas too
    return cells.size() >= 2 && !object && 2 * static_cast<std::size_t>(words) >= cells.size();
}

struct Unit {
    std::string_view name;
    double factor;
};
// Grafana's units; a rate is in the base unit per second. "c/s", "ops/s" and others keep the number.
constexpr std::array units{Unit{"%", 0.01}, Unit{"B", 1}, Unit{"KB", 1e3}, Unit{"kB", 1e3}, Unit{"MB", 1e6}, Unit{"GB", 1e9}, Unit{"TB", 1e12}, Unit{"PB", 1e15}, Unit{"KiB", 0x1p10}, Unit{"MiB", 0x1p20}, Unit{"GiB", 0x1p30},
    Unit{"TiB", 0x1p40}, Unit{"PiB", 0x1p50}, Unit{"B/s", 1}, Unit{"kB/s", 1e3}, Unit{"KB/s", 1e3}, Unit{"MB/s", 1e6}, Unit{"GB/s", 1e9}, Unit{"TB/s", 1e12}, Unit{"KiB/s", 0x1p10}, Unit{"MiB/s", 0x1p20}, Unit{"GiB/s", 0x1p30},
    Unit{"TiB/s", 0x1p40}, Unit{"b/s", 0.125}, Unit{"kb/s", 125}, Unit{"Kb/s", 125}, Unit{"Mb/s", 125e3}, Unit{"Gb/s", 125e6}, Unit{"Tb/s", 125e9}, Unit{"bps", 0.125}, Unit{"kbps", 125}, Unit{"Mbps", 125e3}, Unit{"Gbps", 125e6}, Unit{"GBps", 1e9},
    Unit{"MBps", 1e6}, Unit{"W", 1}, Unit{"mW", 1e-3}, Unit{"kW", 1e3}, Unit{"MW", 1e6}, Unit{"Hz", 1}, Unit{"kHz", 1e3}, Unit{"MHz", 1e6}, Unit{"GHz", 1e9}, Unit{"s", 1}, Unit{"ms", 1e-3}, Unit{"us", 1e-6}, Unit{"\xC2\xB5s", 1e-6},
    Unit{"\xCE\xBCs", 1e-6}, Unit{"ns", 1e-9}, Unit{"min", 60}, Unit{"mins", 60}, Unit{"hour", 3600}, Unit{"hours", 3600}, Unit{"J", 1}, Unit{"mJ", 1e-3}, Unit{"kJ", 1e3}, Unit{"MJ", 1e6}, Unit{"\xC2\xB0""C", 1}, Unit{"C", 1},
    Unit{"FLOP/s", 1}, Unit{"GFLOP/s", 1e9}, Unit{"TFLOP/s", 1e12}, Unit{"PFLOP/s", 1e15}, Unit{"FLOPS", 1}, Unit{"GFLOPS", 1e9}, Unit{"TFLOPS", 1e12}, Unit{"K", 1e3}, Unit{"k", 1e3}, Unit{"Mil", 1e6}, Unit{"M", 1e6}, Unit{"Bil", 1e9},
    Unit{"G", 1e9}, Unit{"Tri", 1e12}, Unit{"bytes", 1}, Unit{"bytes/s", 1}};

} // namespace

std::vector<std::string> csv_header(std::string_view text)
{
    std::int64_t line = 1;
    const char separator = begin_table(text, line);
    if (separator == 0 || first_line(text).find('\0') != std::string_view::npos)
        return {};
    auto header = take_row(text, separator);
    return is_header(header) ? header : std::vector<std::string>{};
}

bool looks_like_csv(std::string_view text)
{
    std::int64_t line = 1;
    const char separator = begin_table(text, line);
    if (separator == 0 || text.substr(0, 65536).find('\0') != std::string_view::npos)
        return false;
    const auto header = take_row(text, separator);
    if (!is_header(header))
        return false;
    std::size_t rows = 0, fitting = 0;
    while (!text.empty() && rows < 20) {
        const auto row = take_row(text, separator);
        if (row.size() == 1 && row[0].empty())
            continue;
        ++rows;
        fitting += row.size() == header.size() ? 1 : 0;
    }
    return rows > 0 && 2 * fitting > rows;
}

std::optional<MeasuredTable> csv_table(std::string_view text, std::vector<Skipped>& skipped)
{
    if (!looks_like_csv(text))
        return std::nullopt;
    std::int64_t line = 1;
    const char separator = begin_table(text, line);
    MeasuredTable table;
    table.columns = take_row(text, separator);
    for (std::string& column : table.columns)
        mend(column, skipped, line);
    while (!text.empty()) {
        ++line; // of rows: a quoted line end counts once
        auto row = take_row(text, separator);
        if (row.size() == 1 && row[0].empty())
            continue;
        if (row.size() == table.columns.size()) {
            for (std::string& cell : row)
                mend(cell, skipped, line);
            table.rows.push_back(std::move(row));
        } else {
            skip(skipped, fmt::format("row of another width than the header's {} columns", table.columns.size()), fmt::format("line {}", line));
        }
    }
    return table;
}

std::optional<CellNumber> cell_number(std::string_view cell)
{
    cell = trimmed(cell);
    std::size_t end = 0;
    if (!cell.empty() && (cell[0] == '-' || cell[0] == '+'))
        ++end;
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    std::size_t digits = 0;
    while (end < cell.size() && (is_digit(cell[end]) || cell[end] == '.' || cell[end] == ',')) {
        digits += is_digit(cell[end]) ? 1 : 0;
        ++end;
    }
    if (digits == 0 || end > 60)
        return std::nullopt;
    std::string number(cell.substr(0, end));
    if (end + 1 < cell.size() && (cell[end] == 'e' || cell[end] == 'E')) {
        std::size_t j = end + 1 + (cell[end + 1] == '-' || cell[end + 1] == '+' ? 1 : 0);
        const std::size_t first = j;
        while (j < cell.size() && is_digit(cell[j]))
            ++j;
        if (j > first) {
            number += cell.substr(end, j - end);
            end = j;
        }
    }
    // The last of '.' and ',' is the decimal mark. A lone comma is of thousands if three digits stand behind it and the
    // part before is neither 0 nor empty: "6,785"; with any other number of digits it is decimal: "0,279".
    const std::size_t dot = number.find('.'), comma = number.find(',');
    if (comma != std::string::npos) {
        const std::size_t last = number.rfind(',');
        const std::size_t behind = number.find_first_of("eE", last) == std::string::npos ? number.size() - last - 1 : number.find_first_of("eE", last) - last - 1;
        const std::string_view before = std::string_view(number).substr(0, comma);
        const bool thousands = dot != std::string::npos ? dot > last : comma != last || (behind == 3 && before != "0" && before != "-0" && !before.empty() && before != "-");
        if (thousands) {
            std::erase(number, ',');
        } else {
            std::erase(number, '.');
            std::replace(number.begin(), number.end(), ',', '.');
        }
    }
    if (number.starts_with('+'))
        number.erase(0, 1);
    double v = 0;
    const auto r = std::from_chars(number.data(), number.data() + number.size(), v);
    if (r.ec != std::errc{} || r.ptr != number.data() + number.size() || !std::isfinite(v))
        return std::nullopt;
    const std::string_view unit = trimmed(cell.substr(end));
    if (unit.empty())
        return CellNumber{v, {}};
    for (const Unit& u : units)
        if (unit == u.name)
            return CellNumber{v * u.factor, unit};
    // An unknown unit is kept with its number as it stands ("req/s"); other text is no number ("2024-01-01", "3 GPUs each").
    const bool plausible = unit.size() <= 12 && std::none_of(unit.begin(), unit.end(), [&](char c) { return is_digit(c) || c == ' ' || c == ':' || c == '-'; });
    return plausible ? std::optional(CellNumber{v, unit}) : std::nullopt;
}

} // namespace ridgepoint

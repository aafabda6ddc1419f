#include "model/report/accuracy_history.h"

#include <algorithm>
#include <cmath>
#include <regex>

#include <fmt/format.h>

#include "model/calibration/csv.h"

namespace ridgepoint {
namespace {

bool is_date(std::string_view text)
{
    static const std::regex day(R"(\d{4}-\d{2}-\d{2})");
    return std::regex_match(text.begin(), text.end(), day);
}

// Known columns in the page's order, then those of other versions by name.
std::vector<std::string> columns_of(const std::vector<AccuracyRecord>& history)
{
    std::vector<std::string> columns;
    for (const auto& [key, title] : headline_keys())
        columns.push_back(key);
    std::vector<std::string> others;
    for (const AccuracyRecord& r : history)
        for (const auto& [key, median] : r.medians)
            if (std::ranges::find(columns, key) == columns.end() && std::ranges::find(others, key) == others.end())
                others.push_back(key);
    std::ranges::sort(others);
    columns.insert(columns.end(), others.begin(), others.end());
    return columns;
}

} // namespace

Expected<std::vector<AccuracyRecord>> parse_accuracy_history(std::string_view text, const std::string& file)
{
    std::vector<AccuracyRecord> history;
    if (text.empty())
        return history;
    const Expected<CsvTable> table = parse_csv(text, file);
    if (!table)
        return table.error();
    if (table->column("version") < 0 || table->column("date") < 0)
        return bad_input("The history of accuracy has no such columns", {file, 1, {}}, "", "\"version\" and \"date\"");
    for (std::size_t i = 0; i < table->rows.size(); ++i) {
        const CsvRow row(*table, i);
        AccuracyRecord r{std::string(row.text("version")), std::string(row.text("date")), {}};
        if (!is_date(r.date))
            return bad_input("The history of accuracy has a wrong date", {file, row.line(), {}}, r.date, "YYYY-MM-DD");
        for (const std::string& column : table->header) {
            if (column == "version" || column == "date" || !row.has(column))
                continue;
            const double median = row.number(column);
            if (std::isnan(median) || median < 0)
                return bad_input("The history of accuracy has a wrong figure", {file, row.line(), column}, std::string(row.text(column)), "a median error as a fraction");
            r.medians[column] = median;
        }
        history.push_back(std::move(r));
    }
    return history;
}

std::string accuracy_history_text(const std::vector<AccuracyRecord>& history)
{
    const std::vector<std::string> columns = columns_of(history);
    std::string out = "version,date";
    for (const std::string& column : columns)
        out += "," + csv_field(column);
    out += "\n";
    for (const AccuracyRecord& r : history) {
        out += csv_field(r.version) + "," + csv_field(r.date);
        for (const std::string& column : columns) {
            const auto median = r.medians.find(column);
            out += median == r.medians.end() ? "," : fmt::format(",{:.4f}", median->second);
        }
        out += "\n";
    }
    return out;
}

void record_accuracy(std::vector<AccuracyRecord>& history, const std::string& version, const std::string& date, const std::vector<Headline>& lines)
{
    AccuracyRecord r{version, date, {}};
    for (const Headline& line : lines)
        if (std::isfinite(line.score.median_abs_error))
            r.medians.try_emplace(line.key, line.score.median_abs_error);
    std::erase_if(history, [&](const AccuracyRecord& old) { return old.version == version && old.date == date; });
    history.push_back(std::move(r));
}

} // namespace ridgepoint

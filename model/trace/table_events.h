#pragma once
// GPU events from a table with a row each: which columns hold what, and how a row becomes an event.

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/error.h"
#include "model/trace/csv_stream.h"

namespace ridgepoint {

class TableColumns {
public:
    TableColumns() = default;
    explicit TableColumns(const std::vector<std::string>& header);

    [[nodiscard]] bool has(std::string_view name) const { return m_columns.contains(std::string(name)); }
    // The cell of the first of these columns that the table has; empty if none.
    [[nodiscard]] std::string_view cell(const std::vector<std::string>& row, std::initializer_list<std::string_view> names) const;
    // A time in nanoseconds by the unit in the column's name (nanoseconds where it has none); none if no number.
    [[nodiscard]] std::optional<std::int64_t> time(const std::vector<std::string>& row, std::initializer_list<std::string_view> names) const;
    [[nodiscard]] std::optional<std::int64_t> whole(const std::vector<std::string>& row, std::initializer_list<std::string_view> names) const;
    [[nodiscard]] std::size_t size() const { return m_columns.size(); }

private:
    struct Column {
        std::size_t index = 0;
        double ns = 1;
    };
    [[nodiscard]] const Column* find(std::initializer_list<std::string_view> names) const;
    std::map<std::string, Column> m_columns;
};

// The first line of a text that is a header of such a table, as its columns; none if there is none within the text.
std::optional<TableColumns> find_header(std::string_view head, const std::function<bool(const TableColumns&)>& is_header);

// A decimal number without a detour over double where it is whole: "1,234,567", "12.5", "1e3".
std::optional<std::int64_t> scaled_whole(std::string_view text, double scale);

} // namespace ridgepoint

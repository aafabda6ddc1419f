#pragma once
// Comma-separated values as RFC 4180 has them: quoted fields, doubled quotes, CRLF; one header row.

#include <string>
#include <string_view>
#include <vector>

#include "model/base/error.h"

namespace ridgepoint {

struct CsvTable {
    std::string file;
    std::vector<std::string> header;
    std::vector<std::vector<std::string>> rows; // each as long as the header
    std::vector<int> lines; // where each row starts

    [[nodiscard]] int column(std::string_view name) const; // -1: there is none
};

// Bounded: 256 MiB, 2,000,000 rows, 1,000 columns. A row of another length than the header is an error with its line.
Expected<CsvTable> read_csv(const std::string& file);
Expected<CsvTable> parse_csv(std::string_view text, const std::string& file);
std::string csv_field(std::string_view value); // quoted if needed

// One row by column name. Missing columns and empty fields read as "" and NaN.
class CsvRow {
public:
    CsvRow(const CsvTable& table, std::size_t row) : m_table(table), m_row(row) {}
    [[nodiscard]] std::string_view text(std::string_view column) const;
    [[nodiscard]] double number(std::string_view column) const; // NaN if absent or not a number
    [[nodiscard]] double number_or(std::string_view column, double fallback) const;
    [[nodiscard]] bool has(std::string_view column) const { return !text(column).empty(); }
    [[nodiscard]] int line() const { return m_table.lines[m_row]; }

private:
    const CsvTable& m_table;
    std::size_t m_row;
};

} // namespace ridgepoint

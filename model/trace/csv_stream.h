#pragma once
// Comma-separated records from a stream of any length, one at a time [RFC 4180]. Quoted fields may hold commas, quotes
// and line ends; bytes that are no UTF-8 stay as they are.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/trace/byte_source.h"

namespace ridgepoint {

class CsvStream {
public:
    explicit CsvStream(ByteSource& source) : m_source(source) {}

    // The next record that is not empty; false at the end. A record longer than a mebibyte comes without its rest.
    bool next(std::vector<std::string>& fields);
    [[nodiscard]] std::int64_t line() const { return m_record_line; } // where the record began, from 1
    [[nodiscard]] std::int64_t bytes() const { return m_bytes; }

private:
    int get();

    ByteSource& m_source;
    std::vector<char> m_window;
    std::size_t m_used = 0;
    std::int64_t m_line = 1, m_record_line = 0, m_bytes = 0;
};

// Fields of one line of text, quotes removed.
std::vector<std::string> csv_fields(std::string_view line);

// Columns by name, whatever their case and however blanks and units stand around the name: "Time(%)", "Start (ns)".
struct ColumnName {
    std::string name; // "start"
    std::string unit; // "ns"; empty if none stands in brackets
};
ColumnName column_name(std::string_view header);
// Nanoseconds in a unit of time as headers write it ("us", "usec", "ms", "s"); 0 if it is none.
double nanoseconds_per(std::string_view unit);

} // namespace ridgepoint

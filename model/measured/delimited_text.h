#pragma once
// CSV as benchmarks and spreadsheets write it (RFC 4180 and what is found in the wild), and numbers with thousands
// separators or a decimal comma.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/measured/trimmed.h"

namespace ridgepoint {

// Records of a delimited text, one after the other. Quoted fields may hold separators, line ends and doubled quotes; a
// quote that is never closed is an ordinary character. Fields beyond the first `most_fields` of a record are dropped.
class DelimitedText {
public:
    static constexpr std::size_t most_fields = 65536;

    explicit DelimitedText(std::string_view text, char separator = ',') : m_rest(text), m_separator(separator) {}

    bool next(std::vector<std::string>& fields); // false: no more records; blank lines are left out
    [[nodiscard]] int line() const { return m_record_line; } // of the record read last, from 1
    [[nodiscard]] bool after_blank() const { return m_after_blank; } // a blank line stands before the record read last
    [[nodiscard]] std::string_view rest() const { return m_rest; }

private:
    std::string quoted_field();
    [[nodiscard]] std::size_t end_of_field() const;

    std::string_view m_rest;
    char m_separator;
    int m_line = 1, m_record_line = 1;
    bool m_after_blank = false;
};

// The likeliest separator of a header line: comma, semicolon or tab.
char separator_of(std::string_view header);
// "out busbw(GB/s)" -> "outbusbwgbs": letters and digits, lower case.
std::string plain_name(std::string_view text);
std::vector<std::string_view> words_of(std::string_view line); // at blanks

enum class DecimalMark { point, comma };
// What the values of one file have in common: "33,26" or "1.234,5" say comma; "1,234" alone says nothing, hence point.
DecimalMark decimal_mark_of(const std::vector<std::string>& values);
// "134,221,568", "1.234,5" (with a decimal comma), "1 234", "1'234", "2.5e3", "inf". None: no number, NaN, n/a, beyond double.
std::optional<double> number_in(std::string_view text, DecimalMark mark = DecimalMark::point);

} // namespace ridgepoint

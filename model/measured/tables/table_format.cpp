#include "model/measured/tables/table_format.h"

#include <fmt/format.h>

#include "model/measured/tables/column_mapping.h"
#include "model/measured/tables/csv.h"

namespace ridgepoint {
namespace {

Expected<Measured> read(std::string_view text, const std::string& file)
{
    Measured m;
    auto table = csv_table(text, m.skipped);
    if (!table)
        return bad_input("not a table", Place{file, 0, {}}, {}, "rows of as many cells as the header has");
    m.file = file;
    m.format = "table";
    m.facts = {{"n_rows", table->rows.size()}, {"n_columns", table->columns.size()}, {"columns", table->columns}};
    const auto guesses = guess_mappings(*table);
    if (guesses.empty()) {
        m.notes.emplace_back("A table of no known tool; what its columns mean has to be said by a column mapping.");
    } else {
        m.facts["mapping"] = nlohmann::json::parse(write_mapping(guesses.front()));
        std::string meanings;
        for (const ColumnMapping::Column& c : guesses.front().columns)
            meanings += fmt::format("{}{} is {}", meanings.empty() ? "" : ", ", c.column, c.is);
        m.notes.push_back(fmt::format("A table of no known tool; by its header it may be a {}: {}.", name_of(guesses.front().target), meanings));
    }
    m.content = std::move(*table);
    return m;
}

} // namespace

TextFormat table_format() { return {"table", looks_like_csv, read}; }

} // namespace ridgepoint

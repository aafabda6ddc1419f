#include "app/cli/measured_files.h"

#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "model/measured/tables/mapping_check.h"

namespace ridgepoint::cli {
namespace {

constexpr std::size_t most_columns_named = 20;

std::string list_of(const std::vector<std::string>& names)
{
    const auto shown = static_cast<std::ptrdiff_t>(std::min(names.size(), most_columns_named));
    return fmt::format("{}{}", fmt::join(names.begin(), names.begin() + shown, ", "), names.size() > most_columns_named ? ", ..." : "");
}

} // namespace

Expected<MeasuredFiles> MeasuredFiles::with_mapping(const std::string& mapping)
{
    MeasuredFiles files;
    if (mapping.empty())
        return files;
    std::ifstream in(mapping, std::ios::binary);
    std::ostringstream text;
    if (!in || !(text << in.rdbuf()))
        return io_error("cannot be read", mapping);
    Expected<ColumnMapping> read = read_mapping(text.str(), mapping);
    if (!read)
        return read.error();
    files.m_file = mapping;
    files.m_mapping = std::move(*read);
    return files;
}

Expected<std::vector<Measured>> MeasuredFiles::read(const std::string& file)
{
    Expected<std::vector<Measured>> found = read_measured(file);
    if (!found || !m_mapping)
        return found;
    for (const Measured& m : *found)
        if (const auto* table = std::get_if<MeasuredTable>(&m.content); table != nullptr && m_seen.empty())
            m_seen = table->columns;
    const Expected<int> mapped = map_tables(*found, *m_mapping);
    if (!mapped)
        return mapped.error();
    m_mapped += *mapped;
    return found;
}

Status MeasuredFiles::check() const
{
    if (!m_mapping || m_mapped > 0)
        return Done{};
    std::vector<std::string> wanted;
    for (const ColumnMapping::Column& c : m_mapping->columns)
        wanted.push_back(c.column);
    return bad_input("no table among the files has the columns of the mapping", Place{m_file, 0, "/columns"}, m_seen.empty() ? "no table of an unknown tool" : "the columns " + list_of(m_seen),
        "the columns " + list_of(wanted));
}

} // namespace ridgepoint::cli

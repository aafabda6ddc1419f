#include "app/cli/measured_files.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "model/measured/folder.h"
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

Status MeasuredFiles::each(const std::vector<std::string>& names, const std::function<void(std::vector<Measured>)>& visit)
{
    for (const std::string& name : names) {
        std::error_code ec;
        if (std::filesystem::is_directory(name, ec)) {
            if (Status s = each_of_folder(name, visit); !s)
                return s;
            continue;
        }
        Expected<std::vector<Measured>> found = read(name);
        if (!found)
            return found.error();
        visit(std::move(*found));
    }
    return check_mapping_used();
}

Status MeasuredFiles::each_of_folder(const std::string& folder, const std::function<void(std::vector<Measured>)>& visit)
{
    const Expected<FolderFiles> inside = files_in_folder(folder);
    if (!inside)
        return inside.error();
    std::optional<Error> first_error;
    bool any = false;
    for (const std::string& file : inside->files) {
        Expected<std::vector<Measured>> found = read(file);
        if (found) {
            any = true;
            visit(std::move(*found));
            continue;
        }
        m_left_out.push_back({file, found.error().message});
        if (!first_error)
            first_error = found.error();
    }
    if (!any)
        return *first_error;
    if (inside->beyond_limit > 0)
        m_left_out.push_back({folder, fmt::format("{} further files: a folder's first {} are read", inside->beyond_limit, inside->files.size())});
    return Done{};
}

Status MeasuredFiles::check_mapping_used() const
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

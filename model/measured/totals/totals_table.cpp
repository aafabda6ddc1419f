#include "model/measured/totals/totals_table.h"

#include <algorithm>

#include "model/measured/trimmed.h"

namespace ridgepoint {
namespace {

// "Processing [report1.sqlite] with [.../cuda_gpu_kern_sum.py]...", "[6/8] Executing 'cuda_gpu_kern_sum' stats report",
// " ** CUDA GPU Kernel Summary (cuda_gpu_kern_sum):", "CUDA Kernel Statistics:" of 2020.
std::string report_name(std::string_view line)
{
    const auto between = [&](std::string_view before, std::string_view after) -> std::string_view {
        const auto begin = line.find(before);
        if (begin == std::string_view::npos)
            return {};
        const auto from = begin + before.size();
        const auto end = line.find(after, from);
        return end == std::string_view::npos ? std::string_view() : line.substr(from, end - from);
    };
    std::string_view name = between("Executing '", "'");
    if (name.empty()) {
        name = between("with [", "]");
        name = name.substr(name.rfind('/') == std::string_view::npos ? 0 : name.rfind('/') + 1);
        name = name.substr(0, name.find(".py"));
    }
    if (name.empty() && trimmed(line).starts_with("** "))
        name = between("(", ")");
    if (name.empty() && trimmed(line).ends_with(" Statistics:"))
        name = trimmed(line).substr(0, trimmed(line).size() - 1);
    return std::string(name.substr(0, 128));
}

// Columns of fixed width, from the row of dashes below the header.
struct Extents {
    std::vector<std::pair<std::size_t, std::size_t>> columns; // begin, end
    [[nodiscard]] std::vector<std::string> cut(std::string_view line) const
    {
        std::vector<std::string> out;
        for (std::size_t i = 0; i < columns.size(); ++i) {
            const auto [begin, end] = columns[i];
            const bool last = i + 1 == columns.size(); // a name may be longer in bytes than in columns: "…" is three
            out.emplace_back(begin >= line.size() ? std::string_view() : trimmed(line.substr(begin, last ? std::string_view::npos : end - begin)));
        }
        return out;
    }
};

bool is_dashes(std::string_view line)
{
    line = trimmed(line);
    return line.size() > 10 && line.find("---") != std::string_view::npos && line.find_first_not_of("- ") == std::string_view::npos;
}

// "| name | 12 |" of rocprofv3; a name may hold a bar without blanks around it.
std::vector<std::string> piped(std::string_view line)
{
    std::vector<std::string> out;
    line.remove_prefix(1);
    while (!line.empty() && out.size() < 64) {
        const std::size_t end = std::min(line.find(" |"), line.size());
        out.emplace_back(trimmed(line.substr(0, end)));
        line.remove_prefix(std::min(end + 2, line.size()));
    }
    return out;
}

Extents extents_of(std::string_view dashes)
{
    Extents e;
    std::size_t at = 0;
    while ((at = dashes.find('-', at)) != std::string_view::npos && e.columns.size() < 64) {
        const std::size_t end = std::min(dashes.find_first_not_of('-', at), dashes.size());
        e.columns.emplace_back(at, end);
        at = end;
    }
    return e;
}

} // namespace

bool is_totals_header(const TableColumns& c)
{
    const bool named = c.has("name") || c.has("operation") || c.has("range") || c.has("kernel name") || c.has("kernelname");
    if ((c.has("kernel name") && c.has("kern inst") && c.has("total time")) || (c.has("kavg") && c.has("kernel name") && c.has("count")) || (c.has("range") && c.has("total proj time") && c.has("range instances")) || (c.has("name") && c.has("domain") && c.has("calls") && c.has("duration")))
        return true; // nvtx_kern_sum, cuda_kern_exec_sum and nvtx_gpu_proj_sum of nsys; the summary that rocprofv3 prints
    return named && (c.has("total time") || c.has("totaldurationns")) && (c.has("instances") || c.has("num calls") || c.has("calls") || c.has("count") || c.has("operations"));
}

void visit_totals_tables(std::string_view text, const TotalsTableVisitor& visitor)
{
    std::string name;
    std::string_view before; // the line before: the header where this one is dashes
    bool in_csv = false, in_pipes = false;
    Extents extents;
    std::size_t width = 0;
    for (int line_number = 1; !text.empty(); ++line_number) {
        const std::size_t end = text.find('\n');
        const std::string_view line = text.substr(0, end);
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        const std::string_view content = trimmed(line);
        if (content.size() > 65536)
            continue;
        if (content.empty()) {
            in_csv = in_pipes = false;
            extents = {};
        } else if (is_dashes(line)) {
            extents = extents_of(line);
            TableColumns columns(extents.cut(before));
            if (is_totals_header(columns)) {
                visitor.table(name, columns, line_number - 1);
                name.clear();
            } else {
                extents = {};
            }
        } else if (const std::string found = report_name(line); !found.empty() && extents.columns.empty()) {
            name = found;
            in_csv = false;
        } else if (!extents.columns.empty()) {
            visitor.row(extents.cut(line), line_number);
        } else if (content.starts_with('|')) {
            const std::vector<std::string> cells = piped(content);
            if (TableColumns columns(cells); is_totals_header(columns)) {
                visitor.table(name, columns, line_number);
                in_pipes = true;
            } else if (in_pipes && !cells.empty() && !cells.front().starts_with("---")) {
                visitor.row(cells, line_number);
            }
        } else if (content.find(',') != std::string_view::npos) {
            const bool maybe_header = content.find("Total") != std::string_view::npos || content.find("KAvg") != std::string_view::npos;
            std::vector<std::string> fields = csv_fields(content);
            if (TableColumns columns; maybe_header && (columns = TableColumns(fields), is_totals_header(columns))) {
                visitor.table(name, columns, line_number);
                name.clear();
                in_csv = true;
                width = fields.size();
            } else if (in_csv && fields.size() == width) {
                visitor.row(fields, line_number);
            }
        }
        before = line;
    }
}

} // namespace ridgepoint

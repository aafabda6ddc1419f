#include "model/measured/totals/totals_kinds.h"

#include <algorithm>
#include <cctype>

namespace ridgepoint {
namespace {

using Kind = TotalsReport::Kind;

bool is_upper(char c) { return std::isupper(static_cast<unsigned char>(c)) != 0; }

bool is_identifier(std::string_view s)
{
    return !s.empty() && std::all_of(s.begin(), s.end(), [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
}

// A function of HIP, HSA or RCCL, which a summary of the host's calls lists. Kernels of RCCL have "Kernel" in their names.
bool is_runtime_call(std::string_view name)
{
    if (!is_identifier(name))
        return false;
    const auto call = [&](std::string_view prefix) { return name.size() > prefix.size() && name.starts_with(prefix) && is_upper(name[prefix.size()]); };
    return call("hip") || call("__hip") || name.starts_with("hsa_") || call("roctx") || call("rocdec") || (call("nccl") && name.find("Kernel") == std::string_view::npos);
}

bool is_domain(std::string_view name)
{
    constexpr std::string_view domains[]{"KERNEL_DISPATCH", "MEMORY_COPY", "MEMORY_ALLOCATION", "SCRATCH_MEMORY"};
    return name.ends_with("_API") || name.ends_with("_API_EXT") || std::find(std::begin(domains), std::end(domains), name) != std::end(domains);
}

} // namespace

Kind totals_kind(std::string report, const TableColumns& c)
{
    std::transform(report.begin(), report.end(), report.begin(), [](unsigned char x) { return static_cast<char>(std::tolower(x)); });
    const auto has = [&](std::string_view what) { return report.find(what) != std::string::npos; };
    if (c.has("kernel name") && c.has("kern inst")) // nvtx_kern_sum: kernels by the range that launched them
        return Kind::kernels;
    if (has("nvtx") || c.has("range") || c.has("style"))
        return Kind::ranges;
    if (has("kern"))
        return Kind::kernels;
    if (has("mem") || c.has("operation") || c.has("operations"))
        return Kind::memory_operations;
    for (const std::string_view host : {"api", "osrt", "os runtime", "mpi", "openmp", "openacc", "vulkan", "khr", "dx11", "dx12", "syscall", "ucx"})
        if (has(host))
            return Kind::host_calls;
    // Of the reports with a name and a count of instances, only that of MPI has a source; that of OpenMP counts differently.
    if (c.has("num calls") || c.has("source") || (c.has("name") && c.has("count") && c.has("total time")))
        return Kind::host_calls;
    return Kind::kernels;
}

std::optional<Kind> totals_row_kind(Kind table, std::string_view category, std::string_view name, bool rocprof)
{
    if (category.starts_with("CUDA_KERNEL") || category == "KERNEL_DISPATCH")
        return Kind::kernels;
    if (category == "MEMORY_OPER" || category == "MEMORY_COPY")
        return Kind::memory_operations;
    if (category.starts_with("MARKER_"))
        return Kind::ranges;
    if (category == "MEMORY_ALLOCATION" || category == "SCRATCH_MEMORY" || category.ends_with("_API") || category.ends_with("_API_EXT"))
        return Kind::host_calls;
    if (table != Kind::kernels)
        return table;
    if (name.starts_with("[CUDA mem"))
        return Kind::memory_operations;
    if (!rocprof)
        return table;
    if (is_domain(name))
        return std::nullopt;
    if (name.starts_with("MEMORY_ALLOCATION_") || name.starts_with("SCRATCH_MEMORY_"))
        return Kind::host_calls;
    if (name.starts_with("MEMORY_COPY_") || (name.starts_with("Copy") && name.find("To") != std::string_view::npos && is_identifier(name)))
        return Kind::memory_operations;
    return is_runtime_call(name) ? Kind::host_calls : table;
}

} // namespace ridgepoint

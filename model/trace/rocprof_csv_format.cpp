// Kernel traces of ROCm as CSV: rocprofv3 and rocpd (`*_kernel_trace.csv`, also `*_memory_copy_trace.csv`), rocprof
// (results.csv with BeginNs, EndNs), rocprofv2. A row per dispatch, nanoseconds.

#include <unordered_set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "model/trace/format.h"
#include "model/trace/table_events.h"
#include "model/trace/timeline_builder.h"

namespace ridgepoint {
namespace {

bool is_header(const TableColumns& c)
{
    // Tables of hardware counters have the same times beside their counters and are read as such.
    const bool trace = c.has("kind") || (c.has("queue_id") && c.size() <= 22);
    const bool times = (c.has("start_timestamp") && c.has("end_timestamp") && trace) || (c.has("beginns") && c.has("endns"));
    return times && (c.has("kernel_name") || c.has("kernelname") || (c.has("direction") && c.has("kind")));
}

bool recognises(std::string_view head)
{
    for (const std::string_view counter : {"Counter_Name", "SQ_", "TCC_", "TCP_", "GRBM_"}) // a file of counters says more as such
        if (head.find(counter) != std::string_view::npos)
            return false;
    const auto first = head.find_first_not_of(" \t\r\n");
    return first != std::string_view::npos && head[first] != '{' && head[first] != '[' && find_header(head, is_header).has_value();
}

// "Agent 7" or "7" -> 7.
std::int64_t number_in(std::string_view text)
{
    const auto digit = text.find_first_of("0123456789");
    return digit == std::string_view::npos ? 0 : scaled_whole(text.substr(digit), 1).value_or(0);
}

Expected<Timeline> read_rocprof_csv(ByteSource& source, const std::string& file, const KernelRules& rules, const Progress& progress)
{
    CsvStream csv(source);
    TimelineBuilder builder;
    TableColumns columns;
    std::vector<std::string> row;
    std::string first_header;
    std::unordered_set<std::string> distinct;
    std::int64_t rows = 0, dispatches = 0, sum_ns = 0, copies = 0, copies_ns = 0;
    while (csv.next(row)) {
        if (++rows % 4096 == 0) {
            if (progress.stopped())
                return Error{ErrorKind::cancelled, Place{file, 0, {}}, "reading was cancelled", {}, {}, {}};
            progress.at(source.fraction());
        }
        if (columns.size() == 0 || row[0] == first_header) {
            if (TableColumns maybe(row); is_header(maybe)) {
                columns = std::move(maybe);
                first_header = row[0];
                continue;
            }
        }
        if (columns.size() == 0 || row.size() < 3)
            continue;
        const std::string place = fmt::format("line {}", csv.line());
        const auto start = columns.time(row, {"start_timestamp", "beginns"}), end = columns.time(row, {"end_timestamp", "endns"});
        GpuEvent e;
        if (!start || !end || __builtin_sub_overflow(*end, *start, &e.duration_ns)) {
            builder.skip("row without a start or an end", place);
            builder.pass();
            continue;
        }
        const bool copy = columns.has("direction");
        const std::string name(columns.cell(row, {"kernel_name", "kernelname", "direction"}));
        e.category = copy ? EventCategory::gpu_copy : EventCategory::kernel;
        e.name = name.empty() ? "(kernel without a name)" : std::string_view(name);
        e.start_ns = *start;
        // A copy from the host is the destination's: the source is a processor then.
        const bool from_host = copy && (name.find("HOST_TO_DEVICE") != std::string::npos || name == "H2D");
        e.device = number_in(from_host ? columns.cell(row, {"destination_agent_id", "source_agent_id"}) : columns.cell(row, {"agent_id", "gpu_id", "gpu-id", "source_agent_id"}));
        // A HIP stream where it is recorded, else the queue, which may be an address.
        const auto stream = columns.whole(row, {"stream_id"}), queue = columns.whole(row, {"queue_id", "queue-id"});
        e.stream = stream && *stream > 0 ? *stream : queue.value_or(0);
        if (!builder.add(e, place))
            continue;
        ++(copy ? copies : dispatches);
        (copy ? copies_ns : sum_ns) += e.duration_ns;
        if (!copy)
            distinct.insert(name);
    }
    if (const std::string trouble = source.trouble(); !trouble.empty())
        builder.skip(trouble, fmt::format("line {}", csv.line()));
    Timeline t = builder.build(rules);
    t.file = file;
    t.format = "rocprof kernel trace (CSV)";
    t.text_bytes = csv.bytes();
    t.truncated = !source.trouble().empty();
    t.own_facts = std::make_shared<const nlohmann::json>(nlohmann::json{
        {"n_kernel_dispatch", dispatches}, {"sum_ns", sum_ns}, {"distinct", distinct.size()}, {"n_memory_copy", copies}, {"memory_copy_ns", copies_ns}});
    progress.at(1);
    return t;
}

} // namespace

TraceFormat rocprof_csv_format() { return {"rocprof kernel trace (CSV)", recognises, read_rocprof_csv, false}; }

} // namespace ridgepoint

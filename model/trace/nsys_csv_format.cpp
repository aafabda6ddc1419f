// `nsys stats --report cuda_gpu_trace --format csv` (gputrace in old versions), also cuda_kern_exec_trace: one row per GPU
// event. In front may stand what nsys says about its work; units stand in the header.

#include <algorithm>
#include <limits>
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
    const bool gpu_trace = c.has("start") && c.has("duration") && c.has("name") && (c.has("strm") || c.has("ctx") || c.has("grdx"));
    return gpu_trace || (c.has("kernel start") && c.has("kernel dur") && c.has("kernel name"));
}

bool recognises(std::string_view head)
{
    const auto first = head.find_first_not_of(" \t\r\n");
    return first != std::string_view::npos && head[first] != '{' && head[first] != '[' && find_header(head, is_header).has_value();
}

// "NVIDIA H100 80GB HBM3 (3)" -> name and number.
std::pair<std::string, std::int64_t> device_of(std::string_view text)
{
    const auto open = text.rfind('(');
    if (open == std::string_view::npos || !text.ends_with(')'))
        return {std::string(text), scaled_whole(text, 1).value_or(0)};
    std::string_view name = text.substr(0, open);
    while (name.ends_with(' '))
        name.remove_suffix(1);
    return {std::string(name), scaled_whole(text.substr(open + 1, text.size() - open - 2), 1).value_or(0)};
}

struct Sum {
    std::int64_t count = 0, ns = 0, first = std::numeric_limits<std::int64_t>::max(), last = std::numeric_limits<std::int64_t>::min();
    void add(std::int64_t start, std::int64_t duration)
    {
        ++count;
        ns += duration;
        first = std::min(first, start);
        last = std::max(last, start + duration);
    }
};

Expected<Timeline> read_gpu_trace(ByteSource& source, const std::string& file, const KernelRules& rules, const Progress& progress)
{
    CsvStream csv(source);
    TimelineBuilder builder;
    TableColumns columns;
    std::vector<std::string> row;
    std::string device_name;
    std::unordered_set<std::string> distinct;
    Sum kernels, copies, fills;
    std::int64_t rows = 0;
    while (csv.next(row)) {
        if (++rows % 4096 == 0) {
            if (progress.stopped())
                return Error{ErrorKind::cancelled, Place{file, 0, {}}, "reading was cancelled", {}, {}, {}};
            progress.at(source.fraction());
        }
        if (columns.size() == 0 || row[0].find_first_of("-0123456789") != 0) {
            if (TableColumns maybe(row); is_header(maybe)) { // a second report may follow in the same file
                columns = std::move(maybe);
                continue;
            }
        }
        if (columns.size() == 0 || row.size() < 3)
            continue;
        const std::string place = fmt::format("line {}", csv.line());
        const auto start = columns.time(row, {"start", "kernel start"}), duration = columns.time(row, {"duration", "kernel dur"});
        const std::string name(columns.cell(row, {"name", "kernel name"}));
        if (!start || !duration) {
            builder.skip("row without a start or a duration", place);
            builder.pass();
            continue;
        }
        GpuEvent e;
        const bool copy = name.find("[CUDA memcpy") != std::string::npos, fill = name.find("[CUDA memset") != std::string::npos;
        e.category = copy ? EventCategory::gpu_copy : fill ? EventCategory::gpu_fill : EventCategory::kernel;
        e.name = name.empty() ? "(kernel without a name)" : std::string_view(name);
        e.start_ns = *start;
        e.duration_ns = *duration;
        const auto [gpu, number] = device_of(columns.cell(row, {"device", "devid"}));
        e.device = number;
        e.stream = columns.whole(row, {"strm"}).value_or(0);
        if (const auto launch = columns.time(row, {"api start"})) {
            e.correlation = rows;
            builder.add_launch(rows, *launch);
        } else {
            e.correlation = columns.whole(row, {"corrid"}).value_or(-1);
        }
        if (device_name.empty() && gpu.find_first_not_of("0123456789") != std::string::npos)
            device_name = gpu;
        if (!builder.add(e, place))
            continue;
        (copy ? copies : fill ? fills : kernels).add(*start, *duration);
        if (!copy && !fill)
            distinct.insert(name);
    }
    if (const std::string trouble = source.trouble(); !trouble.empty())
        builder.skip(trouble, fmt::format("line {}", csv.line()));
    Timeline t = builder.build(rules);
    t.file = file;
    t.format = "Nsight Systems GPU trace (CSV)";
    t.device_name = device_name;
    t.text_bytes = csv.bytes();
    t.truncated = !source.trouble().empty();
    t.own_facts = std::make_shared<const nlohmann::json>(nlohmann::json{{"n_kernels", kernels.count}, {"sum_ns", kernels.ns},
        {"span_ns", kernels.count > 0 ? kernels.last - kernels.first : 0}, {"distinct", distinct.size()}, {"n_memcpy", copies.count}, {"memcpy_ns", copies.ns},
        {"n_memset", fills.count}, {"memset_ns", fills.ns}, {"gpus", device_name.empty() ? nlohmann::json::array() : nlohmann::json::array({device_name})}});
    progress.at(1);
    return t;
}

} // namespace

TraceFormat nsys_gpu_trace_format() { return {"Nsight Systems GPU trace (CSV)", recognises, read_gpu_trace, false}; }

} // namespace ridgepoint

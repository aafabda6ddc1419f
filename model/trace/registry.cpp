#include <algorithm>

#include <fmt/format.h>

#include "model/trace/format.h"

namespace ridgepoint {
namespace {

constexpr std::size_t head_size = 64U << 10;

const TraceFormat* format_of(std::string_view head)
{
    if (head.starts_with("\xEF\xBB\xBF"))
        head.remove_prefix(3);
    const auto& all = trace_formats();
    const auto at = std::find_if(all.begin(), all.end(), [&](const TraceFormat& f) { return f.recognises(head); });
    if (at == all.end() || (at->takes_any && !foreign_format(head).empty()))
        return nullptr;
    return &*at;
}

} // namespace

bool is_timeline(std::string_view head) { return format_of(head) != nullptr; }

Expected<Timeline> read_timeline(ByteSource& source, const std::string& file, const KernelRules& rules, const Progress& progress)
{
    std::string_view head = source.peek(head_size);
    if (head.empty()) {
        const std::string trouble = source.trouble();
        return bad_input(trouble.empty() ? "the file is empty" : trouble, Place{file, 0, {}}, {}, "a trace of the PyTorch profiler, Nsight Systems, rocprofv3 or JAX");
    }
    if (const TraceFormat* format = format_of(head))
        return format->read(source, file, rules, progress);
    const std::string what = foreign_format(head);
    return bad_input(what.empty() ? "the content is of no format that is known here" : fmt::format("this is {}, which is no GPU timeline", what),
        Place{file, 0, {}}, {}, "a trace of the PyTorch profiler, Nsight Systems, rocprofv3 or JAX");
}

const std::vector<TraceFormat>& trace_formats()
{
    static const std::vector<TraceFormat> formats{
        nsys_sqlite_format(),
        nsys_gpu_trace_format(),
        rocprof_csv_format(),
        rocprof_json_format(),
        rocprof_chrome_format(),
        xla_json_format(),
        xplane_format(),
        nccl_profiler_format(),
        kineto_format(), // last: takes any JSON
    };
    return formats;
}

Expected<Timeline> read_timeline(const std::string& file, const KernelRules& rules, const Progress& progress)
{
    auto source = open_bytes(file);
    if (!source)
        return source.error();
    return read_timeline(**source, file, rules, progress);
}

Expected<Timeline> read_timeline_text(std::string_view text, const std::string& file, const KernelRules& rules, const Progress& progress)
{
    const auto source = bytes_of(text);
    return read_timeline(*source, file, rules, progress);
}

Expected<Timeline> read_timeline(const std::string& file, const Progress& progress)
{
    const auto rules = KernelRules::load_default();
    if (!rules)
        return rules.error();
    return read_timeline(file, **rules, progress);
}

} // namespace ridgepoint

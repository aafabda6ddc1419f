#include <algorithm>

#include <fmt/format.h>

#include "model/trace/format.h"

namespace ridgepoint {
namespace {

constexpr std::size_t head_size = 64U << 10;

const TraceFormat* format_of(std::string_view head)
{
    if (!foreign_format(head).empty())
        return nullptr;
    const auto& all = trace_formats();
    const auto at = std::find_if(all.begin(), all.end(), [&](const TraceFormat& f) { return f.recognises(head); });
    return at == all.end() ? nullptr : &*at;
}

} // namespace

bool is_timeline(std::string_view head) { return format_of(head) != nullptr; }

Expected<Timeline> read_timeline(ByteSource& source, const std::string& file, const KernelRules& rules, const Progress& progress)
{
    std::string_view head = source.peek(head_size);
    if (head.empty()) {
        const std::string trouble = source.trouble();
        return bad_input(trouble.empty() ? "the file is empty" : trouble, Place{file, 0, {}}, {}, "a PyTorch profiler trace (.json or .json.gz)");
    }
    if (const TraceFormat* format = format_of(head))
        return format->read(source, file, rules, progress);
    const std::string what = foreign_format(head);
    return bad_input(what.empty() ? "the content is of no format that is known here" : fmt::format("this is {}, which is no GPU timeline", what),
        Place{file, 0, {}}, {}, "a PyTorch profiler trace (.json or .json.gz)");
}

const std::vector<TraceFormat>& trace_formats()
{
    static const std::vector<TraceFormat> formats{
        kineto_format(),
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

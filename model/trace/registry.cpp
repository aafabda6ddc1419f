#include <fmt/format.h>

#include "model/trace/format.h"

namespace ridgepoint {
namespace {

constexpr std::size_t head_size = 64U << 10;

Expected<Timeline> read_source(ByteSource& source, const std::string& file, const KernelRules& rules, const Progress& progress)
{
    std::string_view head = source.peek(head_size);
    if (head.empty()) {
        const std::string trouble = source.trouble();
        return bad_input(trouble.empty() ? "the file is empty" : trouble, Place{file, 0, {}}, {}, "a PyTorch profiler trace (.json or .json.gz)");
    }
    if (const std::string what = foreign_format(head); !what.empty())
        return bad_input(fmt::format("this is {}, which is not read yet", what), Place{file, 0, {}}, {},
            "a PyTorch profiler trace (.json or .json.gz)");
    for (const TraceFormat& format : trace_formats())
        if (format.recognises(head))
            return format.read(source, file, rules, progress);
    return bad_input("the content is of no format that is known here", Place{file, 0, {}}, {}, "a PyTorch profiler trace (.json or .json.gz)");
}

} // namespace

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
    return read_source(**source, file, rules, progress);
}

Expected<Timeline> read_timeline_text(std::string_view text, const std::string& file, const KernelRules& rules, const Progress& progress)
{
    const auto source = bytes_of(text);
    return read_source(*source, file, rules, progress);
}

Expected<Timeline> read_timeline(const std::string& file, const Progress& progress)
{
    const auto rules = KernelRules::load_default();
    if (!rules)
        return rules.error();
    return read_timeline(file, **rules, progress);
}

} // namespace ridgepoint

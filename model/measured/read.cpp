// From a file to what it holds: gzip and BOM are looked through, then the families are asked.

#include <algorithm>

#include <fmt/format.h>

#include "model/measured/measured.h"
#include "model/trace/byte_source.h"
#include "model/trace/facts.h"
#include "model/trace/format.h"

namespace ridgepoint {
namespace {

constexpr std::size_t head_size = std::size_t{64} << 10;

std::vector<TextFormat> all_formats()
{
    std::vector<TextFormat> all;
    for (const auto& family : {collective_formats(), counter_formats(), serving_formats(), training_formats(), metric_formats(), graph_formats(), table_formats()})
        all.insert(all.end(), family.begin(), family.end());
    return all;
}

bool is_document(std::string_view text)
{
    const auto first = text.find_first_not_of(" \t\r\n");
    return first != std::string_view::npos && (text[first] == '{' || text[first] == '[' || text.substr(0, 4096).find('\0') != std::string_view::npos);
}

Expected<std::string> whole_text(ByteSource& source, const std::string& file, const Progress& progress)
{
    std::string text;
    constexpr std::size_t window = std::size_t{1} << 20;
    for (;;) {
        const std::size_t before = text.size();
        if (before > largest_text)
            return bad_input(fmt::format("larger than {} MiB", largest_text >> 20), Place{file, 0, {}}, {}, "a smaller file; only profiler traces are read in pieces");
        text.resize(before + window);
        const std::size_t n = source.read(text.data() + before, window);
        text.resize(before + n);
        if (n == 0)
            return text;
        if (progress.stopped())
            return Error{ErrorKind::cancelled, Place{file, 0, {}}, "reading was cancelled", {}, {}, {}};
        progress.at(source.fraction());
    }
}

Expected<std::vector<Measured>> read_text(std::string_view text, const std::string& file)
{
    if (text.starts_with("\xEF\xBB\xBF"))
        text.remove_prefix(3);
    std::vector<Measured> found;
    std::optional<Error> first_error;
    const bool document = is_document(text);
    for (const TextFormat& format : all_formats()) {
        if (!format.recognises(text))
            continue;
        Expected<Measured> one = format.read(text, file);
        if (one) {
            found.push_back(std::move(*one));
            if (document)
                break;
        } else if (!first_error) {
            first_error = one.error();
        }
    }
    // A table of any kind is the last resort: it says nothing where something better was found.
    if (found.size() > 1)
        std::erase_if(found, [](const Measured& m) { return std::holds_alternative<MeasuredTable>(m.content); });
    if (!found.empty())
        return found;
    if (first_error)
        return *first_error;
    const std::string what = foreign_format(text.substr(0, head_size));
    return bad_input(what.empty() ? "the content is of no format that is known here" : fmt::format("this is {}, which is not read", what), Place{file, 0, {}}, {},
        "a profiler trace, a benchmark's results, a training log or metrics; `ridgepoint-cli trace --formats` lists them");
}

// Any JSON may be a timeline as far as its head goes; only these keys are a timeline's own.
bool names_events(std::string_view head)
{
    for (const std::string_view key : {"\"traceEvents\"", "\"deviceProperties\"", "\"schemaVersion\"", "\"ph\""})
        if (head.find(key) != std::string_view::npos)
            return true;
    return !is_document(head);
}

Measured of_timeline(Timeline timeline)
{
    Measured m;
    m.file = timeline.file;
    m.format = timeline.format;
    for (const Timeline::Skipped& s : timeline.skipped)
        m.skipped.push_back({s.reason, s.count, s.first_place});
    m.content = std::move(timeline);
    return m;
}

Expected<std::vector<Measured>> read_timeline_source(ByteSource& source, const std::string& file, const Progress& progress)
{
    const auto rules = KernelRules::load_default();
    if (!rules)
        return rules.error();
    Expected<Timeline> timeline = read_timeline(source, file, **rules, progress);
    if (!timeline)
        return timeline.error();
    std::vector<Measured> one;
    one.push_back(of_timeline(std::move(*timeline)));
    return one;
}

Expected<std::vector<Measured>> read_source(ByteSource& source, const std::string& file, const Progress& progress)
{
    const std::string_view head = source.peek(head_size);
    if (head.empty()) {
        const std::string trouble = source.trouble();
        return bad_input(trouble.empty() ? "the file is empty" : trouble, Place{file, 0, {}}, {}, "a measured file");
    }
    const bool may_be_timeline = is_timeline(head);
    if (may_be_timeline && names_events(head))
        return read_timeline_source(source, file, progress);
    const Expected<std::string> text = whole_text(source, file, progress);
    if (!text)
        return text.error();
    Expected<std::vector<Measured>> found = read_text(*text, file);
    if (!found && may_be_timeline) {
        const auto again = bytes_of(*text);
        return read_timeline_source(*again, file, progress);
    }
    if (const std::string trouble = source.trouble(); found && !trouble.empty())
        for (Measured& m : *found)
            skip(m.skipped, trouble, {});
    return found;
}

} // namespace

Expected<std::vector<Measured>> read_measured(const std::string& file, const Progress& progress)
{
    auto source = open_bytes(file);
    if (!source)
        return source.error();
    return read_source(**source, file, progress);
}

Expected<std::vector<Measured>> read_measured_text(std::string_view text, const std::string& file, const Progress& progress)
{
    const auto source = bytes_of(text);
    return read_source(*source, file, progress);
}

nlohmann::json facts_of(const Measured& measured)
{
    if (const auto* timeline = std::get_if<Timeline>(&measured.content)) {
        auto facts = facts_of(*timeline);
        return facts ? std::move(*facts) : nlohmann::json::object();
    }
    return measured.facts;
}

} // namespace ridgepoint

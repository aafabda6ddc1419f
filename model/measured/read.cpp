// From a file to what it holds: containers and BOM are looked through, then the families are asked.

#include <algorithm>

#include <fmt/format.h>

#include "model/measured/archive.h"
#include "model/measured/collector_tags.h"
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
    for (const auto& family : {collective_formats(), counter_formats(), totals_formats(), serving_formats(), training_formats(), metric_formats(), graph_formats(), table_formats()})
        all.insert(all.end(), family.begin(), family.end());
    return all;
}

bool is_document(std::string_view text)
{
    const auto first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos)
        return false;
    if (text.substr(0, 4096).find('\0') != std::string_view::npos)
        return true;
    // A log's line may begin with a tag in brackets: "[default0]:", "[1,0]<stdout>:", "[2025-05-27 15:23:07]".
    const auto second = text.find_first_not_of(" \t\r\n", first + 1);
    return text[first] == '{' || (text[first] == '[' && second != std::string_view::npos && std::string_view("{[\"]").find(text[second]) != std::string_view::npos);
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

bool is_table(const TextFormat& format)
{
    const std::vector<TextFormat> tables = table_formats();
    return std::any_of(tables.begin(), tables.end(), [&](const TextFormat& t) { return t.name == format.name; });
}

// Where a JSON document begins behind other lines: what a shell or a launcher printed into the same file before it.
std::size_t document_behind_lines(std::string_view text)
{
    for (std::size_t at = 0; at < std::min(text.size(), head_size);) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        if (text[at] == '{' || (text[at] == '[' && is_document(text.substr(at, 4096))))
            return at;
        at = end + 1;
    }
    return 0;
}

Expected<std::vector<Measured>> read_text(std::string_view text, const std::string& file, bool as_collected = true);

// What stood behind other lines of a log, or behind the stamps and tags that a log collector puts before every line.
std::optional<std::vector<Measured>> read_collected(std::string_view text, const std::string& file)
{
    const std::string bare = without_collector_tags(text);
    if (!bare.empty())
        if (auto found = read_text(bare, file); found && found->front().format != table_formats().front().name) {
            for (Measured& m : *found)
                m.notes.emplace_back("The stamps or tags that a log collector put before every line were passed over.");
            return std::move(*found);
        }
    const std::size_t at = is_document(text) ? 0 : document_behind_lines(text);
    if (at > 0)
        if (auto found = read_text(text.substr(at), file, false); found && found->front().format != table_formats().front().name) {
            for (Measured& m : *found)
                skip(m.skipped, "lines before the JSON document", "line 1");
            return std::move(*found);
        }
    return std::nullopt;
}

Expected<std::vector<Measured>> read_text(std::string_view text, const std::string& file, bool as_collected)
{
    if (text.starts_with("\xEF\xBB\xBF"))
        text.remove_prefix(3);
    std::vector<Measured> found;
    std::optional<Error> first_error;
    const bool document = is_document(text);
    for (const TextFormat& format : all_formats()) {
        if (is_table(format)) {
            // A table of any kind is the last resort: nothing else was found, and nothing else knew the file and failed.
            if (!found.empty())
                break;
            if (auto collected = as_collected ? read_collected(text, file) : std::nullopt)
                return std::move(*collected);
            if (first_error)
                break;
        }
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
    if (!found.empty())
        return found;
    if (first_error)
        return *first_error;
    const std::string what = foreign_format(text.substr(0, head_size));
    Error error = bad_input(what.empty() ? "the content is of no format that is known here" : fmt::format("this is {}, which is not read", what), Place{file, 0, {}}, {},
        "a profiler trace, a benchmark's results, a training log or metrics; `ridgepoint-cli trace --formats` lists them");
    if (what.find("pickle") != std::string::npos)
        error.hint = "A pickle is a program, so it is not run; write JSON instead (of the NCCL flight recorder: torch._C._distributed_c10d._dump_nccl_trace_json()).";
    else if (what.find("Parquet") != std::string::npos)
        error.hint = "Write the table as CSV instead, or read the report itself: `nsys export --type sqlite`.";
    return error;
}

// Any JSON may be a timeline as far as its head goes: traceEvents may come late. Only these keys are a timeline's own; without
// one, the other formats are asked first.
bool names_events(std::string_view head)
{
    const auto first = head.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
    if (first == std::string_view::npos || (head[first] != '{' && head[first] != '['))
        return true;
    for (const std::string_view key : {"\"traceEvents\"", "\"deviceProperties\"", "\"schemaVersion\"", "\"ph\"", "\"highres-ticks\"", "\"rocprofiler-sdk-tool\""})
        if (head.find(key) != std::string_view::npos)
            return true;
    return false;
}

Measured of_timeline(Timeline timeline)
{
    Measured m;
    m.file = timeline.file;
    m.format = timeline.format;
    for (const Timeline::Skipped& s : timeline.skipped)
        m.skipped.push_back({s.reason, s.count, s.first_place});
    m.notes = timeline.notes;
    m.content = std::move(timeline);
    return m;
}

Expected<std::vector<Measured>> read_source(ByteSource& source, const std::string& file, const Progress& progress, bool in_archive = false);

// Each file of an archive for itself; those that are no measurement are told, and are an error only if all are.
Expected<std::vector<Measured>> read_archive(ByteSource& source, const std::string& file, const Progress& progress)
{
    std::vector<Measured> found;
    std::vector<Skipped> skipped;
    std::optional<Error> first_error;
    nlohmann::json members = nlohmann::json::array();
    std::string trouble;
    const auto visit = [&](const ArchiveMember& member) {
        members.push_back({member.name, member.size});
        const std::string name = file + ":" + member.name;
        if (member.too_large)
            return skip(skipped, fmt::format("file in the archive larger than {} MiB", ArchiveLimits().largest_file >> 20), member.name);
        const auto bytes = bytes_of(member.text);
        Expected<std::vector<Measured>> one = read_source(*bytes, name, {}, true);
        if (one) {
            std::move(one->begin(), one->end(), std::back_inserter(found));
            return;
        }
        skip(skipped, "file in the archive: " + one.error().message, member.name);
        if (!first_error)
            first_error = one.error();
    };
    if (const Status s = each_member(source, file, {}, progress, visit, trouble); !s)
        return s.error();
    if (found.empty())
        return first_error ? *first_error : bad_input("the archive holds no file that could be read", Place{file, 0, {}}, {}, "an archive of measured files");
    if (!trouble.empty())
        skip(skipped, trouble, {});
    for (Measured& m : found) {
        m.facts["archive_members"] = members;
        m.skipped.insert(m.skipped.end(), skipped.begin(), skipped.end());
    }
    return found;
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

Expected<std::vector<Measured>> read_source(ByteSource& source, const std::string& file, const Progress& progress, bool in_archive)
{
    const std::string_view head = source.peek(head_size);
    if (head.empty()) {
        const std::string trouble = source.trouble();
        return bad_input(trouble.empty() ? "the file is empty" : trouble, Place{file, 0, {}}, {}, "a measured file");
    }
    if (!in_archive && is_tar(head))
        return read_archive(source, file, progress);
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

std::vector<std::string> measured_formats()
{
    std::vector<std::string> names;
    for (const TraceFormat& f : trace_formats())
        names.emplace_back(f.name);
    for (const TextFormat& f : all_formats())
        names.emplace_back(f.name);
    return names;
}

nlohmann::json facts_of(const Measured& measured)
{
    if (const auto* timeline = std::get_if<Timeline>(&measured.content)) {
        auto facts = facts_of(*timeline);
        if (facts)
            facts->update(measured.facts);
        return facts ? std::move(*facts) : measured.facts;
    }
    return measured.facts;
}

} // namespace ridgepoint

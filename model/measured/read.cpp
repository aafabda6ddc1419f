// From a file to what it holds: containers and BOM are looked through, then the families are asked.

#include <algorithm>

#include <fmt/format.h>

#include "model/measured/archive.h"
#include "model/measured/log_text.h"
#include "model/measured/measured.h"
#include "model/trace/byte_source.h"
#include "model/trace/facts.h"
#include "model/trace/format.h"

namespace ridgepoint {
namespace {

constexpr std::size_t head_size = std::size_t{64} << 10;

struct AnyFormat {
    TextFormat format;
    bool reads_logs; // knows what launchers put before lines, and keeps the processes apart by it
};

std::vector<AnyFormat> all_formats()
{
    std::vector<AnyFormat> all;
    const auto add = [&](const std::vector<TextFormat>& family, bool reads_logs) {
        for (const TextFormat& f : family)
            all.push_back({f, reads_logs});
    };
    add(collective_formats(), true);
    add(counter_formats(), false);
    add(totals_formats(), false);
    add(serving_formats(), true);
    add(training_formats(), true);
    add(metric_formats(), false);
    add(graph_formats(), false);
    add(table_formats(), false);
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

// A column of times makes any table one of time series: another tool's table is its own.
bool is_series_table(const TextFormat& format) { return format.name == series_table_name; }

bool holds_table(const std::vector<Measured>& found)
{
    return std::any_of(found.begin(), found.end(), [](const Measured& m) { return std::holds_alternative<MeasuredTable>(m.content); });
}

// `bare`: what a launcher or a log collector put before every line has been taken off.
Expected<std::vector<Measured>> read_text(std::string_view text, const std::string& file, bool bare = false)
{
    if (text.starts_with("\xEF\xBB\xBF"))
        text.remove_prefix(3);
    std::vector<Measured> found;
    std::optional<Error> first_error;
    const bool document = is_document(text);
    const std::string plain = document || bare ? std::string() : without_line_prefixes(text);
    for (const auto& [format, reads_logs] : all_formats()) {
        if (is_table(format)) {
            // A table of any kind is the last resort: nothing else was found, and nothing else knew the file and failed.
            if (!found.empty())
                break;
            if (!plain.empty())
                if (auto again = read_text(plain, file, true); again && !holds_table(*again))
                    return again;
            if (first_error)
                break;
        }
        if (is_series_table(format) && !found.empty())
            continue;
        const std::string_view own = !reads_logs && !plain.empty() && format.recognises(plain) ? std::string_view(plain) : text;
        if (!format.recognises(own))
            continue;
        Expected<Measured> one = format.read(own, file);
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

enum class Inside { nothing, archive, log };
Expected<std::vector<Measured>> read_source(ByteSource& source, const std::string& file, const Progress& progress, Inside inside = Inside::nothing);

// A document or a table behind lines of a launcher. Those become blank, so that places stay true.
std::optional<std::vector<Measured>> read_behind_lines(std::string& text, const std::string& file, const Progress& progress)
{
    for (const std::size_t start : data_starts(text)) {
        const auto lines = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(start), '\n');
        std::replace_if(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(start), [](char c) { return c != '\n'; }, ' ');
        const auto source = bytes_of(text);
        Expected<std::vector<Measured>> found = read_source(*source, file, progress, Inside::log);
        if (!found || holds_table(*found))
            continue;
        for (Measured& m : *found)
            m.notes.push_back(fmt::format("The data begin at line {}; what stands in front is not read.", lines + 1));
        return std::move(*found);
    }
    return std::nullopt;
}

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
        Expected<std::vector<Measured>> one = read_source(*bytes, name, {}, Inside::archive);
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

Expected<std::vector<Measured>> read_source(ByteSource& source, const std::string& file, const Progress& progress, Inside inside)
{
    const std::string_view head = source.peek(head_size);
    if (head.empty()) {
        const std::string trouble = source.trouble();
        return bad_input(trouble.empty() ? "the file is empty" : trouble, Place{file, 0, {}}, {}, "a measured file");
    }
    if (inside == Inside::nothing && is_tar(head))
        return read_archive(source, file, progress);
    const bool may_be_timeline = is_timeline(head);
    if (may_be_timeline && names_events(head))
        return read_timeline_source(source, file, progress);
    Expected<std::string> text = whole_text(source, file, progress);
    if (!text)
        return text.error();
    Expected<std::vector<Measured>> found = read_text(*text, file);
    if (!found && may_be_timeline) {
        const auto again = bytes_of(*text);
        return read_timeline_source(*again, file, progress);
    }
    if (!found && inside != Inside::log && found.error().kind != ErrorKind::cancelled) {
        std::string plain = without_line_prefixes(*text);
        if (auto behind = read_behind_lines(*text, file, progress))
            return std::move(*behind);
        if (auto behind = read_behind_lines(plain, file, progress))
            return std::move(*behind);
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
    for (const AnyFormat& f : all_formats())
        names.emplace_back(f.format.name);
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

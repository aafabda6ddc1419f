// PyTorch profiler (Kineto) traces: a Chrome JSON object with metadata around traceEvents, or the bare array of events.

#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "model/trace/assemble.h"
#include "model/trace/event_borders.h"
#include "model/trace/format.h"
#include "model/trace/json_stream.h"
#include "model/trace/lenient_events.h"
#include "model/trace/number_text.h"
#include "model/trace/strict_events.h"

namespace ridgepoint {
namespace {

constexpr std::size_t window_size = 256U << 10; // stays in the second-level cache together with its index
constexpr std::size_t largest_event = 64U << 20;
constexpr std::size_t metadata_kept = 4U << 20; // of one top-level value
constexpr std::size_t longest_key = 4096;

class KinetoReader {
public:
    KinetoReader(ByteSource& source, const std::string& file, const KernelRules& rules, const Progress& progress)
        : m_source(source), m_stream(source, progress), m_file(file), m_rules(rules), m_progress(progress)
    {
    }

    Expected<Timeline> read()
    {
        m_stream.fill(3);
        if (m_stream.size() >= 3 && std::string_view(m_stream.begin(), 3) == "\xef\xbb\xbf")
            m_stream.consume(3);
        const int first = m_stream.next();
        if (first == '[') {
            m_stream.consume(1);
            m_bare = true;
            if (!read_events())
                return cancelled();
        } else if (first != '{') { // nothing may be left to consume
            return m_progress.stopped() ? cancelled() : bad_input("neither an object nor a list of events", Place{m_file, 0, {}}, {}, "a PyTorch profiler trace");
        } else if (const Status s = read_object(); !s) {
            return m_progress.stopped() ? cancelled() : s.error();
        }
        read_rest();
        return finish();
    }

private:
    Error cancelled() const { return Error{ErrorKind::cancelled, Place{m_file, 0, {}}, "reading was cancelled", {}, {}, {}}; }

    // White space; the container's end is reached only by reading it.
    void read_rest()
    {
        if (m_stream.next() >= 0) {
            if (!m_truncated) // the cut event is said already
                m_table.skip("text behind the end of the trace", m_stream.offset(), false);
            while (m_stream.size() > 0) {
                m_stream.consume(m_stream.size());
                m_stream.fill(window_size);
            }
        }
    }

    void end_early(std::string_view what)
    {
        m_truncated = true;
        m_table.skip(what, m_stream.offset(), false);
    }

    Status read_object()
    {
        m_stream.consume(1); // {
        bool have_events = false;
        for (;;) {
            if (m_progress.stopped())
                return cancelled();
            int c = m_stream.next();
            while (c == ',') {
                m_stream.consume(1);
                c = m_stream.next();
            }
            if (c < 0) {
                if (have_events)
                    end_early("the file ends before its closing bracket");
                break;
            }
            if (c == '}') {
                m_stream.consume(1);
                break;
            }
            std::string key;
            if (c != '"' || !m_stream.skip_value(&key, longest_key) || m_stream.next() != ':') {
                if (!have_events)
                    return bad_input(fmt::format("the JSON is broken at byte {}, before any traceEvents", m_stream.offset()), Place{m_file, 0, {}});
                m_table.skip("what follows the events is not JSON and was not read", m_stream.offset(), false);
                m_truncated = m_truncated || m_stream.at_end();
                break;
            }
            m_stream.consume(1); // :
            key = plain_text(key);
            m_keys.size() < 64 ? m_keys.push_back(key) : void();
            if (key == "traceEvents" && m_stream.next() == '[') {
                m_stream.consume(1);
                have_events = true;
                if (!read_events())
                    return cancelled();
                if (m_truncated)
                    break;
                continue;
            }
            const bool wanted = key == "deviceProperties" || key == "computeProperties" || key == "distributedInfo" || key == "baseTimeNanoseconds"
                || key == "with_stack" || key == "record_shapes" || key == "schemaVersion" || key == "displayTimeUnit";
            std::string text;
            if (!m_stream.skip_value(wanted ? &text : nullptr, metadata_kept)) {
                if (!have_events)
                    return bad_input(fmt::format("the file ends inside \"{}\", before any traceEvents", key), Place{m_file, 0, {}});
                end_early("the file ends inside its metadata");
            }
            if (wanted)
                m_metadata[key] = std::move(text);
        }
        if (have_events)
            return Done{};
        std::string keys;
        for (std::size_t i = 0; i < std::min<std::size_t>(m_keys.size(), 12); ++i)
            keys += (i ? ", " : "") + m_keys[i];
        return bad_input("this JSON file has no traceEvents", Place{m_file, 0, {}}, keys.empty() ? "an empty object" : "the keys " + keys,
            "a PyTorch profiler trace");
    }

    // The elements of the array whose bracket was just consumed. False: cancelled.
    bool read_events()
    {
        StrictEvents strict;
        std::size_t want = window_size;
        for (;;) {
            if (m_progress.stopped())
                return false;
            report();
            m_stream.fill(want);
            if (m_table.rows().events == 0 && fractions_are_unpadded({m_stream.begin(), m_stream.size()})) {
                m_table.read_fractions_as_nanoseconds();
                m_table.skip("times written without leading zeros (PyTorch nightlies of March 2024): fractions are read as nanoseconds", m_stream.offset(), false);
            }
            char* const begin = m_stream.begin();
            const char* const end = m_stream.end();
            const char* const comma = last_event_comma(begin, end);
            const char* array_end = nullptr;
            if (comma && strict.scan(begin, begin + (comma - begin), m_stream.offset(), m_table, &array_end)) {
                m_stream.consume(static_cast<std::size_t>((array_end ? array_end : comma + 1) - begin));
                if (array_end)
                    return true;
                want = window_size;
                continue;
            }
            // Not valid JSON, or the end of the array, or one event that fills the window.
            const LenientScan scan = scan_lenient(begin, end, m_stream.at_end(), m_stream.offset(), m_table);
            const auto used = static_cast<std::size_t>(scan.next - begin);
            m_stream.consume(used);
            if (scan.array_ended)
                return true;
            if (m_stream.at_end()) {
                if (m_stream.size() > 0)
                    end_early("the file ends inside an event");
                else if (!m_bare)
                    end_early("the file ends before its closing bracket");
                return true;
            }
            if (used > 0) {
                want = window_size;
            } else if (want < largest_event) {
                want *= 2;
            } else {
                m_table.skip("event larger than 64 MiB, or text without events", m_stream.offset());
                m_stream.consume(m_stream.size());
                want = window_size;
            }
        }
    }

    void report()
    {
        const double fraction = m_source.fraction();
        if (fraction >= m_reported + 0.005) {
            m_reported = fraction;
            m_progress.at(fraction);
            m_table.make_room(fraction);
        }
    }

    // Metadata that cannot be understood is as good as absent, but it is said.
    nlohmann::json metadata(const char* key)
    {
        const auto found = m_metadata.find(key);
        if (found == m_metadata.end())
            return {};
        nlohmann::json value = nlohmann::json::parse(found->second, nullptr, false);
        if (value.is_discarded()) {
            m_table.skip(fmt::format("metadata \"{}\" is not JSON", key), 0, false);
            return {};
        }
        return value;
    }

    struct Metadata {
        std::string device;
        int devices = 0, rank = -1, world = 0;
        std::int64_t base_ns = 0;
        bool with_stack = false;
        Timeline::Recording recording;
    };

    Metadata take_metadata()
    {
        Metadata m;
        const auto whole = [](const nlohmann::json& j, const char* key, int otherwise) {
            const auto at = j.is_object() ? j.find(key) : j.end();
            if (!j.is_object() || at == j.end() || !at->is_number_integer())
                return otherwise;
            const auto v = at->get<std::int64_t>();
            return v >= 0 && v < (1 << 30) ? static_cast<int>(v) : otherwise;
        };
        nlohmann::json devices = metadata("deviceProperties");
        if (!devices.is_array())
            devices = metadata("computeProperties");
        const nlohmann::json job = metadata("distributedInfo");
        m.rank = whole(job, "rank", -1);
        m.world = whole(job, "world_size", 0);
        m.recording.process_groups = whole(job, "pg_count", -1);
        const auto text = [](const nlohmann::json& j, const char* key) {
            const auto at = j.is_object() ? j.find(key) : j.end();
            return j.is_object() && at != j.end() && at->is_string() ? at->get<std::string>() : std::string();
        };
        m.recording.backend = text(job, "backend");
        m.recording.nccl_version = text(job, "nccl_version");
        if (job.is_object() && job.contains("pg_config") && job["pg_config"].is_array())
            m.recording.process_groups_described = static_cast<int>(std::min<std::size_t>(job["pg_config"].size(), 1 << 20));
        m.recording.schema = whole({{"v", metadata("schemaVersion")}}, "v", -1);
        m.recording.display_unit = text({{"v", metadata("displayTimeUnit")}}, "v");
        if (devices.is_array()) {
            m.devices = static_cast<int>(std::min<std::size_t>(devices.size(), 1 << 20));
            for (const auto& d : devices)
                if (m.device.empty() && d.is_object() && d.contains("name") && d["name"].is_string())
                    m.device = d["name"].get<std::string>();
        }
        if (const auto base = m_metadata.find("baseTimeNanoseconds"); base != m_metadata.end())
            m.base_ns = whole_number(base->second).value_or(0);
        const nlohmann::json stack = metadata("with_stack");
        m.with_stack = (stack.is_number() && stack != 0) || (stack.is_boolean() && stack.get<bool>());
        return m;
    }

    Expected<Timeline> finish()
    {
        if (m_progress.stopped())
            return cancelled();
        if (const std::string trouble = m_source.trouble(); !trouble.empty()) {
            m_table.skip(trouble, m_stream.offset(), false);
            m_truncated = m_truncated || trouble.find("early") != std::string::npos || trouble.find("damaged") != std::string::npos;
        }
        Metadata m = take_metadata();
        std::optional<Timeline> assembled = assemble(m_table.take(), m_rules, m_progress);
        if (!assembled)
            return cancelled();
        Timeline& t = *assembled;
        t.file = m_file;
        t.format = "PyTorch profiler trace";
        t.device_name = m.device;
        t.devices_listed = m.devices;
        t.rank = m.rank;
        m.recording.phases = std::move(t.recording.phases);
        m.recording.categories = std::move(t.recording.categories);
        t.recording = std::move(m.recording);
        t.world_size = m.world;
        t.base_ns = m.base_ns;
        t.with_stack = m.with_stack;
        t.truncated = m_truncated;
        t.text_bytes = static_cast<std::int64_t>(m_stream.offset());
        m_progress.at(1);
        return std::move(t);
    }

    ByteSource& m_source;
    JsonStream m_stream;
    const std::string& m_file;
    const KernelRules& m_rules;
    const Progress& m_progress;
    EventTable m_table;
    std::map<std::string, std::string> m_metadata;
    std::vector<std::string> m_keys;
    bool m_bare = false;
    bool m_truncated = false;
    double m_reported = 0;
};

bool recognises(std::string_view head)
{
    if (head.starts_with("\xef\xbb\xbf"))
        head.remove_prefix(3);
    const auto first = head.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos)
        return false;
    if (head[first] == '{')
        return true; // the key traceEvents may come late
    return head[first] == '[' && head.find("\"ph\"") != std::string_view::npos;
}

Expected<Timeline> read_kineto(ByteSource& source, const std::string& file, const KernelRules& rules, const Progress& progress)
{
    return KinetoReader(source, file, rules, progress).read();
}

} // namespace

TraceFormat kineto_format() { return {"PyTorch profiler trace", recognises, read_kineto, true}; }

} // namespace ridgepoint

// The trace.json.gz that JAX and the XLA profiler write beside the xplane.pb: a Chrome trace whose events have no
// category. A GPU is known only by its process name "/device:GPU:N", a stream by its thread name. The last element is
// an empty object; more than a million events are cut by the writer.

#include <algorithm>
#include <map>
#include <unordered_map>

#include <fmt/format.h>

#include "model/trace/format.h"
#include "model/trace/json_elements.h"
#include "model/trace/table_events.h"
#include "model/trace/xla_timeline.h"

namespace ridgepoint {
namespace {

using Json = nlohmann::json;

constexpr std::int64_t writers_limit = 1'000'000; // events the XLA converter writes at most

// Microseconds as written to picoseconds, exactly: the writer gives six decimals.
std::optional<std::int64_t> picoseconds(const Json& value)
{
    if (value.is_number_integer()) {
        const auto us = value.get<std::int64_t>();
        std::int64_t ps = 0;
        return __builtin_mul_overflow(us, std::int64_t{1'000'000}, &ps) ? std::nullopt : std::optional(ps);
    }
    if (!value.is_string())
        return std::nullopt;
    const std::string& text = value.get_ref<const std::string&>();
    std::int64_t ps = 0;
    int decimals = -1;
    bool digits = false;
    const bool negative = text.starts_with('-');
    for (const char c : std::string_view(text).substr(negative ? 1 : 0)) {
        if (c == '.' && decimals < 0) {
            decimals = 0;
        } else if (c >= '0' && c <= '9') {
            digits = true;
            if (decimals >= 6)
                continue;
            decimals += decimals >= 0 ? 1 : 0;
            if (__builtin_mul_overflow(ps, 10, &ps) || __builtin_add_overflow(ps, c - '0', &ps))
                return std::nullopt;
        } else {
            return scaled_whole(text, 1e6); // an exponent
        }
    }
    for (int d = std::max(decimals, 0); d < 6; ++d)
        if (__builtin_mul_overflow(ps, 10, &ps))
            return std::nullopt;
    return digits ? std::optional(negative ? -ps : ps) : std::nullopt;
}

std::string text_at(const Json& object, const char* key)
{
    const auto at = object.find(key);
    return at != object.end() && at->is_string() ? at->get<std::string>() : std::string();
}

// Thread ids may use all 64 bits.
std::uint64_t id_at(const Json& object, const char* key)
{
    const auto at = object.find(key);
    if (at == object.end())
        return 0;
    if (at->is_number_unsigned())
        return at->get<std::uint64_t>();
    if (at->is_number_integer())
        return static_cast<std::uint64_t>(at->get<std::int64_t>());
    return at->is_string() ? std::hash<std::string>{}(at->get_ref<const std::string&>()) : 0;
}

class XlaReader : public JsonElements {
public:
    explicit XlaReader(const std::string& file, const KernelRules& rules) : m_file(file), m_rules(rules) {}

    Expected<Timeline> read(ByteSource& source, const Progress& progress)
    {
        const Result walked = walk(source, {"/traceEvents/*"}, progress);
        if (walked.cancelled)
            return Error{ErrorKind::cancelled, Place{m_file, 0, {}}, "reading was cancelled", {}, {}, {}};
        if (!m_seen)
            return bad_input(walked.complete ? "this JAX trace has no events" : walked.trouble, Place{m_file, 0, "/traceEvents"}, {}, "the trace.json.gz of the JAX profiler");
        add_events();
        TimelineBuilder& builder = m_xla.builder();
        if (!walked.complete)
            builder.skip(walked.trouble + "; what stood before is kept", fmt::format("byte {}", walked.bytes));
        if (const std::string trouble = source.trouble(); !trouble.empty())
            builder.skip(trouble, {});
        Timeline t = m_xla.build(m_rules, {{"X_events", m_complete_events}});
        t.file = m_file;
        t.format = "JAX/XLA trace (JSON)";
        t.truncated = !walked.complete;
        t.text_bytes = static_cast<std::int64_t>(walked.bytes);
        if (m_complete_events >= writers_limit)
            t.notes.push_back("The profiler writes at most 1,000,000 events here, sorted by start: a longer capture is cut without a word. The xplane.pb beside it has all of them.");
        return t;
    }

protected:
    void too_large(std::size_t, std::uint64_t byte) override { m_xla.builder().skip("event that is too large", fmt::format("byte {}", byte)); }

    // Names of processes may stand behind the events: events of streams are kept until all is known.
    void element(std::size_t, Json v, std::uint64_t byte) override
    {
        m_seen = true;
        if (!v.is_object() || v.empty())
            return;
        const std::string phase = text_at(v, "ph");
        if (phase == "M") {
            const auto args = v.find("args");
            const std::string name = args != v.end() && args->is_object() ? text_at(*args, "name") : std::string();
            if (text_at(v, "name") == "process_name" && m_processes.size() < 100'000)
                m_processes[id_at(v, "pid")] = name;
            else if (text_at(v, "name") == "thread_name" && m_threads.size() < 1'000'000)
                m_threads[{id_at(v, "pid"), id_at(v, "tid")}] = name;
            return;
        }
        if (phase != "X") {
            m_xla.builder().pass();
            return;
        }
        ++m_complete_events;
        const std::uint64_t pid = id_at(v, "pid"), tid = id_at(v, "tid");
        if (const auto known = m_processes.find(pid); known != m_processes.end() && gpu_number(known->second) < 0)
            return m_xla.builder().pass(); // a host thread: most of the file
        const auto start = v.contains("ts") ? picoseconds(v["ts"]) : std::nullopt, duration = v.contains("dur") ? picoseconds(v["dur"]) : std::nullopt;
        if (!start || !duration) {
            m_xla.builder().pass();
            m_xla.builder().skip("event without a start or a duration", fmt::format("byte {}", byte));
            return;
        }
        m_events.push_back({pid, tid, *start, *duration == 1 ? 0 : *duration, byte, intern(text_at(v, "name"))}); // 1 ps stands for none
    }

private:
    struct Event {
        std::uint64_t pid, tid;
        std::int64_t start, duration;
        std::uint64_t byte;
        std::uint32_t name;
    };

    std::uint32_t intern(std::string name)
    {
        const auto [at, fresh] = m_name_ids.emplace(std::move(name), static_cast<std::uint32_t>(m_names.size()));
        if (fresh)
            m_names.push_back(at->first);
        return at->second;
    }

    void add_events()
    {
        for (const Event& e : m_events) {
            const auto process = m_processes.find(e.pid);
            const auto thread = m_threads.find({e.pid, e.tid});
            if (process == m_processes.end() || thread == m_threads.end() || gpu_number(process->second) < 0) {
                m_xla.builder().pass();
                continue;
            }
            const std::string& line = thread->second;
            if (is_stream_line(line))
                m_xla.add(process->second, line, m_names[e.name], e.start, e.duration, -1, fmt::format("byte {}", e.byte));
            else {
                m_xla.builder().pass();
                if (line == "Steps")
                    m_xla.add_step(m_names[e.name], e.start, e.duration);
            }
        }
    }

    const std::string& m_file;
    const KernelRules& m_rules;
    XlaTimeline m_xla;
    std::unordered_map<std::uint64_t, std::string> m_processes;
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::string> m_threads;
    std::vector<Event> m_events;
    std::unordered_map<std::string, std::uint32_t> m_name_ids;
    std::vector<std::string> m_names;
    std::int64_t m_complete_events = 0;
    bool m_seen = false;
};

bool recognises(std::string_view head)
{
    const auto has = [&](std::string_view what) { return head.find(what) != std::string_view::npos; };
    if (head.find_first_not_of(" \t\r\n\xef\xbb\xbf") != head.find('{') || !has("\"traceEvents\""))
        return false;
    // Kineto writes none of these; its own keys win where a tool has joined both.
    const bool kineto = has("\"deviceProperties\"") || has("\"schemaVersion\"") || has("\"cat\"");
    return !kineto && (has("\"highres-ticks\"") || has("\"/device:GPU:") || has("\"/host:CPU\""));
}

Expected<Timeline> read_xla_json(ByteSource& source, const std::string& file, const KernelRules& rules, const Progress& progress)
{
    return XlaReader(file, rules).read(source, progress);
}

} // namespace

TraceFormat xla_json_format() { return {"JAX/XLA trace (JSON)", recognises, read_xla_json, false}; }

} // namespace ridgepoint

// The results.json of rocprof (v1, --hip-trace and the like): a Chrome trace without categories, its numbers as text. A GPU is a
// process called "5 GPU0", copies one called "0 COPY"; args have the exact nanoseconds. Source: ROCm/rocprofiler, bin/tblextr.py.

#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "model/trace/format.h"
#include "model/trace/json_elements.h"
#include "model/trace/table_events.h"
#include "model/trace/timeline_builder.h"

namespace ridgepoint {
namespace {

using Json = nlohmann::json;

// Of text or a number, times a scale; none if it is neither.
std::optional<std::int64_t> whole_at(const Json& object, const char* key, double scale = 1)
{
    const auto at = object.find(key);
    if (at == object.end() || (!at->is_string() && !at->is_number()))
        return std::nullopt;
    return scaled_whole(at->is_string() ? at->get<std::string>() : at->dump(), scale);
}

std::string text_at(const Json& object, const char* key)
{
    const auto at = object.find(key);
    return at == object.end() ? std::string() : at->is_string() ? at->get<std::string>() : at->dump();
}

class RocprofReader : public JsonElements {
public:
    explicit RocprofReader(const std::string& file) : m_file(file) {}

    Expected<Timeline> read(ByteSource& source, const KernelRules& rules, const Progress& progress)
    {
        const Result walked = walk(source, {"/traceEvents/*"}, progress);
        if (walked.cancelled)
            return Error{ErrorKind::cancelled, Place{m_file, 0, {}}, "reading was cancelled", {}, {}, {}};
        if (!walked.complete)
            m_builder.skip(walked.trouble + "; what stood before is kept", fmt::format("byte {}", walked.bytes));
        if (const std::string trouble = source.trouble(); !trouble.empty())
            m_builder.skip(trouble, {});
        Timeline t = m_builder.build(rules);
        t.file = m_file;
        t.format = "rocprof trace (JSON)";
        t.truncated = !walked.complete;
        t.text_bytes = static_cast<std::int64_t>(walked.bytes);
        t.own_facts = std::make_shared<const Json>(Json{{"n_kernel_dispatch", m_dispatches}, {"sum_ns", m_sum_ns}, {"distinct", m_distinct.size()}, {"n_memory_copy", m_copies}, {"memory_copy_ns", m_copies_ns}});
        return t;
    }

protected:
    void too_large(std::size_t, std::uint64_t byte) override { m_builder.skip("event that is too large", fmt::format("byte {}", byte)); }

    void element(std::size_t, Json v, std::uint64_t byte) override
    {
        if (!v.is_object() || v.empty())
            return;
        const std::string phase = text_at(v, "ph"), process = text_at(v, "pid");
        const auto found = v.find("args");
        const Json args = found != v.end() && found->is_object() ? *found : Json::object();
        if (phase == "M" && text_at(v, "name") == "process_name" && m_processes.size() < 100'000)
            m_processes[process] = text_at(args, "name");
        const std::string& name = m_processes[process];
        const auto gpu = name.find("GPU");
        const bool on_gpu = gpu != std::string::npos && gpu + 3 < name.size() && name[gpu + 3] >= '0' && name[gpu + 3] <= '9';
        const bool copy = !on_gpu && name.find("COPY") != std::string::npos;
        if (phase != "X" || (!on_gpu && !copy))
            return m_builder.pass();
        GpuEvent e;
        const std::string place = fmt::format("byte {}", byte);
        const auto begin = whole_at(args, "BeginNs"), end = whole_at(args, "EndNs"), start = begin ? begin : whole_at(v, "ts", 1e3), duration = whole_at(v, "dur", 1e3);
        const bool exact = begin && end && !__builtin_sub_overflow(*end, *begin, &e.duration_ns);
        if (!exact && (!start || !duration)) {
            m_builder.pass();
            return m_builder.skip("event without a start or a duration", place);
        }
        if (!exact)
            e.duration_ns = *duration;
        const std::string event = text_at(v, "name");
        e.name = event;
        e.start_ns = *start;
        e.category = copy || event.find("Memcpy") != std::string::npos || event.starts_with("Copy") ? EventCategory::gpu_copy : EventCategory::kernel;
        e.device = whole_at(args, "dev-id").value_or(0);
        e.stream = whole_at(args, "queue-id").value_or(whole_at(v, "tid").value_or(0));
        if (!m_builder.add(e, place))
            return;
        const bool kernel = e.category == EventCategory::kernel;
        ++(kernel ? m_dispatches : m_copies);
        (kernel ? m_sum_ns : m_copies_ns) += e.duration_ns;
        if (kernel && m_distinct.size() < 1'000'000)
            m_distinct.insert(event);
    }

private:
    const std::string& m_file;
    TimelineBuilder m_builder;
    std::unordered_map<std::string, std::string> m_processes;
    std::unordered_set<std::string> m_distinct;
    std::int64_t m_dispatches = 0, m_sum_ns = 0, m_copies = 0, m_copies_ns = 0;
};

bool recognises(std::string_view head)
{
    const auto has = [&](std::string_view what) { return head.find(what) != std::string_view::npos; };
    return has("\"traceEvents\"") && has("\"process_name\"") && (has("\"BeginNs\"") || has("\"DurationNs\"")) && !has("\"deviceProperties\"") && !has("\"schemaVersion\"");
}

Expected<Timeline> read_rocprof_chrome(ByteSource& source, const std::string& file, const KernelRules& rules, const Progress& progress)
{
    return RocprofReader(file).read(source, rules, progress);
}

} // namespace

TraceFormat rocprof_chrome_format() { return {"rocprof trace (JSON)", recognises, read_rocprof_chrome, false}; }

} // namespace ridgepoint

// rocprofv3 `--output-format json`: {"rocprofiler-sdk-tool": [{agents, kernel_symbols, strings, buffer_records{...}}]}, one
// element per process. Names and devices are numbers into tables that stand before the records.
// Source: the output schema of rocprofv3 in the ROCprofiler-SDK documentation.

#include <algorithm>
#include <map>
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

const std::string root = "/rocprofiler-sdk-tool/*";

enum Path : std::size_t { agents, symbols, names, dispatches, copies, hip_calls, hsa_calls, counted, paths };
const std::vector<std::string> path_texts{root + "/agents/*", root + "/kernel_symbols/*", root + "/strings/buffer_records/*", root + "/buffer_records/kernel_dispatch/*",
    root + "/buffer_records/memory_copy/*", root + "/buffer_records/hip_api/*", root + "/buffer_records/hsa_api/*", root + "/callback_records/counter_collection/*"};
static_assert(paths == 8);

// A whole number at a path of keys ("dispatch_info", "agent_id", "handle"); none if absent or no number.
std::optional<std::int64_t> whole_at(const Json& value, std::initializer_list<const char*> keys)
{
    const Json* at = &value;
    for (const char* key : keys) {
        if (!at->is_object())
            return std::nullopt;
        const auto found = at->find(key);
        if (found == at->end())
            return std::nullopt;
        at = &*found;
    }
    if (at->is_number_unsigned()) // handles may use all 64 bits: only their identity matters
        return static_cast<std::int64_t>(at->get<std::uint64_t>());
    if (at->is_number_integer())
        return at->get<std::int64_t>();
    if (at->is_string())
        return scaled_whole(at->get_ref<const std::string&>(), 1);
    return std::nullopt;
}

std::string text_of(const Json& value, std::initializer_list<const char*> keys)
{
    for (const char* key : keys)
        if (value.is_object())
            if (const auto at = value.find(key); at != value.end() && at->is_string() && !at->get_ref<const std::string&>().empty())
                return at->get<std::string>();
    return {};
}

class RocprofReader : public JsonElements {
public:
    explicit RocprofReader(const std::string& file, const KernelRules& rules) : m_file(file), m_rules(rules) {}

    Expected<Timeline> read(ByteSource& source, const Progress& progress)
    {
        const Result walked = walk(source, path_texts, progress);
        if (walked.cancelled)
            return Error{ErrorKind::cancelled, Place{m_file, 0, {}}, "reading was cancelled", {}, {}, {}};
        if (m_top.empty())
            return bad_input(walked.complete ? "this rocprofv3 file has no process in it" : walked.trouble, Place{m_file, 0, "/rocprofiler-sdk-tool"}, {}, "the JSON of `rocprofv3 --output-format json`");
        add_events();
        if (!walked.complete)
            m_builder.skip(walked.trouble + "; what stood before is kept", fmt::format("byte {}", walked.bytes));
        if (const std::string trouble = source.trouble(); !trouble.empty())
            m_builder.skip(trouble, {});
        const Json own = facts();
        Timeline t = m_builder.build(m_rules);
        t.file = m_file;
        t.format = "rocprofv3 trace (JSON)";
        t.device_name = m_device_name;
        t.devices_listed = static_cast<int>(m_gpus.size());
        t.truncated = !walked.complete;
        t.text_bytes = static_cast<std::int64_t>(walked.bytes);
        if (m_dispatches == 0 && !m_records.empty())
            t.notes.push_back("Kernels were recorded only together with hardware counters, which are collected one kernel at a time: gaps between kernels are the profiler's.");
        t.own_facts = std::make_shared<const Json>(own);
        return t;
    }

protected:
    void key(std::string_view prefix, const std::string& k) override
    {
        if (prefix == root && m_top.size() < 64 && std::find(m_top.begin(), m_top.end(), k) == m_top.end())
            m_top.push_back(k);
    }
    void array(std::string_view prefix, const std::string& k, std::int64_t count) override
    {
        if (prefix == root + "/buffer_records" && m_counts.size() < 256)
            m_counts[k] += count;
    }
    void too_large(std::size_t, std::uint64_t byte) override { m_builder.skip("record that is too large", fmt::format("byte {}", byte)); }

    void element(std::size_t path, Json v, std::uint64_t byte) override
    {
        switch (path) {
        case agents: return add_agent(v);
        case symbols:
            if (const auto id = whole_at(v, {"kernel_id"}))
                m_symbols.insert_or_assign(*id, text_of(v, {"formatted_kernel_name", "demangled_kernel_name", "kernel_name"}));
            return;
        case names:
            if (const std::string kind = text_of(v, {"kind"}); kind == "MEMORY_COPY" && v.contains("operations") && v["operations"].is_array())
                for (const Json& o : v["operations"])
                    m_copy_names.push_back(o.is_string() ? o.get<std::string>() : std::string());
            return;
        case dispatches: ++m_dispatches; return add_record(v, v, EventCategory::kernel, byte);
        case copies: return add_record(v, v, EventCategory::gpu_copy, byte);
        case counted:
            if (const auto data = v.is_object() ? v.find("dispatch_data") : v.end(); data != v.end() && data->is_object())
                add_record(*data, v, EventCategory::kernel, byte, true);
            return;
        default:
            m_builder.pass();
            if (const auto id = whole_at(v, {"correlation_id", "internal"}), start = whole_at(v, {"start_timestamp"}); id && start)
                m_builder.add_launch(*id, *start);
        }
    }

private:
    struct Record { // a dispatch or copy, before names are known
        std::int64_t start, end, device, stream, correlation, name;
        std::uint64_t byte;
        EventCategory category;
        bool counted;
    };

    void add_agent(const Json& v)
    {
        constexpr int gpu = 2; // HSA_DEVICE_TYPE of the SDK: 1 CPU, 2 GPU
        if (whole_at(v, {"type"}).value_or(0) != gpu)
            return;
        const auto handle = whole_at(v, {"id", "handle"});
        if (handle && m_gpus.size() < 4096 && m_gpus.emplace(*handle, static_cast<std::int64_t>(m_gpus.size())).second && m_device_name.empty())
            m_device_name = text_of(v, {"product_name", "name"});
    }

    void add_record(const Json& v, const Json& outer, EventCategory category, std::uint64_t byte, bool with_counters = false)
    {
        const auto start = whole_at(v, {"start_timestamp"}), end = whole_at(v, {"end_timestamp"});
        if (!start || !end) {
            m_builder.pass();
            m_builder.skip("record without a start or an end", fmt::format("byte {}", byte));
            return;
        }
        Record r{};
        r.start = *start;
        r.end = *end;
        r.category = category;
        r.counted = with_counters;
        r.byte = byte;
        r.correlation = whole_at(v, {"correlation_id", "internal"}).value_or(-1);
        if (category == EventCategory::kernel) {
            r.device = whole_at(v, {"dispatch_info", "agent_id", "handle"}).value_or(0);
            r.name = whole_at(v, {"dispatch_info", "kernel_id"}).value_or(-1);
            const auto stream = whole_at(outer, {"stream_id", "handle"}), queue = whole_at(v, {"dispatch_info", "queue_id", "handle"});
            r.stream = stream && *stream != 0 ? *stream : queue.value_or(0);
        } else {
            const auto to = whole_at(v, {"dst_agent_id", "handle"}), from = whole_at(v, {"src_agent_id", "handle"});
            r.device = to && m_gpus.contains(*to) ? *to : from.value_or(0);
            r.name = whole_at(v, {"operation"}).value_or(-1);
            r.stream = whole_at(v, {"stream_id", "handle"}).value_or(-1);
        }
        m_records.push_back(r);
    }

    void add_events()
    {
        for (const Record& r : m_records) {
            if (r.counted && m_dispatches > 0)
                continue; // the same kernels, twice
            GpuEvent e;
            std::string name;
            if (r.category == EventCategory::kernel) {
                const auto symbol = m_symbols.find(r.name);
                name = symbol != m_symbols.end() && !symbol->second.empty() ? symbol->second : fmt::format("kernel {}", r.name);
            } else {
                name = r.name >= 0 && r.name < static_cast<std::int64_t>(m_copy_names.size()) ? m_copy_names[static_cast<std::size_t>(r.name)] : "";
                if (name.empty())
                    name = "MEMORY_COPY";
            }
            e.name = name;
            e.category = r.category;
            e.start_ns = r.start;
            if (__builtin_sub_overflow(r.end, r.start, &e.duration_ns))
                e.duration_ns = -1;
            const auto gpu = m_gpus.find(r.device);
            e.device = gpu != m_gpus.end() ? gpu->second : r.device;
            e.stream = r.stream;
            e.correlation = r.correlation;
            if (m_builder.add(e, fmt::format("byte {}", r.byte)) && r.category == EventCategory::kernel) {
                ++m_kernels;
                m_sum_ns += e.duration_ns;
                m_distinct.insert(r.name);
            }
        }
    }

    Json facts() const
    {
        return {{"top", m_top}, {"buffer_counts", m_counts}, {"n_kernel_dispatch", m_dispatches > 0 ? m_dispatches : m_kernels}, {"sum_ns", m_sum_ns}, {"distinct", m_distinct.size()}};
    }

    const std::string& m_file;
    const KernelRules& m_rules;
    TimelineBuilder m_builder;
    std::vector<Record> m_records;
    std::vector<std::string> m_top, m_copy_names;
    std::map<std::string, std::int64_t> m_counts;
    std::unordered_map<std::int64_t, std::string> m_symbols;
    std::unordered_map<std::int64_t, std::int64_t> m_gpus; // agent handle -> number among the GPUs
    std::unordered_set<std::int64_t> m_distinct;
    std::string m_device_name;
    std::int64_t m_dispatches = 0, m_kernels = 0, m_sum_ns = 0;
};

bool recognises(std::string_view head) { return head.find("\"rocprofiler-sdk-tool\"") != std::string_view::npos && head.find_first_not_of(" \t\r\n\xef\xbb\xbf") == head.find('{'); }

Expected<Timeline> read_rocprof_json(ByteSource& source, const std::string& file, const KernelRules& rules, const Progress& progress)
{
    return RocprofReader(file, rules).read(source, progress);
}

} // namespace

TraceFormat rocprof_json_format() { return {"rocprofv3 trace (JSON)", recognises, read_rocprof_json, false}; }

} // namespace ridgepoint

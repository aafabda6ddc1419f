// Nsight Systems exports (`nsys export --type sqlite`), schema versions 1 to 3. Tables are absent where nothing was
// recorded, columns came and went, names are in the row or in StringIds: each is asked for, none is relied on.
// Source: "SQLite Schema Reference" in the user guide of Nsight Systems.

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "model/trace/format.h"
#include "model/trace/nsys_ranges.h"
#include "model/trace/sqlite_file.h"
#include "model/trace/timeline_builder.h"

namespace ridgepoint {
namespace {

using Row = SqliteFile::Row;

constexpr std::string_view sqlite_magic("SQLite format 3\0", 16);
const std::string kernel_table = "CUPTI_ACTIVITY_KIND_KERNEL", memcpy_table = "CUPTI_ACTIVITY_KIND_MEMCPY", memset_table = "CUPTI_ACTIVITY_KIND_MEMSET",
                  graph_table = "CUPTI_ACTIVITY_KIND_GRAPH_TRACE", runtime_table = "CUPTI_ACTIVITY_KIND_RUNTIME", nvtx_table = "NVTX_EVENTS",
                  strings_table = "StringIds", gpu_table = "TARGET_INFO_GPU";

class NsysReader {
public:
    NsysReader(SqliteFile& db, const std::string& file, const KernelRules& rules, const Progress& progress)
        : m_db(db), m_file(file), m_rules(rules), m_progress(progress)
    {
    }

    Expected<Timeline> read()
    {
        read_versions();
        read_gpus();
        if (const Status s = read_gpu_events(); !s)
            return s.error();
        m_progress.at(0.6);
        if (const Status s = read_launches(); !s)
            return s.error();
        m_progress.at(0.8);
        if (const Status s = read_ranges(); !s)
            return s.error();
        const std::int64_t base = session_start();
        Timeline t = m_builder.build(m_rules);
        t.file = m_file;
        t.format = "Nsight Systems export (SQLite)";
        t.device_name = device_name();
        t.devices_listed = static_cast<int>(m_gpus.size());
        t.base_ns = base;
        t.notes = std::move(m_notes);
        t.truncated = m_truncated;
        t.own_facts = std::make_shared<const nlohmann::json>(facts());
        m_progress.at(1);
        return t;
    }

private:
    struct Sum {
        std::int64_t count = 0, ns = 0, bytes = 0;
        std::int64_t first = std::numeric_limits<std::int64_t>::max(), last = std::numeric_limits<std::int64_t>::min();
        void add(std::int64_t start, std::int64_t end)
        {
            ++count;
            ns += end - start;
            first = std::min(first, start);
            last = std::max(last, end);
        }
    };

    // What a damaged table has before the damage is kept; only being cancelled ends the reading.
    Status rows(const std::string& table, const std::vector<std::string>& columns, const std::function<bool(const Row&)>& visit)
    {
        if (!m_db.has(table))
            return Done{};
        const Status s = m_db.each(table, columns, visit);
        if (s || s.error().kind == ErrorKind::cancelled)
            return s;
        m_builder.skip(fmt::format("the rest of table {}: {}", table, s.error().message), table);
        m_truncated = true;
        return Done{};
    }

    void read_versions()
    {
        for (const char* table : {"META_DATA_EXPORT", "EXPORT_META_DATA"})
            if (m_db.has(table)) {
                m_meta_table = table;
                (void)rows(table, {"name", "value"}, [&](const Row& r) {
                    const std::string_view name = r.text(0);
                    if (name == "EXPORT_SCHEMA_VERSION")
                        m_schema = r.text(1);
                    else if (name == "EXPORT_PRODUCT_VERSION")
                        m_product = r.text(1);
                    else if (name.starts_with("EXPORT_SCHEMA_VERSION_M"))
                        m_schema_parts[std::string(name)] = r.text(1);
                    return true;
                });
                break;
            }
        if (m_schema.empty() && !m_schema_parts.empty())
            m_schema = fmt::format("{}.{}.{}", m_schema_parts["EXPORT_SCHEMA_VERSION_MAJOR"], m_schema_parts["EXPORT_SCHEMA_VERSION_MINOR"], m_schema_parts["EXPORT_SCHEMA_VERSION_MICRO"]);
    }

    void read_gpus()
    {
        (void)rows(gpu_table, {"id", "name", "cuDevice"}, [&](const Row& r) {
            m_gpus.push_back({r.whole(2).value_or(r.whole(0).value_or(-1)), std::string(r.text(1))});
            return m_gpus.size() < 4096;
        });
        if (m_gpus.empty())
            (void)rows("TARGET_INFO_CUDA_DEVICE", {"cudaId", "gpuId", "name"}, [&](const Row& r) {
                m_gpus.push_back({r.whole(0).value_or(r.whole(1).value_or(-1)), std::string(r.text(2))});
                return m_gpus.size() < 4096;
            });
    }

    std::string name_of(const Row& r, int column)
    {
        if (r.is_text(column))
            return std::string(r.text(column));
        const auto id = r.whole(column);
        return id ? string_of(*id) : std::string();
    }

    const std::string& string_of(std::int64_t id)
    {
        const auto found = m_strings.find(id);
        if (found != m_strings.end())
            return found->second;
        std::string text = m_db.has(strings_table) ? m_db.lookup(strings_table, "id", id, "value").value_or("") : "";
        return m_strings.emplace(id, std::move(text)).first->second;
    }

    // Correlation numbers count per process: the process takes the upper part. CUPTI's numbers have 32 bits.
    std::int64_t correlation(std::optional<std::int64_t> number, std::optional<std::int64_t> global_id)
    {
        if (!number || *number < 0 || *number > 0xFFFF'FFFF)
            return -1;
        const std::int64_t process = global_id.value_or(0) >> 24; // the lower bits of a globalTid are the thread
        const auto index = m_processes.emplace(process, static_cast<std::int64_t>(m_processes.size())).first->second;
        return (index << 32) | *number;
    }

    // Columns 0 to 6 of every table of GPU activities.
    static std::vector<std::string> activity(std::vector<std::string> more)
    {
        std::vector<std::string> all{"start", "end", "deviceId", "streamId", "correlationId", "globalPid", "contextId"};
        all.insert(all.end(), more.begin(), more.end());
        return all;
    }

    bool add(const Row& r, EventCategory category, std::string_view name, Sum& sum, const std::string& table)
    {
        const std::string place = fmt::format("{}, row {}", table, ++m_row);
        const auto start = r.whole(0), end = r.whole(1);
        if (!start || !end) {
            m_builder.skip("GPU event without start or end", place);
            return true;
        }
        GpuEvent e;
        e.category = category;
        e.name = name;
        e.start_ns = *start;
        if (__builtin_sub_overflow(*end, *start, &e.duration_ns))
            e.duration_ns = -1;
        e.device = r.whole(2).value_or(0);
        e.stream = r.whole(3).value_or(0);
        e.correlation = correlation(r.whole(4), r.whole(5));
        if (m_builder.add(e, place)) {
            sum.add(*start, *end);
            if (e.correlation >= 0)
                m_wanted.insert(e.correlation);
            if (m_first_device < 0 || *start < m_first_start) {
                m_first_device = e.device;
                m_first_start = *start;
            }
        }
        return m_builder.size() < std::size_t{2'000'000'000};
    }

    Status read_gpu_events()
    {
        m_has_kernels = m_db.has(kernel_table);
        m_row = 0;
        Status s = rows(kernel_table, activity({"demangledName", "shortName", "mangledName", "name"}), [&](const Row& r) {
            std::string name;
            for (int column = 7; column <= 10 && name.empty(); ++column)
                name = name_of(r, column);
            m_distinct.insert(name);
            return add(r, EventCategory::kernel, name.empty() ? "(kernel without a name)" : name, m_kernels, kernel_table);
        });
        if (!s)
            return s;
        std::map<std::int64_t, std::string> labels;
        (void)rows("ENUM_CUDA_MEMCPY_OPER", {"id", "label"}, [&](const Row& r) {
            labels.emplace(r.whole(0).value_or(-1), r.text(1));
            return labels.size() < 1000;
        });
        m_row = 0;
        s = rows(memcpy_table, activity({"bytes", "copyKind"}), [&](const Row& r) {
            const auto label = labels.find(r.whole(8).value_or(-1));
            add_bytes(m_copies, r.whole(7));
            return add(r, EventCategory::gpu_copy, label == labels.end() ? "Memcpy" : "Memcpy " + label->second, m_copies, memcpy_table);
        });
        if (!s)
            return s;
        m_row = 0;
        s = rows(memset_table, activity({"bytes"}), [&](const Row& r) {
            add_bytes(m_fills, r.whole(7));
            return add(r, EventCategory::gpu_fill, "Memset", m_fills, memset_table);
        });
        if (!s)
            return s;
        m_row = 0;
        s = rows(graph_table, activity({"graphId"}), [&](const Row& r) {
            return add(r, EventCategory::kernel, fmt::format("CUDA graph {} (its kernels were not recorded)", r.whole(7).value_or(0)), m_graphs, graph_table);
        });
        if (m_graphs.count > 0)
            m_notes.push_back(fmt::format("{} launches of CUDA graphs were recorded as one event each, without their kernels: record with "
                                          "`nsys profile --cuda-graph-trace=node` to see what ran inside.",
                m_graphs.count));
        if (!m_has_kernels && m_graphs.count == 0)
            m_notes.push_back("No GPU kernel was recorded: the table CUPTI_ACTIVITY_KIND_KERNEL is absent. Record with `--trace=cuda`, and profile the process that launches the kernels.");
        return s;
    }

    static void add_bytes(Sum& sum, std::optional<std::int64_t> bytes)
    {
        if (bytes && *bytes > 0 && *bytes < std::numeric_limits<std::int64_t>::max() - sum.bytes)
            sum.bytes += *bytes;
    }

    Status read_launches()
    {
        std::unordered_map<std::int64_t, bool> graph_names;
        return rows(runtime_table, {"start", "correlationId", "globalTid", "nameId", "globalPid"}, [&](const Row& r) {
            m_builder.pass();
            const std::int64_t key = correlation(r.whole(1), r.is_null(2) ? r.whole(4) : r.whole(2));
            const auto start = r.whole(0);
            if (!start || !m_wanted.contains(key))
                return true;
            const std::int64_t name = r.whole(3).value_or(-1);
            const auto [at, fresh] = graph_names.try_emplace(name, false);
            if (fresh)
                at->second = string_of(name).find("GraphLaunch") != std::string::npos;
            m_builder.add_launch(key, *start, at->second);
            return true;
        });
    }

    Status read_ranges()
    {
        StepRanges steps;
        const Status s = rows(nvtx_table, {"start", "end", "text", "textId", "globalTid", "eventType"}, [&](const Row& r) {
            m_builder.pass();
            const auto start = r.whole(0), end = r.whole(1);
            std::int64_t duration = 0;
            if (!start || !end || __builtin_sub_overflow(*end, *start, &duration))
                return true; // a mark, or a range that was never closed
            ++m_ranges;
            const std::string name = !r.is_null(2) ? std::string(r.text(2)) : r.whole(3) ? string_of(*r.whole(3)) : std::string();
            steps.add(name, *start, duration, r.whole(4).value_or(0));
            return true;
        });
        for (auto& step : steps.take())
            m_builder.add_step(std::move(step.name), step.start_ns, step.duration_ns);
        return s;
    }

    std::int64_t session_start()
    {
        std::int64_t ns = 0;
        (void)rows("TARGET_INFO_SESSION_START_TIME", {"utcEpochNs"}, [&](const Row& r) {
            ns = std::max<std::int64_t>(0, r.whole(0).value_or(0));
            return false;
        });
        return ns;
    }

    std::string device_name() const
    {
        for (const auto& [id, name] : m_gpus)
            if (id == m_first_device)
                return name;
        return m_gpus.empty() ? std::string() : m_gpus.front().second;
    }

    nlohmann::json facts() const
    {
        nlohmann::json gpus = nlohmann::json::array();
        for (const auto& [id, name] : m_gpus)
            gpus.push_back(name);
        nlohmann::json f = {{"meta_table", m_meta_table}, {"schema", m_schema}, {"product", m_product}, {"has_kernel_table", m_has_kernels}, {"gpus", gpus},
            {"n_nvtx_ranges", m_ranges}};
        if (m_has_kernels) {
            f["n_kernels"] = m_kernels.count;
            f["sum_ns"] = m_kernels.ns;
            f["span_ns"] = m_kernels.count > 0 ? m_kernels.last - m_kernels.first : 0;
            f["distinct"] = m_distinct.size();
        }
        if (m_has_kernels || m_db.has(memcpy_table)) {
            f["n_memcpy"] = m_copies.count;
            f["memcpy_ns"] = m_copies.ns;
            f["memcpy_bytes"] = m_copies.bytes;
        }
        if (m_db.has(memset_table)) {
            f["n_memset"] = m_fills.count;
            f["memset_ns"] = m_fills.ns;
            f["memset_bytes"] = m_fills.bytes;
        }
        if (m_db.has(graph_table)) {
            f["n_graph_launches"] = m_graphs.count;
            f["graph_ns"] = m_graphs.ns;
        }
        return f;
    }

    SqliteFile& m_db;
    const std::string& m_file;
    const KernelRules& m_rules;
    const Progress& m_progress;
    TimelineBuilder m_builder;
    std::string m_meta_table, m_schema, m_product;
    std::map<std::string, std::string> m_schema_parts;
    std::vector<std::pair<std::int64_t, std::string>> m_gpus; // CUDA number, name
    std::unordered_map<std::int64_t, std::string> m_strings;
    std::unordered_map<std::int64_t, std::int64_t> m_processes;
    std::unordered_set<std::int64_t> m_wanted; // correlations of GPU events
    std::unordered_set<std::string> m_distinct;
    Sum m_kernels, m_copies, m_fills, m_graphs;
    std::vector<std::string> m_notes;
    std::int64_t m_ranges = 0, m_row = 0;
    std::int64_t m_first_device = -1, m_first_start = 0;
    bool m_has_kernels = false, m_truncated = false;
};

bool recognises(std::string_view head) { return head.starts_with(sqlite_magic); }

Expected<Timeline> read_nsys(ByteSource& source, const std::string& file, const KernelRules& rules, const Progress& progress)
{
    auto db = SqliteFile::open(source, file, progress);
    if (!db)
        return db.error();
    const auto& tables = (*db)->tables();
    const auto begins = [&](std::string_view prefix) { return std::any_of(tables.begin(), tables.end(), [&](const std::string& t) { return t.starts_with(prefix); }); };
    if (begins("rocpd_"))
        return bad_input("this is a rocpd data base of ROCm, which is not read", Place{file, 0, {}}, {}, "its tables as CSV: `rocpd convert --output-format csv -i FILE`");
    const bool nsys = (*db)->has(strings_table) || (*db)->has("META_DATA_EXPORT") || (*db)->has("EXPORT_META_DATA") || (*db)->has(gpu_table) || begins("CUPTI_ACTIVITY_KIND_");
    if (!nsys)
        return bad_input("this SQLite data base is no Nsight Systems export", Place{file, 0, {}}, tables.empty() ? "no tables" : "the table " + *tables.begin(),
            "`nsys export --type sqlite report.nsys-rep`");
    return NsysReader(**db, file, rules, progress).read();
}

} // namespace

TraceFormat nsys_sqlite_format() { return {"Nsight Systems export (SQLite)", recognises, read_nsys, false}; }

} // namespace ridgepoint

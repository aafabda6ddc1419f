// What NCCL's example profiler plug-in writes (plugins/profiler/example): begin and end of collectives, messages, proxy
// steps and kernel channels as Chrome "b" and "e" events. The text is no JSON: numbers in hexadecimal, bare words, no
// closing bracket, lines that run into each other. Each object is scanned for its fields; what is no object is counted.

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <tuple>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "model/trace/format.h"
#include "model/trace/number_text.h"
#include "model/trace/timeline_builder.h"

namespace ridgepoint {
namespace {

constexpr std::size_t largest_event = std::size_t{64} << 10;

// Fields of one object, nested ones included; the first of a name counts. Values are raw tokens without quotes.
class Fields {
public:
    explicit Fields(std::string_view object)
    {
        std::size_t at = 0;
        while ((at = object.find('"', at)) != std::string_view::npos) {
            const std::size_t end = object.find('"', at + 1);
            if (end == std::string_view::npos)
                return;
            const std::string_view key = object.substr(at + 1, end - at - 1);
            std::size_t value = object.find_first_not_of(" \t", end + 1);
            if (value == std::string_view::npos || object[value] != ':') {
                at = end + 1;
                continue;
            }
            value = object.find_first_not_of(" \t", value + 1);
            if (value == std::string_view::npos)
                return;
            const bool quoted = object[value] == '"';
            const std::size_t begin = value + (quoted ? 1 : 0);
            const std::size_t stop = std::min(quoted ? object.find('"', begin) : object.find_first_of(",}{] \t", begin), object.size());
            if (m_fields.size() < 64)
                m_fields.emplace_back(key, object.substr(begin, stop - begin));
            at = stop + (quoted ? 1 : 0);
        }
    }
    [[nodiscard]] std::string_view operator[](std::string_view key) const
    {
        const auto at = std::find_if(m_fields.begin(), m_fields.end(), [&](const auto& f) { return f.first == key; });
        return at == m_fields.end() ? std::string_view() : at->second;
    }

private:
    std::vector<std::pair<std::string_view, std::string_view>> m_fields;
};

struct DataType {
    std::string_view name; // "ncclFloat32"
    double bytes;
};
constexpr std::array types{DataType{"int8", 1}, DataType{"char", 1}, DataType{"uint8", 1}, DataType{"int32", 4}, DataType{"int", 4}, DataType{"uint32", 4}, DataType{"int64", 8},
    DataType{"uint64", 8}, DataType{"float16", 2}, DataType{"half", 2}, DataType{"float32", 4}, DataType{"float", 4}, DataType{"float64", 8}, DataType{"double", 8},
    DataType{"bfloat16", 2}, DataType{"float8e4m3", 1}, DataType{"float8e5m2", 1}};

double element_bytes(std::string_view name)
{
    if (name.starts_with("nccl"))
        name.remove_prefix(4);
    std::string lower(name);
    std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    const auto at = std::find_if(types.begin(), types.end(), [&](const DataType& t) { return t.name == lower; });
    return at == types.end() ? 0 : at->bytes;
}

class NcclProfilerReader {
public:
    NcclProfilerReader(ByteSource& source, const std::string& file, const KernelRules& rules, const Progress& progress)
        : m_source(source), m_file(file), m_rules(rules), m_progress(progress)
    {
    }

    Expected<Timeline> read()
    {
        std::string line;
        std::vector<char> window(std::size_t{256} << 10);
        for (std::size_t n = 0; (n = m_source.read(window.data(), window.size())) > 0;) {
            if (m_progress.stopped())
                return Error{ErrorKind::cancelled, Place{m_file, 0, {}}, "reading was cancelled", {}, {}, {}};
            m_progress.at(m_source.fraction());
            m_bytes += static_cast<std::int64_t>(n);
            for (std::size_t i = 0; i < n; ++i) {
                if (window[i] == '\n') {
                    take_line(line);
                    line.clear();
                } else if (line.size() < largest_event) {
                    line += window[i];
                }
            }
        }
        take_line(line);
        for (const auto& [key, open] : m_open)
            m_builder.skip("begin without an end", fmt::format("line {}", open.line));
        m_builder.pass(m_events - m_added);
        Timeline t = m_builder.build(m_rules);
        t.file = m_file;
        t.format = "NCCL profiler plug-in";
        t.rank = m_one_rank ? m_rank : -1;
        t.text_bytes = m_bytes;
        t.notes.push_back("Times are of the host's view of each operation, from its enqueueing to its completion, not of the kernel on the GPU.");
        nlohmann::json by_name = nlohmann::json::object();
        for (const auto& [name, sum] : m_sums)
            by_name[name] = {{"count", sum.first}, {"sum_us", static_cast<double>(sum.second) / 1e3}};
        t.own_facts = std::make_shared<const nlohmann::json>(nlohmann::json{{"n_lines_with_events", m_events}, {"n_operations", m_added}, {"operations", by_name}, {"categories", m_categories}});
        return t;
    }

private:
    struct Open {
        std::string name;
        std::int64_t start_ns = 0, line = 0;
        std::int64_t rank = -1;
        Timeline::Collective collective;
    };

    void take_line(std::string_view line)
    {
        ++m_line;
        const auto open = line.find('{');
        if (open == std::string_view::npos)
            return; // brackets of the array
        if (line.find_first_not_of("{}], \t\r", open) == std::string_view::npos)
            return; // the empty object with which the plug-in closes its array
        const Fields f(line.substr(open));
        const std::string_view phase = f["ph"], category = f["cat"];
        if (phase.empty() || category.empty()) {
            m_builder.skip("line that is no whole event", fmt::format("line {}", m_line));
            return;
        }
        ++m_events;
        if (m_categories.size() < 64 || m_categories.contains(std::string(category)))
            ++m_categories[std::string(category)];
        if (category != "COLL" && category != "P2P")
            return;
        const auto ts = nanoseconds_from_microseconds(f["ts"]);
        if (!ts) {
            m_builder.skip("event without a time", fmt::format("line {}", m_line));
            return;
        }
        const auto key = std::tuple{std::string(category), std::string(f["pid"]), std::string(f["id"]), std::string(f["name"])};
        if (phase == "b") {
            if (m_open.size() < 1'000'000)
                m_open.insert_or_assign(key, opened(f, *ts));
        } else if (phase == "e") {
            const auto at = m_open.find(key);
            if (at == m_open.end()) {
                m_builder.skip("end without a begin", fmt::format("line {}", m_line));
                return;
            }
            add(at->second, *ts, whole_number(f["tid"]).value_or(0));
            m_open.erase(at);
        }
    }

    Open opened(const Fields& f, std::int64_t ts)
    {
        Open o;
        o.name = f["name"].substr(0, 256);
        o.start_ns = ts;
        o.line = m_line;
        o.rank = whole_number(f["Rank"]).value_or(-1);
        Timeline::Collective& c = o.collective;
        c.name = o.name;
        c.dtype = f["Datatype"].substr(0, 64);
        c.process_group = f["CommHash"].substr(0, 64);
        const auto count = whole_number(f["Count"]).value_or(0);
        if (count > 0 && count < (std::int64_t{1} << 50)) {
            c.in_elements = c.out_elements = count;
            c.size = Bytes{static_cast<double>(count) * element_bytes(c.dtype)};
        }
        return o;
    }

    void add(const Open& o, std::int64_t end_ns, std::int64_t thread)
    {
        GpuEvent e;
        const std::string name = "nccl " + o.name; // so that the rules for kernel names see a collective
        e.name = name;
        e.start_ns = o.start_ns;
        if (__builtin_sub_overflow(end_ns, o.start_ns, &e.duration_ns))
            e.duration_ns = -1;
        e.device = std::max<std::int64_t>(0, o.rank);
        e.stream = thread;
        e.collective = m_builder.collective(o.collective);
        if (!m_builder.add(e, fmt::format("line {}", o.line)))
            return;
        ++m_added;
        auto& sum = m_sums[o.name];
        ++sum.first;
        sum.second += e.duration_ns;
        if (m_rank < 0)
            m_rank = static_cast<int>(std::clamp<std::int64_t>(o.rank, -1, 1 << 30));
        else if (o.rank != m_rank)
            m_one_rank = false;
    }

    ByteSource& m_source;
    const std::string& m_file;
    const KernelRules& m_rules;
    const Progress& m_progress;
    TimelineBuilder m_builder;
    std::map<std::tuple<std::string, std::string, std::string, std::string>, Open> m_open;
    std::map<std::string, std::pair<std::int64_t, std::int64_t>> m_sums; // count, nanoseconds
    std::map<std::string, std::int64_t> m_categories;
    std::int64_t m_line = 0, m_events = 0, m_added = 0, m_bytes = 0;
    int m_rank = -1;
    bool m_one_rank = true;
};

bool recognises(std::string_view head)
{
    const auto has = [&](std::string_view what) { return head.find(what) != std::string_view::npos; };
    const auto first = head.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos || (head[first] != '[' && head[first] != '{') || !has("\"ph\"") || has("\"traceEvents\""))
        return false;
    return has("\"cat\": \"COLL\"") || has("\"cat\": \"P2P\"") || has("\"cat\": \"PROXY\"") || has("\"cat\": \"GROUP\"") || has("\"cat\": \"GROUP_API\"") || has("\"cat\": \"NET\"");
}

Expected<Timeline> read_nccl_profiler(ByteSource& source, const std::string& file, const KernelRules& rules, const Progress& progress)
{
    return NcclProfilerReader(source, file, rules, progress).read();
}

} // namespace

TraceFormat nccl_profiler_format() { return {"NCCL profiler plug-in", recognises, read_nccl_profiler, false}; }

} // namespace ridgepoint

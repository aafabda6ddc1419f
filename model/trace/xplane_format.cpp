// XSpace, the protocol buffer that JAX, TensorFlow and PyTorch/XLA profiles are (`*.xplane.pb`): planes (devices and
// hosts) of lines (streams and threads) of events, with names in tables by number.
// Source: xla/tsl/profiler/protobuf/xplane.proto; the field numbers below are its.

#include <algorithm>
#include <unordered_map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "model/trace/format.h"
#include "model/trace/protobuf_wire.h"
#include "model/trace/xla_timeline.h"

namespace ridgepoint {
namespace {

constexpr std::size_t largest_file = std::size_t{2} << 30; // also the most that a protocol buffer can have
constexpr std::uint32_t space_planes = 1, space_hostnames = 4;
constexpr std::uint32_t plane_name = 2, plane_lines = 3, plane_event_names = 4, plane_stat_names = 5, plane_stats = 6;
constexpr std::uint32_t line_name = 2, line_timestamp_ns = 3, line_events = 4, line_display_name = 11;
constexpr std::uint32_t event_metadata = 1, event_offset_ps = 2, event_duration_ps = 3, event_stats = 4;
constexpr std::uint32_t stat_metadata = 1, stat_double = 2, stat_uint = 3, stat_int = 4, stat_text = 5, stat_reference = 7;

using Names = std::unordered_map<std::int64_t, std::string_view>;

// An entry of a map field: key 1, value 2, of whose message field 2 is the name.
void add_name(Names& names, std::string_view entry)
{
    std::int64_t key = 0;
    std::string_view name;
    WireReader reader(entry);
    while (const auto f = reader.next()) {
        if (f->number == 1)
            key = f->as_int();
        else if (f->number == 2) {
            WireReader value(f->bytes);
            while (const auto g = value.next())
                if (g->number == 2 && g->type == WireField::Type::bytes)
                    name = g->bytes;
        }
    }
    names[key] = name;
}

struct Plane {
    std::string_view name;
    std::vector<std::string_view> lines, stats;
    Names events, stat_names;
};

Plane plane_of(std::string_view bytes)
{
    Plane p;
    WireReader reader(bytes);
    while (const auto f = reader.next()) {
        if (f->type != WireField::Type::bytes)
            continue;
        switch (f->number) {
        case plane_name: p.name = f->bytes; break;
        case plane_lines: p.lines.push_back(f->bytes); break;
        case plane_event_names: add_name(p.events, f->bytes); break;
        case plane_stat_names: add_name(p.stat_names, f->bytes); break;
        case plane_stats: p.stats.push_back(f->bytes); break;
        default: break;
        }
    }
    return p;
}

struct Stat {
    std::string_view name;
    std::int64_t whole = 0;
    std::string_view text;
};

Stat stat_of(std::string_view bytes, const Names& names)
{
    Stat s;
    WireReader reader(bytes);
    const auto name = [&](std::int64_t id) {
        const auto at = names.find(id);
        return at == names.end() ? std::string_view() : at->second;
    };
    while (const auto f = reader.next())
        switch (f->number) {
        case stat_metadata: s.name = name(f->as_int()); break;
        case stat_double: s.whole = static_cast<std::int64_t>(std::clamp(f->as_double(), -9e18, 9e18)); break;
        case stat_uint:
        case stat_int: s.whole = f->as_int(); break;
        case stat_text: s.text = f->bytes; break;
        case stat_reference: s.text = name(f->as_int()); break;
        default: break;
        }
    return s;
}

struct Line {
    std::string_view name;
    std::int64_t start_ns = 0;
    std::vector<std::string_view> events;
};

Line line_of(std::string_view bytes)
{
    Line l;
    std::string_view display;
    WireReader reader(bytes);
    while (const auto f = reader.next())
        switch (f->number) {
        case line_name: l.name = f->bytes; break;
        case line_display_name: display = f->bytes; break;
        case line_timestamp_ns: l.start_ns = f->as_int(); break;
        case line_events:
            if (f->type == WireField::Type::bytes)
                l.events.push_back(f->bytes);
            break;
        default: break;
        }
    if (!display.empty() && !is_stream_line(l.name))
        l.name = display;
    return l;
}

class XplaneReader {
public:
    XplaneReader(const std::string& file, const KernelRules& rules) : m_file(file), m_rules(rules) {}

    Expected<Timeline> read(std::string_view bytes, const Progress& progress)
    {
        WireReader space(bytes);
        std::vector<std::string_view> planes;
        std::string host;
        while (const auto f = space.next()) {
            if (f->number == space_planes && f->type == WireField::Type::bytes)
                planes.push_back(f->bytes);
            else if (f->number == space_hostnames && host.empty())
                host = f->bytes.substr(0, 256);
        }
        if (planes.empty())
            return bad_input("this protocol buffer holds no planes of a profile", Place{m_file, 0, {}}, {}, "an xplane.pb of the JAX or TensorFlow profiler");
        for (std::size_t i = 0; i < planes.size(); ++i) {
            if (progress.stopped())
                return Error{ErrorKind::cancelled, Place{m_file, 0, {}}, "reading was cancelled", {}, {}, {}};
            progress.at(static_cast<double>(i) / static_cast<double>(planes.size()));
            const Plane p = plane_of(planes[i]);
            if (gpu_number(p.name) >= 0)
                read_gpu(p);
            else if (p.name.starts_with("/host:"))
                read_host(p);
        }
        if (space.failed())
            m_xla.builder().skip("the file ends early or is damaged; the planes before are kept", fmt::format("byte {}", space.offset()));
        nlohmann::json facts = {{"planes", planes.size()}};
        Timeline t = m_xla.build(m_rules, std::move(facts));
        t.file = m_file;
        t.format = "JAX/XLA profile (xplane.pb)";
        t.devices_listed = m_gpus;
        t.device_name = m_device_name;
        t.truncated = space.failed();
        t.text_bytes = static_cast<std::int64_t>(bytes.size());
        progress.at(1);
        return t;
    }

private:
    void read_gpu(const Plane& p)
    {
        ++m_gpus;
        for (const std::string_view bytes : p.stats)
            if (const Stat s = stat_of(bytes, p.stat_names); m_device_name.empty() && (s.name == "device_type_string" || s.name == "gpu_device_name"))
                m_device_name = s.text.substr(0, 256);
        const std::string device(p.name.substr(0, 256));
        for (const std::string_view bytes : p.lines) {
            const Line line = line_of(bytes);
            const std::string name(line.name.substr(0, 256));
            const bool stream = is_stream_line(name);
            if (!stream && name != "Steps") {
                m_xla.builder().pass(static_cast<std::int64_t>(line.events.size()));
                continue;
            }
            for (std::size_t i = 0; i < line.events.size(); ++i) {
                const Event e = event_of(line.events[i], p, line.start_ns);
                if (!e.timed) {
                    m_xla.builder().skip("event at an impossible time", fmt::format("{}, {}, event {}", device, name, i + 1));
                    m_xla.builder().pass();
                } else if (stream)
                    m_xla.add(device, name, e.name, e.start_ps, e.duration_ps, e.correlation, fmt::format("{}, {}, event {}", device, name, i + 1));
                else {
                    m_xla.builder().pass();
                    m_xla.add_step(std::string(e.name), e.start_ps, e.duration_ps);
                }
            }
        }
    }

    // The calls that launched kernels, by the number that both have.
    void read_host(const Plane& p)
    {
        const bool numbered = std::any_of(p.stat_names.begin(), p.stat_names.end(), [](const auto& s) { return s.second == "correlation_id"; });
        for (const std::string_view bytes : p.lines) {
            const Line line = line_of(bytes);
            m_xla.builder().pass(static_cast<std::int64_t>(line.events.size()));
            if (!numbered)
                continue;
            for (const std::string_view event : line.events)
                if (const Event e = event_of(event, p, line.start_ns); e.timed && e.correlation >= 0)
                    m_xla.add_launch(e.correlation, e.start_ps);
        }
    }

    struct Event {
        std::string_view name;
        std::int64_t start_ps = 0, duration_ps = 0, correlation = -1;
        bool timed = true;
    };

    static Event event_of(std::string_view bytes, const Plane& p, std::int64_t line_start_ns)
    {
        Event e;
        std::int64_t offset = 0;
        WireReader reader(bytes);
        while (const auto f = reader.next())
            switch (f->number) {
            case event_metadata:
                if (const auto name = p.events.find(f->as_int()); name != p.events.end())
                    e.name = name->second;
                break;
            case event_offset_ps: offset = f->as_int(); break;
            case event_duration_ps: e.duration_ps = f->as_int(); break;
            case event_stats:
                if (const Stat s = stat_of(f->bytes, p.stat_names); s.name == "correlation_id")
                    e.correlation = s.whole;
                break;
            default: break;
            }
        e.timed = !__builtin_mul_overflow(line_start_ns, std::int64_t{1000}, &e.start_ps) && !__builtin_add_overflow(e.start_ps, offset, &e.start_ps);
        return e;
    }

    const std::string& m_file;
    const KernelRules& m_rules;
    XlaTimeline m_xla;
    std::string m_device_name;
    int m_gpus = 0;
};

// The beginning of an XSpace: field 1, a message whose first fields are a plane's, in order: id, name, lines.
bool recognises(std::string_view head)
{
    WireReader space(head);
    const auto tag = space.varint();
    const auto size = tag && *tag == ((space_planes << 3) | 2) ? space.varint() : std::nullopt;
    if (!size || *size < 2)
        return false;
    WireReader plane(head.substr(space.offset(), static_cast<std::size_t>(std::min<std::uint64_t>(*size, head.size()))));
    auto f = plane.next();
    if (f && f->number == 1 && f->type == WireField::Type::varint)
        f = plane.next();
    if (!f || f->number != plane_name || f->type != WireField::Type::bytes || f->bytes.empty() || f->bytes.size() > 200)
        return false;
    return std::all_of(f->bytes.begin(), f->bytes.end(), [](char c) { return c >= ' ' && c < 0x7f; })
        && (f->bytes.starts_with('/') || f->bytes.starts_with('#') || f->bytes == "Task Environment");
}

Expected<Timeline> read_xplane(ByteSource& source, const std::string& file, const KernelRules& rules, const Progress& progress)
{
    std::string bytes;
    constexpr std::size_t window = std::size_t{1} << 20;
    for (std::size_t got = window; got > 0;) {
        const std::size_t before = bytes.size();
        if (before > largest_file)
            return bad_input("larger than 2 GiB, the most that a protocol buffer can have", Place{file, 0, {}}, {}, "one host's xplane.pb");
        if (progress.stopped())
            return Error{ErrorKind::cancelled, Place{file, 0, {}}, "reading was cancelled", {}, {}, {}};
        bytes.resize(before + window);
        got = source.read(bytes.data() + before, window);
        bytes.resize(before + got);
    }
    Expected<Timeline> t = XplaneReader(file, rules).read(bytes, progress);
    if (const std::string trouble = source.trouble(); t && !trouble.empty()) {
        t->skipped.push_back({trouble, 1, {}});
        t->truncated = true;
    }
    return t;
}

} // namespace

TraceFormat xplane_format() { return {"JAX/XLA profile (xplane.pb)", recognises, read_xplane, false}; }

} // namespace ridgepoint

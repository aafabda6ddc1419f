// PyTorch's NCCL flight recorder, dumped as JSON: the last collectives of one rank, with their state. The default dump is
// a pickle, which is a program and is not run. Source: torch/csrc/distributed/c10d/FlightRecorder.hpp.

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "model/measured/graphs/graphs.h"
#include "model/measured/lenient_json.h"
#include "model/trace/op_arguments.h"
#include "model/trace/op_work.h"
#include "model/trace/timeline_builder.h"

namespace ridgepoint {
namespace {

using Json = nlohmann::json;

bool recognises(std::string_view text)
{
    const auto first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos || (text[first] != '{' && text[first] != '['))
        return false;
    const auto has = [&](std::string_view what) { return text.find(what) != std::string_view::npos; };
    if (text[first] == '[') // the first dumps (PyTorch 2.2) are a list of entries
        return has("\"profiling_name\"") && has("\"time_created_ns\"");
    return has("\"entries\"") && (has("\"pg_config\"") || has("\"collective_seq_id\"") || has("\"pg_status\"") || has("\"profiling_name\"")) && !has("\"traceEvents\"");
}

// Elements of the tensors, [[4096, 4096], [512]], at least 0.
double elements_of(const Json& sizes)
{
    double sum = 0;
    if (sizes.is_array())
        for (const Json& tensor : sizes) {
            double n = tensor.is_array() ? 1 : 0;
            if (tensor.is_array())
                for (const Json& d : tensor)
                    n *= std::max(0.0, number_of(d).value_or(0));
            sum += n;
        }
    return sum < 1e15 ? sum : 0;
}

std::string first_text(const Json& list)
{
    return list.is_array() && !list.empty() && list[0].is_string() ? list[0].get<std::string>() : list.is_string() ? list.get<std::string>() : std::string();
}

Json value_at(const Json& object, const char* key)
{
    const auto at = object.find(key);
    return at == object.end() ? Json() : *at;
}

struct Reader {
    TimelineBuilder builder;
    std::map<std::string, int> group_sizes; // by name of the process group
    std::map<std::string, std::int64_t> states, kinds;
    std::int64_t entries = 0, from_watchdog = 0;

    void groups(const Json& config)
    {
        if (!config.is_object())
            return;
        for (const auto& [name, group] : config.items()) {
            const Json ranks = group.is_object() ? value_at(group, "ranks") : Json();
            if (ranks.is_array())
                group_sizes[name] = static_cast<int>(std::min<std::size_t>(ranks.size(), 1 << 24));
            else if (ranks.is_string()) { // a string that looks like a list
                const auto& text = ranks.get_ref<const std::string&>();
                const bool any = text.find_first_of("0123456789") != std::string::npos;
                group_sizes[name] = any ? 1 + static_cast<int>(std::count(text.begin(), text.end(), ',')) : 0;
            }
        }
    }

    void entry(const Json& e, std::size_t index)
    {
        const std::string place = fmt::format("/entries/{}", index);
        if (!e.is_object()) {
            builder.skip("entry that is no object", place);
            return;
        }
        ++entries;
        const std::string kind = text_at(e, "profiling_name").substr(0, 256), state = text_at(e, "state").substr(0, 64);
        if (kinds.size() < 1000)
            ++kinds[kind];
        if (states.size() < 100)
            ++states[state];
        GpuEvent event;
        const auto time_at = [&](const char* key) {
            const auto ns = integer_at(e, key);
            return ns && *ns != 0 ? ns : std::nullopt; // the JSON dump writes 0 for what did not happen yet, the pickle nothing
        };
        const auto started = time_at("time_discovered_started_ns"), completed = time_at("time_discovered_completed_ns"), created = time_at("time_created_ns");
        const auto duration_ms = number_at(e, "duration_ms");
        const auto start = started ? started : created;
        if (!start) {
            builder.pass();
            builder.skip("entry without a time", place);
            return;
        }
        event.start_ns = *start;
        if (duration_ms && *duration_ms >= 0 && *duration_ms < 1e9) {
            event.duration_ns = std::llround(*duration_ms * 1e6);
        } else if (started && completed && *completed >= *started) {
            event.duration_ns = *completed - *started;
            ++from_watchdog;
        } else {
            builder.pass();
            builder.skip(fmt::format("collective without a duration (state {})", state.empty() ? "not stated" : state), place);
            return;
        }
        Timeline::Collective c;
        c.name = kind.substr(kind.find(':') == std::string::npos ? 0 : kind.find(':') + 1);
        c.dtype = first_text(value_at(e, "input_dtypes"));
        const double in = elements_of(value_at(e, "input_sizes")), out = elements_of(value_at(e, "output_sizes"));
        c.in_elements = static_cast<std::int64_t>(in);
        c.out_elements = static_cast<std::int64_t>(out);
        const double element = bytes_of_dtype(c.dtype);
        c.size = Bytes{element * std::max(in, out)};
        const Json group = value_at(e, "process_group");
        c.process_group = group.is_array() ? first_text(group) : group.is_string() ? group.get<std::string>() : "";
        if (const auto size = group_sizes.find(c.process_group); size != group_sizes.end())
            c.group_size = size->second;
        event.collective = builder.collective(c);
        const std::string name = kind.find("nccl") == std::string::npos ? "nccl:" + kind : kind; // the rules know a collective by it
        event.name = name;
        event.stream = integer_at(e, "pg_id").value_or(0);
        builder.add(event, place);
    }
};

Expected<Measured> read(std::string_view text, const std::string& file)
{
    const auto rules = KernelRules::load_default();
    if (!rules)
        return rules.error();
    Measured m;
    m.file = file;
    m.format = "NCCL flight recorder";
    const auto document = lenient_json(text, file, m.skipped);
    if (!document)
        return document.error();
    const Json list = document->is_object() ? value_at(*document, "entries") : *document;
    if (!list.is_array())
        return bad_input("this flight recorder dump has no entries", Place{file, 0, "/entries"}, {}, "the JSON of torch._C._distributed_c10d._dump_nccl_trace_json()");
    Reader reader;
    const Json head = document->is_object() ? *document : Json::object();
    reader.groups(value_at(head, "pg_config"));
    for (std::size_t i = 0; i < list.size(); ++i)
        reader.entry(list[i], i);
    Timeline t = reader.builder.build(**rules);
    t.file = file;
    t.format = m.format;
    t.rank = static_cast<int>(std::clamp<std::int64_t>(integer_at(head, "rank").value_or(-1), -1, 1 << 30));
    t.text_bytes = static_cast<std::int64_t>(text.size());
    if (reader.from_watchdog > 0)
        t.notes.push_back(fmt::format("{} durations are the distance of the watchdog's looks, which are up to a second apart: set TORCH_NCCL_ENABLE_TIMING=1 for those of the GPU.", reader.from_watchdog));
    t.notes.push_back("The recorder keeps the last collectives only (TORCH_NCCL_TRACE_BUFFER_SIZE), and nothing of the kernels between them.");
    t.own_facts = std::make_shared<const Json>(Json{{"version", text_at(head, "version")}, {"n_entries", reader.entries}, {"states", reader.states}, {"profiling_names", reader.kinds}});
    for (const Timeline::Skipped& s : t.skipped)
        m.skipped.push_back({s.reason, s.count, s.first_place});
    m.notes = t.notes;
    m.content = std::move(t);
    return m;
}

} // namespace

TextFormat flight_recorder_format() { return {"NCCL flight recorder", recognises, read}; }

} // namespace ridgepoint

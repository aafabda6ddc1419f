#include "model/measured/collectives/result_rows.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "model/measured/collectives/sweeps.h"
#include "model/measured/delimited_text.h"
#include "model/measured/lenient_json.h"

namespace ridgepoint {
namespace {

using nlohmann::json;

// One result under plain column names ("busbw", "size", "inplace"), whatever the container was.
using Fields = std::map<std::string, std::string>;

std::string field(const Fields& f, std::initializer_list<std::string_view> names)
{
    for (const std::string_view name : names)
        if (const auto at = f.find(std::string(name)); at != f.end() && !at->second.empty())
            return at->second;
    return {};
}

std::optional<double> number(const Fields& f, std::initializer_list<std::string_view> names) { return number_in(field(f, names)); }

int count_of(const Fields& f, std::initializer_list<std::string_view> names)
{
    const auto v = number(f, names);
    return v && *v >= 1 && *v < 1e7 ? static_cast<int>(*v) : 0;
}

bool says_yes(std::string value)
{
    value = plain_name(value);
    return value == "1" || value == "true" || value == "yes" || value == "inplace" || value == "in";
}

// Rows of one sweep have this in common; the first row's place in the file keeps the order.
std::string identity_of(const Fields& f)
{
    std::string id;
    for (const std::string_view name : {"name", "test", "collective", "operation", "type", "dtype", "redop", "root", "gpus", "ranks", "nodes", "n", "g", "numcycle", "blocking", "iterations", "file", "algo", "proto", "nchannels"})
        id += field(f, {name}) + '\x1f';
    return id;
}

int ranks_of(const Fields& f)
{
    if (const int ranks = count_of(f, {"ranks", "nranks", "worldsize", "gpus", "ngpus", "numgpus"}); ranks > 0)
        return ranks;
    const int nodes = count_of(f, {"n", "nodes"}), per_node = count_of(f, {"g", "gpuspernode", "rankspernode"}); // of summaries
    return nodes > 0 && per_node > 0 && nodes < 100000 && per_node < 1000 ? nodes * per_node : 0;
}

// Message size: bytes, or with the unit in the column's name. MB is 2^20 there, as in the benchmark's own arguments.
std::optional<Bytes> size_of(const Fields& f)
{
    if (const auto v = number(f, {"size", "sizeb", "sizebytes", "bytes", "msgsize", "messagesize", "messagesizebytes"}))
        return bytes(*v);
    if (const auto v = number(f, {"sizekb", "sizekib"}))
        return bytes(*v * 1024);
    if (const auto v = number(f, {"sizemb", "sizemib"}))
        return mebibytes(*v);
    if (const auto v = number(f, {"sizegb", "sizegib"}))
        return gibibytes(*v);
    return std::nullopt;
}

std::optional<CollectiveTiming> timing_of(const Fields& f, const std::string& column, Bytes size, bool& derived)
{
    const auto with = [&](std::initializer_list<std::string_view> names) {
        for (const std::string_view name : names)
            for (const char* unit : {"", "gbs", "us"})
                for (const std::string& key : {column + std::string(name) + unit, std::string(name) + column + unit})
                    if (const auto v = number(f, {key}))
                        return v;
        return std::optional<double>();
    };
    const auto bus = with({"busbw", "busbandwidth", "bus"});
    const auto algorithm = with({"algbw", "algobw", "algbandwidth", "alg"});
    auto time = with({"time", "timeus", "latencyus", "latency"});
    if (!bus && !time)
        return std::nullopt;
    CollectiveTiming t;
    t.bus_bandwidth = gigabytes_per_second(bus.value_or(std::nan("")));
    t.algorithm_bandwidth = gigabytes_per_second(algorithm.value_or(std::nan("")));
    if (time && *time >= 0 && std::isfinite(*time)) {
        t.time = microseconds(*time);
    } else if (algorithm && *algorithm > 0 && !time) {
        t.time = size / t.algorithm_bandwidth; // the definition of algbw
        derived = true;
    } else {
        return std::nullopt;
    }
    t.wrong_text = field(f, {column + "wrong", "wrong"});
    if (const auto wrong = number_in(t.wrong_text); wrong && std::abs(*wrong) < 9e18)
        t.wrong = std::llround(*wrong);
    return t;
}

struct Sweeps {
    std::vector<CollectiveSweep> list;
    std::map<std::string, std::size_t> by_identity;
    std::vector<Skipped> skipped;
    bool times_derived = false, per_size = false;

    void add(const Fields& f, const std::string& place);
};

void Sweeps::add(const Fields& f, const std::string& place)
{
    const auto size = size_of(f);
    const auto average = number(f, {"avgbusbwgbs", "avgbusbw", "averagebusbandwidth", "avgbusbandwidth", "avgbusbandwidthgbs"});
    const auto peak = number(f, {"peakbusbwgbs", "peakbusbw", "maxbusbwgbs", "maxbusbw", "peakbusbandwidth"});
    std::string id = identity_of(f);
    if (!size || *size < bytes(0) || !std::isfinite(size->value())) {
        if (!average && !peak) {
            skip(skipped, "result without a size or an average", place);
            return;
        }
        id += place; // a line each
    }
    const auto [at, is_new] = by_identity.try_emplace(id, list.size());
    if (is_new) {
        CollectiveSweep& s = list.emplace_back();
        s.test = field(f, {"test", "name", "collective", "operation"});
        s.stated = !s.test.empty();
        s.ranks = ranks_of(f);
        s.hosts = count_of(f, {"nodes", "n", "hosts"});
        if (average)
            s.printed_average = gigabytes_per_second(*average);
        if (peak)
            s.printed_peak = gigabytes_per_second(*peak);
    }
    if (!size)
        return;
    CollectiveSweep& sweep = list[at->second];
    CollectiveRow row;
    row.size = *size;
    if (const auto n = number(f, {"count", "elements", "countelements"}); n && std::abs(*n) < 9e18)
        row.elements = std::llround(*n);
    row.dtype = field(f, {"type", "dtype", "datatype"});
    row.reduction = field(f, {"redop", "op"});
    if (const auto root = number(f, {"root"}); root && *root >= 0 && *root < 1e7)
        row.root = static_cast<int>(*root);
    const bool one_column = f.contains("inplace");
    const std::string out = field(f, {"outbusbwgbs", "outbusbw"}).empty() ? (field(f, {"oopbusbw", "oopbusbwgbs"}).empty() ? "outofplace" : "oop") : "out";
    const std::string in = out == "outofplace" ? "inplace" : out == "oop" ? "ip" : "in";
    if (one_column && says_yes(field(f, {"inplace"}))) {
        row.in_place = timing_of(f, "", *size, times_derived);
        // rccl-tests writes the two columns of a size one after the other.
        if (row.in_place && !sweep.rows.empty() && sweep.rows.back().size == *size && !sweep.rows.back().in_place) {
            sweep.rows.back().in_place = row.in_place;
            return;
        }
    } else {
        row.out_of_place = timing_of(f, out, *size, times_derived);
        if (!row.out_of_place)
            row.out_of_place = timing_of(f, "", *size, times_derived);
        if (!one_column)
            row.in_place = timing_of(f, in, *size, times_derived);
    }
    if (row.out_of_place || row.in_place) {
        sweep.rows.push_back(std::move(row));
        per_size = true;
    } else {
        skip(skipped, "result without a time or a bandwidth", place);
    }
}

Expected<Measured> measured_of(Sweeps sweeps, const std::string& file, const char* tool, const char* format)
{
    std::erase_if(sweeps.list, [](const CollectiveSweep& s) { return s.rows.empty() && !s.printed_average && !s.printed_peak; });
    if (sweeps.list.empty())
        return bad_input("results of a collective benchmark without a single figure", Place{file, 0, {}}, {}, "sizes with time, algbw or busbw");
    CollectiveBenchmark benchmark;
    benchmark.tool = tool;
    benchmark.sweeps = std::move(sweeps.list);
    std::vector<std::string> notes;
    if (sweeps.per_size && sweeps.times_derived)
        notes.emplace_back("the file has no times: they are size / algbw, the definition of the algorithm bandwidth");
    if (!sweeps.per_size)
        notes.emplace_back("averages over a range of sizes, not a bandwidth at a size: the file has no rows");
    return collective_measured(std::move(benchmark), 0, file, format, std::move(sweeps.skipped), std::move(notes));
}

bool has_bus_bandwidth(const std::vector<std::string>& header)
{
    bool bus = false, beside = false;
    for (const std::string& h : header) {
        const std::string n = plain_name(h);
        bus = bus || n.find("busbw") != std::string::npos || n.find("busbandwidth") != std::string::npos;
        beside = beside || n.starts_with("size") || n == "bytes" || n.starts_with("msgsize") || n.starts_with("messagesize") || n == "test" || n == "collective" || n == "name";
    }
    return bus && beside && header.size() > 2;
}

// Where the header starts; npos: none in the first lines.
std::size_t header_of(std::string_view text)
{
    std::size_t at = 0;
    for (int i = 0; i < 20 && at < text.size(); ++i) {
        const auto end = std::min(text.size(), text.find('\n', at));
        const std::string_view line = text.substr(at, end - at);
        if (line.size() < 8192 && (line.find("bus") != std::string_view::npos || line.find("Bus") != std::string_view::npos || line.find("BUS") != std::string_view::npos) && line.find_first_of(",;\t") != std::string_view::npos) {
            std::vector<std::string> header;
            DelimitedText(line, separator_of(line)).next(header);
            if (has_bus_bandwidth(header))
                return at;
        }
        at = end + 1;
    }
    return std::string_view::npos;
}

} // namespace

bool is_rccl_json(std::string_view text)
{
    const auto first = text.find_first_not_of(" \t\r\n");
    return first != std::string_view::npos && (text[first] == '{' || text[first] == '[') && text.find("\"busBw\"") != std::string_view::npos && text.find("\"algBw\"") != std::string_view::npos;
}

Expected<Measured> read_rccl_json(std::string_view text, const std::string& file)
{
    Sweeps sweeps;
    std::vector<json> objects;
    if (text[text.find_first_not_of(" \t\r\n")] == '[') {
        const auto doc = lenient_json(text, file, sweeps.skipped);
        if (!doc)
            return doc.error();
        objects.assign(doc->begin(), doc->end());
    } else {
        objects = lenient_json_lines(text, sweeps.skipped);
    }
    std::size_t index = 0;
    for (const json& o : objects) {
        const std::string place = fmt::format("result {}", ++index);
        Fields f;
        if (o.is_object())
            for (const auto& [key, value] : o.items())
                f[plain_name(key)] = value.is_string() ? value.get<std::string>() : value.is_number() || value.is_boolean() ? value.dump() : std::string();
        sweeps.add(f, place);
    }
    return measured_of(std::move(sweeps), file, "rccl-tests", "rccl-tests JSON");
}

bool is_collective_csv(std::string_view text) { return header_of(text) != std::string_view::npos; }

Expected<Measured> read_collective_csv(std::string_view text, const std::string& file)
{
    const std::string_view table = text.substr(header_of(text));
    const char separator = separator_of(table.substr(0, table.find('\n')));
    DelimitedText records(table, separator);
    std::vector<std::string> header, record;
    records.next(header);
    const bool rccl = std::any_of(header.begin(), header.end(), [](const std::string& h) { return plain_name(h) == "inplace"; });
    for (std::string& h : header)
        h = plain_name(h);
    // rccl-tests built with MPI wrote a header without the nodes for years, above rows that have them.
    const auto ranks = std::find(header.begin(), header.end(), "ranks");
    const bool nodes_missing = rccl && ranks != header.end() && std::find(header.begin(), header.end(), "nodes") == header.end();
    const auto ranks_at = ranks - header.begin();
    const DecimalMark mark = separator == ';' ? DecimalMark::comma : DecimalMark::point;
    Sweeps sweeps;
    while (records.next(record)) {
        if (nodes_missing && record.size() == header.size() + 1)
            header.insert(header.begin() + ranks_at, "nodes");
        const std::string place = fmt::format("line {}", records.line());
        if (record.size() != header.size()) {
            skip(sweeps.skipped, fmt::format("record without the header's {} fields", header.size()), place);
            continue;
        }
        Fields f;
        for (std::size_t i = 0; i < header.size(); ++i) {
            std::string& value = record[i];
            if (mark == DecimalMark::comma && number_in(value, mark))
                std::replace(value.begin(), value.end(), ',', '.'); // a spreadsheet's locale
            f.emplace(header[i], std::move(value));
        }
        sweeps.add(f, place);
    }
    return measured_of(std::move(sweeps), file, rccl ? "rccl-tests" : "nccl-tests", rccl ? "rccl-tests CSV" : "CSV of collective results");
}

} // namespace ridgepoint

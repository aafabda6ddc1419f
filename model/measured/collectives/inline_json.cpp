#include "model/measured/collectives/inline_json.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "model/measured/collectives/sweeps.h"
#include "model/measured/delimited_text.h"
#include "model/measured/lenient_json.h"

namespace ridgepoint {
namespace {

using nlohmann::json;

constexpr std::string_view structured = "nccl-tests structured output";

std::string wrong_as_text(const json& value)
{
    if (value.is_string())
        return value.get<std::string>();
    if (value.is_null() || !value.is_number())
        return "N/A";
    const double v = value.get<double>();
    return v == std::floor(v) && std::abs(v) < 1e15 ? fmt::format("{:.0f}", v) : fmt::format("{}", v);
}

// Under the keys of one of the formats; none without a time.
std::optional<CollectiveTiming> timing_of(const json& o, std::string_view time, std::string_view algorithm, std::string_view bus, std::string_view wrong)
{
    const auto t = number_at(o, time);
    if (!t || !std::isfinite(*t) || *t < 0)
        return std::nullopt;
    CollectiveTiming timing;
    timing.time = microseconds(*t);
    timing.algorithm_bandwidth = gigabytes_per_second(number_at(o, algorithm).value_or(std::nan("")));
    timing.bus_bandwidth = gigabytes_per_second(number_at(o, bus).value_or(std::nan("")));
    const auto at = o.find(wrong);
    timing.wrong_text = at == o.end() ? "N/A" : wrong_as_text(*at);
    timing.wrong = integer_at(o, wrong);
    return timing;
}

int root_of(const json& o)
{
    const auto root = integer_at(o, "root"); // a padded string in nccl-tests
    return root && *root >= 0 && *root < 10'000'000 ? static_cast<int>(*root) : -1;
}

std::optional<CollectiveTiming> nccl_timing(const json& result, std::string_view key)
{
    const auto at = result.find(key);
    if (at == result.end() || !at->is_object())
        return std::nullopt;
    return timing_of(*at, at->contains("time") ? "time" : "cpu_time", "alg_bw", "bus_bw", "nwrong");
}

// Ranks: a device entry each, or (an old fault) one per process.
int ranks_of_devices(const json& doc, const json& devices)
{
    const auto& config = doc.contains("config") && doc["config"].is_object() ? doc["config"] : json::object();
    const auto threads = integer_at(config, "nthreads").value_or(1), gpus = integer_at(config, "ngpus").value_or(1);
    if (threads < 1 || gpus < 1 || threads > 100000 || gpus > 100000 || devices.size() > 10'000'000)
        return 0;
    const auto per_process = threads * gpus;
    const auto listed = static_cast<std::int64_t>(devices.size());
    // Consecutive ranks in the list mean that every rank is there.
    bool every = true;
    for (std::size_t i = 0; i < devices.size() && every; ++i)
        every = integer_at(devices[i], "rank").value_or(-1) == static_cast<std::int64_t>(i);
    const auto ranks = every && listed > 1 ? listed : listed * per_process;
    return ranks < 10'000'000 ? static_cast<int>(ranks) : 0;
}

} // namespace

std::vector<CollectiveSweep> sweeps_of_inline_json(std::string_view text, const std::string& file, std::vector<Skipped>& skipped, std::string& version)
{
    std::vector<CollectiveSweep> sweeps;
    for (std::size_t at = text.find(structured); at != std::string_view::npos && sweeps.size() < 10000; at = text.find(structured, at + structured.size())) {
        const std::size_t near = at > 200 ? at - 200 : 0;
        const auto brace = text.substr(near, at - near).rfind('{');
        if (brace == std::string_view::npos)
            continue;
        const std::size_t open = near + brace;
        const auto next = text.find(structured, at + structured.size()); // bounds what a broken object can take
        const auto doc = lenient_json(text.substr(open, next == std::string_view::npos ? next : next - open), file, skipped);
        if (!doc || !doc->is_object() || !doc->contains("benchmark"))
            continue;
        if (version.empty())
            version = text_at(*doc, "version");
        const json& benchmark = (*doc)["benchmark"];
        for (const json& table : benchmark.is_array() ? benchmark : json::array({benchmark})) {
            if (!table.is_object())
                continue;
            CollectiveSweep sweep;
            for (const auto& [size, o] : table.items()) {
                const auto bytes_of_row = number_in(size);
                if (!bytes_of_row || !o.is_object())
                    continue;
                CollectiveRow row;
                row.size = bytes(*bytes_of_row);
                row.elements = integer_at(o, "count").value_or(0);
                row.dtype = text_at(o, "type");
                row.reduction = text_at(o, "redop");
                row.root = root_of(o);
                row.out_of_place = timing_of(o, "oop_time", "oop_algbw", "oop_busbw", "oop_error");
                row.in_place = timing_of(o, "ip_time", "ip_algbw", "ip_busbw", "ip_error");
                if (row.out_of_place || row.in_place)
                    sweep.rows.push_back(std::move(row));
            }
            std::sort(sweep.rows.begin(), sweep.rows.end(), [](const CollectiveRow& a, const CollectiveRow& b) { return a.size < b.size; }); // keys come in the order of text
            if (!sweep.rows.empty())
                sweeps.push_back(std::move(sweep));
        }
    }
    return sweeps;
}

bool is_nccl_json(std::string_view text)
{
    const auto first = text.find_first_not_of(" \t\r\n");
    return first != std::string_view::npos && text[first] == '{'
        && ((text.find("\"alg_bw\"") != std::string_view::npos && text.find("\"bus_bw\"") != std::string_view::npos) || text.find(structured) != std::string_view::npos);
}

Expected<Measured> read_nccl_json(std::string_view text, const std::string& file)
{
    std::vector<Skipped> skipped;
    CollectiveBenchmark benchmark;
    benchmark.tool = "nccl-tests";
    if (text.find(structured) != std::string_view::npos) {
        benchmark.sweeps = sweeps_of_inline_json(text, file, skipped, benchmark.version);
        if (!benchmark.sweeps.empty())
            return collective_measured(std::move(benchmark), 0, file, "nccl-tests JSON", std::move(skipped));
    }
    const auto doc = lenient_json(text, file, skipped);
    if (!doc)
        return doc.error();
    if (!doc->is_object() || !doc->contains("results") || !(*doc)["results"].is_array())
        return bad_input("nccl-tests JSON without results", Place{file, 0, "/results"}, {}, "an array of sizes with out_of_place and in_place");
    if (const auto code = integer_at(*doc, "nccl_version"); code && *code >= 1000 && *code <= 9'999'999) // ncclGetVersion's coding changed with 2.9
        benchmark.version = *code < 10000 ? fmt::format("{}.{}.{}", *code / 1000, *code % 1000 / 100, *code % 100) : fmt::format("{}.{}.{}", *code / 10000, *code % 10000 / 100, *code % 100);
    CollectiveSweep sweep;
    std::vector<std::string> hosts;
    json devices = json::array(); // inside the configuration in version 2
    for (const json* holder : {&*doc, doc->contains("config") ? &(*doc)["config"] : &*doc})
        if (holder->is_object() && holder->contains("devices") && (*holder)["devices"].is_array() && devices.empty())
            devices = (*holder)["devices"];
    for (const json& d : devices) {
        benchmark.devices.push_back(text_at(d, "device_info"));
        hosts.push_back(text_at(d, "hostname"));
    }
    std::sort(hosts.begin(), hosts.end());
    sweep.hosts = static_cast<int>(std::unique(hosts.begin(), hosts.end()) - hosts.begin());
    if (doc->contains("args") && (*doc)["args"].is_array())
        for (const json& argument : (*doc)["args"])
            if (argument.is_string() && sweep.test.empty() && argument.get<std::string>().find("_perf") != std::string::npos) {
                const auto path = argument.get<std::string>();
                sweep.test = path.substr(path.find_last_of('/') + 1);
            }
    std::size_t index = 0;
    for (const json& result : (*doc)["results"]) {
        const std::string place = fmt::format("/results/{}", index++);
        const auto size = result.is_object() ? number_at(result, "size") : std::nullopt;
        if (!size || !std::isfinite(*size) || *size < 0) {
            skip(skipped, "result without a size", place);
            continue;
        }
        CollectiveRow row;
        row.size = bytes(*size);
        row.elements = integer_at(result, "count").value_or(0);
        row.dtype = text_at(result, "type");
        row.reduction = text_at(result, "redop");
        row.root = root_of(result);
        row.out_of_place = nccl_timing(result, "out_of_place");
        row.in_place = nccl_timing(result, "in_place");
        if (sweep.test.empty())
            sweep.test = text_at(result, "experiment_name");
        if (!row.out_of_place && !row.in_place)
            skip(skipped, "result without a time", place);
        else
            sweep.rows.push_back(std::move(row));
    }
    if (sweep.rows.empty())
        return bad_input("nccl-tests JSON without a single time", Place{file, 0, "/results"}, {}, "results with out_of_place or in_place");
    sweep.stated = !sweep.test.empty();
    if (doc->contains("average_bus_bandwidth"))
        if (const auto average = number_at((*doc)["average_bus_bandwidth"], "bandwidth"))
            sweep.printed_average = gigabytes_per_second(*average);
    std::vector<std::string> notes;
    const int listed = ranks_of_devices(*doc, devices);
    complete(sweep); // ranks by the figures
    if (sweep.ranks > 0 && listed > 0 && sweep.ranks != listed)
        notes.push_back(fmt::format("the list of devices gives {} ranks, busbw / algbw and the counts give {}: the latter is taken", listed, sweep.ranks));
    else if (listed > 0) {
        sweep.ranks = listed;
        sweep.ranks_inferred = false;
    }
    const auto rank_lines = static_cast<std::int64_t>(benchmark.devices.size());
    benchmark.sweeps.push_back(std::move(sweep));
    return collective_measured(std::move(benchmark), rank_lines, file, "nccl-tests JSON", std::move(skipped), std::move(notes));
}

} // namespace ridgepoint

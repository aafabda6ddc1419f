#include "model/measured/collectives/sweeps.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "model/measured/delimited_text.h"

namespace ridgepoint {
namespace {

double ratio_of(const CollectiveRow& row)
{
    const auto& t = row.out_of_place ? row.out_of_place : row.in_place;
    return t && t->algorithm_bandwidth.value() > 0 ? t->bus_bandwidth.value() / t->algorithm_bandwidth.value() : 0;
}

// The row whose ratio is rounded least: both figures are printed with two decimals.
const CollectiveRow* sharpest_row(const CollectiveSweep& sweep)
{
    const CollectiveRow* best = nullptr;
    double most = 0;
    for (const CollectiveRow& row : sweep.rows) {
        const auto& t = row.out_of_place ? row.out_of_place : row.in_place;
        if (t && std::isfinite(t->algorithm_bandwidth.value()) && t->algorithm_bandwidth.value() > most && ratio_of(row) > 0) {
            most = t->algorithm_bandwidth.value();
            best = &row;
        }
    }
    return best;
}

// size / (count x element): 1 where every rank holds the whole buffer, the ranks where each holds a share; 0 unknown.
int shares_of(const CollectiveSweep& sweep)
{
    for (auto row = sweep.rows.rbegin(); row != sweep.rows.rend(); ++row) {
        const double element = bytes_per_element(row->dtype);
        if (element <= 0 || row->elements <= 0)
            continue;
        const double shares = row->size.value() / (element * static_cast<double>(row->elements));
        if (shares >= 1 && shares < 1e7 && std::abs(shares - std::round(shares)) < 1e-6)
            return static_cast<int>(std::lround(shares));
        return 0;
    }
    return 0;
}

CollectiveType inferred_type(const CollectiveSweep& sweep, int shares)
{
    const CollectiveRow* row = sharpest_row(sweep);
    const CollectiveRow* any = row ? row : sweep.rows.empty() ? nullptr : &sweep.rows.back();
    if (!any)
        return CollectiveType::other;
    const bool reduces = !any->reduction.empty() && any->reduction != "none";
    // All-to-all and send/recv are not verified in place; without any check (-c 0) that tells nothing.
    const bool in_place_unverified = any->in_place && !any->in_place->wrong && any->out_of_place && any->out_of_place->wrong;
    const bool checked = any->in_place && any->in_place->wrong;
    const double ratio = row ? ratio_of(*row) : 0;
    if (ratio > 1.02)
        return CollectiveType::all_reduce; // no other factor exceeds 1
    if (shares > 1) {
        if (any->root >= 0)
            return CollectiveType::other; // gather or scatter
        if (reduces)
            return CollectiveType::reduce_scatter;
        return in_place_unverified ? CollectiveType::all_to_all : checked || !any->in_place ? CollectiveType::all_gather : CollectiveType::other;
    }
    if (any->root >= 0)
        return reduces ? CollectiveType::reduce : CollectiveType::broadcast;
    if (any->reduction.empty()) // a tool that names no operator: send/recv of nccl-tests does
        return CollectiveType::other;
    if (shares == 1 && ratio > 0 && ratio < 1.02) // of two ranks an all-reduce has the factor 1 as well
        return !reduces || sweep.ranks > 2 || in_place_unverified ? CollectiveType::send_recv : CollectiveType::all_reduce;
    return CollectiveType::other;
}

int ranks_by_ratio(CollectiveType type, double ratio)
{
    double n = 0;
    if (type == CollectiveType::all_reduce && ratio < 2)
        n = 2 / (2 - ratio);
    else if ((type == CollectiveType::all_gather || type == CollectiveType::reduce_scatter || type == CollectiveType::all_to_all) && ratio < 1)
        n = 1 / (1 - ratio);
    const double nearest = std::round(n);
    return n >= 1.5 && nearest < 512 && std::abs(n - nearest) < 0.02 * nearest ? static_cast<int>(nearest) : 0;
}

std::string perf_name(CollectiveType type)
{
    switch (type) {
    case CollectiveType::all_reduce: return "all_reduce_perf";
    case CollectiveType::all_gather: return "all_gather_perf";
    case CollectiveType::reduce_scatter: return "reduce_scatter_perf";
    case CollectiveType::all_to_all: return "alltoall_perf";
    case CollectiveType::broadcast: return "broadcast_perf";
    case CollectiveType::reduce: return "reduce_perf";
    case CollectiveType::send_recv: return "sendrecv_perf";
    default: return {};
    }
}

double rounded(double v, double digits) { return std::round(v * digits) / digits; }

nlohmann::json number(double v) { return std::isfinite(v) ? nlohmann::json(v) : nlohmann::json(nullptr); }

nlohmann::json whole(Bytes v) { return std::abs(v.value()) < 9e18 ? nlohmann::json(std::llround(v.value())) : nlohmann::json(nullptr); }

void put_timing(nlohmann::json& out, const char* column, const std::optional<CollectiveTiming>& t)
{
    const std::string prefix(column);
    out[prefix + "_time_us"] = t ? number(in_microseconds(t->time)) : nlohmann::json(nullptr);
    out[prefix + "_algbw"] = t ? number(in_gigabytes_per_second(t->algorithm_bandwidth)) : nlohmann::json(nullptr);
    out[prefix + "_busbw"] = t ? number(in_gigabytes_per_second(t->bus_bandwidth)) : nlohmann::json(nullptr);
    out[prefix + "_wrong"] = t ? nlohmann::json(t->wrong_text) : nlohmann::json(nullptr);
}

std::pair<const CollectiveRow*, double> best_of(const CollectiveSweep& sweep, std::optional<CollectiveTiming> CollectiveRow::*column)
{
    std::pair<const CollectiveRow*, double> best{nullptr, 0};
    for (const CollectiveRow& row : sweep.rows)
        if (const auto& t = row.*column; t && std::isfinite(t->bus_bandwidth.value()) && (!best.first || t->bus_bandwidth.value() > best.second))
            best = {&row, t->bus_bandwidth.value()};
    return best;
}

nlohmann::json table_facts(const CollectiveSweep& sweep)
{
    nlohmann::json t = nlohmann::json::object();
    t["test"] = sweep.stated ? nlohmann::json(sweep.test) : nlohmann::json(nullptr);
    t["collective"] = name_of(sweep.type);
    t["ranks"] = sweep.ranks;
    t["hosts"] = sweep.hosts;
    t["n_rows"] = sweep.rows.size();
    if (!sweep.rows.empty()) {
        const CollectiveRow& last = sweep.rows.back();
        t["first_size"] = whole(sweep.rows.front().size);
        t["last_size"] = whole(last.size);
        t["dtype"] = last.dtype;
        t["redop"] = last.reduction;
        t["last_row"] = {{"size", whole(last.size)}};
        put_timing(t["last_row"], "oop", last.out_of_place);
        put_timing(t["last_row"], "ip", last.in_place);
    }
    const auto [row, most] = best_of(sweep, &CollectiveRow::out_of_place);
    t["max_oop_busbw"] = row ? number(most / 1e9) : nlohmann::json(nullptr);
    t["size_at_max"] = row ? whole(row->size) : nlohmann::json(nullptr);
    const auto [in_row, in_most] = best_of(sweep, &CollectiveRow::in_place);
    t["max_ip_busbw"] = in_row ? number(in_most / 1e9) : nlohmann::json(nullptr);
    t["reported_avg_busbw"] = sweep.printed_average ? number(in_gigabytes_per_second(*sweep.printed_average)) : nlohmann::json(nullptr);
    const auto mean = average_bus_bandwidth(sweep);
    t["recomputed_avg"] = mean ? number(rounded(in_gigabytes_per_second(*mean), 1e4)) : nlohmann::json(nullptr);
    if (sweep.printed_peak)
        t["reported_peak_busbw"] = number(in_gigabytes_per_second(*sweep.printed_peak));
    return t;
}

void note_doubts(const CollectiveSweep& sweep, std::size_t index, std::vector<std::string>& notes)
{
    const std::string which = fmt::format("table {} ({})", index + 1, sweep.test.empty() ? "collective unknown" : sweep.test);
    if (sweep.inferred && sweep.type != CollectiveType::other)
        notes.push_back(fmt::format("{}: the file does not name the collective; it follows from element counts and from busbw / algbw", which));
    if (sweep.ranks_inferred && sweep.ranks > 0)
        notes.push_back(fmt::format("{}: {} ranks follow from element counts or from busbw / algbw; the file does not list them", which, sweep.ranks));
    std::int64_t wrong = 0;
    for (const CollectiveRow& row : sweep.rows)
        for (const auto* t : {&row.out_of_place, &row.in_place})
            wrong += *t && (*t)->wrong && *(*t)->wrong > 0 ? 1 : 0;
    if (wrong > 0)
        notes.push_back(fmt::format("{}: {} timings delivered wrong elements; do not trust them", which, wrong));
    const auto mean = average_bus_bandwidth(sweep);
    if (mean && sweep.printed_average && std::abs(mean->value() - sweep.printed_average->value()) > 0.01 * std::max(mean->value(), sweep.printed_average->value()) + 0.005e9)
        notes.push_back(fmt::format("{}: the printed average of {:.2f} GB/s is not that of the rows read, {:.2f} GB/s: rows are missing or of several runs", which,
            in_gigabytes_per_second(*sweep.printed_average), in_gigabytes_per_second(*mean)));
}

} // namespace

CollectiveType collective_type_of(std::string_view name)
{
    const std::string n = plain_name(name);
    const auto has = [&](std::string_view part) { return n.find(part) != std::string::npos; };
    if (has("allreduce"))
        return CollectiveType::all_reduce;
    if (has("allgather"))
        return CollectiveType::all_gather;
    if (has("reducescatter"))
        return CollectiveType::reduce_scatter;
    if (has("alltoall"))
        return CollectiveType::all_to_all;
    if (has("broadcast") || has("bcast"))
        return CollectiveType::broadcast;
    if (has("sendrecv"))
        return CollectiveType::send_recv;
    if (has("barrier"))
        return CollectiveType::barrier;
    return has("reduce") ? CollectiveType::reduce : CollectiveType::other;
}

double bytes_per_element(std::string_view dtype)
{
    static const std::map<std::string, double, std::less<>> sizes{{"int8", 1}, {"uint8", 1}, {"char", 1}, {"int32", 4}, {"uint32", 4}, {"int", 4}, {"int64", 8}, {"uint64", 8}, {"half", 2}, {"float16", 2},
        {"fp16", 2}, {"bfloat16", 2}, {"bf16", 2}, {"float", 4}, {"float32", 4}, {"fp32", 4}, {"double", 8}, {"float64", 8}, {"fp64", 8}, {"f8e4m3", 1}, {"f8e5m2", 1}, {"fp8e4m3", 1}, {"fp8e5m2", 1}};
    const auto at = sizes.find(plain_name(dtype));
    return at == sizes.end() ? 0 : at->second;
}

void complete(CollectiveSweep& sweep)
{
    const int shares = shares_of(sweep);
    if (sweep.type == CollectiveType::other && !sweep.test.empty())
        sweep.type = collective_type_of(sweep.test);
    if (sweep.test.empty() && sweep.type == CollectiveType::other) {
        sweep.inferred = true;
        sweep.type = inferred_type(sweep, shares);
    }
    if (sweep.test.empty())
        sweep.test = perf_name(sweep.type);
    if (sweep.ranks == 0) {
        if (shares > 1 && sweep.type != CollectiveType::all_reduce)
            sweep.ranks = shares;
        else if (const CollectiveRow* row = sharpest_row(sweep))
            sweep.ranks = ranks_by_ratio(sweep.type, ratio_of(*row));
        sweep.ranks_inferred = sweep.ranks > 0;
    }
}

std::optional<BytesPerSecond> average_bus_bandwidth(const CollectiveSweep& sweep)
{
    double sum = 0;
    std::int64_t n = 0;
    for (const CollectiveRow& row : sweep.rows)
        for (const auto* t : {&row.out_of_place, &row.in_place})
            if (*t && std::isfinite((*t)->bus_bandwidth.value())) {
                sum += (*t)->bus_bandwidth.value();
                ++n;
            }
    return n > 0 ? std::optional(BytesPerSecond{sum / static_cast<double>(n)}) : std::nullopt;
}

Measured collective_measured(CollectiveBenchmark benchmark, std::int64_t rank_lines, const std::string& file, std::string format, std::vector<Skipped> skipped, std::vector<std::string> notes)
{
    Measured m;
    m.file = file;
    m.format = std::move(format);
    m.skipped = std::move(skipped);
    m.notes = std::move(notes);
    std::vector<std::pair<std::string, std::int64_t>> devices; // commonest first
    for (const std::string& d : benchmark.devices) {
        const auto at = std::find_if(devices.begin(), devices.end(), [&](const auto& e) { return e.first == d; });
        if (at == devices.end())
            devices.emplace_back(d, 1);
        else
            ++at->second;
    }
    std::stable_sort(devices.begin(), devices.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    m.facts = {{"tool", benchmark.tool}, {"version", benchmark.version}, {"n_tables", benchmark.sweeps.size()}, {"n_rank_lines", rank_lines}};
    m.facts["device"] = nlohmann::json::array();
    for (const auto& [name, count] : devices)
        m.facts["device"].push_back({name, count});
    m.facts["tables"] = nlohmann::json::array();
    for (std::size_t i = 0; i < benchmark.sweeps.size(); ++i) {
        complete(benchmark.sweeps[i]);
        m.facts["tables"].push_back(table_facts(benchmark.sweeps[i]));
        if (i < 100)
            note_doubts(benchmark.sweeps[i], i, m.notes);
    }
    m.content = std::move(benchmark);
    return m;
}

} // namespace ridgepoint

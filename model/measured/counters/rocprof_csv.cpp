#include "model/measured/counters/rocprof_csv.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

#include "model/measured/delimited_text.h"
#include "model/trace/kernel_rules.h"

namespace ridgepoint {
namespace {

constexpr std::size_t most_dispatches = 2'000'000;

using Counters = std::map<std::string, double, std::less<>>;

struct Dispatch {
    std::string kernel;
    Counters counters;
    std::optional<double> start, end, duration; // nanoseconds
};

std::optional<double> get(const Counters& c, std::string_view name)
{
    const auto at = c.find(name);
    return at == c.end() ? std::nullopt : std::optional(at->second);
}

// A counter's total, or the sum over its instances (TCC_HIT[0], TCC_HIT[1] ...).
std::optional<double> total(const Counters& c, const std::string& name)
{
    if (const auto v = get(c, name + "_sum"))
        return v;
    std::optional<double> sum;
    for (auto at = c.lower_bound(name + "["); at != c.end() && at->first.starts_with(name + "["); ++at)
        sum = sum.value_or(0) + at->second;
    return sum;
}

// rocprof-compute's roofline: every vector instruction works on a whole wave, matrix instructions are counted in units of
// 512 operations (ROCm Compute Profiler documentation, "Roofline"; analysis configurations of gfx90a and gfx942).
std::optional<Flops> flops_of(const Counters& c)
{
    const double lanes = get(c, "Wave_Size").value_or(64);
    double sum = 0;
    bool any = false;
    for (const char* type : {"F16", "F32", "F64"}) {
        const std::string stem = "SQ_INSTS_VALU_";
        const auto add = get(c, stem + "ADD_" + type), mul = get(c, stem + "MUL_" + type), fma = get(c, stem + "FMA_" + type), trans = get(c, stem + "TRANS_" + type);
        if (!add || !mul || !fma)
            continue;
        any = true;
        sum += lanes * (*add + *mul + 2 * *fma + trans.value_or(0));
    }
    for (const char* type : {"F16", "BF16", "F32", "F64", "F8", "F6F4", "XF32"})
        if (const auto mops = get(c, std::string("SQ_INSTS_VALU_MFMA_MOPS_") + type)) {
            any = true;
            sum += 512 * *mops;
        }
    return any ? std::optional(Flops{sum}) : std::nullopt;
}

// HBM traffic from the requests of L2 to the fabric, by their sizes. TCC_BUBBLE counts reads of 128 bytes on gfx942; gfx950
// has counters of its own for each size.
std::optional<Bytes> hbm_bytes(const Counters& c)
{
    for (const std::string prefix : {"TCC_EA0_", "TCC_EA_"}) {
        const auto reads = total(c, prefix + "RDREQ"), reads32 = total(c, prefix + "RDREQ_32B"), writes = total(c, prefix + "WRREQ"), writes64 = total(c, prefix + "WRREQ_64B");
        if (!reads || !writes || !writes64)
            continue;
        const double small = reads32.value_or(0);
        const auto reads128 = total(c, prefix + "RDREQ_128B"), reads64 = total(c, prefix + "RDREQ_64B");
        const double wide = total(c, "TCC_BUBBLE").value_or(0);
        const double read = reads128 && reads64 ? 128 * *reads128 + 64 * *reads64 + 32 * small : 128 * wide + 64 * (*reads - wide - small) + 32 * small;
        return bytes(read + 64 * *writes64 + 32 * (*writes - *writes64));
    }
    return std::nullopt;
}

const KernelRules* rules()
{
    static const auto loaded = KernelRules::load_default();
    return loaded ? loaded->get() : nullptr;
}

CountedKernel kernel_named(std::string name)
{
    CountedKernel k;
    if (const auto at = name.find(" (.kd)"); at != std::string::npos)
        name.resize(at);
    if (rules())
        k.kernel_class = rules()->kernel_class(name);
    k.name = std::move(name);
    return k;
}

std::size_t index_of(const std::vector<std::string>& header, std::initializer_list<std::string_view> plain_names)
{
    for (const std::string_view wanted : plain_names)
        for (std::size_t i = 0; i < header.size(); ++i)
            if (plain_name(header[i]) == wanted)
                return i;
    return header.size();
}

bool header_has(std::string_view text, bool (*fits)(const std::vector<std::string>&))
{
    text.remove_prefix(std::min(text.find_first_not_of(" \r\n"), text.size()));
    const std::string_view line = trimmed(text.substr(0, std::min(text.find('\n'), std::size_t{4} << 20)));
    if (line.empty() || line.size() > (std::size_t{4} << 20) - 2 || line.find(',') == std::string_view::npos)
        return false;
    std::vector<std::string> header;
    DelimitedText(line).next(header);
    return fits(header);
}

bool rocprof_header(const std::vector<std::string>& h)
{
    const bool kernel = index_of(h, {"kernelname"}) < h.size();
    const bool dispatch = index_of(h, {"dispatchid", "index"}) < h.size();
    const bool counters = index_of(h, {"countername"}) < h.size() || std::any_of(h.begin(), h.end(), [](const std::string& s) { return s.starts_with("SQ_") || s.starts_with("TCC_") || s.starts_with("TCP_") || s.starts_with("GRBM_") || s == "DurationNs"; });
    return kernel && dispatch && counters;
}

bool timing_header(const std::vector<std::string>& h)
{
    return index_of(h, {"kernel"}) < h.size() && index_of(h, {"flops"}) < h.size() && index_of(h, {"medianms", "meanms", "timems", "medianus", "meanus"}) < h.size();
}

std::vector<Dispatch> dispatches_of(std::string_view text, std::vector<Skipped>& skipped)
{
    DelimitedText records(text);
    std::vector<std::string> header, record;
    records.next(header);
    const std::size_t n = header.size(), kernel = index_of(header, {"kernelname"}), id = index_of(header, {"dispatchid", "index"});
    const std::size_t start = index_of(header, {"starttimestamp", "beginns"}), end = index_of(header, {"endtimestamp", "endns"}), duration = index_of(header, {"durationns"});
    const std::size_t name = index_of(header, {"countername"}), value = index_of(header, {"countervalue"}), agent = index_of(header, {"agentid", "processid"});
    const bool is_long = name < n && value < n;
    std::vector<Dispatch> all;
    std::map<std::string, std::size_t> by_id;
    while (records.next(record)) {
        if (record.size() != n) {
            skip(skipped, fmt::format("record without the header's {} fields", n), fmt::format("line {}", records.line()));
            continue;
        }
        std::size_t at = all.size();
        if (is_long) {
            const auto [found, is_new] = by_id.try_emplace(record[id] + '\x1f' + (agent < n ? record[agent] : std::string()), all.size());
            at = found->second;
        }
        if (at >= most_dispatches)
            break;
        if (at == all.size())
            all.emplace_back().kernel = record[kernel];
        Dispatch& d = all[at];
        const auto number_at = [&](std::size_t c) { return c < n ? number_in(record[c]) : std::nullopt; };
        d.start = number_at(start);
        d.end = number_at(end);
        d.duration = number_at(duration);
        if (is_long) {
            if (const auto v = number_at(value))
                d.counters[record[name]] += *v; // an entry per instance
        } else {
            for (std::size_t c = 0; c < n; ++c)
                if (const auto v = c == kernel ? std::nullopt : number_in(record[c]); v && std::isfinite(*v))
                    d.counters.try_emplace(header[c], *v); // repeated columns (Wave_Size_1) have names of their own
        }
    }
    return all;
}

nlohmann::json facts_of_kernels(const std::vector<CountedKernel>& kernels)
{
    nlohmann::json f = {{"n_kernels", kernels.size()}, {"kernel", kernels.front().name}};
    double sum = 0;
    bool all = true;
    for (const CountedKernel& k : kernels) {
        sum += k.time_known ? k.time.value() * 1e9 : 0;
        all = all && k.time_known;
    }
    f["total_time_ns"] = all ? nlohmann::json(sum) : nlohmann::json(nullptr);
    const CountedKernel& k = kernels.front();
    f["time_ns"] = k.time_known ? nlohmann::json(k.time.value() * 1e9) : nlohmann::json(nullptr);
    f["dram_bytes"] = k.dram_bytes ? nlohmann::json(k.dram_bytes->value()) : nlohmann::json(nullptr);
    f["flops"] = k.flops ? nlohmann::json(k.flops->value()) : nlohmann::json(nullptr);
    return f;
}

} // namespace

bool is_rocprof_csv(std::string_view text) { return header_has(text, rocprof_header); }

Expected<Measured> read_rocprof_csv(std::string_view text, const std::string& file)
{
    Measured m;
    m.file = file;
    m.format = "rocprof counters";
    const std::vector<Dispatch> dispatches = dispatches_of(text, m.skipped);
    if (dispatches.empty())
        return bad_input("counters of rocprof without a single dispatch", Place{file, 0, {}}, {}, "records behind the header");
    KernelCounters counters;
    counters.tool = "rocprof";
    bool flops = false, traffic = false, time = false;
    std::int64_t equal_stamps = 0;
    for (const Dispatch& d : dispatches) {
        CountedKernel k = kernel_named(d.kernel);
        const auto ns = d.duration ? d.duration : d.start && d.end ? std::optional(*d.end - *d.start) : std::nullopt;
        k.time_known = ns && *ns > 0 && std::isfinite(*ns);
        if (k.time_known)
            k.time = seconds(*ns * 1e-9);
        equal_stamps += ns && *ns == 0 ? 1 : 0;
        k.flops = flops_of(d.counters);
        k.dram_bytes = hbm_bytes(d.counters);
        flops = flops || k.flops;
        traffic = traffic || k.dram_bytes;
        time = time || k.time_known;
        counters.kernels.push_back(std::move(k));
    }
    if (equal_stamps > 0)
        m.notes.push_back(fmt::format("{} dispatches start and end at the same time stamp (a spreadsheet rounds them so): their time is not known", equal_stamps));
    if (flops)
        m.notes.emplace_back("FLOPs are whole waves times (add + mul + 2 fma + trans) plus 512 per MFMA MOPS, as rocprof-compute counts; masked lanes are included");
    std::vector<std::string> missing;
    if (!time)
        missing.emplace_back("durations (profile again, or take them from a kernel trace)");
    if (!flops)
        missing.emplace_back("floating-point operations (rocprof-compute profile --roof-only, or --pmc SQ_INSTS_VALU_*_F32 SQ_INSTS_VALU_MFMA_MOPS_*)");
    if (!traffic)
        missing.emplace_back("HBM bytes (rocprof-compute profile --roof-only, or --pmc TCC_EA0_RDREQ_sum TCC_EA0_WRREQ_sum TCC_EA0_WRREQ_64B_sum)");
    for (const std::string& p : missing)
        counters.missing += (counters.missing.empty() ? "the file has no " : "; nor ") + p;
    if (!counters.missing.empty())
        m.notes.push_back(counters.missing);
    m.facts = facts_of_kernels(counters.kernels);
    m.content = std::move(counters);
    return m;
}

bool is_timing_csv(std::string_view text) { return header_has(text, timing_header); }

Expected<Measured> read_timing_csv(std::string_view text, const std::string& file)
{
    Measured m;
    m.file = file;
    m.format = "kernel timings";
    DelimitedText records(text);
    std::vector<std::string> header, record;
    records.next(header);
    const std::size_t n = header.size(), kernel = index_of(header, {"kernel"}), variant = index_of(header, {"variant"}), flops = index_of(header, {"flops"}), traffic = index_of(header, {"theoreticalbytes", "bytes"});
    const std::size_t time = index_of(header, {"medianms", "meanms", "timems", "medianus", "meanus"});
    // A quote of the first line that closes in a later one makes another header of it than its recogniser saw.
    if (time >= n || kernel >= n)
        return bad_input("kernel timings whose header has no column of kernels or of times", Place{file, 1, {}}, {}, "kernel and median_ms, mean_ms or the like");
    const double unit = plain_name(header[time]).ends_with("us") ? 1e-6 : 1e-3;
    KernelCounters counters;
    counters.tool = "the program's own timing";
    while (records.next(record) && counters.kernels.size() < most_dispatches) {
        const auto t = record.size() == n ? number_in(record[time]) : std::nullopt;
        if (!t || *t <= 0 || !std::isfinite(*t)) {
            skip(m.skipped, "record without a time", fmt::format("line {}", records.line()));
            continue;
        }
        CountedKernel k = kernel_named(variant < n && !record[variant].empty() && record[variant] != "base" ? record[kernel] + " " + record[variant] : record[kernel]);
        k.time = seconds(*t * unit);
        if (const auto v = number_in(record[flops]); v && *v > 0)
            k.flops = Flops{*v};
        if (const auto v = traffic < n ? number_in(record[traffic]) : std::nullopt; v && *v > 0)
            k.dram_bytes = bytes(*v);
        counters.kernels.push_back(std::move(k));
    }
    if (counters.kernels.empty())
        return bad_input("kernel timings without a single time", Place{file, 0, {}}, {}, "records with a kernel and its time");
    m.notes.emplace_back("operations and bytes are what the program computes from the problem's size, not counted by hardware");
    m.facts = facts_of_kernels(counters.kernels);
    m.content = std::move(counters);
    return m;
}

} // namespace ridgepoint

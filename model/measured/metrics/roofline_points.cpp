#include "model/measured/metrics/roofline_points.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>


namespace ridgepoint {
namespace {

double median_of(std::vector<double> v)
{
    std::sort(v.begin(), v.end());
    const std::size_t n = v.size();
    return n % 2 == 1 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

std::string label(const MetricSeries& s, std::initializer_list<const char*> names)
{
    for (const char* name : names)
        if (const auto at = s.labels.find(name); at != s.labels.end() && !at->second.empty())
            return at->second;
    return {};
}

struct Gpu {
    std::string name, instance, model;
    std::map<std::string, const MetricSeries*> metrics;
};

std::vector<Gpu> gpus_of(const MetricSet& set)
{
    std::vector<Gpu> out;
    std::map<std::pair<std::string, std::string>, std::size_t> index;
    for (const MetricSeries& s : set.series) {
        if (!s.name.starts_with("DCGM_FI_") || s.values.empty())
            continue;
        std::string name = label(s, {"UUID", "uuid", "gpu_uuid"});
        if (name.empty()) {
            const std::string host = label(s, {"Hostname", "hostname", "instance", "node"}), gpu = label(s, {"gpu", "device", "GPU"});
            name = host.empty() ? gpu : host + "/" + gpu;
        }
        std::string instance;
        if (const std::string id = label(s, {"GPU_I_ID"}); !id.empty())
            instance = label(s, {"GPU_I_PROFILE"}) + "/" + id;
        const auto [at, fresh] = index.emplace(std::pair{name, instance}, out.size());
        if (fresh)
            out.push_back({name, instance, {}, {}});
        Gpu& gpu = out[at->second];
        if (gpu.model.empty())
            gpu.model = label(s, {"modelName", "model_name", "gpu_model_name"});
        // The same series from a second exporter, or by pod: the longer one.
        const MetricSeries*& kept = gpu.metrics[s.name];
        if (kept == nullptr || kept->values.size() < s.values.size())
            kept = &s;
    }
    return out;
}

const MetricSeries* metric(const Gpu& gpu, const char* name)
{
    const auto at = gpu.metrics.find(name);
    return at == gpu.metrics.end() ? nullptr : at->second;
}

// Ratio 0 to 1, whatever the exporter's scale.
double ratio_scale(const MetricSeries& s) { return std::any_of(s.values.begin(), s.values.end(), [](double v) { return v > 1.5; }) ? 0.01 : 1.0; }

double typical_step(const MetricSeries& s)
{
    std::vector<double> steps;
    for (std::size_t i = 1; i < s.times.size(); ++i)
        steps.push_back(s.times[i] - s.times[i - 1]);
    return steps.empty() ? 0 : median_of(std::move(steps));
}

// The value at a time: the nearest sample, at most `apart` away. Series without times have one value for all.
std::optional<double> value_at(const MetricSeries& s, double time, double apart)
{
    if (s.times.empty())
        return s.values.empty() ? std::nullopt : std::optional(s.values.front());
    const auto after = std::lower_bound(s.times.begin(), s.times.end(), time);
    std::optional<std::size_t> best;
    for (const auto at : {after, after == s.times.begin() ? s.times.end() : std::prev(after)})
        if (at != s.times.end() && std::abs(*at - time) <= apart) {
            const auto i = static_cast<std::size_t>(at - s.times.begin());
            if (!best || std::abs(s.times[i] - time) < std::abs(s.times[*best] - time))
                best = i;
        }
    return best ? std::optional(s.values[*best]) : std::nullopt;
}

template<typename Value>
std::optional<Value> p50_of(const MetricSeries* s, double factor = 1)
{
    if (s == nullptr || s->values.empty())
        return std::nullopt;
    return Value{median_of(s->values) * factor};
}

std::optional<BytesPerSecond> p50_rate(const MetricSeries* s)
{
    if (s == nullptr)
        return std::nullopt;
    const MetricSeries rate = rate_of(*s);
    return p50_of<BytesPerSecond>(&rate);
}

struct TrafficName {
    std::string_view name;
    bool sent;
    double factor;
    int family; // one family a node, so that nothing is counted twice
};
constexpr TrafficName traffic_names[] = {{"node_amazonefa_tx_bytes", true, 1, 0}, {"node_amazonefa_rx_bytes", false, 1, 0}, {"node_amazonefa_tx_bytes_total", true, 1, 0}, {"node_amazonefa_rx_bytes_total", false, 1, 0},
    {"node_infiniband_port_data_transmitted_bytes_total", true, 1, 1}, {"node_infiniband_port_data_received_bytes_total", false, 1, 1}, {"port_xmit_data", true, 4, 2}, {"port_rcv_data", false, 4, 2}}; // port_*_data counts 4-byte words

} // namespace

MetricSeries rate_of(const MetricSeries& s)
{
    bool counter = s.counter;
    if (!counter && s.values.size() >= 6 && s.times.size() == s.values.size() && s.name.find("BYTES") != std::string::npos)
        counter = std::is_sorted(s.values.begin(), s.values.end()) && s.values.front() < s.values.back();
    if (!counter)
        return s;
    MetricSeries out;
    out.name = s.name;
    out.labels = s.labels;
    out.unit = s.unit.empty() ? s.unit : s.unit + "/s";
    for (std::size_t i = 1; i < s.values.size() && i < s.times.size(); ++i) {
        const double seconds = s.times[i] - s.times[i - 1];
        if (!(seconds > 0))
            continue;
        const double more = s.values[i] >= s.values[i - 1] ? s.values[i] - s.values[i - 1] : s.values[i];
        out.times.push_back(s.times[i]);
        out.values.push_back(more / seconds);
    }
    return out;
}

std::vector<GpuOnRoofline> roofline_points(const MetricSet& set, const GpuPeaks& peaks)
{
    std::vector<GpuOnRoofline> out;
    for (const Gpu& gpu : gpus_of(set)) {
        const MetricSeries* tensor = metric(gpu, "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE");
        const MetricSeries* dram = metric(gpu, "DCGM_FI_PROF_DRAM_ACTIVE");
        if (tensor == nullptr || dram == nullptr)
            continue;
        const MetricSeries* clock = metric(gpu, "DCGM_FI_DEV_SM_CLOCK"); // MHz
        const double apart = std::max({0.75 * typical_step(*tensor), 0.75 * typical_step(*dram), 1e-3});
        const double tensor_scale = ratio_scale(*tensor), dram_scale = ratio_scale(*dram);
        GpuOnRoofline point;
        std::vector<double> flops, bytes;
        for (std::size_t i = 0; i < tensor->values.size(); ++i) {
            const double time = tensor->times.empty() ? 0 : tensor->times[i];
            const auto traffic = value_at(*dram, time, apart);
            if (!traffic)
                continue;
            double speed = 1;
            if (clock != nullptr && peaks.clock > Hertz{})
                if (const auto mhz = value_at(*clock, time, std::max(apart, 0.75 * typical_step(*clock))))
                    speed = *mhz * 1e6 / peaks.clock.value();
            const GpuSample s{time, peaks.dense * (tensor->values[i] * tensor_scale * speed), peaks.memory * (*traffic * dram_scale)};
            flops.push_back(s.flops.value());
            bytes.push_back(s.bytes.value());
            point.samples.push_back(s);
        }
        if (point.samples.empty())
            continue;
        point.gpu = gpu.name;
        point.instance = gpu.instance;
        point.model = gpu.model;
        point.flops = FlopPerSecond{median_of(std::move(flops))};
        point.bytes = BytesPerSecond{median_of(std::move(bytes))};
        if (point.bytes > BytesPerSecond{})
            point.intensity = point.flops / point.bytes;
        point.flops_without_bias = point.flops / (1 + tensor_active_bias);
        point.clock = p50_of<Hertz>(clock, 1e6);
        point.power = p50_of<Watts>(metric(gpu, "DCGM_FI_DEV_POWER_USAGE"));
        point.nvlink_sent = p50_rate(metric(gpu, "DCGM_FI_PROF_NVLINK_TX_BYTES"));
        point.nvlink_received = p50_rate(metric(gpu, "DCGM_FI_PROF_NVLINK_RX_BYTES"));
        out.push_back(std::move(point));
    }
    return out;
}

std::vector<NodeTraffic> node_traffic(const MetricSet& set)
{
    struct Port {
        std::vector<double> times, rates; // a rate holds from the time before to its own
        double start = 0;
        bool sent;
    };
    struct Node {
        std::map<int, std::vector<Port>> families;
        std::map<int, std::set<std::string>> devices;
    };
    std::map<std::string, Node> nodes;
    std::vector<std::string> order;
    std::set<std::string> seen;
    for (const MetricSeries& s : set.series) {
        const auto name = std::find_if(std::begin(traffic_names), std::end(traffic_names), [&](const TrafficName& n) { return n.name == s.name; });
        if (name == std::end(traffic_names) || s.times.size() < 2)
            continue;
        const std::string node = label(s, {"node", "Hostname", "hostname", "instance", "host"});
        const std::string device = label(s, {"device"}) + "/" + label(s, {"port"});
        if (!seen.insert(node + "\1" + device + "\1" + s.name).second)
            continue; // scraped twice
        MetricSeries counter = s;
        counter.counter = true;
        const MetricSeries rate = rate_of(counter);
        if (rate.times.empty())
            continue;
        if (!nodes.contains(node))
            order.push_back(node);
        Port port{rate.times, rate.values, s.times.front(), name->sent};
        for (double& r : port.rates)
            r *= name->factor;
        nodes[node].families[name->family].push_back(std::move(port));
        nodes[node].devices[name->family].insert(device);
    }
    std::vector<NodeTraffic> out;
    for (const std::string& name : order) {
        const auto& [family, ports] = *nodes[name].families.begin();
        NodeTraffic traffic;
        traffic.node = name;
        traffic.devices = static_cast<int>(nodes[name].devices[family].size());
        std::set<double> ends;
        for (const Port& p : ports) {
            ends.insert(p.start);
            ends.insert(p.times.begin(), p.times.end());
        }
        std::vector<double> sent, received;
        std::vector<std::size_t> at(ports.size(), 0);
        for (auto from = ends.begin(), to = std::next(from); to != ends.end(); from = to++) {
            NodeTraffic::Sample s{*from, *to, {}, {}};
            for (std::size_t p = 0; p < ports.size(); ++p) {
                while (at[p] < ports[p].times.size() && ports[p].times[at[p]] < *to)
                    ++at[p];
                if (*from < ports[p].start || at[p] == ports[p].times.size())
                    continue;
                (ports[p].sent ? s.sent : s.received) += BytesPerSecond{ports[p].rates[at[p]]};
            }
            sent.push_back(s.sent.value());
            received.push_back(s.received.value());
            traffic.samples.push_back(s);
        }
        traffic.sent = BytesPerSecond{median_of(std::move(sent))};
        traffic.received = BytesPerSecond{median_of(std::move(received))};
        out.push_back(std::move(traffic));
    }
    return out;
}

std::vector<Utilisation> utilisation_over_time(const MetricSet& set, std::string_view name)
{
    std::map<double, Utilisation> by_time;
    for (const MetricSeries& s : set.series) {
        if (s.name != name)
            continue;
        const double scale = name.starts_with("DCGM_FI_PROF_") ? ratio_scale(s) : 1.0;
        for (std::size_t i = 0; i < s.times.size() && i < s.values.size(); ++i) {
            Utilisation& u = by_time[s.times[i]];
            const double v = s.values[i] * scale;
            u.time = s.times[i];
            u.least = u.series == 0 ? v : std::min(u.least, v);
            u.most = u.series == 0 ? v : std::max(u.most, v);
            u.mean += (v - u.mean) / ++u.series;
        }
    }
    std::vector<Utilisation> out;
    for (const auto& [time, u] : by_time)
        out.push_back(u);
    return out;
}

} // namespace ridgepoint

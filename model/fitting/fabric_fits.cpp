// Collectives across NVLink domains.

#include <algorithm>
#include <optional>

#include "model/calibration/collective_calls.h"
#include "model/calibration/row_models.h"
#include "model/collectives/read.h"
#include "model/fitting/collective_fits.h"

namespace ridgepoint {
namespace {

// A fabric with few points or none starts from another one, its latencies scaled. The factors are planning values from
// what small messages cost on each.
struct Likeness {
    const char* fabric;
    const char* like;
    double latencies;
};
constexpr Likeness likenesses[] = {{"efa-v1", "efa-v2", 1.5}, {"efa-v3", "efa-v2", 0.65}, {"efa-v4", "efa-v2", 0.6}, {"infiniband-ndr", "efa-v2", 0.35},
    {"roce", "infiniband-ndr", 1.1}, {"infiniband-hdr", "infiniband-ndr", 1.1}, {"infiniband-xdr", "infiniband-ndr", 1.0}, {"omni-path", "infiniband-ndr", 1.3}};
constexpr double own_prior = 0.1; // pull of the default start, and of the likeness
constexpr double like_prior = 0.3;
constexpr double points_of_a_say = 20.0; // from here on, more sizes of one run do not count for more

using F = FabricConstants;

std::vector<FreeConstant<F>> fabric_constants()
{
    using T = TreeLaw;
    using R = RingLaw;
    using P = PairwiseLaw;
    return {
        free_constant("tree/base", &F::tree, &T::base, {30e-6, 0, 200e-6, 5e-6}),
        free_constant("tree/per_hop", &F::tree, &T::per_hop, {30e-6, 0, 200e-6, 5e-6}),
        free_constant("tree/ramp", &F::tree, &T::ramp, {200e-6, 0, 1e-3, 20e-6}),
        free_constant("tree/ramp_per_hop", &F::tree, &T::ramp_per_hop, {100e-6, 0, 1e-3, 20e-6}),
        free_constant("tree/ramp_bytes", &F::tree, &T::ramp_bytes, {16e6, 1e5, 1e9, 0}),
        free_constant("tree/fraction", &F::tree, &T::fraction, {0.75, 0.3, 1, 0}),
        free_constant("ring/base", &F::ring, &R::base, {40e-6, 0, 300e-6, 5e-6}),
        free_constant("ring/per_step", &F::ring, &R::per_step, {5e-6, 0, 60e-6, 1e-6}),
        free_constant("ring/per_step_rails", &F::ring, &R::per_step_rails, {0.8e-6, 0, 5e-6, 0.1e-6}),
        free_constant("ring/fraction", &F::ring, &R::fraction, {0.95, 0.5, 1, 0}),
        free_constant("all_to_all/base", &F::all_to_all, &P::base, {40e-6, 0, 400e-6, 5e-6}),
        free_constant("all_to_all/per_peer", &F::all_to_all, &P::per_peer, {4e-6, 0, 20e-6, 0.5e-6}),
        free_constant("all_to_all/fraction", &F::all_to_all, &P::fraction, {0.9, 0.4, 1, 0}),
        free_constant("all_to_all/decay", &F::all_to_all, &P::decay, {0.05, 0, 0.5, 0.1}),
        free_constant("send_recv/base", &F::send_recv, &P::base, {30e-6, 0, 200e-6, 5e-6}),
        free_constant("send_recv/fraction", &F::send_recv, &P::fraction, {0.87, 0.3, 1, 0}),
        free_constant("send_recv/decay", &F::send_recv, &P::decay, {0.5, 0, 1, 0.1}),
    };
}

bool is_latency(const std::string& name)
{
    const std::string last = name.substr(name.find('/') + 1);
    return last == "base" || last == "ramp" || last.starts_with("per_") || last == "ramp_per_hop";
}

struct Rows {
    std::vector<MeasuredCollective> calls;
    std::vector<double> seconds, weights;
    std::vector<std::vector<double>> sizes, nodes;
    std::vector<std::string> runs; // collective, GPU and source
};

// Rows that say themselves that they are not what the laws describe are predicted and scored, but teach nothing: a library
// that was not tuned, a tree forced where the switch would reduce, in-network reduction of collectives other than all-reduce.
bool teaches(const CsvRow& row, const MeasuredCollective& m)
{
    const bool in_network = m.call.only == CollectiveAlgorithm::in_network;
    return !contains_word(row.text("stack"), "untuned") && row.text("algo") != "Tree" && !in_network;
}

Rows rows_of(const std::string& fabric, const std::vector<MeasurementFile>& files, Sites& sites)
{
    Rows out;
    for (const MeasurementFile& f : files) {
        if (f.kind != "collectives")
            continue;
        for (std::size_t i = 0; i < f.table.rows.size(); ++i) {
            const CsvRow row(f.table, i);
            MeasuredCollective m = cluster_collective(row, sites);
            if (!m.not_expressed.empty() || m.one_domain || m.cluster.fabric.id != fabric)
                continue;
            out.runs.push_back(std::string(row.text("op")) + "/" + m.site->constants.domain.gpu + "/" + std::string(row.text("source_family")));
            out.weights.push_back(teaches(row, m) ? 1.0 : 0.0);
            out.seconds.push_back(m.measured.value());
            out.sizes.push_back({m.call.buffer.value()});
            out.nodes.push_back({static_cast<double>(m.call.group.domains)});
            out.calls.push_back(std::move(m));
        }
    }
    std::map<std::string, double> points;
    for (const std::string& run : out.runs)
        ++points[run];
    for (std::size_t i = 0; i < out.runs.size(); ++i)
        out.weights[i] *= std::min(1.0, points_of_a_say / points[out.runs[i]]);
    return out;
}

std::vector<std::pair<std::string, std::vector<std::size_t>>> parts_of(const Rows& rows)
{
    std::vector<std::pair<std::string, std::vector<std::size_t>>> parts = {{"/tree", {}}, {"/ring", {}}, {"/all_to_all", {}}, {"/send_recv", {}}};
    for (std::size_t i = 0; i < rows.calls.size(); ++i) {
        const Collective op = rows.calls[i].call.op;
        if (op == Collective::all_reduce)
            parts[0].second.push_back(i);
        if (op == Collective::all_reduce || op == Collective::all_gather || op == Collective::reduce_scatter)
            parts[1].second.push_back(i);
        if (op == Collective::all_to_all)
            parts[2].second.push_back(i);
        if (op == Collective::send_recv)
            parts[3].second.push_back(i);
    }
    return parts;
}

// Any GPU of the catalogue: the reader wants one, the fabric does not depend on it.
Expected<F> constants_of(const SpecStore& specs, const std::string& fabric)
{
    Expected<CollectiveConstants> k = read_collective_constants(specs, "h100", fabric);
    if (!k)
        return k.error();
    return k->fabric;
}

} // namespace

const std::vector<std::string>& fitted_fabrics()
{
    static const std::vector<std::string> all
        = {"efa-v2", "efa-v1", "efa-v3", "efa-v4", "infiniband-ndr", "roce", "infiniband-hdr", "infiniband-xdr", "omni-path"};
    return all;
}

Status fit_fabric(const std::string& fabric, const std::vector<MeasurementFile>& files, const SpecStore& specs, FittedLaws& out)
{
    Expected<F> shipped = constants_of(specs, fabric);
    if (!shipped)
        return shipped.error();
    Sites sites(specs);
    const Rows rows = rows_of(fabric, files, sites);
    LawFit<F> f;
    f.free = fabric_constants();
    f.prior = own_prior;
    f.robust_scale = 0.15;
    if (const auto* like = std::ranges::find_if(likenesses, [&](const Likeness& l) { return fabric == l.fabric; }); like != std::end(likenesses)) {
        const Expected<F> other = constants_of(specs, like->like);
        if (!other)
            return other.error();
        f.prior = like_prior;
        for (FreeConstant<F>& c : f.free) {
            const double v = c.get(*other) * (is_latency(c.parameter.name) ? like->latencies : 1.0);
            c.parameter.start = std::clamp(v, c.parameter.low, c.parameter.high);
        }
    }
    if (rows.calls.empty()) {
        FittedLaw follows;
        follows.document = fabric;
        for (const FreeConstant<F>& c : f.free)
            follows.constants.push_back({c.parameter.name, c.get(*shipped), rounded(c.parameter.start, c.parameter.scale)});
        out.laws.push_back(std::move(follows));
        return Done{};
    }
    f.measured = rows.seconds;
    f.weights = rows.weights;
    f.groupings = {{"message sizes", rows.sizes, 2, 2}, {"node counts", rows.nodes, 0, 3}};
    f.parts = parts_of(rows);
    f.seconds = [&rows, scratch = CollectiveConstants{}](const F& c, std::size_t i) mutable {
        scratch.domain = rows.calls[i].site->constants.domain;
        scratch.fabric = c;
        return collective_cost(rows.calls[i].call, rows.calls[i].cluster, scratch).time.total().value();
    };
    out.laws.push_back(f.fit(*shipped, fabric, ""));
    return Done{};
}

} // namespace ridgepoint

// Collectives inside an NVLink domain.

#include <filesystem>

#include "model/calibration/collective_calls.h"
#include "model/fitting/collective_fits.h"

namespace ridgepoint {
namespace {

constexpr std::size_t least_rows = 10; // below, the law follows that of another GPU
constexpr double large_run = 3.0; // weight of a row of collectives.csv: the other table ends at 512 MiB, these tell the asymptote

using D = DomainConstants;

struct Rows {
    std::vector<MeasuredCollective> calls;
    std::vector<double> seconds, weights;
    std::vector<std::vector<double>> sizes, ranks;
    std::map<std::string, std::vector<std::size_t>> laws; // of specs/efficiency/<gpu>.json, "domain" -> rows
};

struct LawName {
    std::string fitted_with; // laws that take part in one fit
    std::string law;
};

// Where the switch can reduce, the faster of ring and switch is measured: one fit for both.
LawName law_of(const MeasuredCollective& m)
{
    switch (m.call.op) {
    case Collective::all_reduce:
        return {"all_reduce",
            m.cluster.node.nvlink_sharp && m.call.group.ranks >= m.site->constants.domain.switch_minimum_ranks && m.call.only != CollectiveAlgorithm::ring
                ? "all_reduce_switch"
                : "all_reduce"};
    case Collective::all_gather:
    case Collective::reduce_scatter:
        return {"gather", "gather"};
    case Collective::all_to_all:
        return {"all_to_all", "all_to_all"};
    case Collective::send_recv:
        return {"send_recv", "send_recv"};
    }
    return {};
}

void add_constants(std::vector<FreeConstant<D>>& to, const std::string& law, DomainLaw D::*member)
{
    using L = DomainLaw;
    const bool reduces = law == "all_reduce_switch"; // the switch sees no ring: no hop and no lost link to fit
    const std::string at = law + "/";
    to.push_back(free_constant(at + "base", member, &L::base, {reduces ? 17e-6 : 5e-6, 0, 50e-6, 1e-6}));
    to.push_back(free_constant(at + "ramp", member, &L::ramp, {reduces ? 100e-6 : 25e-6, 0, 400e-6, 2e-6}));
    to.push_back(free_constant(at + "ramp_bytes", member, &L::ramp_bytes, {4e6, 1e4, 5e8, 0}));
    to.push_back(free_constant(at + "fraction", member, &L::fraction, {reduces ? 1.0 : 0.8, 0.2, 1.3, 0}));
    if (law == "send_recv") { // a pair has no ring, and its peer is one
        to.push_back(free_constant(at + "part", member, &L::part, {32e6, 1e6, 1e9, 0}));
        to.push_back(free_constant(at + "part_fraction", member, &L::part_fraction, {0.2, 0.02, 1, 0}));
    } else if (!reduces) {
        to.push_back(free_constant(at + "per_rank", member, &L::per_rank, {1e-6, 0, 10e-6, 0.2e-6}));
        to.push_back(free_constant(at + "loss", member, &L::loss, {0.5, 0, 0.95, 0.2}));
    }
}

DomainLaw D::*member(const std::string& law)
{
    static const std::map<std::string, DomainLaw D::*> members = {{"all_reduce", &D::all_reduce}, {"all_reduce_switch", &D::all_reduce_switch},
        {"gather", &D::gather}, {"all_to_all", &D::all_to_all}, {"send_recv", &D::send_recv}};
    return members.at(law);
}

Rows rows_of_fitted_laws(const Rows& all)
{
    Rows out;
    for (const auto& [law, rows] : all.laws) {
        if (rows.size() < least_rows)
            continue;
        for (const std::size_t i : rows) {
            out.laws[law].push_back(out.calls.size());
            out.calls.push_back(all.calls[i]);
            out.seconds.push_back(all.seconds[i]);
            out.weights.push_back(all.weights[i]);
            out.sizes.push_back(all.sizes[i]);
            out.ranks.push_back(all.ranks[i]);
        }
    }
    return out;
}

} // namespace

void fit_domains(const std::vector<MeasurementFile>& files, const SpecStore& specs, const Wanted& wanted, FittedLaws& out)
{
    Sites sites(specs);
    std::map<std::string, std::map<std::string, Rows>> rows; // by GPU and fit
    for (const MeasurementFile& f : files) {
        const bool node = f.kind == "collectives_node";
        if (!node && f.kind != "collectives")
            continue;
        for (std::size_t i = 0; i < f.table.rows.size(); ++i) {
            const CsvRow row(f.table, i);
            MeasuredCollective m = node ? node_collective(row, sites) : cluster_collective(row, sites);
            if (!m.not_expressed.empty()) {
                ++out.not_expressed[std::filesystem::path(f.table.file).filename().string() + ": " + m.not_expressed];
                continue;
            }
            const LawName law = law_of(m);
            const std::string& gpu = m.site->constants.domain.gpu;
            if (!m.one_domain || !wanted(gpu))
                continue;
            Rows& to = rows[gpu][law.fitted_with];
            to.laws[law.law].push_back(to.calls.size());
            to.seconds.push_back(m.measured.value());
            to.weights.push_back(node ? 1.0 : large_run);
            to.sizes.push_back({m.call.buffer.value()});
            to.ranks.push_back({static_cast<double>(m.call.group.ranks)});
            to.calls.push_back(std::move(m));
        }
    }
    for (const auto& [gpu, fits] : rows)
        for (const auto& [name, all] : fits) {
            const Rows r = rows_of_fitted_laws(all);
            if (r.calls.empty())
                continue;
            LawFit<D> f;
            for (const auto& [law, of_law] : r.laws) {
                add_constants(f.free, law, member(law));
                f.parts.emplace_back("/domain/" + law, of_law);
            }
            f.measured = r.seconds;
            f.weights = r.weights;
            f.groupings = {{"message sizes", r.sizes, 2, 2}};
            if (f.parts.size() == 1) // a ring law knows rank counts; rings and switches have theirs each
                f.groupings.push_back({"rank counts", r.ranks, 0, 3});
            f.robust_scale = 0.1;
            f.prior = 0.03; // settles what two constants can explain alike, and no more
            f.seconds = [&r, scratch = r.calls.front().site->constants](const D& c, std::size_t i) mutable {
                scratch.domain = c;
                return collective_cost(r.calls[i].call, r.calls[i].cluster, scratch).time.total().value();
            };
            D law = r.calls.front().site->constants.domain;
            out.laws.push_back(f.fit(law, gpu, "/domain"));
        }
}

} // namespace ridgepoint

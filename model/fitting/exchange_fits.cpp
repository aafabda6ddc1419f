// Dispatch and combine of expert-parallel kernels.

#include <algorithm>
#include <filesystem>

#include "model/calibration/collective_calls.h"
#include "model/fitting/collective_fits.h"

namespace ridgepoint {
namespace {

constexpr std::size_t least_rows = 20; // for a law of its own; a GPU with fewer follows another one

struct Rows {
    std::vector<MeasuredExchange> exchanges;
    std::vector<double> seconds;
    std::vector<std::vector<double>> families, loads; // of experts, and of tokens on domains
};

// By GPU (one domain) or by fabric.
std::map<std::string, Rows> rows_of(const std::vector<MeasurementFile>& files, Sites& sites, bool across, const Wanted& wanted, FittedLaws& out)
{
    std::map<std::string, Rows> rows;
    for (const MeasurementFile& f : files) {
        const bool low_latency = f.kind == "moe_dispatch_low_latency";
        if (!low_latency && f.kind != "moe_dispatch")
            continue;
        for (std::size_t i = 0; i < f.table.rows.size(); ++i) {
            const CsvRow row(f.table, i);
            std::vector<MeasuredExchange> all = low_latency ? low_latency_exchanges(row, sites) : std::vector{dispatch_exchange(row, sites)};
            for (MeasuredExchange& e : all) {
                if (!e.not_expressed.empty()) {
                    if (!across)
                        ++out.not_expressed[std::filesystem::path(f.table.file).filename().string() + ": " + e.not_expressed];
                    continue;
                }
                const std::string& document = across ? e.site->constants.fabric.fabric : e.site->constants.domain.gpu;
                if ((e.group.domains > 1) != across || !wanted(document))
                    continue;
                Rows& to = rows[document];
                to.seconds.push_back(e.measured.value());
                to.families.push_back({row.number_or("hidden_size", 0), row.number_or("num_topk", 0), row.number_or("num_experts", 0)});
                to.loads.push_back({row.number_or("num_token", row.number_or("tokens_per_rank", 0)), static_cast<double>(e.group.domains)});
                to.exchanges.push_back(std::move(e));
            }
        }
    }
    return rows;
}

void fit_exchanges(const std::vector<MeasurementFile>& files, const SpecStore& specs, bool across, const Wanted& wanted, FittedLaws& out)
{
    Sites sites(specs);
    for (const auto& [document, rows] : rows_of(files, sites, across, wanted, out)) {
        if (!across && rows.seconds.size() < least_rows)
            continue;
        LawFit<ExchangeLaw> f;
        f.free = {free_constant("latency", &ExchangeLaw::latency, across ? Range{150e-6, 5e-6, 1e-3, 0} : Range{12e-6, 1e-6, 60e-6, 0})};
        if (rows.seconds.size() >= least_rows) // few rows, all of them small messages, tell a latency and no rate
            f.free.push_back(free_constant("fraction", &ExchangeLaw::fraction, across ? Range{0.75, 0.2, 1, 0} : Range{0.5, 0.1, 1, 0}));
        if (across && std::ranges::any_of(rows.exchanges, [](const MeasuredExchange& e) { return e.group.domains > 2; }))
            f.free.push_back(free_constant("per_domain", &ExchangeLaw::per_domain, {20e-6, 0, 200e-6, 5e-6}));
        f.measured = rows.seconds;
        f.groupings = {{"layers of experts", rows.families, 2, 2}, {"tokens", rows.loads, across ? 0 : 2, 2}};
        f.seconds = [&rows = rows, across](const ExchangeLaw& c, std::size_t i) {
            CollectiveConstants k = rows.exchanges[i].site->constants;
            (across ? k.fabric.exchange : k.domain.exchange) = c;
            return cost_of(rows.exchanges[i], k).time.total().value();
        };
        const CollectiveConstants& k = rows.exchanges.front().site->constants;
        ExchangeLaw law = across ? k.fabric.exchange : k.domain.exchange;
        out.laws.push_back(f.fit(law, document, across ? "/exchange" : "/domain/exchange"));
    }
}

} // namespace

void fit_domain_exchanges(const std::vector<MeasurementFile>& files, const SpecStore& specs, const Wanted& wanted, FittedLaws& out)
{
    fit_exchanges(files, specs, false, wanted, out);
}

void fit_fabric_exchanges(const std::vector<MeasurementFile>& files, const SpecStore& specs, const Wanted& wanted, FittedLaws& out)
{
    fit_exchanges(files, specs, true, wanted, out);
}

} // namespace ridgepoint

// Published collective timings: nccl-tests inside a node and across nodes, expert-parallel dispatch and combine.

#include "model/calibration/collective_calls.h"
#include "model/calibration/predictors.h"
#include "model/calibration/row_models.h"
#include "model/calibration/strata.h"

namespace ridgepoint {
namespace {

Prediction prediction(const std::string& quantity, Seconds measured, Seconds predicted, std::map<std::string, std::string> strata)
{
    const double p = in_microseconds(predicted);
    return {quantity, in_microseconds(measured), p, p, p, std::move(strata)};
}

class NcclPredictor final : public RowPredictor {
public:
    NcclPredictor(const SpecStore& specs, bool in_node) : m_sites(specs), m_in_node(in_node) {}
    std::string kind() const override { return m_in_node ? "collectives_node" : "collectives"; }
    std::vector<std::string> quantities() const override { return {m_in_node ? "latency_us" : "time_us"}; }

    RowOutcome predict(const CsvRow& row) override
    {
        RowOutcome out;
        const MeasuredCollective m = m_in_node ? node_collective(row, m_sites) : cluster_collective(row, m_sites);
        out.not_expressed = m.not_expressed;
        if (!m.not_expressed.empty())
            return out;
        const double size = m.call.buffer.value();
        const std::string fabric = m.one_domain ? "NVLink" : fabric_class(row.text("interconnect"));
        out.predictions.push_back(prediction(quantities().front(), m.measured, collective_cost(m.call, m.cluster, m.site->constants).time.total(),
            {{"gpu", std::string(row.text("gpu"))}, {"op", std::string(row.text("op"))}, {"nodes", m.one_domain ? "one domain" : "many"},
                {"gpu, fabric", joined({row.text("gpu"), fabric})}, {"op, size", joined({row.text("op"), message_band(size)})},
                {"ranks", whole_band(m.call.group.ranks, {2, 4, 8, 16, 64, 256})}, {"size", message_band(size)},
                {"source", std::string(row.text("source_family"))}}));
        return out;
    }

private:
    Sites m_sites;
    bool m_in_node;
};

class DispatchPredictor final : public RowPredictor {
public:
    explicit DispatchPredictor(const SpecStore& specs) : m_sites(specs) {}
    std::string kind() const override { return "moe_dispatch"; }
    std::vector<std::string> quantities() const override { return {"time_us"}; }

    RowOutcome predict(const CsvRow& row) override
    {
        RowOutcome out;
        const MeasuredExchange m = dispatch_exchange(row, m_sites);
        out.not_expressed = m.not_expressed;
        if (m.not_expressed.empty())
            out.predictions.push_back(prediction(m.quantity, m.measured, cost_of(m, m.site->constants).time.total(),
                {{"gpu", std::string(row.text("gpu"))}, {"op", std::string(row.text("op"))}, {"mode", std::string(row.text("mode"))},
                    {"library", std::string(row.text("library"))}, {"nodes", std::string(row.text("n_nodes"))}}));
        return out;
    }

private:
    Sites m_sites;
};

class LowLatencyPredictor final : public RowPredictor {
public:
    explicit LowLatencyPredictor(const SpecStore& specs) : m_sites(specs) {}
    std::string kind() const override { return "moe_dispatch_low_latency"; }
    std::vector<std::string> quantities() const override { return {"dispatch_avg_t_us", "combine_avg_t_us"}; }

    RowOutcome predict(const CsvRow& row) override
    {
        RowOutcome out;
        for (const MeasuredExchange& m : low_latency_exchanges(row, m_sites)) {
            out.not_expressed = m.not_expressed;
            if (m.not_expressed.empty())
                out.predictions.push_back(prediction(m.quantity, m.measured, cost_of(m, m.site->constants).time.total(),
                    {{"gpu", std::string(row.text("system"))}, {"tokens", whole_band(row.number("num_token"), {16, 128})}, {"experts", std::string(row.text("num_experts"))}}));
        }
        return out;
    }

private:
    Sites m_sites;
};

} // namespace

std::unique_ptr<RowPredictor> make_node_collective_predictor(const SpecStore& specs) { return std::make_unique<NcclPredictor>(specs, true); }
std::unique_ptr<RowPredictor> make_collective_predictor(const SpecStore& specs) { return std::make_unique<NcclPredictor>(specs, false); }
std::unique_ptr<RowPredictor> make_dispatch_predictor(const SpecStore& specs) { return std::make_unique<DispatchPredictor>(specs); }
std::unique_ptr<RowPredictor> make_low_latency_predictor(const SpecStore& specs) { return std::make_unique<LowLatencyPredictor>(specs); }

} // namespace ridgepoint

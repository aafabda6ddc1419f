// Published serving points: closed-loop benchmarks (mean TTFT and TPOT) and maximum throughputs.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "model/calibration/predictors.h"
#include "model/calibration/row_models.h"
#include "model/calibration/serving_cases.h"
#include "model/calibration/strata.h"
#include "model/estimate/estimate.h"

namespace ridgepoint {
namespace {

class ServingPredictor : public RowPredictor {
public:
    explicit ServingPredictor(const SpecStore& specs) : m_specs(specs) {}
    std::string kind() const override { return "serving"; }
    std::vector<std::string> quantities() const override { return {"silicon_ttft_ms", "silicon_tpot_ms"}; }

    RowOutcome predict(const CsvRow& row) override
    {
        RowOutcome out;
        const Expected<ServingReading> reading = read_serving_row(row, m_specs);
        if (!reading) {
            const Error& e = reading.error();
            out.not_expressed = e.kind == ErrorKind::infeasible
                ? fmt::format("the layout is not legal in the model{}", e.place.pointer.empty() ? "" : " (" + e.place.pointer + ")")
                : e.message;
            return out;
        }
        const std::map<std::string, std::string> strata = {{"gpu", std::string(row.text("system"))}, {"family", reading->family},
            {"precision", reading->recipe}, {"engine", std::string(row.text("backend"))}, {"mode", std::string(row.text("mode"))},
            {"architecture", reading->moe ? "moe" : "dense"}, {"stated", reading->cases.size() > 1 ? "in part" : "in full"},
            {"drafting", drafting_of(*reading)}, {"prompt", whole_band(row.number("isl"), {1024, 4096})},
            {"concurrency", whole_band(reading->cases.front().load.concurrency, {8, 64, 512})}};
        const std::vector<ServingOutcome> outcomes = ridgepoint::predict(*reading);
        const Expected<Estimate> e = estimate(reading->cases.front().decode);
        if (Prediction* p = add(out, row, "silicon_tpot_ms", outcomes, &ClosedLoopResult::tpot, strata); p != nullptr && e)
            state_interval(*p, *e);
        if (Prediction* p = add(out, row, "silicon_ttft_ms", outcomes, &ClosedLoopResult::ttft, strata); p != nullptr && e)
            state_interval(*p, *e, Scored::first_token);
        return out;
    }

private:
    static std::string drafting_of(const ServingReading& r)
    {
        const auto drafts = std::ranges::count_if(r.cases, [](const ServingCase& c) { return c.drafted != 0; });
        return drafts == 0 ? "none" : static_cast<std::size_t>(drafts) < r.cases.size() ? "not stated" : "yes";
    }

    static Prediction* add(RowOutcome& out, const CsvRow& row, const std::string& quantity, const std::vector<ServingOutcome>& outcomes,
        Seconds ClosedLoopResult::*value, const std::map<std::string, std::string>& strata)
    {
        const double measured = row.number(quantity);
        if (std::isnan(measured) || measured <= 0 || outcomes.empty())
            return nullptr;
        double low = HUGE_VAL, high = 0.0;
        for (const ServingOutcome& o : outcomes) {
            low = std::min(low, in_milliseconds(o.result.*value));
            high = std::max(high, in_milliseconds(o.result.*value));
        }
        const double point = in_milliseconds(point_of(outcomes, value));
        out.predictions.push_back({quantity, measured, point, low, high, strata});
        return &out.predictions.back();
    }

    const SpecStore& m_specs;
};

class OfflinePredictor : public RowPredictor {
public:
    explicit OfflinePredictor(const SpecStore& specs) : m_specs(specs) {}
    std::string kind() const override { return "serving_offline"; }
    std::vector<std::string> quantities() const override { return {"output_tok_s_per_gpu"}; }

    RowOutcome predict(const CsvRow& row) override
    {
        RowOutcome out;
        const double measured = row.number("output_tok_s_per_gpu");
        if (std::isnan(measured)) {
            out.not_expressed = "no throughput";
            return out;
        }
        const Expected<OfflineReading> r = read_offline_row(row, m_specs);
        if (!r) {
            out.not_expressed = r.error().kind == ErrorKind::infeasible ? "the layout is not legal in the model" : r.error().message;
            return out;
        }
        const double predicted = output_rate(*r);
        out.predictions.push_back({"output_tok_s_per_gpu", measured, predicted, predicted, predicted,
            {{"gpu", std::string(row.text("gpu"))}, {"family", r->job.model.family}, {"precision", std::string(row.text("precision"))},
                {"architecture", r->job.model.is_moe() ? "moe" : "dense"}, {"parallelism", std::string(row.text("parallelism"))},
                {"prompt", whole_band(row.number("isl"), {1024, 4096})}}});
        if (const Expected<Estimate> e = estimate(r->job))
            state_interval(out.predictions.back(), *e, Scored::rate);
        return out;
    }

private:
    const SpecStore& m_specs;
};

} // namespace

std::unique_ptr<RowPredictor> make_serving_predictor(const SpecStore& specs) { return std::make_unique<ServingPredictor>(specs); }
std::unique_ptr<RowPredictor> make_offline_predictor(const SpecStore& specs) { return std::make_unique<OfflinePredictor>(specs); }

} // namespace ridgepoint

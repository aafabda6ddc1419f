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
            {"drafting", reading->cases.back().drafts ? "not stated" : "none"}, {"prompt", whole_band(row.number("isl"), {1024, 4096})},
            {"concurrency", whole_band(reading->cases.front().load.concurrency, {8, 64, 512})}};
        const std::vector<ServingOutcome> outcomes = ridgepoint::predict(*reading);
        if (Prediction* p = add(out, row, "silicon_tpot_ms", outcomes, &ClosedLoopResult::tpot, strata))
            if (const Expected<Estimate> e = estimate(reading->cases.front().decode))
                state_interval(*p, *e);
        add(out, row, "silicon_ttft_ms", outcomes, &ClosedLoopResult::ttft, strata);
        return out;
    }

private:
    // The band of all readings; its point weighs those that draft by the share of published points that do.
    static Prediction* add(RowOutcome& out, const CsvRow& row, const std::string& quantity, const std::vector<ServingOutcome>& outcomes,
        Seconds ClosedLoopResult::*value, const std::map<std::string, std::string>& strata)
    {
        const double measured = row.number(quantity);
        if (std::isnan(measured) || measured <= 0 || outcomes.empty())
            return nullptr;
        double low = HUGE_VAL, high = 0.0, plain_logs = 0.0, drafted_logs = 0.0;
        double plain = 0, drafted = 0;
        for (const ServingOutcome& o : outcomes) {
            const double v = in_milliseconds(o.result.*value);
            low = std::min(low, v);
            high = std::max(high, v);
            (o.drafts ? drafted_logs : plain_logs) += std::log(v);
            (o.drafts ? drafted : plain) += 1.0;
        }
        const double share = drafted > 0.0 ? drafting_share : 0.0;
        const double point = outcomes.size() == 1 ? low : std::exp((1.0 - share) * plain_logs / plain + (drafted > 0.0 ? share * drafted_logs / drafted : 0.0));
        out.predictions.push_back({quantity, measured, point, low, high, strata});
        return &out.predictions.back();
    }

    static constexpr double drafting_share = 0.25; // about that of the points at hand whose models have drafting layers

    const SpecStore& m_specs;
};

// "TP4", "DEP4" (attention data parallel + expert parallel), "TP2".
std::optional<Pool> offline_pool(std::string_view text)
{
    Pool p;
    const bool expert = text.starts_with("DEP");
    const std::string digits(text.substr(expert ? 3 : std::min<std::size_t>(2, text.size())));
    const int n = std::atoi(digits.c_str());
    if (n <= 0 || (!expert && !text.starts_with("TP")))
        return std::nullopt;
    if (expert) {
        p.attention_dp = n;
        p.moe_ep = n;
    } else {
        p.tp = n;
        p.moe_tp = n;
    }
    return p;
}

class OfflinePredictor : public RowPredictor {
public:
    explicit OfflinePredictor(const SpecStore& specs) : m_specs(specs) {}
    std::string kind() const override { return "serving_offline"; }
    std::vector<std::string> quantities() const override { return {"output_tok_s_per_gpu"}; }

    RowOutcome predict(const CsvRow& row) override
    {
        RowOutcome out;
        const double measured = row.number("output_tok_s_per_gpu");
        Expected<Transformer> model = served_model(m_specs, row.text("model"));
        const std::optional<Pool> pool = offline_pool(row.text("parallelism"));
        if (!model || !pool || std::isnan(measured)) {
            out.not_expressed = !model ? model.error().message : "the parallelism is not understood";
            return out;
        }
        const std::string recipe = serving_recipe(row.text("model"), row.text("gpu"), "", "", row.text("precision"));
        Serving w;
        w.input_length = whole(row, "isl");
        w.output_length = whole(row, "osl");
        w.concurrency = pool->attention_dp;
        Expected<Job> job = served_job(m_specs, row.text("gpu"), *model, *pool, w, recipe, Framework::tensorrt_llm);
        if (!job) {
            out.not_expressed = job.error().kind == ErrorKind::infeasible ? "the layout is not legal in the model" : job.error().message;
            return out;
        }
        // All requests are queued: as many users as the batch limit of these runs, 2,048 sequences per attention group.
        ClosedLoop load;
        load.concurrency = 2048.0 * pool->attention_dp;
        const double predicted = closed_loop(*job, load).requests_per_second * w.output_length / pool->gpus();
        out.predictions.push_back({"output_tok_s_per_gpu", measured, predicted, predicted, predicted,
            {{"gpu", std::string(row.text("gpu"))}, {"family", job->model.family}, {"precision", std::string(row.text("precision"))},
                {"architecture", job->model.is_moe() ? "moe" : "dense"}, {"parallelism", std::string(row.text("parallelism"))},
                {"prompt", whole_band(row.number("isl"), {1024, 4096})}}});
        if (const Expected<Estimate> e = estimate(*job))
            state_interval(out.predictions.back(), *e, Scored::rate);
        return out;
    }

private:
    static int whole(const CsvRow& row, std::string_view column)
    {
        const double v = row.number(column);
        return std::isnan(v) ? 0 : static_cast<int>(std::lround(v));
    }

    const SpecStore& m_specs;
};

} // namespace

std::unique_ptr<RowPredictor> make_serving_predictor(const SpecStore& specs) { return std::make_unique<ServingPredictor>(specs); }
std::unique_ptr<RowPredictor> make_offline_predictor(const SpecStore& specs) { return std::make_unique<OfflinePredictor>(specs); }

} // namespace ridgepoint

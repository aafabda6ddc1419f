// Published serving points: closed-loop benchmarks (mean TTFT and TPOT) and maximum throughputs.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "model/calibration/predictors.h"
#include "model/calibration/row_models.h"
#include "model/calibration/strata.h"
#include "model/estimate/serving.h"
#include "model/hardware/read.h"
#include "model/project/resolve.h"
#include "model/transformer/read.h"

namespace ridgepoint {
namespace {

int whole_or(const CsvRow& row, std::string_view column, int fallback)
{
    const double v = row.number(column);
    return std::isnan(v) ? fallback : static_cast<int>(std::lround(v));
}

Framework framework_of(std::string_view backend)
{
    if (backend == "sglang")
        return Framework::sglang;
    return backend == "trtllm" ? Framework::tensorrt_llm : Framework::vllm;
}

// Users of the closed loop: the batch column, or what the data source's key says.
int concurrency_of(const CsvRow& row, bool split)
{
    if (const int batch = whole_or(row, "batch_size", 0); batch > 0)
        return batch;
    static constexpr std::string_view key = "silicon_concurrency=";
    const std::string_view source = row.text("silicon_data_source");
    if (const auto at = source.find(key); at != std::string_view::npos)
        return std::atoi(std::string(source.substr(at + key.size(), 8)).c_str());
    return split ? whole_or(row, "decode_batch_size", 0) * whole_or(row, "decode_num_workers", 1) : 0;
}

// One pool of workers of a row: aggregated, or the prefill or decode side of a disaggregated one.
struct Pool {
    int tp = 1, pp = 1, attention_dp = 1, moe_tp = 1, moe_ep = 1;
    [[nodiscard]] int gpus() const { return tp * pp * attention_dp; }
};
Pool pool_of(const CsvRow& row, const std::string& prefix)
{
    Pool p;
    p.tp = whole_or(row, prefix + "tp_size", 1);
    p.pp = whole_or(row, prefix + "pp_size", 1);
    p.attention_dp = whole_or(row, prefix + "attention_dp_size", 1);
    p.moe_tp = whole_or(row, prefix + "moe_tp_size", 1);
    p.moe_ep = whole_or(row, prefix + "moe_ep_size", 1);
    return p;
}

std::string serving_recipe(std::string_view gemm, std::string_view moe, std::string_view precision)
{
    if (contains_word(gemm, "nvfp4") || contains_word(precision, "fp4"))
        return "nvfp4";
    if (contains_word(gemm, "int4") || contains_word(precision, "int4"))
        return "w4a16";
    if (contains_word(moe, "fp8_block") || contains_word(gemm, "fp8_block"))
        return "fp8_block";
    if (contains_word(gemm, "fp8") || contains_word(precision, "fp8"))
        return "fp8";
    return "bf16";
}

Expected<Transformer> served_model(const SpecStore& specs, std::string_view name)
{
    if (contains_word(name, "Qwen3.5"))
        return bad_input("hybrid linear-attention layers are not modelled");
    if (contains_word(name, "GLM-5") || contains_word(name, "V3.2"))
        return bad_input("sparse attention (DSA) is not modelled");
    const std::string id = find_model_spec(specs, name);
    if (id.empty())
        return bad_input("the model is not in the catalogue");
    return read_transformer(specs, id);
}

// Resolves one pool on its GPU type. The network is the generic node's.
Expected<Job> job_of(const SpecStore& specs, std::string_view system, Transformer model, const Pool& pool, const Serving& workload,
    const std::string& recipe, Framework framework)
{
    Plan plan;
    plan.instance = generic_instance(system);
    if (plan.instance.empty())
        return bad_input("the GPU is not in the catalogue");
    Expected<Cluster> one = build_cluster(specs, plan.instance, 1, 0);
    if (!one)
        return one.error();
    plan.gpus = pool.gpus();
    plan.nodes = std::max(1, (pool.gpus() + one->node.accelerators - 1) / one->node.accelerators);
    plan.workload = workload;
    Layout& l = plan.layout;
    l = Layout{};
    l.tp = pool.tp;
    l.pp = pool.pp;
    l.dp = pool.attention_dp;
    l.sequence_parallel = false;
    l.cuda_graphs = true;
    if (model.is_moe()) {
        l.ep = std::max(1, pool.moe_ep);
        l.etp = std::max(1, pool.moe_tp);
        l.attention_dp = pool.attention_dp > 1;
        l.expert_dispatch_rdma = true;
    }
    plan.precision.recipe = recipe;
    if (recipe != "bf16" && recipe != "w4a16")
        plan.precision.kv_cache = NumberFormat::fp8;
    plan.assumptions.framework = framework;
    plan.model = specs.ids(SpecKind::model).front(); // replaced below
    Expected<Job> job = resolve(plan, specs);
    if (!job)
        return job.error();
    job->model = std::move(model);
    return job;
}

class ServingPredictor : public RowPredictor {
public:
    explicit ServingPredictor(const SpecStore& specs) : m_specs(specs) {}
    std::string kind() const override { return "serving"; }
    std::vector<std::string> quantities() const override { return {"silicon_ttft_ms", "silicon_tpot_ms"}; }

    RowOutcome predict(const CsvRow& row) override
    {
        RowOutcome out;
        Expected<Transformer> model = served_model(m_specs, row.text("model_path"));
        if (!model) {
            out.not_expressed = model.error().message;
            return out;
        }
        const std::string recipe = serving_recipe(row.text("gemm_quant_mode"), row.text("moe_quant_mode"), row.text("precision"));
        std::map<std::string, std::string> strata = {{"gpu", std::string(row.text("system"))}, {"family", model->family},
            {"precision", recipe}, {"engine", std::string(row.text("backend"))}, {"mode", std::string(row.text("mode"))},
            {"architecture", model->is_moe() ? "moe" : "dense"}, {"drafting", speculates(row) ? "not stated" : "none"},
            {"prompt", whole_band(row.number("isl"), {1024, 4096})}};
        Serving w;
        w.input_length = whole_or(row, "isl", 0);
        w.output_length = whole_or(row, "osl", 0);
        const bool split = row.text("mode") == "disagg";
        const int concurrency = concurrency_of(row, split);
        if (w.input_length <= 0 || w.output_length <= 0 || concurrency <= 0) {
            out.not_expressed = "prompt length, output length or concurrency is not stated";
            return out;
        }
        strata["concurrency"] = whole_band(concurrency, {8, 64, 512});
        const Framework framework = framework_of(row.text("backend"));
        const auto run = [&](const std::string& prefix, int workers, bool decode_only) -> Expected<Estimate> {
            Serving pool_work = w;
            pool_work.concurrency = std::max(1, concurrency / std::max(1, workers));
            pool_work.burst = decode_only; // no prompt interrupts a decode worker
            const Pool pool = pool_of(row, prefix);
            pool_work.concurrency = std::max(pool_work.concurrency, pool.attention_dp);
            Expected<Job> job = job_of(m_specs, row.text("system"), *model, pool, pool_work, recipe, framework);
            if (!job)
                return job.error();
            return estimate(*job);
        };
        const int prefill_workers = whole_or(row, "prefill_num_workers", 1);
        Expected<Estimate> decode = split ? run("decode_", whole_or(row, "decode_num_workers", 1), true) : run("", 1, false);
        Expected<Estimate> prefill = split ? run("prefill_", prefill_workers, true) : decode;
        if (!decode || !prefill) {
            const Error& e = decode ? prefill.error() : decode.error();
            out.not_expressed = e.kind == ErrorKind::infeasible
                ? fmt::format("the layout is not legal in the model{}", e.place.pointer.empty() ? "" : " (" + e.place.pointer + ")")
                : e.message;
            return out;
        }
        const double tpot = in_milliseconds(decode->serving->tpot);
        if (Prediction* p = add(out, row, "silicon_tpot_ms", tpot, speculates(row) ? tpot / most_tokens_per_step : tpot, strata))
            state_interval(*p, *decode);
        // Closed loop: ten prompts per user, all users start together.
        const double per_pool = static_cast<double>(concurrency) / std::max(1, split ? prefill_workers : 1);
        const double groups = std::max(1.0, static_cast<double>(pool_of(row, split ? "prefill_" : "").attention_dp));
        const Seconds ttft = closed_loop_ttft(prefill->serving->prefill_step, split ? Seconds{} : decode->serving->decode_step, std::max(1.0, per_pool / groups), 10.0);
        add(out, row, "silicon_ttft_ms", in_milliseconds(ttft), in_milliseconds(ttft), strata);
        return out;
    }

private:
    // DeepSeek rows may or may not draft tokens without saying so: at best 1 + 0.85 tokens a step with one MTP layer
    // [DeepSeek-V3, arXiv:2412.19437, section 5.4.3: 85-90 % acceptance].
    static constexpr double most_tokens_per_step = 1.85;
    static bool speculates(const CsvRow& row) { return contains_word(row.text("model_path"), "DeepSeek"); }

    static Prediction* add(RowOutcome& out, const CsvRow& row, const std::string& quantity, double predicted, double low,
        const std::map<std::string, std::string>& strata)
    {
        const double measured = row.number(quantity);
        if (std::isnan(measured) || measured <= 0)
            return nullptr;
        out.predictions.push_back({quantity, measured, predicted, low, predicted, strata});
        return &out.predictions.back();
    }

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
        std::string recipe = serving_recipe("", "", row.text("precision"));
        if (contains_word(row.text("model"), "gpt-oss"))
            recipe = contains_word(row.text("precision"), "fp8") ? "mxfp4" : "nvfp4"; // published weights are MXFP4
        Serving w;
        w.input_length = whole_or(row, "isl", 0);
        w.output_length = whole_or(row, "osl", 0);
        w.concurrency = pool->attention_dp;
        Expected<Job> job = job_of(m_specs, row.text("gpu"), *model, *pool, w, recipe, Framework::tensorrt_llm);
        Expected<Estimate> e = job ? estimate(*job) : Expected<Estimate>(job.error());
        if (!e) {
            out.not_expressed = e.error().kind == ErrorKind::infeasible ? "the layout is not legal in the model" : e.error().message;
            return out;
        }
        // All requests are queued: the engine runs as many sequences as the cache holds, up to its batch limit (2,048 per
        // attention group in these runs).
        const int limit = 2048 * pool->attention_dp;
        auto& serving = std::get<Serving>(job->workload);
        serving.concurrency = std::clamp(e->serving->largest_batch, pool->attention_dp, limit);
        e = estimate(*job);
        if (!e) {
            out.not_expressed = e.error().message;
            return out;
        }
        const double predicted = e->serving->output_per_second_per_gpu.value();
        out.predictions.push_back({"output_tok_s_per_gpu", measured, predicted, predicted, predicted,
            {{"gpu", std::string(row.text("gpu"))}, {"family", job->model.family}, {"precision", std::string(row.text("precision"))},
                {"architecture", job->model.is_moe() ? "moe" : "dense"}, {"parallelism", std::string(row.text("parallelism"))},
                {"prompt", whole_band(row.number("isl"), {1024, 4096})}}});
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

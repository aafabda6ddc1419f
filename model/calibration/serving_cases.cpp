#include "model/calibration/serving_cases.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>

#include "model/calibration/published_servers.h"
#include "model/calibration/row_models.h"
#include "model/calibration/serving_pools.h"
#include "model/estimate/estimate.h"
#include "model/hardware/read.h"
#include "model/project/resolve.h"
#include "model/transformer/read.h"

namespace ridgepoint {
namespace {

Framework framework_of(std::string_view backend)
{
    if (backend == "sglang")
        return Framework::sglang;
    return backend == "trtllm" ? Framework::tensorrt_llm : Framework::vllm;
}

// InferenceX draws the lengths of prompts and outputs evenly from 0.8 to 1.0 times the stated ones (RANDOM_RANGE_RATIO 0.8
// of its benchmark client).
double mean_length_share(const CsvRow& row) { return from_inferencex(row) ? 0.9 : 1.0; }

// Published points are of engines that were given what memory there is (vLLM --gpu-memory-utilization 0.95 in InferenceX).
constexpr double tuned_memory_fraction = 0.95;

// Tokens that are drafted per step, and the chance that each is kept.
struct Drafting {
    int tokens;
    double acceptance;
};
// [DeepSeek-V3, arXiv:2412.19437, section 5.4.3]: 85-90 % of the second tokens of real text are kept. Benchmarks send random
// tokens, whose continuations are harder to guess: runs of one layout with and without drafting say about so much.
constexpr Drafting drafting[] = {{1, 0.7}, {2, 0.7}, {3, 0.7}};

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

// Weights with a scale per block of 128 are cut between blocks only: engines refuse anything else, so a row that lists experts cut
// finer was run with whole ones (MiniMax-M2.5 with tp 8 and --enable-expert-parallel).
void keep_blocks_whole(Pool& p, const Transformer& model)
{
    constexpr int block = 128;
    if (p.moe_tp > 1 && model.moe.expert_width % (p.moe_tp * block) != 0) {
        p.moe_ep *= p.moe_tp;
        p.moe_tp = 1;
    }
}

constexpr double drafting_share = 0.25; // about that of the points at hand whose models have drafting layers
constexpr double offline_batch = 2048.0; // sequences per attention group: the limit that these runs set

} // namespace

std::string serving_recipe(std::string_view model, std::string_view system, std::string_view gemm, std::string_view moe, std::string_view precision)
{
    const bool blackwell = contains_word(system, "b200") || contains_word(system, "b300");
    const bool four = contains_word(gemm, "nvfp4") || contains_word(precision, "fp4");
    if (contains_word(model, "gpt-oss")) // published in MXFP4, the rest in BF16
        return "mxfp4";
    if (four)
        return blackwell ? "nvfp4" : "w4a16"; // without FP4 units the weights are unpacked to BF16
    if (contains_word(gemm, "int4") || contains_word(precision, "int4"))
        return "w4a16";
    const bool eight = contains_word(gemm, "fp8") || contains_word(precision, "fp8");
    // Checkpoints published with a scale per block are served so.
    const bool block = contains_word(moe, "fp8_block") || contains_word(gemm, "fp8_block") || contains_word(model, "DeepSeek")
        || contains_word(model, "MiniMax") || contains_word(model, "GLM") || (contains_word(model, "Qwen3") && contains_word(model, "-FP8"));
    if (eight)
        return block ? "fp8_block" : "fp8";
    return "bf16";
}

Expected<Transformer> served_model(const SpecStore& specs, std::string_view name)
{
    const std::string id = find_model_spec(specs, name);
    if (id.empty())
        return bad_input("the model is not in the catalogue");
    return read_transformer(specs, id);
}

Expected<Job> served_job(const SpecStore& specs, std::string_view system, Transformer model, const Pool& pool, const Serving& workload,
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
        l.ep = pool.moe_ep;
        l.etp = pool.moe_tp;
        l.attention_dp = pool.attention_dp > 1;
        l.expert_dispatch_rdma = true;
    }
    plan.precision.recipe = recipe;
    if (recipe != "bf16" && recipe != "w4a16" && recipe != "mxfp4")
        plan.precision.kv_cache = NumberFormat::fp8;
    plan.assumptions.framework = framework;
    plan.assumptions.memory_fraction = tuned_memory_fraction;
    plan.model = model.id;
    Expected<Job> job = resolve(plan, specs);
    if (!job)
        return job.error();
    job->model = std::move(model);
    if (Expected<Estimate> e = estimate(*job); !e)
        return e.error();
    return job;
}

Expected<ServingReading> read_serving_row(const CsvRow& row, const SpecStore& specs)
{
    const std::string_view name = row.text("model_path");
    Expected<Transformer> model = served_model(specs, name);
    if (!model)
        return model.error();
    ServingReading out;
    const std::string_view system = row.text("system");
    out.recipe = serving_recipe(name, system, row.text("gemm_quant_mode"), row.text("moe_quant_mode"), row.text("precision"));
    out.family = model->family;
    out.moe = model->is_moe();
    Serving w;
    const auto mean_length = [&](const char* column) {
        const double stated = row.number(column);
        return std::isnan(stated) ? 0 : static_cast<int>(std::lround(stated * mean_length_share(row)));
    };
    w.input_length = mean_length("isl");
    w.output_length = mean_length("osl");
    const bool split = row.text("mode") == "disagg";
    const int concurrency = concurrency_of(row, split);
    if (w.input_length <= 0 || w.output_length <= 0 || concurrency <= 0)
        return bad_input("prompt length, output length or concurrency is not stated");

    std::vector<ServingPools> pools = pools_of(row, *model, concurrency);
    const Framework framework = framework_of(row.text("backend"));
    for (ServingPools& p : pools) {
        if (out.recipe == "fp8_block" && model->is_moe()) {
            keep_blocks_whole(p.prefill, *model);
            keep_blocks_whole(p.decode, *model);
        }
        ServingCase c;
        c.split = split;
        c.load.concurrency = concurrency;
        c.load.spread = mean_length_share(row) < 1.0 ? 0.2 / 0.9 : 0.0;
        const ServerSettings server = server_settings(row, concurrency);
        c.load.poll = server.poll;
        c.load.gather = server.gather;
        c.load.waves = server.waves;
        c.prefill_workers = p.prefill.workers;
        c.decode_workers = std::max(1, p.decode.workers);
        Expected<Job> decode = served_job(specs, system, *model, p.decode, w, out.recipe, framework);
        if (!decode)
            return decode.error();
        Expected<Job> prefill = split ? served_job(specs, system, *model, p.prefill, w, out.recipe, framework) : decode;
        if (!prefill)
            return prefill.error();
        if (server.token_budget > 0)
            decode->engine.token_budget = server.token_budget;
        c.decode = std::move(*decode);
        c.prefill = std::move(*prefill);
        c.drafted = model->mtp_depth > 0 ? p.drafted.value_or(0) : 0;
        out.cases.push_back(c);
        if (model->mtp_depth > 0 && !p.drafted) {
            c.drafted = as_many_as_pay;
            out.cases.push_back(c);
        }
    }
    return out;
}

ServingOutcome predict(const ServingCase& c)
{
    constexpr double most_workers = 64;
    constexpr double hardly = 0.9; // of the sequences that would decode if prompts took no time
    const auto with = [&](const Job& decode, double workers) { return closed_loop(SplitPools{c.prefill, decode, workers, c.decode_workers}, c.load); };
    const auto run = [&](const Job& decode) {
        ServingOutcome o{{}, c.drafted != 0, c.decode_workers * c.decode.cluster.gpus};
        if (!c.split) {
            o.result = closed_loop(decode, c.load);
            return o;
        }
        double workers = c.prefill_workers;
        if (workers <= 0) {
            const double most = with(decode, most_workers).running;
            for (workers = 1; workers < most_workers && with(decode, workers).running < hardly * most; ++workers) {}
        }
        o.result = with(decode, workers);
        o.gpus += workers * c.prefill.cluster.gpus;
        return o;
    };
    if (c.drafted == 0)
        return run(c.decode);
    std::optional<ServingOutcome> best;
    Job drafts = c.decode;
    for (const Drafting& d : drafting) {
        if (c.drafted != as_many_as_pay && d.tokens != c.drafted)
            continue;
        drafts.assumptions.speculative_tokens = d.tokens;
        drafts.assumptions.speculative_acceptance = d.acceptance;
        const ServingOutcome o = run(drafts);
        if (!best || o.result.tpot < best->result.tpot)
            best = o;
    }
    return best ? *best : run(c.decode);
}

std::vector<ServingOutcome> predict(const ServingReading& reading)
{
    std::vector<ServingOutcome> all;
    for (const ServingCase& c : reading.cases)
        all.push_back(predict(c));
    const auto per_gpu = [](const ServingOutcome& o) { return o.result.requests_per_second / o.gpus; };
    const auto beats = [&](const ServingOutcome& a, const ServingOutcome& b) {
        return a.drafts == b.drafts && a.result.tpot <= b.result.tpot && per_gpu(a) >= per_gpu(b)
            && (a.result.tpot < b.result.tpot || per_gpu(a) > per_gpu(b));
    };
    std::vector<ServingOutcome> out;
    std::ranges::copy_if(all, std::back_inserter(out), [&](const ServingOutcome& o) { return std::ranges::none_of(all, [&](const ServingOutcome& other) { return beats(other, o); }); });
    return out;
}

Seconds point_of(const std::vector<ServingOutcome>& outcomes, Seconds ClosedLoopResult::*value)
{
    double plain_logs = 0.0, drafted_logs = 0.0, plain = 0.0, drafted = 0.0;
    for (const ServingOutcome& o : outcomes) {
        (o.drafts ? drafted_logs : plain_logs) += std::log((o.result.*value).value());
        (o.drafts ? drafted : plain) += 1.0;
    }
    const double share = plain == 0.0 ? 1.0 : drafted > 0.0 ? drafting_share : 0.0;
    return Seconds{std::exp((1.0 - share) * plain_logs / std::max(1.0, plain) + share * drafted_logs / std::max(1.0, drafted))};
}

Expected<OfflineReading> read_offline_row(const CsvRow& row, const SpecStore& specs)
{
    Expected<Transformer> model = served_model(specs, row.text("model"));
    if (!model)
        return model.error();
    const std::optional<Pool> pool = offline_pool(row.text("parallelism"));
    const double input = row.number("isl"), output = row.number("osl");
    if (!pool || !(input >= 1.0) || !(output >= 1.0))
        return bad_input("the parallelism or a length is not understood");
    OfflineReading r;
    r.pool = *pool;
    r.recipe = serving_recipe(row.text("model"), row.text("gpu"), "", "", row.text("precision"));
    Serving w;
    w.input_length = static_cast<int>(std::lround(input));
    w.output_length = static_cast<int>(std::lround(output));
    w.concurrency = pool->attention_dp;
    Expected<Job> job = served_job(specs, row.text("gpu"), *model, *pool, w, r.recipe, Framework::tensorrt_llm);
    if (!job)
        return job.error();
    r.job = std::move(*job);
    r.load.concurrency = offline_batch * pool->attention_dp;
    return r;
}

double output_rate(const OfflineReading& r)
{
    return closed_loop(r.job, r.load).requests_per_second * std::get<Serving>(r.job.workload).output_length / r.pool.gpus();
}

} // namespace ridgepoint

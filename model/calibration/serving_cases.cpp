#include "model/calibration/serving_cases.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <optional>

#include "model/calibration/row_models.h"
#include "model/estimate/estimate.h"
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
    return split ? whole_or(row, "decode_batch_size", 0) * whole_or(row, "decode_num_workers", 1) * whole_or(row, "decode_attention_dp_size", 1) : 0;
}

Pool pool_of(const CsvRow& row, const std::string& prefix)
{
    const auto degree = [&](const char* column) { return std::max(1, whole_or(row, prefix + column, 1)); };
    Pool p{degree("tp_size"), degree("pp_size"), degree("attention_dp_size"), degree("moe_tp_size"), degree("moe_ep_size"),
        prefix.empty() ? 1 : whole_or(row, prefix + "num_workers", 0)};
    // A deployment of n GPUs whose experts are cut n ways is listed with moe_tp = n beside moe_ep = n, and the attention
    // degree multiplied to match (64 for 8): the same measurements stand in the table a second time with n and 1.
    const int n = p.moe_ep;
    if (n > 1 && p.moe_tp == n && p.tp * p.attention_dp == n * n) {
        p.moe_tp = 1;
        (p.attention_dp > 1 ? p.attention_dp : p.tp) = n;
        (p.attention_dp > 1 ? p.tp : p.attention_dp) = 1;
    }
    if (p.attention_dp > 1 && p.tp == p.attention_dp && p.moe_tp == 1 && n == p.tp * p.attention_dp) { // likewise with attention DP
        p.tp = 1;
        p.moe_ep = p.attention_dp;
    }
    if (p.attention_dp > 1) // whole experts on every GPU: what replicated attention is used with, whatever the columns say
        p.moe_ep = p.tp * p.attention_dp;
    // Experts that no column cuts are cut like the rest.
    if (p.moe_tp * p.moe_ep != p.tp * p.attention_dp) {
        p.moe_ep = std::gcd(p.moe_ep, p.tp * p.attention_dp);
        p.moe_tp = p.tp * p.attention_dp / p.moe_ep;
    }
    return p;
}

bool divides_heads(const Transformer& m, int tp)
{
    return std::ranges::all_of(m.kinds, [&](const LayerKind& k) { return k.attention_free || k.attention.heads % tp == 0; });
}

struct Pools {
    Pool prefill, decode;
};

// Tables from before the number of workers was recorded give the GPUs of one worker, and leave open how many there are and
// whether attention is cut (low latency) or replicated (throughput). Published points use either one wide worker with
// replicated attention or a few narrow ones without.
std::vector<Pools> open_pools(const Pool& prefill, const Pool& decode, bool moe, int concurrency)
{
    std::vector<Pools> out;
    const auto wide = [&](int gpus) { return Pool{1, 1, gpus, 1, gpus, 1}; };
    const auto narrow = [&](int gpus, int workers) { return moe ? Pool{gpus, 1, 1, 1, gpus, workers} : Pool{gpus, 1, 1, 1, 1, workers}; };
    Pool prompts = moe ? wide(prefill.gpus()) : narrow(prefill.gpus(), 0);
    prompts.workers = 0;
    const int gpus = decode.gpus();
    if (moe && concurrency >= gpus)
        out.push_back({prompts, wide(gpus)});
    if (gpus <= 8)
        for (int workers : {1, 4})
            if (concurrency >= workers)
                out.push_back({prompts, narrow(gpus, workers)});
    if (out.empty())
        out.push_back({prompts, narrow(gpus, 1)});
    return out;
}

// Tables that give all GPUs of the deployment as the degree of both sides: prompt workers of four GPUs (a tray), and the
// rest decoding as one wide worker or as workers of eight.
std::vector<Pools> pools_of_total(int gpus)
{
    std::vector<Pools> out;
    for (int prompts = 1; 4 * prompts < gpus; ++prompts) {
        const int rest = gpus - 4 * prompts;
        const Pool prefill{1, 1, 4, 1, 4, prompts};
        if (rest == 4 || rest == 8 || rest == 16 || rest == 32)
            out.push_back({prefill, Pool{1, 1, rest, 1, rest, 1}});
        if (rest % 8 == 0)
            out.push_back({prefill, Pool{8, 1, 1, 1, 8, rest / 8}});
    }
    return out;
}

// InferenceX draws the lengths of prompts and outputs evenly from 0.8 to 1.0 times the stated ones (RANDOM_RANGE_RATIO 0.8
// of its benchmark client). Its rows carry the key of a database dump, or say whether they are work in progress.
double mean_length_share(const CsvRow& row)
{
    const std::string_view source = row.text("silicon_data_source");
    return source.starts_with("db-dump/") || contains_word(source, "wip=") ? 0.9 : 1.0;
}

// Published points are of engines that were given what memory there is (vLLM --gpu-memory-utilization 0.95 in InferenceX).
constexpr double tuned_memory_fraction = 0.95;

// Models with drafting layers may use them without saying so.
struct Drafting {
    int tokens;
    double acceptance;
};
// [DeepSeek-V3, arXiv:2412.19437, section 5.4.3]: 85-90 % of the second tokens are kept. Engines draft up to three with
// the one layer; later tokens are kept less often.
constexpr Drafting drafting[] = {{1, 0.85}, {3, 0.75}};

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
    w.input_length = whole_or(row, "isl", 0);
    w.output_length = whole_or(row, "osl", 0);
    for (int* length : {&w.input_length, &w.output_length})
        *length = static_cast<int>(std::lround(*length * mean_length_share(row)));
    const bool split = row.text("mode") == "disagg";
    const int concurrency = concurrency_of(row, split);
    if (w.input_length <= 0 || w.output_length <= 0 || concurrency <= 0)
        return bad_input("prompt length, output length or concurrency is not stated");

    std::vector<Pools> pools;
    if (split) {
        const Pool prefill = pool_of(row, "prefill_");
        const Pool decode = pool_of(row, "decode_");
        if (prefill.workers > 0 && decode.workers > 0)
            pools.push_back({prefill, decode});
        else if (out.moe && prefill.gpus() == decode.gpus() && (decode.gpus() > 8 || !divides_heads(*model, decode.gpus())))
            pools = pools_of_total(decode.gpus());
        else
            pools = open_pools(prefill, decode, out.moe, concurrency);
    } else {
        const Pool one = pool_of(row, "");
        pools.push_back({one, one});
    }
    const Framework framework = framework_of(row.text("backend"));
    for (const Pools& p : pools) {
        ServingCase c;
        c.split = split;
        c.load.concurrency = concurrency;
        c.load.spread = mean_length_share(row) < 1.0 ? 0.2 / 0.9 : 0.0;
        c.prefill_workers = p.prefill.workers;
        c.decode_workers = std::max(1, p.decode.workers);
        Expected<Job> decode = served_job(specs, system, *model, p.decode, w, out.recipe, framework);
        if (!decode)
            return decode.error();
        Expected<Job> prefill = split ? served_job(specs, system, *model, p.prefill, w, out.recipe, framework) : decode;
        if (!prefill)
            return prefill.error();
        c.decode = std::move(*decode);
        c.prefill = std::move(*prefill);
        out.cases.push_back(c);
        if (model->mtp_depth > 0) {
            c.drafts = true;
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
        ServingOutcome o{{}, c.drafts, c.decode_workers * c.decode.cluster.gpus};
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
    if (!c.drafts)
        return run(c.decode);
    std::optional<ServingOutcome> best;
    Job drafts = c.decode;
    for (const Drafting& d : drafting) {
        drafts.assumptions.speculative_tokens = d.tokens;
        drafts.assumptions.speculative_acceptance = d.acceptance;
        const ServingOutcome o = run(drafts);
        if (!best || o.result.tpot < best->result.tpot)
            best = o;
    }
    return *best;
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

} // namespace ridgepoint

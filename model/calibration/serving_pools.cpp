#include "model/calibration/serving_pools.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "model/calibration/published_deployments.h"
#include "model/calibration/row_models.h"

namespace ridgepoint {
namespace {

int whole_or(const CsvRow& row, std::string_view column, int fallback)
{
    const double v = row.number(column);
    return std::isnan(v) ? fallback : static_cast<int>(std::lround(v));
}

// GPUs of a worker by the degrees as they stand in the row.
int columns_product(const CsvRow& row, const std::string& prefix)
{
    int product = 1;
    for (const char* column : {"tp_size", "pp_size", "attention_dp_size"})
        product *= std::max(1, whole_or(row, prefix + column, 1));
    return product;
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

// Tables from before the number of workers was recorded give the GPUs of one worker, and leave open how many there are and
// whether attention is cut (low latency) or replicated (throughput). Nearly all published configurations replicate it from
// 32 users a GPU or 16 GPUs a worker on, on one or two workers, and otherwise run about four workers that cut it.
std::vector<ServingPools> open_pools(const Pool& prefill, const Pool& decode, bool moe, int concurrency)
{
    constexpr int users_replicate = 32; // per GPU
    constexpr int gpus_replicate = 16;
    std::vector<ServingPools> out;
    const auto wide = [&](int gpus, int workers) { return Pool{1, 1, gpus, 1, gpus, workers}; };
    const auto narrow = [&](int gpus, int workers) { return moe ? Pool{gpus, 1, 1, 1, gpus, workers} : Pool{gpus, 1, 1, 1, 1, workers}; };
    Pool prompts = moe ? wide(prefill.gpus(), 0) : narrow(prefill.gpus(), 0);
    const int gpus = decode.gpus();
    const bool replicate = moe && concurrency >= gpus && (gpus >= gpus_replicate || concurrency >= users_replicate * gpus);
    for (int workers : replicate ? std::vector<int>{1, 2} : std::vector<int>{1, 4})
        if (concurrency >= workers && (workers == 1 || gpus < gpus_replicate))
            out.push_back({prompts, replicate ? wide(gpus, workers) : narrow(gpus, workers)});
    return out;
}

// Tables that give all GPUs of the deployment as the degree of both sides: prompt workers of four GPUs (a tray), and the
// rest decoding as one wide worker or as workers of eight.
std::vector<ServingPools> pools_of_total(int gpus)
{
    std::vector<ServingPools> out;
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

Pool pool_of(const WorkerShape& shape, int workers, bool moe)
{
    const int n = shape.gpus();
    if (shape.attention_dp())
        return {1, 1, n, 1, n, workers};
    return moe && shape.whole_experts() ? Pool{n, 1, 1, 1, n, workers} : Pool{n, 1, 1, n, 1, workers};
}

DeploymentQuery query_of(const CsvRow& row, int users)
{
    return {row.text("model_path"), row.text("system"), row.text("backend"), row.text("precision"), row.text("backend_version"),
        whole_or(row, "isl", 0), whole_or(row, "osl", 0), users};
}

void add_once(std::vector<ServingPools>& all, const ServingPools& p)
{
    if (std::ranges::find(all, p) == all.end())
        all.push_back(p);
}

// Two pools: the published configurations that agree with what the row says. Its degrees are read as they stand before they are
// read as squared (pool_of): 16 cut 4 x 4 ways is a worker of 16 GPUs where some configuration has one.
std::vector<ServingPools> split_pools(const CsvRow& row, const Transformer& model, int users)
{
    const bool moe = model.is_moe();
    const Pool prefill = pool_of(row, "prefill_");
    const Pool decode = pool_of(row, "decode_");
    const bool stated = prefill.workers > 0 && decode.workers > 0;
    // Some tables give all GPUs of the deployment as the degree of both sides.
    const bool total = !stated && moe && prefill.gpus() == decode.gpus() && (decode.gpus() > 8 || !divides_heads(model, decode.gpus()));
    const FoundDeployments found = find_deployments(query_of(row, users));
    const auto agreeing = [&](int prefill_gpus, int decode_gpus) {
        std::vector<ServingPools> out;
        for (const Deployment& d : found.matches) {
            const bool agrees = d.prefill_workers > 0
                && (total ? d.gpus() == decode_gpus
                          : d.decode.gpus() == decode_gpus && d.prefill.gpus() == prefill_gpus
                              && (!stated || (d.decode_workers == decode.workers && d.prefill_workers == prefill.workers)));
            if (!agrees)
                continue;
            if (stated)
                add_once(out, {prefill, decode, d.drafted});
            else
                add_once(out, {pool_of(d.prefill, d.prefill_workers, moe), pool_of(d.decode, d.decode_workers, moe), d.drafted});
        }
        return out;
    };
    std::vector<ServingPools> out = agreeing(columns_product(row, "prefill_"), columns_product(row, "decode_"));
    if (out.empty())
        out = agreeing(prefill.gpus(), decode.gpus());
    if (out.empty())
        out = stated ? std::vector<ServingPools>{{prefill, decode}} : total ? pools_of_total(decode.gpus()) : open_pools(prefill, decode, moe, users);
    return out;
}

// Prompts and decoding together. Rows state the layout, but the oldest, which have no version, not what the server made of it:
// its scripts chose replicated attention and whole experts from the users by themselves [InferenceMAX @ 9596d23]. Where no
// configuration of these lengths and users is laid out as such a row says, that on as many GPUs is what ran.
std::vector<ServingPools> one_pool(const CsvRow& row, const Transformer& model, int users)
{
    const Pool p = pool_of(row, "");
    const FoundDeployments found = find_deployments(query_of(row, users));
    std::vector<ServingPools> stated, other;
    for (const Deployment& d : found.matches) {
        if (d.prefill_workers != 0 || d.decode.gpus() != p.gpus())
            continue;
        const bool as_stated = d.decode.attention_dp() == (p.attention_dp > 1) && d.decode.whole_experts() == (p.moe_ep > 1);
        const Pool shape = as_stated ? p : pool_of(d.decode, 1, model.is_moe());
        add_once(as_stated ? stated : other, {shape, shape, d.drafted});
    }
    if (stated.empty() && row.text("backend_version").empty())
        stated = std::move(other);
    if (stated.empty())
        stated.push_back({p, p, found.one_pool && !found.one_pool_drafts ? std::optional<int>(0) : std::nullopt});
    return stated;
}

} // namespace

// Users of the closed loop: what the data source's key says, else the batch column, which is of one attention group.
int concurrency_of(const CsvRow& row, bool split)
{
    static constexpr std::string_view key = "silicon_concurrency=";
    const std::string_view source = row.text("silicon_data_source");
    if (const auto at = source.find(key); at != std::string_view::npos)
        return std::atoi(std::string(source.substr(at + key.size(), 8)).c_str());
    if (const int batch = whole_or(row, "batch_size", 0); batch > 0)
        return batch * std::max(1, whole_or(row, "attention_dp_size", 1));
    return split ? whole_or(row, "decode_batch_size", 0) * whole_or(row, "decode_num_workers", 1) * whole_or(row, "decode_attention_dp_size", 1) : 0;
}

std::vector<ServingPools> pools_of(const CsvRow& row, const Transformer& model, int users)
{
    return row.text("mode") == "disagg" ? split_pools(row, model, users) : one_pool(row, model, users);
}

} // namespace ridgepoint

#include "model/estimate/disaggregated.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "model/memory/serving_memory.h"

namespace ridgepoint {
namespace {

constexpr double prompts_busy = 0.90;
constexpr double decode_busy = 0.92;
constexpr int most_workers = 64; // of a side, in the search for the best split

Error at_pool(Error e, const char* field)
{
    if (e.place.pointer.empty() || e.place.pointer.starts_with("/layout"))
        e.place.pointer = std::string("/workload/prompt_pool/") + field;
    return e;
}

// A pool of `workers` equal workers as a cluster of its own.
void take(Job& job, int workers)
{
    const int each = serving_groups(job).gpus_per_replica;
    job.cluster.gpus = workers * each;
    job.layout.dp = std::max(1, job.cluster.gpus / std::max(1, job.layout.tp * job.layout.pp));
}

// GPUs of one attention group that hold different parts of a sequence's cache.
int holders(const Job& job)
{
    int heads = 1;
    for (const LayerKind& k : job.model.kinds)
        if (!k.attention_free && k.attention.kind != AttentionKind::latent)
            heads = std::max(heads, k.attention.kv_heads);
    return std::min(job.layout.tp, heads) * job.layout.pp;
}

// The fastest GPU for GPU of the splits that `gpus` allow.
void find_best_split(DisaggregatedResult& r, double prompt_rate, double decode_rate, int gpus)
{
    for (int d = 1; d <= most_workers && d * r.gpus_per_decode_worker < gpus; ++d)
        for (const double wanted : {std::floor(r.best_ratio * d), std::ceil(r.best_ratio * d), std::floor((gpus - d * r.gpus_per_decode_worker) / static_cast<double>(r.gpus_per_prompt_worker))}) {
            const int p = static_cast<int>(std::clamp(wanted, 1.0, static_cast<double>(most_workers)));
            const int used = p * r.gpus_per_prompt_worker + d * r.gpus_per_decode_worker;
            const double rate = std::min(p * prompt_rate, d * decode_rate) / used;
            if (used <= gpus && rate > r.best_requests_per_second_per_gpu * (1.0 + 1e-9)) {
                r.best_requests_per_second_per_gpu = rate;
                r.best_prompt_workers = p;
                r.best_decode_workers = d;
            }
        }
}

DisaggregatedResult rates_of(const Job& job, const Pools& pools, const Serving& w, DisaggregatedDetail& d)
{
    DisaggregatedResult r;
    r.prompt_workers = w.pool.workers;
    r.decode_workers = w.pool.decode_workers;
    r.gpus_per_prompt_worker = d.prompts.groups.gpus_per_replica;
    r.gpus_per_decode_worker = d.decode.groups.gpus_per_replica;
    const Seconds prefill = d.prompts.prefill.time.total();
    const double stages = static_cast<double>(d.prompts.stages.size()); // each works on a prompt of its own
    const double prompt_rate = prompts_busy * std::max(1, w.prefill_batch) / (prefill.value() / stages);
    const double decode_rate = decode_busy * prompts_in_flight(w) / (std::max(1, w.output_length) * d.decode.estimate.serving->tpot.value());
    r.prompt_requests_per_second = r.prompt_workers * prompt_rate;
    r.decode_requests_per_second = r.decode_workers * decode_rate;
    r.best_ratio = decode_rate / prompt_rate;

    const CacheTransfer transfer = transfer_cache(job, pools, w.input_length);
    r.cache = transfer.cache;
    r.inside_domain = transfer.inside_domain;
    r.transfer = transfer.time;
    r.exposed_transfer = transfer.exposed(prefill, w.pool.overlap, job.model.layer_count());
    find_best_split(r, prompt_rate, decode_rate, job.cluster.gpus);
    return r;
}

} // namespace

Seconds CacheTransfer::exposed(Seconds prefill, bool overlap, int layer_count) const
{
    const double layers = std::max(1, layer_count);
    return overlap ? std::max(time / layers, time - (1.0 - 1.0 / layers) * prefill) : time;
}

CacheTransfer transfer_cache(const Job& job, const Pools& pools, int prompt_tokens)
{
    CacheTransfer t;
    const int lanes = std::max(1, std::min(holders(pools.prompts), holders(pools.decode)));
    const int unit = pools.prompts.cluster.gpus + pools.decode.cluster.gpus;
    t.cache = kv_bytes_of_sequence(job.model, job.precision, prompt_tokens);
    t.inside_domain = unit <= job.cluster.node.nvlink_domain;
    Cluster both = job.cluster;
    both.gpus = std::max(unit, 2 * both.node.nvlink_domain);
    const GroupPlacement pair = place_group(both, 2, t.inside_domain ? 1 : both.node.nvlink_domain);
    t.time = collective_cost({Collective::send_recv, t.cache / lanes, pair}, both, job.collectives).time.total();
    return t;
}

Expected<Pools> cut_into_pools(const Job& job, const Serving& w)
{
    Pools p{job, job};
    take(p.decode, w.pool.decode_workers);
    Layout& l = p.prompts.layout;
    l.tp = w.pool.tp;
    l.pp = w.pool.pp;
    l.ep = w.pool.ep;
    l.attention_dp = job.layout.attention_dp && w.pool.ep > 1;
    l.etp = l.attention_dp ? 1 : job.layout.etp;
    take(p.prompts, w.pool.workers);
    const int unit = p.prompts.cluster.gpus + p.decode.cluster.gpus;
    if (unit > job.cluster.gpus) {
        Error e = infeasible(fmt::format("{} prompt workers and {} decoding workers take {} GPUs, the plan has {}", w.pool.workers, w.pool.decode_workers, unit, job.cluster.gpus),
            "Use fewer workers, or more GPUs");
        e.place.pointer = "/workload/prompt_pool/workers";
        return e;
    }
    if (Status s = check_legal(p.prompts.model, p.prompts.workload, p.prompts.cluster, l, p.prompts.precision); !s)
        return at_pool(s.error(), "tp");
    if (Status s = check_legal(p.decode.model, p.decode.workload, p.decode.cluster, p.decode.layout, p.decode.precision); !s)
        return s.error();
    return p;
}

Expected<DisaggregatedDetail> disaggregate(const Job& job, const Serving& workload)
{
    Expected<Pools> pools = cut_into_pools(job, workload);
    if (!pools)
        return pools.error();
    DisaggregatedDetail d;
    Serving side = workload;
    side.pool.apart = false;
    side.phase = ServingPhase::prefill;
    d.prompts = serve(pools->prompts, side);
    side.phase = ServingPhase::decode;
    d.decode = serve(pools->decode, side);

    d.estimate = d.decode.estimate;
    Estimate& e = d.estimate;
    DisaggregatedResult r = rates_of(job, *pools, workload, d);
    const double link_rate = std::min(r.prompt_workers, r.decode_workers) / r.transfer.value();
    const double rate = std::min({r.prompt_requests_per_second, r.decode_requests_per_second, link_rate});
    r.link_utilization = std::min(r.prompt_requests_per_second, r.decode_requests_per_second) / link_rate;
    const int prompt_gpus = r.prompt_workers * r.gpus_per_prompt_worker;
    const int decode_gpus = r.decode_workers * r.gpus_per_decode_worker;
    r.input_per_prompt_gpu = TokensPerSecond{rate * workload.input_length / prompt_gpus};
    r.output_per_decode_gpu = TokensPerSecond{rate * workload.samples * workload.output_length / decode_gpus};

    ServingResult& s = *e.serving;
    s.prefill_step = d.prompts.prefill.time.total();
    s.ttft = s.prefill_step + r.exposed_transfer;
    if (s.thinking)
        s.thinking->first_answer = s.ttft + s.thinking->time;
    s.requests_per_second = rate;
    s.output_per_second = TokensPerSecond{rate * workload.samples * workload.output_length};
    s.output_per_second_per_gpu = s.output_per_second / (prompt_gpus + decode_gpus);
    s.input_per_second_per_gpu = TokensPerSecond{rate * workload.input_length / (prompt_gpus + decode_gpus)};
    s.prompt_gpu_share = static_cast<double>(prompt_gpus) / (prompt_gpus + decode_gpus);
    s.replicas = std::max(1, job.cluster.gpus / (prompt_gpus + decode_gpus));
    if (!d.prompts.estimate.memory.fits() || d.prompts.estimate.memory.headroom() < e.memory.headroom())
        e.memory = d.prompts.estimate.memory;
    if (r.link_utilization > 1.0)
        e.notes.push_back("The links that carry the cache from prompt to decoding workers limit the whole.");
    e.disaggregated = r;
    return d;
}

} // namespace ridgepoint

#include <algorithm>
#include <cmath>

#include "model/kernels/kernels.h"
#include "model/kernels/knee.h"

namespace ridgepoint {
namespace {

constexpr double query_tile = 128.0; // queries per tile of a prefill kernel
constexpr double few_queries = 16.0; // up to here a decode kernel takes them in one pass over the cache
constexpr double reduction_half_keys = 2000.0; // keys at which half of the split-KV reduction is paid
constexpr double l2_share = 0.7; // of L2 that one buffer can keep
constexpr double l2_speedup = 4.0; // of a read that hits L2 over one that goes to HBM
constexpr double latent_minimum_heads = 64.0; // an absorbed MLA kernel computes at least one 64-row tile of heads

// Query-key pairs of one head of one sequence: all, causal, or in a causal window. Exact for whole numbers.
double pairs(const AttentionShape& s)
{
    const double q = s.queries;
    const double keys = std::max(s.keys, q);
    const double window = s.window > 0.0 ? s.window : keys;
    if (!s.causal)
        return q * std::min(window, keys);
    const double prefix = keys - q;
    if (window >= keys)
        return q * prefix + 0.5 * q * (q + 1.0);
    // Query i of 1..q sees min(prefix + i, window) keys.
    const double growing = std::clamp(window - prefix, 0.0, q);
    return growing * prefix + 0.5 * growing * (growing + 1.0) + (q - growing) * window;
}

// Keys that the kernel has to read for one KV head: a window lets it skip the others.
double keys_read(const AttentionShape& s)
{
    const double keys = std::max(s.keys, s.queries);
    return s.window > 0.0 ? std::min(keys, s.window + s.queries) : keys;
}

double flops_of(const AttentionShape& s) { return 2.0 * s.sequences * s.query_heads * (s.qk_dim + s.v_dim) * pairs(s); }

// What a kernel computes: batched products without fusion fill the whole square of scores and mask it afterwards.
AttentionShape executed(AttentionShape s)
{
    if (!s.fused) {
        s.causal = false;
        s.window = 0.0;
    }
    return s;
}

// Batched products need rows of whole 16 bytes (8 elements of bf16) to use the tensor cores; others run on the vector units,
// at a quarter of the peak [NVIDIA A100 white paper: 78 of 312 TFLOP/s], of which strided loads leave about half.
// FlashAttention pads its tiles itself.
double alignment_share(const AttentionShape& s)
{
    const bool aligned = std::fmod(s.qk_dim, 8.0) == 0.0 && std::fmod(s.v_dim, 8.0) == 0.0;
    return s.fused || aligned ? 1.0 : 1.0 / 8.0;
}

double cache_bytes(const AttentionShape& s)
{
    const double per_token = s.latent ? s.qk_dim : s.kv_heads * (s.qk_dim + s.v_dim);
    return s.sequences * keys_read(s) * per_token * bytes_per_element(s.kv);
}

double query_and_output_bytes(const AttentionShape& s)
{
    return s.sequences * s.queries * s.query_heads * (s.qk_dim + s.v_dim) * bytes_per_element(NumberFormat::bf16);
}

// Scores and probabilities written and read once each: what fusion saves.
double score_bytes(const AttentionShape& s)
{
    const double keys = std::max(s.keys, s.queries);
    return 4.0 * s.sequences * s.query_heads * s.queries * keys * bytes_per_element(NumberFormat::bf16);
}

struct Speeds {
    double peak = 0.0;
    double bandwidth = 0.0;
    double sms = 1.0;
    double l2 = 0.0;
};

Speeds speeds_of(const AttentionShape& s, const Accelerator& gpu)
{
    return {gpu.dense_peak(s.arithmetic).value(), gpu.hbm_bandwidth.value(), static_cast<double>(std::max(gpu.sms, 1)),
        gpu.l2.value()};
}

const PrefillConstants& prefill_constants(const AttentionShape& s, const KernelConstants& c)
{
    if (s.arithmetic == Arithmetic::fp8)
        return c.prefill_fp8;
    return bytes_per_element(s.kv) < 2.0 ? c.prefill_bf16_cache_fp8 : c.prefill_bf16;
}

// `passes`: FLOPs relative to the forward pass; `fraction`: FLOP/s relative to the forward pass.
AttributedTime prefill_time(
    const AttentionShape& s, const Speeds& v, const PrefillConstants& c, double passes, double fraction, double traffic)
{
    const double keys = keys_read(s);
    const double rate = v.peak * c.peak_fraction * fraction * alignment_share(s);
    // A short block of queries still computes a whole tile.
    AttentionShape padded = s;
    padded.queries = std::max(s.queries, query_tile);
    padded.keys = std::max(s.keys, padded.queries);
    const double tile = 2.0 * query_tile * keys * (s.qk_dim + s.v_dim);
    const double compute
        = passes / rate * (flops_of(padded) * (1.0 + c.half_length / keys_read(padded)) + c.wave * v.sms * tile);
    return knee(compute, traffic / (v.bandwidth * c.bandwidth_fraction), 0.0, c.launch.value());
}

// Bytes at HBM speed that cost as much as `traffic`, part of which hits L2.
double behind_l2(double traffic, double l2)
{
    const double x = traffic / (l2 * l2_share);
    const double x4 = (x * x) * (x * x);
    const double missed = x4 / (1.0 + x4);
    return traffic * (missed + (1.0 - missed) / l2_speedup);
}

AttributedTime decode_time(const AttentionShape& s, const Speeds& v, const DecodeConstants& c)
{
    const double keys = keys_read(s);
    const double heads = s.latent ? std::max(s.query_heads, latent_minimum_heads) : s.query_heads;
    const double compute = flops_of(s) * heads / std::max(s.query_heads, 1.0) / (v.peak * c.peak_fraction);
    const double stream = 1.0 / (v.bandwidth * c.bandwidth_fraction);
    const double units = s.sequences * (s.latent ? 1.0 : s.kv_heads) / v.sms;
    const double latency
        = c.launch.value() + c.reduction.value() * keys / (keys + reduction_half_keys) + c.unit.value() * units;
    const double cache = cache_bytes(s);
    const double read = s.cached && v.l2 > 0.0 ? behind_l2(cache, v.l2) : cache;
    return knee(compute, read * stream, 0.0, latency, c.output_passes * query_and_output_bytes(s) * stream);
}

bool empty(const AttentionShape& s, const Speeds& v)
{
    return s.sequences <= 0.0 || s.query_heads <= 0.0 || s.queries <= 0.0 || v.peak <= 0.0 || v.bandwidth <= 0.0;
}

} // namespace

Work attention_work(const AttentionShape& s)
{
    double traffic = cache_bytes(s) + query_and_output_bytes(s);
    if (!s.fused)
        traffic += score_bytes(s);
    return {Flops{flops_of(executed(s))}, Bytes{traffic}};
}

Flops attention_model_flops(const AttentionShape& s) { return Flops{flops_of(s)}; }

Work attention_backward_work(const AttentionShape& s)
{
    // Reads Q, K, V, O and dO, writes dQ, dK and dV: twice what the forward pass moves.
    double traffic = 2.0 * (cache_bytes(s) + query_and_output_bytes(s));
    if (!s.fused)
        traffic += 2.0 * score_bytes(s);
    return {Flops{(s.fused ? 2.5 : 2.0) * flops_of(executed(s))}, Bytes{traffic}};
}

AttributedTime attention_time(const AttentionShape& s, const Accelerator& gpu, const KernelConstants& c)
{
    const Speeds v = speeds_of(s, gpu);
    if (empty(s, v))
        return {};
    const bool low = bytes_per_element(s.kv) < 2.0;
    if (s.latent)
        return decode_time(s, v, low ? c.latent_fp8 : c.latent_bf16);
    const PrefillConstants& p = prefill_constants(s, c);
    AttributedTime prefill = prefill_time(executed(s), v, p, 1.0, 1.0, cache_bytes(s) + query_and_output_bytes(s));
    if (s.stores_cache) {
        const double moved = s.sequences * s.queries * s.kv_heads * (s.qk_dim + s.v_dim)
            * (bytes_per_element(NumberFormat::bf16) + bytes_per_element(s.kv));
        prefill += memory_time(Bytes{p.store_passes * moved}, 0.0, gpu, c)
            + AttributedTime(Resource::latency, p.store_launch);
    }
    if (!s.fused)
        return prefill + memory_time(Bytes{score_bytes(s)}, 3.0, gpu, c);
    // Few queries: a library picks what is faster for the shape, tiles of queries or a stream over the cache. A whole
    // tile of queries always takes the former. Between the two the choice fades, so that a longer block never takes
    // less.
    const double whole = std::clamp((s.queries - few_queries) / (query_tile - few_queries), 0.0, 1.0);
    if (whole >= 1.0 || !s.stores_cache)
        return prefill;
    return whole * prefill + (1.0 - whole) * smaller(prefill, decode_time(s, v, low ? c.decode_fp8 : c.decode_bf16));
}

AttributedTime attention_backward_time(const AttentionShape& s, const Accelerator& gpu, const KernelConstants& c)
{
    const Speeds v = speeds_of(s, gpu);
    if (empty(s, v))
        return {};
    const PrefillConstants& p = prefill_constants(s, c);
    const double traffic = 2.0 * (cache_bytes(s) + query_and_output_bytes(s));
    const AttributedTime t = prefill_time(executed(s), v, p, s.fused ? 2.5 : 2.0, p.backward_fraction, traffic);
    return s.fused ? t : t + memory_time(Bytes{2.0 * score_bytes(s)}, 6.0, gpu, c);
}

} // namespace ridgepoint

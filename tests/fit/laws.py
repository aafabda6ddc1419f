"""The kernel and collective laws of model/kernels and model/collectives in numpy, for fitting.

They mirror the C++ term by term; tests/model/kernels/measured_test.cpp and tests/model/collectives/measured_test.cpp
apply the C++ to the same measurements, so a difference between the two shows there. Seconds, bytes, FLOPs throughout.
"""

import numpy as np

# Data-sheet figures the fractions refer to (dense peaks in FLOP/s, bytes per second, SMs); the same values as
# specs/accelerators/, NVIDIA data sheets.
GPUS = {
    "h100": dict(l2=50000000.0, bf16=989.5e12, fp8=1979e12, fp4=0.0, hbm=3.35e12, sms=132, nvlink=450e9),
    "h200": dict(l2=50000000.0, bf16=989.5e12, fp8=1979e12, fp4=0.0, hbm=4.8e12, sms=132, nvlink=450e9),
    "b200": dict(l2=126000000.0, bf16=2250e12, fp8=4500e12, fp4=9000e12, hbm=8.0e12, sms=148, nvlink=900e9),
    "b300": dict(l2=126000000.0, bf16=2250e12, fp8=4500e12, fp4=13500e12, hbm=8.0e12, sms=148, nvlink=900e9),
    "gb200": dict(l2=126000000.0, bf16=2500e12, fp8=5000e12, fp4=10000e12, hbm=8.0e12, sms=152, nvlink=900e9),
    "gb300": dict(l2=126000000.0, bf16=2500e12, fp8=5000e12, fp4=15000e12, hbm=8.0e12, sms=152, nvlink=900e9),
    "a100": dict(l2=40000000.0, bf16=312e12, fp8=0.0, fp4=0.0, hbm=2.039e12, sms=108, nvlink=300e9),
}

# kind -> (arithmetic, bytes per weight, bytes per activation as the tensor core reads it)
KINDS = {
    "bf16": ("bf16", 2.0, 2.0),
    "fp8": ("fp8", 1.0, 1.0),
    "fp8_block": ("fp8", 1.0 + 4.0 / 16384.0, 1.0),
    "fp4": ("fp4", 9.0 / 16.0, 9.0 / 16.0),
    "weight_only": ("bf16", 17.0 / 32.0, 2.0),
}

PIPELINE_HALF_K = 2000.0
REDUCTION_HALF_KEYS = 2000.0
LATENT_MINIMUM_HEADS = 64.0
QUERY_TILE = 128.0
L2_SHARE = 0.7  # of L2 that one buffer can keep
L2_SPEEDUP = 4.0  # of a read that hits L2 over one that goes to HBM
MEMORY_FRACTION = 0.83  # of HBM bandwidth that streaming kernels reach; a planning value, not fitted


def knee(a, b):
    return (a**4 + b**4) ** 0.25


def soft_minimum(a, b):
    return (a**-4.0 + b**-4.0) ** -0.25


GEMM_FIELDS = ["peak_fraction", "bandwidth_fraction", "launch", "pipeline", "k_prologue", "wave", "minimum_rows", "quantize_launch", "quantize_passes"]


def gemm(c, gpu, kind, m, n, k, groups=1.0, touched=1.0, quantize=False, tile=(128.0, 128.0)):
    g = GPUS[gpu]
    arithmetic, weight, activation = KINDS[kind]
    count = groups * touched
    rows = groups * m
    each = rows / count
    grouped = np.any(np.asarray(groups) > 1.0) or np.any(np.asarray(touched) < 1.0)
    padded = np.sqrt(each**2 + c["minimum_rows"] ** 2)
    executed = count * padded if grouped else rows
    rate = g[arithmetic] * c["peak_fraction"]
    one = soft_minimum(padded, tile[0]) * soft_minimum(n, tile[1]) * k
    compute = 2.0 / rate * (executed * n * (k + c["k_prologue"]) + c["wave"] * g["sms"] * one)
    traffic = count * n * k * weight + rows * (k * activation + n * 2.0)
    stream = 1.0 / (g["hbm"] * c["bandwidth_fraction"])
    t = c["launch"] + knee(compute, traffic * stream + c["pipeline"] * k / (k + PIPELINE_HALF_K))
    if quantize:
        t = t + c["quantize_launch"] + c["quantize_passes"] * rows * k * (2.0 + activation) * stream
    return t


PREFILL_FIELDS = ["peak_fraction", "bandwidth_fraction", "launch", "half_length", "wave", "store_passes"]


def prefill(c, gpu, sequences, heads, kv_heads, queries, qk=128.0, v=128.0, kv_bytes=2.0):
    g = GPUS[gpu]
    padded = np.maximum(queries, QUERY_TILE)
    flops = 2.0 * sequences * heads * (qk + v) * 0.5 * padded * (padded + 1.0)
    rate = g["bf16"] * c["peak_fraction"]
    one = 2.0 * QUERY_TILE * queries * (qk + v)
    compute = (flops * (1.0 + c["half_length"] / padded) + c["wave"] * g["sms"] * one) / rate
    traffic = sequences * queries * (kv_heads * (qk + v) * kv_bytes + heads * (qk + v) * 2.0)
    stored = c["store_passes"] * sequences * queries * kv_heads * (qk + v) * (2.0 + kv_bytes)
    return c["launch"] + knee(compute, traffic / (g["hbm"] * c["bandwidth_fraction"])) + stored / (MEMORY_FRACTION * g["hbm"])


DECODE_FIELDS = ["peak_fraction", "bandwidth_fraction", "launch", "reduction", "unit", "output_passes"]


def cached(traffic, l2):
    """What of the traffic counts at HBM speed when a benchmark's loop finds it in L2."""
    x = (traffic / (l2 * L2_SHARE)) ** 4
    missed = x / (1.0 + x)
    return traffic * (missed + (1.0 - missed) / L2_SPEEDUP)


def decode(c, gpu, sequences, heads, kv_heads, keys, kv_bytes, latent=False, qk=128.0, v=128.0):
    g = GPUS[gpu]
    qk, v = (576.0, 512.0) if latent else (qk, v)
    used = np.maximum(heads, LATENT_MINIMUM_HEADS) if latent else heads
    compute = 2.0 * sequences * used * (qk + v) * keys / (g["bf16"] * c["peak_fraction"])
    stream = 1.0 / (g["hbm"] * c["bandwidth_fraction"])
    cache = sequences * keys * (qk if latent else kv_heads * (qk + v)) * kv_bytes
    units = sequences * (1.0 if latent else kv_heads) / g["sms"]
    t = c["launch"] + c["reduction"] * keys / (keys + REDUCTION_HALF_KEYS) + c["unit"] * units
    return t + knee(compute, cached(cache, g["l2"]) * stream) + c["output_passes"] * sequences * heads * (qk + v) * 2.0 * stream


DOMAIN_FIELDS = ["base", "per_rank", "ramp", "ramp_bytes", "fraction", "loss"]


def pipelined(a, b):
    return (a**8 + b**8) ** 0.125


def saturating(w, half):
    return 1.0 / (1.0 + np.sqrt(half / w))


def domain_transfer(c, w, n, nvlink):
    return w / (nvlink * c["fraction"] * (1.0 - c["loss"] / n))


def domain(c, w, n, nvlink):
    return c["base"] + c["per_rank"] * (n - 1.0) + c["ramp"] * saturating(w, c["ramp_bytes"]) + domain_transfer(c, w, n, nvlink)


def tree(c, inner, s, domains, per_domain, nvlink, nic, rails=1e9):
    network = np.minimum(2.0, domains - 1.0) * s / (nic * np.minimum(per_domain, rails) * c["fraction"])
    hops = np.log2(domains)
    inside = domain_transfer(inner, 2.0 * s * (per_domain - 1.0) / per_domain, per_domain, nvlink)
    return pipelined(inside, network) + c["base"] + c["per_hop"] * hops + (c["ramp"] + c["ramp_per_hop"] * hops) * saturating(s, c["ramp_bytes"])


def ring(c, inner, w, passes, n, domains, per_domain, nvlink, nic, rails=1e9):
    used = np.minimum(per_domain, rails)
    network = w / (nic * used * c["fraction"])
    inside = np.where(per_domain > 1, domain_transfer(inner, w, n, nvlink), 0.0)
    crossings = passes * (domains - 1.0)
    latency = c["base"] + inner["per_rank"] * (n - domains) + crossings * (c["per_step"] + c["per_step_rails"] * used**2)
    return pipelined(inside, network) + latency


def all_to_all(c, inner, s, n, domains, per_domain, nvlink, nic):
    off = s * (n - per_domain) / n
    on = s * (per_domain - 1.0) / n
    fraction = c["fraction"] / (1.0 + c["decay"] * np.log2(0.5 * domains))
    return pipelined(domain_transfer(inner, on, per_domain, nvlink), off / (nic * fraction)) + c["base"] + c["per_peer"] * (n - 1.0)


def send(c, s, domains, nic):
    return c["base"] + s / (nic * c["fraction"]) * (1.0 + c["decay"] * np.maximum(0.0, np.log2(0.25 * domains)))

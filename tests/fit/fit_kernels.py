#!/usr/bin/python3
"""Fits the kernel laws to published kernel measurements and prints or writes the constants.

    fit_kernels.py                  print errors, leave-groups-out
    fit_kernels.py --write DIR      also write the "kernels" part of DIR/<gpu>.json

Measurements: gemm.csv, attention_prefill.csv, attention_decode.csv, mla_decode.csv, moe_gemm.csv, which derive from
ai-dynamo/aiconfigurator (Apache-2.0). Every second group (matrix shape, head configuration) is left out for the error.
"""

import argparse
import json
import pathlib

import numpy as np

import laws
from fitting import errors, fit, leave_groups_out, rows_of, significant

SYSTEMS = {"h100_sxm": "h100", "h200_sxm": "h200", "b200_sxm": "b200"}
SOFTWARE = {"vllm": "vllm", "trtllm": "tensorrt-llm"}
GEMM_KIND = {"bfloat16": "bf16", "fp8": "fp8", "fp8_block": "fp8_block", "nvfp4": "fp4"}
TILE = {"h100": (128.0, 128.0), "h200": (128.0, 128.0), "b200": (128.0, 256.0)}


OTHERS = (dict(minimum_rows=100.0, wave=0.1), dict(minimum_rows=10.0, wave=0.8), dict(k_prologue=20.0, peak_fraction=0.5))


def columns(rows, *names):
    return [np.array([float(r[n]) for r in rows]) for n in names]


def report(label, e):
    print(f"{label:50s} rows {e['rows']:5d}  median {100 * e['median']:5.1f} %  p90 {100 * e['p90']:5.1f} %  bias {100 * e['bias']:+5.1f} %")


def fit_gemm():
    out = {}
    rows = rows_of("gemm.csv")
    for system, gpu in SYSTEMS.items():
        for tool, software in SOFTWARE.items():
            for dtype, kind in GEMM_KIND.items():
                part = [r for r in rows if r["system"] == system and r["source_tool"].startswith(tool) and r["gemm_dtype"] == dtype]
                if not part:
                    continue
                m, n, k, t = columns(part, "m", "n", "k", "latency_us")
                t = t * 1e-6
                quantize = kind != "bf16"
                bf16 = out.get((gpu, software, "bf16"))
                start = dict(peak_fraction=0.75, bandwidth_fraction=0.8, launch=3e-6, pipeline=1e-6, k_prologue=200.0, wave=0.3, minimum_rows=30.0, quantize_launch=1e-6, quantize_passes=1.0)
                low = dict(peak_fraction=0.2, bandwidth_fraction=0.3, launch=5e-7, pipeline=0.0, k_prologue=0.0, wave=0.0, minimum_rows=1.0, quantize_launch=0.0, quantize_passes=0.0)
                high = dict(peak_fraction=1.0, bandwidth_fraction=1.0, launch=30e-6, pipeline=10e-6, k_prologue=3000.0, wave=3.0, minimum_rows=200.0, quantize_launch=30e-6, quantize_passes=4.0)
                fields = list(laws.GEMM_FIELDS)
                fixed = {}
                if not quantize:
                    fixed = dict(quantize_launch=0.0, quantize_passes=1.0)
                else:
                    # The product itself starts like a bf16 one; the rest of the floor belongs to the conversion.
                    fixed = dict(launch=bf16["constants"]["launch"])
                fields = [f for f in fields if f not in fixed]

                def predict(c, i):
                    return laws.gemm({**c, **fixed}, gpu, kind, m[i], n[i], k[i], quantize=quantize, tile=TILE[gpu])

                def fit_rows(i):
                    return fit(lambda c: predict(c, i), t[i], fields, start, low, high, others=OTHERS)

                e = leave_groups_out(predict, fit_rows, t, list(zip(n, k)))
                everything = np.arange(len(t))
                c = {**fit_rows(everything), **fixed}
                c["tile_m"], c["tile_n"] = TILE[gpu]
                report(f"gemm {gpu} {software} {kind}", e)
                out[gpu, software, kind] = dict(constants=c, error=e, data=f"gemm.csv: {system}, {part[0]['source_tool']}, {dtype}")
    return out


def fit_prefill():
    out = {}
    rows = rows_of("attention_prefill.csv")
    for system, gpu in SYSTEMS.items():
        for cache, name, width in (("bfloat16", "bf16", 2.0), ("fp8", "bf16_cache_fp8", 1.0)):
            part = [r for r in rows if r["system"] == system and r["kv_cache_dtype"] == cache]
            b, h, g, q, t = columns(part, "batch_size", "num_heads", "num_key_value_heads", "isl", "latency_us")
            t = t * 1e-6
            start = dict(peak_fraction=0.65, bandwidth_fraction=0.4, launch=8e-6, half_length=500.0, wave=1.0, store_passes=1.0)
            low = dict(peak_fraction=0.1, bandwidth_fraction=0.05, launch=1e-6, half_length=0.0, wave=0.0, store_passes=0.0)
            high = dict(peak_fraction=1.0, bandwidth_fraction=1.0, launch=50e-6, half_length=5000.0, wave=10.0, store_passes=10.0)

            def predict(c, i):
                return laws.prefill(c, gpu, b[i], h[i], g[i], q[i], kv_bytes=width)

            def fit_rows(i):
                return fit(lambda c: predict(c, i), t[i], laws.PREFILL_FIELDS, start, low, high)

            e = leave_groups_out(predict, fit_rows, t, list(zip(h, g)))
            c = fit_rows(np.arange(len(t)))
            report(f"prefill {gpu} {name}", e)
            out[gpu, name] = dict(constants=c, error=e, data=f"attention_prefill.csv: {system}, bf16, {cache} cache")
    return out


def fit_decode(latent):
    """The benchmark's loop reads one cache again and again, so what fits L2 comes from there: the law knows (`cached`)."""
    out = {}
    file = "mla_decode.csv" if latent else "attention_decode.csv"
    rows = rows_of(file)
    for system, gpu in SYSTEMS.items():
        for cache, name, width in (("bfloat16", "bf16", 2.0), ("fp8", "fp8", 1.0)):
            part = [r for r in rows if r["system"] == system and r["kv_cache_dtype"] == cache]
            b, h, s, t = columns(part, "batch_size", "num_heads", "kv_len", "latency_us")
            g = np.ones_like(b) if latent else columns(part, "num_key_value_heads")[0]
            t = t * 1e-6
            start = dict(peak_fraction=0.5 if latent else 0.2, bandwidth_fraction=0.9, launch=10e-6, reduction=3e-6, unit=1e-6, output_passes=1.0)
            low = dict(peak_fraction=0.02, bandwidth_fraction=0.3, launch=1e-6, reduction=0.0, unit=0.0, output_passes=0.0)
            high = dict(peak_fraction=1.0, bandwidth_fraction=1.0, launch=50e-6, reduction=50e-6, unit=50e-6, output_passes=8.0)

            def predict(c, i):
                return laws.decode(c, gpu, b[i], h[i], g[i], s[i], width, latent=latent)

            def fit_rows(i):
                return fit(lambda c: predict(c, i), t[i], laws.DECODE_FIELDS, start, low, high)

            groups = list(h) if latent else list(zip(h, g))
            e = leave_groups_out(predict, fit_rows, t, groups)
            c = fit_rows(np.arange(len(t)))
            report(f"{'latent' if latent else 'decode'} {gpu} {name}", e)
            out[gpu, name] = dict(constants=c, error=e, data=f"{file}: {system}, {cache} cache")
    return out


def fit_grouped():
    """Balanced routing only: a skewed one is a matter of the rows and experts that the caller states. The layer is two
    grouped products (up with gate, down) beside the permutation, activation and reduction of the routed rows."""
    out = {}
    rows = rows_of("moe_gemm.csv")
    kinds = {"bfloat16": "bf16", "fp8_block": "fp8_block", "nvfp4": "fp4", "w4a16_mxfp4": "weight_only"}
    for system, gpu in SYSTEMS.items():
        for dtype, kind in kinds.items():
            part = [r for r in rows if r["system"] == system and r["moe_dtype"] == dtype and r["distribution"] == "balanced"]
            if not part:
                continue
            T, h, f, k, E, tp, ep, t = columns(part, "num_tokens", "hidden_size", "inter_size", "topk", "num_experts", "moe_tp_size", "moe_ep_size", "latency_us")
            t = t * 1e-6
            f = f / tp
            # DeepSeek-V3's router picks 4 of 8 groups of experts: balanced logits then reach half of the experts. (With
            # expert parallelism the table ran another code path; those rows stay in and cost what they cost.)
            limited = (E == 256) & (h == 7168) & (ep == 1)
            reachable = np.where(limited, 0.5, 1.0)
            # Nemotron's experts have no gate: one up projection.
            up_width = np.where((E == 512) & (k == 22), 1.0, 2.0)
            groups = E / ep
            m = T * k / E
            touched = np.minimum(groups * reachable, np.maximum(1.0, T * k / ep)) / groups
            quantize = kind in ("fp8_block", "fp4")
            start = dict(peak_fraction=0.4, bandwidth_fraction=0.8, launch=10e-6, pipeline=1e-6, k_prologue=200.0, wave=0.3, minimum_rows=64.0, quantize_launch=3e-6, quantize_passes=1.0, masked_passes=0.5)
            low = dict(peak_fraction=0.05, bandwidth_fraction=0.2, launch=1e-6, pipeline=0.0, k_prologue=0.0, wave=0.0, minimum_rows=1.0, quantize_launch=0.0, quantize_passes=0.0, masked_passes=0.0)
            high = dict(peak_fraction=1.0, bandwidth_fraction=1.0, launch=60e-6, pipeline=20e-6, k_prologue=3000.0, wave=3.0, minimum_rows=256.0, quantize_launch=60e-6, quantize_passes=10.0, masked_passes=20.0)
            fixed = {} if quantize else dict(quantize_launch=0.0, quantize_passes=1.0)
            fixed["pipeline"] = 0.0
            fields = [x for x in laws.GEMM_FIELDS + ["masked_passes"] if x not in fixed]

            def predict(c, i):
                c = {**c, **fixed}
                up = laws.gemm(c, gpu, kind, m[i], up_width[i] * f[i], h[i], groups[i], touched[i], quantize, TILE[gpu])
                down = laws.gemm(c, gpu, kind, m[i], h[i], f[i], groups[i], touched[i], quantize, TILE[gpu])
                routed = T[i] * k[i] / ep[i]
                moved = 2.0 * (routed * ((1 + up_width[i]) * f[i] + h[i]) + T[i] * h[i]) + c["masked_passes"] * 2.0 * (T[i] * k[i] - routed) * (h[i] + (1 + up_width[i]) * f[i])
                return up + down + moved / (laws.MEMORY_FRACTION * laws.GPUS[gpu]["hbm"])

            def fit_rows(i):
                return fit(lambda c: predict(c, i), t[i], fields, start, low, high, others=OTHERS)

            e = leave_groups_out(predict, fit_rows, t, list(zip(h, f, E, ep)))
            c = {**fit_rows(np.arange(len(t))), **fixed}
            c["tile_m"], c["tile_n"] = TILE[gpu]
            report(f"grouped {gpu} vllm {kind}", e)
            out[gpu, "vllm", kind] = dict(constants=c, error=e, data=f"moe_gemm.csv: {system}, {part[0]['tool']}, {dtype}, balanced")
    return out


if __name__ == "__main__":
    for part in (fit_grouped(), fit_gemm(), fit_prefill(), fit_decode(False), fit_decode(True)):
        for key, value in part.items():
            print(key, {k: significant(v) for k, v in value["constants"].items()})

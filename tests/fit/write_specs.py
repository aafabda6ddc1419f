#!/usr/bin/python3
"""Fits everything and writes specs/efficiency/*.json: fitted constants where measurements exist, derived ones elsewhere,
each with its source, date, confidence and residual.

    write_specs.py [DIRECTORY]      default ../../specs/efficiency
"""

import copy
import json
import pathlib
import sys

import fit_collectives
import fit_kernels
import laws
from fitting import significant

DATE = "2026-11-30"

SOURCES = {
    "aic": dict(title="ai-dynamo/aiconfigurator measured kernel and NCCL tables", url="https://github.com/ai-dynamo/aiconfigurator", date="2026-08-21", licence="Apache-2.0"),
    "aic-median": dict(title="Medians over M, N, K >= 4096 of the aiconfigurator GEMM tables, TensorRT-LLM back end", url="https://github.com/ai-dynamo/aiconfigurator", date="2026-08-21", licence="Apache-2.0"),
    "fa2": dict(title="FlashAttention-2", url="https://arxiv.org/abs/2307.08691", date="2023-07"),
    "fa3": dict(title="FlashAttention-3", url="https://arxiv.org/abs/2407.08608", date="2024-07"),
    "flashmla": dict(title="DeepSeek FlashMLA README", url="https://github.com/deepseek-ai/FlashMLA", date="2026-04-29", licence="MIT"),
    "nccl-tests": dict(title="Published nccl-tests runs (AWS, NVIDIA, CoreWeave, Together, Vultr, Oracle, Nebius, KeitaW, crazyguitar CC BY 4.0, stas00 CC BY-SA 4.0, xxrjun)", url="https://github.com/stas00/ml-engineering", date="2026-08"),
    "deepep": dict(title="DeepEP low-latency kernels, tables of ai-dynamo/aiconfigurator; DeepEP on EFA by whn09 and awslabs", url="https://github.com/whn09/ep-benchmarks-efa", date="2026-09-04"),
    "planning": dict(title="Ridgepoint planning value", url="", date=DATE),
}

MICROSECONDS = {"launch", "store_launch", "pipeline", "quantize_launch", "reduction", "unit", "base", "per_rank", "ramp", "per_hop", "ramp_per_hop", "per_step", "per_step_rails", "per_peer", "latency"}
ELEMENTS = {"k_prologue", "minimum_rows", "tile_m", "tile_n", "half_length"}
BYTES = {"ramp_bytes"}


def constant(name, value):
    if name in MICROSECONDS:
        return dict(value=significant(value * 1e6), unit="us")
    unit = "B" if name in BYTES else "count" if name in ELEMENTS else "1"
    return dict(value=significant(value), unit=unit)


def law(constants, source, data, confidence, residual=None):
    out = dict(source=source, note=data, date=DATE, confidence=confidence)
    out.update({k: constant(k, v) for k, v in constants.items()})
    if residual:
        out["residual_median"] = dict(value=significant(residual["median"], 2), unit="1")
        out["residual_p90"] = dict(value=significant(residual["p90"], 2), unit="1")
        out["rows"] = dict(value=residual["rows"], unit="count")
    return out


def forget_residual(entry):
    for name in ("residual_median", "residual_p90", "rows"):
        entry.pop(name, None)


def fitted(entry):
    return law(entry["constants"], "aic", entry["data"], "high", entry["error"])


def derived(base, source, data, confidence="medium", **factors):
    """A law of another GPU with some constants multiplied (factor) or replaced (('=', value))."""
    out = copy.deepcopy(base)
    out.update(source=source, note=data, confidence=confidence)
    forget_residual(out)
    for name, factor in factors.items():
        c = out[name]
        c["value"] = significant(factor[1] if isinstance(factor, tuple) else c["value"] * factor)
    return out


# Median TFLOP/s for M, N, K >= 4096 relative to the dense peak, TensorRT-LLM back end [aic-median].
LARGE = {
    "a100": dict(bf16=262 / 312),
    "h100": dict(bf16=771 / 989.5, fp8=1219 / 1979),
    "b200": dict(bf16=1471 / 2250, fp8=2374 / 4500, fp4=3525 / 9000),
    "b300": dict(bf16=1485 / 2250, fp8=2492 / 4500, fp4=4257 / 13500),
    "gb200": dict(bf16=1525 / 2500, fp8=2501 / 5000, fp4=3811 / 10000),
    "gb300": dict(bf16=1843 / 2500, fp8=2873 / 5000, fp4=4599 / 15000),
}
# Forward attention relative to B200, head dimension 128 [aic]; GB200 and GB300 by their clocks' bin.
ATTENTION = {"b300": 1461 / 1351, "gb200": 0.9, "gb300": 1461 / 1351 * 0.9}
# FLOP/s of the backward pass relative to the forward pass.
BACKWARD = {
    "a100": (0.86, "fa2", "backward up to 63 %, forward up to 73 % of the peak"),
    "hopper": (0.78, "fa3", "backward about 560, forward about 720 TFLOP/s, head dimension 128"),
    "blackwell": (0.69, "flashmla", "B200 multi-head backward 1,000, forward 1,460 TFLOP/s"),
}


KERNEL_FLOOR = 5e-6  # of one attention kernel; a planning value


def memory_law():
    return law(dict(bandwidth_fraction=laws.MEMORY_FRACTION, launch=2e-6), "planning", "HBM fraction of streaming kernels 0.83 (0.92 at best); about 2 us per kernel of a full stream", "medium")


def kernel_parts():
    gemm, grouped = fit_kernels.fit_gemm(), fit_kernels.fit_grouped()
    prefill, decode, latent = fit_kernels.fit_prefill(), fit_kernels.fit_decode(False), fit_kernels.fit_decode(True)
    files = {}
    for gpu in ("h100", "h200", "b200"):
        classes = {}
        for software in ("tensorrt-llm", "vllm"):
            classes[software] = dict(gemm={k[2]: fitted(v) for k, v in gemm.items() if k[:2] == (gpu, software)})
        first = classes["tensorrt-llm"]
        first["grouped"] = {k[2]: fitted(v) for k, v in grouped.items() if k[0] == gpu}
        backward = BACKWARD["hopper" if gpu[0] == "h" else "blackwell"]
        forward = {}
        for name in ("bf16", "bf16_cache_fp8"):
            # The tables measure the attention kernel with the kernels that write the cache. Their floors are split by what
            # a single kernel of this kind costs.
            floor = prefill[gpu, name]["constants"]["launch"]
            prefill[gpu, name]["constants"].update(launch=KERNEL_FLOOR, store_launch=max(0.0, floor - KERNEL_FLOOR))
            entry = fitted(prefill[gpu, name])
            entry["backward_fraction"] = constant("backward_fraction", backward[0])
            entry["note"] += f"; backward: {backward[2]} ({backward[1]})"
            forward[name] = entry
        attention = forward["bf16"]
        low = derived(attention, "aic", "FP8 forward 761-836 (H100), 1,498-1,654 (B200) TFLOP/s; the rest as bf16", peak_fraction=("=", {"h": 0.44, "b": 0.41}[gpu[0]]), half_length=2.0)
        first["prefill"] = {**forward, "fp8": low}
        first["decode"] = {k[1]: fitted(v) for k, v in decode.items() if k[0] == gpu}
        first["latent"] = {k[1]: fitted(v) for k, v in latent.items() if k[0] == gpu}
        first["memory"] = memory_law()
        files[gpu] = classes

    for gpu, parent in (("a100", "h100"), ("b300", "b200"), ("gb200", "b200"), ("gb300", "b200")):
        base = copy.deepcopy(files[parent]["tensorrt-llm"])
        ratio = {k: LARGE[gpu][k] / LARGE[parent][k] for k in LARGE[gpu] if k in LARGE[parent]}
        note = f"{parent.upper()} fit with the asymptote scaled by the medians of large products"
        for group in ("gemm", "grouped"):
            out = {}
            for kind, entry in base[group].items():
                family = "fp8" if kind == "fp8_block" else "bf16" if kind == "weight_only" else kind
                if family not in ratio:
                    continue
                fraction = min(0.95, entry["peak_fraction"]["value"] * ratio[family])
                out[kind] = derived(entry, "aic-median", note, "medium" if group == "gemm" else "low", peak_fraction=("=", fraction))
            base[group] = out
        attention = base["prefill"]["bf16"]
        if gpu == "a100":
            base["prefill"] = {"bf16": derived(attention, "fa2", "225 TFLOP/s forward without mask; about 200 causal; the rest as H100", peak_fraction=("=", 0.68), backward_fraction=("=", BACKWARD["a100"][0]))}
            base["decode"].pop("fp8", None), base["latent"].pop("fp8", None)
        else:
            for name, entry in base["prefill"].items():
                base["prefill"][name] = derived(entry, "aic", "B200 fit with the asymptote scaled by the best forward rates", peak_fraction=ATTENTION[gpu])
        for group in ("prefill", "decode", "latent"):
            for name, entry in base[group].items():
                if group != "prefill":
                    base[group][name] = derived(entry, "aic", f"{parent.upper()} fit; the best decode rates are the same fraction of the bandwidth", "medium")
        files[gpu] = {"tensorrt-llm": base}
    return files


def domain_parts(fits):
    files = {}
    for (gpu, name), entry in fits.items():
        files.setdefault(gpu, {})[name] = law(entry["constants"], "nccl-tests" if "switch" in name else "aic", f"collectives in a node: {gpu}, {name}", "high", entry["error"])
    for gpu, parts in files.items():
        if gpu.startswith("gb"):
            parts["all_reduce_switch"] = derived(files["b200"]["all_reduce_switch"], "nccl-tests", "B200 fit; 8 GB200 of one NVL72 reach 847 GB/s against 843 of 8 B200")
        pair = copy.deepcopy(parts["all_to_all"])
        parts["send_recv"] = derived(pair, "nccl-tests", "latency of all-to-all; 16 GiB between two B200 at 660 of 900 GB/s", fraction=("=", 0.73), loss=("=", 0.0))
    return files


def main():
    directory = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parents[2] / "specs" / "efficiency"
    directory.mkdir(parents=True, exist_ok=True)
    kernels = kernel_parts()
    domain_fits = fit_collectives.fit_domain()
    domains = domain_parts(domain_fits)
    exchange = fit_collectives.exchange_parts()
    names = dict(a100="NVIDIA A100", h100="NVIDIA H100 and H800", h200="NVIDIA H200", b200="NVIDIA B200", b300="NVIDIA B300", gb200="NVIDIA GB200", gb300="NVIDIA GB300")
    for gpu, title in names.items():
        parts = domains[gpu]
        parts["exchange"] = law(exchange["domain"][gpu], "deepep", exchange["data"], "medium")
        document = dict(id=gpu, kind="gpu", name=f"Measured efficiency: {title}", date=DATE, default_software="tensorrt-llm", software=kernels[gpu], domain=parts)
        document["domain"]["switch_minimum_ranks"] = dict(value=fit_collectives.SWITCH_MINIMUM, unit="GPUs", source="nccl-tests", note="NVLS starts at 5 GPUs on H200, 6 on B200", date=DATE, confidence="medium")
        if gpu.startswith("gb"):
            document["domain"]["rails"] = dict(value=8.7, unit="NICs", source="nccl-tests", note="1,440 GB200 in 20 racks: 16 GiB rings move 433 GB/s however many NICs a rack has", date=DATE, confidence="medium")
        write(directory, document)
    for fabric, document in fit_collectives.fabric_documents(domain_fits, law, DATE).items():
        document["exchange"] = law(exchange["fabric"][fabric], "deepep", exchange["data"], "medium")
        write(directory, document)


def write(directory, document):
    used = set()

    def walk(node):
        if isinstance(node, dict):
            if isinstance(node.get("source"), str):
                used.add(node["source"])
            for child in node.values():
                walk(child)

    walk(document)
    document["sources"] = {k: SOURCES[k] for k in sorted(used)}
    text = json.dumps(document, indent=2)
    # One constant a line.
    import re

    text = re.sub(r"\{\s+\"value\": ([^,]+),\s+\"unit\": (\"[^\"]*\")\s+\}", r'{"value": \1, "unit": \2}', text)
    (directory / f"{document['id']}.json").write_text(text + "\n")


if __name__ == "__main__":
    main()

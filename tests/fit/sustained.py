#!/usr/bin/env python3
"""Median error of training runs against the share of the kernels' rate that is sustained.

usage: sustained.py RIDGEPOINT_CLI TRAINING.csv SPECS

Scales every peak_fraction of the GPU efficiency files in an overlay, predicts the rows and prints the median signed error
by GPU, architecture, framework and precision. The factor at which the dense Megatron rows of a GPU cross zero is its
"training" constant in specs/efficiency/ (which must be 1 in SPECS while scanning).
"""
import collections
import csv
import glob
import json
import os
import statistics
import subprocess
import sys
import tempfile

FACTORS = [1.0, 0.9, 0.8, 0.72, 0.65]


def scale(node, factor):
    if isinstance(node, dict):
        for key, value in node.items():
            if key == "peak_fraction":
                value["value"] *= factor
            else:
                scale(value, factor)


def main():
    cli, rows, specs = sys.argv[1:4]
    ratios = {}
    for factor in FACTORS:
        with tempfile.TemporaryDirectory() as overlay:
            os.makedirs(overlay + "/efficiency")
            for path in glob.glob(specs + "/efficiency/*.json"):
                document = json.load(open(path))
                if document.get("kind") != "gpu":
                    continue
                document.pop("training", None)
                for software in document["software"].values():
                    scale(software, factor)
                json.dump(document, open(f"{overlay}/efficiency/{os.path.basename(path)}", "w"))
            out = overlay + "/rows.csv"
            subprocess.run([cli, "validate", rows, "--specs", overlay, "--rows", out], check=True, stdout=subprocess.DEVNULL)
            for row in csv.DictReader(open(out)):
                if row["error_step_time_s"]:
                    ratios.setdefault(row["row_id"], (row, {}))[1][factor] = 1.0 + float(row["error_step_time_s"])
    groups = collections.defaultdict(list)
    for row, by_factor in ratios.values():
        precision = "bf16" if "bf16" in row["precision"] or "fp16" in row["precision"] else "low"
        groups[(row["gpu"], "moe" if row["n_experts"] else "dense", "fsdp" if "FSDP" in row["dp_sharding"] else "megatron", precision)].append(by_factor)
    for key, members in sorted(groups.items()):
        print(*key, len(members), *(f"{f}: {statistics.median(m[f] for m in members) - 1:+.3f}" for f in FACTORS))


if __name__ == "__main__":
    main()

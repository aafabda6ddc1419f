#!/usr/bin/python3
"""Fits the collective laws to published nccl-tests runs and prints the constants with leave-points-out errors.

In a domain: collectives_node.csv (ai-dynamo/aiconfigurator, Apache-2.0) and the one-node rows of collectives.csv.
Across domains: collectives.csv (rows name their sources; EFA, InfiniBand, RoCE).
"""

import numpy as np

import laws
from fitting import errors, fit, leave_groups_out, rows_of, significant

FAMILY = {"all_gather": "gather", "reduce_scatter": "gather", "all_reduce": "all_reduce", "alltoall": "all_to_all"}
SWITCH_MINIMUM = 5


def bus(op, n):
    return np.where(op == "all_reduce", 2.0 * (n - 1) / n, np.where(op == "sendrecv", 1.0, (n - 1) / n))


def in_domain_points():
    points = {}
    for r in rows_of("collectives_node.csv"):
        n, s = float(r["n_gpus"]), float(r["size_bytes"])
        points.setdefault((r["gpu"].lower(), FAMILY[r["op"]]), []).append((n, s, s * float(bus(r["op"], n)), float(r["latency_us"]) * 1e-6, 1.0))
    # The table ends at 512 MiB; larger one-node runs tell the asymptote, so each counts more than once.
    for r in rows_of("collectives.csv"):
        if r["op"] not in FAMILY or not r["time_us"] or not r["size_bytes"] or float(r["size_bytes"]) <= 0:
            continue
        one_domain = r["n_nodes"] == "1" or r["interconnect"] == "NVL72 NVLink only"
        if one_domain and r["algo"] in ("default", "NVLS"):
            n, s = float(r["n_gpus"]), float(r["size_bytes"])
            points.setdefault((r["gpu"].lower(), FAMILY[r["op"]]), []).append((n, s, s * float(bus(r["op"], n)), float(r["time_us"]) * 1e-6, 3.0))
    return {k: np.array(v).T for k, v in points.items()}


def report(label, e):
    print(f"{label:40s} points {e['rows']:5d}  median {100 * e['median']:5.1f} %  p90 {100 * e['p90']:5.1f} %  bias {100 * e['bias']:+5.1f} %")


RING_START = dict(base=5e-6, per_rank=1e-6, ramp=25e-6, ramp_bytes=4e6, fraction=0.8, loss=0.5)
RING_LOW = dict(base=0.0, per_rank=0.0, ramp=0.0, ramp_bytes=1e4, fraction=0.2, loss=0.0)
RING_HIGH = dict(base=50e-6, per_rank=10e-6, ramp=400e-6, ramp_bytes=5e8, fraction=1.3, loss=0.95)


def fit_domain():
    out = {}
    for (gpu, family), (n, s, w, t, weight) in sorted(in_domain_points().items()):
        if gpu not in laws.GPUS:
            continue
        nvlink = laws.GPUS[gpu]["nvlink"]
        switch = family == "all_reduce" and gpu != "a100"
        ring_rows = n < SWITCH_MINIMUM if switch else n > 0
        parts = [(family, np.where(ring_rows)[0])]
        if switch:
            parts.append(("all_reduce_switch", np.where(n >= SWITCH_MINIMUM)[0]))
        for name, rows in parts:
            if len(rows) < 20:
                continue
            start, low, high = dict(RING_START), dict(RING_LOW), dict(RING_HIGH)
            fixed = {}
            if name == "all_reduce_switch":
                start.update(base=17e-6, ramp=100e-6, fraction=1.0)
                fixed = dict(loss=0.0, per_rank=0.0)
            fields = [f for f in laws.DOMAIN_FIELDS if f not in fixed]
            repeat = np.repeat(rows, weight[rows].astype(int))

            def predict(c, i):
                return laws.domain({**c, **fixed}, w[i], n[i], nvlink)

            def fit_rows(i):
                chosen = np.isin(repeat, rows[i])
                return fit(lambda c: predict(c, repeat[chosen]), t[repeat[chosen]], fields, start, low, high, scale=0.1)

            e = leave_groups_out(lambda c, i: predict(c, rows[i]), fit_rows, t[rows], list(zip(s[rows], n[rows])))
            c = {**fit_rows(np.arange(len(rows))), **fixed}
            report(f"{gpu} {name}", e)
            out[gpu, name] = dict(constants=c, error=e)
    return out


FABRIC_OF = {
    "EFA 4x100G": "efa-v1",
    "EFA 32x100G": "efa-v2",
    "EFA 16x200G": "efa-v3",
    "EFA 16x400G": "efa-v4",
    "NDR IB 8x400G": "infiniband-ndr",
    "InfiniBand (rate not stated)": "infiniband-ndr",
    "NVL72 + 400G IB": "infiniband-ndr",
    "RoCEv2 16x200G": "roce",
    "RoCE 8x400G": "roce",
}
FABRIC_FIELDS = {
    "tree": dict(base=(30e-6, 0, 200e-6), per_hop=(30e-6, 0, 200e-6), ramp=(200e-6, 0, 1e-3), ramp_per_hop=(100e-6, 0, 1e-3), ramp_bytes=(16e6, 1e5, 1e9), fraction=(0.75, 0.3, 1.0)),
    "ring": dict(base=(40e-6, 0, 300e-6), per_step=(5e-6, 0, 60e-6), per_step_rails=(0.8e-6, 0, 5e-6), fraction=(0.95, 0.5, 1.0)),
    "all_to_all": dict(base=(40e-6, 0, 400e-6), per_peer=(4e-6, 0, 20e-6), fraction=(0.9, 0.4, 1.0), decay=(0.05, 0, 0.5)),
    "send_recv": dict(base=(30e-6, 0, 200e-6), fraction=(0.87, 0.3, 1.0), decay=(0.5, 0, 1.0)),
}


def across_points():
    points = {}
    for r in rows_of("collectives.csv"):
        fabric = FABRIC_OF.get(r["interconnect"])
        if not fabric or int(r["n_nodes"]) < 2 or not r["time_us"] or not r["size_bytes"] or float(r["size_bytes"]) <= 0:
            continue
        if r["algo"].lower().startswith("collnet"):
            continue  # in-network reduction has its own fraction, below
        if "untuned" in r["stack"]:
            continue
        n, domains = float(r["n_gpus"]), float(r["n_nodes"])
        if r["system"].startswith("GB200 NVL72"):
            domains = 20.0
        gpu = r["gpu"].lower()
        nic = float(r["nic_gbps_per_gpu"] or 400) * 1e9 / 8
        points.setdefault(fabric, []).append(dict(op=r["op"], algo=r["algo"], n=n, domains=domains, per_domain=n / domains, s=float(r["size_bytes"]), t=float(r["time_us"]) * 1e-6, gpu=gpu, nic=nic, family=r["source_family"], stack=r["stack"], placement=r["placement"]))
    return points


def predict_across(c, p, domain):
    """c: flat constants 'tree.base' ...; p: arrays of one op and gpu."""
    part = lambda name: {k.split(".")[1]: v for k, v in c.items() if k.startswith(name + ".")}
    gpu = p["gpu"]
    nvlink = laws.GPUS[gpu]["nvlink"]
    w = p["s"] * bus(np.array([p["op"]] * len(p["s"])), p["n"])
    rails = 8.7 if gpu.startswith("gb") else 1e9
    if p["op"] == "all_reduce":
        switch = gpu != "a100"
        inner = domain[gpu, "all_reduce_switch" if switch else "all_reduce"]
        ring_t = laws.ring(part("ring"), domain[gpu, "all_reduce"], w, 2.0, p["n"], p["domains"], p["per_domain"], nvlink, p["nic"], rails)
        tree_t = np.where(p["per_domain"] > 1, laws.tree(part("tree"), inner, p["s"], p["domains"], p["per_domain"], nvlink, p["nic"], rails), laws.tree(part("tree"), domain[gpu, "all_reduce"], p["s"], p["domains"], p["per_domain"], nvlink, p["nic"]))
        algo = np.array(p["algo"])
        is_ring = np.char.startswith(algo, "Ring")
        is_tree = (algo == "NVLSTree") | (algo == "Tree")
        return np.where(is_ring, ring_t, np.where(is_tree, tree_t, np.minimum(ring_t, tree_t)))
    if p["op"] in ("all_gather", "reduce_scatter"):
        return laws.ring(part("ring"), domain[gpu, "gather"], w, 1.0, p["n"], p["domains"], p["per_domain"], nvlink, p["nic"], rails)
    if p["op"] == "alltoall":
        return laws.all_to_all(part("all_to_all"), domain[gpu, "all_to_all"], p["s"], p["n"], p["domains"], p["per_domain"], nvlink, p["nic"])
    return laws.send(part("send_recv"), p["s"], p["domains"], p["nic"])


def blocks_of(rows):
    groups = {}
    for r in rows:
        groups.setdefault((r["op"], r["gpu"], r["family"]), []).append(r)
    blocks = []
    for (op, gpu, family), rs in groups.items():
        p = dict(op=op, gpu=gpu, algo=[r["algo"] for r in rs], family=family)
        for f in ("n", "domains", "per_domain", "s", "t", "nic"):
            p[f] = np.array([r[f] for r in rs])
        blocks.append(p)
    return blocks


# Where a fabric has few points, its constants stay near those of the fabric named here: (fabric, factor on latencies).
RELATIVE = {"efa-v1": ("efa-v2", 1.5), "efa-v3": ("efa-v2", 0.65), "efa-v4": ("efa-v2", 0.6), "infiniband-ndr": ("efa-v2", 0.35), "roce": ("infiniband-ndr", 1.1),
            "infiniband-hdr": ("infiniband-ndr", 1.1), "infiniband-xdr": ("infiniband-ndr", 1.0), "omni-path": ("infiniband-ndr", 1.3)}
LATENCIES = ("base", "per_hop", "ramp", "ramp_per_hop", "per_step", "per_step_rails", "per_peer")


def fit_fabrics(domain):
    domain = {k: v["constants"] for k, v in domain.items()}
    for g in ("gb200", "gb300"):
        domain[g, "all_reduce_switch"] = domain["b200", "all_reduce_switch"]
    points = across_points()
    out = {}
    for fabric in ["efa-v2", "efa-v1", "efa-v3", "efa-v4", "infiniband-ndr", "roce", "infiniband-hdr", "infiniband-xdr", "omni-path"]:
        blocks = blocks_of(points.get(fabric, []))
        fields, start, low, high = [], {}, {}, {}
        for law_name, constants in FABRIC_FIELDS.items():
            for f, (a, b, c) in constants.items():
                name = f"{law_name}.{f}"
                fields.append(name)
                start[name], low[name], high[name] = a, b, c
        prior = 0.1
        if fabric in RELATIVE:
            other, factor = RELATIVE[fabric]
            start = {f: v * (factor if f.split(".")[1] in LATENCIES else 1.0) for f, v in out[other]["constants"].items()}
            prior = 0.3
        start = {f: min(max(v, low[f]), high[f]) for f, v in start.items()}
        if not blocks:
            out[fabric] = dict(constants=start, error=None, like=RELATIVE[fabric][0])
            continue
        t = np.concatenate([p["t"] for p in blocks])
        # Every (source, collective) has the same say, however many sizes it published.
        weight = np.concatenate([np.full(len(p["t"]), min(1.0, (20.0 / len(p["t"])) ** 0.5)) for p in blocks])
        weight = np.concatenate([np.where([a == "Tree" for a in p["algo"]], 0.0, 1.0) for p in blocks]) * weight

        def everything(c):
            return np.concatenate([predict_across(c, p, domain) for p in blocks])

        c = fit(everything, t, fields, start, low, high, scale=0.15, prior=prior, weight=weight)
        e = errors(everything(c), t)
        report(fabric, e)
        for p in blocks:
            report(f"   {fabric} {p['op']} {p['gpu']} {p['family']}", errors(predict_across(c, p, domain), p["t"]))
        out[fabric] = dict(constants=c, error=e)
    return out


def fabric_documents(domain_fits, law, date):
    names = {"efa-v1": "EFA v1 (p4d, p4de)", "efa-v2": "EFA v2 (p5, p5e)", "efa-v3": "EFA v3 (p5en)", "efa-v4": "EFA v4 (p6)", "infiniband-hdr": "InfiniBand HDR", "infiniband-ndr": "InfiniBand NDR", "infiniband-xdr": "InfiniBand XDR", "roce": "RoCE v2", "omni-path": "Omni-Path"}
    documents = {}
    for fabric, entry in fit_fabrics(domain_fits).items():
        parts = {}
        for name, value in entry["constants"].items():
            a, b = name.split(".")
            parts.setdefault(a, {})[b] = value
        parts["send_recv"]["per_peer"] = 0.0
        document = dict(id=fabric, kind="fabric", name=f"Measured efficiency: {names[fabric]}", date=date)
        for name, constants in parts.items():
            if entry["error"]:
                document[name] = law(constants, "nccl-tests", f"collectives across nodes: {fabric}", "high" if entry["error"]["rows"] > 100 else "medium", entry["error"])
            else:
                document[name] = law(constants, "nccl-tests", f"as {entry['like']}: no public runs", "low")
        documents[fabric] = document
        # A bounce through host memory: two copies share the host link, about half of the NIC rate is left.
        if fabric.startswith("infiniband"):
            # B200, 2 to 64 nodes with NDR and SHARP: 528-606 GB/s of bus bandwidth at 8-32 GiB; 545 is S / time of 281 GB/s of
            # the node's 400.
            document["in_network"] = law(dict(fraction=0.70), "nccl-tests", "SHARP all-reduce of 8-32 GiB on 2 to 64 nodes of 8 B200, NDR", "medium" if fabric.endswith("ndr") else "low")
        document["staged"] = law(dict(fraction=0.5), "planning", "no GPUDirect RDMA: each byte crosses host memory twice", "low")
    return documents


def exchange_parts():
    """Latency and link fraction of DeepEP kernels. Bytes leaving a GPU: tokens x top-k x hidden, less the share of its own
    rank (1 of 8)."""
    domain = {}
    rows = rows_of("moe_dispatch_low_latency.csv")
    for system, gpu in (("h100_sxm", "h100"), ("h200_sxm", "h200"), ("b200_sxm", "b200")):
        w, t = [], []
        for r in rows:
            if r["system"] != system:
                continue
            copies = float(r["num_token"]) * float(r["num_topk"]) * 7.0 / 8.0
            h = float(r["hidden_size"])
            w += [copies * h * (1.0 + 4.0 / 128.0), copies * h * 2.0]
            t += [float(r["dispatch_avg_t_us"]) * 1e-6, float(r["combine_avg_t_us"]) * 1e-6]
        w, t = np.array(w), np.array(t)
        nvlink = laws.GPUS[gpu]["nvlink"]
        predict = lambda c: c["latency"] + w / (nvlink * c["fraction"])
        c = fit(predict, t, ["latency", "fraction"], dict(latency=12e-6, fraction=0.5), dict(latency=1e-6, fraction=0.1), dict(latency=60e-6, fraction=1.0))
        report(f"exchange {gpu}", errors(predict(c), t))
        domain[gpu] = c
    domain["a100"] = dict(latency=domain["h100"]["latency"] * 1.3, fraction=domain["h100"]["fraction"])
    for gpu in ("b300", "gb200", "gb300"):
        domain[gpu] = domain["b200"]
    # 128 tokens, hidden 7168, top 8, two nodes [moe_dispatch.csv]: p5 402 and 517 us, p5en 212-324, p6-b300 126-166, of
    # which the wire takes 10-40. Large batches reach 0.6-0.8 of the NIC rate.
    fabric = {"efa-v2": dict(latency=400e-6, fraction=0.75), "efa-v1": dict(latency=500e-6, fraction=0.7), "efa-v3": dict(latency=210e-6, fraction=0.75), "efa-v4": dict(latency=125e-6, fraction=0.7)}
    for name in ("infiniband-hdr", "infiniband-ndr", "infiniband-xdr", "roce", "omni-path"):
        fabric[name] = dict(latency=40e-6, fraction=0.85)
    return dict(domain=domain, fabric=fabric, data="DeepEP low-latency dispatch and combine on 8 GPUs; DeepEP, pplx and UCCL on EFA, 2 to 16 nodes")


if __name__ == "__main__":
    domain = fit_domain()
    for key, value in domain.items():
        print(key, {k: significant(v) for k, v in value["constants"].items()})
    for key, value in fit_fabrics(domain).items():
        print(key, {k: significant(v) for k, v in value["constants"].items()})

"""Rules and dashboard of `watch`, read by Prometheus itself: promtool checks and unit-tests them, and a real server on this
machine scrapes a small exporter, evaluates the rules and answers every query of the dashboard."""

import http.server
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import tempfile
import threading
import time
import unittest
import urllib.parse
import urllib.request

from support import CLI, EXAMPLE, ROOT, clean_environment, need, run

EXAMPLES = ROOT / "specs" / "examples"


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def levels(rules):
    """meter -> {expected, low, high} of the recording rules."""
    found = {}
    for kind, meter, value in re.findall(r"record: ridgepoint:(expected|low|high):(\w+)\n\s+expr: \"vector\(([^)]+)\)\"", rules):
        found.setdefault(meter, {})[kind] = float(value)
    return found


class Exporter(http.server.BaseHTTPRequestHandler):
    """dcgm-exporter and node exporter of one host, at given levels."""

    values = {}
    started = 0.0

    def do_GET(self):
        v, lines = self.values, []
        for gpu in range(8):
            for metric, meter in (("DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", "tensor_active"), ("DCGM_FI_PROF_DRAM_ACTIVE", "dram_active"),
                                  ("DCGM_FI_PROF_NVLINK_TX_BYTES", "nvlink_tx_bytes_per_second"), ("DCGM_FI_DEV_POWER_USAGE", "gpu_power_watts")):
                lines.append(f'{metric}{{gpu="{gpu}"}} {v.get(meter, 0)}')
        sent = int((time.time() - self.started) * v.get("efa_tx_bytes_per_second", 0))
        for device in range(16):
            lines.append(f'node_amazonefa_tx_bytes{{device="rdmap{device}",port="1"}} {sent // 16}')
        lines.append(f"training_step_seconds {v.get('step_seconds', 0)}")
        body = ("\n".join(lines) + "\n").encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/plain; version=0.0.4")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


class Watch(unittest.TestCase):
    def setUp(self):
        need("promtool")
        if not CLI or not os.path.exists(CLI):
            self.skipTest("ridgepoint-cli is not built")
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def watch(self, plan, *options):
        rules, board = self.folder / "rules.yml", self.folder / "board.json"
        status, text = run(CLI, "watch", plan, "--rules", rules, "--grafana", board, *options, env=clean_environment(RIDGEPOINT_SPECS=str(ROOT / "specs")))
        self.assertIn(status, (0, 1), text)
        return rules.read_text(), json.loads(board.read_text())

    def check(self, rules):
        (self.folder / "checked.yml").write_text(rules)
        return run("promtool", "check", "rules", self.folder / "checked.yml")

    def test_promtool_accepts_the_rules_of_every_example(self):
        for plan in sorted(EXAMPLES.glob("*.ridgepoint")):
            with self.subTest(plan=plan.name):
                rules, _ = self.watch(plan)
                status, text = self.check(rules)
                self.assertEqual(status, 0, text)

    def test_promtool_accepts_hostile_names(self):
        rules, _ = self.watch(EXAMPLES / EXAMPLE, "--set", "/name=a\"b'c\\ {{ $x }} $(y) # : \u00e9\n- z", "--label", "cluster=x\"} or up{y=\"")
        status, text = self.check(rules)
        self.assertEqual(status, 0, text)

    def test_promtool_rejects_what_is_wrong(self):
        rules, _ = self.watch(EXAMPLES / EXAMPLE)
        status, text = self.check(rules.replace("avg(avg_over_time(", "avg(avg_over_time((", 1))
        self.assertNotEqual(status, 0, "the check can fail")

    def test_every_query_of_the_dashboard_parses(self):
        for plan in sorted(EXAMPLES.glob("*.ridgepoint")):
            _, board = self.watch(plan)
            queries = [t["expr"] for p in board["panels"] for t in p.get("targets", [])]
            self.assertGreater(len(queries), 10)
            as_rules = {"groups": [{"name": "q", "rules": [{"record": f"q:{i}", "expr": q} for i, q in enumerate(queries)]}]}
            status, text = self.check(json.dumps(as_rules))
            self.assertEqual(status, 0, text)

    def alerts_at(self, rules, values):
        """Names that promtool says fire after an hour at these levels."""
        name = re.search(r"plan: (\".*\")", rules).group(1)
        series = []
        for metric, meter in (("DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", "tensor_active"), ("DCGM_FI_PROF_DRAM_ACTIVE", "dram_active"),
                              ("DCGM_FI_PROF_NVLINK_TX_BYTES", "nvlink_tx_bytes_per_second"), ("DCGM_FI_DEV_POWER_USAGE", "gpu_power_watts"),
                              ("training_step_seconds", "step_seconds")):
            series.append({"series": f'{metric}{{gpu="0"}}', "values": f"{values[meter]}x120"})
        rate = values["efa_tx_bytes_per_second"]
        series.append({"series": 'node_amazonefa_tx_bytes{instance="a",device="0"}', "values": f"0+{rate * 30:.0f}x120"})
        fired = []
        for alert in sorted(set(re.findall(r"alert: (RidgepointDeviation\w+)", rules))):
            test = {"rule_files": ["rules.yml"], "evaluation_interval": "30s",
                    "tests": [{"interval": "30s", "input_series": series, "alert_rule_test": [{"eval_time": "55m", "alertname": alert, "exp_alerts": []}]}]}
            (self.folder / "unit.yml").write_text(json.dumps(test))
            status, text = run("promtool", "test", "rules", self.folder / "unit.yml", cwd=self.folder)
            if status != 0:
                self.assertIn("got:", text)
                fired.append(alert)
        self.assertTrue(name)
        return fired

    def test_alerts_fire_outside_the_error_bar_and_only_there(self):
        rules, _ = self.watch(EXAMPLES / EXAMPLE)
        expected = {m: v["expected"] for m, v in levels(rules).items()}
        self.assertEqual(len(expected), 6)
        self.assertEqual(self.alerts_at(rules, expected), [])
        slow = expected | {"step_seconds": levels(rules)["step_seconds"]["high"] * 1.01, "tensor_active": levels(rules)["tensor_active"]["low"] * 0.99}
        self.assertEqual(self.alerts_at(rules, slow), ["RidgepointDeviationStepSeconds", "RidgepointDeviationTensorActive"])
        silent = expected | {"efa_tx_bytes_per_second": 0}
        self.assertEqual(self.alerts_at(rules, silent), ["RidgepointDeviationEfaTxBytesPerSecond"])


class RealPrometheus(unittest.TestCase):
    """The same text in a server that scrapes."""

    def setUp(self):
        need("prometheus")
        Watch.setUp(self)

    watch = Watch.watch

    def query(self, port, expression):
        url = f"http://127.0.0.1:{port}/api/v1/query?" + urllib.parse.urlencode({"query": expression})
        with urllib.request.urlopen(url, timeout=10) as answer:
            return json.load(answer)

    def test_a_server_records_what_the_exporter_says(self):
        rules, board = self.watch(EXAMPLES / EXAMPLE)
        expected = {m: v["expected"] for m, v in levels(rules).items()}
        fast = rules.replace("interval: 30s", "interval: 1s").replace("[5m]", "[10s]")
        (self.folder / "rules.yml").write_text(fast)
        Exporter.values, Exporter.started = expected, time.time()
        exporter = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Exporter)
        threading.Thread(target=exporter.serve_forever, daemon=True).start()
        self.addCleanup(exporter.server_close)
        self.addCleanup(exporter.shutdown)
        port = free_port()
        config = {"global": {"scrape_interval": "1s", "evaluation_interval": "1s"}, "rule_files": ["rules.yml"],
                  "scrape_configs": [{"job_name": "plan", "static_configs": [{"targets": [f"127.0.0.1:{exporter.server_address[1]}"]}]}]}
        (self.folder / "prometheus.yml").write_text(json.dumps(config))
        with open(self.folder / "log", "wb") as log:
            server = subprocess.Popen(["prometheus", f"--config.file={self.folder}/prometheus.yml", f"--storage.tsdb.path={self.folder}/data",
                                       f"--web.listen-address=127.0.0.1:{port}"], stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        try:
            recorded = {}
            for _ in range(60):  # bounded; a second each
                time.sleep(1)
                try:
                    recorded = {m: self.query(port, f"ridgepoint:measured:{m}")["data"]["result"] for m in expected}
                except OSError:
                    continue
                if all(recorded.values()) and float(recorded["efa_tx_bytes_per_second"][0]["value"][1]) > 0.7 * expected["efa_tx_bytes_per_second"]:
                    break
            for meter, value in expected.items():
                self.assertTrue(recorded.get(meter), f"{meter} is not recorded: {(self.folder / 'log').read_text()[-2000:]}")
                tolerance = 0.3 if meter.startswith("efa") else 1e-6  # a rate over few scrapes
                self.assertAlmostEqual(float(recorded[meter][0]["value"][1]) / value, 1.0, delta=tolerance, msg=meter)
            for panel in board["panels"]:
                for target in panel.get("targets", []):
                    answer = self.query(port, target["expr"])
                    self.assertEqual(answer["status"], "success", target["expr"])
                    self.assertTrue(answer["data"]["result"], f"{target['expr']} finds nothing")
        finally:
            server.terminate()
            server.wait(timeout=30)

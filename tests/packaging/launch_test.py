"""Files of `launch`, run: a real bash starts the scripts with a torchrun that prints its arguments; YAML is read by a library."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from support import CLI, EXAMPLE, ROOT, clean_environment, need, run

EXAMPLES = ROOT / "specs" / "examples"
VALUES = {"LEARNING_RATE": "3e-4 $(touch pwned)", "DATA_PATH": "a b", "CHECKPOINT": "c", "TOKENIZER": "t", "MODEL": "m"}


def one_pool():
    """Examples whose prompts do not run apart."""
    return [p for p in sorted(EXAMPLES.glob("*.ridgepoint")) if '"apart": true' not in p.read_text()]


class LaunchFiles(unittest.TestCase):
    def setUp(self):
        need("bash")
        if not CLI or not os.path.exists(CLI):
            self.skipTest("ridgepoint-cli is not built")
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def launch(self, plan, *options):
        file = self.folder / "launch"
        status, text = run(CLI, "launch", plan, "-o", file, *options, env=clean_environment(RIDGEPOINT_SPECS=str(ROOT / "specs")))
        self.assertEqual(status, 0, text)
        return file

    def run_with_stub(self, file, program, **values):
        """The arguments that `program` gets when the script runs."""
        stub = self.folder / "bin" / program
        stub.parent.mkdir(exist_ok=True)
        stub.write_text("#!/bin/bash\nprintf '%s\\0' \"$@\"\n")
        stub.chmod(0o755)
        done = subprocess.run(["bash", file], cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60,
                              env={"PATH": f"{stub.parent}:{os.environ['PATH']}"} | values)
        return done.returncode, done.stdout.decode().split("\0")[:-1], done.stderr.decode()

    def test_a_script_starts_torchrun_with_the_plans_arguments(self):
        hostile = "it's \"$(touch pwned)\" `touch pwned`"
        file = self.launch(EXAMPLES / EXAMPLE, "--for", "megatron-lm", "--as", "shell", "--set", f"/name={hostile}", "--checkpoint", hostile)
        status, words, errors = self.run_with_stub(file, "torchrun", NODE_RANK="5", HEAD_ADDRESS="h0", **VALUES)
        self.assertEqual(status, 0, errors)
        self.assertIn("--node-rank=5", words)
        self.assertIn("--nnodes=2048", words)
        self.assertEqual(words[words.index("--tensor-model-parallel-size") + 1], "8")
        self.assertEqual(words[words.index("--tokenizer-model") + 1], hostile)
        self.assertEqual(words[words.index("--lr") + 1], VALUES["LEARNING_RATE"])
        self.assertFalse((self.folder / "pwned").exists())

    def test_a_script_stops_where_a_value_is_missing(self):
        file = self.launch(EXAMPLES / EXAMPLE, "--for", "megatron-lm", "--as", "shell")
        status, words, errors = self.run_with_stub(file, "torchrun")
        self.assertNotEqual(status, 0)
        self.assertEqual(words, [])
        self.assertIn("DATA_PATH", errors)

    def test_the_toml_is_written_where_it_is_named(self):
        file = self.launch(EXAMPLES / EXAMPLE, "--for", "torchtitan", "--as", "shell", "--set", "/name=x\"\nRIDGEPOINT_CONFIG\ntouch pwned\n")
        status, words, errors = self.run_with_stub(file, "torchrun", **VALUES)
        self.assertEqual(status, 0, errors)
        written = pathlib.Path(words[words.index("--job.config_file") + 1])
        self.addCleanup(shutil.rmtree, written.parent)
        self.assertIn("seq_len = 8192", written.read_text())
        self.assertFalse((self.folder / "pwned").exists())
        try:
            import tomllib
        except ImportError:
            return
        self.assertEqual(tomllib.loads(written.read_text())["parallelism"]["tensor_parallel_degree"], 8)

    def test_bash_parses_every_script(self):
        for plan in one_pool():
            for form in ("shell", "slurm"):
                status, text = run("bash", "-n", self.launch(plan, "--as", form))
                self.assertEqual(status, 0, f"{plan.name} {form}: {text}")

    def test_prompts_apart_become_two_pools(self):
        for plan in sorted(set(EXAMPLES.glob("*.ridgepoint")) - set(one_pool())):
            file = self.launch(plan, "--as", "shell")
            status, text = run("bash", "-n", file)
            self.assertEqual(status, 0, f"{plan.name}: {text}")
            self.assertGreaterEqual(file.read_text().count("serve"), 2)

    def test_kubernetes_objects_are_yaml(self):
        try:
            import yaml
        except ImportError:
            self.skipTest("no YAML library for Python")
        for plan in one_pool():
            if "tensorrt_llm" in plan.read_text():  # over several hosts it runs under MPI, which these objects do not start
                status, text = run(CLI, "launch", plan, "--as", "jobset", env=clean_environment())
                if status == 1 and "MPI" in text:
                    continue
            documents = list(yaml.safe_load_all(self.launch(plan, "--as", "jobset", "--set", "/name=a: b # $(x)\n---\nkind: Pod").read_text()))
            self.assertEqual([d["kind"] for d in documents], ["ConfigMap", "ConfigMap", "JobSet"], plan.name)
            job = documents[2]["spec"]["replicatedJobs"][0]["template"]["spec"]
            limits = job["template"]["spec"]["containers"][0]["resources"]["limits"]
            self.assertGreaterEqual(limits["nvidia.com/gpu"], 1)
            self.assertEqual("vpc.amazonaws.com/efa" in limits, job["completions"] > 1)
            (self.folder / "run.sh").write_text(documents[0]["data"]["run.sh"])
            status, text = run("bash", "-n", self.folder / "run.sh")
            self.assertEqual(status, 0, text)

    def test_a_plan_comes_back(self):
        file = self.launch(EXAMPLES / EXAMPLE, "--as", "slurm")
        status, text = run(CLI, "plan-from", file, "--instance", "p5en.48xlarge", "-o", self.folder / "back.ridgepoint", env=clean_environment(RIDGEPOINT_SPECS=str(ROOT / "specs")))
        self.assertEqual(status, 0, text)
        back = (self.folder / "back.ridgepoint").read_text()
        for part in ('"llama-3.1-405b"', '"tp": 8', '"pp": 16', '"vpp": 7', '"nodes": 2048', '"global_batch": 2048'):
            self.assertIn(part, back)

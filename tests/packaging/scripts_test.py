"""The two commands and the presets."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from support import CMAKE, ROOT, packages, run

SCRIPTS = ["installers/run", "installers/common.sh", "tests/run", ".ci/run", "installers/appimage/build"]


class Scripts(unittest.TestCase):
    def test_bash_parses_them(self):
        for name in SCRIPTS:
            with self.subTest(script=name):
                self.assertEqual(run("bash", "-n", ROOT / name), (0, ""))

    def test_they_can_be_started(self):
        for name in SCRIPTS:
            if not name.endswith(".sh"):
                self.assertTrue(os.access(ROOT / name, os.X_OK), name)

    def test_shellcheck_finds_nothing(self):
        if shutil.which("shellcheck") is None:
            return  # a bonus where it is installed
        for name in SCRIPTS:
            with self.subTest(script=name):
                status, text = run("shellcheck", "-x", "-s", "bash", name, cwd=ROOT)
                self.assertEqual(status, 0, text)

    def test_an_unknown_option_is_refused(self):
        status, text = run(ROOT / "tests" / "run", "--nonsense")
        self.assertNotEqual(status, 0)
        self.assertIn("--nonsense", text)

    def test_help_names_every_option(self):
        status, text = run(ROOT / "tests" / "run", "--help")
        self.assertEqual(status, 0)
        for option in re.findall(r"^\s+(--\w+)\)", (ROOT / "tests" / "run").read_text(), re.M):
            self.assertIn(option, text)

    def fake_system(self, folder, installed, uid=1000):
        """A PATH with an apt that only writes down what it is asked."""
        tools = pathlib.Path(folder) / "bin"
        tools.mkdir(parents=True)
        log = pathlib.Path(folder) / "asked"
        known = "".join(f"installed {name}\\n" for name in installed)
        scripts = {"dpkg-query": f"printf '{known}'", "apt-get": f'printf "%s\\n" "apt-get $*" >> "{log}"',
                   "sudo": f'printf "sudo " >> "{log}"; exec "$@"', "id": f"echo {uid}"}
        for name, body in scripts.items():
            (tools / name).write_text(f"#!/bin/bash\n{body}\n")
            (tools / name).chmod(0o755)
        for name in ("bash", "grep", "sed", "env", "mktemp", "rm", "tail", "cat"):
            (tools / name).symlink_to(shutil.which(name))
        return {"PATH": str(tools), "LC_ALL": "C"}, log

    def install(self, environment, *sections):
        script = f'root="{ROOT}"; me=test; . "$root/installers/common.sh"; install_packages {" ".join(sections)}'
        done = subprocess.run(["/bin/bash", "-c", "set -euo pipefail; " + script], env=environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60)
        return done.returncode, done.stdout

    def test_nothing_missing_asks_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            environment, log = self.fake_system(folder, packages("build"))
            self.assertEqual(self.install(environment, "build"), (0, ""))
            self.assertFalse(log.exists())

    def test_only_what_is_missing_is_installed(self):
        with tempfile.TemporaryDirectory() as folder:
            environment, log = self.fake_system(folder, [p for p in packages("build") if p not in ("libfmt-dev", "g++")])
            status, text = self.install(environment, "build")
            self.assertEqual(status, 0, text)
            asked = log.read_text().splitlines()
            self.assertTrue(all(line.startswith("sudo apt-get ") for line in asked), asked)
            self.assertEqual(asked[-1].split()[-2:], ["g++", "libfmt-dev"])

    def test_root_needs_no_sudo(self):
        with tempfile.TemporaryDirectory() as folder:
            environment, log = self.fake_system(folder, [], uid=0)
            self.assertEqual(self.install(environment, "build")[0], 0)
            self.assertNotIn("sudo", log.read_text())

    def test_no_apt_is_said_with_the_list(self):
        with tempfile.TemporaryDirectory() as folder:
            environment, log = self.fake_system(folder, [])
            (pathlib.Path(folder) / "bin" / "apt-get").unlink()
            status, text = self.install(environment, "build")
            self.assertEqual(status, 1)
            for name in packages("build"):
                self.assertIn(name, text)
            self.assertIn("RIDGEPOINT_NO_INSTALL=1", text)
            self.assertEqual(self.install(environment | {"RIDGEPOINT_NO_INSTALL": "1"}, "build"), (0, ""))

    def test_no_sudo_is_said_with_the_command(self):
        with tempfile.TemporaryDirectory() as folder:
            environment, log = self.fake_system(folder, [])
            (pathlib.Path(folder) / "bin" / "sudo").unlink()
            status, text = self.install(environment, "build")
            self.assertEqual(status, 1)
            self.assertIn("apt-get install --no-install-recommends cmake", text)
            self.assertFalse(log.exists())


class Presets(unittest.TestCase):
    NAMES = {"dev", "release", "asan", "nogui"}

    def test_cmake_lists_them(self):
        status, text = run(CMAKE, "--list-presets=all", cwd=ROOT)
        self.assertEqual(status, 0, text)
        for name in self.NAMES:
            self.assertGreaterEqual(text.count(f'"{name}"'), 3, text)  # configure, build, test

    def test_an_empty_test_run_is_an_error(self):
        presets = json.loads((ROOT / "CMakePresets.json").read_text())
        base = next(p for p in presets["testPresets"] if p["name"] == "base")
        self.assertEqual(base["execution"]["noTestsAction"], "error")
        self.assertIn("--no-tests=error", (ROOT / "tests" / "run").read_text())

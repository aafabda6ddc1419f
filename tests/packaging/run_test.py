"""installers/run, with a build that only writes down how it was called: what is started, and with which arguments."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from support import EXAMPLE, ROOT, packages

CMAKE = """#!/bin/bash
printf 'cmake' >> "$CALLS"; printf ' [%s]' "$@" >> "$CALLS"; printf '\\n' >> "$CALLS"
root=$FAKE_ROOT
if [ "$1" = --preset ]; then
    touch "$root/build/release/build.ninja"
    echo "CMAKE_HOME_DIRECTORY:INTERNAL=$root" > "$root/build/release/CMakeCache.txt"
    exit 0
fi
[ -z "${BUILD_FAILS:-}" ] || { echo "error: no such thing"; exit 1; }
mkdir -p "$root/build/release/app/desktop" "$root/build/release/app/cli"
for program in desktop/ridgepoint cli/ridgepoint-cli; do
    printf '#!/bin/bash\\nprintf "%%s" "${0##*/}" >> "$CALLS"; printf " [%%s]" "$@" >> "$CALLS"; echo >> "$CALLS"\\n' > "$root/build/release/app/$program"
    echo 'for a; do case $a in *.html|*.pdf) echo x > "$a" ;; esac; done; [ "$1" != plan ] || exit ${PLAN_STATUS:-0}' >> "$root/build/release/app/$program"
    chmod +x "$root/build/release/app/$program"
done
echo "ninja: no work to do."
"""


class Run(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="ridge point ")
        self.addCleanup(self.folder.cleanup)
        base = pathlib.Path(os.path.realpath(self.folder.name))
        self.root, self.calls = base / "the tree", base / "calls"
        for name in ("installers/run", "installers/common.sh", "installers/packages.txt", f"specs/examples/{EXAMPLE}"):
            target = self.root / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, target)
        tools = base / "bin"
        tools.mkdir()
        installed = "".join(f"installed {name}\\n" for name in packages())
        for name, text in (("cmake", CMAKE), ("dpkg-query", f"#!/bin/bash\nprintf '{installed}'\n"),
                           ("apt-get", '#!/bin/bash\necho apt-get >> "$CALLS"; exit 1\n')):
            (tools / name).write_text(text)
            (tools / name).chmod(0o755)
        self.environment = {"PATH": f"{tools}:/usr/bin:/bin", "CALLS": str(self.calls), "FAKE_ROOT": str(self.root), "LC_ALL": "C"}

    def run_it(self, *arguments, cwd="/", **extra):
        self.calls.unlink(missing_ok=True)
        done = subprocess.run([self.root / "installers" / "run", *arguments], cwd=cwd, env=self.environment | extra,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60)
        return done, self.calls.read_text().splitlines() if self.calls.exists() else []

    def test_first_run_configures_and_builds_then_only_builds(self):
        done, calls = self.run_it(DISPLAY=":7")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("cmake [--preset] [release]", calls[0])
        self.assertIn("Building Ridgepoint", done.stderr)
        done, calls = self.run_it(DISPLAY=":7")
        self.assertEqual((done.stdout, done.stderr), ("", ""), "quiet when nothing is to do")
        self.assertEqual(len(calls), 2, calls)
        self.assertTrue(calls[0].startswith("cmake [--build]"), calls)

    def test_arguments_pass_through_whole(self):
        done, calls = self.run_it("my plan.ridgepoint", "--theme", "dark", WAYLAND_DISPLAY="wayland-0")
        self.assertEqual(calls[-1], "ridgepoint [my plan.ridgepoint] [--theme] [dark]")

    def test_without_a_display_table_and_reports(self):
        done, calls = self.run_it()
        self.assertEqual(done.returncode, 0, done.stderr)
        example = self.root / "specs/examples" / EXAMPLE
        reports = self.root / "build/reports" / EXAMPLE.removesuffix(".ridgepoint")
        self.assertEqual(calls[-3:], [f"ridgepoint-cli [plan] [{example}]",
                                      f"ridgepoint-cli [report] [{example}] [-o] [{reports}.html]",
                                      f"ridgepoint [--export] [{reports}.pdf] [{example}]"])
        for ending in (".pdf", ".html"):
            self.assertIn(f"{reports}{ending}\n", done.stdout)

    def test_without_a_display_the_given_plan(self):
        plan = self.root / "my plan.ridgepoint"
        plan.write_text("{}")
        done, calls = self.run_it("my plan.ridgepoint", cwd=self.root, PLAN_STATUS="1")
        self.assertEqual(done.returncode, 1, "an infeasible plan is still reported, and its status kept")
        self.assertEqual(calls[-3], "ridgepoint-cli [plan] [my plan.ridgepoint]")
        self.assertIn("my plan.pdf", done.stdout)

    def test_without_a_display_a_wrong_plan_is_not_reported(self):
        done, calls = self.run_it(PLAN_STATUS="2")
        self.assertEqual(done.returncode, 2)
        self.assertIn("[plan]", calls[-1])

    def test_export_needs_no_display(self):
        done, calls = self.run_it("--export", "out.pdf", "my.ridgepoint")
        self.assertEqual(calls[-1], "ridgepoint [--export] [out.pdf] [my.ridgepoint]")

    def test_a_failed_build_starts_nothing(self):
        done, calls = self.run_it(DISPLAY=":7", BUILD_FAILS="1")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("error: no such thing", done.stderr)
        self.assertTrue(calls[-1].startswith("cmake"), calls)

    def test_a_moved_tree_is_configured_anew(self):
        self.run_it(DISPLAY=":7")
        (self.root / "build/release/CMakeCache.txt").write_text("CMAKE_HOME_DIRECTORY:INTERNAL=/elsewhere\n")
        done, calls = self.run_it(DISPLAY=":7")
        self.assertIn("[--preset]", calls[0])

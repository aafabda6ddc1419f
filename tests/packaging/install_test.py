"""`cmake --install` into a folder of its own, and the programs started from there."""

import gzip
import os
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

from support import (APP_ID, BUILD, CLI, CMAKE, DESKTOP, EXAMPLE, MIME_TYPE, PREFIX, ROOT, VERSION, clean_environment, need,
                     run)

SHARE_OF_DESKTOP = [
    f"applications/{APP_ID}.desktop", f"metainfo/{APP_ID}.metainfo.xml", f"mime/packages/{APP_ID}.xml",
    f"icons/hicolor/scalable/apps/{APP_ID}.svg", f"icons/hicolor/symbolic/apps/{APP_ID}-symbolic.svg",
    f"icons/hicolor/scalable/mimetypes/{MIME_TYPE.replace('/', '-')}.svg", "man/man1/ridgepoint.1.gz",
]
SHARE = ["man/man1/ridgepoint-cli.1.gz", "doc/ridgepoint/copyright", "doc/ridgepoint/changelog.gz",
         "doc/ridgepoint/README.md", "ridgepoint/help/accuracy.md"]


class Install(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        shutil.rmtree(PREFIX, ignore_errors=True)
        cls.status, cls.text = run(CMAKE, "--install", BUILD, "--prefix", PREFIX)

    def test_succeeds(self):
        self.assertEqual(self.status, 0, self.text)

    def test_programs(self):
        for name, built in (("ridgepoint-cli", CLI), ("ridgepoint", DESKTOP)):
            if built:
                self.assertTrue(os.access(PREFIX / "bin" / name, os.X_OK), name)
        self.assertTrue(CLI, "there is no ridgepoint-cli to install")

    def test_shared_files(self):
        for name in SHARE + (SHARE_OF_DESKTOP if DESKTOP else []):
            self.assertTrue((PREFIX / "share" / name).is_file(), name)

    def test_every_spec(self):
        source, installed = ROOT / "specs", PREFIX / "share" / "ridgepoint" / "specs"
        wanted = {p.relative_to(source) for p in source.rglob("*") if p.is_file()}
        found = {p.relative_to(installed) for p in installed.rglob("*") if p.is_file()}
        self.assertEqual(wanted, found)

    def test_nothing_for_developers(self):
        odd = [str(p.relative_to(PREFIX)) for p in PREFIX.rglob("*") if p.suffix in (".a", ".h", ".cmake", ".o")]
        self.assertEqual(odd, [])

    def test_changelog_is_debian_s(self):
        raw = (PREFIX / "share/doc/ridgepoint/changelog.gz").read_bytes()
        self.assertEqual(raw[4:8], b"\0\0\0\0", "a time inside would make every package differ")
        self.assertRegex(gzip.decompress(raw).decode(), rf"^ridgepoint \({VERSION}\) stable; urgency=\w+\n\n  \* .+\n\n -- .+ <.+>  \w\w\w, ")

    def test_libraries_are_found(self):
        need("ldd")
        for program in (PREFIX / "bin").iterdir():
            status, text = run("ldd", program)
            self.assertEqual(status, 0, text)
            self.assertNotIn("not found", text)
            self.assertNotIn(str(BUILD), text)

    def test_the_command_line_has_no_qt(self):
        need("ldd")
        self.assertNotIn("Qt", run("ldd", PREFIX / "bin" / "ridgepoint-cli")[1])


class InstalledCommandLine(unittest.TestCase):
    PROGRAM = PREFIX / "bin" / "ridgepoint-cli"

    def test_version(self):
        status, text = run(self.PROGRAM, "--version", env=clean_environment())
        self.assertEqual(status, 0, text)
        self.assertIn(VERSION, text)

    def test_plans_the_example_from_anywhere(self):
        with tempfile.TemporaryDirectory(prefix="with space ") as folder:
            plan = PREFIX / "share/ridgepoint/specs/examples" / EXAMPLE
            status, text = run(self.PROGRAM, "plan", plan, env=clean_environment(), cwd=folder)
            self.assertEqual(status, 0, text)
            self.assertIn("MFU", text)
            self.assertEqual(os.listdir(folder), [], "planning writes nothing")

    def test_reads_the_specs_beside_it(self):
        # In a copy, one instance file is spoilt: a program that read the source tree's specs would not notice.
        with tempfile.TemporaryDirectory() as folder:
            copy = os.path.join(folder, "moved")
            shutil.copytree(PREFIX, copy)
            program = os.path.join(copy, "bin", "ridgepoint-cli")
            self.assertEqual(run(program, "specs", "list", env=clean_environment())[0], 0)
            spoilt = os.path.join(copy, "share/ridgepoint/specs/instances/p5en.48xlarge.json")
            self.assertTrue(os.path.exists(spoilt))
            with open(spoilt, "w", encoding="utf-8") as file:
                file.write("{ \"id\": ")
            status, text = run(program, "specs", "list", env=clean_environment())
            self.assertEqual(status, 2, text)
            self.assertIn("share/ridgepoint/specs/instances/p5en.48xlarge.json", text)

    def test_writes_a_report(self):
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "r.html")
            plan = PREFIX / "share/ridgepoint/specs/examples" / EXAMPLE
            status, text = run(self.PROGRAM, "report", plan, "-o", out, env=clean_environment())
            self.assertEqual(status, 0, text)
            with open(out, encoding="utf-8") as file:
                html = file.read()
            self.assertIn("<html", html.lower())
            self.assertIn("Llama", html)


class InstalledDesktop(unittest.TestCase):
    PROGRAM = PREFIX / "bin" / "ridgepoint"

    def setUp(self):
        if not DESKTOP:
            self.skipTest("built without the desktop")

    def test_version(self):
        status, text = run(self.PROGRAM, "--version", env=clean_environment())
        self.assertEqual(status, 0, text)
        self.assertIn(VERSION, text)

    def test_exports_without_a_display(self):
        environment = clean_environment()
        del environment["QT_QPA_PLATFORM"]  # the program chooses for itself
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "r.pdf")
            plan = PREFIX / "share/ridgepoint/specs/examples" / EXAMPLE
            status, text = run(self.PROGRAM, "--export", out, plan, env=environment)
            self.assertEqual(status, 0, text)
            with open(out, "rb") as file:
                self.assertEqual(file.read(5), b"%PDF-")
            need("pdftotext")
            status, text = run("pdftotext", out, "-")
            self.assertEqual(status, 0, text)
            self.assertIn("405B", text)


class XServer(unittest.TestCase):
    """The desktop on a real X server: the xcb plug-in and what it links are there, and the window stays open."""

    def test_window_opens_and_closes(self):
        if not DESKTOP:
            self.skipTest("built without the desktop")
        need("Xvfb")
        read, write = os.pipe()
        with tempfile.TemporaryFile() as log:
            server = subprocess.Popen(["Xvfb", "-displayfd", str(write), "-screen", "0", "1280x800x24", "-nolisten", "tcp"],
                                      pass_fds=[write], stdin=subprocess.DEVNULL, stdout=log, stderr=log)
            os.close(write)
            try:
                with os.fdopen(read) as pipe:
                    number = pipe.readline().strip()
                self.assertTrue(number, "Xvfb did not start")
                environment = clean_environment(DISPLAY=f":{number}", QT_QPA_PLATFORM="xcb")
                program = subprocess.Popen([DESKTOP], env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
                try:
                    time.sleep(4)
                    log.seek(0)
                    self.assertIsNone(program.poll(), log.read().decode("utf-8", "replace"))
                finally:
                    if program.poll() is None:
                        program.send_signal(signal.SIGTERM)
                        program.wait(20)
            finally:
                server.terminate()
                server.wait(20)

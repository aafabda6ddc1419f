"""The man pages: they format without a warning and know every option that the programs know."""

import re
import unittest

from support import CLI, DESKTOP, LINUX, VERSION, clean_environment, need, run

PAGES = sorted((LINUX / "man").glob("*.1"))


def options_in(text):
    return set(re.findall(r"(?<![\w-])--[a-z][a-z0-9-]*", text))


class Manual(unittest.TestCase):
    def test_pages_format_without_a_warning(self):
        need("man", "groff")
        self.assertEqual([p.name for p in PAGES], ["ridgepoint-cli.1", "ridgepoint.1"])
        for page in PAGES:
            with self.subTest(page=page.name):
                status, text = run("man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", page,
                                   env=clean_environment(LC_ALL="C.UTF-8", MANROFFSEQ="", MANWIDTH="80"))
                self.assertEqual(status, 0, text)
                warnings = [l for l in text.splitlines() if "warning" in l.lower() and not l.startswith("t")]
                self.assertEqual(warnings, [])

    def test_pages_are_of_this_version(self):
        for page in PAGES:
            self.assertIn(f'"Ridgepoint {VERSION}"', page.read_text().splitlines()[0])

    def page_text(self, name):
        return (LINUX / "man" / name).read_text().replace("\\-", "-").replace("\\fR", "")

    def test_desktop_page_knows_every_option(self):
        if not DESKTOP:
            self.skipTest("built without the desktop")
        status, text = run(DESKTOP, "--help", env=clean_environment())
        self.assertEqual(status, 0, text)
        self.assertEqual(options_in(text) - options_in(self.page_text("ridgepoint.1")), set())
        self.assertEqual(options_in(self.page_text("ridgepoint.1")) - options_in(text), set())

    def test_command_line_page_knows_every_command_and_option(self):
        if not CLI:
            self.skipTest("ridgepoint-cli is not built")
        page = self.page_text("ridgepoint-cli.1")
        status, text = run(CLI, "--help", env=clean_environment())
        self.assertEqual(status, 0, text)
        commands = re.findall(r"^  ([a-z-]+) {2,}\S", text.partition("Subcommands:")[2], re.M)
        self.assertGreaterEqual(len(commands), 7, text)
        known = options_in(text)
        for command in commands:
            self.assertRegex(page, rf"(?m)^\.BI? {command}\b")
            status, text = run(CLI, command, "--help", env=clean_environment())
            self.assertEqual(status, 0, text)
            known |= options_in(text)
        self.assertEqual(known - options_in(page), set(), "options that the page does not explain")
        self.assertEqual(options_in(page) - known, set(), "options of the page that no command has")

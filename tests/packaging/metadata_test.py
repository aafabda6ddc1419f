"""Desktop integration: the desktop file, AppStream, the MIME type and the icons."""

import configparser
import fnmatch
import pathlib
import tempfile
import unittest
import xml.etree.ElementTree as ET

from support import APP_ID, LINUX, MIME_TYPE, ROOT, VERSION, need, run

DESKTOP_FILE = LINUX / f"{APP_ID}.desktop"
METAINFO = LINUX / f"{APP_ID}.metainfo.xml"
MIME = LINUX / f"{APP_ID}.mime.xml"
ICONS = LINUX / "icons" / "hicolor"


class DesktopFile(unittest.TestCase):
    def setUp(self):
        parser = configparser.ConfigParser(interpolation=None)
        parser.optionxform = str
        parser.read(DESKTOP_FILE)
        self.entry = parser["Desktop Entry"]

    def test_validator_has_nothing_to_say(self):
        need("desktop-file-validate")
        self.assertEqual(run("desktop-file-validate", DESKTOP_FILE), (0, ""))

    def test_opens_files_of_our_type(self):
        self.assertEqual(self.entry["Exec"], "ridgepoint %F")
        self.assertIn(MIME_TYPE, self.entry["MimeType"].split(";"))

    def test_icon_is_installed(self):
        self.assertTrue((ICONS / "scalable" / "apps" / f"{self.entry['Icon']}.svg").is_file())


class AppStream(unittest.TestCase):
    def setUp(self):
        self.root = ET.parse(METAINFO).getroot()

    def test_validator_has_no_complaint(self):
        need("appstreamcli")
        status, text = run("appstreamcli", "validate", "--no-net", "--explain", METAINFO)
        self.assertEqual(status, 0, text)
        self.assertNotIn("warning", text.lower(), text)

    def test_names_what_is_installed(self):
        self.assertEqual(self.root.findtext("id"), APP_ID)
        self.assertEqual(self.root.findtext("launchable"), DESKTOP_FILE.name)
        self.assertEqual(self.root.findtext("provides/mediatype"), MIME_TYPE)
        self.assertEqual({b.text for b in self.root.findall("provides/binary")}, {"ridgepoint", "ridgepoint-cli"})

    def test_newest_release_is_this_version(self):
        newest = self.root.find("releases/release")
        if VERSION:
            self.assertEqual(newest.get("version"), VERSION)
        self.assertIn(f"## {newest.get('version')} - {newest.get('date')}", (ROOT / "CHANGELOG.md").read_text())


class MimeType(unittest.TestCase):
    NS = {"m": "http://www.freedesktop.org/standards/shared-mime-info"}

    def test_type_glob_and_parent(self):
        kind = ET.parse(MIME).getroot().find("m:mime-type", self.NS)
        self.assertEqual(kind.get("type"), MIME_TYPE)
        self.assertEqual(kind.find("m:sub-class-of", self.NS).get("type"), "application/json")
        self.assertEqual([g.get("pattern") for g in kind.findall("m:glob", self.NS)], ["*.ridgepoint"])

    def test_data_base_takes_it(self):
        need("update-mime-database")
        with tempfile.TemporaryDirectory() as folder:
            packages = pathlib.Path(folder) / "packages"
            packages.mkdir()
            (packages / f"{APP_ID}.xml").write_bytes(MIME.read_bytes())
            status, text = run("update-mime-database", folder)
            self.assertEqual(status, 0, text)
            self.assertIn(f"50:{MIME_TYPE}:*.ridgepoint", (pathlib.Path(folder) / "globs2").read_text())

    def test_every_example_matches_the_glob(self):
        for plan in (ROOT / "specs" / "examples").glob("*"):
            self.assertTrue(fnmatch.fnmatch(plan.name, "*.ridgepoint"), plan.name)


class Icons(unittest.TestCase):
    EXPECTED = [f"scalable/apps/{APP_ID}.svg", f"symbolic/apps/{APP_ID}-symbolic.svg",
                f"scalable/mimetypes/{MIME_TYPE.replace('/', '-')}.svg"]

    def test_icons_exist_and_are_square_svg(self):
        for name in self.EXPECTED:
            with self.subTest(icon=name):
                svg = ET.parse(ICONS / name).getroot()
                self.assertEqual(svg.tag, "{http://www.w3.org/2000/svg}svg")
                self.assertEqual(svg.get("width"), svg.get("height"))
                self.assertEqual(svg.get("viewBox"), f"0 0 {svg.get('width')} {svg.get('height')}")

    def test_icons_ask_for_nothing_outside(self):
        for name in self.EXPECTED:
            text = (ICONS / name).read_text()
            for outside in ("href", "<image", "<script", "<style", "<text", "filter"):  # Qt draws SVG Tiny 1.2
                self.assertNotIn(outside, text, name)

    def test_icons_draw_at_every_size(self):
        need("rsvg-convert")
        for name in self.EXPECTED:
            for size in (16, 32, 128):
                with self.subTest(icon=name, size=size), tempfile.NamedTemporaryFile(suffix=".png") as png:
                    status, text = run("rsvg-convert", "-w", size, "-h", size, ICONS / name, "-o", png.name)
                    self.assertEqual((status, text), (0, ""))
                    head = pathlib.Path(png.name).read_bytes()
                    self.assertEqual(head[:8], b"\x89PNG\r\n\x1a\n")
                    self.assertEqual(int.from_bytes(head[16:20], "big"), size)
                    self.assertGreater(len(head), 100)

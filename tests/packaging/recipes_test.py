"""Recipes for systems that are not built here: they are well-formed and agree with each other on names."""

import json
import plistlib
import unittest

from support import APP_ID, MIME_TYPE, ROOT, run

INSTALLERS = ROOT / "installers"


class Recipes(unittest.TestCase):
    def test_flatpak_manifest(self):
        manifest = json.loads((INSTALLERS / "flatpak" / f"{APP_ID}.json").read_text())
        self.assertEqual(manifest["id"], APP_ID)
        self.assertEqual(manifest["command"], "ridgepoint")
        self.assertEqual(manifest["modules"][-1]["name"], "ridgepoint")
        for argument in manifest["finish-args"]:
            self.assertRegex(argument, r"^--(socket|share|device|filesystem)=[a-z0-9:-]+$")
        # A planner needs the user's documents, not the network or the whole home folder.
        self.assertNotIn("--share=network", manifest["finish-args"])
        self.assertFalse([a for a in manifest["finish-args"] if a in ("--filesystem=host", "--filesystem=home")])
        for module in manifest["modules"][:-1]:
            self.assertTrue(module["sources"][0]["tag"], module["name"])

    def test_flatpak_brings_every_library(self):
        built = {m["name"] for m in json.loads((INSTALLERS / "flatpak" / f"{APP_ID}.json").read_text())["modules"]}
        cmake = (ROOT / "CMakeLists.txt").read_text()
        modules = {"fmt": "fmt", "nlohmann_json": "nlohmann-json", "CLI11": "cli11", "simdjson": "simdjson"}
        for package, module in modules.items():
            self.assertIn(f"find_package({package} ", cmake)
            self.assertIn(module, built)
        self.assertIn("qtcharts", built)  # the KDE runtime has the rest of Qt, but not Charts

    def test_mac_bundle(self):
        text = (INSTALLERS / "macos" / "Info.plist.in").read_text()
        plist = plistlib.loads(text.encode())
        self.assertEqual(plist["CFBundleIdentifier"], APP_ID)
        declared = plist["UTExportedTypeDeclarations"][0]
        self.assertEqual(declared["UTTypeTagSpecification"]["public.mime-type"], MIME_TYPE)
        self.assertEqual(plist["CFBundleDocumentTypes"][0]["LSItemContentTypes"], [declared["UTTypeIdentifier"]])

    def test_windows_association(self):
        self.assertIn(MIME_TYPE, (INSTALLERS / "windows" / "pack.cmake").read_text())

    def test_readme_says_what_is_not_tested(self):
        text = (INSTALLERS / "README.md").read_text()
        for artefact in ("AppImage", "Flatpak", "Windows", "macOS"):
            row = next(line for line in text.splitlines() if line.startswith(f"| {artefact} "))
            self.assertRegex(row, r"not (built|run) here")

    def test_appimage_says_what_it_lacks(self):
        status, text = run("/bin/bash", INSTALLERS / "appimage" / "build",
                           env={"PATH": "/usr/bin:/bin", "LINUXDEPLOY": "/nonexistent/linuxdeploy"})
        self.assertEqual(status, 1)
        self.assertIn("linuxdeploy is not on the PATH", text)

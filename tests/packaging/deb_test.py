"""The Debian package: built by CPack, its fields, its contents, and what lintian says."""

import pathlib
import shutil
import tempfile
import unittest

from packages_test import ESSENTIAL, dependency_closure
from support import BUILD, CMAKE, DESKTOP, SANITIZED, VERSION, need, packages, run

# Tags that are accepted, with the reason.
ACCEPTED = {
    "initial-upload-closes-no-bugs",  # about uploads to Debian's archive
    "extra-license-file",
    "no-symbols-control-file",
}


class Deb(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        need("dpkg-shlibdeps", "dpkg-deb")
        if SANITIZED:
            raise unittest.SkipTest("a sanitizer build is not packaged")
        cls.folder = tempfile.mkdtemp()
        cpack = pathlib.Path(CMAKE).with_name("cpack")
        cls.status, cls.text = run(cpack, "--config", BUILD / "CPackConfig.cmake", "-G", "DEB", "-B", cls.folder)
        cls.debs = sorted(pathlib.Path(cls.folder).glob("*.deb"))

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder, ignore_errors=True)

    def field(self, name):
        self.assertEqual(self.status, 0, self.text)
        self.assertEqual(len(self.debs), 1)
        status, text = run("dpkg-deb", "-f", self.debs[0], name)
        self.assertEqual(status, 0, text)
        return text.strip()

    def names(self, field):
        return [part.split("(")[0].strip() for part in self.field(field).split(",") if part.strip()]

    def test_name_and_version(self):
        self.assertEqual(self.field("Package"), "ridgepoint")
        self.assertEqual(self.field("Version"), VERSION)
        self.assertRegex(self.debs[0].name, rf"^ridgepoint_{VERSION}_\w+\.deb$")

    def test_dependencies_come_from_the_list(self):
        depends = self.names("Depends")
        closure = dependency_closure(packages("build", "desktop", "runtime")) | ESSENTIAL
        self.assertEqual([d for d in depends if d not in closure], [])
        self.assertIn("libc6", depends)
        if DESKTOP:
            for name in list(packages("runtime")) + ["libqt6charts6", "libqt6widgets6", "libqt6svg6"]:
                self.assertIn(name, depends)
            self.assertEqual(self.names("Recommends"), list(packages("recommended")))
        self.assertEqual([d for d in depends if d.endswith("-dev")], [])

    def test_files_stand_under_usr(self):
        status, text = run("dpkg-deb", "-c", self.debs[0])
        self.assertEqual(status, 0, text)
        for line in text.splitlines():
            owner, path = line.split()[1], line.split(None, 5)[5]
            self.assertEqual(owner, "root/root")
            self.assertTrue(path == "./" or path.startswith("./usr/"), path)

    def test_lintian(self):
        need("lintian")
        self.field("Package")
        status, text = run("lintian", "--allow-root", "--no-cfg", self.debs[0])
        said = [l for l in text.splitlines() if l[:2] in ("E:", "W:") and l.split()[2] not in ACCEPTED]
        self.assertEqual(said, [])

"""installers/packages.txt: every entry exists, and what the compiler read belongs to it."""

import re
import unittest

from support import BUILD, ROOT, need, packages, run

# Packages that every Debian system has and no list needs to name.
ESSENTIAL = {"libc6", "libgcc-s1", "libstdc++6", "gcc-12-base", "dpkg", "bash", "coreutils", "gzip"}


def dependency_closure(names):
    """The packages with all that they depend on, as the installed system knows them."""
    status, text = run("dpkg-query", "-W", "-f", "${Package}\t${Provides}\t${Depends}, ${Pre-Depends}\n")
    depends, provided = {}, {}
    for line in text.splitlines():
        name, provides, needs = line.split("\t")
        depends.setdefault(name, set()).update(
            choice.split("(")[0].split(":")[0].strip() for part in needs.split(",") for choice in part.split("|"))
        for virtual in provides.split(","):
            provided.setdefault(virtual.split("(")[0].strip(), set()).add(name)
    closure, waiting = set(), list(names)
    while waiting:
        name = waiting.pop()
        if name and name not in closure:
            closure.add(name)
            waiting += depends.get(name, ())
            waiting += provided.get(name, ()) if name not in depends else ()
    return closure


class PackageList(unittest.TestCase):
    def test_every_line_has_a_section_and_a_reason(self):
        lines = [l for l in (ROOT / "installers" / "packages.txt").read_text().splitlines() if l.strip() and not l.startswith("#")]
        for line in lines:
            self.assertRegex(line, r"^[a-z0-9+.-]+ +(build|desktop|runtime|recommended|test) +# \S.{8,}$")
        names = [line.split()[0] for line in lines]
        self.assertEqual(len(names), len(set(names)), "a package is listed twice")

    def test_debian_knows_every_name(self):
        need("apt-cache")
        status, text = run("apt-cache", "show", "--no-all-versions", *packages())
        known = set(re.findall(r"^Package: (\S+)$", text, re.M))
        if len(known) < 5:
            self.skipTest("apt has no package lists here")
        self.assertEqual(set(packages()) - known, set())

    def test_readme_explains_every_library(self):
        readme = (ROOT / "README.md").read_text()
        for name in packages("build", "desktop"):
            self.assertIn(f"`{name}`", readme)


class HeaderOwners(unittest.TestCase):
    """Every header outside the tree that a translation unit read belongs to a listed package or what it depends on."""

    def test_headers(self):
        need("dpkg", "dpkg-query", "ninja")
        if not (BUILD / ".ninja_deps").exists():
            self.skipTest("this build was not made by Ninja")
        status, text = run("ninja", "-C", BUILD, "-t", "deps")
        headers = sorted({line.strip() for line in text.splitlines() if line.startswith("    /usr/")})
        self.assertGreater(len(headers), 300)
        owners = {}
        for start in range(0, len(headers), 400):
            batch = headers[start:start + 400]
            status, text = run("dpkg", "-S", *batch)
            for line in text.splitlines():
                names, separator, path = line.partition(": /")
                if separator:
                    owners["/" + path] = {n.split(":")[0] for n in names.split(", ")}
        nobody = [h for h in headers if h not in owners]
        self.assertEqual(nobody, [], "headers that no package owns")
        closure = dependency_closure(packages("build", "desktop", "test"))
        unlisted = {h: sorted(owners[h]) for h in headers if not owners[h] & closure}
        self.assertEqual(unlisted, {}, "headers of packages that installers/packages.txt does not bring")

    def test_an_unlisted_header_would_be_found(self):
        need("dpkg-query")
        closure = dependency_closure(packages("build"))
        self.assertTrue(any(name.startswith("libstdc++-") for name in closure))
        self.assertNotIn("qt6-charts-dev", closure)

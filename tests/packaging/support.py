"""What the packaging tests share: where things are, and how to skip when a tool is missing."""

import os
import pathlib
import shutil
import subprocess
import unittest

ROOT = pathlib.Path(os.environ.get("RIDGEPOINT_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[2]))
BUILD = pathlib.Path(os.environ.get("RIDGEPOINT_BUILD_DIR", ROOT / "build" / "release"))
CMAKE = os.environ.get("RIDGEPOINT_CMAKE", "cmake")
VERSION = os.environ.get("RIDGEPOINT_VERSION", "")
SANITIZED = os.environ.get("RIDGEPOINT_SANITIZE") == "1"
CLI = os.environ.get("RIDGEPOINT_CLI_PROGRAM")
DESKTOP = os.environ.get("RIDGEPOINT_PROGRAM")

LINUX = ROOT / "resources" / "linux"
APP_ID = "org.ridgepoint.Ridgepoint"
MIME_TYPE = "application/vnd.ridgepoint.plan+json"
PREFIX = BUILD / "tests" / "packaging" / "prefix"
EXAMPLE = "llama-3.1-405b-pretrain-p5en.ridgepoint"


def need(*tools):
    """Skips the test unless every tool is there."""
    for tool in tools:
        if shutil.which(tool) is None:
            raise unittest.SkipTest(f"{tool} is not installed; see installers/packages.txt")


def run(*command, timeout=240, **options):
    """Runs a program; its two outputs come back as one text."""
    options.setdefault("stdin", subprocess.DEVNULL)
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          timeout=timeout, **options)
    return done.returncode, done.stdout.decode("utf-8", "replace")


def clean_environment(**extra):
    """No display, nobody's settings, and no pointer to the source tree's specs."""
    kept = {k: v for k, v in os.environ.items()
            if k not in ("DISPLAY", "WAYLAND_DISPLAY", "RIDGEPOINT_SPECS", "QT_QPA_PLATFORM", "XDG_CONFIG_HOME")}
    return kept | {"XDG_CONFIG_HOME": "/nonexistent", "QT_QPA_PLATFORM": "offscreen"} | extra


def packages(*sections):
    """name -> reason, of some sections of installers/packages.txt; of all without an argument."""
    found = {}
    for line in (ROOT / "installers" / "packages.txt").read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            words, _, reason = line.partition("#")
            name, section = words.split()
            if not sections or section in sections:
                found[name] = reason.strip()
    return found

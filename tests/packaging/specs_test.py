"""The catalogue as files, read by something other than the engine: strict JSON, one id per document."""

import json
import os
import tempfile
import unittest

from support import CLI, ROOT, clean_environment, run

SPECS = ROOT / "specs"


def strict(pairs):
    keys = [key for key, _ in pairs]
    twice = {key for key in keys if keys.count(key) > 1}
    if twice:
        raise ValueError(f"keys given twice: {sorted(twice)}")
    return dict(pairs)


def no_constant(name):
    raise ValueError(f"{name} is not JSON")


class Specs(unittest.TestCase):
    def documents(self):
        files = sorted(p for p in SPECS.rglob("*") if p.suffix in (".json", ".ridgepoint"))
        self.assertGreaterEqual(len(files), 60)
        return files

    def test_every_file_is_strict_json(self):
        for file in self.documents():
            with self.subTest(file=str(file.relative_to(ROOT))):
                raw = file.read_bytes()
                self.assertFalse(raw.startswith(b"\xef\xbb\xbf"), "byte order mark")
                self.assertNotIn(b"\r", raw)
                self.assertTrue(raw.endswith(b"\n"))
                json.loads(raw.decode("utf-8"), object_pairs_hook=strict, parse_constant=no_constant)

    def test_nothing_else_lies_in_the_catalogue(self):
        # What lies in specs/ is installed.
        odd = [str(p.relative_to(SPECS)) for p in SPECS.rglob("*")
               if p.is_file() and p.suffix not in (".json", ".ridgepoint", ".md")]
        self.assertEqual(odd, [])

    def test_a_document_bears_the_name_of_its_file(self):
        for folder in ("accelerators", "instances", "fabrics", "storage", "models"):
            seen = {}
            for file in sorted((SPECS / folder).glob("*.json")):
                document = json.loads(file.read_text())
                for spec in document if isinstance(document, list) else [document]:
                    if "id" in spec:
                        self.assertNotIn(spec["id"], seen, f"{file.name} and {seen.get(spec['id'])}")
                        seen[spec["id"]] = file.name
            self.assertTrue(seen, folder)

    def test_the_engine_finds_the_catalogue_sound(self):
        if not CLI or not os.path.exists(CLI):
            self.skipTest("ridgepoint-cli is not built")
        status, text = run(CLI, "specs", "check", env=clean_environment(RIDGEPOINT_SPECS=str(SPECS)))
        self.assertEqual(status, 0, text)

    def test_the_documented_instance_is_one_file_and_no_code(self):
        if not CLI or not os.path.exists(CLI):
            self.skipTest("ridgepoint-cli is not built")
        text = (ROOT / "docs" / "specs.md").read_text()
        block = text.split("<!-- example:")[1].split("```json\n")[1].split("```")[0]
        spec = json.loads(block, object_pairs_hook=strict)
        with tempfile.TemporaryDirectory() as settings:
            folder = os.path.join(settings, "ridgepoint", "specs", "instances")
            os.makedirs(folder)
            with open(os.path.join(folder, f"{spec['id']}.json"), "w", encoding="utf-8") as file:
                file.write(block)
            environment = clean_environment(RIDGEPOINT_SPECS=str(SPECS), XDG_CONFIG_HOME=settings)
            status, said = run(CLI, "specs", "show", spec["id"], env=environment)
            self.assertEqual(status, 0, said)
            self.assertIn(spec["name"], said)

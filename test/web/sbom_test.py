#!/usr/bin/python3
"""/server/sbom.cdx.json of the stack, and what scripts/tools/bill-of-materials tells of the build that has the stack, against
CycloneDX's own schema and library: sbom_test.py STACK_FOLDER TOOLS_FOLDER"""

import hashlib
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import urllib.parse
import zipfile

import jsonschema

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "test" / "support"))

from seed import generator, rounds  # noqa: E402  (found by the line above)
from stack import Stack  # noqa: E402

SCHEMAS = "node_modules/@cyclonedx/cyclonedx-library/res/schema"
SELECTIONS = ["", "?optimized=1", "?plugins=afk-watch,map-clock,privet&optimized=1", "?components=amber-platform-1-9,hearth-loader,forge-gamedll",
              "?components=forge-gamedll"]

# Prints for each document of a list null, or what is wrong.
VALIDATE = """
const library = require('@cyclonedx/cyclonedx-library');
const validator = new library.Validation.JsonStrictValidator(library.Spec.Version.v1dot6);
const given = JSON.parse(require('fs').readFileSync(0));
Promise.all(given.map((each) => validator.validate(JSON.stringify(each)))).then((all) => console.log(JSON.stringify(all)));
"""


class BillOfMaterials(unittest.TestCase):
    stack = None
    tools = None

    def validator(self):
        folder = self.tools / SCHEMAS
        schemas = {name: json.loads((folder / f"{name}.SNAPSHOT.schema.json").read_text(encoding="utf-8"))
                   for name in ("bom-1.6", "spdx", "jsf-0.82")}
        schema = schemas["bom-1.6"]
        # They refer to each other by the names of the files.
        store = {urllib.parse.urljoin(schema["$id"], f"{name}.SNAPSHOT.schema.json"): each for name, each in schemas.items()}
        resolver = jsonschema.RefResolver(schema["$id"], schema, store=store)
        return jsonschema.Draft7Validator(schema, resolver=resolver, format_checker=jsonschema.draft7_format_checker)

    def document(self, selection):
        status, headers, body = self.stack.get("/server/sbom.cdx.json" + selection)
        self.assertEqual(status, 200, body[:500])
        return json.loads(body), headers["X-Svc-Build-Hash"]

    def test_bills_of_materials_of_servers_are_valid(self):
        validator = self.validator()
        for selection in SELECTIONS:
            with self.subTest(selection=selection):
                document, _ = self.document(selection)
                self.assertEqual([error.message for error in validator.iter_errors(document)], [])

    def test_the_schema_is_one_that_can_fail(self):
        document, _ = self.document("")
        for name, value in (("specVersion", 1.6), ("serialNumber", "urn:uuid:x"), ("nothing", 1)):
            self.assertFalse(self.validator().is_valid({**document, name: value}), name)
        document["components"][0]["licenses"] = [{"license": {"id": "Not-A-License"}}]
        self.assertFalse(self.validator().is_valid(document))

    def bill_of_the_build(self, copyright_file):
        """(exit code, output, errors)"""
        build = pathlib.Path(self.stack.folder).resolve().parents[1]
        done = subprocess.run([ROOT / "scripts/tools/bill-of-materials", build, "1.2.3", copyright_file], check=False, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        return done.returncode, done.stdout, done.stderr

    def test_the_bill_of_materials_of_the_package_is_valid(self):
        code, said, errors = self.bill_of_the_build(ROOT / "scripts/deb/copyright")
        self.assertEqual(code, 0, errors)
        bill = json.loads(said)
        self.assertEqual([error.message for error in self.validator().iter_errors(bill)], [])
        done = subprocess.run(["node", "-e", VALIDATE], input=json.dumps([bill]), cwd=self.tools, check=True,
                              stdout=subprocess.PIPE, text=True)
        self.assertEqual(json.loads(done.stdout), [None])
        licenses = [each["licenses"][0]["expression"] for each in bill["components"]]
        # It throws at what SPDX does not know.
        program = f"{json.dumps(licenses)}.forEach((each) => require('spdx-expression-parse')(each))"
        subprocess.run(["node", "-e", program], env={**os.environ, "NODE_PATH": "/usr/share/nodejs"}, check=True)
        refs = {each["bom-ref"] for each in [bill["metadata"]["component"], *bill["components"]]}
        self.assertEqual({each for line in bill["dependencies"] for each in [line["ref"], *line["dependsOn"]]}, refs)

    def test_that_of_the_package_fails_without_a_license(self):
        text = (ROOT / "scripts/deb/copyright").read_text(encoding="utf-8")
        with tempfile.NamedTemporaryFile("w", encoding="utf-8") as file:
            file.write(text.replace("third-party/zlib/", "third-party/zlib-ng/"))
            file.flush()
            code, said, errors = self.bill_of_the_build(pathlib.Path(file.name))
        self.assertEqual((code, said), (1, ""))
        self.assertIn("no license is known of zlib (zlib1g-dev: ", errors)

    def random_selections(self, random):
        """Those of a number that are possible."""
        components = [each["slug"] for each in self.stack.json("/v1/server-builder/meta")["components"]]
        plugins = [each["slug"] for each in self.stack.json("/v1/plugins?per_page=100")["plugins"]]
        for _ in range(rounds(40)):
            chosen = {"components": ",".join(random.sample(components, random.randint(0, 4))),
                      "plugins": ",".join(random.sample(plugins, random.randint(0, 4))), "optimized": random.choice("01")}
            selection = "?" + urllib.parse.urlencode(chosen)
            status, _, body = self.stack.get("/server/sbom.cdx.json" + selection)
            self.assertIn(status, (200, 422), selection)
            if status == 200:
                yield selection, json.loads(body)

    def test_random_ones_are_valid_for_the_library_of_cyclonedx(self):
        selections = list(self.random_selections(generator()))
        self.assertGreater(len(selections), 1)
        documents = [document for _, document in selections] + [{**selections[0][1], "nothing": 1}]
        done = subprocess.run(["node", "-e", VALIDATE], input=json.dumps(documents), cwd=self.tools, check=True,
                              stdout=subprocess.PIPE, text=True)
        *answers, of_the_wrong_one = json.loads(done.stdout)
        self.assertEqual([(selection, answer) for (selection, _), answer in zip(selections, answers) if answer], [])
        self.assertTrue(of_the_wrong_one)
        print(f"{len(selections)} documents are valid")

    def test_every_file_of_the_archive_is_in_it_with_its_digest(self):
        selection = SELECTIONS[2]
        document, build_hash = self.document(selection)
        listed = {file["name"]: file["hashes"][0]["content"]
                  for component in document["components"] for file in component.get("components", [])}
        status, headers, body = self.stack.get("/v1/server-builder/download" + selection)
        self.assertEqual((status, headers["X-Svc-Build-Hash"]), (200, build_hash))
        with zipfile.ZipFile(io.BytesIO(body)) as archive:
            found = {name: hashlib.sha256(archive.read(name)).hexdigest() for name in archive.namelist()}
        self.assertEqual(listed, found)

    def test_references_are_unique(self):
        document, _ = self.document(SELECTIONS[2])
        refs = [each["bom-ref"] for component in document["components"]
                for each in [component, *component.get("components", [])]]
        self.assertEqual(len(refs), len(set(refs)))
        self.assertEqual(document["dependencies"][0]["dependsOn"], [each["bom-ref"] for each in document["components"]])


if __name__ == "__main__":
    BillOfMaterials.stack, BillOfMaterials.tools = Stack(sys.argv.pop(1)), pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()

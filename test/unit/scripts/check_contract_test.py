"""scripts/tools/check-contract on source trees that are wrong in one way each."""

import pathlib
import subprocess
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[3] / "scripts" / "tools" / "check-contract"
API = """# The API

## Access keys

Counted as R2 says.
"""
CONTRACT = """# The contract

### R1. Order

### R2. Methods

### S1. Tokens

### S1a. Versions

### S3. Validation
"""


def check(files):
    """The exit code and the lines printed for a tree of these files."""
    with tempfile.TemporaryDirectory(prefix="goldsmith contract ") as folder:
        for name, text in {"handlers/API.md": API, **files}.items():
            if text is None:
                continue
            path = pathlib.Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text if isinstance(text, bytes) else text.encode())
        done = subprocess.run([SCRIPT, folder], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout.splitlines()


def check_source(text, name="app/base/file.cpp"):
    return check({"handlers/CONTRACT.md": CONTRACT, name: text})


class CheckContract(unittest.TestCase):
    def assert_refused(self, text, line, expected):
        code, lines = check_source(text)
        self.assertEqual((code, len(lines)), (1, 1), (text, lines))
        self.assertTrue(lines[0].startswith(f"app/base/file.cpp:{line}: "), lines)
        self.assertIn(expected, lines[0])

    def assert_accepted(self, text):
        self.assertEqual(check_source(text), (0, []), text)

    def test_rules_that_exist_are_accepted(self):
        self.assert_accepted(
            "// In order (decision R1), as decisions R1, R2 and S1a say; see also (R1, S3).\n"
            "# decisions R1 to R2\n"
        )

    def test_a_rule_that_does_not_exist_is_refused_where_it_is_cited(self):
        self.assert_refused("int a;\n// (decision R3)\n", 2, "no rule R3")
        self.assert_refused("// Decision S1b says so.\n", 1, "no rule S1b")
        self.assert_refused("// decision Q1\n", 1, "no rule Q1")
        self.assert_refused("int a;\n\n// Whatever (R1, O9).\n", 3, "no rule O9")

    def test_every_rule_of_a_list_is_looked_up(self):
        self.assert_refused("// decisions R1, R3\n", 1, "no rule R3")
        self.assert_refused("// decisions R1 and S2\n", 1, "no rule S2")
        self.assert_refused("// decisions R1, R2,\n// S4\n", 2, "no rule S4")
        self.assert_refused("# (decision\n# R7)\n", 2, "no rule R7")

    def test_a_range_names_every_rule_in_it(self):
        self.assert_refused("// decisions S1 to S3\n", 1, "no rule S2")
        self.assert_refused("// decisions S1-S3\n", 1, "no rule S2")

    def test_sections_are_looked_up_too(self):
        self.assert_accepted('// (API.md, "Access keys" and "The API")\n// API.md, "Access\n// keys"\n// CONTRACT.md, "The contract"\n')
        self.assert_refused('// (API.md, "Limits")\n', 1, 'handlers/API.md has no section "Limits"')
        self.assert_refused('// API.md,\n// "Access keys" and\n// "Limits"\n', 3, 'no section "Limits"')
        self.assert_refused('// (CONTRACT.md, "Access keys")\n', 1, 'handlers/CONTRACT.md has no section "Access keys"')

    def test_a_citation_that_names_no_part_of_the_contract_is_refused(self):
        self.assert_refused("// Counted (spec, Limits).\n", 1, "names no part of the contract")
        self.assert_refused("// as decisions.md has it\n", 1, "names no part of the contract")

    def test_what_merely_resembles_a_citation_is_accepted(self):
        self.assert_accepted("// The decision is theirs. f(-O1); \"sha1\"; a(P); special, (X9)\n")

    def test_every_folder_and_kind_of_file_is_read(self):
        for name in ("db/a.sql", "nginx/a.conf", "systemd/a.md", "scripts/a", "test/http/cases/a.case"):
            code, lines = check_source("# decision R9\n", name)
            self.assertEqual((code, lines), (1, [f"{name}:1: handlers/CONTRACT.md has no rule R9"]))

    def test_a_file_that_is_not_text_is_passed_over(self):
        self.assert_accepted("")
        self.assertEqual(check_source(b"\xff\xfe decision R9\n", "test/fixtures/a.bin"), (0, []))

    def test_the_contract_cites_itself_and_defines_a_rule_once(self):
        code, lines = check({"handlers/CONTRACT.md": CONTRACT + "\nAs S9 says.\n\n### R1. Again\n\n[x](#nowhere)\n"})
        self.assertEqual(code, 1)
        self.assertEqual(
            [line.removeprefix("handlers/CONTRACT.md:") for line in lines],
            [
                "13: handlers/CONTRACT.md has no rule S9",
                "15: R1 is defined twice",
                "17: no heading has the anchor #nowhere",
            ],
        )
        self.assertEqual(check({"handlers/CONTRACT.md": CONTRACT + "\n[x](API.md#access-keys), [y](#s1a-versions)\n"}), (0, []))

    def test_the_description_of_the_api_cites_rules_and_links_both_pages(self):
        page = API + "\nAs R1 says: [x](#access-keys), [y](CONTRACT.md#r1-order).\n"
        self.assertEqual(check({"handlers/CONTRACT.md": CONTRACT, "handlers/API.md": page}), (0, []))
        page += "\nAs R9 says: [x](#r1-order), [y](CONTRACT.md#access-keys).\n"
        code, lines = check({"handlers/CONTRACT.md": CONTRACT, "handlers/API.md": page})
        self.assertEqual((code, lines), (1, ["handlers/API.md:9: handlers/CONTRACT.md has no rule R9",
                                             "handlers/API.md:9: no heading has the anchor #r1-order",
                                             "handlers/API.md:9: no heading has the anchor CONTRACT.md#access-keys"]))

    def test_a_tree_without_the_contract_is_a_usage_error(self):
        self.assertEqual(check({"app/a.cpp": "// decision R1\n"}), (2, []))
        self.assertEqual(check({"handlers/CONTRACT.md": CONTRACT, "handlers/API.md": None}), (2, []))

    def test_a_page_names_tests_that_exist(self):
        page = "Shown by `test/unit/a_test.cpp` and `test/unit`.\n"
        files = {"handlers/CONTRACT.md": CONTRACT, "systemd/SECURITY.md": page, "test/unit/a_test.cpp": ""}
        self.assertEqual(check(files), (0, []))
        del files["test/unit/a_test.cpp"]
        code, lines = check(files | {"test/unit/b_test.cpp": ""})
        self.assertEqual((code, lines), (1, ["systemd/SECURITY.md:1: test/unit/a_test.cpp does not exist"]))

    def test_lines_of_pages_have_at_most_140_columns(self):
        for name in ["README.md", "systemd/A.md"]:
            files = {"handlers/CONTRACT.md": CONTRACT, name: "é" * 140 + "\n"}
            self.assertEqual(check(files), (0, []))
            self.assertEqual(check(files | {name: "x\n" + "é" * 141 + "\n"}), (1, [f"{name}:2: has more than 140 columns"]))


if __name__ == "__main__":
    unittest.main()

"""scripts/bench and the options of its programs; no benchmark runs."""

import pathlib
import re
import subprocess
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[3] / "scripts" / "bench"
NAMES = ["archive", "compile", "download", "facts", "fairness", "flood", "history", "http", "import", "keeper", "log", "month",
         "names", "starts", "update", "worst"]


def bench(*arguments):
    """(exit code, output, errors)"""
    done = subprocess.run([SCRIPT, *arguments], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


class Bench(unittest.TestCase):
    def test_the_help_lists_every_benchmark_with_a_line(self):
        code, output, _ = bench("--help")
        self.assertEqual((code, re.findall(r"(?m)^  ([a-z]+) +[A-Z].*[a-z]$", output)), (0, NAMES))

    def test_each_bench_explains_its_options(self):
        for name in NAMES:
            with self.subTest(name):
                code, output, _ = bench(name, "--help")
                self.assertEqual(code, 0)
                self.assertIn(f"usage: scripts/bench {name} ", output)

    def test_what_is_wrong_is_named_before_anything_is_built(self):
        for arguments, message in (
            (["nothing"], "unknown benchmark: nothing"),
            (["../bench"], "usage:"),
            ([], "usage:"),
            (["log", "--size", "3"], "unrecognized arguments: --size 3"),
            (["log", "--rows"], "argument --rows: expected one argument"),
            (["log", "--rows", "999"], "argument --rows: '999' is not a number from 1000 to 99999999"),
            (["log", "--folder", "/nonexistent"], "'/nonexistent' is not a folder"),
            (["http", "--only", "["], "'[' is not a regular expression"),
            (["http", "--plugins", "1000", "9"], "'9' is not a number from 10 to 999999"),
            (["fairness", "--only", "az"], "'az' has letters other than abc"),
        ):
            with self.subTest(arguments):
                code, output, errors = bench(*arguments)
                self.assertEqual((code, output), (2, ""))
                self.assertIn(message, errors)


if __name__ == "__main__":
    unittest.main()

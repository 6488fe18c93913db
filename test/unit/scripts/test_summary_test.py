#!/usr/bin/env python3
"""Tests of scripts/tools/test-summary."""

import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]

RESULTS = """<testsuite>
  <testcase name="unit_base" time="0.5" status="run"/>
  <testcase name="end_to_end" time="31.25" status="run"/>
  <testcase name="unexplained" time="6" status="run"/>
  <testcase name="unsteady" time="1" status="fail"><failure/></testcase>
  <testcase name="cluster" time="0" status="notrun"><skipped message="SKIP_RETURN_CODE=77"/><system-out>no Galera</system-out></testcase>
</testsuite>"""


class Summary(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.results = pathlib.Path(folder.name, "release")
        self.results.mkdir()
        (self.results / "tests.xml").write_text(RESULTS, encoding="utf-8")

    def summary(self, *options):
        done = subprocess.run([ROOT / "scripts/tools/test-summary", *options, self.results], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout.splitlines()

    def test_what_failed_and_was_skipped_is_named_and_the_last_line_counts(self):
        self.assertEqual(self.summary(), (1, ["skipped: cluster: no Galera", "failed: unsteady", "3 passed, 1 failed"]))

    def test_what_passes_alone_is_named_and_no_failure(self):
        (self.results / "tests.again.xml").write_text('<testsuite><testcase name="unsteady" status="run"/></testsuite>', encoding="utf-8")
        status, lines = self.summary()
        self.assertEqual((status, lines[0], lines[-1]),
                         (0, "passed only when it was run again, alone: unsteady (release)", "4 passed, 0 failed"))

    def test_the_slowest_come_with_steps_and_reasons(self):
        (self.results.parent / "steps").write_text("     41 s  Building (release)\n", encoding="utf-8")
        lines = self.summary("--slowest")[1]
        self.assertIn("     41 s  Building (release)", lines)
        self.assertTrue(lines[3].startswith("   31.2 s  end_to_end (release): ") and "make it quicker" not in lines[3], lines[3])
        self.assertEqual(lines[4], "    6.0 s  unexplained (release): make it quicker, or say why in test/slow_tests.txt")
        self.assertFalse([line for line in lines if "unit_base" in line])

    def test_a_folder_without_results_is_a_failure(self):
        (self.results / "tests.xml").unlink()
        self.assertEqual(self.summary(), (1, [f"failed: no results in {self.results}", "0 passed, 1 failed"]))


if __name__ == "__main__":
    unittest.main()

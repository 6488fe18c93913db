#!/usr/bin/env python3
"""Hostile sources through the whole service: hostile_compiles.py BUILD_FOLDER

Two hundred downloads at once, good plugins among sources that crash, hang, spin, flood or grow. The stand-in
compiler misbehaves as a source's `#pragma standin` asks it to."""

import concurrent.futures
import json
import os
import random
import shutil
import subprocess
import sys
import time
import unittest

from running_stack import Stack

STACK = SCRATCH = None
# Processor time ends what spins (P13); the wall clock is only the net below it.
CPU_SECONDS = 1
WALL_CLOCK_MS = 20_000
HELLO = '#include <amxmodx>\npublic plugin_init() {\n  register_plugin("Hello", "1.0", "tests");\n}\n'
# What each source makes the compiler do, and what its download has to say in the end.
HOSTILE = {
    "crash": "The compiler crashed (SIGSEGV)",
    "fatal": "cannot read from file",
    "spin": "of processor time.",
    "spam": "messages.",
    "flood": "its output is larger than",
    "memory": "of memory.",
    "files": "sees 13 new files",
    "look": "error 900: sees /job",
}
PATHS_OF_THE_HOST = [b"/tmp/", b"/home/", b"/root/", b"/etc/", b"goldsmith-"]


def setUpModule():
    shutil.rmtree(SCRATCH, ignore_errors=True)
    os.makedirs(SCRATCH)
    os.environ["TMPDIR"] = SCRATCH  # the workers' own: what they leave there is theirs
    STACK.up()
    with open(os.path.join(STACK.folder, "etc", "goldsmith.conf"), "a", encoding="ascii") as file:
        file.write(f"compile.cpu_seconds = {CPU_SECONDS}\ncompile.wall_clock_ms = {WALL_CLOCK_MS}\ncompile.binary_mb = 2\n")
    STACK.run("replace")
    folders = [make_plugin(hook, f"#pragma standin {hook}\n{HELLO}") for hook in [*HOSTILE, "fork"]]
    STACK.run("goldsmith", "plugin", "import", make_plugin("good", HELLO), *folders)


def tearDownModule():
    STACK.run("down")


def make_plugin(name, source):
    folder = os.path.join(STACK.folder, "hostile", name)
    os.makedirs(folder)
    with open(os.path.join(folder, "a.sma"), "w", encoding="utf-8") as file:
        file.write(source)
    manifest = {"slug": f"hostile-{name}", "name": name, "category": "tests", "status": "published", "toolchain": "1.9",
                "versions": [{"version": "1.0", "files": [
                    {"path": "a.sma", "install_dir": "addons/amxmodx/scripting"}]}]}
    with open(os.path.join(folder, "plugin.json"), "w", encoding="utf-8") as file:
        json.dump(manifest, file)
    return folder


def download(name):
    return name, STACK.get(f"/v1/plugins/hostile-{name}/download/1.0")


def most_descriptors():
    return max(len(os.listdir(f"/proc/{pid}/fd")) for pid in STACK.worker_pids("build"))


def compilers():
    """Processes that run a compiler of this stack, or its sandbox."""
    found = subprocess.run(["pgrep", "-af", STACK.toolchains], stdout=subprocess.PIPE, text=True, check=False)
    return [line for line in found.stdout.splitlines() if "amxxpc" in line]


class TwoHundredAtOnce(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        download("good")  # what a worker opens for good is open by now
        cls.descriptors = most_descriptors()
        names = ["good"] * 150 + list(HOSTILE) * 5 + ["crash"] * 5
        random.Random(1).shuffle(names)
        with concurrent.futures.ThreadPoolExecutor(len(names)) as pool:
            downloads = pool.map(download, names)
            cls.reads = [STACK.get("/v1/plugins").status for _ in range(100)]
            cls.answers = list(downloads)
        cls.log = json.loads(STACK.run("goldsmith", "log", "downloads", "--limit", "1000", "--json"))

    def test_every_good_plugin_is_compiled_to_the_same_bytes(self):
        good = [answer for name, answer in self.answers if name == "good"]
        self.assertEqual({answer.status for answer in good}, {200})
        self.assertEqual(len({answer.body for answer in good}), 1)

    def test_every_hostile_source_is_rejected_with_its_reason_or_told_to_come_back(self):
        hostile = [(name, answer) for name, answer in self.answers if name != "good"]
        for _, answer in hostile:
            if answer.status == 429:  # half of the workers had sources that were never compiled (P15)
                self.assertEqual(json.loads(answer.body)["error"], "rate_limited")
        judged = [(name, answer) for name, answer in hostile if answer.status != 429]
        self.assertGreater(len(judged), 0)
        for name, answer in judged + [download(name) for name in HOSTILE]:
            self.assertEqual(answer.status, 422, f"{name}: {answer.text()[:300]}")
            body = json.loads(answer.body)
            self.assertEqual(body["error"], "compile_failed")
            # Where two hundred take each other's time, pages of memory may cost more of it than there is.
            if name != "memory" or "of processor time." not in body["output"]:
                self.assertIn(HOSTILE[name], body["output"], name)
            for path in PATHS_OF_THE_HOST:
                self.assertNotIn(path, answer.body, name)

    def test_a_refused_system_call_is_no_verdict_and_concerns_its_own_request_alone(self):
        for _ in range(2):  # nothing is remembered
            _, answer = download("fork")
            self.assertEqual((answer.status, json.loads(answer.body)["error"]), (502, "compiler_unavailable"))
        self.assertEqual(download("good")[1].status, 200)

    def test_reads_go_on_meanwhile(self):
        self.assertEqual(set(self.reads), {200})

    def test_each_hostile_compile_is_logged_once(self):
        rows = [row for row in self.log if row["slug"].startswith("hostile-")]
        self.assertEqual(len(rows), len(self.answers) + 1)
        self.assertLessEqual({row["result"] for row in rows}, {"ok", "compile_failed", "rate_limited"})
        refused = [answer for _, answer in self.answers if answer.status == 429]
        self.assertEqual([row["result"] for row in rows].count("rate_limited"), len(refused))

    def test_none_outlives_its_time_by_a_second(self):
        longest = max(row["compile_milliseconds"] for row in self.log)
        self.assertLess(longest, 1000 * (CPU_SECONDS + 20))

    def test_nothing_is_left_behind(self):
        # A worker closes its connection a moment after the client has everything.
        deadline = time.monotonic() + 10
        while most_descriptors() > self.descriptors and time.monotonic() < deadline:
            time.sleep(0.05)
        self.assertLessEqual(most_descriptors(), self.descriptors)
        self.assertEqual(compilers(), [])
        with open(f"/proc/{STACK.worker_pids('build')[0]}/environ", "rb") as file:
            self.assertIn(f"TMPDIR={SCRATCH}".encode(), file.read().split(b"\0"))
        self.assertEqual(os.listdir(SCRATCH), [])


class TooLarge(unittest.TestCase):
    def test_a_source_of_fifty_megabytes_is_refused_at_its_import(self):
        folder = make_plugin("large", HELLO + "// nothing\n" * (50 << 20 >> 4))
        with self.assertRaisesRegex(RuntimeError, r"a\.sma.*1 MiB|a\.sma.*1048576"):
            STACK.run("goldsmith", "plugin", "import", folder)
        self.assertEqual(STACK.get("/v1/plugins/hostile-large").status, 404)


def main():
    global STACK, SCRATCH
    build = os.path.abspath(sys.argv[1])
    STACK = Stack(os.path.join(build, "test-stacks", "hostile-compiles"), os.path.join(build, "bin"),
                  os.path.join(build, "toolchain"))
    SCRATCH = os.path.join(build, "test-stacks", "hostile-compiles-scratch")
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[2:]])


main()

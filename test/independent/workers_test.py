#!/usr/bin/env python3
"""Processes that share the files of workers, some of which are killed, add up: workers_test.py PROBE

Each writes what it begins and what came of it. What a killed process had begun may have happened or not; all else
must have."""

import collections
import hashlib
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from shared import generator, rounds

PROBE = None
RANDOM = None
SLOTS = {"0": 2, "1": 1}  # as in the probe
MINUTE = 100  # milliseconds, likewise
BUMPS, TAKES, CROWD = 1000, 50, 2000  # a step, likewise
TABLE = 2**17  # windows that the file has room for
Step = collections.namedtuple("Step", "words begun outcome ended")


def limit(subject):
    return 3000 * (int(subject) + 1)


def steps(log, killed):
    """What a process did. A step that it did not end has no outcome, and ended when it was killed."""
    # A kill can't cut a line short: each is one write.
    lines = [(float(line.split()[0]), line.split()[1:]) for line in log.read_text(encoding="utf-8").splitlines()]
    done, begun = [], None
    for when, words in lines:
        if begun is None:
            begun = when, words
        elif words[0] == "held":
            done.append(Step(begun[1], begun[0], words, when))
            begun = when, ["holding", begun[1][1]]
        else:
            done.append(Step(begun[1], begun[0], words, when))
            begun = None
    if begun is not None:
        assert killed, f"{log}: a step without an end"
        done.append(Step(begun[1], begun[0], None, killed))
    return done


class Workers(unittest.TestCase):
    options = []
    lost = 0  # counts of a window that may go to another one
    uses_up = True  # some windows

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(dir="/dev/shm")
        cls.addClassCleanup(cls.folder.cleanup)
        cls.steps, cls.kills = [], 0
        for _ in range(rounds(1)):
            cls.run_workers(pathlib.Path(cls.folder.name))
        text = subprocess.run([PROBE, cls.folder.name], stdout=subprocess.PIPE, check=True, text=True).stdout
        cls.found = dict(line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))
        print(f"{len(cls.steps)} steps, {cls.kills} processes killed, {len(cls.of())} of them at work")

    @classmethod
    def run_workers(cls, folder):
        """Four at a time: twelve that are killed after a random moment, the creation of the files included, and then four
        that end by themselves."""
        logs, running = [], []

        def start(turns):
            log = folder / f"log{time.monotonic_ns()}"
            log.touch()
            running.append((log, subprocess.Popen([PROBE, folder, log, str(RANDOM.randrange(2**31)), str(turns), *cls.options])))

        for _ in range(4):
            start(10**9)
        for kill in range(12):
            time.sleep(RANDOM.choice([0.005, 0.05, 0.1]) * RANDOM.random() * 2)
            log, process = running.pop(RANDOM.randrange(4) if kill < 8 else 0)
            process.send_signal(signal.SIGKILL)
            process.wait()
            logs.append((log, time.monotonic() * 1000))
            start(10**9 if kill < 8 else 1500)
        for log, process in running:
            try:
                process.wait(timeout=120)
            finally:
                process.kill()
            if process.returncode != 0:
                raise AssertionError(f"a probe ended with {process.returncode}")
            logs.append((log, None))
        cls.kills += 12
        for log, killed in logs:
            cls.steps += steps(log, killed)

    @classmethod
    def of(cls, name=None):
        """The steps with that name, or those that a kill ended."""
        return [step for step in cls.steps if (step.words[0] == name if name else step.outcome is None)]

    def assert_count(self, found, certain, possible, what):
        self.assertTrue(certain <= found <= certain + possible, f"{what}: {found}, of {certain} and perhaps {possible} more")

    def check_sum(self, key, of, kind, each=1):
        cut_short = sum(step.outcome is None for step in of)
        self.assert_count(int(self.found[key]), each * (len(of) - cut_short), each * cut_short, kind)

    def test_no_increment_is_lost_and_none_is_made_up(self):
        bumps = self.of("bump")
        self.check_sum("generation", bumps, "generation", BUMPS)
        self.check_sum("downloads", bumps, "downloads", BUMPS)

    def test_no_count_of_a_metric_is_lost_and_no_series_is_torn(self):
        by_route = collections.defaultdict(list)
        for step in self.of("count"):
            by_route[step.words[1]].append(step)
        self.assertGreater(len(by_route), 10)
        for route, of in by_route.items():
            # The series of a step that was cut short may not have begun.
            for key in ('requests_total{route="%s",status="200"}', 'request_duration_seconds_count{route="%s"}',
                        'request_duration_seconds_bucket{route="%s",le="+Inf"}'):
                self.found.setdefault("goldsmith_" + key % route, "0")
                self.check_sum("goldsmith_" + key % route, of, key % route)
        routes = {match[1] for key in self.found if (match := re.search(r'route="([^"]*)"', key))}
        self.assertEqual(routes - set(by_route), set())
        self.assertEqual(self.found["workers"], "0")

    def test_no_more_than_the_limit_hold_slots_and_none_is_leaked(self):
        self.assertGreater(len(self.of("holding")), 20)
        for row, count in SLOTS.items():
            edges = []
            for step in self.of("holding"):
                if step.words[1] == row:
                    # A killed one held its slot for an unknown time, from the moment when it was sure of it.
                    edges += [(step.begun, 1), (step.ended if step.outcome else step.begun, -1)]
            held = most = 0
            for _, change in sorted(edges):
                held += change
                most = max(most, held)
            self.assertLessEqual(most, count)
            self.assertEqual(self.found[f"free {row}"], str(count))

    def test_what_is_remembered_of_a_compile_is_what_one_process_wrote(self):
        written = {(step.words[1], step.words[2]) for step in self.of("remember")}
        found = [step for step in self.of("recall") if step.outcome and step.outcome[0] == "found"]
        self.assertGreater(len(found), 20)
        for step in found:
            text, digest = step.outcome[1:]
            self.assertIn((step.words[1], text), written)
            whole = f"{text}\n" * (1 + int(text.rsplit(":", 1)[1]) % 300)
            # What is longer than a compilation's output is cut, which no text here is.
            self.assertEqual(hashlib.sha256(whole.encode()).hexdigest(), digest)

    def test_a_window_lets_as_many_pass_as_its_limit_says(self):
        windows = collections.defaultdict(list)
        stalled = collections.defaultdict(set)
        for step in self.of("take"):
            subject, minute = step.words[1], int(step.words[2])
            last = int(step.ended) // MINUTE
            windows[subject, minute].append(step)
            # One that is late may count in the next window. One that stood still for longer counts as one whose clock is
            # wrong, and nobody has such a clock for minutes.
            if last > minute:
                stalled[subject] |= set(range(minute, last + 2))
        exact = reached = 0
        for (subject, minute), of in windows.items():
            taken = [int(word) for step in of if step.outcome for word in step.outcome[1:]]
            granted = [count for count in taken if count > 0]
            if minute in stalled[subject]:
                continue
            exact += 1
            self.assertLessEqual(len(granted) - len(set(granted)), self.lost, f"{subject} {minute}: some had the same count")
            self.assertLessEqual(max(granted, default=0), limit(subject))
            cut_short = sum(step.outcome is None for step in of)
            refused = {-count for count in taken if count < 0}
            self.assertLessEqual(refused, {limit(subject)})
            reached += bool(refused)
            counted = limit(subject) if refused else max(granted, default=0)
            self.assert_count(counted, len(set(granted)), TAKES * cut_short, f"{subject} {minute}")
        print(f"{exact} of {len(windows)} windows counted exactly, {reached} of them used up")
        self.assertGreater(exact, 0)
        self.assertTrue(reached or not self.uses_up, "no limit was reached")


class FullTable(Workers):
    """Windows that end later than those of a crowd of callers stay. In the moment when a window begins, its place may be
    taken by one of the crowd, and with it what each process counts just then."""

    options = ["crowded"]
    lost = 4
    uses_up = False  # where the crowd takes most of the time

    def test_the_table_was_full(self):
        self.assertGreater(CROWD * len(self.of("crowd")), 3 * TABLE)


if __name__ == "__main__":
    PROBE, RANDOM = sys.argv.pop(1), generator()
    unittest.main()

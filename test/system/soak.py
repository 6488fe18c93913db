#!/usr/bin/env python3
"""A host at work for a long time: soak.py BUILD_FOLDER

For TEST_MINUTES minutes (60) clients read, search, look at pages, download, resolve and fetch archives with ranges,
while the operator imports, mirrors, prunes and checks. What the processes hold (memory, descriptors, threads, temporary
files, shared memory, connections and statements of the database) must not grow, and answers must not become slower."""

import collections
import itertools
import json
import os
import random
import re
import statistics
import sys
import time
import unittest
import urllib.parse
import zipfile

from counted_load import BackgroundLoad
from running_stack import ROOT

sys.path.insert(0, os.path.join(ROOT, "test", "bench"))

from measuring import BenchStack, Connection, percentile, write_plugin  # noqa: E402  (found by the line above)

SECONDS = float(os.environ.get("TEST_MINUTES", "60")) * 60
WARM_UP = 0.3  # of the time: until caches are full and each worker has done everything once
SAMPLES = 60
IMPORTED = 20  # plugins
SEED = 27
RATE = 60  # requests a second of a client: a million in an hour, and a part of the machine for what else it does
SLUGS = ["afk-watch", "map-clock", "frag-streak", "money-floor", "lucky-dice"]
WORDS = ["afk", "clock", "round", "vote", "map", "chat", "кот", "grenade", "night", "x", "soak", "watch"]
SELECTIONS = ["components=anvil-engine", "components=anvil-engine,forge-gamedll", "plugins=afk-watch,map-clock", "optimized=1"]
PAGES = ["/", "/plugins", "/plugins/afk-watch", "/addons", "/server", "/docs", "/licenses", "/plugins?search=vote"]
READS = ["/v1/meta", "/v1/addons", "/v1/server-builder/meta", *(f"/v1/plugins/{slug}" for slug in SLUGS)]
# What may be gained from the end of the warm-up to the end: a part of it, or a number.
LIMITS = {"memory of the workers for reads, KB": (0.03, 3072), "memory of the build workers, KB": (0.03, 6144),
          "memory of nginx, KB": (0.05, 3072), "descriptors": (0.02, 6), "threads": (0, 1), "temporary files": (0, 2),
          "shared memory, KB": (0, 64), "connections of the database": (0, 2), "prepared statements": (0.05, 20)}

Answer = collections.namedtuple("Answer", "kind ended milliseconds")


class Clients(BackgroundLoad):
    """One client for each kind of request, two for reads. Each keeps its connection, and ends with the first answer that
    is wrong."""

    def __init__(self, stack):
        kinds = [self.read, self.read, self.page, self.download, self.resolve, self.archive]
        super().__init__([(kind,) for kind in kinds])
        self.stack, self.failures = stack, []
        self.versions = {slug: stack.get_json(f"/v1/plugins/{slug}")["plugin"]["versions"][0]["version"] for slug in SLUGS}
        self.archives = {each: stack.get("/v1/server-builder/download?" + each).body for each in SELECTIONS}

    def run(self, number, *job):
        dice, connection, began = random.Random(SEED + number), Connection(self.stack.client), time.monotonic()
        try:
            for turn in itertools.count():
                if self.stopped.wait(max(0.0, began + turn / RATE - time.monotonic())):
                    break
                # The web server limits the requests of an address, and keeps memory for each.
                address = {"X-Forwarded-For": f"10.0.{number}.{dice.randrange(256)}"}
                job[0](lambda target, **headers: self.ask(connection, job[0].__name__, target, address | headers), dice)
        except Exception as error:  # pylint: disable=broad-except  # whatever it is, the request failed
            self.failures.append(repr(error)[:500])
        connection.connection.close()

    def ask(self, connection, kind, target, headers):
        status, body, milliseconds = connection.get(target, headers)
        self.answers.append(Answer(kind, time.monotonic(), milliseconds))
        assert status == (206 if "Range" in headers else 200), (target, headers, status, body[:300])
        return body

    @staticmethod
    def read(ask, dice):
        search = f"/v1/plugins?search={urllib.parse.quote(dice.choice(WORDS))}"
        page = f"/v1/plugins?page_n={dice.randrange(1, 9)}&per_page={dice.randrange(1, 40)}"
        assert json.loads(ask(dice.choice([search, page, dice.choice(READS)])))["status"]

    @staticmethod
    def page(ask, dice):
        assert ask(dice.choice(PAGES)).rstrip().endswith(b"</html>")

    def download(self, ask, dice):
        slug, (kind, start) = dice.choice(SLUGS), dice.choice([("sma", b""), ("zip", b"PK"), ("amxx", b"XXMA")])
        assert ask(f"/v1/plugins/{slug}/download/{self.versions[slug]}?kind={kind}").startswith(start)

    @staticmethod
    def resolve(ask, dice):
        assert json.loads(ask("/v1/server-builder/resolve?" + dice.choice(SELECTIONS)))["status"]

    def archive(self, ask, dice):
        selection = dice.choice(SELECTIONS)
        whole, target = self.archives[selection], "/v1/server-builder/download?" + selection
        first, last = sorted(dice.randrange(len(whole)) for _ in range(2))
        assert ask(target, Range=f"bytes={first}-{last}") == whole[first:last + 1], (target, first, last)
        assert ask(target) == whole, target


class Operator(BackgroundLoad):
    """Changes the directory and the catalog, and looks after caches and the log, all the time."""

    def __init__(self, stack, pause):
        super().__init__([()])
        self.stack, self.pause, self.folder, self.failures = stack, pause, stack.path("operator"), []
        os.makedirs(self.folder)
        with open(os.path.join(self.folder, "pack.json"), "w", encoding="ascii") as file:
            json.dump({"slug": "soak-pack", "name": "Soak Pack", "layer": "content"}, file)
        stack.goldsmith("component", "import", os.path.join(self.folder, "pack.json"))

    def run(self, number, *job):
        for turn in itertools.count(1):
            for act in (self.import_plugins, self.mirror, self.look_after):
                try:
                    act(turn)
                except (RuntimeError, OSError) as error:
                    self.failures.append(str(error))
                self.answers.append(act.__name__)
                if self.stopped.wait(self.pause):
                    return

    def import_plugins(self, turn):
        folders = [os.path.join(self.folder, f"soak-{each}") for each in range(IMPORTED)]
        for folder in folders:
            write_plugin(folder, os.path.basename(folder), f"public plugin_init() {{ }} // {turn}\n", "1.9")
        self.stack.goldsmith("plugin", "import", *folders)

    def mirror(self, turn):
        archive = os.path.join(self.folder, "release.zip")
        with zipfile.ZipFile(archive, "w") as file:
            file.writestr("cstrike/maps/soak.txt", f"{turn}\n" * 100_000)
        self.stack.goldsmith("component", "mirror", "soak-pack", "--version", f"1.{turn}", "--released-at", "2026-01-01",
                             "--archive", archive)
        self.stack.goldsmith("component", "prune", "soak-pack", "--keep", "1")

    def look_after(self, _turn):
        self.stack.goldsmith("plugin", "check", "soak-1")
        self.stack.goldsmith("depot", "verify")
        self.stack.goldsmith("depot", "collect")
        self.stack.goldsmith("log", "prune")
        self.stack.empty_cache()


def status_of(pid, name):
    with open(f"/proc/{pid}/status", encoding="utf-8") as file:
        return int(re.search(rf"^{name}:\s+(\d+)", file.read(), re.MULTILINE).group(1))


class Gauges:
    """Of one stack; `scratch` is the folder for temporary files of its workers."""

    def __init__(self, stack, scratch):
        self.stack, self.scratch = stack, scratch

    def sample(self):
        """The names are those of LIMITS."""
        pools = {name: self.stack.processes(name)[1:] for name in ("api", "build", "nginx")}
        workers = pools["api"] + pools["build"]
        database = dict(line.split("\t") for line in self.stack.run(
            "sql", "SHOW GLOBAL STATUS WHERE Variable_name IN ('Threads_connected', 'Prepared_stmt_count')").splitlines())
        return dict(zip(LIMITS, [
            *(sum(status_of(pid, "VmRSS") for pid in pools[name]) for name in ("api", "build")),
            sum(status_of(pid, "RssAnon") for pid in pools["nginx"]),  # its zones are shared, and of a fixed size
            sum(len(os.listdir(f"/proc/{pid}/fd")) for pid in workers),
            sum(status_of(pid, "Threads") for pid in workers), len(self.temporary_files()), self.shared_memory(),
            int(database["Threads_connected"]), int(database["Prepared_stmt_count"])]))

    def shared_memory(self):
        files = [each for each in os.scandir(os.path.realpath(os.path.join(self.stack.folder, "run"))) if each.is_file()]
        return sum(each.stat().st_blocks // 2 for each in files)

    def temporary_files(self):
        """Those of a moment come and go; the slope of their number counts."""
        parts = [name for folder in ("cache/archives", "cache/artefacts", "depot")
                 for name in os.listdir(os.path.join(self.stack.folder, folder))
                 if name.endswith(".part") or name.startswith(".") and name not in (".lock", ".verified", ".damaged")]
        return parts + os.listdir(self.scratch)


def gained(samples, name):
    """From the first to the last, by the straight line that fits best."""
    times, values = [time for time, _ in samples], [values[name] for _, values in samples]
    return statistics.linear_regression(times, values).slope * (times[-1] - times[0])


class Soak(unittest.TestCase):
    build = ""

    @classmethod
    def setUpClass(cls):
        stack = BenchStack(cls.build, os.path.join(cls.build, "toolchain"))
        cls.addClassCleanup(stack.stop)
        scratch = stack.path("scratch")
        os.mkdir(scratch)
        os.chmod(scratch, 0o1777)
        for pool in ("api", "build"):
            stack.run("pool", pool, "stop")
            stack.run("pool", pool, "start", TMPDIR=scratch)
        stack.configure("trusted_proxies = 127.0.0.1")
        gauges, workers = Gauges(stack, scratch), stack.worker_pids("api") + stack.worker_pids("build")
        cls.began, cls.samples = time.monotonic(), []
        with Clients(stack) as cls.clients, Operator(stack, min(5, SECONDS / 30)) as cls.operator:
            for number in range(SAMPLES):
                time.sleep(max(0, cls.began + SECONDS * (number + 1) / SAMPLES - time.monotonic()))
                cls.samples.append((time.monotonic() - cls.began, gauges.sample()))
        cls.are_same = workers == stack.worker_pids("api") + stack.worker_pids("build")
        cls.left = gauges.temporary_files()

    def test_nothing_failed(self):
        print(f"\n{len(self.clients.answers)} requests in {SECONDS:.0f} s, {len(self.operator.answers)} acts of the operator")
        self.assertEqual((self.clients.failures, self.operator.failures), ([], []))
        self.assertGreater(len(self.operator.answers), 5)
        self.assertTrue(self.are_same, "workers ended")
        self.assertEqual(self.left, [], "temporary files are left")

    def test_nothing_grows(self):
        samples = self.samples[int(SAMPLES * WARM_UP):]
        grown = []
        print(f"\n{'':40} {'at first':>10} {'mean':>10} {'gained':>8} {'allowed':>8}")
        for name, (part, number) in LIMITS.items():
            values = [values[name] for _, values in samples]
            gain, allowed = gained(samples, name), max(part * statistics.mean(values), number)
            print(f"{name:40} {self.samples[0][1][name]:10} {statistics.mean(values):10.0f} {gain:8.1f} {allowed:8.1f}")
            if gain > allowed:
                grown.append((name, values))
        self.assertEqual(grown, [])

    def test_answers_are_as_quick_at_the_end(self):
        slower = []
        print(f"\n{'':12} {'requests':>8} {'p50':>8} {'p99 then':>9} {'p99 now':>9}   (milliseconds)")
        for kind in ("read", "page", "download", "resolve", "archive"):
            then, now = (sorted(each.milliseconds for each in self.clients.answers
                                if each.kind == kind and start <= (each.ended - self.began) / SECONDS < start + 0.3)
                         for start in (WARM_UP, 0.7))
            before, after = percentile(then, 99), percentile(now, 99)
            print(f"{kind:12} {len(then) + len(now):8} {statistics.median(then + now):8.1f} {before:9.1f} {after:9.1f}")
            if after > 1.5 * before + 100:
                slower.append(kind)
        self.assertEqual(slower, [])


if __name__ == "__main__":
    Soak.build = os.path.abspath(sys.argv[1])
    unittest.main(argv=sys.argv[:1])

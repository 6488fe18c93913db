"""What the benchmarks share: a stack of their own, plugins for it, callers, percentiles, targets."""

import http.client
import itertools
import json
import os
import re
import shutil
import ssl
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import zipfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "system"))

from running_stack import (  # noqa: E402, F401  (found by the line above; three for others)
    ROOT, Stack, busy_processes, numbers, with_children)

SITE_WIDE_LIMITS = ("compile_flood_per_minute", "build_flood_per_minute")
CALLER_LIMITS = ("anonymous_per_minute", "anonymous_per_day", "compiles_per_hour", "builds_per_hour")
# One of the sample data; its platform has a compiler of 1.9.
SERVER = "anvil-engine,forge-gamedll,hearth-loader,amber-platform-1-9"
WORDS = ["knife", "grenade", "radar", "ghost", "jackpot", "ladder", "medic", "sniper", "vote", "zombie"]
# Their words are more alike than those of public plugins: three letters of one are in four times as many of the others.
SYLLABLES = [onset + rest for onset in "b ch d f g h k l m n p qu r s t v w z".split() for rest in ("a", "er", "o")]
SYLLABLES_OF_A_WORD = 3
LIBRARIES = ["reapi", "fakemeta", "hamsandwich", "cstrike", "engine", "fun", "nvault", "sqlx"]
VOCABULARY = len(SYLLABLES) ** SYLLABLES_OF_A_WORD


def percentile(ordered, percent):
    return ordered[min(len(ordered) - 1, len(ordered) * percent // 100)]


def load():
    with open("/proc/loadavg", encoding="ascii") as file:
        return "load " + file.read().split()[0]


def is_stand_in(toolchains, line):
    """True if the compiler is that of the tests, which is faster than the real ones."""
    with open(os.path.join(toolchains, line, "include", "amxmodx_version.inc"), encoding="utf-8") as file:
        return "stand-in" in file.read()


class Targets:
    """Prints PASS or FAIL for each, and counts those that were missed."""

    def __init__(self):
        self.missed = 0

    def check(self, text, met):
        self.missed += not met
        print(f"  {'PASS' if met else 'FAIL'}  {text}", flush=True)


class BenchStack(Stack):
    """In a folder of its own, which stop() removes. None of its limits can be reached."""

    def __init__(self, build, toolchains):
        self.parent = tempfile.TemporaryDirectory(prefix="goldsmith-bench-")
        os.chmod(self.parent.name, 0o755)
        super().__init__(os.path.join(self.parent.name, "stack"), os.path.join(build, "bin"), toolchains)
        self.up()
        self.configure()
        self.set_limits(SITE_WIDE_LIMITS + CALLER_LIMITS, 10_000_000)

    def configure(self, *lines):
        """Lines of the configuration, instead of those of the last call."""
        self.run("configure", "log.requests = notable", *lines)  # the default; stacks for tests log all

    def set_limits(self, names, value):
        for name in names:
            self.goldsmith("setting", "set", name, str(value))

    def reset_limits(self, names):
        """To the defaults."""
        listed = ", ".join(f"'{name}'" for name in names)
        self.run("sql", f"DELETE FROM goldsmith.settings WHERE name IN ({listed})")
        self.run("replace")

    def goldsmith_in(self, folder, *words):
        """The operator's command in a folder of path(); returns what it printed."""
        done = subprocess.run([os.path.join(self.folder, "commands", "goldsmith"), *words], cwd=self.path(folder),
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              check=False)
        if done.returncode != 0:
            sys.exit(f"goldsmith {' '.join(words)[:200]}: {done.stdout[-1000:]}")
        return done.stdout

    @staticmethod
    def limits_of_big_component(megabytes):
        """Lines of the configuration. The cache holds three of its archives."""
        return [f"mirror.unpacked_mb = {megabytes + 64}", f"cache.archives_mb = {3 * megabytes + 1024}"]

    def import_big_component(self, megabytes):
        """Called big, with files that can't be compressed."""
        folder = self.path("big")
        os.mkdir(folder)
        archive, manifest = os.path.join(folder, "big.zip"), os.path.join(folder, "big.json")
        with zipfile.ZipFile(archive, "w") as file:
            for number in range((megabytes + 63) // 64):
                file.writestr(f"cstrike/maps/big-{number}.bsp", os.urandom(min(64, megabytes - 64 * number) << 20))
        with open(manifest, "w", encoding="ascii") as file:
            json.dump({"slug": "big", "name": "Big", "layer": "content", "selectable": True}, file)
        self.goldsmith("component", "import", manifest)
        self.goldsmith("component", "mirror", "big", "--version", "1.0", "--archive", archive,
                       "--released-at", "2026-01-01")
        shutil.rmtree(folder)

    def set_build_workers(self, count):
        with open(os.path.join(self.folder, "settings"), "a", encoding="ascii") as file:
            file.write(f"build_workers={count}\n")
        self.run("replace")

    def largest_worker_mb(self):
        """The memory of the largest worker."""
        most = 0
        for pid in self.worker_pids("api") + self.worker_pids("build"):
            with open(f"/proc/{pid}/status", encoding="utf-8") as file:
                most = max(most, int(re.search(r"VmRSS:\s+(\d+)", file.read()).group(1)) // 1024)
        return most

    def path(self, name):
        return os.path.join(self.parent.name, name)

    def stop(self):
        self.run("stop")
        self.parent.cleanup()


def measured(bench):
    """Lets a benchmark measure, ends its stack, and says whether it missed a target."""
    try:
        bench.measure()
    finally:
        bench.stack.stop()
    return bench.targets.missed > 0


def write_plugin(folder, slug, source, line, name=None, category="bench"):
    """A folder that `goldsmith plugin import` reads."""
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "p.sma"), "w", encoding="ascii") as file:
        file.write(source)
    manifest = {"slug": slug, "name": name or slug, "category": category, "status": "published",
                "tags": ["bench"], "toolchain": line, "versions": [
                    {"version": "1.0", "created_at": "2026-01-01", "files": [
                        {"path": "p.sma", "install_dir": "addons/amxmodx/scripting"}]}]}
    with open(os.path.join(folder, "plugin.json"), "w", encoding="ascii") as file:
        json.dump(manifest, file)


def logging_source(note):
    """A small plugin. `note` makes it one that no other plugin has."""
    lines = "".join(f'  log_amx("{note} line {each}")\n' for each in range(60))
    return f"#include <amxmodx>\npublic plugin_init() {{\n{lines}}}\n"


def word_of(rank):
    """That of fill_directory() with this rank, from 1 to VOCABULARY, among the most frequent ones."""
    return "".join(SYLLABLES[rank // len(SYLLABLES) ** each % len(SYLLABLES)] for each in range(SYLLABLES_OF_A_WORD))


def drawn_word(random):
    """As frequent as the texts of fill_directory() have it."""
    return word_of(int(VOCABULARY ** random.random()))


def sql_word(number):
    """An expression: a word of the row, drawn by Zipf's law."""
    rank = f"FLOOR(POW({VOCABULARY}, CRC32(CONCAT(seq, ' {number}')) / 4294967296))"
    names = ", ".join(f"'{each}'" for each in SYLLABLES)
    return "CONCAT(" + ", ".join(
        f"ELT(1 + {rank} DIV {len(SYLLABLES) ** each} % {len(SYLLABLES)}, {names})" for each in range(SYLLABLES_OF_A_WORD)) + ")"


def sql_names(first, count):
    """Names of cvars or commands, as in the column `about`."""
    return ", ',', ".join(f"'{{\"name\":\"amx_', {sql_word(number)}, '_', {sql_word(number + 1)}, '\"}}'"
                         for number in range(first, first + 2 * count, 2))


def fill_directory(stack, plugins):
    """Rows straight into the tables: importing 100,000 folders would measure the disk. No files."""
    word = "ELT(1 + seq % 10, " + ", ".join(f"'{each}'" for each in WORDS) + ")"
    summary = ", ".join(sql_word(number) for number in range(1, 11))
    stack.run("sql", f"""USE goldsmith;
DELETE FROM plugins WHERE slug LIKE 'bench-%';
DELETE FROM plugin_counters WHERE slug LIKE 'bench-%';
INSERT INTO plugins (slug, name, category, author, license, original_url, toolchain, status, rating_sum,
  rating_count, downloads, latest_version, search_text, updated_at, summary, about)
SELECT CONCAT('bench-', seq), CONCAT('Bench ', {word}, ' ', seq), CONCAT('bench-', seq % 20), CONCAT('Author ', seq % 5000),
  'GPL-3.0', '', '1.9', 'published', seq % 50, 10, seq * 7919 % 100003, '1.0',
  CONCAT('bench ', {word}, ' ', seq, CHAR(31), 'tag', seq % 100, CHAR(31)), '2026-01-01 00:00:00',
  CONCAT_WS(' ', {summary}), CONCAT('{{"cvars":[', {sql_names(11, 5)}, '],"commands":[', {sql_names(21, 2)}, ']}}')
FROM {numbers(1, plugins)};
INSERT INTO plugin_counters (slug, downloads) SELECT slug, 0 FROM plugins WHERE slug LIKE 'bench-%';
INSERT INTO plugin_versions (plugin_id, version, created_at, status)
SELECT id, '1.0', '2026-01-01 00:00:00', 'published' FROM plugins WHERE slug LIKE 'bench-%';
ANALYZE TABLE plugins, plugin_counters;""")
    stack.run("replace")  # workers keep what they have read


def fill_needs(stack):
    """Of each plugin of fill_directory(): that it compiles with 1.9, and needs two libraries and 20 of 3,000 natives."""
    toolchains = json.loads(stack.goldsmith("toolchain", "list", "--json"))
    fingerprint = next(each["fingerprint"] for each in toolchains if each["toolchain"] == "1.9")
    names = ", ".join(f"'{each}'" for each in LIBRARIES)
    libraries = [f"ELT(1 + seq DIV {len(LIBRARIES) ** place} % {len(LIBRARIES)}, {names})" for place in range(2)]
    needs = [f"',library:', {each}, ':', {each}" for each in libraries]
    natives = [f"',import:get_thing_', FLOOR(POW(3000, CRC32(CONCAT(seq, ' n{number}')) / 4294967296))" for number in range(20)]
    stack.run("sql", f"""USE goldsmith;
UPDATE plugin_versions v JOIN (SELECT id, CAST(SUBSTRING(slug, 7) AS UNSIGNED) AS seq FROM plugins WHERE slug LIKE 'bench-%') p
ON p.id = v.plugin_id SET v.verdicts = CONCAT('1.9 {fingerprint} ok needs', {", ".join(needs)}, ',natives', {", ".join(natives)});""")
    stack.run("replace")


def pids_with(argument):
    return subprocess.run(["pgrep", "-f", argument], stdout=subprocess.PIPE, text=True, check=True).stdout.split()


def processor_time(pids):
    """Microseconds, of all threads."""
    total = 0
    for pid in pids:
        for task in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{task}/schedstat", encoding="ascii") as file:
                total += int(file.read().split()[0])
    return total / 1000


def send(urls, http1=False, clients=8, streams=10):
    """Sends a request for each URL; returns the milliseconds that each took, in ascending order."""
    protocol = ["--h1"] if http1 else ["-m", str(streams)]
    with tempfile.NamedTemporaryFile("w", suffix=".urls") as list_file, \
            tempfile.NamedTemporaryFile("r", suffix=".log") as log:
        list_file.write("\n".join(urls) + "\n")
        list_file.flush()
        subprocess.run(["h2load", *protocol, "-n", str(len(urls)), "-c", str(clients), "-i", list_file.name,
                        "--log-file", log.name], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
        rows = [line.split() for line in log]
    bad = sorted({row[1] for row in rows if row[1] != "200"})
    if bad or len(rows) != len(urls):
        sys.exit(f"{urls[0]}: of {len(urls)} requests {len(rows)} were answered; beside 200 with {bad}")
    return sorted(int(row[2]) / 1000 for row in rows)


class Connection:
    """One connection that is kept, as a browser's is."""

    def __init__(self, client):
        context = ssl.create_default_context(cafile=client.certificate)
        self.connection = http.client.HTTPSConnection(client.host, client.https_port, context=context, timeout=120)

    def get(self, target, headers=None):
        """(status, body, milliseconds)"""
        start = time.perf_counter()
        self.connection.request("GET", target, headers=headers or {})
        response = self.connection.getresponse()
        body = response.read()
        return response.status, body, (time.perf_counter() - start) * 1000


class Caller:
    """Sends one request again and again from a thread of its own, with a pause after each response."""

    PAUSE_SECONDS = 0.02
    numbers = itertools.count(1)

    def __init__(self, client, name, target, is_right=lambda body: True, from_new_addresses=False):
        self.name, self.target, self.is_right = name, target, is_right
        self.from_new_addresses = from_new_addresses
        self.samples, self.failed, self.stopped = [], [], False  # samples: (time of the request, milliseconds)
        self.connection = Connection(client)
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def headers(self):
        if not self.from_new_addresses:
            return {}
        number = next(Caller.numbers)
        return {"X-Forwarded-For": f"100.64.{number // 256 % 256}.{number % 256}"}

    def run(self):
        while not self.stopped:
            start = time.time()
            try:
                status, body, milliseconds = self.connection.get(self.target, self.headers())
            except (OSError, http.client.HTTPException) as error:
                self.failed.append(repr(error))
                self.connection.connection.close()
                continue
            self.samples.append((start, milliseconds))
            if status != 200 or not self.is_right(body):
                self.failed.append(f"{status}: {body[:200].decode('utf-8', 'replace')}")
            time.sleep(self.PAUSE_SECONDS)

    def stop(self):
        self.stopped = True
        self.thread.join()

    def times(self, between=None):
        """Ascending. `between`: only of requests that overlap with one of these (start, end)."""
        return sorted(milliseconds for start, milliseconds in self.samples if between is None or any(
            start < end and start + milliseconds / 1000 > begin for begin, end in between))


def times_text(times, alone):
    return (f"median {statistics.median(times):8.2f} ms  p95 {percentile(times, 95):8.2f} ms"
            f"  p99 {percentile(times, 99):8.2f} ms  max {times[-1]:8.2f} ms"
            f"  ratio {statistics.median(times) / statistics.median(alone):5.2f}"
            f" / {percentile(times, 95) / percentile(alone, 95):5.2f}")

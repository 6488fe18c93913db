#!/usr/bin/env python3
"""A directory after a month: sizes, indexes, downloads, reads and pruning with 10 million log rows

The downloads of the month are rows that are written straight into the log, in the order of their times. Plugin number
r is drawn with a probability of about 1/r (Zipf's law): a few plugins have most of the downloads, and most have few.
"""

import datetime
import json
import os
import random
import subprocess
import sys
import time
import zipfile

from measuring import (WORDS, BenchStack, Caller, Targets, fill_directory, load, numbers, percentile, processor_time, send)
from options import BUILD, Options

DAYS = 30
CHUNK = 500_000
SOURCE_BYTES = 8000
REQUESTS = 10_000
ARCHIVE_MB = 200
MOST_SEARCH_MS, MOST_READ_MS, MOST_LIST_MS = 8.0, 5.0, 1000
LEAST_SHARE_OF_EMPTY = 0.8
# Statements of the service, with values of this month.
STATEMENTS = (
    ("log downloads", "SELECT time, slug, version, kind, toolchain, caller, result, compile_milliseconds FROM download_log"
     " WHERE time >= '{yesterday}' ORDER BY time DESC, id DESC LIMIT 100", "download_log_time"),
    ("log prune", "SELECT time FROM download_log WHERE time >= '{first}' AND time < '{second}' ORDER BY time"
     " LIMIT 1 OFFSET 1000", "download_log_time"),
    ("count a download", "UPDATE plugin_counters SET downloads = downloads + 1 WHERE slug = 'bench-7'", "PRIMARY"),
    ("a plugin's row", "SELECT id FROM plugins WHERE slug = 'bench-7'", "plugins_slug"),
)


def moment(time_of):
    return time_of.strftime("%Y-%m-%d %H:%M:%S")


class Month:
    def __init__(self, build, plugins, rows):
        self.plugins, self.rows = plugins, rows
        self.random, self.targets = random.Random(1), Targets()
        self.end = datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0)
        self.start = self.end - datetime.timedelta(days=DAYS)
        self.stack = BenchStack(build, os.path.join(build, "toolchain"))
        # As an operator would for a directory of this size; durable at each commit.
        self.sql("SET GLOBAL innodb_buffer_pool_size = 1 << 30; SET GLOBAL innodb_flush_log_at_trx_commit = 1")

    # --- the database ---------------------------------------------------------------------------

    def sql(self, statements):
        """The rows of the last statement that has any, without their header."""
        return [line.split("\t") for line in self.stack.run("sql", "USE goldsmith; " + statements).splitlines()[1:]]

    def fill_directory(self):
        begun = time.perf_counter()
        fill_directory(self.stack, self.plugins)
        self.sql("INSERT INTO plugin_files (version_id, position, filename, install_dir, kind, is_primary, sha1, size_bytes,"
                 " content) SELECT v.id, 0, 'p.sma', 'addons/amxmodx/scripting', 'sma', 1, LEFT(SHA2(p.slug, 256), 40),"
                 f" {SOURCE_BYTES}, LPAD(p.slug, {SOURCE_BYTES}, 'register_clcmd(0x1234);\\n') FROM plugins p JOIN"
                 " plugin_versions v ON v.plugin_id = p.id WHERE p.slug LIKE 'bench-%'")
        self.stack.run("replace")
        print(f"{self.plugins:,} plugins with {SOURCE_BYTES:,} B of source each, in {time.perf_counter() - begun:.0f} s;"
              f" {load()}", flush=True)

    def fill_log(self):
        begun = time.perf_counter()
        for first in range(0, self.rows, CHUNK):
            last = min(self.rows, first + CHUNK) - 1
            self.sql(f"""INSERT INTO download_log
  (time, slug, version, kind, toolchain, caller, result, compile_milliseconds)
SELECT '{moment(self.start)}' + INTERVAL FLOOR(seq * {DAYS * 86400} / {self.rows}) SECOND,
  CONCAT('bench-', FLOOR(POW({self.plugins}, RAND()))), '1.0',
  ELT(1 + seq % 10, 'amxx', 'zip', 'amxx', 'zip', 'amxx', 'sma', 'amxx', 'zip', 'amxx', 'amxx'), '1.9',
  CONCAT_WS('.', 1 + FLOOR(RAND() * 223), FLOOR(RAND() * 256), FLOOR(RAND() * 256), FLOOR(RAND() * 256)),
  IF(seq % 66, 'ok', 'compile_failed'), FLOOR(20 + 60 * RAND())
FROM {numbers(first, last)}""")
        self.sql("UPDATE plugin_counters c JOIN (SELECT slug, COUNT(*) AS downloads FROM download_log WHERE result = 'ok'"
                 " GROUP BY slug) d USING (slug) SET c.downloads = d.downloads; ANALYZE TABLE download_log, plugin_files,"
                 " plugin_counters")
        print(f"{self.rows:,} downloads in {DAYS} days, written in {time.perf_counter() - begun:.0f} s; {load()}", flush=True)

    def show_distribution(self):
        counts = sorted((int(row[0]) for row in self.sql(
            "SELECT downloads FROM plugin_counters WHERE downloads > 0")), reverse=True)
        total = sum(counts)
        print(f"  the first plugin has {100 * counts[0] / total:.1f} % of the downloads, the first 100 have"
              f" {100 * sum(counts[:100]) / total:.0f} %; {len(counts):,} plugins have any", flush=True)

    def show_sizes(self):
        for name, count, data, index in self.sql(
                "SELECT table_name, table_rows, data_length, index_length FROM information_schema.tables WHERE"
                " table_schema = 'goldsmith' ORDER BY data_length + index_length DESC LIMIT 6"):
            print(f"  {name:<18} {int(count):>11,} rows  {int(data) / 1e6:8.1f} MB of rows  {int(index) / 1e6:7.1f} MB of"
                  " other indexes", flush=True)
        folder = self.sql("SELECT @@datadir")[0][0]
        size = int(subprocess.run(["du", "-sb", os.path.join(folder, "goldsmith")], check=True,
                                  stdout=subprocess.PIPE, text=True).stdout.split()[0])
        log = self.sql("SELECT data_length + index_length FROM information_schema.tables WHERE table_schema = 'goldsmith'"
                       " AND table_name = 'download_log'")
        print(f"  files of the database {size / 1e6:,.0f} MB; {int(log[0][0]) / self.rows:.0f} B a row of the log",
              flush=True)

    def show_indexes(self):
        days = [moment(self.start + datetime.timedelta(days=each)) for each in (0, 1, DAYS - 1)]
        for what, statement, index in STATEMENTS:
            row = self.sql("EXPLAIN FORMAT=TRADITIONAL " + statement.format(first=days[0], second=days[1], yesterday=days[2]))[0]
            # MySQL also has the columns "partitions" and "filtered".
            key, rows = (row[6], row[9]) if len(row) == 12 else (row[5], row[8])
            self.targets.check(f"{what}: by the index {key}, {int(rows):,} rows estimated", key == index)

    def statements(self):
        """(statements that were executed, bytes written to the redo log), so far."""
        values = dict(self.sql("SHOW GLOBAL STATUS WHERE Variable_name IN ('Com_stmt_execute', 'Innodb_os_log_written')"))
        return int(values["Com_stmt_execute"]), int(values["Innodb_os_log_written"])

    # --- requests -------------------------------------------------------------------------------

    def plugin(self):
        return f"bench-{int(self.plugins ** self.random.random())}"

    def download(self):
        return f"/v1/plugins/{self.plugin()}/download/1.0?kind=sma"

    def search(self):
        return f"/v1/plugins?q={self.random.choice(WORDS)}+{self.random.randint(1, self.plugins)}"

    def page(self):
        return f"/v1/plugins?page_n={self.random.randint(1, self.plugins // 24)}"

    def detail(self):
        return f"/v1/plugins/{self.plugin()}"

    def measure(self, what, draw, limit=None):
        """Eight clients for the rate, two for the times. Returns requests a second."""
        urls = [self.stack.client.origin + draw() for _ in range(REQUESTS)]
        send(urls[:500])
        before, begun = self.statements(), time.perf_counter()
        send(urls, streams=1)
        rate = REQUESTS / (time.perf_counter() - begun)
        statements, written = (new - old for new, old in zip(self.statements(), before))
        times = send(urls[:1000], clients=2, streams=1)
        p99 = percentile(times, 99)
        size = self.stack.curl("--compressed", "--output", "/dev/null", "--write-out", "%{size_download}", urls[0])
        print(f"  {what:<31} {rate:6.0f}/s  median {percentile(times, 50):6.2f} ms  p99 {p99:6.2f} ms  {size:>6} B;"
              f" database {statements / REQUESTS:.2f} statements, {written / REQUESTS:.0f} B of redo log", flush=True)
        if limit:
            self.targets.check(f"{what}: p99 at most {limit:.0f} ms", p99 <= limit)
        return rate

    def measure_reads(self):
        self.measure("list, random page", self.page, MOST_READ_MS)
        self.measure("detail, heavy-tailed", self.detail, MOST_READ_MS)
        self.measure("search, random", self.search, MOST_SEARCH_MS)
        self.stack.configure("limits.backend = mysql")
        self.measure("detail, limits in database", self.detail)
        self.stack.configure()
        begun = time.perf_counter()
        self.stack.get_json("/v1/plugins?q=" + WORDS[0])
        print(f"  the first search of a new worker {1000 * (time.perf_counter() - begun):.0f} ms; it has"
              f" {self.stack.largest_worker_mb()} MB", flush=True)

    def measure_archive(self):
        """A server archive, built and then from the cache, by one client."""
        upstream = self.stack.path("upstream.zip")
        with zipfile.ZipFile(upstream, "w") as archive:
            for each in range(4):
                archive.writestr(f"release/bin/linux32/noise{each}", os.urandom(ARCHIVE_MB * 1_000_000 // 4))
        self.stack.goldsmith("component", "mirror", "anvil-engine", "--version", "9.9", "--archive", upstream)
        pids = self.stack.processes("nginx")
        for what in ("built", "from the cache"):
            before, begun = processor_time(pids), time.perf_counter()
            self.stack.curl("--fail", "--output", "/dev/null",
                            self.stack.client.origin + "/v1/server-builder/download?components=anvil-engine@9.9")
            seconds = time.perf_counter() - begun
            print(f"  a server archive of {ARCHIVE_MB} MB {what}: {seconds:.2f} s, {ARCHIVE_MB / seconds:.0f} MB/s; nginx"
                  f" {(processor_time(pids) - before) / ARCHIVE_MB / 1000:.2f} s of processor time a GB", flush=True)

    # --- the operator's commands ----------------------------------------------------------------

    def timed(self, *words):
        begun = time.perf_counter()
        said = self.stack.goldsmith(*words)
        return time.perf_counter() - begun, said

    def measure_commands(self):
        yesterday = moment(self.end - datetime.timedelta(days=1))
        seconds, said = self.timed("log", "downloads", "--since", yesterday, "--limit", "1000", "--json")
        print(f"  log downloads --since yesterday --limit 1000: {seconds:.2f} s, {len(json.loads(said))} rows", flush=True)
        self.targets.check(f"it takes at most {MOST_LIST_MS} ms", seconds * 1000 <= MOST_LIST_MS)

    def measure_pruning(self):
        """A day's rows go and the addresses of another day, as each night, beside downloads."""
        alone = self.downloads_beside(lambda: time.sleep(10))
        limits = [f"--log.retention_days={DAYS - 1}", f"--log.address_days={DAYS - 2}"]
        result = []
        beside = self.downloads_beside(lambda: result.append(self.timed("log", "prune", *limits)))
        seconds, said = result[0]
        print(f"  log prune: {seconds:.1f} s; {'; '.join(said.strip().splitlines())}", flush=True)
        print(f"  a download: median {percentile(alone, 50):.2f} ms, p95 {percentile(alone, 95):.2f} ms; beside it median"
              f" {percentile(beside, 50):.2f} ms, p95 {percentile(beside, 95):.2f} ms", flush=True)

    def downloads_beside(self, work):
        caller = Caller(self.stack.client, "sma", "/v1/plugins/bench-1/download/1.0?kind=sma")
        try:
            work()
        finally:
            caller.stop()
        self.targets.check(f"no download fails ({len(caller.samples)} downloads)", not caller.failed)
        return caller.times()

    def run(self):
        self.fill_directory()
        empty = self.measure("download of a source, empty log", self.download)
        self.fill_log()
        self.show_distribution()
        self.show_sizes()
        self.show_indexes()
        full = self.measure("download of a source, full log", self.download)
        self.targets.check(f"downloads are at least {LEAST_SHARE_OF_EMPTY} times as fast as with an empty log"
                           f" ({full / empty:.2f})", full >= LEAST_SHARE_OF_EMPTY * empty)
        self.measure_reads()
        self.measure_archive()
        self.measure_commands()
        self.measure_pruning()


def main():
    options = Options("month", __doc__)
    options.add_plugins(100_000)
    options.add_number("--rows", 10_000_000, "downloads in the month, for which 6 GB must be free in TMPDIR, else /tmp", 1000,
                       99_999_999)
    chosen = options.parse()
    month = Month(BUILD, chosen.plugins, chosen.rows)
    try:
        month.run()
    finally:
        month.stack.stop()
    sys.exit(1 if month.targets.missed else 0)


main()

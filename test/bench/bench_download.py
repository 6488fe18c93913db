#!/usr/bin/env python3
"""Downloads of a cached archive compared with nginx serving the same file

In turns with an nginx that serves the same file from the same page cache to the same client, with the same settings for
the bytes, over HTTP/2 and HTTP/1.1. A row has the throughput and the processor time of the serving side (nginx and
workers) for a gigabyte, and both as ratios to that nginx.

The client is on the same machine, and faster than nginx, so that it waits for each TLS record. Processors are kept from
halting: waking a halted one of a virtual machine costs the server more than a record does, and a client that waited a
tenth of a millisecond longer for the first byte was found halted more often all through the response. That made ranges
look a tenth slower, by their bytes; a client on a network is not woken by the server. What several connections at once
get depends on how nginx's processes happen to share them, and swings by a fifth: those rows have no goal.

What clients ask for: browsers, curl and wget the whole file, and what is missing (`bytes=N-`) when they resume;
download managers (aria2c -x4, axel -n 4) a part for each of several connections at once; a cache with slices, as in
nginx/archives.conf.example, and some launchers pieces of a few megabytes, of which each is waited for.
"""

import json
import os
import random
import re
import shutil
import statistics
import struct
import subprocess
import sys

from measuring import SERVER, BenchStack, Targets, load, processor_time
from options import BUILD, Options
from plain_nginx import PlainNginx

PIECES = (8 << 20, 32 << 20)
PARTS = 4
ROUND = 320 << 20  # bytes of a round, at least
GOAL = 0.95


class AwakeProcessors:
    """While it is open, no processor halts (PM QoS of Linux). Only root may ask for that."""

    def __init__(self):
        self.request = None
        try:
            self.request = os.open("/dev/cpu_dma_latency", os.O_WRONLY)
            os.write(self.request, struct.pack("i", 0))
        except OSError as error:
            print(f"  NOTE  processors may halt, so that ranges look slower than they are: {error}")

    def close(self):
        if self.request is not None:
            os.close(self.request)


class Row:
    """`draw` makes the range for a round: (first, last), or None for the whole file."""

    def __init__(self, name, size, clients, draw):
        self.name, self.size, self.clients, self.draw = name, size, clients, draw
        self.count = clients * max(1, -(-ROUND // (size * clients)))


class Bench:
    def __init__(self, build, megabytes, rounds):
        self.rounds, self.targets, self.random = rounds, Targets(), random.Random(1)
        self.stack = BenchStack(build, os.path.join(build, "toolchain"))
        needed = 6 * megabytes
        if shutil.disk_usage(self.stack.folder).free >> 20 < needed:
            sys.exit(f"{needed} MB of disk are needed. See --size.")
        self.stack.configure(*self.stack.limits_of_big_component(megabytes))
        self.stack.import_big_component(megabytes)
        query = f"components=big,{SERVER}"
        self.url = f"{self.stack.client.origin}/v1/server-builder/download?{query}"
        self.stack.curl("--fail", "-o", "/dev/null", self.url)  # builds it
        self.build_hash = self.stack.get_json(f"/v1/server-builder/resolve?{query}")["build_hash"]
        archive = self.build_hash + ".zip"
        self.bytes = os.path.getsize(os.path.join(self.stack.archives, archive))
        folder = self.stack.path("plain")
        os.mkdir(folder, 0o755)
        self.nginx = PlainNginx(folder, self.stack.client.certificate, "/archives/", f"""
      alias {self.stack.archives}/;
      sendfile on; sendfile_max_chunk 1m; tcp_nopush on; output_buffers 1 128k;""")
        self.plain_url = f"{self.nginx.origin}/archives/{archive}"

    def stop(self):
        self.nginx.stop()
        self.stack.stop()

    def load(self, url, http1, row, headers):
        """Seconds from the first connection to the last byte, as the client says."""
        protocol = ["--h1"] if http1 else ["-m", "1"]
        done = subprocess.run(["h2load", *protocol, "-n", str(row.count), "-c", str(row.clients), *headers, url],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=True)
        finished = re.search(r"^finished in ([\d.]+)(us|ms|s),", done.stdout, re.MULTILINE)
        if f"{row.count} succeeded" not in done.stdout or not finished:
            sys.exit(f"{url}: {done.stdout[-1000:]}")
        return float(finished[1]) * {"us": 1e-6, "ms": 1e-3, "s": 1.0}[finished[2]]

    def cost(self, url, http1, row, headers, pids):
        """(seconds, seconds of the processor)"""
        before = processor_time(pids)
        seconds = self.load(url, http1, row, headers)
        return seconds, (processor_time(pids) - before) / 1e6

    def compare(self, row, http1):
        """In turns, after a warm-up of each; who is first changes."""
        sides = [(self.url, self.stack_pids()), (self.plain_url, self.nginx.pids())]
        samples = [[], []]
        for number in range(-1, self.rounds):
            span = row.draw()
            headers = ["-H", f"Range: bytes={span[0]}-{span[1]}"] if span else []
            for side in (0, 1) if number % 2 else (1, 0):
                url, pids = sides[side]
                sample = self.cost(url, http1, row, headers, pids)
                if number >= 0:
                    samples[side].append(sample)
        self.report(row, "HTTP/1.1" if http1 else "HTTP/2", *samples)

    def report(self, row, protocol, ours, theirs):
        gigabytes = row.count * row.size / 2**30
        speed = gigabytes * 1024 / statistics.median(seconds for seconds, _ in ours)
        milliseconds = statistics.median(processor for _, processor in ours) * 1000 / gigabytes
        ratios = []
        for part in (0, 1):
            each = sorted(plain[part] / own[part] for own, plain in zip(ours, theirs))
            ratios.append((statistics.median(each), each[0], each[-1]))
        time, processor = (f"{middle:.2f} ({low:.2f}–{high:.2f})" for middle, low, high in ratios)
        print(f"  {row.name:<24} {protocol:<8} {speed:5.0f} MB/s  ratio {time}"
              f"  {milliseconds:5.0f} ms of the processor per GB  ratio {processor}", flush=True)
        if row.clients == 1:
            self.targets.check(f"{row.name}, {protocol}: at least {GOAL} of nginx", min(r[0] for r in ratios) >= GOAL)

    def stack_pids(self):
        return self.stack.processes("nginx") + self.stack.worker_pids("build")

    def draw_piece(self, size):
        first = self.random.randrange(self.bytes - size)
        return first, first + size - 1

    def draw_part(self, size):
        first = self.random.randrange(PARTS) * size
        return first, first + size - 1

    def rows(self):
        """Of the clients that the first lines of this file name."""
        half, part = self.bytes // 2, self.bytes // PARTS
        yield Row("whole", self.bytes, 1, lambda: None)
        yield Row(f"whole, {PARTS} at once", self.bytes, PARTS, lambda: None)
        yield Row("resumed in the middle", self.bytes - half, 1, lambda: (half, ""))
        yield Row(f"parts, {PARTS} at once", part, PARTS, lambda: self.draw_part(part))
        for size in (each for each in PIECES if each < self.bytes):
            yield Row(f"pieces of {size >> 20} MB", size, 1, lambda: self.draw_piece(size))

    def measure(self):
        print(f"Cached archive of {self.bytes >> 20} MB, {load()}", flush=True)
        processors = AwakeProcessors()
        for http1 in (False, True):
            for row in self.rows():
                self.compare(row, http1)
        processors.close()
        self.measure_game_clients()

    def measure_game_clients(self):
        """A file of the build over plain HTTP, which nginx sends to a game client no faster than it may. Without a goal."""
        with open(os.path.join(self.stack.folder, "stack.json"), encoding="utf-8") as file:
            url = f"http://127.0.0.1:{json.load(file)['http_port']}/fastdl/{self.build_hash}/maps/big-0.bsp"
        costs = []
        for _ in range(1 + min(3, self.rounds)):
            before = processor_time(self.stack_pids())
            size = int(self.stack.curl("--fail", "--http1.0", "-H", "Host: fastdl.localhost", "-w", "%{size_download}",
                                       "-o", "/dev/null", url))
            costs.append((processor_time(self.stack_pids()) - before) / 1000 / (size / 2**30))
        print(f"  {'a file for game clients':<24} HTTP/1.0 {statistics.median(costs[1:]):5.0f} ms of the processor per GB; "
              f"the first one {costs[0]:.0f}", flush=True)


def main():
    options = Options("download", __doc__)
    options.add_number("--size", 300, "size of the archive; six times as much must be free in TMPDIR, else /tmp", unit="MB")
    options.add_number("--rounds", 45, "rounds of each row; the median of 15 strays by two hundredths")
    chosen = options.parse()
    bench = Bench(BUILD, chosen.size, chosen.rounds)
    try:
        bench.measure()
    finally:
        bench.stop()
    sys.exit(1 if bench.targets.missed else 0)


main()

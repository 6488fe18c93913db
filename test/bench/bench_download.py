#!/usr/bin/env python3
"""Measures downloads of an archive that is in the cache: bench_download.py BUILD_FOLDER MEGABYTES ROUNDS

In turns with an nginx that serves the same file by itself, whole and in ranges, over HTTP/2 and HTTP/1.1. The
ratio is that of the times that the same client needs.
"""

import os
import random
import shutil
import statistics
import subprocess
import sys
import time

from measuring import SERVER, BenchStack, Targets, load
from plain_nginx import PlainNginx

RANGE_BYTES = (8 << 20, 32 << 20)
WHOLE, RANGED = 2, 512 << 20  # requests and bytes of a round
GOAL = 0.95


class Bench:
    def __init__(self, build, megabytes, rounds):
        self.rounds, self.targets, self.random = rounds, Targets(), random.Random(1)
        self.stack = BenchStack(build, os.path.join(build, "toolchain"))
        needed = 6 * megabytes
        if shutil.disk_usage(self.stack.folder).free >> 20 < needed:
            sys.exit(f"{needed} MB of disk are needed. See --size.")
        self.stack.run("configure", *self.stack.limits_of_big_component(megabytes))
        self.stack.import_big_component(megabytes)
        query = f"components=big,{SERVER}"
        self.url = f"{self.stack.client.origin}/v1/server-builder/download?{query}"
        self.stack.curl("--fail", "-o", "/dev/null", self.url)  # builds it
        archive = self.stack.get_json(f"/v1/server-builder/resolve?{query}")["build_hash"] + ".zip"
        self.bytes = os.path.getsize(os.path.join(self.stack.archives, archive))
        folder = self.stack.path("plain")
        os.mkdir(folder, 0o755)
        self.nginx = PlainNginx(folder, self.stack.client.certificate, "/archives/", f"""
      alias {self.stack.archives}/;
      sendfile on; sendfile_max_chunk 1m; tcp_nopush on;""")
        self.plain_url = f"{self.nginx.origin}/archives/{archive}"

    def stop(self):
        self.nginx.stop()
        self.stack.stop()

    def seconds(self, url, http1, count, headers):
        protocol = ["--h1"] if http1 else ["-m", "1"]
        start = time.perf_counter()
        done = subprocess.run(["h2load", *protocol, "-n", str(count), "-c", "1", *headers, url],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=True)
        taken = time.perf_counter() - start
        if f"{count} succeeded" not in done.stdout:
            sys.exit(f"{url}: {done.stdout[-1000:]}")
        return taken

    def draw_range(self, size):
        first = self.random.randrange(self.bytes - size)
        return ["-H", f"Range: bytes={first}-{first + size - 1}"]

    def compare(self, name, http1, count, size, headers):
        self.seconds(self.url, http1, 1, headers())
        self.seconds(self.plain_url, http1, 1, headers())
        ours, theirs = [], []
        for _ in range(self.rounds):
            same = headers()
            ours.append(self.seconds(self.url, http1, count, same))
            theirs.append(self.seconds(self.plain_url, http1, count, same))
        ratios = sorted(plain / own for own, plain in zip(ours, theirs))
        ratio = statistics.median(ratios)
        protocol = "HTTP/1.1" if http1 else "HTTP/2"
        speed = count * size / 2**20 / statistics.median(ours)
        print(f"  {name:<16} {protocol:<8} {speed:7.0f} MB/s  ratio {ratio:.2f} ({ratios[0]:.2f}–{ratios[-1]:.2f})", flush=True)
        self.targets.check(f"{name}, {protocol}: at least {GOAL} of nginx", ratio >= GOAL)

    def measure(self):
        print(f"Cached archive of {self.bytes >> 20} MB, {load()}", flush=True)
        for http1 in (False, True):
            self.compare("whole", http1, WHOLE, self.bytes, lambda: [])
            for size in (each for each in RANGE_BYTES if each < self.bytes):
                self.compare(f"ranges of {size >> 20} MB", http1, RANGED // size, size, lambda: self.draw_range(size))


def main():
    bench = Bench(os.path.abspath(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
    try:
        bench.measure()
    finally:
        bench.stop()
    sys.exit(1 if bench.targets.missed else 0)


main()

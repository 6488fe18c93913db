#!/usr/bin/env python3
"""Measures downloads beside imports: bench_import.py BUILD_FOLDER TOOLCHAINS LINE PLUGINS

A plugin is downloaded, as source and compiled, alone and while a set of many plugins is created, imported again
and changed. The set holds the plugin that is downloaded.
"""

import http.client
import json
import os
import ssl
import statistics
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "system"))

from running_stack import Stack  # noqa: E402  (found by the line above)

MOST_RATIO, ALONE_SECONDS, PAUSE_SECONDS = 2.0, 15, 0.02
KINDS = ("sma", "amxx")


def write_plugin(folder, slug, note):
    os.makedirs(folder, exist_ok=True)
    lines = "".join(f'  log_amx("{slug} {note} line {each}")\n' for each in range(60))
    with open(os.path.join(folder, "p.sma"), "w", encoding="ascii") as file:
        file.write(f'#include <amxmodx>\npublic plugin_init() {{\n{lines}}}\n')
    manifest = {"slug": slug, "name": f"Plugin {slug} {note}", "category": "bench", "status": "published",
                "tags": ["bench", "import"], "toolchain": LINE, "versions": [
                    {"version": "1.0", "created_at": "2026-01-01", "files": [
                        {"path": "p.sma", "install_dir": "addons/amxmodx/scripting"}]}]}
    with open(os.path.join(folder, "plugin.json"), "w", encoding="ascii") as file:
        json.dump(manifest, file)


class Downloader:
    """Downloads one kind again and again, from a connection that is kept; milliseconds of each."""

    def __init__(self, client, kind):
        self.kind, self.times, self.failed, self.stopped = kind, [], [], False
        context = ssl.create_default_context(cafile=client.certificate)
        self.connection = http.client.HTTPSConnection(client.host, client.https_port, context=context, timeout=120)
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def run(self):
        while not self.stopped:
            start = time.perf_counter()
            self.connection.request("GET", f"/v1/plugins/watched/download/1.0?kind={self.kind}")
            response = self.connection.getresponse()
            body = response.read()
            self.times.append((time.perf_counter() - start) * 1000)
            if response.status != 200:
                self.failed.append(f"{response.status}: {body[:200].decode('utf-8', 'replace')}")
            time.sleep(PAUSE_SECONDS)

    def stop(self):
        self.stopped = True
        self.thread.join()


class Bench:
    def __init__(self, build, toolchains, plugins):
        self.missed, self.counted = 0, 0
        self.folder = tempfile.TemporaryDirectory(prefix="goldsmith-bench-")
        os.chmod(self.folder.name, 0o755)
        self.slugs = ["watched"] + [f"p{each}" for each in range(1, plugins)]
        self.stack = Stack(os.path.join(self.folder.name, "stack"), os.path.join(build, "bin"), toolchains)
        self.stack.up()
        for name in ("anonymous_per_minute", "anonymous_per_day", "compiles_per_hour", "compile_flood_per_minute"):
            self.stack.goldsmith("setting", "set", name, "10000000")

    def write(self, slugs, note):
        for slug in slugs:
            write_plugin(os.path.join(self.folder.name, slug), slug, note)

    def import_set(self, slugs):
        """Returns the seconds and the last line."""
        start = time.perf_counter()
        done = subprocess.run([os.path.join(self.stack.folder, "commands", "goldsmith"), "plugin", "import", *slugs],
                              cwd=self.folder.name, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              check=False)
        if done.returncode != 0:
            sys.exit(f"plugin import: {done.stdout[-1000:]}")
        return time.perf_counter() - start, done.stdout.splitlines()[-1]

    def downloads_beside(self, work):
        """({kind: times}, what `work` returned); ends if a download failed."""
        downloaders = [Downloader(self.stack.client, kind) for kind in KINDS]
        try:
            result = work()
        finally:
            for each in downloaders:
                each.stop()
        for each in downloaders:
            self.counted += len(each.times) - len(each.failed)
            self.target(f"no {each.kind} download fails ({len(each.times)} downloads"
                        + (f", the first that failed: {each.failed[0]})" if each.failed else ")"), not each.failed)
        return {each.kind: sorted(each.times) for each in downloaders}, result

    def target(self, text, met):
        self.missed += not met
        print(f"  {'PASS' if met else 'FAIL'}  {text}", flush=True)

    def measure(self):
        self.write(["watched"], "first")
        self.import_set(["watched"])
        print("alone", flush=True)
        self.downloads_beside(lambda: time.sleep(3))  # warm
        alone, _ = self.downloads_beside(lambda: time.sleep(ALONE_SECONDS))
        self.show(alone, alone)
        for what, note in (("created", "second"), ("imported again", "second"), ("changed", "third")):
            self.write(self.slugs, note)
            times, (seconds, said) = self.downloads_beside(lambda: self.import_set(self.slugs))
            print(f"{len(self.slugs):,} plugins {what} in {seconds:.1f} s: {said}", flush=True)
            self.show(times, alone)
            for kind in KINDS:
                ratio = percentile(times[kind], 95) / percentile(alone[kind], 95)
                self.target(f"{kind}: p95 at most {MOST_RATIO:.0f} times that alone ({ratio:.2f})", ratio <= MOST_RATIO)
        shown = self.stack.get_json("/v1/plugins/watched")["plugin"]["downloads"]
        self.target(f"each download is counted ({shown} of {self.counted})", shown == self.counted)

    def show(self, times, alone):
        for kind in KINDS:
            each = times[kind]
            print(f"  {kind:<5} median {statistics.median(each):7.2f} ms  p95 {percentile(each, 95):7.2f} ms"
                  f"  p99 {percentile(each, 99):7.2f} ms  max {each[-1]:7.2f} ms"
                  f"  ratio of medians {statistics.median(each) / statistics.median(alone[kind]):.2f}", flush=True)

    def stop(self):
        self.stack.run("stop")
        self.folder.cleanup()


def percentile(ordered, percent):
    return ordered[min(len(ordered) - 1, len(ordered) * percent // 100)]


BUILD, TOOLCHAINS, LINE, PLUGINS = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])


def main():
    bench = Bench(os.path.abspath(BUILD), os.path.abspath(TOOLCHAINS), PLUGINS)
    try:
        bench.measure()
    finally:
        bench.stop()
    sys.exit(1 if bench.missed else 0)


main()

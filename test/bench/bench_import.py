#!/usr/bin/env python3
"""Downloads alone and beside the import of 20,000 plugins

A plugin is downloaded, as source and compiled, alone and while a set of many plugins is created, imported again
and changed. The set holds the plugin that is downloaded. In the end, the imports are timed without downloads.
"""

import sys
import time

from measuring import BenchStack, Caller, Targets, load, logging_source, percentile, times_text, write_plugin
from options import BUILD, Options

MOST_RATIO, ALONE_SECONDS = 2.0, 15
KINDS = ("sma", "amxx")


class Bench:
    def __init__(self, build, toolchains, line, plugins):
        self.line, self.targets, self.counted = line, Targets(), 0
        self.slugs = ["watched"] + [f"p{each}" for each in range(1, plugins)]
        self.stack = BenchStack(build, toolchains)

    def write(self, slugs, note):
        for slug in slugs:
            write_plugin(self.stack.path(f"set/{slug}"), slug, logging_source(f"{slug} {note}"), self.line,
                         f"Plugin {slug} {note}")

    def import_set(self, slugs):
        """Returns the seconds and the last line."""
        start = time.perf_counter()
        said = self.stack.goldsmith_in("set", "plugin", "import", *slugs)
        return time.perf_counter() - start, said.splitlines()[-1]

    def downloads_beside(self, work):
        """({kind: times}, what `work` returned); a target is missed if a download failed."""
        callers = [Caller(self.stack.client, kind, f"/v1/plugins/watched/download/1.0?kind={kind}") for kind in KINDS]
        try:
            result = work()
        finally:
            for each in callers:
                each.stop()
        for each in callers:
            self.counted += len(each.samples) - len(each.failed)
            self.targets.check(f"no {each.name} download fails ({len(each.samples)} downloads"
                               + (f", the first that failed: {each.failed[0]})" if each.failed else ")"),
                               not each.failed)
        return {each.name: each.times() for each in callers}, result

    def measure(self):
        self.write(["watched"], "first")
        self.import_set(["watched"])
        print(f"alone; ratios: of the medians / of the p95; {load()}", flush=True)
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
                self.targets.check(f"{kind}: p95 at most {MOST_RATIO:.0f} times that alone ({ratio:.2f})",
                                   ratio <= MOST_RATIO)
        for what, note in (("imported again", "third"), ("changed", "fourth")):
            self.write(self.slugs, note)
            seconds, _ = self.import_set(self.slugs)
            print(f"{len(self.slugs):,} plugins {what} without downloads in {seconds:.1f} s", flush=True)
        shown = self.stack.get_json("/v1/plugins/watched")["plugin"]["downloads"]
        self.targets.check(f"each download is counted ({shown} of {self.counted})", shown == self.counted)

    @staticmethod
    def show(times, alone):
        for kind in KINDS:
            print(f"  {kind:<5} {times_text(times[kind], alone[kind])}", flush=True)


def main():
    options = Options("import", __doc__)
    options.add_toolchain()
    options.add_number("--plugins", 20_000, "plugins in the set")
    chosen = options.parse()
    bench = Bench(BUILD, chosen.toolchains, chosen.line, chosen.plugins)
    try:
        bench.measure()
    finally:
        bench.stack.stop()
    sys.exit(1 if bench.targets.missed else 0)


main()

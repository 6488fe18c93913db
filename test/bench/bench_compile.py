#!/usr/bin/env python3
"""A compile bare, sandboxed and through HTTPS; scaling; memory over 10,000 compiles

The same plugin is compiled bare, in the sandbox, and by a request through nginx, in turns; then by several
clients at once; then many times, while the memory and the descriptors of the workers are watched.
"""

import concurrent.futures
import os
import re
import statistics
import subprocess
import sys
import time

from measuring import BenchStack, Connection, Targets, write_plugin
from options import BUILD, Options

MOST_ADDED_MS, LEAST_SCALING, MOST_GROWTH_KB = 15.0, 0.8, 1024
TARGET = "/v1/plugins/bench-compile/download/1.0?amxx="


def source(functions=150):
    """A plugin of a usual size: some hundred lines, arrays, strings, loops, natives."""
    parts = ["#include <amxmodx>\n", "new gCount[33], gNames[33][32]\n",
             'public plugin_init() {\n  register_plugin("Bench", "1.0", "goldsmith")\n']
    parts += [f"  step_{each}({each})\n" for each in range(functions)]
    parts.append("}\n")
    for each in range(functions):
        parts.append(f"""step_{each}(id) {{
  new text[64], total = {each}
  for (new i = 0; i < 32; i++) {{
    if (gCount[i] > id && i != {each % 32}) total += gCount[i] * {each + 1}
    else gCount[i] = total - i
  }}
  formatex(text, charsmax(text), "%d of %s: {each}", total, gNames[{each % 33}])
  return total
}}
""")
    return "".join(parts)


class Driver:
    """The program that compiles bare and sandboxed."""

    def __init__(self, build, toolchains, line, path):
        self.process = subprocess.Popen([os.path.join(build, "bin", "bench_compile"), toolchains, line, path],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def milliseconds(self, how):
        self.process.stdin.write(how + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            sys.exit("bench_compile ended")
        return int(answer) / 1000

    def stop(self):
        self.process.stdin.close()
        self.process.wait()


class Caller(Connection):
    def milliseconds(self, line):
        status, body, taken = self.get(TARGET + line)
        if status != 200:
            sys.exit(f"{status}: {body[:500].decode('utf-8', 'replace')}")
        return taken


class Bench:
    def __init__(self, build, toolchains, line):
        self.line, self.targets = line, Targets()
        self.stack = BenchStack(build, toolchains)
        folder = self.stack.path("plugin")
        write_plugin(folder, "bench-compile", source(), line)
        self.stack.goldsmith("plugin", "import", folder)
        self.stack.set_build_workers(os.cpu_count())  # one compiles one plugin at a time
        self.driver = Driver(build, toolchains, line, os.path.join(folder, "p.sma"))

    def single(self, rounds):
        """In turns, so that the machine's moods hit all three."""
        caller = Caller(self.stack.client)
        ways = {"bare": lambda: self.driver.milliseconds("bare"),
                "sandboxed": lambda: self.driver.milliseconds("sandboxed"),
                "through HTTPS": lambda: caller.milliseconds(self.line)}
        times = {how: [] for how in ways}
        for _ in range(rounds):
            for how, compile_once in ways.items():
                times[how].append(compile_once())
        print(f"one plugin, {rounds} times each, AMX Mod X {self.line}")
        bare = statistics.median(times["bare"])
        for how, each in times.items():
            median = statistics.median(each)
            print(f"  {how:<14} median {median:7.2f} ms  p99 {sorted(each)[len(each) * 99 // 100]:7.2f} ms"
                  f"  added {median - bare:6.2f} ms  ratio {median / bare:.2f}", flush=True)
        added = statistics.median(times["through HTTPS"]) - bare
        self.targets.check(f"at most {MOST_ADDED_MS:.0f} ms over the bare compiler", added <= MOST_ADDED_MS)

    def rate(self, clients, compiles):
        """Compiles a second by so many clients at once."""
        share = compiles // clients
        callers = [Caller(self.stack.client) for _ in range(clients)]
        start = time.perf_counter()
        with concurrent.futures.ThreadPoolExecutor(clients) as pool:
            list(pool.map(lambda caller: [caller.milliseconds(self.line) for _ in range(share)], callers))
        return share * clients / (time.perf_counter() - start)

    def scaling(self, rounds):
        cores = os.cpu_count()
        print(f"clients at once, {cores} processors")
        levels = sorted({1, cores, 2 * cores})
        rates = {clients: [] for clients in levels}
        for _ in range(3):
            for clients in levels:
                rates[clients].append(self.rate(clients, max(rounds, 2 * cores)))
        rates = {clients: statistics.median(each) for clients, each in rates.items()}
        for clients, rate in rates.items():
            print(f"  {clients:>3} clients  {rate:7.1f} compiles/s  {rate / rates[1]:.2f} of one client's",
                  flush=True)
        self.targets.check(f"{cores} clients at least {LEAST_SCALING * cores:.1f} times as fast as one",
                           rates[cores] >= LEAST_SCALING * cores * rates[1])

    def workers(self):
        """(resident kB, descriptors) of the largest worker that compiles."""
        pids = self.stack.worker_pids("build")
        memory = []
        for pid in pids:
            with open(f"/proc/{pid}/status", encoding="utf-8") as file:
                memory.append(int(re.search(r"VmRSS:\s+(\d+)", file.read()).group(1)))
        return max(memory), max(len(os.listdir(f"/proc/{pid}/fd")) for pid in pids)

    def memory(self, compiles):
        clients = 2 * os.cpu_count()
        self.rate(clients, max(compiles // 10, clients))  # what is kept on purpose is kept by now
        before, descriptors = self.workers()
        rate = self.rate(clients, compiles)
        after, left = self.workers()
        print(f"{compiles:,} compiles, {rate:.1f}/s\n  largest worker {before} kB before, {after} kB after;"
              f" {descriptors} descriptors before, {left} after", flush=True)
        self.targets.check(f"a worker grows by less than {MOST_GROWTH_KB} kB", after - before < MOST_GROWTH_KB)
        self.targets.check("no descriptor is lost", left <= descriptors)

    def stop(self):
        self.driver.stop()
        self.stack.stop()


def main():
    options = Options("compile", __doc__)
    options.add_toolchain()
    options.add_number("--rounds", 200, "compiles of each kind")
    options.add_number("--compiles", 10_000, "compiles during which memory is measured")
    chosen = options.parse("all", "bench_compile")
    bench = Bench(BUILD, chosen.toolchains, chosen.line)
    try:
        bench.single(chosen.rounds)
        bench.scaling(chosen.rounds)
        bench.memory(chosen.compiles)
    finally:
        bench.stop()
    sys.exit(1 if bench.targets.missed else 0)


main()

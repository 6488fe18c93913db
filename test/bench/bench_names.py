#!/usr/bin/env python3
"""The index of names: a name looked up compared with a plugin, and what the first one after a check reads

Every plugin of the directory calls natives, and one of forty, as in real ones, has some for others. A row is the
processor time of workers and database for a request, in turns with the other one; the first one of a new worker, with
the first list. Names are of the toolchain's includes, too: --toolchains has real ones."""

import json
import random
import statistics
import sys

from measuring import BenchStack, Connection, Targets, fill_directory, load, measured, pids_with, processor_time
from options import BUILD, Options

NAMES = "/v1/server-builder/names/"
MOST_KEPT, MOST_FIRST, LOOK_UPS = 2.0, 6.0, 400


class Bench:
    def __init__(self, chosen):
        self.chosen, self.targets, self.random = chosen, Targets(), random.Random(1)
        self.stack = BenchStack(BUILD, chosen.toolchains)
        fill_directory(self.stack, chosen.plugins)
        listed = json.loads(self.stack.goldsmith("toolchain", "list", "--json"))
        fingerprint = next(each["fingerprint"] for each in listed if each["toolchain"] == chosen.line)
        self.stack.run("sql", f"""USE goldsmith;
UPDATE plugin_versions v JOIN plugins p ON p.id = v.plugin_id SET v.verdicts = CONCAT(
  '{chosen.line} {fingerprint} ok needs,natives',
  ',import:native_', p.id % 1000, ',import:native_', p.id % 1000 + 1000,
  IF(p.id % 40, '', CONCAT(',offer:own_', p.id, ',offer:shared_', p.id % 100)))
  WHERE p.slug LIKE 'bench-%'""")
        self.stack.run("replace")
        self.pids = (self.stack.worker_pids("api") + self.stack.worker_pids("build") +
                     pids_with(f"(mariadbd|mysqld) .*{self.stack.folder}/"))
        self.connection = Connection(self.stack.client)

    def cost(self, targets):
        """Milliseconds of the processors for each."""
        before = processor_time(self.pids)
        for target in targets:
            status, body, _ = self.connection.get(target)
            if status != 200:
                sys.exit(f"{target}: {status} {body[:500]}")
        return (processor_time(self.pids) - before) / 1000 / len(targets)

    def compare(self, title, own, other, most, change=None):
        times = [[], []]
        for _ in range(self.chosen.rounds):
            for kept, targets in zip(times, (own, other)):
                if change:
                    change()
                kept.append(self.cost(targets()))
        one, two = map(statistics.median, times)
        self.targets.check(f"{title:<54} {one:8.3f} ms, {two:8.3f} ms, ratio {one / two:5.2f} (at most {most:.0f})", one / two <= most)

    def change(self):
        """As a check and a change by an older version of the program do."""
        self.stack.run("sql", "UPDATE goldsmith.revision SET value = value + 1, verdicts = verdicts + 1")
        self.stack.run("replace")
        self.pids = (self.stack.worker_pids("api") + self.stack.worker_pids("build") + self.pids[-1:])

    def plugins(self):
        return [f"/v1/plugins/bench-{self.random.randint(1, self.chosen.plugins)}" for _ in range(LOOK_UPS)]

    def measure(self):
        print(f"{self.chosen.plugins:,} plugins; {load()}\nprocessor time of workers and database, of one request: a name, a plugin",
              flush=True)
        self.cost([NAMES + "own_40"] * 8)  # of each worker
        for title, make in (("a name of one plugin", lambda: f"own_{40 * self.random.randint(1, self.chosen.plugins // 40)}"),
                            ("a name of many plugins", lambda: f"shared_{self.random.randint(0, 99)}"),
                            ("an unknown name", lambda: f"unknown_{self.random.random()}")):
            self.compare(title, lambda make=make: [NAMES + make() for _ in range(LOOK_UPS)], self.plugins, MOST_KEPT)
        self.compare("the first name, the first list, of a new worker", lambda: [NAMES + "own_40"],
                     lambda: ["/v1/plugins?per_page=100"], MOST_FIRST, self.change)


def main():
    options = Options("names", __doc__)
    options.add_toolchain()
    options.add_plugins(20_000)
    options.add_number("--rounds", 3, "rounds of each")
    return measured(Bench(options.parse()))


sys.exit(main())

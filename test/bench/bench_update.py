#!/usr/bin/env python3
"""Partial archives: random pairs of selections end as a full installation does; what a fleet's update moves and costs

Each pair is a build that is installed and one that is wanted. What differs comes as a partial archive, which together
with the installed files must give exactly those of the wanted archive. Some pairs are also installed and updated by
update.sh. The fleet has one server after another that downloads a build of which one component is new, as partial
archive and, as before there were any, whole."""

import io
import json
import os
import random
import re
import shutil
import subprocess
import sys
import time
import zipfile

from measuring import BenchStack, Connection, Targets, processor_time, send
from options import BUILD, Options

DOWNLOAD = "/v1/server-builder/download?"
MOST_OVERHEAD = 1.05
CHOICES, MOST_PLUGINS = 60, 8
SECONDS_FOR_DIGEST = 30
SECRET = re.compile(rb"IdHashSalt = \w{32}")  # made by update.sh
LOCAL_HEADER, CENTRAL_HEADER = 30, 46  # bytes of an entry beside its name, extra fields and data


def read_zip(body):
    """{path: (content, mode)}"""
    with zipfile.ZipFile(io.BytesIO(body)) as archive:
        return {entry.filename: (archive.read(entry), entry.external_attr >> 16) for entry in archive.infolist()}


def entry_bytes(body):
    """{path: bytes of the archive that are its}"""
    with zipfile.ZipFile(io.BytesIO(body)) as archive:
        return {entry.filename: LOCAL_HEADER + CENTRAL_HEADER + 2 * (len(entry.filename.encode()) + len(entry.extra)) +
                entry.compress_size for entry in archive.infolist()}


class Bench:
    def __init__(self, chosen):
        self.chosen, self.targets, self.random = chosen, Targets(), random.Random(chosen.seed)
        self.stack = BenchStack(BUILD, os.path.join(BUILD, "toolchain"))
        self.stack.configure(*self.stack.limits_of_big_component(chosen.megabytes))
        self.connection = Connection(self.stack.client)

    def download(self, selection):
        status, body, _ = self.connection.get(DOWNLOAD + selection)
        if status != 200:
            sys.exit(f"{selection}: {status} {body[:500]}")
        return body

    def build_hash(self, selection):
        """Once the service knows it as what others have installed."""
        deadline = time.monotonic() + SECONDS_FOR_DIGEST
        while time.monotonic() < deadline:
            plan = json.loads(self.connection.get("/v1/server-builder/resolve?" + selection)[1])
            if plan.get("archive_sha256"):
                return plan["build_hash"]
            time.sleep(0.05)
        sys.exit(f"{selection}: no digest after {SECONDS_FOR_DIGEST} seconds")

    # --- pairs ----------------------------------------------------------------------------------

    def random_selections(self):
        """Valid ones, each with the body of its archive."""
        catalog = self.stack.get_json("/v1/server-builder/meta")["components"]
        plugins = [each["slug"] for each in self.stack.get_json("/v1/plugins?per_page=100")["plugins"]]
        found = {}
        while len(found) < CHOICES:
            components = [self.random.choice([each["slug"]] + [each["slug"] + "@" + version["version"] for version in each["versions"]])
                          for each in catalog if self.random.random() < 0.6]
            chosen = self.random.sample(plugins, self.random.randint(0, MOST_PLUGINS))
            selection = f"components={','.join(components)}&plugins={','.join(chosen)}"
            if self.random.random() < 0.5:
                selection += "&optimized=1"
            if self.connection.get("/v1/server-builder/resolve?" + selection)[0] == 200:
                found[selection] = self.download(selection)
        return found

    def check_pairs(self):
        selections = self.random_selections()
        hashes = {selection: self.build_hash(selection) for selection in selections}
        contents = {selection: read_zip(body) for selection, body in selections.items()}
        sizes = {selection: entry_bytes(body) for selection, body in selections.items()}
        right = moved = changed = whole = 0
        begun = time.perf_counter()
        for _ in range(self.chosen.pairs):
            base, wanted = self.random.choices(list(selections), k=2)
            partial = self.download(f"{wanted}&from={hashes[base]}")
            before, after = contents[base], contents[wanted]
            result = {path: content for path, content in before.items() if path in after} | read_zip(partial)
            right += result == after
            moved += len(partial)
            whole += len(selections[wanted])
            changed += sum(size for path, size in sizes[wanted].items() if before.get(path) != after[path])
        print(f"{self.chosen.pairs:,} pairs of {len(selections)} selections in {time.perf_counter() - begun:.0f} s", flush=True)
        self.targets.check(f"{right:,} of {self.chosen.pairs:,} end byte for byte as the wanted archive", right == self.chosen.pairs)
        # The end of each archive and its comment beside its entries.
        overhead = (moved - 86 * self.chosen.pairs) / max(1, changed)
        self.targets.check(f"{moved:,} bytes moved for {changed:,} bytes of changed entries (at most {MOST_OVERHEAD} times as many), "
                           f"{whole:,} as whole archives", overhead <= MOST_OVERHEAD)
        return list(selections)

    def check_script(self, selections):
        right = partial = 0
        for _ in range(self.chosen.scripts):
            base, wanted = self.random.choices(selections, k=2)
            self.install(base, "server")
            self.build_hash(base)
            said = self.install(wanted, "server")
            self.install(wanted, "fresh")
            updated, fresh = self.tree("server"), self.tree("fresh")
            right += updated == fresh
            for path in sorted(path for path in updated.keys() | fresh.keys() if updated.get(path) != fresh.get(path)):
                print(f"        {path} differs: {base} -> {wanted}", flush=True)
            partial += "Downloading what changed." in said and "Downloading.\n" not in said
            for name in ("server", "fresh"):
                shutil.rmtree(self.stack.path(name))
        self.targets.check(f"{right} of {self.chosen.scripts} pairs by update.sh end as a full installation, {partial} by a partial archive",
                           right == self.chosen.scripts)

    def install(self, selection, name):
        script, folder = self.stack.path("update.sh"), self.stack.path(name)
        os.makedirs(folder, exist_ok=True)
        with open(script, "wb") as file:
            file.write(self.connection.get("/server/update.sh?" + selection)[1])
        done = subprocess.run(["sh", script, "--yes", "--new-identities", folder], env={**os.environ, "CURL_CA_BUNDLE": self.stack.client.certificate},
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"update.sh, {selection}: {done.stdout[-1000:]}")
        return done.stdout

    def tree(self, name):
        found = {}
        for folder, folders, files in os.walk(self.stack.path(name)):
            if ".goldsmith" in folders:
                folders.remove(".goldsmith")
            for each in files:
                path = os.path.join(folder, each)
                with open(path, "rb") as file:
                    found[os.path.relpath(path, self.stack.path(name))] = file.read()
        # A file with a secret that the script made is the owner's: it stays, and what has its place is put beside it.
        return {path: content for path, content in found.items()
                if not SECRET.search(content) and not SECRET.search(found.get(path.removesuffix(".new"), b""))}

    # --- the fleet ------------------------------------------------------------------------------

    def measure_fleet(self):
        self.stack.import_big_component(self.chosen.megabytes)
        catalog = {each["slug"]: each for each in self.stack.get_json("/v1/server-builder/meta")["components"]}
        engine = next(each for each in catalog.values() if each["layer"] == "engine" and len(each["versions"]) > 1)
        new, old = (each["version"] for each in engine["versions"][:2])
        rest = "components={}@{},forge-gamedll,hearth-loader,amber-platform,big&plugins=afk-watch,map-clock"
        installed, wanted = (rest.format(engine["slug"], version) for version in (old, new))
        self.download(installed)
        base = self.build_hash(installed)
        print(f"{self.chosen.servers} servers with {self.chosen.megabytes} MB of files, {engine['slug']} {old} becomes {new}", flush=True)
        costs = {}
        for name, selection in (("whole archives", wanted), ("partial archives", f"{wanted}&from={base}")):
            # nginx may have closed the connection during the downloads of the other.
            self.connection = Connection(self.stack.client)
            size = len(self.download(selection))  # warm, as it is for all but the first
            pids = self.stack.processes("nginx") + self.stack.worker_pids("build")
            before, begun = processor_time(pids), time.perf_counter()
            send([self.stack.client.origin + DOWNLOAD + selection] * self.chosen.servers, clients=min(4, self.chosen.servers),
                 streams=1)
            costs[name] = size * self.chosen.servers
            print(f"  {name:<17} {size / 1e6:10.3f} MB each, {costs[name] / 1e6:12.1f} MB in all; {time.perf_counter() - begun:7.2f} s, "
                  f"{(processor_time(pids) - before) / 1e6:6.2f} s of the processors of nginx and the workers", flush=True)
        self.targets.check(f"a fleet moves {costs['whole archives'] / costs['partial archives']:.0f} times less",
                           costs["partial archives"] < costs["whole archives"])


def main():
    options = Options("update", __doc__)
    options.add_number("--pairs", 1000, "random pairs")
    options.add_number("--scripts", 20, "pairs that update.sh installs")
    options.add_number("--servers", 500, "servers of the fleet")
    options.add_number("--megabytes", 100, "what its servers have of maps", 1, 4000)
    options.add_number("--seed", 1, "of what is drawn")
    bench = Bench(options.parse())
    try:
        selections = bench.check_pairs()
        bench.check_script(selections)
        bench.measure_fleet()
    finally:
        bench.stack.stop()
    return bench.targets.missed > 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Good callers beside hostile ones: compiles, selections, builds, an import, slow readers, pages, game clients

Hostile are (a) 50 endless sources at once, (b) selections of many plugins, (c) callers of a cold build, (d) an import,
(e) 200 slow readers, (f) pages, documents and selections that nobody has asked for before, (g) six busy processes a
processor, beside which a source that never compiled gets its verdict, (h) 5,000 game clients that download.

Good callers send five requests again and again: a plugin that has compiled here before, its source, a server
archive that is cached and its plan, and the metadata. They are measured alone and beside hostile ones. The bench is
a trusted proxy of its stack: each request of a good caller comes from a new address, so that no quota decides, and hostile
callers have the default quotas. Only the limits that count everybody together are raised."""

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time

from measuring import (CALLER_LIMITS, SERVER, BenchStack, Caller, Targets, busy_processes, is_stand_in, load,
                       logging_source, percentile, times_text, write_plugin)
from options import BUILD, Options

HERE = os.path.dirname(os.path.abspath(__file__))
HOSTILE, GAME_CLIENTS = os.path.join(HERE, "hostile.py"), os.path.join(HERE, "game_clients.py")
PLUGINS = f"components={SERVER}&plugins="
RESOLVE, DOWNLOAD = "/v1/server-builder/resolve", "/v1/server-builder/download"
GOOD, DIRECTORY, ENDLESS = "watched", 150, 50
SCENARIOS = "abcdefgh"
PLAYERS, PLAYER_ADDRESSES, MAP_MB = 5000, 500, 16
BEFORE_SECONDS, BETWEEN_BUILDS_SECONDS, IDLE_SECONDS, LEAST_SAMPLES = 2, 2, 120, 20
# Compilers replace macros in macros for ever; the stand-in does not, and spins on request.
ENDLESS_SOURCE = "#pragma standin spin\n#include <amxmodx>\n#define A A\npublic plugin_init() {\n  new x = A\n}\n"


class Hostile:
    """Hostile callers (hostile.py) as long as the context lasts."""

    def __init__(self, client, targets, callers, pause=0.1, addresses=0, slow=False, headers=None):
        self.plan = {"port": client.https_port, "certificate": client.certificate, "callers": callers,
                     "pause": pause, "addresses": addresses, "slow": slow, "headers": headers or {}}
        self.targets, self.statuses = targets, {}

    def __enter__(self):
        self.process = subprocess.Popen([sys.executable, "-B", HOSTILE], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        self.write(self.plan)
        self.write(self.targets)
        return self

    def write(self, value):
        self.process.stdin.write(json.dumps(value) + "\n")
        self.process.stdin.flush()

    def __exit__(self, *_):
        self.statuses = json.loads(self.process.communicate()[0])


class GameClients:
    """Players who download a file (game_clients.py) as long as the context lasts."""

    def __init__(self, port, url):
        self.arguments = [str(port), "fastdl.localhost", url, str(PLAYERS), str(PLAYER_ADDRESSES)]
        self.statuses = {}

    def __enter__(self):
        self.process = subprocess.Popen([sys.executable, "-B", GAME_CLIENTS, *self.arguments], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        return self

    def __exit__(self, *_):
        self.statuses = json.loads(self.process.communicate()[0])


class Builds(threading.Thread):
    """Has hostile callers ask for one cold build after another; the times between which each was under way."""

    def __init__(self, stack, hostile, selections):
        super().__init__()
        self.stack, self.hostile, self.selections = stack, hostile, selections
        self.between, self.stopped = [], False
        self.start()

    def run(self):
        for selection in self.selections:
            archive = os.path.join(self.stack.archives, self.stack.get_json(RESOLVE + selection)["build_hash"] + ".zip")
            begin = time.time()
            self.hostile.write([DOWNLOAD + selection])
            while not os.path.exists(archive) and not self.stopped:
                time.sleep(0.01)
            if self.stopped:
                return
            self.between.append((begin, os.stat(archive).st_ctime))
            time.sleep(BETWEEN_BUILDS_SECONDS)

    def seconds(self):
        return sum(end - begin for begin, end in self.between)

    def stop(self):
        self.stopped = True
        self.join()


class Bench:
    def __init__(self, options):
        self.options, self.targets = options, Targets()
        self.stack = BenchStack(BUILD, options.toolchains)
        self.stack.reset_limits(CALLER_LIMITS)
        self.stack.set_build_workers(options.workers)
        self.configure()
        self.import_plugins({GOOD: logging_source(GOOD)}, "good")
        self.good = self.good_requests()

    def configure(self, *lines):
        self.stack.configure("trusted_proxies = 127.0.0.1", *lines)

    def write_plugins(self, sources, folder):
        for slug, source in sources.items():
            write_plugin(self.stack.path(os.path.join(folder, slug)), slug, source, self.options.line)
        return [self.stack.path(os.path.join(folder, slug)) for slug in sources]

    def import_plugins(self, sources, folder):
        self.stack.goldsmith("plugin", "import", *self.write_plugins(sources, folder))

    def good_requests(self):
        """{name: (target, whether a body is right)}"""
        targets = {"amxx": f"/v1/plugins/{GOOD}/download/1.0?kind=amxx",
                   "sma": f"/v1/plugins/{GOOD}/download/1.0?kind=sma", "archive": DOWNLOAD, "resolve": RESOLVE,
                   "meta": "/v1/meta"}
        expected = {name: self.stack.get(target) for name, target in targets.items()}
        for name, response in expected.items():
            if response.status != 200:
                sys.exit(f"{name}: {response.status} {response.text()[:500]}")
        rights = {name: lambda body, right=response.body: body == right for name, response in expected.items()}
        # Importing changes its categories, and the digest of the archive becomes known.
        rights["meta"] = lambda body: json.loads(body)["status"] is True
        build_hash = json.loads(expected["resolve"].body)["build_hash"]
        rights["resolve"] = lambda body: json.loads(body)["build_hash"] == build_hash
        return {name: (target, rights[name]) for name, target in targets.items()}

    def measure(self, work):
        """The good callers while work() runs."""
        callers = [Caller(self.stack.client, name, target, is_right, from_new_addresses=True)
                   for name, (target, is_right) in self.good.items()]
        try:
            work()
        finally:
            for caller in callers:
                caller.stop()
        return callers

    def warm_up(self):
        """A worker reads the toolchains and the catalog when it first needs them."""
        with Hostile(self.stack.client, [target for target, _ in self.good.values()], 4 * self.options.workers, 0):
            time.sleep(BEFORE_SECONDS)

    def alone(self, seconds):
        self.warm_up()
        return [caller.times() for caller in self.measure(lambda: time.sleep(seconds))]

    def sleep(self):
        time.sleep(self.options.seconds)

    def compare(self, most_ratio, alone, callers, between=None):
        for caller in callers:
            times = caller.times(between)
            if len(times) < LEAST_SAMPLES:
                self.targets.check(f"{caller.name}: {len(times)} responses are too few; see --seconds", False)
                continue
            print(f"  {caller.name:<8}{times_text(times, alone[caller.name])}", flush=True)
            ratio = percentile(times, 95) / percentile(alone[caller.name], 95)
            self.targets.check(f"{caller.name}: p95 at most {most_ratio} times that alone ({ratio:.2f})",
                               ratio <= most_ratio)
            self.targets.check(f"{caller.name}: {len(caller.samples)} responses are right" + (
                f"; {len(caller.failed)} are not: {caller.failed[0]}" if caller.failed else ""), not caller.failed)

    def beside(self, title, most_ratio, hostile, allowed, work=None, between=lambda: None):
        """`allowed`: the statuses that hostile callers may get."""
        print(f"{title}; {load()}", flush=True)
        before = self.alone(self.options.seconds / 2)
        with hostile:
            time.sleep(BEFORE_SECONDS)
            callers = self.measure(work or self.sleep)
        self.wait_until_idle()
        after = self.alone(self.options.seconds / 2)
        # The machine itself may become slower or quicker in the meantime.
        alone = {name: sorted(first + last) for name, first, last in zip(self.good, before, after)}
        for name, times in alone.items():
            print(f"  {name:<8}{times_text(times, times)}  alone, before and after", flush=True)
        self.compare(most_ratio, alone, callers, between())
        print(f"  hostile responses by status: {hostile.statuses}; {load()}", flush=True)
        wrong = {status: count for status, count in hostile.statuses.items() if int(status) not in allowed}
        self.targets.check("hostile callers get what they should" + (f", and not {wrong}" if wrong else ""), not wrong)

    def wait_until_idle(self):
        """Until no build worker has a child: what a caller that left had begun is compiled to its end."""
        def children(pid):
            with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
                return file.read().split()
        deadline = time.monotonic() + IDLE_SECONDS
        while any(children(pid) for pid in self.stack.worker_pids("build")):
            if time.monotonic() > deadline:
                sys.exit("compiles do not end")
            time.sleep(0.1)

    def endless(self):
        slugs = [f"endless-{number}" for number in range(ENDLESS)]
        self.import_plugins({slug: f"// {slug}\n{ENDLESS_SOURCE}" for slug in slugs}, "endless")
        hostile = Hostile(self.stack.client, [f"/v1/plugins/{slug}/download/1.0?kind=amxx" for slug in slugs],
                          callers=ENDLESS, addresses=ENDLESS)
        self.beside(f"(a) {ENDLESS} endless sources at once, from {ENDLESS} addresses", 3, hostile, {422, 429})

    def directory(self):
        """The slugs of plugins that are compiled."""
        slugs = [f"directory-{number}" for number in range(DIRECTORY)]
        if not os.path.exists(self.stack.path("directory")):
            self.import_plugins({slug: logging_source(slug) for slug in slugs}, "directory")
            for begin in range(0, DIRECTORY, 50):
                self.stack.get_json(f"{RESOLVE}?{PLUGINS}{','.join(slugs[begin:begin + 50])}")
        return slugs

    def selections(self):
        """Each as long as nginx accepts, or with as many plugins as are allowed."""
        slugs = self.directory()
        chosen = random.Random(1)
        targets = []
        for number in range(200):
            targets.append(f"{RESOLVE}?{PLUGINS}" + ",".join(f"x{number}-{each}" for each in range(850)))
            targets.append(f"{RESOLVE}?{PLUGINS}" + ",".join(f"x{number}-{each}-{'y' * 50}" for each in range(100)))
            targets.append(f"{RESOLVE}?{PLUGINS}" + ",".join(chosen.sample(slugs, 100)))
        hostile = Hostile(self.stack.client, targets, callers=10)
        self.beside("(b) ten selections of many plugins at a time", 3, hostile, {200, 400})

    def waiters(self):
        free, needed = shutil.disk_usage(self.stack.folder).free >> 20, 6 * self.options.size
        if free < needed:
            sys.exit(f"(c) needs {needed} MB of disk; {free} MB are free. See --size.")
        self.configure(*self.stack.limits_of_big_component(self.options.size), "cache.handover_seconds = 1")
        self.stack.import_big_component(self.options.size)
        slugs = [plugin["slug"] for plugin in self.stack.get_json("/v1/plugins?per_page=100")["plugins"]]
        selections = [f"?components=big,{SERVER}&plugins={slug}"
                      for slug in slugs]
        # Nobody downloads the archive: that would measure nginx.
        hostile = Hostile(self.stack.client, ["/v1/meta"], callers=20, headers={"Range": "bytes=0-0"})
        builds = None

        def work():
            nonlocal builds
            builds = Builds(self.stack, hostile, selections)
            try:
                # Only what overlaps with a build counts, and there are pauses between them.
                while builds.is_alive() and builds.seconds() < self.options.seconds:
                    time.sleep(0.1)
            finally:
                builds.stop()
        self.beside(f"(c) 20 callers of one cold build of {self.options.size} MB", 2, hostile, {200, 206, 429}, work,
                    lambda: builds.between)
        seconds = [round(end - begin, 1) for begin, end in builds.between]
        self.targets.check(f"builds were measured; their seconds: {seconds}", bool(seconds))

    def importing(self):
        folders = self.write_plugins({f"p{number}": logging_source(f"p{number}")
                                      for number in range(self.options.plugins)}, "set")

        def work():
            start = time.perf_counter()
            self.stack.goldsmith_in("set", "plugin", "import", *(os.path.basename(each) for each in folders))
            print(f"  imported in {time.perf_counter() - start:.1f} s", flush=True)
        self.beside(f"(d) an import of {self.options.plugins:,} plugins", 2,
                    Hostile(self.stack.client, ["/v1/meta"], callers=0), set(), work)

    def slow_readers(self):
        components = f"components={SERVER},bot-company"
        plan = self.stack.get_json(f"{RESOLVE}?{components}")
        path = max(plan["files"], key=lambda file: file["size"])["path"]
        targets = [DOWNLOAD, "/v1/plugins?per_page=100", f"/v1/plugins/{GOOD}/download/1.0?kind=sma",
                   f"/v1/server-builder/file?path={path}&{components}"]
        hostile = Hostile(self.stack.client, targets, callers=200, slow=True)
        self.beside("(e) 200 slow readers", 2, hostile, {200})

    def pages(self):
        """Each of a selection that nobody has asked for before: with as many plugins as are allowed, with as many that
        are unknown, and with one."""
        slugs, chosen = self.directory(), random.Random(2)
        unknown = ",".join(f"{'y' * 50}-{number}" for number in range(99))
        targets = []
        for path in ("/server", "/server/checksums.txt", "/server/sbom.cdx.json", RESOLVE, "/server/update.sh",
                     "/server/egg.json"):
            targets += [f"{path}?{PLUGINS}{','.join(chosen.sample(slugs, 99))},x{{new}}",
                        f"{path}?{PLUGINS}{unknown},x{{new}}", f"{path}?plugins=x{{new}}"]
        targets += ["/archives/" + "{new}".rjust(69, "0") + ".zip", "/archives/{new}"]
        for addresses, callers in ((1, 1), (1, 32), (1, 250), (3, 300)):
            self.beside(f"(f) new pages, documents and selections: {callers} connections from {addresses} addresses", 3,
                        Hostile(self.stack.client, targets, callers, addresses=addresses), {200, 404, 429})

    def saturated(self):
        """The stand-in takes six seconds of processor time for it."""
        busy = "#pragma standin busy\n"
        self.import_plugins({"patient": 2 * busy + logging_source("patient")}, "patient")
        print(f"(g) a source that never compiled beside {6 * os.cpu_count()} busy processes; {load()}", flush=True)
        begin = time.perf_counter()
        with busy_processes(6 * os.cpu_count()):
            status = self.stack.curl("--output", os.devnull, "--write-out", "%{http_code}",
                                     f"{self.stack.client.origin}/v1/plugins/patient/download/1.0?kind=amxx")
        self.targets.check(f"it has its verdict, {status}, after {time.perf_counter() - begin:.0f} s", status == "200")

    def game_clients(self):
        """As many connections as OPERATING.md recommends for this."""
        if "c" not in self.options.only:
            self.stack.import_big_component(MAP_MB)
        self.configure()
        nginx = os.path.join(self.stack.folder, "etc", "nginx", "nginx.conf")
        with open(nginx, encoding="utf-8") as file:
            text = file.read()
        with open(nginx, "w", encoding="utf-8") as file:
            file.write("worker_rlimit_nofile 20000;\n" + text.replace("worker_connections 1024", "worker_connections 8192"))
        self.stack.signal("nginx", signal.SIGHUP)
        selection = f"?components=big,{SERVER}"
        build = self.stack.get(DOWNLOAD + selection).all("x-svc-build-hash")[0]
        deadline = time.monotonic() + IDLE_SECONDS
        while not self.stack.get_json(RESOLVE + selection)["archive_sha256"] and time.monotonic() < deadline:
            time.sleep(0.2)
        players = GameClients(self.stack.client.http_port, f"/fastdl/{build}/maps/big-0.bsp")
        # More than the site takes at a time are refused.
        self.beside(f"(h) {PLAYERS:,} game clients from {PLAYER_ADDRESSES} addresses", 2, players, {200, 429})
        self.targets.check(f"most of them get the map: {players.statuses}", players.statuses.get("200", 0) > PLAYERS / 2)

    def stop(self):
        self.stack.stop()


def letters(text):
    if not text or set(text) - set(SCENARIOS):
        raise argparse.ArgumentTypeError(f"'{text}' has letters other than {SCENARIOS}")
    return text


def chosen_options():
    options = Options("fairness", __doc__)
    options.add_toolchain()
    options.add_number("--seconds", 20, "seconds of each measurement, of (c) without the pauses between builds")
    options.add_number("--size", 1000, "size of the archive of (c); six times as much must be free in TMPDIR, else /tmp",
                       unit="MB")
    options.add_number("--plugins", 20_000, "plugins in the import of (d)")
    options.add_number("--workers", 8, "build workers; the package starts as many")
    options.add_argument("--only", type=letters, default=SCENARIOS, metavar=SCENARIOS, help="the ones of these letters (all)")
    return options.parse()


def main():
    options = chosen_options()
    compiler = "the stand-in compiler" if is_stand_in(options.toolchains, options.line) else "a real compiler"
    print(f"{compiler}, AMX Mod X {options.line}; {options.workers} build workers;"
          " ratios: of the medians / of the p95", flush=True)
    bench = Bench(options)
    scenarios = {"a": bench.endless, "b": bench.selections, "c": bench.waiters, "d": bench.importing,
                 "e": bench.slow_readers, "f": bench.pages, "g": bench.saturated, "h": bench.game_clients}
    try:
        for name in options.only:
            bench.wait_until_idle()
            scenarios[name]()
    finally:
        bench.stop()
    sys.exit(1 if bench.targets.missed else 0)


if __name__ == "__main__":
    main()

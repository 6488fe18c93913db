#!/usr/bin/env python3
"""Processor time of a read compared with a worker that returns a constant

A row is the processor time of nginx, workers and database for a request, in turns with the floor: an nginx without
an access log and a libfcgi worker that returns a constant of the same size, with a connection for each request. The
machine, the moment and the client are the same, so the ratio (floor / goldsmith) tells what goldsmith adds. Slugs, words
and pages are drawn anew for each run, unless the row says hot.
"""

import argparse
import json
import os
import random
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

from measuring import (LIBRARIES, ROOT, WORDS, BenchStack, Connection, Targets, drawn_word, fill_directory, fill_needs, load, pids_with,
                       processor_time, send)
from options import BUILD, Options, number_between
from php_peer import PhpPeer
from plain_nginx import PlainNginx

REQUESTS = 6000
WARM_UP = 1000
PEER_REQUESTS, PEER_WARM_UP = 400, 100  # it is slower
SEARCH_P99_MS, WORKER_MB, LANGUAGES_MB = 5.0, 70, 4


def private_memory(pid):
    """Kilobytes that the process has for itself alone."""
    with open(f"/proc/{pid}/smaps_rollup", encoding="ascii") as file:
        return int(re.search(r"Private_Dirty:\s+(\d+)", file.read()).group(1))


class Floor:
    """An nginx and two workers that return `size` bytes."""

    def __init__(self, build, certificate, size):
        self.folder = tempfile.mkdtemp(prefix="goldsmith-floor-")
        os.chmod(self.folder, 0o755)
        count = os.path.join(self.folder, "count")
        with open(count, "w", encoding="ascii") as file:
            file.write("2\n")
        self.socket = os.path.join(self.folder, "constant.sock")
        self.pool = subprocess.Popen(
            [os.path.join(ROOT, "scripts", "tools", "worker-pool"), "--socket", self.socket, "--count-file",
             count, "--pid-file", os.path.join(self.folder, "pool.pid"), "--",
             os.path.join(build, "bin", "constant_worker"), str(size)],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.nginx = PlainNginx(self.folder, certificate, "= /constant", f"""
      include {ROOT}/nginx/snippets/fastcgi.conf;
      fastcgi_keep_conn off;
      fastcgi_pass unix:{self.socket};""")
        self.url = self.nginx.origin + "/constant"
        self.wait()
        self.pids = self.nginx.pids() + pids_with(f"bin/constant_worker {size}$")

    def wait(self):
        for _ in range(200):
            if os.path.exists(self.socket):
                os.chmod(self.socket, 0o666)
                if self.nginx.answers("/constant"):
                    return
            time.sleep(0.05)
        sys.exit(f"the floor does not answer; see {self.folder}/error.log")

    def stop(self):
        self.nginx.stop()
        self.pool.terminate()
        self.pool.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


class Bench:
    def __init__(self, build, rounds, only):
        self.build, self.rounds, self.only = build, rounds, only
        self.targets, self.random = Targets(), random.Random(1)
        self.stack = BenchStack(build, os.path.join(build, "toolchain"))
        self.pid_file = os.path.join(self.stack.folder, "run", "nginx.pid")
        self.raise_limits_of_nginx()
        self.peers = []

    def add_php_peers(self):
        for apcu in (False, True):
            self.peers.append(PhpPeer(self.stack, apcu))

    def stop(self):
        for peer in self.peers:
            peer.stop()
        self.stack.stop()

    def raise_limits_of_nginx(self):
        """They are for a caller, and the client is one."""
        for conf, zone in (("goldsmith.conf", "pages"), ("goldsmith/http.conf", "requests")):
            path = os.path.join(self.stack.folder, "etc", "nginx", conf)
            with open(path, encoding="utf-8") as file:
                text = file.read()
            raised, count = re.subn(rf"(zone=goldsmith_{zone}:\S+ rate=)\d+r/s", r"\g<1>1000000r/s", text)
            if count != 1:
                sys.exit(f"{path}: the limit of the zone goldsmith_{zone} was not found")
            with open(path, "w", encoding="utf-8") as file:
                file.write(raised)
        with open(self.pid_file, encoding="ascii") as file:
            os.kill(int(file.read()), signal.SIGHUP)
        subprocess.run(["sleep", "1"], check=True)

    def size_of(self, url):
        done = subprocess.run(["curl", "-sk", "-o", "/dev/null", "-w", "%{http_code} %{size_download}", url],
                              stdout=subprocess.PIPE, text=True, check=True)
        status, size = done.stdout.split()
        if status != "200":
            sys.exit(f"{url}: {status}")
        return int(size)

    def urls(self, draw, count):
        return [self.stack.client.origin + draw() for _ in range(count)]

    def parts(self):
        """The processes that take part in a request."""
        return {"nginx": self.stack.processes("nginx"),
                "worker": self.stack.worker_pids("api") + self.stack.worker_pids("build"),
                "database": pids_with(f"(mariadbd|mysqld) .*{self.stack.folder}/")}

    def peer_cost(self, peer, urls, http1):
        """Microseconds for a request, of all that take part."""
        theirs = [url.replace(self.stack.client.origin, peer.origin) for url in urls]
        parts = {"peer": peer.pids() + self.parts()["database"]}
        return self.cost(theirs, http1, parts)["peer"]

    def cost(self, urls, http1, parts):
        """Microseconds for a request, by part."""
        before = {name: processor_time(pids) for name, pids in parts.items()}
        send(urls, http1)
        return {name: (processor_time(pids) - before[name]) / len(urls) for name, pids in parts.items()}

    def compare(self, name, draw, goal=None):
        if not self.only.search(name):
            return
        size = self.size_of(self.urls(draw, 1)[0])
        floor = Floor(self.build, self.stack.client.certificate, size)
        try:
            for http1 in (False, True):
                self.compare_protocol(name, draw, goal, size, floor, http1)
        finally:
            floor.stop()

    def compare_protocol(self, name, draw, goal, size, floor, http1):
        """In turns, after a warm-up of each."""
        parts = self.parts()
        send(self.urls(draw, WARM_UP), http1)
        send([floor.url] * WARM_UP, http1)
        costs, ratios = [], []
        peers = [peer for peer in self.peers if peer.answers(draw())]
        peer_costs = {peer.name: [] for peer in peers}
        for peer in peers:
            self.peer_cost(peer, self.urls(draw, PEER_WARM_UP), http1)
        for _ in range(self.rounds):
            costs.append(self.cost(self.urls(draw, REQUESTS), http1, parts))
            lowest = self.cost([floor.url] * REQUESTS, http1, {"floor": floor.pids})["floor"]
            costs[-1]["floor"] = lowest
            ratios.append(lowest / sum(costs[-1][part] for part in parts))
            for peer in peers:
                peer_costs[peer.name].append(self.peer_cost(peer, self.urls(draw, PEER_REQUESTS), http1))
        median = {part: statistics.median(each[part] for each in costs) for part in costs[0]}
        ratio = statistics.median(ratios)
        protocol = "HTTP/1.1" if http1 else "HTTP/2"
        print(f"  {name:<20} {protocol:<8} {size:>6} B  nginx {median['nginx']:5.1f}  worker {median['worker']:5.1f}"
              f"  database {median['database']:5.1f}  floor {median['floor']:5.1f} µs"
              f"  ratio {ratio:.2f} ({min(ratios):.2f}–{max(ratios):.2f})", flush=True)
        own = sum(median[part] for part in parts)
        for peer, each in peer_costs.items():
            theirs = statistics.median(each)
            print(f"  {'':<20} {peer:<15} {theirs:.1f} µs, {theirs / own:.1f} times goldsmith's", flush=True)
            self.targets.check(f"{name}, {protocol}: ahead of {peer}", own < theirs)
        if goal:
            self.targets.check(f"{name}, {protocol}: at least {goal} of the floor", ratio >= goal)

    def latency(self, name, draw, limit=None):
        """One request at a time from each of two clients: what a caller waits for."""
        if not self.only.search(name):
            return
        runs = [send(self.urls(draw, 2000), clients=2, streams=1) for _ in range(self.rounds)]
        median = statistics.median(run[len(run) // 2] for run in runs)
        p99 = statistics.median(run[len(run) * 99 // 100] for run in runs)
        print(f"  {name:<20} alone: median {median:.2f} ms  p99 {p99:.2f} ms", flush=True)
        if limit:
            self.targets.check(f"{name}: p99 at most {limit:.0f} ms", p99 <= limit)

    def memory(self, limit=None):
        most = self.stack.largest_worker_mb()
        print(f"  largest worker       {most} MB", flush=True)
        if limit:
            self.targets.check(f"a worker takes at most {limit} MB", most <= limit)

    def languages(self):
        """What the languages of the pages take of a worker, but for the responses that it keeps."""
        if not self.only.search("languages"):
            return
        home = subprocess.run(["curl", "-sk", self.stack.client.origin + "/"], stdout=subprocess.PIPE, text=True, check=True).stdout
        tags = sorted(set(re.findall(r'hreflang="([^"]+)"', home)) - {"en", "x-default"})
        pages = ["/", "/plugins", "/plugins/bench-1", "/addons", "/log", "/licenses"]
        urls = [f"{self.stack.client.origin}{page}?lang={tag}" for tag in tags for page in pages]

        def memory():
            return {pid: private_memory(pid) for pid in self.stack.worker_pids("api")}

        send([self.stack.client.origin + pages[number % len(pages)] for number in range(REQUESTS)])
        before = memory()
        send([urls[number % len(urls)] for number in range(REQUESTS)])
        after = memory()
        responses = sum(map(self.size_of, urls)) / 1024
        own = max(after[pid] - before[pid] for pid in before) - responses
        print(f"  {'languages':<20} {len(tags)} take {own / 1024:.1f} MB of a worker, which has {max(after.values()) / 1024:.1f} MB of its"
              f" own, {responses / 1024:.1f} MB of them responses in these languages", flush=True)
        self.targets.check(f"all languages take at most {LANGUAGES_MB} MB of a worker", own <= LANGUAGES_MB * 1024)

    def words(self):
        """One to three to search for, some of them cut short."""
        drawn = [drawn_word(self.random)[:self.random.choice([3, 5, 20])] for _ in range(self.random.randint(1, 3))]
        return "+".join(drawn)

    def needs(self, plugins):
        """What plugins need, such as reapi, beside a word. The first search of a worker reads the words and needs of all plugins."""
        name = "search by needs"
        if not self.only.search(name):
            return
        fill_needs(self.stack)
        _, body, first = Connection(self.stack.client).get("/v1/plugins?search=reapi")
        print(f"  {name:<20} first {first:.0f} ms, {json.loads(body)['total']:,} plugins need reapi", flush=True)
        draw = lambda: f"/v1/plugins?search={self.random.choice(LIBRARIES)}+{drawn_word(self.random)[:3]}"
        self.compare(name, draw)
        self.latency(name, draw, SEARCH_P99_MS if plugins >= 100_000 else None)
        self.memory()

    def measure(self, plugins):
        print(f"{plugins:,} plugins, {load()}", flush=True)
        fill_directory(self.stack, plugins)
        number, word = (lambda: self.random.randint(1, plugins)), (lambda: self.random.choice(WORDS))
        hot = lambda: self.random.randint(1, 20)
        last_page = plugins // 24
        self.compare("meta", lambda: "/v1/meta", 0.9)
        self.compare("list, page 1", lambda: "/v1/plugins", 0.9)
        self.compare("list, random page", lambda: f"/v1/plugins?page_n={self.random.randint(1, last_page)}", 0.9)
        self.compare("detail, hot", lambda: f"/v1/plugins/bench-{hot()}", 0.9)
        self.compare("detail, random", lambda: f"/v1/plugins/bench-{number()}", 0.6)
        self.compare("search, random", lambda: f"/v1/plugins?q={word()}+{number()}", 0.6 if plugins <= 20_000 else 0.4)
        self.compare("search by words", lambda: f"/v1/plugins?search={self.words()}")
        self.compare("component catalog", lambda: "/v1/server-builder/meta", 0.9)
        self.compare("home page", lambda: "/")
        self.compare("plugin page, hot", lambda: f"/plugins/bench-{hot()}")
        self.compare("plugin page, random", lambda: f"/plugins/bench-{number()}")
        self.compare("directory page", lambda: f"/plugins?page_n={self.random.randint(1, last_page)}")
        self.compare("search page", lambda: f"/plugins?q={word()}+{number()}")
        self.latency("search, random", lambda: f"/v1/plugins?q={word()}+{number()}",
                     SEARCH_P99_MS if plugins >= 100_000 else None)
        self.latency("search by words", lambda: f"/v1/plugins?search={self.words()}",
                     SEARCH_P99_MS if plugins >= 100_000 else None)
        self.languages()
        self.memory(WORKER_MB if plugins >= 100_000 else None)
        self.needs(plugins)


def regular_expression(text):
    try:
        return re.compile(text)
    except re.error as error:
        raise argparse.ArgumentTypeError(f"'{text}' is not a regular expression: {error}") from error


def main():
    options = Options("http", __doc__)
    options.add_argument("--plugins", type=number_between(10, 999_999), nargs="+", default=[1000, 20_000, 100_000], metavar="N",
                         help="plugins in the directory, one measurement after the other (1000 20000 100000)")
    options.add_number("--rounds", 3, "rounds of each row")
    options.add_argument("--only", type=regular_expression, default="", metavar="REGEX", help="the rows whose name matches (all)")
    options.add_argument("--peer", choices=["php"], help="the same reads by PHP-FPM on the same database, with and without"
                         " APCu, in the same rounds; needs the packages php-fpm, php-mysql and php-apcu")
    chosen = options.parse("all", "constant_worker")
    bench = Bench(BUILD, chosen.rounds, chosen.only)
    try:
        if chosen.peer:
            bench.add_php_peers()
        for plugins in chosen.plugins:
            bench.measure(plugins)
    finally:
        bench.stop()
    sys.exit(1 if bench.targets.missed else 0)


main()

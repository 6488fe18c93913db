#!/usr/bin/env python3
"""Measures reads through nginx over TLS and HTTP/2: bench_http.py BUILD_FOLDER ROUNDS PLUGINS…

Each endpoint is measured in turns with two others that answer as many bytes through an nginx of the same
configuration: a libfcgi worker that answers a constant, and a static file. The machine, the moment and the
client are the same for all three, so the ratio says what goldsmith itself costs.
"""

import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

from measuring import WORDS, BenchStack, Targets, fill_directory

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
REQUESTS = 6000
HOT_RATIO, SEARCH_P99_MS, WORKER_MB = 0.6, 15.0, 80


class Measured:
    """One run of the client: requests a second, and milliseconds of single requests."""

    def __init__(self, urls, clients=8, streams=10, requests=REQUESTS):
        with tempfile.NamedTemporaryFile("w", suffix=".urls") as list_file, \
                tempfile.NamedTemporaryFile("r", suffix=".log") as log:
            list_file.write("\n".join(urls) + "\n")
            list_file.flush()
            os.unlink(log.name)
            done = subprocess.run(["h2load", "-n", str(requests), "-c", str(clients), "-m", str(streams),
                                   "-i", list_file.name, "--log-file", log.name],
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=True)
            with open(log.name, encoding="ascii") as file:
                rows = [line.split() for line in file]
            open(log.name, "a", encoding="ascii").close()
        self.rate = float(re.search(r"([0-9.]+) req/s", done.stdout).group(1))
        bad = [row[1] for row in rows if row[1] != "200"]
        if bad or len(rows) != requests:
            sys.exit(f"{urls[0]}: {len(bad)} of {len(rows)} answers were not 200: {sorted(set(bad))}")
        times = sorted(int(row[2]) / 1000 for row in rows)
        self.median, self.p99 = times[len(times) // 2], times[len(times) * 99 // 100]


class Floor:
    """An nginx with the two baselines: /constant by libfcgi workers, /static.json from disk."""

    def __init__(self, build, certificate, size):
        self.folder = tempfile.mkdtemp(prefix="goldsmith-floor-")
        os.chmod(self.folder, 0o755)
        with open(os.path.join(self.folder, "static.json"), "w", encoding="ascii") as file:
            file.write("x" * size)
        self.pid = os.path.join(self.folder, "pool.pid")
        count = os.path.join(self.folder, "count")
        with open(count, "w", encoding="ascii") as file:
            file.write("2\n")
        self.socket = os.path.join(self.folder, "constant.sock")
        self.pool = subprocess.Popen(
            [os.path.join(ROOT, "scripts", "tools", "worker-pool"), "--socket", self.socket, "--count-file",
             count, "--pid-file", self.pid, "--", os.path.join(build, "bin", "constant_worker"), str(size)],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.port = random.randint(20000, 29999)
        self.conf = os.path.join(self.folder, "nginx.conf")
        snippets = os.path.join(ROOT, "nginx", "snippets")
        user = "user www-data;" if os.geteuid() == 0 else ""
        with open(self.conf, "w", encoding="utf-8") as file:
            file.write(f"""{user}
daemon on; worker_processes 2; pid {self.folder}/nginx.pid; error_log {self.folder}/error.log;
events {{ worker_connections 1024; }}
http {{
  access_log off; client_body_temp_path {self.folder}/b; fastcgi_temp_path {self.folder}/f;
  proxy_temp_path {self.folder}/p; scgi_temp_path {self.folder}/s; uwsgi_temp_path {self.folder}/u;
  server {{
    listen 127.0.0.1:{self.port} ssl http2;
    ssl_certificate {certificate}; ssl_certificate_key {certificate.replace("cert.pem", "key.pem")};
    location = /constant {{ include {snippets}/fastcgi.conf; fastcgi_pass unix:{self.socket}; }}
    location = /static.json {{ root {self.folder}; }}
  }}
}}
""")
        subprocess.run(["nginx", "-c", self.conf, "-e", f"{self.folder}/error.log"], check=True)
        self.wait()
        os.chmod(self.socket, 0o666)

    def url(self, path):
        return f"https://127.0.0.1:{self.port}{path}"

    def wait(self):
        for _ in range(200):
            if os.path.exists(self.socket) and subprocess.run(
                    ["curl", "-sk", "-o", "/dev/null", self.url("/static.json")], check=False).returncode == 0:
                return
            subprocess.run(["sleep", "0.05"], check=True)
        sys.exit(f"the baselines do not answer; see {self.folder}/error.log")

    def stop(self):
        subprocess.run(["nginx", "-c", self.conf, "-e", f"{self.folder}/error.log", "-s", "stop"], check=False)
        self.pool.terminate()
        self.pool.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


class Bench:
    def __init__(self, build, rounds):
        self.build, self.rounds, self.targets = build, rounds, Targets()
        self.stack = BenchStack(build, os.path.join(build, "toolchain"))
        self.origin = self.stack.client.origin

    def size_of(self, url):
        done = subprocess.run(["curl", "-sk", "--http2", "-o", "/dev/null", "-w", "%{http_code} %{size_download}",
                               url], stdout=subprocess.PIPE, text=True, check=True)
        status, size = done.stdout.split()
        if status != "200":
            sys.exit(f"{url}: {status}")
        return int(size)

    def compare(self, name, paths, hot):
        """In turns: goldsmith, constant worker, static file."""
        urls = [self.origin + path for path in paths]
        size = self.size_of(urls[0])
        floor = Floor(self.build, self.stack.client.certificate, size)
        runs = {"goldsmith": [], "constant": [], "static": []}
        try:
            for _ in range(self.rounds):
                runs["goldsmith"].append(Measured(urls))
                runs["constant"].append(Measured([floor.url("/constant")]))
                runs["static"].append(Measured([floor.url("/static.json")]))
        finally:
            floor.stop()
        rate = {who: statistics.median(run.rate for run in each) for who, each in runs.items()}
        p99 = statistics.median(run.p99 for run in runs["goldsmith"])
        ratio = rate["goldsmith"] / rate["constant"]
        print(f"  {name:<22} {size:>7} B  {rate['goldsmith']:>8.0f}/s  constant {rate['constant']:>8.0f}/s"
              f"  static {rate['static']:>8.0f}/s  ratio {ratio:.2f}  p99 {p99:.1f} ms", flush=True)
        if hot:
            self.targets.check(f"{name}: at least {HOT_RATIO} of the constant worker", ratio >= HOT_RATIO)

    def latency(self, name, paths, limit=None):
        """One request at a time from each of two clients: what a caller waits for."""
        runs = [Measured([self.origin + path for path in paths], clients=2, streams=1, requests=2000)
                for _ in range(self.rounds)]
        p99 = statistics.median(run.p99 for run in runs)
        print(f"  {name:<22} median {statistics.median(run.median for run in runs):.2f} ms  p99 {p99:.2f} ms",
              flush=True)
        if limit:
            self.targets.check(f"{name}: p99 under {limit:.0f} ms", p99 < limit)

    def memory(self):
        pids = self.stack.worker_pids("api") + self.stack.worker_pids("build")
        most = 0
        for pid in pids:
            with open(f"/proc/{pid}/status", encoding="utf-8") as file:
                most = max(most, int(re.search(r"VmRSS:\s+(\d+)", file.read()).group(1)) // 1024)
        print(f"  largest worker         {most} MB", flush=True)
        self.targets.check(f"a worker under {WORKER_MB} MB", most < WORKER_MB)

    def measure(self, plugins):
        print(f"{plugins:,} plugins", flush=True)
        fill_directory(self.stack, plugins)
        chosen = random.Random(plugins)
        pages = [f"/v1/plugins?page_n={chosen.randint(1, plugins // 24)}" for _ in range(500)]
        searches = [f"/v1/plugins?q={chosen.choice(WORDS)}+{chosen.randint(1, plugins)}" for _ in range(1000)]
        details = [f"/v1/plugins/bench-{chosen.randint(1, plugins)}" for _ in range(200)]
        self.compare("meta", ["/v1/meta"], hot=True)
        self.compare("list, page 1", ["/v1/plugins"], hot=True)
        self.compare("detail", details[:20], hot=True)
        self.compare("component catalog", ["/v1/server-builder/meta"], hot=True)
        self.compare("list, random pages", pages, hot=False)
        self.latency("list, random pages", pages)
        self.latency("search", searches, SEARCH_P99_MS if plugins >= 100_000 else None)
        self.memory()


def main():
    build, rounds, counts = sys.argv[1], int(sys.argv[2]), [int(each) for each in sys.argv[3:]]
    bench = Bench(os.path.abspath(build), rounds)
    try:
        for plugins in counts:
            bench.measure(plugins)
    finally:
        bench.stack.stop()
    sys.exit(1 if bench.targets.missed else 0)


main()

"""A stack of a test's own, and what tests of the whole do with one."""

import atexit
import collections
import contextlib
import ctypes
import itertools
import json
import os
import re
import struct
import subprocess
import sys
import time
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
COMMAND = os.path.join(ROOT, "test", "support", "stack")
sys.path.insert(0, os.path.join(ROOT, "test", "http"))

from client import Client  # noqa: E402  (found by the line above)

addresses = itertools.count(1)


def new_address():
    """Of a caller that nobody was before; see trusted_proxies."""
    number = next(addresses)
    return f"198.18.{number // 256}.{number % 256}"


def wait_until(holds, seconds=60, hint=lambda: ""):
    """Looks twenty times a second: the processors are for what is waited for."""
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > deadline:
            raise AssertionError(f"it did not happen within {seconds} s{hint()}")
        time.sleep(0.05)


def numbers(first, last):
    """SQL. A table of the numbers from `first` to `last`, for FROM; its column is seq."""
    return (f"(SELECT {first - 1} + number AS seq FROM JSON_TABLE(CONCAT('[0', REPEAT(',0', {last - first}), ']'),"
            " '$[*]' COLUMNS (number FOR ORDINALITY)) AS list) AS numbers")


@contextlib.contextmanager
def busy_processes(count):
    """Each in a session of its own: the kernel may share processors by sessions first."""
    command = [sys.executable, "-c", "while True: pass"]
    processes = [subprocess.Popen(command, start_new_session=True) for _ in range(count)]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


def h2load(*arguments):
    """(succeeded, {status class: count}) of h2load."""
    done = subprocess.run(["h2load", *arguments], check=True, stdout=subprocess.PIPE, text=True).stdout
    succeeded = int(re.search(r"(\d+) succeeded", done).group(1))
    classes = re.search(r"status codes: (\d+) 2xx, (\d+) 3xx, (\d+) 4xx, (\d+) 5xx", done).groups()
    return succeeded, dict(zip((2, 3, 4, 5), map(int, classes)))


def with_children(pid):
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
        return [pid, *map(int, file.read().split())]


class Stack:
    def __init__(self, folder, programs, toolchains):
        self.folder, self.programs, self.toolchains = folder, programs, toolchains
        self.archives = os.path.join(folder, "cache", "archives")
        self.client = None

    def run(self, *arguments, **environment):
        """One of the commands of test/support/stack. `NAME="x"` is in the environment of what it starts, too."""
        command, *rest = arguments
        done = subprocess.run([COMMAND, command, self.folder, *rest], check=False,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, env={**os.environ, **environment})
        if done.returncode != 0:
            raise RuntimeError(f"stack {' '.join(arguments)} ended with {done.returncode}:\n"
                               + done.stdout.decode("utf-8", "replace"))
        return done.stdout.decode("utf-8", "replace")

    def up(self):
        atexit.register(self.stop_if_left)
        self.run("up", self.programs, self.toolchains)
        with open(os.path.join(self.folder, "stack.json"), encoding="utf-8") as file:
            self.client = Client(json.load(file))

    def stop_if_left(self):
        """unittest cleans nothing up after an interruption in its set-up."""
        if os.path.exists(os.path.join(self.folder, "run")):
            with contextlib.suppress(RuntimeError):
                self.run("stop")

    def get(self, target, method="GET", **headers):
        """`if_range="x"` is the header If-Range."""
        pairs = [(name.replace("_", "-").title(), value) for name, value in headers.items()]
        return self.client.send(method, target, pairs, {})

    def url(self, target):
        return f"https://127.0.0.1:{self.client.https_port}{target}"

    def logged(self, part):
        """The lines of nginx's access log with a text; nginx writes them once a second."""
        with open(os.path.join(self.folder, "log", "nginx-access.log"), encoding="utf-8") as log:
            return [line for line in log if part in line]

    def statuses(self, caller):
        """How many requests of a caller the access log has with each status."""
        return collections.Counter(re.search('" (\\d{3}) ', line)[1] for line in self.logged(f" {caller} "))

    def get_json(self, target):
        response = self.get(target)
        if response.status != 200:
            raise AssertionError(f"{target}: {response.status} {response.text()[:500]}")
        return json.loads(response.body)

    def curl(self, *arguments):
        """Over HTTPS and HTTP/2, as a user would; returns what curl printed."""
        return subprocess.run(["curl", "--silent", "--show-error", "--http2", "--cacert",
                               self.client.certificate, *arguments],
                              check=True, stdout=subprocess.PIPE).stdout.decode()

    def monitor(self, name):
        """(status, body) of /healthz, /readyz or /metrics, which nginx shows on loopback alone."""
        done = subprocess.run(["curl", "--silent", "--show-error", "--unix-socket",
                               os.path.join(self.folder, "run", "status.sock"), "--write-out", "\n%{http_code}",
                               f"http://localhost/{name}"], check=True, stdout=subprocess.PIPE)
        body, _, status = done.stdout.decode().rpartition("\n")
        return int(status), body

    def metric(self, series):
        """The value of a series; 0 for one that was not begun yet."""
        for line in self.monitor("metrics")[1].splitlines():
            if line.startswith(series + " "):
                return float(line.rpartition(" ")[2])
        return 0.0

    def requests(self):
        """How many its workers have answered."""
        return sum(float(line.rpartition(" ")[2]) for line in self.monitor("metrics")[1].splitlines()
                   if line.startswith("goldsmith_requests_total{"))

    def cached_archives(self):
        return sorted(name for name in os.listdir(self.archives) if name.endswith(".zip"))

    def depot_file(self, slug, version):
        """The file in its own depot that was published last for that version."""
        folder = os.path.join(self.folder, "depot", slug)
        names = [name for name in os.listdir(folder) if re.fullmatch(re.escape(version) + r"\.[0-9a-f]{64}\.zip", name)]
        return max((os.path.join(folder, name) for name in names), key=lambda file: os.stat(file).st_ctime_ns)

    def goldsmith(self, *words):
        """The operator's command; returns what it printed."""
        return self.run("goldsmith", *words)

    def empty_cache(self):
        # nginx is idle: a second is plenty for it to open what it was handed.
        self.goldsmith("cache", "prune", "--all", "--cache.handover_seconds=1")

    def processes(self, name):
        """Of a pool or of nginx; first the one that started the others."""
        with open(os.path.join(self.folder, "run", f"{name}.pid"), encoding="ascii") as file:
            return with_children(int(file.read()))

    def worker_pids(self, pool):
        return self.processes(pool)[1:]

    def signal(self, name, number):
        """To all processes of a pool or of nginx."""
        for pid in self.processes(name):
            os.kill(pid, number)

    def wait_for(self, target, status, allowed=(), seconds=20):
        """Until `target` answers with `status`; meanwhile it may answer with one of `allowed`."""
        deadline = time.monotonic() + seconds
        while True:
            response = self.get(target)
            if response.status == status:
                return response
            if response.status not in allowed or time.monotonic() > deadline:
                raise AssertionError(f"{target}: {response.status} {response.text()[:500]}")
            time.sleep(0.05)


class ServiceTest(unittest.TestCase):
    def assert_error(self, response, status, code):
        self.assertEqual(response.status, status, response.text()[:300])
        self.assertEqual(json.loads(response.body)["error"], code)
        self.assertEqual(response.all("Access-Control-Allow-Origin"), ["*"])


class FolderWatch:
    """Counts the files that appear in a folder under a name by renaming (inotify(7))."""

    IN_MOVED_TO = 0x80

    def __init__(self, folder):
        libc = ctypes.CDLL(None, use_errno=True)
        self.descriptor = libc.inotify_init1(os.O_NONBLOCK)
        if self.descriptor < 0 or libc.inotify_add_watch(
                self.descriptor, os.fsencode(folder), self.IN_MOVED_TO) < 0:
            raise OSError(ctypes.get_errno(), "inotify")

    def names(self):
        names = []
        try:
            data = os.read(self.descriptor, 65536)
        except BlockingIOError:
            return names
        while data:
            length = struct.unpack_from("iIII", data)[3]
            names.append(data[16:16 + length].rstrip(b"\0").decode())
            data = data[16 + length:]
        return names

    def close(self):
        os.close(self.descriptor)

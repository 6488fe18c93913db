#!/usr/bin/env python3
"""nginx's access log: access_log.py BUILD_FOLDER [TEST…]

Without keys, short, bounded in a flood, and readable for the tools that the guide names. The test is a trusted proxy of
its stack, so that it can speak for many callers."""

import collections
import concurrent.futures
import contextlib
import datetime
import glob
import json
import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
import time
import unittest

from repeated_requests import RepeatedRequests
from running_stack import ROOT, ServiceTest, Stack, h2load, new_address, wait_until

STACK = None
SECRET = "svck_" + "S3cr3tK3y5" * 4


def setUpModule():
    STACK.up()
    STACK.run("configure", "trusted_proxies = 127.0.0.1")


def tearDownModule():
    STACK.run("stop")


def from_the_guide(pattern):
    """A line of what systemd/OPERATING.md has as code."""
    with open(os.path.join(ROOT, "systemd", "OPERATING.md"), encoding="utf-8") as file:
        return re.search("^    " + pattern + "$", file.read(), re.MULTILINE)[1]


class Logs(ServiceTest):
    def test_a_key_in_a_query_reaches_no_log(self):
        for target in (f"/v1/plugins?key={SECRET}&q=afk", f"/v1/plugins?token={SECRET}", f"/v1/plugins?{SECRET}",
                       f"/docs?key={SECRET}", f"/nothing?key={SECRET}", f"/v1/%zz?key={SECRET}",
                       f"/v1/plugins?key={SECRET}&x={'y' * 60000}", f"/_archives/x?key={SECRET}",
                       f"/v1/server-builder/download?key={SECRET}&components=anvil-engine", f"/_error/500?key={SECRET}"):
            STACK.get(target)
            self.plain(target)
        STACK.get("/v1/plugins?key=" + SECRET, method="OPTIONS")
        h2load("-n", "600", "-c", "6", "-m", "100", "-H", ":method: OPTIONS", STACK.url("/v1/meta?key=" + SECRET))
        h2load("-n", "600", "-c", "6", "-m", "100", STACK.url("/v1/meta?key=" + SECRET))
        STACK.run("pool", "api", "stop")
        try:
            self.assert_error(STACK.get("/v1/meta?key=" + SECRET), 503, "unavailable")
        finally:
            STACK.run("pool", "api", "start")
        archives = STACK.archives
        os.chmod(archives, 0)
        try:
            STACK.get(f"/v1/server-builder/download?key={SECRET}&components=anvil-engine")
        finally:
            os.chmod(archives, 0o755)
        time.sleep(2)  # nginx writes its log once a second
        for path in glob.glob(os.path.join(STACK.folder, "log", "*")):
            with open(path, "rb") as file:
                self.assertNotIn(SECRET.encode(), file.read(), path)

    def test_a_key_where_the_log_shows_the_request_is_masked(self):
        escaped = "%73vck%5f" + SECRET.removeprefix("svck_")
        mark = f"masked{os.getpid()}"
        for target in (f"/v1/{mark}/{SECRET}", f"/{mark}/{escaped}/x", f"/v1/plugins?q={mark}%20{SECRET}&category=x",
                       f"/server?plugins={mark},{escaped}", f"/v1/{mark}?q={SECRET}&per_page=5"):
            STACK.get(target)
            self.plain(target)
        shown = {f"/v1/{mark}/svck_***", f"/{mark}/svck_***", f"/v1/plugins?q={mark}%20svck_***",
                 f"/server?plugins={mark},svck_***", f"/v1/{mark}?q=svck_***"}
        wait_until(lambda: self.targets(mark) == shown, 20)
        for path in glob.glob(os.path.join(STACK.folder, "log", "*")):
            with open(path, "rb") as file:
                self.assertNotIn(SECRET.removeprefix("svck_").encode(), file.read(), path)

    def test_what_is_logged_of_a_request_is_short(self):
        mark = f"long{os.getpid()}"
        for target in (f"/v1/{mark}/" + "a" * 3000, f"/v1/plugins?q={mark}" + "a" * 3000, f"/{mark}/" + '"' * 3000,
                       f"/{mark}/" + "\\x80\\" * 2000, f"/v1/{mark}/" + "a" * 600 + SECRET):
            STACK.get(target)
        start = {f"/v1/{mark}/", f"/v1/plugins?q={mark}"}
        quotes, others = f"/{mark}/" + "\\x22" * 32, f"/{mark}/" + "\\x80\\x5C" * 16
        wait_until(lambda: self.targets(mark) == {(begin + "a" * 512)[:512] for begin in start} | {quotes, others}, 20)
        STACK.get("/v1/" + mark, method="A" * 3000)
        wait_until(lambda: STACK.logged('"' + "A" * 16 + " /v1/" + mark), 20)

    def test_a_flood_of_cheap_requests_is_not_logged_in_full(self):
        """The limit lets 500 pass, and 50 a second."""
        for method, path in (("GET", "/_depot/x"), ("GET", "/archives/x"), ("GET", "/x"), ("GET", "/metrics"),
                             ("GET", "/v1/openapi.json"), ("OPTIONS", "/v1/x"), ("GET", "/v1/%zz"), ("GET", "/v1/..%2f"),
                             ("X" * 3600, "/v1/x"), ("TRACE", "/v1/x")):
            caller = new_address()
            target = path if len(method) > 99 else path + "?q=" if "openapi" in path else path + '"' * 3600
            before = self.size()
            sent, answered = RepeatedRequests(STACK.client, [
                (b":method", method.encode()), (b":scheme", b"https"), (b":authority", b"localhost"),
                (b":path", target.encode()), (b"x-forwarded-for", caller.encode())]).send_for(2)
            time.sleep(2)  # nginx writes its log once a second
            self.assertLess(self.size() - before, 600 * 800 + 2 * sent, f"{method[:9]} {path}: {answered} requests")

    def test_plain_http_is_limited(self):
        with socket.create_connection(("127.0.0.1", STACK.client.http_port)) as client:
            caller = new_address()
            request = f"GET /x HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Forwarded-For: {caller}\r\n\r\n".encode()
            read = self.read_in_background(client)
            with contextlib.suppress(OSError):
                client.sendall(request * 2000)
                client.shutdown(socket.SHUT_WR)
            answers = collections.Counter(re.findall(rb"HTTP/1.1 (\d+)", read.result()))
        self.assertEqual(set(answers), {b"308", b"429"}, answers)
        self.assertLess(answers[b"308"], 1000)

    def read_in_background(self, client):
        """Until the end; nginx resets a connection that it closes before it has read all requests."""
        def read():
            parts = []
            with contextlib.suppress(ConnectionResetError):
                parts.extend(iter(lambda: client.recv(1 << 16), b""))
            return b"".join(parts)
        return self.enterContext(concurrent.futures.ThreadPoolExecutor(1)).submit(read)

    @staticmethod
    def size():
        return os.path.getsize(os.path.join(STACK.folder, "log", "nginx-access.log"))

    @staticmethod
    def targets(mark):
        """Those with a mark in the access log."""
        return {re.search(r'"GET ([^"]*) HTTP', line)[1] for line in STACK.logged(mark)}

    def plain(self, target):
        with socket.create_connection(("127.0.0.1", STACK.client.http_port)) as client:
            client.sendall(f"GET {target} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".encode())
            while client.recv(1 << 16):
                pass

    def test_the_log_has_the_path_and_the_parameters_of_the_api(self):
        mark = f"mark{os.getpid()}"
        STACK.get(f"/v1/plugins?q=first&x=1&q={mark}&per_page=5&key={SECRET}&category=admin")
        STACK.get(f"/v1/{mark}-nothing?key={SECRET}")
        STACK.get(f"/v1/server-builder/file?components=anvil-engine&path={mark}&x=2&optimized=1")
        wait_until(lambda: len(STACK.logged(mark)) == 3, 20)
        # nginx has several processes, so the order of lines is not that of requests.
        self.assertCountEqual([re.search(r'"(GET [^"]*)"', line).group(1) for line in STACK.logged(mark)], [
            f"GET /v1/plugins?q={mark}&category=admin&per_page=5 HTTP/1.1",
            f"GET /v1/{mark}-nothing HTTP/1.1",
            f"GET /v1/server-builder/file?components=anvil-engine&optimized=1&path={mark} HTTP/1.1"])

    def test_the_log_tells_a_failed_pool_from_a_failed_request(self):
        mark = f"down{os.getpid()}"
        STACK.run("pool", "api", "stop")
        try:
            STACK.get(f"/v1/plugins/{mark}")
        finally:
            STACK.run("pool", "api", "start")
        wait_until(lambda: STACK.logged(mark), 20)
        (line,) = STACK.logged(mark)
        self.assertRegex(line, r'HTTP/1.1" 503 \d+ [0-9.]+ "502" "-" "[0-9.]+"$')

    def test_a_line_has_its_time_its_caller_and_its_request(self):
        mark, caller = f"timed{os.getpid()}", new_address()
        before = int(time.time())
        STACK.get("/v1/" + mark, x_forwarded_for=caller)
        after = time.time()
        wait_until(lambda: STACK.logged(mark), 20)
        (line,) = STACK.logged(mark)
        when, address, request = line.split()[:3]
        self.assertTrue(before <= datetime.datetime.strptime(when, "%Y-%m-%dT%H:%M:%S%z").timestamp() <= after, line)
        self.assertEqual(address, caller)
        self.assertRegex(request, "^[0-9a-f]{32}$")

    def test_fail2ban_finds_who_is_refused_as_the_guide_has_it(self):
        pattern = from_the_guide(r"printf .*'failregex = ([^']*)'.*")
        mark, good, bad = f"banned{os.getpid()}", new_address(), new_address()
        STACK.get(f"/v1/plugins/{mark}", x_forwarded_for=bad, authorization="Bearer svck_wrong")
        # What looks like another line in a path is none.
        STACK.get(f'/v1/plugins?q={mark}"401"{bad}"429', x_forwarded_for=good)
        wait_until(lambda: len(STACK.logged(mark)) == 2, 20)
        # fail2ban takes out the date that it has found.
        found = [re.search(pattern.replace("<ADDR>", r"(\S+)"), line.split(" ", 1)[1]) for line in STACK.logged(mark)]
        self.assertEqual([match[1] for match in found if match], [bad])
        if shutil.which("fail2ban-regex"):
            done = subprocess.run(["fail2ban-regex", "--print-all-matched", "".join(STACK.logged(mark)), pattern], check=False,
                                  stdout=subprocess.PIPE, text=True)
            self.assertRegex(done.stdout, rf"(?m)Lines: 2 lines, .* 1 matched, [^$]*Matched line.*\n\|  \S+ {bad} ")

    def test_goaccess_reads_the_log_as_the_guide_has_it(self):
        mark = f"counted{os.getpid()}"
        for target in (f"/v1/plugins?q={mark}%22", f"/{mark}", f"/server/update.sh?plugins={mark}"):
            STACK.get(target)
        wait_until(lambda: len(STACK.logged(mark)) == 3, 20)
        command = from_the_guide(r"(goaccess (?:.*\\\n)*.*)")
        log_format = re.search("--log-format='([^']*)'", command)[1]
        self.assertIn("--datetime-format=%FT%T%z", command)
        fields = {"%x": r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d", "%h": r"[0-9a-f.:]+", "%^": ".*", "%r": r"GET /\S+ HTTP/[0-9.]+",
                  "%s": r"\d{3}", "%b": r"\d+", "%T": r"\d+\.\d{3}"}
        whole = "".join(fields.get(part) or re.escape(part) for part in re.split("(%.)", log_format))
        for line in STACK.logged(mark):
            self.assertRegex(line, f"^{whole}$")
        if shutil.which("goaccess"):
            path = os.path.join(STACK.folder, "log", "nginx-access.log")
            command = command.replace("/var/log/nginx/goldsmith-access.log", shlex.quote(path))
            said = subprocess.run(command + " --no-progress --output=json", shell=True, check=True, stdout=subprocess.PIPE).stdout
            general = json.loads(said)["general"]
            self.assertEqual((general["failed_requests"], general["valid_requests"] > 0), (0, True))


def main():
    global STACK
    build = os.path.abspath(sys.argv[1])
    STACK = Stack(os.path.join(build, "test-stacks", "access-log"), os.path.join(build, "bin"),
                  os.path.join(build, "toolchain"))
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[2:]])


main()

#!/usr/bin/env python3
"""What nginx does by itself: web_server.py BUILD_FOLDER [TEST…]

Preflights, limits by caller, slow clients and long connections. The test is a trusted proxy of its
stack, so that it can speak for many callers."""

import collections
import concurrent.futures
import contextlib
import json
import os
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import time
import unittest

from running_stack import ServiceTest, Stack, h2load, new_address, wait_until

STACK = None
META = "/v1/meta"
PREFLIGHT = {"Access-Control-Allow-Origin": "*", "Access-Control-Allow-Methods": "GET, HEAD, OPTIONS",
             "Access-Control-Allow-Headers": "Authorization, If-None-Match, Range", "Access-Control-Max-Age": "86400"}
JSON, HTML = "application/json; charset=utf-8", "text/html"


def setUpModule():
    STACK.up()
    STACK.run("configure", "trusted_proxies = 127.0.0.1")
    SlowClients.start()


def tearDownModule():
    STACK.run("stop")


def preflight(caller, target=META):
    return STACK.get(target, method="OPTIONS", x_forwarded_for=caller)


def connect():
    """A TLS connection with HTTP/1.1."""
    context = ssl.create_default_context(cafile=STACK.client.certificate)
    plain = socket.socket()
    # A small buffer, so that most of a response waits in nginx.
    plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    plain.connect(("127.0.0.1", STACK.client.https_port))
    return context.wrap_socket(plain, server_hostname="127.0.0.1")


@contextlib.contextmanager
def frozen(*pools):
    """The workers of the pools take no request meanwhile."""
    pids = [pid for pool in pools for pid in STACK.worker_pids(pool)]
    try:
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)
        yield
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGCONT)


class BuildPages(ServiceTest):
    """What costs a build worker milliseconds (decision R21)."""

    def test_a_caller_who_asks_for_hundreds_waits_and_nobody_else_does(self):
        targets = [f"/server/checksums.txt?plugins=hundreds-{number}" for number in range(350)] + ["/server"] * 100
        started = time.monotonic()
        with self.asking_for(new_address(), targets) as answers:
            wait_until(lambda: set(answers()) >= {("429", JSON, "1", True), ("429", HTML, "1", True)}, 30)
            for target in ("/server?plugins=another-caller", "/server/sbom.cdx.json?plugins=another-caller"):
                self.assertEqual(STACK.get(target, x_forwarded_for=new_address()).status, 200)
            wait_until(lambda: [status for status, *_ in answers()].count("200") >= 5, 20)
            counted = collections.Counter(status for status, *_ in answers())
            seconds = time.monotonic() - started
        self.assertLessEqual(counted["200"] + counted["404"], 7 + 10 * seconds)
        # Six do not wait; the worker refuses those of them that find half of the workers busy.
        self.assertGreaterEqual(len(targets) - counted["429"], 301 - 6)
        self.assertEqual(set(counted) - {"200", "404", "429"}, set())

    @contextlib.contextmanager
    def asking_for(self, caller, targets):
        """All at once. Yields what returns, of each that was answered so far, (status, content type, Retry-After,
        whether it speaks of limits)."""
        folder = self.enterContext(tempfile.TemporaryDirectory(prefix="goldsmith-asked-"))
        config, printed = os.path.join(folder, "config"), os.path.join(folder, "printed")
        with open(config, "w", encoding="ascii") as file:
            file.writelines(f'url = "{STACK.url(target)}"\noutput = "{folder}/{number}"\n'
                            for number, target in enumerate(targets))
        with open(printed, "w", encoding="ascii") as output:
            curl = subprocess.Popen(["curl", "--silent", "--no-progress-meter", "--http2", "--parallel",
                                     "--parallel-max", str(len(targets)),
                                     "--cacert", STACK.client.certificate, "--header", f"X-Forwarded-For: {caller}",
                                     "--write-out", "%{stderr}%{filename_effective}\t%{http_code}\t%{content_type}\t"
                                     "%header{retry-after}\n",
                                     "--config", config], stderr=output)

        def answers():
            with open(printed, encoding="ascii") as file:
                return [answer(*line[:-1].split("\t")) for line in file if line.endswith("\n")]

        def answer(path, *outcome):
            with open(path, encoding="utf-8") as file:
                text = file.read()
            return *outcome, '"error":"rate_limited"' in text or "<h1>Too many requests</h1>" in text
        try:
            yield answers
        finally:
            curl.kill()
            curl.wait()

    def test_who_clicks_twice_a_second_meets_no_limit(self):
        caller = new_address()
        for number in range(8):
            begin = time.monotonic()
            answer = STACK.get(f"/server?plugins=click-{number}", x_forwarded_for=caller)
            self.assertEqual(answer.status, 200)
            time.sleep(max(0, 0.5 - (time.monotonic() - begin)))

    def test_every_name_below_archives_has_the_limit_of_pages(self):
        for name in ("no-archive", "0" * 64 + ".zip"):
            caller = new_address()
            h2load("-n", "2000", "-c", "8", "-m", "100", "-H", f"X-Forwarded-For: {caller}", STACK.url(f"/archives/{name}"))
            wait_until(lambda caller=caller: STACK.statuses(caller)["429"], 20, lambda name=name: f": {name} has no limit")


class Preflights(ServiceTest):
    def test_every_header_is_there_without_a_worker(self):
        with frozen("api", "build"):
            for target in (META, "/v1", "/v1/nothing", "/v1/openapi.json", "/v1/server-builder/download",
                           "/v1/plugins/x/download/1"):
                response = preflight(new_address(), target)
                self.assertEqual((response.status, response.body), (204, b""), target)
                for name, value in PREFLIGHT.items():
                    self.assertEqual(response.all(name), [value], target)
                for name in ("Content-Type", "RateLimit-Limit", "Access-Control-Allow-Credentials"):
                    self.assertEqual(response.all(name), [], target)
                self.assertIn("ETag", response.all("Access-Control-Expose-Headers")[0])

    def test_they_are_answered_while_the_api_is_disabled(self):
        STACK.run("goldsmith", "setting", "set", "api_enabled", "off")
        try:
            self.assertEqual(preflight(new_address()).status, 204)
        finally:
            STACK.run("goldsmith", "setting", "set", "api_enabled", "on")

    def test_a_caller_has_bursts_of_100_and_20_a_second(self):
        caller = new_address()
        started = time.monotonic()
        with concurrent.futures.ThreadPoolExecutor(16) as pool:
            answers = list(pool.map(lambda _: preflight(caller), range(400)))
        seconds = time.monotonic() - started
        counted = collections.Counter(each.status for each in answers)
        self.assertEqual(set(counted), {204, 429}, counted)
        self.assertGreaterEqual(counted[204], 101)
        self.assertLessEqual(counted[204], 102 + 20 * seconds)
        refused = next(each for each in answers if each.status == 429)
        self.assert_error(refused, 429, "rate_limited")
        self.assertEqual(refused.all("Retry-After"), ["1"])
        self.assertEqual(preflight(new_address()).status, 204)

    def test_the_networks_of_ipv6_count_as_one_caller(self):
        load = subprocess.Popen(["h2load", "-D", "10", "-c", "1", "-m", "1", "-H", ":method: OPTIONS", "-H",
                                 "X-Forwarded-For: 2001:db8:7:1::1", STACK.url(META)], stdout=subprocess.DEVNULL)
        try:
            wait_until(lambda: preflight("2001:db8:7:1:ffff:ffff:ffff:fffe").status == 429)
            self.assertEqual(preflight("2001:db8:7:2::1").status, 204)
            self.assertEqual(preflight("::ffff:198.51.100.200").status, 204)
        finally:
            load.kill()
            load.wait()

    def test_other_requests_do_not_count(self):
        caller = new_address()
        h2load("-n", "300", "-c", "1", "-m", "1", "-H", f"X-Forwarded-For: {caller}", STACK.url(META))
        self.assertEqual(preflight(caller).status, 204)


class Connections(ServiceTest):
    def test_the_concurrent_requests_of_a_caller_are_limited(self):
        caller, network = "198.51.100.77", "2001:db8:8:1:"
        for sender, same in ((caller, "::ffff:" + caller), (network + ":1", network + "ffff::2")):
            with frozen("build"):
                load = subprocess.Popen(
                    ["h2load", "-n", "300", "-c", "3", "-m", "100", "-H", f"X-Forwarded-For: {sender}",
                     STACK.url("/v1/plugins/afk-watch/download/2.0?kind=sma")], stdout=subprocess.PIPE, text=True)
                wait_until(lambda each=same: STACK.get(META, x_forwarded_for=each).status == 429,
                           hint=lambda each=sender: f"; answered: {STACK.statuses(each)}")
                self.assertEqual(STACK.get(META, x_forwarded_for=new_address()).status, 200)
                self.assertEqual(STACK.get(META, x_forwarded_for="2001:db8:8:2::1").status, 200)
            said = load.communicate(timeout=60)[0]
            # The question from the same caller may have been one of the 256.
            self.assertRegex(said, r"status codes: (256 2xx, 0 3xx, 44|255 2xx, 0 3xx, 45) 4xx, 0 5xx")

    def test_a_connection_carries_more_than_a_thousand_requests(self):
        succeeded, classes = h2load("-n", "3000", "-c", "1", "-m", "4", STACK.url(META))
        self.assertEqual((succeeded, classes[2]), (3000, 3000))


class Bodies(ServiceTest):
    """Nothing takes a body. What a client sends all the same is not read."""

    LENGTHS = ("Transfer-Encoding: chunked", "Content-Length: 1000000000000")
    MEGABYTES = 16  # what fits into the buffers of both sockets

    def test_a_body_without_an_end_is_not_read_anywhere(self):
        for target in (META, "/v1/openapi.json", "/v1/nothing", "/v1/server-builder/resolve", "/v1/..%2f", "/", "/server",
                       "/server/egg.json", "/metrics", "/nothing", "/_depot/x", "/archives/x", f"/archives/{'0' * 64}.zip",
                       "/_error/404", "/%zz"):
            for method in ("GET", "OPTIONS", "POST", "TRACE"):
                for length in self.LENGTHS:
                    self.assert_not_read(connect, method, target, length)

    def test_a_long_body_is_not_read_over_plain_http(self):
        for length in self.LENGTHS:
            self.assert_not_read(lambda: socket.create_connection(("127.0.0.1", STACK.client.http_port)),
                                 "GET", "/v1/meta", length)

    def test_a_long_body_is_not_read_while_an_archive_is_sent(self):
        query = "components=large-content"
        archive = STACK.get_json(f"/v1/server-builder/resolve?{query}")["build_hash"]
        for target in (f"/archives/{archive}.zip", f"/v1/server-builder/download?{query}"):
            self.assert_not_read(connect, "GET", target, self.LENGTHS[0])

    def assert_not_read(self, connecting, method, target, length):
        chunk = b"10000\r\n" + b"x" * 0x10000 + b"\r\n"
        with connecting() as client, self.subTest(method=method, target=target, length=length):
            client.settimeout(5)
            client.sendall(f"{method} {target} HTTP/1.1\r\nHost: localhost\r\n{length}\r\n\r\n".encode())
            sent, started = 0, time.monotonic()
            with contextlib.suppress(OSError):
                while sent < self.MEGABYTES << 20:
                    client.sendall(chunk)
                    sent += len(chunk)
            self.assertLess(sent, self.MEGABYTES << 20)
            self.assertLess(time.monotonic() - started, 3)
            self.assertRegex(client.recv(100), rb"HTTP/1.1 4\d\d ")

    def test_a_body_that_is_too_long_is_an_error_that_can_be_read(self):
        # Who sends it without asking may find the connection closed before the answer was read.
        asking = ["--header", "Expect: 100-continue", "--expect100-timeout", "60"]
        for target, method in ((META, "GET"), (META, "POST"), ("/v1/openapi.json", "POST")):
            with self.subTest(target=target, method=method):
                self.assert_too_large(method, target, *asking)

    def test_a_body_of_unknown_length_is_an_error_when_it_was_too_long(self):
        for target, method in ((META, "GET"), (META, "POST"), ("/v1/openapi.json", "POST")):
            with self.subTest(target=target, method=method):
                # It ends while the client still sends, so some clients can't read the answer.
                for _ in range(10):
                    with contextlib.suppress(subprocess.CalledProcessError):
                        self.assert_too_large(method, target, "--header", "Transfer-Encoding: chunked")
                        break
                else:
                    self.fail("no answer was read")

    def assert_too_large(self, method, target, *options):
        answer = STACK.curl("--http1.1", "--request", method, "--data-binary", "x" * 100_000, *options, STACK.url(target))
        self.assertEqual(json.loads(answer), {"error": "payload_too_large", "status": False})

    def test_a_short_body_harms_nobody(self):
        for target in (META, "/v1/openapi.json", "/"):
            self.assertEqual(STACK.client.send("GET", target, [], {"body": "60000"}).status, 200, target)


class SlowClient:
    """A client that is slow in a thread of its own, while other tests run."""

    def __init__(self, be_slow, *arguments):
        self.thread = concurrent.futures.ThreadPoolExecutor(1)
        self.seen = self.thread.submit(be_slow, *arguments)

    def wait(self):
        with self.thread:
            return self.seen.result()


def send_headers_slowly():
    """The seconds until nginx closes the connection."""
    with connect() as client:
        started = time.monotonic()
        client.sendall(b"GET /v1/meta HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ")
        client.settimeout(0.5)
        for _ in range(60):
            try:
                client.sendall(b"a")
                if not client.recv(1):
                    break
            except TimeoutError:
                continue
            except OSError:
                break
        return time.monotonic() - started


def read_slowly(client, bytes_a_second, seconds):
    """The bytes that came."""
    read, started = 0, time.monotonic()
    with client:
        while (elapsed := time.monotonic() - started) < seconds:
            if read > elapsed * bytes_a_second:
                time.sleep(0.1)
                continue
            chunk = client.recv(4096)
            if not chunk:
                break
            read += len(chunk)
    return read


def stop_reading(client, seconds):
    """The bytes that still come after a pause that is longer than nginx waits."""
    with client:
        time.sleep(seconds)
        read = 0
        with contextlib.suppress(OSError):
            client.settimeout(5)
            while chunk := client.recv(1 << 16):
                read += len(chunk)
        return read


def large_archive():
    """The path of a download of 16 MB."""
    folder = os.path.join(STACK.folder, "large")
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "component.json"), "w", encoding="utf-8") as file:
        json.dump({"slug": "large-content", "name": "Large", "description": "", "homepage": "", "license": "MIT",
                   "layer": "content", "is_default": False, "selectable": True, "sort_order": 900}, file)
    with open(os.path.join(folder, "noise.dat"), "wb") as file:
        file.write(os.urandom(16 << 20))
    subprocess.run(["zip", "-q", "large.zip", "noise.dat"], cwd=folder, check=True)
    STACK.run("goldsmith", "component", "import", os.path.join(folder, "component.json"))
    STACK.run("goldsmith", "component", "mirror", "large-content", "--version", "1.0", "--archive",
              os.path.join(folder, "large.zip"))
    return "/v1/server-builder/download?components=large-content"


class SlowClients(unittest.TestCase):
    """The last tests of this file by name: what they wait for goes on during the others."""

    KILOBYTES, SECONDS = 20, 100

    @classmethod
    def start(cls):
        cls.archive = large_archive()
        cls.reader = SlowClient(read_slowly, cls.asking(), cls.KILOBYTES << 10, cls.SECONDS)
        cls.writer = SlowClient(send_headers_slowly)

    @classmethod
    def asking(cls):
        client = connect()
        client.sendall(f"GET {cls.archive} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
        return client

    def test_slow_headers_end(self):
        seconds = self.writer.wait()
        self.assertTrue(8 < seconds < 20, seconds)

    def test_readers_of_20_kb_a_second_go_on(self):
        self.assertGreater(self.reader.wait(), self.KILOBYTES * self.SECONDS * 900)

    def test_z_readers_that_stop_reading_end(self):
        """After 20 seconds in place of five minutes; the reload ends what the other tests began."""
        conf = os.path.join(STACK.folder, "etc", "nginx", "goldsmith", "clients.conf")
        with open(conf, encoding="utf-8") as file:
            text = file.read()
        self.assertRegex(text, "send_timeout +300s;")
        with open(conf, "w", encoding="utf-8") as file:
            file.write(text.replace("300s", "20s"))
        former = set(STACK.processes("nginx")[1:])
        os.kill(STACK.processes("nginx")[0], signal.SIGHUP)
        wait_until(lambda: not former & set(STACK.processes("nginx")), 60)
        client = self.asking()
        self.assertIn(b"200 OK", client.recv(200))
        self.assertLess(stop_reading(client, 35), 15 << 20)


def main():
    global STACK
    build = os.path.abspath(sys.argv[1])
    STACK = Stack(os.path.join(build, "test-stacks", "web-server"), os.path.join(build, "bin"),
                  os.path.join(build, "toolchain"))
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[2:]])


main()

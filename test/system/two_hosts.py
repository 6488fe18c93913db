#!/usr/bin/env python3
"""Two hosts with one database behind one nginx, and a restored backup: two_hosts.py BUILD_FOLDER

The second host is a stack with caches, shared memory and web server of its own, which uses the first one's database
and depot. In front are nginx/front.conf.example and nginx/haproxy.cfg.example, with the names and ports of this test."""

import collections
import concurrent.futures
import contextlib
import json
import os
import re
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import time
import unittest

from counted_load import BackgroundLoad
from fronts import ArchiveFront, HaproxyFront, NginxFront
from running_stack import ROOT, Stack, wait_until

sys.path.insert(0, os.path.join(ROOT, "test", "support"))

from upstream_server import make_certificate  # noqa: E402  (found by the line above)

FIRST = SECOND = RESTORED = FRONT = None
RESOLVE, DOWNLOAD = "/v1/server-builder/resolve", "/v1/server-builder/download"
SELECTIONS = ["?optimized=1", "?plugins=afk-watch", "?components=anvil-engine", "?components=anvil-engine,forge-gamedll"]


def setUpModule():
    for host in (FIRST, SECOND):
        host.up()
    share_the_database()
    FRONT.start()


def tearDownModule():
    FRONT.stop()
    for host in (SECOND, FIRST):
        host.run("stop")


def setting_of(stack, name):
    with open(os.path.join(stack.folder, "etc", "goldsmith.conf"), encoding="utf-8") as file:
        return re.search(rf"^{re.escape(name)} = (.*)$", file.read(), re.MULTILINE).group(1)


COMMON = ["limits.backend = mysql", "trusted_proxies = 127.0.0.1"]


def shared_lines(*names):
    return [f"{name} = {setting_of(FIRST, name)}" for name in names]


def share_the_database():
    FIRST.run("configure", *COMMON)
    for name in ("operator.conf", "api.conf", "build.conf"):
        shutil.copy(os.path.join(FIRST.folder, "etc", name), os.path.join(SECOND.folder, "etc", name))
    SECOND.run("configure", *COMMON, *shared_lines("database.socket", "depot", "base_url", "site_url"))


class Load(BackgroundLoad):
    """Four clients ask for reads, selections, sources and archives without a pause while the block runs."""

    def __init__(self, front):
        super().__init__([()] * 4)
        self.front = front

    def run(self, number, *job):
        turn = 0
        while not self.stopped.is_set():
            turn += 1
            for target in (f"/v1/plugins?page_n={turn % 40 + 1}&q={number}", f"{RESOLVE}?x={turn % 20}",
                           f"/v1/plugins/afk-watch/download/2.0?kind=sma&x={turn % 20}",
                           f"{DOWNLOAD}?components=anvil-engine&x={turn % 20}"):
                try:
                    self.answers.append((self.front.get(target)[0], target))
                except OSError as error:
                    self.answers.append((str(error), target))


def select(sql):
    """The number that a query of one row and column returns."""
    return int(FIRST.run("sql", sql).split()[-1])


def recorded():
    """(rows in the download log, downloads in the counters)"""
    return (select("SELECT COUNT(*) FROM goldsmith.download_log"),
            select("SELECT SUM(downloads) FROM goldsmith.plugin_counters"))


@contextlib.contextmanager
def downloads_that_wait(slug):
    """Nothing of the plugin is counted until what is yielded is called."""
    with subprocess.Popen(["mariadb", "--no-defaults", "--unbuffered", "-N", "-uroot", "-S",
                           setting_of(FIRST, "database.socket"), "goldsmith"], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, text=True) as session:
        session.stdin.write(f"BEGIN; SELECT downloads FROM plugin_counters WHERE slug = '{slug}' FOR UPDATE;\n")
        session.stdin.flush()
        assert session.stdout.readline().strip().isdigit()
        yield session.stdin.close  # which ends the session


class FrontTests:
    """What holds of every front: `front` is the one in question."""

    SOURCE = "/v1/plugins/afk-watch/download/2.0?kind=sma"

    def host_of(self, target):
        """The host to which the front sends it, and the answer."""
        before = {host: host.requests() for host in (FIRST, SECOND)}
        answer = self.front.get(target)
        wait_until(lambda: sum(host.requests() - before[host] for host in before) == 1, 30)
        return max(before, key=lambda host: host.requests() - before[host]), answer

    def test_a_download_whose_answer_is_lost_with_its_host_is_counted_once(self):
        target = self.SOURCE + "&lost=1"
        host, expected = self.host_of(target)
        rows, downloads = recorded()
        with concurrent.futures.ThreadPoolExecutor(1) as pool, downloads_that_wait("afk-watch") as go_on:
            answer = pool.submit(self.front.get, target)
            wait_until(lambda: select("SELECT COUNT(*) FROM information_schema.INNODB_TRX"
                                      " WHERE trx_state = 'LOCK WAIT'") == 1, 30)
            host.signal("nginx", signal.SIGSTOP)
            try:
                go_on()
                wait_until(lambda: recorded() == (rows + 1, downloads + 1), 30)
                self.assertFalse(answer.done())
            finally:
                host.signal("nginx", signal.SIGKILL)
            try:
                self.assertEqual(answer.result(), expected)
            finally:
                host.run("nginx", "start")
        self.assertEqual(expected[0], 200)
        self.assertEqual(recorded(), (rows + 1, downloads + 1))

    def test_a_client_names_no_request(self):
        rows, downloads = recorded()
        for _ in range(3):
            self.assertEqual(self.front.get(self.SOURCE, **{"X-Goldsmith-Front": "0123456789abcdef" * 2})[0], 200)
        self.assertEqual(recorded(), (rows + 3, downloads + 3))

    def test_a_host_with_the_certificate_of_another_name_is_refused(self):
        suspicious = type(self.front)(FRONT.folder + "-suspicious", FRONT.hosts, "elsewhere.example")
        suspicious.start()
        try:
            status, body = suspicious.get("/v1/meta")
            self.assertEqual((status, json.loads(body)), (503, {"error": "unavailable", "status": False}))
        finally:
            suspicious.stop()

    def test_callers_are_counted_by_their_own_address(self):
        self.front.get("/v1/plugins/afk-watch/download/2.0?kind=sma", **{"X-Forwarded-For": "198.51.100.99"})
        log = json.loads(FIRST.run("goldsmith", "log", "downloads", "--limit", "1", "--json"))
        self.assertEqual(log[0]["caller"], "127.0.0.1")


class TwoHosts(FrontTests, unittest.TestCase):
    def setUp(self):
        self.front = FRONT

    def test_equal_selections_are_equal_bytes_on_both(self):
        for selection in SELECTIONS:
            plans = [host.get_json(RESOLVE + selection) for host in (FIRST, SECOND)]
            self.assertEqual(*(plan["build_hash"] for plan in plans))
            self.assertEqual(*(plan["download_url"] for plan in plans))
            archives = [host.get(DOWNLOAD + selection) for host in (FIRST, SECOND)]
            self.assertEqual(archives[0].body, archives[1].body)
            self.assertEqual(archives[0].all("ETag"), archives[1].all("ETag"))

    def test_equal_requests_meet_the_same_cache(self):
        for host in (FIRST, SECOND):
            host.empty_cache()
        for selection in SELECTIONS * 3:
            self.assertEqual(FRONT.get(DOWNLOAD + selection)[0], 200)
        built = FIRST.cached_archives() + SECOND.cached_archives()
        hashes = {FIRST.get_json(RESOLVE + selection)["build_hash"] + ".zip" for selection in SELECTIONS}
        self.assertEqual(sorted(built), sorted(hashes))

    def test_a_limit_counts_on_both_together(self):
        FIRST.run("goldsmith", "setting", "set", "anonymous_per_day", "30")
        try:
            self.wait_until_visible("per_day", 30)
            for _ in range(2):  # a day may end in the middle
                answers = collections.Counter(
                    host.get("/v1/meta", x_forwarded_for="198.51.100.7").status for host in (FIRST, SECOND) * 20)
                if answers == {200: 30, 429: 10}:
                    break
            self.assertEqual(answers, {200: 30, 429: 10})
        finally:
            FIRST.run("goldsmith", "setting", "set", "anonymous_per_day", "1000000")
            self.wait_until_visible("per_day", 1000000)

    def wait_until_visible(self, name, value):
        """On the other host: two seconds, as the changes of other hosts may take."""
        deadline = time.monotonic() + 20
        caller = 0
        while True:
            caller += 1
            limits = SECOND.get("/v1/meta", x_forwarded_for=f"203.0.113.{caller % 250}")
            if json.loads(limits.body)["rate_limits"][name] == value:
                return
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.1)

    def test_downloads_of_both_add_up(self):
        def downloads(host):
            return host.get_json("/v1/plugins/afk-watch")["plugin"]["downloads"]
        before = downloads(FIRST)
        for host in (FIRST, SECOND, FIRST, SECOND, SECOND):
            self.assertEqual(host.get("/v1/plugins/afk-watch/download/2.0?kind=sma").status, 200)
        for host in (FIRST, SECOND):
            deadline = time.monotonic() + 20
            while downloads(host) != before + 5:
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.1)

    def test_copies_of_a_request_are_counted_once_on_both_together(self):
        rows, downloads = recorded()
        for host in (FIRST, SECOND, SECOND, FIRST):
            self.assertEqual(host.get(self.SOURCE, x_goldsmith_front="0123456789abcdef" * 2).status, 200)
        self.assertEqual(recorded(), (rows + 1, downloads + 1))

    def test_a_host_that_is_down_is_passed_over(self):
        SECOND.run("pool", "api", "stop")
        try:
            answers = {FRONT.get(f"/v1/plugins?page_n={page}")[0] for page in range(1, 30)}
            self.assertEqual(answers, {200})
        finally:
            SECOND.run("pool", "api", "start")

    def test_what_a_front_logs_of_a_request_is_short(self):
        FRONT.get("/v1/" + "a" * 3000)
        with open(os.path.join(FRONT.folder, "access.log"), encoding="utf-8") as file:
            wait_until(lambda: f"/v1/{'a' * 508} HTTP" in file.read(), 20)

    def test_a_host_that_answers_503_stays_in_service(self):
        folder = os.path.join(SECOND.folder, "cache")
        names = [f"/v1/server-builder/download?components=anvil-engine&plugins=none-{number}" for number in range(24)]
        FIRST.empty_cache()
        SECOND.empty_cache()
        os.rename(os.path.join(folder, "archives"), os.path.join(folder, "away"))
        try:
            built, reads = [], []
            for number, name in enumerate(names):
                built.append(FRONT.get(name))
                reads.append(FRONT.get(f"/v1/plugins?page_n={number + 1}")[0])
                reads.append(FRONT.get(f"{RESOLVE}?components=anvil-engine&plugins=none-{number}")[0])
            codes = collections.Counter(
                200 if status == 200 else (status, json.loads(body)["error"]) for status, body in built)
            self.assertEqual(set(codes), {200, (503, "builder_unavailable")}, codes)
            self.assertGreaterEqual(codes[503, "builder_unavailable"], 4, codes)
            self.assertEqual(collections.Counter(reads), {200: 2 * len(names)})
        finally:
            os.rename(os.path.join(folder, "away"), os.path.join(folder, "archives"))
        self.assertEqual({FRONT.get(name)[0] for name in names}, {200})

    def test_a_dead_build_pool_leaves_the_reads_alone(self):
        for host in (FIRST, SECOND):
            host.run("pool", "build", "stop")
        try:
            for number in range(6):
                status, body = FRONT.get(f"{RESOLVE}?x={number}")
                self.assertEqual((status, json.loads(body)["error"]), (503, "unavailable"))
                self.assertEqual(FRONT.get(f"/v1/plugins?page_n={number + 1}")[0], 200)
        finally:
            for host in (FIRST, SECOND):
                host.run("pool", "build", "start")
        deadline = time.monotonic() + 20
        while FRONT.get(RESOLVE)[0] != 200:
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.1)

    def test_the_errors_of_the_front_have_the_envelope(self):
        for target, status, code in ((f"/v1/plugins?q={'x' * 40000}", 414, "uri_too_long"),
                                     ("/v1/%zz", 400, "bad_request")):
            answer = FRONT.get(target)
            self.assertEqual((answer[0], json.loads(answer[1])), (status, {"error": code, "status": False}))

    def test_keys_in_queries_reach_no_log_of_the_front(self):
        secret = "svck_" + "S3cr3tK3y5" * 4
        for target in (f"/v1/plugins?key={secret}", f"/v1/%zz?key={secret}", f"/v1/plugins?{secret}&q={'x' * 40000}"):
            FRONT.get(target)
        time.sleep(2)  # nginx writes its log once a second
        for name in ("access.log", "error.log"):
            with open(os.path.join(FRONT.folder, name), encoding="utf-8") as file:
                self.assertNotIn(secret, file.read(), name)


class Drained(FrontTests, unittest.TestCase):
    """Behind HAProxy, which asks for /readyz."""

    @classmethod
    def setUpClass(cls):
        cls.front = HaproxyFront(FRONT.folder + "-haproxy", FRONT.hosts)
        cls.front.start()

    @classmethod
    def tearDownClass(cls):
        cls.front.stop()

    def test_a_host_is_drained_restarted_and_put_back_without_a_failed_request(self):
        with Load(self.front) as load:
            wait_until(lambda: min(FIRST.requests(), SECOND.requests()) > 0, 30)
            FIRST.goldsmith("drain", "--wait", "60")
            self.assertEqual(self.readiness(FIRST), (503, True))
            self.assertEqual(FIRST.get("/v1/plugins").status, 200)
            FIRST.run("replace")
            self.assertEqual(self.readiness(FIRST), (503, True))
            for action in ("stop", "start"):
                for pool in ("api", "build"):
                    FIRST.run("pool", pool, action)
            before = FIRST.requests()
            FIRST.goldsmith("undrain")
            wait_until(lambda: FIRST.requests() > before + 20, 30)
        self.assertGreater(len(load.answers), 200)
        self.assertEqual({status for status, _ in load.answers}, {200}, load.answers[-5:])
        self.assertEqual(self.readiness(FIRST), (200, False))

    @staticmethod
    def readiness(host):
        status, body = host.monitor("readyz")
        return status, json.loads(body)["draining"]

    def test_hosts_that_are_all_drained_go_on_answering(self):
        for host in (FIRST, SECOND):
            host.goldsmith("drain")
        try:
            wait_until(lambda: " goldsmith_hosts has no server available" in self.log(), 30)
            self.assertEqual({self.front.get(f"/v1/plugins?page_n={page}")[0] for page in range(1, 10)}, {200})
        finally:
            for host in (FIRST, SECOND):
                host.goldsmith("undrain")

    def log(self):
        with open(os.path.join(self.front.folder, "access.log"), encoding="utf-8") as file:
            return file.read()

    def test_what_it_logs_of_a_request_is_short(self):
        self.front.get("/v1/" + "a" * 3000)
        wait_until(lambda: f"/v1/{'a' * 508}\n" in self.log(), 20)

    def test_a_body_without_an_end_is_not_read(self):
        context = ssl.create_default_context(cafile=FIRST.client.certificate)
        for length in ("Transfer-Encoding: chunked", "Content-Length: 1000000000000"):
            with context.wrap_socket(socket.create_connection(("127.0.0.1", self.front.port), 5),
                                     server_hostname="localhost") as client:
                client.sendall(f"GET /v1/meta HTTP/1.1\r\nHost: localhost\r\n{length}\r\n\r\n".encode())
                sent, chunk = 0, b"10000\r\n" + b"x" * 0x10000 + b"\r\n"
                with contextlib.suppress(OSError):
                    while sent < 64 << 20:
                        client.sendall(chunk)
                        sent += len(chunk)
                self.assertLess(sent, 16 << 20, length)

    def test_an_address_that_asks_for_too_much_is_refused(self):
        with socket.create_connection(("127.0.0.1", self.front.plain_port), 60) as client:
            client.sendall(b"GET /flood HTTP/1.1\r\nHost: localhost\r\n\r\n" * 11000 + b"GET / HTTP/1.1\r\nConnection: close\r\n\r\n")
            answers = b"".join(iter(lambda: client.recv(1 << 16), b""))
        self.assertIn(b"HTTP/1.1 308", answers)
        answer = self.front.get("/v1/meta")
        self.assertEqual((answer[0], json.loads(answer[1])["error"]), (429, "rate_limited"))
        time.sleep(11)  # what HAProxy remembers of an address
        self.assertEqual(self.front.get("/v1/meta")[0], 200)
        self.assertLess(self.log().count("/flood"), 10500)

    def test_readyz_is_for_trusted_proxies_alone(self):
        self.assertEqual(FIRST.get("/readyz").status, 200)
        self.assertEqual(FIRST.get("/readyz", x_forwarded_for="198.51.100.7").status, 404)

    def test_the_errors_of_the_front_have_the_envelope(self):
        for target, status, code in ((f"/v1/plugins?q={'x' * 40000}", 414, "uri_too_long"),
                                     ("/v1/%zz", 400, "bad_request")):
            answer = self.front.get(target)
            self.assertEqual((answer[0], json.loads(answer[1])["error"]), (status, code))

    def test_keys_in_queries_reach_no_log_of_the_front(self):
        secret = "svck_" + "S3cr3tK3y5" * 4
        for target in (f"/v1/plugins?key={secret}", f"/v1/%zz?key={secret}"):
            self.front.get(target)
        wait_until(lambda: "/v1/%zz" in self.log(), 30)
        self.assertNotIn(secret, self.log())


class OwnDepots(unittest.TestCase):
    """The second host has a depot of its own, which it fills from the first one's site."""

    def setUp(self):
        self.addCleanup(share_the_database)
        FIRST.run("configure", *COMMON, "depot.allow = 127.0.0.1")
        self.second(f"depot.peers = https://127.0.0.1:{FIRST.client.https_port}",
                    f"depot.ca_file = {FIRST.client.certificate}")
        self.depot = os.path.join(SECOND.folder, "depot")
        shutil.rmtree(self.depot, ignore_errors=True)
        os.mkdir(self.depot)

    @staticmethod
    def second(*lines):
        SECOND.run("configure", *COMMON, *shared_lines("database.socket", "base_url", "site_url"), *lines)

    def ready(self):
        status, body = SECOND.monitor("readyz")
        return status, json.loads(body)["depot_missing"]

    def test_a_host_fills_its_depot_from_another_ones_site(self):
        SECOND.empty_cache()
        self.assertEqual(self.ready()[0], 503)  # an empty depot
        self.assertEqual(SECOND.get(RESOLVE).status, 200)
        answer = SECOND.get(DOWNLOAD)
        self.assertEqual((answer.status, json.loads(answer.body)["error"]), (503, "builder_unavailable"))

        SECOND.run("goldsmith", "depot", "fill")
        self.assertEqual(self.ready(), (200, 0))
        SECOND.run("goldsmith", "depot", "verify")
        for selection in SELECTIONS:
            self.assertEqual(SECOND.get(DOWNLOAD + selection).body, FIRST.get(DOWNLOAD + selection).body)

        # One file less is no reason to take no more requests.
        slug, name = "anvil-engine", os.listdir(os.path.join(self.depot, "anvil-engine"))[0]
        os.unlink(os.path.join(self.depot, slug, name))
        self.assertEqual(self.ready(), (200, 1))
        # A host that does not let this one in is as one without the file.
        version, digest = re.fullmatch(r"(.*)\.([0-9a-f]{64})\.zip", name).groups()
        path = f"/_depot/{slug}/{version}/{digest}.zip"
        FIRST.run("configure", *COMMON)
        answer = FIRST.wait_for(path, 404, allowed=(200,))  # nginx replaces its processes in a moment
        said = self.fill_fails()
        self.assertIn("has no such file, or does not let this host in (depot.allow, depot.allow_ca)", said)
        self.assertEqual((answer.status, json.loads(answer.body)["error"]), (404, "not_found"))
        FIRST.run("configure", *COMMON, "depot.allow = 127.0.0.1")
        FIRST.wait_for(path, 200, allowed=(404,))
        self.assertEqual(FIRST.get(path, x_forwarded_for="198.51.100.7").status, 404)
        for path in ("/_depot/", f"/_depot/{slug}/{version}/{digest.upper()}.zip", f"/_depot/{slug}/../{version}.zip",
                     f"/_depot/{slug}/{version}/{digest[1:]}.zip", f"/_depot/.lock/1/{digest}.zip"):
            self.assertEqual(FIRST.get(path).status, 404, path)

        # nginx gives out files with the name of older versions, too.
        shared = os.path.join(FIRST.folder, "depot", slug)
        os.rename(os.path.join(shared, name), os.path.join(shared, version + ".zip"))
        try:
            SECOND.run("goldsmith", "depot", "fill")
            self.assertEqual(self.ready(), (200, 0))
        finally:
            os.rename(os.path.join(shared, version + ".zip"), os.path.join(shared, name))

    def test_a_host_with_a_certificate_needs_no_address_in_the_list(self):
        folder = self.enterContext(tempfile.TemporaryDirectory(prefix="goldsmith-hosts-"))
        authority, *own = make_certificate(os.path.join(folder, "hosts"))
        _, *foreign = make_certificate(os.path.join(folder, "others"))
        FIRST.run("configure", *COMMON, f"depot.allow_ca = {authority}")
        FIRST.wait_for("/_depot/", 404)
        refused = "has no such file, or does not let this host in (depot.allow, depot.allow_ca)"
        self.assertIn(refused, self.fill_fails())
        self.present(*foreign)
        self.assertIn(refused, self.fill_fails())
        self.present(own[0], foreign[1])
        self.assertIn("this host's certificate or its key can't be used", self.fill_fails())
        self.assertLessEqual(set(os.listdir(self.depot)), {".fill"})

        self.present(*own)
        SECOND.run("goldsmith", "depot", "fill")
        self.assertEqual(self.ready(), (200, 0))
        SECOND.run("goldsmith", "depot", "verify")

        # Everybody else is served as ever, with any certificate or none, and learns nothing of the depot.
        slug, name = "anvil-engine", os.listdir(os.path.join(self.depot, "anvil-engine"))[0]
        version, digest = re.fullmatch(r"(.*)\.([0-9a-f]{64})\.zip", name).groups()
        file = f"/_depot/{slug}/{version}/{digest}.zip"
        missing = file.replace(digest, digest[::-1])
        for pair, target, status in (([], "/v1/meta", 200), (foreign, "/v1/meta", 200), (own, "/v1/meta", 200),
                                     ([], file, 404), (foreign, file, 404), (own, file, 200), (own, missing, 404),
                                     (own, "/_depot_file", 404)):
            with self.subTest(pair=pair, target=target):
                words = ["--cert", pair[0], "--key", pair[1]] if pair else []
                answer = FIRST.curl(*words, "--output", "/dev/null", "--write-out", "%{http_code}",
                                    f"https://127.0.0.1:{FIRST.client.https_port}{target}")
                self.assertEqual(answer, str(status))

    def present(self, certificate, key):
        """The second host shows this certificate to the first one."""
        self.second(f"depot.peers = https://127.0.0.1:{FIRST.client.https_port}",
                    f"depot.ca_file = {FIRST.client.certificate}",
                    f"depot.tls_certificate = {certificate}", f"depot.tls_key = {key}")

    def fill_fails(self):
        with self.assertRaises(RuntimeError) as failure:
            SECOND.run("goldsmith", "depot", "fill", "--from", f"127.0.0.1:{FIRST.client.https_port}")
        return str(failure.exception)


OTHER = "another site"


def from_another_site(host, path):
    return host.curl("--header", "Host: another.example", f"https://127.0.0.1:{host.client.https_port}{path}")


@contextlib.contextmanager
def another_site(host):
    """At the address of a host; answers everything with OTHER, to be kept for a year."""
    file = os.path.join(host.folder, "etc", "nginx", "goldsmith.conf")
    tls = os.path.join(host.folder, "etc", "tls")
    with open(file, encoding="utf-8") as opened:
        before = opened.read()

    def write(text):
        with open(file, "w", encoding="utf-8") as opened:
            opened.write(text)
        parent, *old = host.processes("nginx")
        os.kill(parent, signal.SIGHUP)
        wait_until(lambda: not set(old) & set(host.processes("nginx")), 40)

    write(f"{before}\nserver {{\n    listen 127.0.0.1:{host.client.https_port} ssl http2;\n"
          f"    server_name another.example;\n    ssl_certificate {tls}/cert.pem;\n    ssl_certificate_key {tls}/key.pem;\n"
          f"    add_header Cache-Control max-age=31536000;\n    return 200 '{OTHER}';\n}}\n")
    try:
        yield
    finally:
        write(before)


class Archives(unittest.TestCase):
    """By their build hash, behind nginx/archives.conf.example."""

    IMMUTABLE = "public, max-age=31536000, immutable"

    @classmethod
    def setUpClass(cls):
        cls.cache = ArchiveFront(FRONT.folder + "-archives", FRONT.hosts)
        cls.cache.start()
        cls.redirect = f"https://127.0.0.1:{cls.cache.port}/archives"
        lines = (*COMMON, f"archives.redirect = {cls.redirect}")
        FIRST.run("configure", *lines)
        SECOND.run("configure", *lines, *shared_lines("database.socket", "depot", "base_url", "site_url"))

    @classmethod
    def tearDownClass(cls):
        cls.cache.stop()
        share_the_database()

    def setUp(self):
        for host in (FIRST, SECOND):
            host.empty_cache()

    @staticmethod
    def path_of(selection):
        return "/archives/" + FIRST.get_json(RESOLVE + selection)["build_hash"] + ".zip"

    def assert_not_found(self, response, reason):
        self.assertEqual((response.status, response.all("Cache-Control")), (404, ["no-store"]))
        body = json.loads(response.body)
        self.assertEqual(body["error"], "not_found")
        self.assertIn(reason, body["reason"])

    def test_a_download_leads_to_the_archive_after_the_count(self):
        selection = SELECTIONS[0]
        path = self.path_of(selection)
        built = FIRST.metric('goldsmith_archives_total{from="build"}')
        answer = FIRST.get(DOWNLOAD + selection)
        self.assertEqual((answer.status, answer.all("Location"), answer.all("Cache-Control"), answer.body),
                         (302, [self.redirect.removesuffix("/archives") + path], ["no-store"], b""))
        self.assertEqual(answer.all("X-Svc-Build-Hash"), [path[10:-4]])
        self.assertTrue(answer.all("RateLimit-Remaining"))
        self.assertEqual(FIRST.metric('goldsmith_archives_total{from="build"}'), built + 1)
        self.assertEqual(FIRST.get(DOWNLOAD + selection, "HEAD").status, 302)

        archive = self.cache.fetch(path)
        self.assertEqual(archive.status, 200)
        for name, value in (("Cache-Control", self.IMMUTABLE), ("Content-Type", "application/zip"),
                            ("Content-Disposition", f'attachment; filename="cs16-server-{path[10:22]}.zip"'),
                            ("X-Svc-Build-Hash", path[10:-4]), ("Access-Control-Allow-Origin", "*")):
            self.assertEqual(archive.headers.get_all(name), [value])
        for host in (FIRST, SECOND):  # the same, whoever builds it
            direct = host.get(path)
            self.assertEqual((direct.status, direct.body), (200, archive.body))
            self.assertEqual(direct.all("ETag"), [archive.headers["ETag"]])
        self.assertEqual(FIRST.get(path, if_none_match=archive.headers["ETag"]).status, 304)

    def test_the_cache_asks_the_hosts_once_and_serves_ranges(self):
        # No other test here uses it: the cache has nothing of it.
        path = self.path_of(SELECTIONS[1])
        FIRST.get(DOWNLOAD + SELECTIONS[1])
        whole = FIRST.get(path).body
        before = self.requests_of(path, 1)
        with concurrent.futures.ThreadPoolExecutor(6) as pool:
            answers = list(pool.map(lambda _: self.cache.fetch(path), range(6)))
        self.assertEqual({(answer.status, answer.body == whole) for answer in answers}, {(200, True)})
        pieces = -(-len(whole) // 65536)
        self.assertGreater(pieces, 1)
        self.assertEqual(self.requests_of(path, before + pieces), before + pieces)
        part = self.cache.fetch(path, range="bytes=65000-66000")
        self.assertEqual((part.status, part.body), (206, whole[65000:66001]))
        # Without the hosts, too: a year is a year.
        with self.hosts_that_have_nothing():
            answer = self.cache.fetch(path + "?anything")
        self.assertEqual((answer.status, answer.headers["X-Cache-Status"], answer.body == whole), (200, "HIT", True))

    @staticmethod
    @contextlib.contextmanager
    def hosts_that_have_nothing():
        for host in (FIRST, SECOND):
            host.run("pool", "build", "stop")
            os.rename(host.archives, host.archives + "-aside")
        try:
            yield
        finally:
            for host in (FIRST, SECOND):
                os.rename(host.archives + "-aside", host.archives)
                host.run("pool", "build", "start")

    def test_expired_pieces_are_fetched_again_one_by_one_and_serve_while_the_hosts_are_down(self):
        cache = ArchiveFront(FRONT.folder + "-expiring", FRONT.hosts,
                             "proxy_cache_valid 200 206 1s; proxy_ignore_headers Cache-Control;")
        cache.start()
        self.addCleanup(cache.stop)
        path = self.path_of(SELECTIONS[0])
        FIRST.get(DOWNLOAD + SELECTIONS[0])
        whole = FIRST.get(path).body
        pieces = -(-len(whole) // 65536)
        self.assertGreater(pieces, 1)
        for status in ("MISS", "EXPIRED", "EXPIRED"):
            answer = cache.fetch(path)
            self.assertEqual((answer.status, answer.headers["X-Cache-Status"], answer.body == whole), (200, status, True))
            # Nothing larger than a piece is fetched beside them.
            time.sleep(2.1)  # nginx counts whole seconds
            self.assertEqual(sum(len(names) for _, _, names in os.walk(os.path.join(cache.folder, "cache"))), pieces)
        with self.hosts_that_have_nothing():
            answer = cache.fetch(path)
        self.assertEqual((answer.status, answer.headers["X-Cache-Status"], answer.body == whole), (200, "STALE", True))

    @staticmethod
    def requests_of(path, expected):
        """How many the hosts have logged; their nginx writes once a second."""
        deadline = time.monotonic() + 5
        while True:
            count = 0
            for host in (FIRST, SECOND):
                with open(os.path.join(host.folder, "log", "nginx-access.log"), encoding="utf-8") as log:
                    count += sum(f"GET {path} " in line for line in log)
            if count >= expected or time.monotonic() > deadline:
                return count
            time.sleep(0.1)

    def test_no_error_is_kept(self):
        path = self.path_of("?components=anvil-engine,forge-gamedll&optimized=1")
        unknown = self.cache.fetch(path)
        self.assertEqual((unknown.status, unknown.headers.get_all("Cache-Control")), (404, ["no-store"]))
        FIRST.get(DOWNLOAD + "?components=anvil-engine,forge-gamedll&optimized=1")
        beyond = self.cache.fetch(path, range="bytes=99999999999-")
        self.assertEqual(beyond.status, 416)
        direct = FIRST.get(path, range="bytes=99999999999-")
        self.assertEqual((direct.status, json.loads(direct.body)["error"]), (416, "range_not_satisfiable"))
        self.assertIn("no-store", direct.all("Cache-Control"))
        self.assertEqual(self.cache.fetch(path).status, 200)

    def test_a_request_with_another_name_leaves_nothing_in_the_cache(self):
        selection = "?plugins=map-clock"  # of no other test here
        path = self.path_of(selection)
        FIRST.get(DOWNLOAD + selection)
        whole = FIRST.get(path).body
        with contextlib.ExitStack() as stack:
            for host in (FIRST, SECOND):
                stack.enter_context(another_site(host))
                self.assertEqual(from_another_site(host, path), OTHER)
            for name in ("another.example", "archives.example"):
                answer = self.cache.fetch(path, host=name)
                self.assertEqual((answer.status, answer.body == whole), (200, True), name)

    def test_links_are_no_archives(self):
        secret = os.path.join(FIRST.folder, "secret")
        with open(secret, "wb") as file:
            file.write(b"secret")
        os.chmod(secret, 0o644)
        path = self.path_of(SELECTIONS[0])
        file = os.path.join(FIRST.archives, path[10:])
        FIRST.run("configure", *COMMON)  # downloads are sent, not redirected
        self.addCleanup(FIRST.run, "configure", *COMMON, f"archives.redirect = {self.redirect}")
        whole = FIRST.get(DOWNLOAD + SELECTIONS[0]).body
        for target in (path, DOWNLOAD + SELECTIONS[0]):
            os.unlink(file)
            os.symlink(secret, file)
            answer = FIRST.get(target)
            # The archive is built again, or there is an error.
            self.assertIn((answer.status, answer.body == whole), ((200, True), (500, False)), target)
            self.assertNotIn(b"secret", answer.body, target)

    def test_an_archive_that_is_gone_is_built_again(self):
        selection = SELECTIONS[2]
        path = self.path_of(selection)
        first = FIRST.get(DOWNLOAD + selection)
        whole = FIRST.get(path).body
        for host in (FIRST, SECOND):
            host.empty_cache()
        self.assertEqual(SECOND.get(path, "HEAD").status, 200)
        self.assertEqual(SECOND.cached_archives(), [])
        self.assertEqual(SECOND.get(path).body, whole)
        self.assertEqual(SECOND.cached_archives(), [path[10:]])
        self.assertEqual(first.status, 302)

    def test_what_is_no_address_says_the_way_out(self):
        build = "0" * 64
        self.assert_not_found(FIRST.get(f"/archives/{build}.zip"), "No archive with this build hash is known.")
        for name in ("x", build, build[1:] + ".zip", "A" * 64 + ".zip", build + ".ZIP", "g" * 64 + ".zip"):
            self.assert_not_found(FIRST.get(f"/archives/{name}"), "64 digits")
        self.assertEqual(FIRST.get("/archives/").status, 404)
        path = self.path_of(SELECTIONS[1])
        FIRST.get(DOWNLOAD + SELECTIONS[1])
        FIRST.run("sql", f"UPDATE goldsmith.archive_builds SET selection = 'optimized=1' WHERE build_hash = '{path[10:-4]}'")
        try:
            FIRST.empty_cache()
            self.assert_not_found(FIRST.get(path), "has changed")
        finally:
            FIRST.run("sql", "DELETE FROM goldsmith.archive_builds")
        post = FIRST.get(path, "POST")
        self.assertEqual((post.status, json.loads(post.body)["error"]), (405, "method_not_allowed"))

    def test_a_line_feed_at_the_end_makes_another_address(self):
        path = self.path_of(SELECTIONS[0])
        FIRST.get(DOWNLOAD + SELECTIONS[0])
        self.assertEqual(self.cache.fetch(path).status, 200)
        self.assertEqual([FIRST.get(path + "%0a").status, FRONT.get(path + "%0a")[0], self.cache.fetch(path + "%0a").status],
                         [404, 404, 404])

    def test_a_redirected_caller_pays_once(self):
        FIRST.run("sql", "DELETE FROM goldsmith.rate_windows; DELETE FROM goldsmith.archive_builds")
        FIRST.run("goldsmith", "setting", "set", "builds_per_hour", "1")
        try:
            time.sleep(2.5)  # until the second host knows
            caller = "203.0.113.77"
            selections = SELECTIONS[2:]
            paths = [self.path_of(selection) for selection in selections]
            self.assertEqual(FIRST.get(DOWNLOAD + selections[0], x_forwarded_for=caller).status, 302)
            self.assertEqual(SECOND.get(paths[0], x_forwarded_for=caller).status, 200)
            self.assertEqual(FIRST.get(DOWNLOAD + selections[1], x_forwarded_for=caller).status, 429)
            # Later, whoever wants it built pays.
            FIRST.run("sql", "UPDATE goldsmith.archive_builds SET built_at = built_at - INTERVAL 1 HOUR")
            SECOND.empty_cache()
            again = SECOND.get(paths[0], x_forwarded_for=caller)
            self.assertEqual((again.status, again.all("Retry-After"), again.all("Cache-Control")),
                             (429, ["600"], ["no-store"]))
        finally:
            FIRST.run("goldsmith", "setting", "set", "builds_per_hour", "1000000")

    def test_the_updater_follows(self):
        folder = os.path.join(FRONT.folder, "updated")
        os.makedirs(folder)
        script = FIRST.get("/server/update.sh?components=anvil-engine").body
        with open(os.path.join(FRONT.folder, "ca-all.pem"), "w", encoding="ascii") as file:
            for host in (FIRST, SECOND):
                with open(host.client.certificate, encoding="ascii") as certificate:
                    file.write(certificate.read())
        done = subprocess.run(["sh", "-s", "--", "--yes", folder], input=script, check=False, capture_output=True,
                              env={**os.environ, "CURL_CA_BUNDLE": file.name})
        self.assertEqual(done.returncode, 0, done)
        self.assertTrue(os.listdir(folder))
        shutil.rmtree(folder)


class Backup(unittest.TestCase):
    def test_a_dump_and_the_depot_bring_everything_back(self):
        dump = os.path.join(FIRST.folder, "backup.sql")
        with open(dump, "wb") as file:
            subprocess.run(["mysqldump", "--no-defaults", "-uroot", "-S", setting_of(FIRST, "database.socket"),
                            "--single-transaction", "goldsmith"], check=True, stdout=file)
        RESTORED.up()
        try:
            RESTORED.run("sql", "DROP DATABASE goldsmith; CREATE DATABASE goldsmith CHARACTER SET utf8mb4")
            with open(dump, "rb") as file:
                subprocess.run(["mariadb", "--no-defaults", "-uroot", "-S", setting_of(RESTORED, "database.socket"),
                                "goldsmith"], check=True, stdin=file)
            depot = os.path.join(RESTORED.folder, "depot")
            shutil.rmtree(depot)
            shutil.copytree(os.path.join(FIRST.folder, "depot"), depot)
            RESTORED.run("goldsmith", "db", "migrate")
            RESTORED.run("goldsmith", "depot", "verify")
            RESTORED.run("replace")
            for selection in SELECTIONS:
                self.assertEqual(RESTORED.get(DOWNLOAD + selection).body, FIRST.get(DOWNLOAD + selection).body)
        finally:
            RESTORED.run("stop")


def main():
    global FIRST, SECOND, RESTORED, FRONT
    build = os.path.abspath(sys.argv[1])
    stacks = os.path.join(build, "test-stacks")
    FIRST, SECOND, RESTORED = (Stack(os.path.join(stacks, name), os.path.join(build, "bin"),
                                     os.path.join(build, "toolchain"))
                               for name in ("host-1", "host-2", "host-restored"))
    FRONT = NginxFront(os.path.join(stacks, "front"), (FIRST, SECOND))
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[2:]])


main()

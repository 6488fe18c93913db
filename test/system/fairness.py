#!/usr/bin/env python3
"""No caller stalls the others (decisions P13 to P15, S17, S18): fairness.py BUILD_FOLDER [TEST…]

Four build workers. The stand-in compiler spins, or takes its time, as a source's `#pragma standin` asks it to. A
build that takes long is one whose lock the test holds."""

import concurrent.futures
import contextlib
import ctypes
import fcntl
import json
import os
import shutil
import signal
import sys
import time
import unittest

from running_stack import ServiceTest, Stack, busy_processes, wait_until

STACK = None
WORKERS = 4
CPU_SECONDS = 3
RESOLVE, DOWNLOAD = "/v1/server-builder/resolve", "/v1/server-builder/download"
HELLO = '#include <amxmodx>\npublic plugin_init() {\n  register_plugin("Hello", "1.0", "tests");\n}\n'
CONFIGURATION = [f"compile.cpu_seconds = {CPU_SECONDS}"]


def setUpModule():
    STACK.up()
    STACK.run("configure", *CONFIGURATION)


def tearDownModule():
    STACK.run("stop")  # workers were killed: "down" would take that for a finding


def add_plugin(slug, source):
    folder = os.path.join(STACK.folder, "fairness", slug)
    os.makedirs(folder)
    with open(os.path.join(folder, "a.sma"), "w", encoding="utf-8") as file:
        file.write(source)
    manifest = {"slug": slug, "name": slug, "category": "tests", "status": "published", "toolchain": "1.9",
                "versions": [{"version": "1.0", "files": [
                    {"path": "a.sma", "install_dir": "addons/amxmodx/scripting"}]}]}
    with open(os.path.join(folder, "plugin.json"), "w", encoding="utf-8") as file:
        json.dump(manifest, file)
    STACK.goldsmith("plugin", "import", folder)


def add_endless(*slugs):
    for slug in slugs:
        add_plugin(slug, f"// {slug}\n#pragma standin spin\n{HELLO}")


def download(slug, kind="amxx"):
    return STACK.get(f"/v1/plugins/{slug}/download/1.0?kind={kind}")


def timed(function, *arguments):
    start = time.monotonic()
    answer = function(*arguments)
    return answer, time.monotonic() - start


def starts_of_the_compiler():
    lines = STACK.monitor("metrics")[1].splitlines()
    return sum(float(line.rpartition(" ")[2]) for line in lines if line.startswith("goldsmith_compiles_total{"))


def compiling_workers():
    """Those that have a child: its supervisor."""
    def children(pid):
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
            return file.read().split()
    return [pid for pid in STACK.worker_pids("build") if children(pid)]


def wait_for_workers():
    wait_until(lambda: STACK.metric('goldsmith_workers{pool="build"}') == WORKERS, 20)


class UnprovedSources(ServiceTest):
    @classmethod
    def setUpClass(cls):
        add_plugin("good", f"// good\n{HELLO}")
        assert download("good").status == 200  # proved from here on

    def tearDown(self):
        STACK.goldsmith("setting", "set", "compile_flood_per_minute", "1000000")

    def test_endless_ones_hold_half_of_the_workers_and_the_next_is_told_to_come_back(self):
        slugs = [f"endless-a{number}" for number in range(6)]
        add_endless(*slugs)
        before = starts_of_the_compiler()
        with concurrent.futures.ThreadPoolExecutor(len(slugs)) as pool:
            endless = [pool.submit(timed, download, slug) for slug in slugs]
            wait_until(lambda: len(compiling_workers()) == WORKERS // 2, 20)
            good = [timed(download, "good") for _ in range(10)]
            answers = [each.result() for each in endless]
        self.assertEqual({answer.status for answer, _ in good}, {200})
        # The other half of the workers is theirs alone.
        self.assertLess(max(seconds for _, seconds in good), CPU_SECONDS)
        refused = [(answer, seconds) for answer, seconds in answers if answer.status == 429]
        self.assertEqual(len(refused), len(slugs) - WORKERS // 2)
        for answer, seconds in refused:
            self.assert_error(answer, 429, "rate_limited")
            self.assertIn(json.loads(answer.body)["retry_after"], range(1, 11))
            self.assertLess(seconds, CPU_SECONDS)
        for answer, _ in answers:
            if answer.status != 429:
                self.assert_error(answer, 422, "compile_failed")
        self.assertEqual(starts_of_the_compiler() - before, WORKERS // 2 + len(good))

    def test_what_ended_at_a_limit_fails_the_same_way_at_once_and_for_nothing(self):
        add_endless("endless-b")
        first = download("endless-b")
        self.assert_error(first, 422, "compile_failed")
        self.assertIn("processor time", json.loads(first.body)["output"])
        STACK.goldsmith("setting", "set", "compile_flood_per_minute", "0")
        STACK.goldsmith("setting", "set", "compiles_per_hour", "0")
        try:
            before = starts_of_the_compiler()
            for kind in ("amxx", "zip"):
                again, seconds = timed(download, "endless-b", kind)
                self.assertEqual((again.status, again.body), (first.status, first.body))
                self.assertLess(seconds, CPU_SECONDS)
            self.assertEqual(starts_of_the_compiler(), before)
            self.assert_error(download("good"), 429, "rate_limited")
        finally:
            STACK.goldsmith("setting", "set", "compiles_per_hour", "1000000")
        rows = json.loads(STACK.goldsmith("log", "downloads", "--limit", "10", "--json"))
        self.assertEqual([row["result"] for row in rows if row["slug"] == "endless-b"], ["compile_failed"] * 3)

    def test_a_server_build_leaves_it_out_with_a_note(self):
        add_endless("endless-c")
        first, _ = timed(STACK.get_json, f"{RESOLVE}?plugins=endless-c")
        self.assertTrue(any("endless-c" in note for note in first["notes"]), first["notes"])
        STACK.goldsmith("setting", "set", "compile_flood_per_minute", "0")
        again, seconds = timed(STACK.get_json, f"{RESOLVE}?plugins=endless-c&optimized=1")
        self.assertEqual(again["notes"], first["notes"])
        self.assertLess(seconds, CPU_SECONDS)

    def test_workers_that_are_killed_while_they_compile_give_their_places_back(self):
        slugs = [f"endless-d{number}" for number in range(4)]
        add_endless(*slugs)
        with concurrent.futures.ThreadPoolExecutor(len(slugs)) as pool:
            killed = [pool.submit(download, slug) for slug in slugs[:2]]
            wait_until(lambda: len(compiling_workers()) == 2, 20)
            self.assert_error(download(slugs[2]), 429, "rate_limited")
            for pid in compiling_workers():
                os.kill(pid, signal.SIGKILL)
            self.assertEqual([each.result().status for each in killed], [503, 503])
            wait_for_workers()
            later = [pool.submit(download, slug) for slug in slugs[2:]]
            self.assertEqual([each.result().status for each in later], [422, 422])

    def test_a_good_source_gets_its_verdict_on_a_saturated_host(self):
        """Two busy processes a processor leave the background a twentieth of it, and a third to their equals."""
        add_plugin("patient", f"// patient\n#pragma standin busy\n{HELLO}")
        STACK.run("configure", "compile.cpu_seconds = 10", "compile.wall_clock_ms = 6000")
        try:
            with busy_processes(2 * os.cpu_count()):
                answer, seconds = timed(download, "patient")
                self.assertEqual(answer.status, 200, answer.text())
                self.assertGreater(seconds, 6)  # the background was not enough
        finally:
            STACK.run("configure", *CONFIGURATION)

    def test_a_slow_plugin_is_served_but_never_proved(self):
        add_plugin("slow", f"// slow\n#pragma standin busy\n{HELLO}")
        STACK.run("configure", "compile.cpu_seconds = 10")
        try:
            self.assertEqual(download("slow").status, 200)
            add_endless("endless-e0", "endless-e1")
            with concurrent.futures.ThreadPoolExecutor(2) as pool:
                endless = [pool.submit(download, slug) for slug in ("endless-e0", "endless-e1")]
                wait_until(lambda: len(compiling_workers()) == 2, 20)
                self.assert_error(download("slow"), 429, "rate_limited")
                self.assertEqual(download("good").status, 200)
                self.assertEqual({each.result().status for each in endless}, {422})
        finally:
            STACK.run("configure", *CONFIGURATION)


class Pages(ServiceTest):
    def test_half_of_the_workers_make_pages_and_the_next_is_refused_as_a_page(self):
        add_endless("endless-p0", "endless-p1")
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            slow = [pool.submit(STACK.get, f"/server?plugins=endless-p{number}") for number in range(2)]
            wait_until(lambda: len(compiling_workers()) == 2, 20)
            refused = STACK.get("/server?plugins=nobody-asked-for-this-page")
            self.assertEqual((refused.status, refused.all("Content-Type"), refused.all("Retry-After")),
                             (429, ["text/html"], ["1"]))
            self.assertIn("Please wait 1 second, then load the page again.", refused.text())
            self.assert_error_text(STACK.get("/server/checksums.txt?plugins=nobody-asked-for-this-page"))
            # The other half is there for the API.
            for target in (f"{RESOLVE}?plugins=nobody-asked-for-this-page", f"{DOWNLOAD}?components=anvil-engine"):
                self.assertEqual(STACK.get(target).status, 200)
            self.assertEqual({each.result().status for each in slow}, {200})
        self.assertEqual(STACK.get("/server?plugins=nobody-asked-for-this-page").status, 200)
        self.assertGreaterEqual(STACK.metric('goldsmith_limited_total{limit="pages"}'), 2)

    def assert_error_text(self, response):
        self.assertEqual((response.status, response.all("Retry-After")), (429, ["1"]))
        self.assertTrue(response.text().startswith("error: rate_limited\n"), response.text())


@contextlib.contextmanager
def somebody_builds(build_hash):
    """Holds what the builder of that archive would hold."""
    part = os.path.join(STACK.archives, f"{build_hash}.zip.part")
    with open(part, "wb") as file:
        owner = os.stat(STACK.archives)
        os.chown(part, owner.st_uid, owner.st_gid)
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
        os.unlink(part)


def waiters(path):
    """Processes that wait for the lock of that file."""
    with contextlib.suppress(FileNotFoundError):
        inode = f":{os.stat(path).st_ino} "
        with open("/proc/locks", encoding="ascii") as file:
            return [int(line.split()[5]) for line in file if "->" in line and inode in line]
    return []


class WaitingForABuild(ServiceTest):
    def setUp(self):
        STACK.empty_cache()
        self.query = "?components=anvil-engine,forge-gamedll"
        self.hash = STACK.get_json(RESOLVE + self.query)["build_hash"]
        self.part = os.path.join(STACK.archives, f"{self.hash}.zip.part")

    def download(self):
        return STACK.get(DOWNLOAD + self.query)

    def test_half_of_the_workers_may_wait_and_the_next_caller_pays_nothing(self):
        cached = STACK.get(DOWNLOAD + "?components=anvil-engine")
        self.assertEqual(cached.status, 200)
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            with somebody_builds(self.hash):
                waiting = [pool.submit(self.download) for _ in range(2)]
                wait_until(lambda: len(waiters(self.part)) == 2, 20)
                refused = self.download()
                self.assert_error(refused, 429, "rate_limited")
                self.assertEqual(json.loads(refused.body)["retry_after"], 5)
                self.assertEqual(refused.all("Retry-After"), ["5"])
                # Two workers are left for everybody else.
                self.assertEqual(STACK.get(DOWNLOAD + "?components=anvil-engine").status, 200)
                self.assertEqual(STACK.get("/v1/plugins/afk-watch/download/2.0?kind=sma").status, 200)
                self.assertEqual(STACK.get("/v1/meta").status, 200)
            self.assertEqual([each.result().status for each in waiting], [200, 200])

    def test_a_killed_waiter_gives_its_place_back(self):
        with concurrent.futures.ThreadPoolExecutor(3) as pool:
            with somebody_builds(self.hash):
                waiting = [pool.submit(self.download) for _ in range(2)]
                wait_until(lambda: len(waiters(self.part)) == 2, 20)
                os.kill(waiters(self.part)[0], signal.SIGKILL)
                wait_until(lambda: len(waiters(self.part)) == 1, 20)
                wait_for_workers()
                third = pool.submit(self.download)
                wait_until(lambda: len(waiters(self.part)) == 2, 20)
            self.assertEqual(third.result().status, 200)
            self.assertEqual(sorted(each.result().status for each in waiting), [200, 503])


class Room(ServiceTest):
    def setUp(self):
        STACK.empty_cache()

    def tearDown(self):
        STACK.goldsmith("setting", "set", "build_flood_per_minute", "1000000")
        STACK.run("configure", *CONFIGURATION)

    @staticmethod
    def selections():
        """Distinct ones of about the same size."""
        plugins = [item["slug"] for item in STACK.get_json("/v1/plugins?per_page=100")["plugins"]
                   if item["latest_version"] and item["category"] != "tests"]
        return [f"{DOWNLOAD}?plugins={slug}" for slug in plugins]

    def cached_bytes(self):
        return sum(os.path.getsize(os.path.join(STACK.archives, name)) for name in os.listdir(STACK.archives))

    def test_distinct_builds_never_exceed_the_cache_by_more_than_one_archive(self):
        largest = 0
        STACK.run("configure", *CONFIGURATION, "cache.archives_mb = 1", "cache.handover_seconds = 2")
        answers = []
        for target in self.selections()[:12]:
            answer = STACK.get(target)
            if answer.status == 503:
                self.assert_error(answer, 503, "builder_unavailable")
                self.assertEqual(answer.all("Retry-After"), ["10"])
                time.sleep(3.1)  # the handover is two seconds here
                answer = STACK.get(target)
            answers.append(answer.status)
            largest = max(largest, *(os.path.getsize(os.path.join(STACK.archives, name))
                                     for name in os.listdir(STACK.archives)))
            self.assertLessEqual(self.cached_bytes(), (1 << 20) + largest)
        self.assertEqual(set(answers), {200})
        self.assertGreater(largest * len(answers), 2 << 20, "the cache was never full")

    def test_without_free_space_nothing_is_built_and_cached_archives_are_served(self):
        self.assertEqual(STACK.get(DOWNLOAD + "?components=anvil-engine").status, 200)
        STACK.run("configure", *CONFIGURATION, "cache.free_mb = 16777216")
        answer = STACK.get(DOWNLOAD + "?components=anvil-engine,forge-gamedll")
        self.assert_error(answer, 503, "builder_unavailable")
        self.assertEqual(answer.all("Retry-After"), ["10"])
        self.assertEqual(STACK.get(DOWNLOAD + "?components=anvil-engine").status, 200)
        self.assertNotIn("free_mb", answer.text())

    def test_cold_builds_a_minute_are_limited_for_everybody_and_cached_archives_are_not(self):
        self.assertEqual(STACK.get(DOWNLOAD + "?components=anvil-engine").status, 200)
        STACK.goldsmith("setting", "set", "build_flood_per_minute", "0")
        answer = STACK.get(DOWNLOAD + "?components=anvil-engine,forge-gamedll")
        self.assert_error(answer, 429, "rate_limited")
        self.assertLessEqual(json.loads(answer.body)["retry_after"], 60)
        self.assertEqual(STACK.get(DOWNLOAD + "?components=anvil-engine").status, 200)


class FullScratch(ServiceTest):
    def test_a_full_scratch_disk_is_no_verdict(self):
        add_plugin("victim", f"// victim\n{HELLO}")
        scratch = os.environ["TMPDIR"]
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.mount(b"tmpfs", scratch.encode(), b"tmpfs", 0, b"size=512k,mode=1777") != 0:
            self.skipTest("mounting is not allowed here")
        try:
            answer = download("victim")
            self.assert_error(answer, 502, "compiler_unavailable")
            self.assertNotIn(scratch, answer.text())
            self.assert_error(STACK.get(f"{RESOLVE}?plugins=victim"), 502, "compiler_unavailable")
        finally:
            libc.umount2(scratch.encode(), 2)
        self.assertEqual(download("victim").status, 200)
        plan = STACK.get_json(f"{RESOLVE}?plugins=victim")
        self.assertFalse(any("victim" in note for note in plan["notes"] or []), plan["notes"])


def main():
    global STACK
    build = os.path.abspath(sys.argv[1])
    STACK = Stack(os.path.join(build, "test-stacks", "fairness"), os.path.join(build, "bin"),
                  os.path.join(build, "toolchain"))
    scratch = os.path.join(build, "test-stacks", "fairness-scratch")
    shutil.rmtree(scratch, ignore_errors=True)
    os.makedirs(scratch)
    os.environ["TMPDIR"] = scratch
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[2:]])


main()

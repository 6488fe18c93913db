#!/usr/bin/env python3
"""Limits and callers' addresses through the whole service: limits.py BUILD_FOLDER [TEST…]

The test is a trusted proxy of its stack, so that every caller it speaks for is new and has windows of
its own. Windows are aligned to the clock: a test that fails while its window turned is done again."""

import collections
import concurrent.futures
import functools
import itertools
import json
import os
import signal
import sys
import time
import unittest

from running_stack import ServiceTest, Stack, new_address

STACK = None
META, RESOLVE, DOWNLOAD = "/v1/meta", "/v1/server-builder/resolve", "/v1/server-builder/download"
PLUGIN = "/v1/plugins/afk-watch/download/2.0"
DAY, HOUR, MINUTE = 86400, 3600, 60
PLENTY = {"anonymous_per_minute": 1000000, "anonymous_per_day": 1000000, "compiles_per_hour": 1000000,
          "builds_per_hour": 1000000, "compile_flood_per_minute": 1000000, "build_flood_per_minute": 1000000}
numbers = itertools.count(1)


def setUpModule():
    STACK.up()


def tearDownModule():
    STACK.run("stop")


def within_one(seconds):
    """Of windows of that length; a test must make its callers itself, so that it can be done again."""
    def decorate(test):
        @functools.wraps(test)
        def run(self):
            while True:
                window = time.time() // seconds
                try:
                    return test(self)
                except AssertionError:
                    if time.time() // seconds == window:
                        raise
        return run
    return decorate


def new_network():
    """The first half of an IPv6 address that nobody had before, a /48."""
    return f"2001:db8:{next(numbers):x}:"


def get(target, caller, **headers):
    return STACK.get(target, x_forwarded_for=caller, **headers)


def statuses(requests, threads=16):
    """How often each status came for the requests, (target, caller, headers), all at once."""
    with concurrent.futures.ThreadPoolExecutor(threads) as pool:
        answers = pool.map(lambda one: get(one[0], one[1], **one[2]).status, requests)
        return collections.Counter(answers)


def set_limits(**limits):
    for name, value in limits.items():
        STACK.run("goldsmith", "setting", "set", name, str(value))


def kill_all_workers():
    for pool in ("api", "build"):
        for pid in STACK.worker_pids(pool):
            os.kill(pid, signal.SIGKILL)


def restart_both_pools():
    for pool in ("api", "build"):
        STACK.run("pool", pool, "stop")
        STACK.run("pool", pool, "start")


class Limits:
    """The same for both backends."""

    backend = ""

    @classmethod
    def setUpClass(cls):
        STACK.run("configure", f"limits.backend = {cls.backend}", "trusted_proxies = 127.0.0.1 10.0.0.0/8")

    def setUp(self):
        set_limits(**PLENTY)

    def assert_refused(self, target, caller, **headers):
        response = get(target, caller, **headers)
        self.assert_error(response, 429, "rate_limited")
        wait = json.loads(response.body)["retry_after"]
        self.assertEqual(response.all("Retry-After"), [str(wait)])
        return wait

    @within_one(DAY)
    def test_of_many_requests_at_once_as_many_pass_as_the_limit_says(self):
        set_limits(anonymous_per_day=20)
        caller, other = new_address(), new_address()
        requests = [(target, caller, {}) for target in (META, RESOLVE, "/v1/plugins", "/v1/nothing")
                    for _ in range(20)]
        counted = statuses(requests)
        self.assertEqual(counted[429], 60, counted)
        self.assertEqual(counted[200] + counted[404], 20, counted)
        self.assertEqual(get(META, other).status, 200)

    @within_one(DAY)
    def test_counters_outlive_workers_that_are_killed(self):
        set_limits(anonymous_per_day=5)
        caller = new_address()
        self.assertEqual(statuses([(META, caller, {})] * 2 + [(RESOLVE, caller, {})]), {200: 3})
        kill_all_workers()
        self.assertEqual([get(META, caller).status, get(RESOLVE, caller).status], [200, 200])
        self.assert_refused(META, caller)
        self.assert_refused(RESOLVE, caller)

    @within_one(DAY)
    def test_counters_outlive_a_restart_of_the_service(self):
        set_limits(anonymous_per_day=5)
        caller = new_address()
        self.assertEqual(statuses([(META, caller, {})] * 2 + [(RESOLVE, caller, {})]), {200: 3})
        restart_both_pools()
        self.assertEqual([get(META, caller).status, get(RESOLVE, caller).status], [200, 200])
        self.assert_refused(META, caller)
        self.assert_refused(RESOLVE, caller)

    @within_one(DAY)
    def test_a_refusal_says_when_the_day_is_over(self):
        set_limits(anonymous_per_day=1)
        caller = new_address()
        first = get(META, caller)
        self.assertEqual((first.all("RateLimit-Limit"), first.all("RateLimit-Remaining")), (["1"], ["0"]))
        left = DAY - time.time() % DAY
        self.assertAlmostEqual(self.assert_refused(META, caller), left, delta=60)

    @within_one(DAY)
    def test_the_quota_of_a_key_is_shared_by_all_workers_and_addresses(self):
        set_limits(anonymous_per_day=0)
        line = STACK.run("goldsmith", "key", "create", "--name", "quota", "--per-day", "7",
                         "--per-minute", "1000")
        header = {"authorization": "Bearer " + line.splitlines()[0]}
        requests = [(target, new_address(), header) for target in (META, RESOLVE) for _ in range(12)]
        self.assertEqual(statuses(requests), {200: 7, 429: 17})

    @within_one(DAY)
    def test_failed_keys_use_up_the_requests_of_their_address_and_good_keys_do_not(self):
        set_limits(anonymous_per_day=3)
        caller, bad = new_address(), {"authorization": "Bearer svck_" + "0" * 40}
        self.assertEqual(statuses([(META, caller, bad)] * 8), {401: 3, 429: 5})
        self.assert_refused(META, caller)
        line = STACK.run("goldsmith", "key", "create", "--name", "good")
        good = {"authorization": "Bearer " + line.splitlines()[0]}
        self.assertEqual(get(META, caller, **good).status, 200)

    @within_one(HOUR)
    def test_builds_have_a_budget_an_hour_that_ready_archives_do_not_touch(self):
        set_limits(builds_per_hour=1)
        STACK.empty_cache()
        one, two = (DOWNLOAD + "?components=" + slug for slug in ("anvil-engine", "forge-gamedll"))
        caller, other = new_address(), new_address()
        self.assertEqual(get(one, caller).status, 200)
        self.assertEqual(self.assert_refused(two, caller), 600)
        self.assertEqual(get(one, caller).status, 200)
        restart_both_pools()
        self.assertEqual(self.assert_refused(two, caller), 600)
        self.assertEqual(get(two, other).status, 200)
        self.assertEqual(get(two, caller).status, 200)

    @within_one(HOUR)
    def test_compiles_have_a_budget_an_hour(self):
        set_limits(compiles_per_hour=3)
        caller = new_address()
        self.assertEqual(get(PLUGIN, new_address()).status, 200)  # proved: all workers may compile it (P15)
        requests = [(PLUGIN + "?kind=" + kind, caller, {}) for kind in ("amxx", "zip") for _ in range(4)]
        self.assertEqual(statuses(requests, threads=8), {200: 3, 429: 5})
        self.assertLessEqual(self.assert_refused(PLUGIN, caller), HOUR)
        self.assertEqual(get(PLUGIN + "?kind=sma", caller).status, 200)
        self.assertEqual(get(PLUGIN, new_address()).status, 200)

    @within_one(MINUTE)
    def test_the_flood_brake_is_everybodys(self):
        self.assertEqual(get(PLUGIN, new_address()).status, 200)  # proved: all workers may compile it (P15)
        set_limits(compile_flood_per_minute=2)
        counted = statuses([(PLUGIN, new_address(), {}) for _ in range(6)], threads=6)
        # Others may have compiled in this minute already.
        self.assertLessEqual(counted[200], 2, counted)
        self.assertEqual(counted[200] + counted[429], 6, counted)
        self.assertLessEqual(self.assert_refused(PLUGIN, new_address()), MINUTE)
        self.assertEqual(get(PLUGIN + "?kind=sma", new_address()).status, 200)

    @within_one(HOUR)
    def test_the_networks_of_a_home_and_of_a_customer_have_the_hours_of_four_and_sixteen(self):
        self.assertEqual(get(PLUGIN, new_address()).status, 200)  # proved: all workers may compile it (P15)
        set_limits(compiles_per_hour=1)
        network = new_network()
        home = [(PLUGIN, f"{network}12{number:02x}::1", {}) for number in range(6)]
        self.assertEqual(statuses(home, threads=1), {200: 4, 429: 2})
        others = [(PLUGIN, f"{network}{number:x}00::1", {}) for number in range(32, 48)]
        self.assertEqual(statuses(others, threads=1), {200: 12, 429: 4})
        self.assertLessEqual(self.assert_refused(PLUGIN, network + "ff00::1"), HOUR)
        self.assertEqual(get(PLUGIN, new_network() + ":1").status, 200)

    @within_one(DAY)
    def test_callers_of_one_ipv6_network_share_its_requests(self):
        set_limits(anonymous_per_day=2)
        network = new_network()
        self.assertEqual(get(META, network + "1::1").status, 200)
        self.assertEqual(get(META, network + "1:ffff:ffff:ffff:fffe").status, 200)
        self.assert_refused(META, network + "1::77")
        self.assertEqual(get(META, network + "2::1").status, 200)

    @within_one(DAY)
    def test_an_ipv4_address_inside_an_ipv6_one_is_the_ipv4_address(self):
        set_limits(anonymous_per_day=1)
        caller = new_address()
        self.assertEqual(get(META, "::ffff:" + caller).status, 200)
        self.assert_refused(META, caller)
        self.assertEqual(get(META, "::ffff:" + new_address()).status, 200)

    def windows_in_the_database(self):
        return int(STACK.run("sql", "SELECT COUNT(*) FROM goldsmith.rate_windows").split()[1])


class LimitsInMemory(Limits, ServiceTest):
    backend = "memory"

    def test_the_database_has_no_part_in_it(self):
        STACK.run("sql", "DELETE FROM goldsmith.rate_windows")
        get(META, new_address())
        self.assertEqual(self.windows_in_the_database(), 0)


class LimitsInTheDatabase(Limits, ServiceTest):
    backend = "mysql"

    def test_the_database_holds_the_counters(self):
        before = self.windows_in_the_database()
        get(META, new_address())
        self.assertEqual(self.windows_in_the_database(), before + 2)

    @within_one(DAY)
    def test_hosts_of_one_database_share_the_counters(self):
        set_limits(anonymous_per_day=2)
        caller = new_address()
        self.assertEqual(get(META, caller).status, 200)
        # What a second host has not: the shared memory of the first.
        lines = [f"limits.backend = {self.backend}", "trusted_proxies = 127.0.0.1"]
        STACK.run("configure", *lines, "state = " + os.path.join(STACK.folder, "run", "state-2"))
        try:
            self.assertEqual(get(META, caller).status, 200)
            self.assert_refused(META, caller)
        finally:
            self.setUpClass()
        self.assert_refused(META, caller)

    def statements(self):
        """That the server has got so far."""
        return int(STACK.run("sql", "SHOW GLOBAL STATUS LIKE 'Questions'").split()[-1])

    @within_one(DAY)
    def test_refusals_cost_the_database_nothing(self):
        set_limits(anonymous_per_day=1)
        caller = new_address()
        self.assertEqual(get(META, caller).status, 200)
        self.assertEqual(statuses([(META, caller, {})] * 50), {429: 50})  # each worker finds it out for itself
        before = self.statements()
        self.assertEqual(statuses([(META, caller, {})] * 300), {429: 300})
        # Workers look at the revision every two seconds.
        self.assertLess(self.statements() - before, 60)

    def test_without_its_database_the_service_says_so_and_comes_back(self):
        STACK.run("database", "stop")
        try:
            self.assert_error(get(META, new_address()), 500, "query_failed")
            self.assert_error(get(RESOLVE, new_address()), 500, "query_failed")
        finally:
            STACK.run("database", "start")
        self.assertEqual(get(META, new_address()).status, 200)
        self.assertEqual(get(RESOLVE, new_address()).status, 200)


class Callers(ServiceTest):
    """Whom the service takes for the caller: that is whose requests are counted and who is logged."""

    def caller_of(self, *forwarded_for):
        """With a header line for each argument."""
        lines = [("X-Forwarded-For", value) for value in forwarded_for]
        response = STACK.client.send("GET", PLUGIN + "?kind=sma", lines, {})
        self.assertEqual(response.status, 200)
        return json.loads(STACK.run("goldsmith", "log", "downloads", "--limit", "1", "--json"))[0]["caller"]

    def test_a_listed_proxy_names_the_caller(self):
        STACK.run("configure", "trusted_proxies = 127.0.0.1, 10.0.0.0/8 fd00::/8")
        for expected, lines in (
                ("127.0.0.1", []),
                ("203.0.113.7", ["203.0.113.7"]),
                ("2001:db8::7", ["2001:DB8:0::7"]),
                # What stands before the last address was written by the client.
                ("203.0.113.7", ["1.2.3.4, 5.6.7.8,203.0.113.7"]),
                ("203.0.113.7", ["127.0.0.1, 203.0.113.7"]),
                # Proxies behind proxies.
                ("203.0.113.7", ["1.2.3.4, 203.0.113.7, 10.1.2.3, fd00::1"]),
                ("203.0.113.7", ["1.2.3.4, 203.0.113.7", "10.1.2.3"]),
                ("203.0.113.7", ["1.2.3.4", "203.0.113.7"]),
                ("10.1.2.3", ["10.1.2.3"]),
                # What is no address ends the search at who wrote it.
                ("127.0.0.1", ["203.0.113.7, unknown"]),
                ("10.1.2.3", ["203.0.113.7, 203.0.113.7:443, 10.1.2.3"]),
                ("127.0.0.1", ["' OR 1=1 --"]),
                ("127.0.0.1", [""])):
            self.assertEqual(self.caller_of(*lines), expected, lines)

    def test_nobody_else_names_the_caller(self):
        for line in ("trusted_proxies = 10.0.0.0/8 fd00::/8", "trusted_proxies ="):
            STACK.run("configure", line)
            for value in ("203.0.113.7", "10.1.2.3", "127.0.0.1, 10.1.2.3"):
                self.assertEqual(self.caller_of(value), "127.0.0.1", line)

    def recorded(self, *requests):
        """How many rows of the log, and in the counter, these requests make: (x_goldsmith_front, caller, query)."""
        def counts():
            return tuple(int(STACK.run("sql", f"SELECT {what}").split()[-1]) for what in (
                "COUNT(*) FROM goldsmith.download_log", "SUM(downloads) FROM goldsmith.plugin_counters"))
        before = counts()
        for front, caller, query in requests:
            response = get(f"{PLUGIN}?kind=sma{query}", caller, x_goldsmith_front=front)
            self.assertEqual(response.status, 200)
        rows, downloads = (after - old for after, old in zip(counts(), before))
        self.assertEqual(rows, downloads)
        return rows

    def test_a_request_that_a_listed_proxy_repeats_is_counted_once(self):
        STACK.run("configure", "trusted_proxies = 127.0.0.1")
        front, caller, other = os.urandom(16).hex(), new_address(), new_address()
        self.assertEqual(self.recorded(*[(front, caller, "")] * 3), 1)
        self.assertEqual(self.recorded((front, other, ""), (front, caller, "&x=1"), (front[::-1], caller, "")), 3)
        self.assertEqual(self.recorded(*[("1", caller, "")] * 2, *[(front + "0", caller, "")] * 2), 4)

    def test_requests_of_everybody_else_count_each_time(self):
        for line in ("trusted_proxies = 10.0.0.0/8", "trusted_proxies ="):
            STACK.run("configure", line)
            self.assertEqual(self.recorded(*[(os.urandom(16).hex(), "127.0.0.1", "")] * 3), 3)

    @within_one(DAY)
    def test_a_client_that_names_others_loses_its_own_requests(self):
        STACK.run("configure", "trusted_proxies =")
        set_limits(**PLENTY)
        counted = [int(get(META, new_address()).all("RateLimit-Remaining")[0]) for _ in range(3)]
        self.assertEqual(counted, [counted[0], counted[0] - 1, counted[0] - 2])


def main():
    global STACK
    build = os.path.abspath(sys.argv[1])
    STACK = Stack(os.path.join(build, "test-stacks", "limits"), os.path.join(build, "bin"),
                  os.path.join(build, "toolchain"))
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[2:]])


main()

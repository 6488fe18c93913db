#!/usr/bin/env python3
"""Three Galera nodes and two hosts behind one nginx, under load, while parts of them fail: cluster.py BUILD_FOLDER

The first node is the one that both hosts write to, because it is the first of `database.hosts`. The tests run in the
order of their names, beside one load; the last one compares what the clients saw with what was counted."""

import concurrent.futures
import contextlib
import datetime
import json
import os
import shutil
import signal
import subprocess
import sys
import time
import unittest

import galera
from counted_load import Clients, Ledger, LimitedCaller, Load, UnderLoad, known_answers
from fronts import NginxFront
from running_stack import COMMAND, Stack, wait_until

LONGEST_OUTAGE = 5.0  # seconds, of answers with query_failed
WORKERS = 2 * 6  # of both hosts: each can have one request in flight
LIMIT = 40  # requests of one address on one day
DOWNLOADED = {"afk-watch": "2.0", "map-clock": None}
READ = [*(f"/v1/plugins/{slug}" for slug in ("frag-streak", "money-floor", "lucky-dice")), "/v1/server-builder/meta",
        *(f"/v1/server-builder/{what}&x={turn}" for turn in range(4)
          for what in ("resolve?plugins=frag-streak", "download?components=anvil-engine"))]

FIRST = SECOND = FRONT = CLUSTER = None


class Scene:
    """What all tests share."""
    load = clients = None
    ledger = None
    shown = {}  # downloads in the API, before the load
    lost = []  # (began, ended): what failed then may have been counted
    limited = 0  # callers with an address of their own
    exits = contextlib.ExitStack()


def hosts():
    return (FIRST, SECOND)


def setUpModule():
    try:
        set_up()
    except BaseException:
        Scene.exits.close()
        raise


def set_up():
    for host in hosts():
        Scene.exits.callback(host.run, "stop")
        host.up()
    # While each host has a database of its own; the accounts of the first one are those of the cluster.
    for host in hosts():
        host.run("configure", "limits.backend = mysql")
    for name in ("operator.conf", "api.conf", "build.conf"):
        shutil.copy(os.path.join(FIRST.folder, "etc", name), os.path.join(SECOND.folder, "etc", name))
    site = f"https://127.0.0.1:{FIRST.client.https_port}"
    for host in hosts():
        host.run("configure", "limits.backend = mysql", "trusted_proxies = 127.0.0.1", f"base_url = {site}",
                 f"site_url = {site}", f"database.hosts = {CLUSTER.hosts()}")
    for host in hosts():
        host.run("database", "stop")
    Scene.exits.callback(CLUSTER.stop)
    CLUSTER.start()
    for host in hosts():
        host.run("replace")
    FIRST.goldsmith("setting", "set", "anonymous_per_day", str(LIMIT))
    Scene.exits.callback(FRONT.stop)
    FRONT.start()
    time.sleep(2.5)  # until the workers know the setting
    for slug in [slug for slug, version in DOWNLOADED.items() if not version]:
        DOWNLOADED[slug] = FIRST.get_json(f"/v1/plugins/{slug}")["plugin"]["versions"][0]["version"]
    downloads, reads = known_answers(hosts(), DOWNLOADED, READ)
    Scene.clients = Clients(FRONT.port, FIRST.client.certificate)
    time.sleep(2.5)  # until the workers show what these downloads counted
    Scene.shown, Scene.ledger = shown_by(FIRST), Ledger(CLUSTER.nodes[0].sql)
    Scene.load = Scene.exits.enter_context(Load(Scene.clients, downloads, reads))


def tearDownModule():
    Scene.exits.close()


def shown_by(host):
    clients, shown = Clients(host.client.https_port, host.client.certificate), {}
    for slug in DOWNLOADED:
        Scene.limited += 1
        address = f"127.92.{Scene.limited // 250}.{Scene.limited % 250 + 1}"
        body = clients.fetch(f"/v1/plugins/{slug}", address)[1]
        shown[slug] = json.loads(body)["plugin"]["downloads"]
    return shown


def kill_host(host):
    """Its nginx and its pools."""
    for pid in [pid for name in ("nginx", "api", "build") for pid in host.processes(name)]:
        os.kill(pid, signal.SIGKILL)


class Cluster(UnderLoad):
    scene = Scene

    def losing_the_writer(self, name):
        """The statements in flight fail while the block runs."""
        return self.losing(name, LONGEST_OUTAGE, WORKERS)

    def new_caller(self):
        Scene.limited += 1
        return LimitedCaller(Scene.clients, f"127.90.0.{Scene.limited}")

    @contextlib.contextmanager
    def a_limit_that_is_used_up_meanwhile(self):
        """Of one caller, whose clients ask while the block runs and after it."""
        caller = self.new_caller()
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            asking = pool.submit(caller.ask, LIMIT // 2)
            time.sleep(0.1)
            yield
            answers = asking.result()
        used = CLUSTER.nodes[1].sql("SELECT window_start, used FROM goldsmith.rate_windows WHERE bucket = "
                                f"'86400 address {caller.address}'")
        print(f"  a limit of {LIMIT} meanwhile: {dict(answers)}")
        if len(used) > 1:
            return  # a day has ended
        self.assertEqual(int(used[0][1]), LIMIT)
        self.assertLessEqual(answers["ok"], LIMIT)
        # Each client had one request in flight, which may have been counted without an answer.
        self.assertGreaterEqual(answers["ok"], LIMIT - caller.CLIENTS)
        self.assertLessEqual(set(answers), {"ok", "rate_limited", "query_failed"})

    def assert_limit_is_exact(self):
        for _ in range(2):  # a day may end in the middle
            day = datetime.datetime.now(datetime.timezone.utc).date()
            answers = self.new_caller().ask(LIMIT // 2)
            if day == datetime.datetime.now(datetime.timezone.utc).date():
                break
        self.assertEqual(answers, {"ok": LIMIT, "rate_limited": LIMIT})

    def wait_for_fail_back(self):
        """Until all workers that serve requests use the first node again."""
        wait_until(lambda: CLUSTER.clients()[1:] == [0, 0])

    def test_0_all_is_well(self):
        with self.undisturbed("all is well"):
            Scene.load.wait_for_downloads(100)
            self.assert_limit_is_exact()
        self.assertEqual(CLUSTER.clients()[1:], [0, 0])
        self.assertGreater(min(host.requests() for host in hosts()), 20)

    def test_1_a_replica_is_killed_and_replaced_by_an_empty_one(self):
        node = CLUSTER.nodes[2]
        with self.undisturbed("a replica is killed"):
            node.kill()
            Scene.load.wait_for_downloads()
            self.assert_limit_is_exact()
        with self.undisturbed("an empty node joins"):
            node.remove_data()
            node.start()
            Scene.load.wait_for_downloads()

    def test_2_the_writer_is_killed_and_comes_back(self):
        node = CLUSTER.nodes[0]
        with self.losing_the_writer("the writer is killed"), self.a_limit_that_is_used_up_meanwhile():
            node.kill()
            Scene.load.wait_for_downloads()
            self.assert_limit_is_exact()
        with self.undisturbed("the writer comes back"):
            node.start(f"--wsrep-start-position={node.recovered_position()}")
            self.wait_for_fail_back()
            Scene.load.wait_for_downloads()
            self.assert_limit_is_exact()

    def test_3_a_host_is_killed_and_comes_back(self):
        with self.undisturbed("a host is killed"):
            with self.a_limit_that_is_used_up_meanwhile():
                kill_host(SECOND)
            Scene.load.wait_for_downloads(50)
            self.assert_limit_is_exact()
        with self.undisturbed("the host comes back"):
            for pool in ("api", "build"):
                SECOND.run("pool", pool, "start")
            SECOND.run("nginx", "start")
            wait_until(lambda: SECOND.requests() > 50)

    def test_4_the_writer_loses_the_others_and_finds_them_again(self):
        node = CLUSTER.nodes[0]
        with self.losing_the_writer("the writer is cut off from the other nodes"), \
                self.a_limit_that_is_used_up_meanwhile():
            node.isolate(True)
            wait_until(lambda: node.status("wsrep_ready") == "OFF")
            Scene.load.wait_for_downloads()
            self.assert_limit_is_exact()
        with self.undisturbed("the partition heals"):
            node.isolate(False)
            wait_until(node.is_synced)
            self.wait_for_fail_back()
            Scene.load.wait_for_downloads()

    def test_5_the_writer_falls_silent_and_answers_again(self):
        node = CLUSTER.nodes[0]
        with self.losing_the_writer("the writer is silent"), self.a_limit_that_is_used_up_meanwhile():
            node.pause()
            try:
                Scene.load.wait_for_downloads(50)
                self.assert_limit_is_exact()
            finally:
                node.resume()
        # For a second it does not know that the others went on without it, nor do workers that were idle.
        with self.losing_the_writer("the writer is heard again"):
            wait_until(node.is_synced)
            self.wait_for_fail_back()
            Scene.load.wait_for_downloads()

    def test_6_the_nodes_are_restarted_one_by_one(self):
        for node in reversed(CLUSTER.nodes[1:]):
            with self.undisturbed(f"{node.name} is restarted"):
                node.stop()
                node.start()
                Scene.load.wait_for_downloads()
        node = CLUSTER.nodes[0]
        with self.losing_the_writer(f"{node.name}, the writer, is restarted"):
            node.stop()
            Scene.load.wait_for_downloads()
            node.start()
            self.wait_for_fail_back()
            self.assert_limit_is_exact()

    def test_7_the_hosts_are_upgraded_one_by_one(self):
        again = CLUSTER.nodes[0].sql("SELECT number, name FROM goldsmith.schema_migrations ORDER BY number DESC LIMIT 2")
        with self.undisturbed("the tables are migrated by both hosts at once"):
            CLUSTER.nodes[0].sql("DELETE FROM goldsmith.schema_migrations WHERE number >= " + again[-1][0])
            running = [subprocess.Popen([COMMAND, "goldsmith", host.folder, "db", "migrate"], stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, text=True) for host in hosts()]
            said = [process.communicate()[0] for process in running]
        self.assertEqual([process.returncode for process in running], [0, 0], said)
        for _, name in again:
            self.assertEqual(sum(name in text for text in said), 1, said)
        for host in hosts():
            with self.undisturbed("a host is taken out, restarted and put back"):
                FRONT.set_down(host, True)
                host.goldsmith("drain", "--wait", "60")
                for action in ("stop", "start"):
                    for pool in ("api", "build"):
                        host.run("pool", pool, action)
                host.goldsmith("undrain")
                FRONT.set_down(host, False)
                wait_until(lambda host=host: host.requests() > 50)

    def test_8_every_download_was_counted_once(self):
        with self.undisturbed("all is well again"):
            Scene.load.wait_for_downloads(50)
            self.assert_limit_is_exact()
        Scene.load.__exit__()
        grown = Scene.ledger.check(self, CLUSTER.nodes[2].sql, Scene.load.answers, self.is_ambiguous)
        shown = {slug: Scene.shown[slug] + grown[slug] for slug in DOWNLOADED}
        for host in hosts():
            wait_until(lambda host=host: shown_by(host) == shown, 10)

    @staticmethod
    def is_ambiguous(request):
        """One whose commit the lost writer may have sent to the others."""
        return any(request.overlaps(*span) for span in Scene.lost)


def main():
    global FIRST, SECOND, FRONT, CLUSTER
    reason = galera.obstacle()
    if reason:
        print(f"cluster: {reason}")
        sys.exit(77)
    build = os.path.abspath(sys.argv[1])
    stacks = os.path.join(build, "test-stacks")
    FIRST, SECOND = (Stack(os.path.join(stacks, name), os.path.join(build, "bin"), os.path.join(build, "toolchain"))
                     for name in ("cluster-1", "cluster-2"))
    FRONT = NginxFront(os.path.join(stacks, "cluster-front"), (FIRST, SECOND))
    CLUSTER = galera.Cluster([os.path.join(FIRST.folder, "db"), *(os.path.join(stacks, f"cluster-{name}")
                                                                  for name in ("node-2", "node-3"))])
    for node in CLUSTER.nodes[1:]:
        node.stop()
        shutil.rmtree(node.folder, ignore_errors=True)
    unittest.main(argv=[sys.argv[0], "-v", "--failfast", *sys.argv[2:]])


main()

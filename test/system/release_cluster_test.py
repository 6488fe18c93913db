#!/usr/bin/env python3
"""Two hosts with 1.0.0 and a Galera cluster of their databases are upgraded one by one:
release_cluster_test.py BUILD_FOLDER OLD_PACKAGE NEW_PACKAGE

Each machine is a host and a node. Between the upgrades a host of 1.0.0 works with the tables of the new release. The tests run in the order
of their numbers. The exit code is 77 if this host cannot run them; the last line says why."""

import os
import subprocess
import sys
import unittest

from machine import NAME, Load, Machine, make_tree, require, skip
from released_host import ASKED, DOWNLOAD, ReleasedHost
from running_stack import wait_until

BUILD = OLD = NEW = TREE = None
MACHINES, HOSTS = [], []
ACCOUNTS = ("operator", "api", "build")
ADDRESSES = ("10.97.0.1", "10.97.0.2")
# A node may still have to apply what the other one has committed.
SYNCED = "SET SESSION wsrep_sync_wait = 1; "
DOWNLOADS = tuple(SYNCED + each for each in (
    "SELECT downloads FROM plugin_counters WHERE slug = 'afk-watch'", "SELECT COUNT(*) FROM download_log"))

NODE = """[mariadb]
bind_address = 0.0.0.0
binlog_format = ROW
innodb_autoinc_lock_mode = 2
wsrep_on = ON
wsrep_provider = /usr/lib/galera/libgalera_smm.so
wsrep_cluster_name = goldsmith-test
wsrep_cluster_address = gcomm://{members}
wsrep_node_name = {address}
wsrep_node_address = {address}
wsrep_sst_method = rsync
"""
ADMIN = "GRANT ALL ON *.* TO admin@'%' IDENTIFIED BY 'of the test' WITH GRANT OPTION"
SETUP = ["goldsmith", "setup", "--yes", "--server-name", NAME, "--self-signed", "--no-catalog", "--database-tls",
         "off", "--database-host"]
SETTINGS = """limits.backend = mysql
base_url = https://{name}
log.address_days = 3
"""


def setUpModule():
    for name in ("first", "second"):
        machine = Machine(TREE, os.path.join(BUILD, "machines", "cluster-" + name))
        MACHINES.append(machine)
        unittest.addModuleCleanup(machine.stop)
        machine.boot()
        HOSTS.append(ReleasedHost(machine))
        HOSTS[-1].bring(BUILD, OLD, NEW)
    connect()
    for machine, address in zip(MACHINES, ADDRESSES):
        machine.run("systemctl", "stop", "mariadb")
        with open(machine.path("/etc/mysql/mariadb.conf.d/70-node.cnf"), "w", encoding="ascii") as file:
            file.write(NODE.format(address=address, members=",".join(ADDRESSES)))
    MACHINES[0].run("galera_new_cluster")
    MACHINES[0].run("mysql", "-e", ADMIN)
    MACHINES[1].run("systemctl", "start", "mariadb")
    for host in HOSTS:
        wait_until(lambda host=host: is_synced(host))


def require_interfaces():
    """Skips where connect() can't work."""
    tried = subprocess.run(["unshare", "--net", "ip", "link", "add", "goldsmith0", "type", "veth", "peer", "name", "goldsmith1"],
                           stderr=subprocess.PIPE, text=True, check=False)
    if tried.returncode != 0:
        skip(f"no pair of network interfaces can be made ({tried.stderr.strip()})")


def connect():
    """The machines, by a pair of network interfaces."""
    pids = [subprocess.run(["pgrep", "-P", str(each.process.pid)], stdout=subprocess.PIPE, text=True, check=True).stdout.split()[0]
            for each in MACHINES]
    subprocess.run(["ip", "link", "add", "goldsmith0", "netns", pids[0], "type", "veth", "peer", "name", "goldsmith0", "netns", pids[1]],
                   check=True)
    for pid, address in zip(pids, ADDRESSES):
        for command in (["addr", "add", address + "/24", "dev", "goldsmith0"], ["link", "set", "goldsmith0", "up"]):
            subprocess.run(["nsenter", "-t", pid, "-n", "ip", *command], check=True)


def is_synced(host):
    return host.machine.run("mysql", "-N", "-e", "SHOW STATUS LIKE 'wsrep_local_state_comment'", check=False).split()[-1:] == ["Synced"]


class ReleaseCluster(unittest.TestCase):
    maxDiff = None

    def upgrade(self, upgraded, other):
        """As the manual of clusters says, while clients ask the other host."""
        before = [int(other.sql(each)) for each in DOWNLOADS]
        with Load(self, other.machine, *ASKED) as clients:
            upgraded.machine.run("goldsmith", "drain", "--wait", "60")
            upgraded.install("new.deb")
            upgraded.machine.run("goldsmith", "undrain")
            clients.wait_for_more()
        asked = sum(each.startswith("200 " + DOWNLOAD) for each in clients.answers())
        self.assertGreater(asked, 0)
        # Each download that was answered is counted and logged once, by whichever release.
        wait_until(lambda: [int(other.sql(each)) - number for each, number in zip(DOWNLOADS, before)] == [asked, asked],
                   hint=lambda: f": {asked} downloads, counted from {before} to {[other.sql(each) for each in DOWNLOADS]}")

    def answers(self, host):
        """As before. The command of the release does not work with newer tables."""
        wait_until(lambda: host.machine.status("/v1/meta") == "200")
        host.keeps_answers()
        host.keeps_links()

    def test_1_two_hosts_run_the_release(self):
        first, second = HOSTS
        for host in HOSTS:
            host.install("old.deb")
            with open(host.machine.path("/root/admin.cnf"), "w", encoding="ascii") as file:
                file.write("[client]\nuser = admin\npassword = of the test\n")
        # The setup of the release took a server without a port for set elsewhere, and ended where these files were not there.
        first.machine.run("touch", *(f"/etc/goldsmith/{each}.conf" for each in ACCOUNTS))
        setup = [*SETUP, ",".join(each + ":3306" for each in ADDRESSES)]
        first.machine.run(*setup, "--database-admin-file", "/root/admin.cnf")
        for name in ACCOUNTS:
            source, target = (each.path(f"/etc/goldsmith/{name}.conf") for each in MACHINES)
            subprocess.run(["cp", "-p", source, target], check=True)
        second.machine.run(*setup)
        first.fill()
        depots = [each.path("/var/lib/goldsmith/depot") for each in MACHINES]
        subprocess.run(["cp", "-a", depots[0] + "/.", depots[1]], check=True)
        for host in HOSTS:
            with open(host.machine.path("/etc/goldsmith/conf.d/50-hosts.conf"), "w", encoding="ascii") as file:
                file.write(SETTINGS.format(name=NAME))
            host.machine.run("goldsmith", "setup", "--upgrade")  # for the privilege that the counters need
            host.machine.run("goldsmith-workers", "restart")
            wait_until(lambda host=host: host.machine.status("/v1/meta") == "200")
        for host in HOSTS:
            host.remember()
            host.serves(OLD)

    def test_2_one_is_upgraded_while_the_other_serves(self):
        first, second = HOSTS
        self.upgrade(first, second)
        first.serves(NEW)
        first.keeps_everything()
        self.answers(second)
        self.assertIn("the database schema does not match", second.machine.fails("goldsmith", "plugin", "list"))

    def test_3_workers_of_the_release_start_with_the_new_tables(self):
        second = HOSTS[1]
        second.machine.run("goldsmith-workers", "restart")
        self.answers(second)

    def test_4_the_release_shows_what_the_new_one_changes(self):
        first, second = HOSTS
        for number in ("999999", "1000000"):
            first.machine.run("goldsmith", "setting", "set", "anonymous_per_day", number)
            wait_until(lambda: f'"per_day":{number}' in second.machine.curl("/v1/meta"))

    def test_5_a_node_that_is_killed_meanwhile_comes_back(self):
        first, second = HOSTS
        first.machine.run("systemctl", "kill", "--kill-whom=main", "--signal=KILL", "mariadb")
        for host in HOSTS:
            wait_until(lambda host=host: host.machine.status("/v1/plugins/afk-watch") == "200")
        wait_until(lambda: is_synced(first))  # systemd starts it again
        for host in HOSTS:
            self.answers(host)

    def test_6_then_the_other(self):
        first, second = HOSTS
        self.upgrade(second, first)
        for host in HOSTS:
            host.machine.run(*SETUP, ",".join(ADDRESSES))
            host.serves(NEW)
            host.keeps_everything()


def main():
    global BUILD, OLD, NEW, TREE
    BUILD, OLD, NEW = (os.path.abspath(each) for each in sys.argv[1:4])
    require([OLD, NEW], "scripts/test platforms builds the packages for it")
    require_interfaces()
    TREE = make_tree("bookworm", OLD, NEW)
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[4:]])


main()

#!/usr/bin/env python3
"""A primary and its replica, which is read, under load, while they stand still and change places: replication.py BUILD_FOLDER

With MYSQL_TREE they are MySQL's, else MariaDB's. The tests run in the order of their names, beside one load; the last one
compares what the clients saw with what was counted at both servers."""

import contextlib
import os
import shutil
import socket
import sys
import time
import unittest

from counted_load import Clients, Ledger, Load, UnderLoad, known_answers
from database_server import DatabaseServer
from running_stack import Stack, wait_until

DOWNLOADS = {"afk-watch": "2.0"}
READS = ["/v1/plugins/frag-streak", "/v1/plugins?q=lucky", "/v1/server-builder/meta",
         "/v1/server-builder/download?components=anvil-engine", "/v1/server-builder/resolve?plugins=frag-streak"]
FROZEN, LONGEST_OUTAGE = 3.0, 5.0  # seconds
ON_MYSQL = bool(os.environ.get("MYSQL_TREE"))
# What the two servers call the same. MySQL's read_only lets administrators write, super_read_only nobody.
READ_ONLY = "super_read_only" if ON_MYSQL else "read_only"
BINARY_LOG, WAIT_FOR, SOURCE, RESET_LOG = (
    ("BINARY LOG", "SOURCE_POS_WAIT", "SOURCE", "RESET BINARY LOGS AND GTIDS") if ON_MYSQL else
    ("MASTER", "MASTER_POS_WAIT", "MASTER", "RESET MASTER"))

STACK = None


class Server(DatabaseServer):
    def __init__(self, number, folder):
        super().__init__(f"server-{number}", folder)
        self.number = number
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]

    def start(self, *more):
        self.script("start", "--skip-networking=OFF", "--bind-address=127.0.0.1", f"--port={self.port}",
                    f"--server-id={self.number}", "--log-bin=log", *more)

    def address(self):
        """As in database.hosts."""
        return os.path.realpath(os.path.join(self.folder, "sock"))

    def is_read_only(self, setting):
        self.sql(f"SET GLOBAL {READ_ONLY} = {setting}")
        if ON_MYSQL and setting == "OFF":  # which super_read_only has set, too
            self.sql("SET GLOBAL read_only = OFF")

    def end_of_log(self):
        return self.sql(f"SHOW {BINARY_LOG} STATUS")[0][:2]

    def wait_for(self, other):
        """Until this server has all that the other one has logged."""
        file, position = other.end_of_log()
        assert int(self.sql(f"SELECT {WAIT_FOR}('{file}', {position}, 30)")[0][0]) >= 0, self.name

    def follow(self, other):
        """From the begin of the other one's log."""
        values = [f"{SOURCE}_{name} = {value}" for name, value in
                  (("HOST", "'127.0.0.1'"), ("PORT", other.port), ("USER", "'replication'"), ("PASSWORD", "'secret'"),
                   ("CONNECT_RETRY", 1), ("SSL", 0), ("LOG_FILE", "'log.000001'"), ("LOG_POS", 4))]
        values += ["GET_SOURCE_PUBLIC_KEY = 1"] * ON_MYSQL
        self.sql(f"CHANGE {'REPLICATION SOURCE' if ON_MYSQL else 'MASTER'} TO {', '.join(values)}; START REPLICA")

    def stop_following(self):
        self.sql(f"STOP REPLICA; RESET REPLICA ALL; {RESET_LOG}")


def replace_by_copy(old, new):
    """The stopped server's data, without the name that replication knows it by."""
    shutil.rmtree(new.folder, ignore_errors=True)
    os.makedirs(new.folder)
    name = "mysql" if ON_MYSQL else "data"
    shutil.copytree(os.path.join(old.folder, name), os.path.join(new.folder, name), ignore=shutil.ignore_patterns("auto.cnf"))
    owner = os.stat(os.path.join(old.folder, name))
    for folder, _, files in os.walk(os.path.join(new.folder, name)):
        for each in (folder, *(os.path.join(folder, file) for file in files)):
            os.chown(each, owner.st_uid, owner.st_gid)


class Scene:
    """What all tests share."""
    servers = []
    load = ledger = None
    lost = []  # (began, ended): what failed then may have been counted
    exits = contextlib.ExitStack()


def setUpModule():
    try:
        set_up()
    except BaseException:
        Scene.exits.close()
        raise


def set_up():
    Scene.exits.callback(STACK.run, "stop")
    STACK.up()
    STACK.run("database", "stop")
    first, second = Scene.servers = [Server(1, os.path.join(STACK.folder, "db")), Server(2, STACK.folder + "-replica")]
    second.stop()
    replace_by_copy(first, second)
    for server in Scene.servers:
        server.start()
        Scene.exits.callback(server.stop)
    first.sql("CREATE USER replication IDENTIFIED BY 'secret'; GRANT REPLICATION SLAVE ON *.* TO replication")
    second.is_read_only("ON")
    second.follow(first)
    addresses = [server.address() for server in Scene.servers]
    STACK.run("configure", f"database.hosts = {', '.join(addresses)}", f"database.read_hosts = {addresses[1]}",
              "database.failover_timeout = 1", "database.read_timeout = 2")
    downloads, reads = known_answers([STACK], DOWNLOADS, READS)
    Scene.ledger = Ledger(first.sql)
    clients = Clients(STACK.client.https_port, STACK.client.certificate)
    Scene.load = Scene.exits.enter_context(Load(clients, downloads, reads))


def tearDownModule():
    Scene.exits.close()


class Replication(UnderLoad):
    scene = Scene

    def losing_the_primary(self, name):
        """Downloads fail while the block runs, reads don't or once."""
        return self.losing(name, LONGEST_OUTAGE + FROZEN)

    def statements_at(self, server):
        return int(server.sql("SHOW GLOBAL STATUS LIKE 'Com_stmt_execute'")[0][1])

    def assert_is_read(self, server):
        before = self.statements_at(server)
        wait_until(lambda: self.statements_at(server) > before + 20)

    def change_places(self, primary, replica):
        primary.is_read_only("ON")
        replica.wait_for(primary)
        replica.stop_following()
        replica.is_read_only("OFF")
        primary.follow(replica)

    def test_0_all_is_well(self):
        with self.undisturbed("all is well"):
            Scene.load.wait_for_downloads(100)
            self.assert_is_read(Scene.servers[1])

    def test_1_the_replica_stands_still(self):
        replica = Scene.servers[1]
        with self.undisturbed("the replica stands still"):
            replica.pause()
            try:
                Scene.load.wait_for_downloads(50)
                time.sleep(FROZEN)
            finally:
                replica.resume()
            Scene.load.wait_for_downloads(50)
        self.assert_is_read(replica)

    def test_2_the_primary_stands_still(self):
        primary = Scene.servers[0]
        with self.losing_the_primary("the primary stands still"):
            primary.pause()
            try:
                time.sleep(FROZEN)
            finally:
                primary.resume()
            Scene.load.wait_for_downloads(50)

    def test_3_the_replica_takes_the_place_of_the_primary(self):
        first, second = Scene.servers
        with self.losing_the_primary(f"the primary is {READ_ONLY}, the replica takes its place"):
            self.change_places(first, second)
            Scene.load.wait_for_downloads(50)
        with self.undisturbed("the second writes"):
            Scene.load.wait_for_downloads(50)

    def test_4_the_former_primary_takes_its_place_back(self):
        first, second = Scene.servers
        with self.losing_the_primary("and back"):
            self.change_places(second, first)
            Scene.load.wait_for_downloads(50)
        with self.undisturbed("the first writes"):
            self.assert_is_read(second)

    def test_5_every_download_was_counted_once(self):
        with self.undisturbed("all is well again"):
            Scene.load.wait_for_downloads(50)
        Scene.load.__exit__()
        Scene.servers[1].wait_for(Scene.servers[0])
        for server in Scene.servers:
            Scene.ledger.check(self, server.sql, Scene.load.answers,
                               lambda request: any(request.overlaps(*span) for span in Scene.lost))


def main():
    global STACK
    build = os.path.abspath(sys.argv[1])
    STACK = Stack(os.path.join(build, "test-stacks", "replication"), os.path.join(build, "bin"), os.path.join(build, "toolchain"))
    unittest.main(argv=[sys.argv[0], "-v", "--failfast", *sys.argv[2:]])


main()

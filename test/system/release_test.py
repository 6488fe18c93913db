#!/usr/bin/env python3
"""A host with the release 1.0.0 gets the present package, and goes back: release_test.py BUILD_FOLDER OLD_PACKAGE NEW_PACKAGE [mysql]

Its database is MariaDB's, or with `mysql` MySQL's; both have programs of these names. What the host has, and the servers that it made,
stay; what it answered, it answers. The tests run in the order of their numbers. The exit code is 77 if this host cannot run them; the last
line says why."""

import os
import sys
import unittest

from machine import NAME, Load, Machine, lost, make_tree, require
from mysql_machine import boot_with_mysql, make_mysql_tree
from released_host import ASKED, SELECTION, ReleasedHost
from running_stack import wait_until

BUILD = OLD = NEW = TREE = MYSQL = MACHINE = HOST = None
READER = "FROM information_schema.processlist WHERE info = 'DO SLEEP(600)'"
BLOCKED = "SELECT COUNT(*) FROM information_schema.processlist WHERE state = 'Waiting for table metadata lock'"


def setUpModule():
    global MACHINE, HOST
    MACHINE = Machine(TREE, os.path.join(BUILD, "machines", "release-mysql" if MYSQL else "release"))
    if MYSQL:
        boot_with_mysql(MACHINE, MYSQL)
    else:
        MACHINE.boot()
    HOST = ReleasedHost(MACHINE)
    HOST.bring(BUILD, OLD, NEW)


def tearDownModule():
    if MACHINE:
        MACHINE.stop()


def files(folder):
    """Of a server; what the updater has for itself is in a folder of its own."""
    return MACHINE.run("bash", "-c", f"cd {folder} && find . -path ./.goldsmith -prune -o -type f -print0 | sort -z | xargs -0 sha256sum")


class Release(unittest.TestCase):
    maxDiff = None
    server = key = None

    def update(self, script, folder, *options):
        return MACHINE.run("env", "CURL_CA_BUNDLE=/etc/goldsmith/tls/cert.pem", "sh", script, "--yes", *options, folder)

    def keeps_everything(self):
        HOST.keeps_everything()
        self.assertIn('"auth":"key"', MACHINE.curl("/v1/meta", "-H", f"Authorization: Bearer {self.key}"))

    def test_1_a_host_runs_the_release(self):
        HOST.install("old.deb")
        MACHINE.run("goldsmith", "setup", "--yes", "--server-name", NAME, "--self-signed")
        HOST.fill()
        Release.key = next(word for word in MACHINE.run("goldsmith", "key", "create", "--name", "hosting").split()
                           if word.startswith("svck_"))
        MACHINE.run("bash", "-c", "echo 'log.address_days = 3' >/etc/goldsmith/conf.d/50-mine.conf && goldsmith-workers restart")
        MACHINE.curl("/server/update.sh?" + SELECTION, "-o", "/root/old.sh")
        for folder in ("/srv/old", "/srv/new"):
            MACHINE.run("mkdir", folder)
            self.update("/root/old.sh", folder)
            MACHINE.run("bash", "-c", f"echo '// edited' >>{folder}/cstrike/addons/amxmodx/configs/amxx.cfg")
        HOST.remember()
        # MySQL would put numbers of transactions into it, which the same server does not take back.
        dump = "mysqldump --set-gtid-purged=OFF" if MYSQL else "mysqldump"
        MACHINE.run("bash", "-c", dump + " --single-transaction goldsmith | gzip >/root/before.sql.gz")
        Release.server = files("/srv/old")
        HOST.serves(OLD)

    def is_incomplete(self):
        """The workers go on, new ones too, and the doctor knows."""
        wait_until(lambda: MACHINE.status("/v1/meta") == "200")
        MACHINE.run("systemctl", "kill", "--kill-whom=main", "--signal=KILL", "goldsmith-api@1")
        wait_until(lambda: MACHINE.status("/v1/plugins/afk-watch") == "200")
        HOST.keeps_answers()
        found = [each for each in HOST.doctor() if each["subject"] == "upgrade"]
        self.assertEqual([each["health"] for each in found], ["bad"])
        self.assertIn("dpkg --configure goldsmith", found[0]["remedy"])

    def wait_for_migration(self):
        """Begins one that waits in its middle, for somebody who reads a table."""
        reader = MACHINE.start("mysql", "goldsmith", "-e", "LOCK TABLES component_versions READ; DO SLEEP(600)")
        wait_until(lambda: HOST.sql(f"SELECT COUNT(*) {READER}") == "1")
        upgrade = MACHINE.start("dpkg", *(["-i", "/root/new.deb"] if self.is_release() else ["--configure", "goldsmith"]))
        wait_until(lambda: HOST.sql(BLOCKED) != "0")
        return reader, upgrade

    @staticmethod
    def is_release():
        return MACHINE.run("dpkg-query", "-W", "-f", "${db:Status-Status}", "goldsmith") == "installed"

    def test_2_a_killed_server_or_migration_leaves_the_workers_of_the_release(self):
        for kill in (["systemctl", "kill", "--kill-whom=main", "--signal=KILL", "mysql"],
                     ["pkill", "-KILL", "-f", "^([^ ]*/)?goldsmith db migrate"]):
            reader, upgrade = self.wait_for_migration()
            MACHINE.run(*kill)
            said = upgrade.communicate(timeout=120)[0]
            self.assertNotEqual(upgrade.returncode, 0, said)
            self.assertIn("The workers of version", said)
            wait_until(lambda: MACHINE.run("bash", "-c", "mysqladmin ping || true").strip() == "mysqld is alive")
            if int(HOST.sql(f"SELECT COUNT(*) {READER}")):
                HOST.sql("KILL " + HOST.sql(f"SELECT id {READER}"))
            reader.communicate()
            self.is_incomplete()

    def test_3_the_upgrade_goes_on_under_load(self):
        with Load(self, MACHINE, *ASKED, tries=2) as clients:
            MACHINE.run("dpkg", "--configure", "goldsmith")
            clients.wait_for_more()
        HOST.serves(NEW)
        self.keeps_everything()

    def test_4_servers_of_the_release_are_updated_by_its_script_and_by_the_new_one(self):
        self.update("/root/old.sh", "/srv/old")
        MACHINE.curl("/server/update.sh?" + SELECTION, "-o", "/root/new.sh")
        self.update("/root/new.sh", "/srv/new")
        for folder in ("/srv/old", "/srv/new"):
            now = files(folder)
            self.assertIn("cstrike/addons/amxmodx/plugins/afk_watch.amxx", now)
            self.assertIn("// edited", MACHINE.run("cat", folder + "/cstrike/addons/amxmodx/configs/amxx.cfg"))
            gone = {line.split("  ", 1)[1] for line in self.server.splitlines()} - {line.split("  ", 1)[1] for line in now.splitlines()}
            self.assertEqual(gone, set())

    def test_5_back_again_as_the_manual_says(self):
        MACHINE.run("bash", "-ec", "systemctl stop goldsmith.target 'goldsmith-*'\n"
                    "mysql -e 'DROP DATABASE goldsmith; CREATE DATABASE goldsmith CHARACTER SET utf8mb4'\n"
                    "zcat /root/before.sql.gz | mysql goldsmith")
        HOST.install("old.deb")
        MACHINE.run("systemctl", "start", "goldsmith.target", "timers.target", "paths.target")
        HOST.serves(OLD)
        now = HOST.answers()
        self.assertEqual(lost(HOST.was["answers"], now) + lost(now, HOST.was["answers"]), [])
        self.assertEqual(HOST.counted(), HOST.was["counted"])
        self.update("/root/old.sh", "/srv/old")

    def test_6_and_forward_in_one_step_under_load(self):
        with Load(self, MACHINE, *ASKED, tries=2) as clients:
            HOST.install("new.deb")
            clients.wait_for_more()
        HOST.serves(NEW)
        self.keeps_everything()


def main():
    global BUILD, OLD, NEW, TREE, MYSQL
    BUILD, OLD, NEW = (os.path.abspath(each) for each in sys.argv[1:4])
    require([OLD, NEW], "scripts/test platforms builds the packages for it")
    TREE = make_tree("bookworm", OLD, NEW)
    options = sys.argv[4:]
    if options[:1] == ["mysql"]:
        MYSQL = make_mysql_tree()
    unittest.main(argv=[sys.argv[0], "-v", *(options[1:] if MYSQL else options)])


main()

#!/usr/bin/env python3
"""The package beside a MySQL server under systemd, on Debian 13: mysql_test.py BUILD_FOLDER PACKAGE_OF_DEBIAN_12 PACKAGE_OF_DEBIAN_13

The tests run in the order of their numbers. The exit code is 77 if this host cannot run them; the last line says why."""

import json
import os
import shutil
import sys
import unittest
import zipfile

from machine import NAME, Machine, make_tree, require
from mysql_machine import boot_with_mysql, make_mysql_tree
from running_stack import wait_until

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = PACKAGE = TREE = MYSQL = MACHINE = None
APT = ["env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "--yes", "--no-remove"]


def setUpModule():
    global MACHINE
    MACHINE = Machine(TREE, os.path.join(BUILD, "machines", "mysql"))
    boot_with_mysql(MACHINE, MYSQL)
    shutil.copy(PACKAGE, MACHINE.path("/root/goldsmith.deb"))
    shutil.copytree(os.path.join(BUILD, "toolchain"), MACHINE.path("/opt/goldsmith/toolchains"))
    shutil.copytree(os.path.join(ROOT, "test", "fixtures", "sample"), MACHINE.path("/root/sample"))


def tearDownModule():
    if MACHINE:
        MACHINE.stop()


def sql(statement):
    return MACHINE.run("mysql", "--batch", "--skip-column-names", "-e", statement)


class BesideMysql(unittest.TestCase):
    def serves(self):
        wait_until(lambda: MACHINE.status("/v1/meta") == "200")

    def test_1_apt_installs_it_and_removes_nothing(self):
        # With what it recommends: there is no network, so MySQL's client has to do.
        self.assertIn("goldsmith setup", MACHINE.run(*APT, "install", "/root/goldsmith.deb"))
        for absent in ("mariadb", "mariadbd"):
            MACHINE.fails("which", absent)

    def test_2_a_setup_makes_a_service_that_answers(self):
        said = MACHINE.run("goldsmith", "setup", "--yes", "--server-name", NAME, "--self-signed")
        self.assertIn(f"goldsmith is running at https://{NAME}", said)
        self.serves()
        self.assertRegex(sql("SELECT VERSION()"), "^9[.]")

    def test_3_downloads_are_compiled_and_counted(self):
        MACHINE.run("bash", "-c", "goldsmith plugin import /root/sample/plugins/*/")
        counted = "SELECT downloads FROM goldsmith.plugin_counters WHERE slug = 'afk-watch'"
        before = int(sql(counted))
        self.assertEqual(MACHINE.curl("/v1/plugins/afk-watch/download/2.0?kind=zip", "-o", "/root/plugin.zip", "-w", "%{http_code}"), "200")
        with zipfile.ZipFile(MACHINE.path("/root/plugin.zip")) as archive:
            self.assertIn("addons/amxmodx/plugins/afk_watch.amxx", archive.namelist())
        self.assertEqual(int(sql(counted)), before + 1)
        self.assertEqual(sql("SELECT COUNT(*) FROM goldsmith.download_log").strip(), "1")

    def test_4_the_doctor_finds_nothing_bad(self):
        findings = json.loads(MACHINE.run("bash", "-c", "goldsmith doctor --json 2>/dev/null || true"))
        self.assertEqual([each for each in findings if each["health"] == "bad" and each["subject"] != "depot"], [])
        self.assertIn("database", {each["subject"] for each in findings})

    def test_5_the_units_of_timers_reach_the_database(self):
        for unit in ("log-prune", "cache-prune", "plugin-check", "build-start"):
            MACHINE.run("systemctl", "start", f"goldsmith-{unit}.service")

    def test_6_it_serves_after_a_boot(self):
        MACHINE.reboot()
        self.serves()

    def test_7_an_upgrade_of_the_database_alone_needs_no_option(self):
        MACHINE.run("goldsmith", "setup", "--upgrade")
        self.serves()

    def test_8_a_purge_leaves_the_server(self):
        MACHINE.run("dpkg", "-P", "goldsmith")
        self.assertEqual(MACHINE.run("systemctl", "is-active", "mysql", "nginx").split(), ["active"] * 2)


def main():
    global BUILD, PACKAGE, TREE, MYSQL
    BUILD, PACKAGE = (os.path.abspath(sys.argv[each]) for each in (1, 3))
    require([PACKAGE], "scripts/test platforms builds the package for it")
    TREE = make_tree("trixie", PACKAGE)
    MYSQL = make_mysql_tree()
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[4:]])


main()

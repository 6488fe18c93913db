#!/usr/bin/env python3
"""The package beside a MySQL server under systemd: mysql_test.py BUILD_FOLDER PACKAGE_OF_DEBIAN_12 PACKAGE_OF_DEBIAN_13

No release of Debian has MySQL's server, and the package of its unstable refuses to be beside the connector's library. So
the machine, a Debian 13, has a package made here, which names what it provides and conflicts with as MySQL's own packages
do, and starts the programs of the tree of unstable. The tests run in the order of their numbers. The exit code is 77 if
this host cannot run them; the last line says why."""

import json
import os
import shutil
import subprocess
import sys
import unittest
import zipfile

from machine import DEBIAN_TREE, NAME, Machine, make_tree, require, skip
from running_stack import wait_until

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = PACKAGE = TREE = MYSQL = MACHINE = None
APT = ["env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "--yes", "--no-remove"]


# PROGRAM [OPTION…] of the tree, which is /opt/mysql in the machine, as /usr/PROGRAM.
PROGRAM = """#!/bin/sh
exec /opt/mysql/lib64/ld-linux-x86-64.so.2 --library-path /opt/mysql/usr/lib/x86_64-linux-gnu /opt/mysql/usr/{} "$@"
"""
UNIT = """[Service]
User=mysql
RuntimeDirectory=mysqld
ExecStart=/usr/sbin/mysqld --no-defaults --basedir=/opt/mysql/usr --plugin-dir=/opt/mysql/usr/lib/mysql/plugin \\
  --lc-messages-dir=/opt/mysql/usr/share/mysql --datadir=/var/lib/mysql-9/data --socket=/run/mysqld/mysqld.sock \\
  --bind-address=127.0.0.1 --mysqlx=OFF --secure-file-priv=NULL

[Install]
WantedBy=multi-user.target
"""
CONTROL = """Package: mysql-community-server
Version: 9.7
Architecture: all
Maintainer: nobody
Provides: virtual-mysql-server, virtual-mysql-client
Conflicts: mariadb-server, mariadb-client, virtual-mysql-server, virtual-mysql-client
Description: MySQL of another repository
"""
INSTALL_MYSQL = """set -e
exec 2>&1
apt-get --yes remove 'mariadb-server*' 'mariadb-client*'
dpkg-deb --build /root/mysql /root/mysql.deb
dpkg -i /root/mysql.deb
install -d -o mysql /var/lib/mysql-9
runuser -u mysql -- mysqld --no-defaults --basedir=/opt/mysql/usr --lc-messages-dir=/opt/mysql/usr/share/mysql \\
  --initialize-insecure --datadir=/var/lib/mysql-9/data
systemctl daemon-reload
systemctl enable --now mysql
until mysql -e 'SELECT 1' >/dev/null 2>&1; do sleep 0.2; done
"""


def write(path, text, mode=0o644):
    path = MACHINE.path(path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="ascii") as file:
        file.write(text)
    os.chmod(path, mode)


def setUpModule():
    global MACHINE
    MACHINE = Machine(TREE, os.path.join(BUILD, "machines", "mysql"))
    MACHINE.binds = [f"{MYSQL}:/opt/mysql"]
    write("/root/mysql/DEBIAN/control", CONTROL)
    write("/root/mysql/usr/lib/systemd/system/mysql.service", UNIT)
    for program in ("sbin/mysqld", "bin/mysql"):
        write(f"/root/mysql/usr/{program}", PROGRAM.format(program), 0o755)
    MACHINE.boot()
    MACHINE.run("bash", "-c", INSTALL_MYSQL)
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
    made = subprocess.run([DEBIAN_TREE, "make", "mysql", "sid", "mysql-server"], stdout=subprocess.PIPE, text=True, check=False)
    if made.returncode != 0:
        skip("no tree of MySQL")
    MYSQL = made.stdout.strip()
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[4:]])


main()

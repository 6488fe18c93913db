#!/usr/bin/env python3
"""A host with a running service goes from Debian 12 to 13: upgrade_test.py BUILD_FOLDER OLD_PACKAGE NEW_PACKAGE PACKAGE

The system is upgraded by apt, MariaDB 10.11 with it to 11.8. The old package serves until the new one is installed. PACKAGE
is the new one for Debian 12, whose tree another test has. The tests run in the order of their numbers. The exit code is 77 if
this host cannot run them; the last line says why."""

import json
import os
import shutil
import subprocess
import sys
import unittest
import zipfile

from machine import NAME, Machine, field, lost, make_tree, require
from running_stack import wait_until

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = OLD = NEW = TREE = MACHINE = None
APT = ["env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "--yes", "--no-install-recommends"]
SOURCES = "deb http://deb.debian.org/debian trixie main\n"


def download(folder, archives):
    """The packages of Debian 13 that the upgrade of a tree needs; a machine has no network."""
    with open(os.path.join(folder, "etc/apt/sources.list"), "w", encoding="ascii") as file:
        file.write(SOURCES)
    os.makedirs(archives, exist_ok=True)
    inside = ["systemd-nspawn", "--quiet", "--register=no", "--keep-unit", "--console=pipe", f"--directory={folder}",
              f"--bind={archives}:/var/cache/apt/archives", *APT]
    for what in (["update"], ["--download-only", "full-upgrade"], ["--download-only", "install", "/root/new.deb"]):
        subprocess.run([*inside, *what], check=True, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL)


def setUpModule():
    global MACHINE
    MACHINE = Machine(TREE, os.path.join(BUILD, "machines", "upgrade"))
    for package, name in ((OLD, "old.deb"), (NEW, "new.deb")):
        shutil.copy(package, MACHINE.path("/root/" + name))
    archives = TREE + ".archives"
    download(MACHINE.folder, archives)
    MACHINE.binds = [f"{archives}:/var/cache/apt/archives"]
    MACHINE.boot()
    shutil.copytree(os.path.join(BUILD, "toolchain"), MACHINE.path("/opt/goldsmith/toolchains"))
    shutil.copytree(os.path.join(ROOT, "test", "fixtures", "sample"), MACHINE.path("/root/sample"))


def tearDownModule():
    if MACHINE:
        MACHINE.stop()


def version(package):
    return MACHINE.run("dpkg-query", "-W", "-f", "${Version}", package)


def downloads():
    """Of the plugin: as its counter says, and as the log does."""
    counter = json.loads(MACHINE.curl("/v1/plugins/afk-watch"))["plugin"]["downloads"]
    logged = MACHINE.run("mariadb", "-N", "goldsmith", "-e",
                         "SELECT COUNT(*) FROM download_log WHERE slug = 'afk-watch' AND result = 'ok'")
    return counter, int(logged)


def data():
    """What an upgrade must keep; downloads are counted meanwhile."""
    return [json.loads(MACHINE.run("goldsmith", noun, "list", "--json")) for noun in ("plugin", "component", "setting", "key")]


class Upgrade(unittest.TestCase):
    kept = None

    def compiles(self):
        """An artefact that is compiled now; it is counted once."""
        MACHINE.run("goldsmith", "cache", "prune", "--all")
        before = downloads()
        self.assertEqual(MACHINE.curl("/v1/plugins/afk-watch/download/2.0?kind=zip", "-o", "/root/plugin.zip", "-w", "%{http_code}"), "200")
        with zipfile.ZipFile(MACHINE.path("/root/plugin.zip")) as archive:
            self.assertIn("addons/amxmodx/plugins/afk_watch.amxx", archive.namelist())
        wait_until(lambda: downloads() == (before[0] + 1, before[1] + 1))

    def serves(self, package):
        wait_until(lambda: MACHINE.status("/v1/meta") == "200")
        self.assertEqual(version("goldsmith"), field(package, "Version"))
        self.assertEqual(lost(self.kept, data()), [])
        self.compiles()
        findings = json.loads(MACHINE.run("bash", "-c", "goldsmith doctor --json 2>/dev/null || true"))
        bad = [each for each in findings if each["health"] == "bad" and each["subject"] != "depot"]
        self.assertEqual(bad, [])

    def test_1_a_service_runs_on_debian_12(self):
        MACHINE.run("dpkg", "-i", "/root/old.deb")
        MACHINE.run("goldsmith", "setup", "--yes", "--server-name", NAME, "--self-signed")
        MACHINE.run("bash", "-c", "goldsmith plugin import /root/sample/plugins/*/")
        MACHINE.run("goldsmith", "setting", "set", "builds_per_hour", "77")
        MACHINE.run("goldsmith", "key", "create", "--name", "hosting")
        Upgrade.kept = data()
        self.assertRegex(version("mariadb-server"), r"10\.11\.")
        self.serves(OLD)

    def test_2_the_old_package_serves_after_the_upgrade_of_the_system(self):
        before = downloads()
        MACHINE.run(*APT, "full-upgrade", timeout=1500)
        self.assertRegex(version("mariadb-server"), r"11\.8\.")
        self.assertEqual(MACHINE.run("cat", "/etc/debian_version").split(".")[0], "13")
        self.assertEqual(downloads(), before)
        self.serves(OLD)

    def test_3_and_after_the_boot_into_it(self):
        MACHINE.reboot()
        self.serves(OLD)

    def test_4_the_new_package_replaces_it(self):
        before = downloads()
        MACHINE.run(*APT, "install", "/root/new.deb")
        self.assertEqual(downloads(), before)
        self.serves(NEW)
        self.assertEqual(MACHINE.run("dpkg", "--verify", "goldsmith"), "")


def main():
    global BUILD, OLD, NEW, TREE
    BUILD, OLD, NEW = map(os.path.abspath, sys.argv[1:4])
    require([OLD, NEW], "scripts/test platforms builds the packages for it")
    TREE = make_tree("bookworm", OLD, sys.argv[4])
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[5:]])


main()

#!/usr/bin/env python3
"""A bundle between two hosts with nothing else in common: bundles.py BUILD_FOLDER

The second stack has a database, a depot and caches of its own, and no toolchain, component, plugin or pack."""

import json
import os
import subprocess
import sys
import time
import unittest

from running_stack import Stack

FIRST = SECOND = None
DOWNLOAD = "/v1/server-builder/download"
SELECTIONS = ["", "?optimized=1", "?plugins=afk-watch", "?components=anvil-engine"]
PLUGIN = "/v1/plugins/afk-watch/download/2.0?kind=zip"


def command(stack):
    return os.path.join(stack.folder, "commands", "goldsmith")


def call(stack, *words, **streams):
    return subprocess.run([command(stack), *words], check=False, stderr=subprocess.PIPE, **streams)


def setUpModule():
    for host in (FIRST, SECOND):
        host.up()
    FIRST.run("goldsmith", "overlay", "set", "cstrike/server.cfg", "--file",
              write(FIRST, "own.cfg", "hostname first\n"))
    FIRST.run("goldsmith", "plugin", "check", "afk-watch")
    SECOND.run("sql", "DROP DATABASE goldsmith; CREATE DATABASE goldsmith CHARACTER SET utf8mb4")
    SECOND.run("goldsmith", "db", "migrate")
    os.rename(os.path.join(SECOND.folder, "depot"), os.path.join(SECOND.folder, "former-depot"))
    SECOND.run("configure", f"toolchains = {SECOND.folder}/toolchains", f"includes = {SECOND.folder}/own-includes")


def tearDownModule():
    for host in (FIRST, SECOND):
        host.run("down")


def write(stack, name, text):
    path = os.path.join(stack.folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


class Bundle(unittest.TestCase):
    def test_1_the_other_host_has_nothing(self):
        self.assertEqual(SECOND.get(PLUGIN).status, 404)
        self.assertEqual(SECOND.get_json("/v1/plugins")["total"], 0)

    def test_2_a_pipe_carries_what_it_needs(self):
        file = os.path.join(SECOND.folder, "bundle.tar")
        begun = time.monotonic()
        with open(file, "wb") as output:
            done = call(FIRST, "bundle", "export", "-", "--parts", "catalog", "depot", "toolchains", "plugins", "packs",
                        "overlays", stdout=output)
        self.assertEqual(done.returncode, 0, done.stderr)
        written = time.monotonic()
        sha256 = done.stderr.decode().split("sha256 ")[1].split()[0]
        with open(file, "rb") as content:
            done = call(SECOND, "bundle", "import", "-", "--sha256", sha256, "--parts", "catalog", "depot", "toolchains",
                        "plugins", "packs", "overlays", stdin=content, stdout=subprocess.PIPE)
        self.assertEqual(done.returncode, 0, done.stderr)
        print(f"{os.path.getsize(file) / 1e6:.1f} MB, written in {written - begun:.1f} s, "
              f"taken in {time.monotonic() - written:.1f} s", file=sys.stderr)
        self.assertNotIn(b"kept", done.stdout)

    def test_3_both_hosts_give_the_same(self):
        for target in ("/v1/plugins?per_page=48", "/v1/addons", "/v1/server-builder/meta"):
            SECOND.wait_for(target, 200)
        names = [sorted(plugin["slug"] for plugin in host.get_json("/v1/plugins?per_page=48")["plugins"])
                 for host in (FIRST, SECOND)]
        self.assertEqual(*names)
        self.assertGreater(len(names[0]), 3)
        self.assertEqual(*(host.get(PLUGIN).body for host in (FIRST, SECOND)))
        first, second = (json.loads(host.get("/v1/plugins/afk-watch").text().replace(host.url(""), "https://HOST"))
                         ["plugin"]["versions"] for host in (FIRST, SECOND))
        self.assertEqual(first[0]["compiles_with"]["1.9"], "ok")
        self.assertEqual(first, second)
        for selection in SELECTIONS:
            first, second = (host.get(DOWNLOAD + selection) for host in (FIRST, SECOND))
            self.assertEqual(first.status, 200, selection)
            self.assertEqual(first.all("X-Svc-Build-Hash"), second.all("X-Svc-Build-Hash"), selection)
            self.assertEqual(first.body, second.body, selection)
        self.assertEqual(SECOND.goldsmith("depot", "verify").count(" ok"), FIRST.goldsmith("depot", "verify").count(" ok"))

    def test_4_again_changes_nothing(self):
        before = SECOND.run("sql", "SELECT value FROM goldsmith.revision")
        file = os.path.join(SECOND.folder, "bundle.tar")
        digest = subprocess.run(["sha256sum", file], check=True, stdout=subprocess.PIPE).stdout.decode()[:64]
        done = call(SECOND, "bundle", "import", file, "--sha256", digest, stdout=subprocess.PIPE)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(done.stdout.endswith(b"\nnothing was changed\n"), done.stdout)
        self.assertEqual(SECOND.run("sql", "SELECT value FROM goldsmith.revision"), before)

    def test_5_downloads_go_on_while_it_is_taken(self):
        FIRST.run("goldsmith", "plugin", "unpublish", "afk-watch")
        SECOND.run("goldsmith", "plugin", "unpublish", "afk-watch")
        SECOND.wait_for(PLUGIN, 404, allowed=(200,))
        file = os.path.join(SECOND.folder, "bundle.tar")
        digest = subprocess.run(["sha256sum", file], check=True, stdout=subprocess.PIPE).stdout.decode()[:64]
        taking = subprocess.Popen([command(SECOND), "bundle", "import", file, "--sha256", digest, "--replace"],
                                  stdout=subprocess.PIPE)
        statuses = set()
        while taking.poll() is None:
            statuses.add(SECOND.get(DOWNLOAD).status)
        taking.communicate()
        self.assertEqual((taking.returncode, statuses), (0, {200}))
        self.assertEqual(SECOND.get(PLUGIN).status, 404)  # as it was withdrawn


def main():
    global FIRST, SECOND
    build = os.path.abspath(sys.argv[1])
    FIRST, SECOND = (Stack(os.path.join(build, "test-stacks", name), os.path.join(build, "bin"),
                           os.path.join(build, "toolchain")) for name in ("bundle-from", "bundle-to"))
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[2:]])


main()

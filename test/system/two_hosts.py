#!/usr/bin/env python3
"""Two hosts with one database behind one nginx, and a restored backup: two_hosts.py BUILD_FOLDER

The second host is a stack with caches, shared memory and web server of its own, which uses the first one's database
and depot. In front is nginx/front.conf.example, with the names and ports of this test."""

import collections
import json
import os
import re
import shutil
import socket
import ssl
import subprocess
import sys
import time
import unittest
import urllib.error
import urllib.request

from running_stack import ROOT, Stack

FIRST = SECOND = RESTORED = FRONT = None
RESOLVE, DOWNLOAD = "/v1/server-builder/resolve", "/v1/server-builder/download"
SELECTIONS = ["?optimized=1", "?plugins=afk-watch", "?components=anvil-engine", "?components=anvil-engine,forge-gamedll"]


def setUpModule():
    for host in (FIRST, SECOND):
        host.up()
    share_the_database()
    FRONT.start()


def tearDownModule():
    FRONT.stop()
    for host in (SECOND, FIRST):
        host.run("stop")


def setting_of(stack, name):
    with open(os.path.join(stack.folder, "etc", "goldsmith.conf"), encoding="utf-8") as file:
        return re.search(rf"^{re.escape(name)} = (.*)$", file.read(), re.MULTILINE).group(1)


def share_the_database():
    common = ["limits.backend = mysql", "trusted_proxies = 127.0.0.1"]
    FIRST.run("configure", *common)
    names = ["database.socket", "database.user", "database.password", "depot", "base_url", "site_url"]
    SECOND.run("configure", *common, *(f"{name} = {setting_of(FIRST, name)}" for name in names))


class Front:
    """nginx with the example's configuration."""

    def __init__(self, folder):
        self.folder = folder

    def start(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        os.makedirs(os.path.join(self.folder, "temp"))
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        with open(os.path.join(ROOT, "nginx", "front.conf.example"), encoding="utf-8") as file:
            text = file.read()
        tls = os.path.join(FIRST.folder, "etc", "tls")
        for old, new in (("host-1.example:443", f"127.0.0.1:{FIRST.client.https_port}"),
                         ("host-2.example:443", f"127.0.0.1:{SECOND.client.https_port}"),
                         ("listen 443 ssl", f"listen 127.0.0.1:{self.port} ssl"),
                         ("/etc/ssl/goldsmith.example.pem", f'"{tls}/cert.pem"'),
                         ("/etc/ssl/private/goldsmith.example.key", f'"{tls}/key.pem"')):
            assert old in text, old
            text = text.replace(old, new)
        temporary = "".join(f"{kind}_temp_path temp/{kind}; " for kind in ("proxy", "fastcgi", "scgi", "uwsgi"))
        with open(os.path.join(self.folder, "nginx.conf"), "w", encoding="utf-8") as file:
            file.write(f"pid nginx.pid; error_log error.log; events {{ }}\nhttp {{ access_log off; {temporary}"
                       f"client_body_temp_path temp/body;\n{text}\n}}\n")
        self.nginx()

    def nginx(self, *arguments):
        subprocess.run(["nginx", "-p", self.folder + "/", "-c", os.path.join(self.folder, "nginx.conf"), "-e",
                        os.path.join(self.folder, "error.log"), *arguments], check=True)

    def stop(self):
        self.nginx("-s", "stop")

    def get(self, target):
        """(status, body)"""
        context = ssl.create_default_context(cafile=FIRST.client.certificate)
        try:
            with urllib.request.urlopen(f"https://127.0.0.1:{self.port}{target}", context=context) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, error.read()


class TwoHosts(unittest.TestCase):
    def test_equal_selections_are_equal_bytes_on_both(self):
        for selection in SELECTIONS:
            plans = [host.get_json(RESOLVE + selection) for host in (FIRST, SECOND)]
            self.assertEqual(*(plan["build_hash"] for plan in plans))
            self.assertEqual(*(plan["download_url"] for plan in plans))
            archives = [host.get(DOWNLOAD + selection) for host in (FIRST, SECOND)]
            self.assertEqual(archives[0].body, archives[1].body)
            self.assertEqual(archives[0].all("ETag"), archives[1].all("ETag"))

    def test_equal_requests_meet_the_same_cache(self):
        for host in (FIRST, SECOND):
            host.empty_cache()
        for selection in SELECTIONS * 3:
            self.assertEqual(FRONT.get(DOWNLOAD + selection)[0], 200)
        built = FIRST.cached_archives() + SECOND.cached_archives()
        hashes = {FIRST.get_json(RESOLVE + selection)["build_hash"] + ".zip" for selection in SELECTIONS}
        self.assertEqual(sorted(built), sorted(hashes))

    def test_a_limit_counts_on_both_together(self):
        FIRST.run("goldsmith", "setting", "set", "anonymous_per_day", "30")
        try:
            self.wait_until_visible("per_day", 30)
            for _ in range(2):  # a day may end in the middle
                answers = collections.Counter(
                    host.get("/v1/meta", x_forwarded_for="198.51.100.7").status for host in (FIRST, SECOND) * 20)
                if answers == {200: 30, 429: 10}:
                    break
            self.assertEqual(answers, {200: 30, 429: 10})
        finally:
            FIRST.run("goldsmith", "setting", "set", "anonymous_per_day", "1000000")
            self.wait_until_visible("per_day", 1000000)

    def wait_until_visible(self, name, value):
        """On the other host: two seconds, as the changes of other hosts may take."""
        deadline = time.monotonic() + 20
        caller = 0
        while True:
            caller += 1
            limits = SECOND.get("/v1/meta", x_forwarded_for=f"203.0.113.{caller % 250}")
            if json.loads(limits.body)["rate_limits"][name] == value:
                return
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.1)

    def test_downloads_of_both_add_up(self):
        def downloads(host):
            return host.get_json("/v1/plugins/afk-watch")["plugin"]["downloads"]
        before = downloads(FIRST)
        for host in (FIRST, SECOND, FIRST, SECOND, SECOND):
            self.assertEqual(host.get("/v1/plugins/afk-watch/download/2.0?kind=sma").status, 200)
        for host in (FIRST, SECOND):
            deadline = time.monotonic() + 20
            while downloads(host) != before + 5:
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.1)

    def test_a_host_that_is_down_is_passed_over(self):
        SECOND.run("pool", "api", "stop")
        try:
            answers = {FRONT.get(f"/v1/plugins?page_n={page}")[0] for page in range(1, 30)}
            self.assertEqual(answers, {200})
        finally:
            SECOND.run("pool", "api", "start")


class Backup(unittest.TestCase):
    def test_a_dump_and_the_depot_bring_everything_back(self):
        dump = os.path.join(FIRST.folder, "backup.sql")
        with open(dump, "wb") as file:
            subprocess.run(["mysqldump", "--no-defaults", "-uroot", "-S", setting_of(FIRST, "database.socket"),
                            "--single-transaction", "goldsmith"], check=True, stdout=file)
        RESTORED.up()
        try:
            RESTORED.run("sql", "DROP DATABASE goldsmith; CREATE DATABASE goldsmith CHARACTER SET utf8mb4")
            with open(dump, "rb") as file:
                subprocess.run(["mariadb", "--no-defaults", "-uroot", "-S", setting_of(RESTORED, "database.socket"),
                                "goldsmith"], check=True, stdin=file)
            depot = os.path.join(RESTORED.folder, "depot")
            shutil.rmtree(depot)
            shutil.copytree(os.path.join(FIRST.folder, "depot"), depot)
            RESTORED.run("goldsmith", "db", "migrate")
            RESTORED.run("goldsmith", "depot", "verify")
            RESTORED.run("replace")
            for selection in SELECTIONS:
                self.assertEqual(RESTORED.get(DOWNLOAD + selection).body, FIRST.get(DOWNLOAD + selection).body)
        finally:
            RESTORED.run("stop")


def main():
    global FIRST, SECOND, RESTORED, FRONT
    build = os.path.abspath(sys.argv[1])
    stacks = os.path.join(build, "test-stacks")
    FIRST, SECOND, RESTORED = (Stack(os.path.join(stacks, name), os.path.join(build, "bin"),
                                     os.path.join(build, "toolchain"))
                               for name in ("host-1", "host-2", "host-restored"))
    FRONT = Front(os.path.join(stacks, "front"))
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[2:]])


main()

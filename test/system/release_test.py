#!/usr/bin/env python3
"""A host with the release 1.0.0 gets the present package, and goes back: release_test.py BUILD_FOLDER OLD_PACKAGE NEW_PACKAGE [mysql]

Its database is MariaDB's, or with `mysql` MySQL's; both have programs of these names. What the host has, and the servers that it made, stay; what it answered, it answers. The tests run in the order of their
numbers. The exit code is 77 if this host cannot run them; the last line says why."""

import json
import os
import shutil
import subprocess
import sys
import unittest

from machine import NAME, Load, Machine, field, lost, make_tree, require
from mysql_machine import boot_with_mysql, make_mysql_tree
from running_stack import wait_until

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = OLD = NEW = TREE = MYSQL = MACHINE = None
SELECTION = "components=anvil-engine,forge-gamedll,hearth-loader,amber-platform&plugins=afk-watch,map-clock"
DOWNLOAD = "/v1/plugins/afk-watch/download/2.0?kind="
ARCHIVE = "/v1/server-builder/download?" + SELECTION
ANSWERS = ["/v1/meta", "/v1/plugins", "/v1/plugins?search=afk&per_page=5", "/v1/plugins?compiles_with=1.9", "/v1/plugins/afk-watch",
           "/v1/plugins/privet", "/v1/addons", "/v1/addons/public-server", "/v1/server-builder/meta",
           "/v1/server-builder/components/amber-platform", "/v1/server-builder/resolve?" + SELECTION,
           "/v1/server-builder/resolve?components=hearth-loader", "/v1/plugins/no-such-plugin"]
# Everything else that a link, a feed reader or a program of 1.0.0 asks for.
LINKS = ["/", "/plugins", "/plugins/afk-watch", "/plugins/afk-watch/2.0/afk_watch.sma", "/addons", "/addons/public-server", "/server",
         "/server?" + SELECTION, "/status", "/licenses", "/docs", "/docs/api.d.ts", "/docs/examples/client.py",
         "/docs/examples/client.php", "/v1/openapi.json", "/feeds/plugins.atom", "/feeds/components.atom", "/favicon.svg",
         "/robots.txt", "/sitemap.xml", "/opensearch.xml", DOWNLOAD + "sma", DOWNLOAD + "amxx", DOWNLOAD + "zip",
         "/v1/server-builder/file?path=cstrike/liblist.gam&" + SELECTION,
         *(f"/server/{each}?{SELECTION}" for each in ("checksums.txt", "plugins.txt", "sbom.cdx.json", "update.sh", "egg.json",
                                                      "Dockerfile", "compose.yaml", "amp.json"))]
# Under load. Documents of servers have limits of their own.
ASKED = [*ANSWERS[:-1], *(each for each in LINKS if "/server" not in each)]
NOUNS = ("plugin", "addon", "component", "setting", "key", "overlay")
READER = "FROM information_schema.processlist WHERE info = 'DO SLEEP(600)'"
BLOCKED = "SELECT COUNT(*) FROM information_schema.processlist WHERE state = 'Waiting for table metadata lock'"


def setUpModule():
    global MACHINE
    MACHINE = Machine(TREE, os.path.join(BUILD, "machines", "release-mysql" if MYSQL else "release"))
    if MYSQL:
        boot_with_mysql(MACHINE, MYSQL)
    else:
        MACHINE.boot()
    for package, name in ((OLD, "old.deb"), (NEW, "new.deb")):
        shutil.copy(package, MACHINE.path("/root/" + name))
    shutil.copytree(os.path.join(BUILD, "toolchain"), MACHINE.path("/opt/goldsmith/toolchains"))
    shutil.copytree(os.path.join(ROOT, "test", "fixtures", "sample"), MACHINE.path("/root/sample"))
    leave_out_what_is_newer(MACHINE.path("/root/sample/components"))
    subprocess.run([os.path.join(ROOT, "test", "fixtures", "sample", "make_components.py"), MACHINE.path("/root/upstream")],
                   check=True, stdout=subprocess.DEVNULL)
    MACHINE.run("bash", "-c", f"echo '127.0.0.1 {NAME}' >>/etc/hosts")


def tearDownModule():
    if MACHINE:
        MACHINE.stop()


def leave_out_what_is_newer(folder):
    """Fields of manifests that 1.0.0 does not know."""
    for name in os.listdir(folder):
        with open(os.path.join(folder, name), "r+", encoding="utf-8") as file:
            manifest = json.load(file)
            for each in ("secrets", "places"):
                manifest.pop(each, None)
            file.seek(0)
            file.truncate()
            json.dump(manifest, file)


def sql(statement):
    return MACHINE.run("mysql", "-N", "goldsmith", "-e", statement).strip()


def doctor():
    return json.loads(MACHINE.run("bash", "-c", "goldsmith doctor --json 2>/dev/null || true"))


def links():
    return {target: MACHINE.curl(target, "-o", "/dev/null", "-w", "%{http_code} %{content_type}") for target in LINKS}


def answers():
    return {target: json.loads(MACHINE.curl(target)) for target in ANSWERS}


def lists():
    return {noun: json.loads(MACHINE.run("goldsmith", noun, "list", "--json")) for noun in NOUNS}


def counted():
    """Rows that nothing takes away."""
    tables = ("plugins", "plugin_versions", "plugin_files", "addon_packs", "component_versions", "component_files", "api_keys",
              "overlay_sections", "download_log", "builds", "compile_verdicts")
    return {each: int(sql(f"SELECT COUNT(*) FROM {each}")) for each in tables}


def files(folder):
    """Of a server; what the updater has for itself is in a folder of its own."""
    return MACHINE.run("bash", "-c", f"cd {folder} && find . -path ./.goldsmith -prune -o -type f -print0 | sort -z | xargs -0 sha256sum")


class Release(unittest.TestCase):
    maxDiff = None
    answers = links = lists = counted = server = key = None

    def update(self, script, folder, *options):
        return MACHINE.run("env", "CURL_CA_BUNDLE=/etc/goldsmith/tls/cert.pem", "sh", script, "--yes", *options, folder)

    def install(self, package):
        MACHINE.run("dpkg", "-i", "/root/" + package)

    def serves(self, package):
        wait_until(lambda: MACHINE.status("/v1/meta") == "200")
        self.assertEqual(MACHINE.run("dpkg-query", "-W", "-f", "${Version} ${db:Status-Status}", "goldsmith"),
                         field(package, "Version") + " installed")
        self.assertEqual(MACHINE.run("dpkg", "--verify", "goldsmith"), "")
        bad = [each for each in doctor() if each["health"] == "bad"]
        self.assertEqual(bad, [])

    def keeps_everything(self):
        self.assertEqual(lost(self.lists, lists()), [])
        self.assertEqual(lost(self.answers, answers()), [])
        fewer = {each: (number, now) for each, now in counted().items() if now < (number := self.counted[each])}
        self.assertEqual(fewer, {})
        self.assertIn('"auth":"key"', MACHINE.curl("/v1/meta", "-H", f"Authorization: Bearer {self.key}"))
        self.assertEqual(links(), self.links)

    def test_1_a_host_runs_the_release(self):
        self.install("old.deb")
        MACHINE.run("goldsmith", "setup", "--yes", "--server-name", NAME, "--self-signed")
        for name in ("anonymous_per_minute", "anonymous_per_day", "builds_per_hour", "compiles_per_hour",
                     "compile_flood_per_minute", "build_flood_per_minute"):
            MACHINE.run("goldsmith", "setting", "set", name, "1000000")
        MACHINE.run("bash", "-c", "cd /root/sample && goldsmith plugin import plugins/*/ && goldsmith addon import addons/*.json && "
                    "goldsmith component import components/*.json && echo '// mine' >/root/mine.cfg && "
                    "goldsmith overlay set cstrike/server.cfg --file /root/mine.cfg")
        MACHINE.run("bash", "-c", "while read -r slug version file time; do goldsmith component mirror $slug --version "
                    "$version --archive /root/upstream/$file --released-at \"$time\" || exit 1; done </root/upstream/index.tsv")
        MACHINE.run("goldsmith", "plugin", "check")
        Release.key = next(word for word in MACHINE.run("goldsmith", "key", "create", "--name", "hosting").split()
                           if word.startswith("svck_"))
        MACHINE.run("bash", "-c", "echo 'log.address_days = 3' >/etc/goldsmith/conf.d/50-mine.conf && goldsmith-workers restart")
        MACHINE.curl(ARCHIVE, "-o", "/root/server.zip")
        MACHINE.curl("/server/update.sh?" + SELECTION, "-o", "/root/old.sh")
        for folder in ("/srv/old", "/srv/new"):
            MACHINE.run("mkdir", folder)
            self.update("/root/old.sh", folder)
            MACHINE.run("bash", "-c", f"echo '// edited' >>{folder}/cstrike/addons/amxmodx/configs/amxx.cfg")
        # What an answer says of compiles and digests is there a moment after the first download.
        wait_until(lambda: json.loads(MACHINE.curl("/v1/server-builder/resolve?" + SELECTION))["archive_sha256"])
        Release.answers, Release.links, Release.lists = answers(), links(), lists()
        self.assertEqual({target: code for target, code in self.links.items() if not code.startswith("200 ")}, {})
        wait_until(lambda: int(sql("SELECT COUNT(*) FROM download_log")) >= 3)  # of the links
        Release.counted = counted()
        # MySQL would put numbers of transactions into it, which the same server does not take back.
        dump = "mysqldump --set-gtid-purged=OFF" if MYSQL else "mysqldump"
        MACHINE.run("bash", "-c", dump + " --single-transaction goldsmith | gzip >/root/before.sql.gz")
        Release.server = files("/srv/old")
        self.serves(OLD)

    def is_incomplete(self):
        """The workers go on, new ones too, and the doctor knows."""
        wait_until(lambda: MACHINE.status("/v1/meta") == "200")
        MACHINE.run("systemctl", "kill", "--kill-whom=main", "--signal=KILL", "goldsmith-api@1")
        wait_until(lambda: MACHINE.status("/v1/plugins/afk-watch") == "200")
        self.assertEqual(lost(self.answers, answers()), [])
        found = [each for each in doctor() if each["subject"] == "upgrade"]
        self.assertEqual([each["health"] for each in found], ["bad"])
        self.assertIn("dpkg --configure goldsmith", found[0]["remedy"])

    def wait_for_migration(self):
        """Begins one that waits in its middle, for somebody who reads a table."""
        reader = MACHINE.start("mysql", "goldsmith", "-e", "LOCK TABLES component_versions READ; DO SLEEP(600)")
        wait_until(lambda: sql(f"SELECT COUNT(*) {READER}") == "1")
        upgrade = MACHINE.start("dpkg", *(["-i", "/root/new.deb"] if self.is_release() else ["--configure", "goldsmith"]))
        wait_until(lambda: sql(BLOCKED) != "0")
        return reader, upgrade

    @staticmethod
    def is_release():
        return MACHINE.run("dpkg-query", "-W", "-f", "${db:Status-Status}", "goldsmith") == "installed"

    def test_2_a_killed_server_or_migration_leaves_the_workers_of_the_release(self):
        for kill in (["systemctl", "kill", "--signal=KILL", "mysql"], ["pkill", "-KILL", "-f", "^([^ ]*/)?goldsmith db migrate"]):
            reader, upgrade = self.wait_for_migration()
            MACHINE.run(*kill)
            said = upgrade.communicate(timeout=120)[0]
            self.assertNotEqual(upgrade.returncode, 0, said)
            self.assertIn("The workers of version", said)
            wait_until(lambda: MACHINE.run("bash", "-c", "mysqladmin ping || true").strip() == "mysqld is alive")
            if int(sql(f"SELECT COUNT(*) {READER}")):
                sql("KILL " + sql(f"SELECT id {READER}"))
            reader.communicate()
            self.is_incomplete()

    def test_3_the_upgrade_goes_on_under_load(self):
        with Load(self, MACHINE, *ASKED, tries=2) as clients:
            MACHINE.run("dpkg", "--configure", "goldsmith")
            clients.wait_for_more()
        self.serves(NEW)
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
        self.install("old.deb")
        MACHINE.run("systemctl", "start", "goldsmith.target", "timers.target", "paths.target")
        self.serves(OLD)
        now = answers()
        self.assertEqual(lost(self.answers, now) + lost(now, self.answers), [])
        self.assertEqual(counted(), self.counted)
        self.update("/root/old.sh", "/srv/old")

    def test_6_and_forward_in_one_step_under_load(self):
        with Load(self, MACHINE, *ASKED, tries=2) as clients:
            self.install("new.deb")
            clients.wait_for_more()
        self.serves(NEW)
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

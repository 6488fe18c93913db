"""A Machine with the package of 1.0.0 and the sample data, and all that it answers, for tests of upgrades from there."""

import json
import os
import shutil
import subprocess
import unittest

from machine import NAME, field, lost
from running_stack import wait_until

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SELECTION = "components=anvil-engine,forge-gamedll,hearth-loader,amber-platform&plugins=afk-watch,map-clock"
DOWNLOAD = "/v1/plugins/afk-watch/download/2.0?kind="
ARCHIVE = "/v1/server-builder/download?" + SELECTION
RESOLVED = "/v1/server-builder/resolve?" + SELECTION
ANSWERS = ["/v1/meta", "/v1/plugins", "/v1/plugins?search=afk&per_page=5", "/v1/plugins?compiles_with=1.9", "/v1/plugins/afk-watch",
           "/v1/plugins/privet", "/v1/addons", "/v1/addons/public-server", "/v1/server-builder/meta",
           "/v1/server-builder/components/amber-platform", RESOLVED,
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
LIMITS = ("anonymous_per_minute", "anonymous_per_day", "builds_per_hour", "compiles_per_hour", "compile_flood_per_minute",
          "build_flood_per_minute")


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


class ReleasedHost(unittest.TestCase):
    """Not a test by itself: it asserts."""
    maxDiff = None

    def __init__(self, machine):
        super().__init__("serves")
        self.machine, self.was = machine, {}

    def bring(self, build, old, new):
        """Into a machine that was booted: both packages, as old.deb and new.deb, toolchains and samples."""
        machine = self.machine
        for package, name in ((old, "old.deb"), (new, "new.deb")):
            shutil.copy(package, machine.path("/root/" + name))
        shutil.copytree(os.path.join(build, "toolchain"), machine.path("/opt/goldsmith/toolchains"))
        shutil.copytree(os.path.join(ROOT, "test", "fixtures", "sample"), machine.path("/root/sample"))
        leave_out_what_is_newer(machine.path("/root/sample/components"))
        subprocess.run([os.path.join(ROOT, "test", "fixtures", "sample", "make_components.py"), machine.path("/root/upstream")],
                       check=True, stdout=subprocess.DEVNULL)
        machine.run("bash", "-c", f"echo '127.0.0.1 {NAME}' >>/etc/hosts")

    def install(self, package):
        self.machine.run("dpkg", "-i", "/root/" + package)

    def fill(self):
        """The sample data, with limits that no test reaches."""
        for name in LIMITS:
            self.machine.run("goldsmith", "setting", "set", name, "1000000")
        self.machine.run("bash", "-c", "cd /root/sample && goldsmith plugin import plugins/*/ && goldsmith addon import addons/*.json && "
                         "goldsmith component import components/*.json && echo '// mine' >/root/mine.cfg && "
                         "goldsmith overlay set cstrike/server.cfg --file /root/mine.cfg")
        self.machine.run("bash", "-c", "while read -r slug version file time; do goldsmith component mirror $slug --version "
                         "$version --archive /root/upstream/$file --released-at \"$time\" || exit 1; done </root/upstream/index.tsv")
        self.machine.run("goldsmith", "plugin", "check")

    def sql(self, statement):
        return self.machine.run("mysql", "-N", "goldsmith", "-e", statement).strip()

    def doctor(self):
        return json.loads(self.machine.run("bash", "-c", "goldsmith doctor --json 2>/dev/null || true"))

    def answers(self):
        return {target: json.loads(self.machine.curl(target)) for target in ANSWERS}

    def links(self):
        return {target: self.machine.curl(target, "-o", "/dev/null", "-w", "%{http_code} %{content_type}") for target in LINKS}

    def lists(self):
        return {noun: json.loads(self.machine.run("goldsmith", noun, "list", "--json")) for noun in NOUNS}

    def counted(self):
        """Rows that nothing takes away."""
        tables = ("plugins", "plugin_versions", "plugin_files", "addon_packs", "component_versions", "component_files", "api_keys",
                  "overlay_sections", "download_log", "builds", "compile_verdicts")
        return {each: int(self.sql(f"SELECT COUNT(*) FROM {each}")) for each in tables}

    def remember(self):
        """What keeps_everything compares with."""
        self.machine.curl(ARCHIVE, "-o", "/root/server.zip")
        # What an answer says of compiles and digests is there a moment after the first download.
        wait_until(lambda: json.loads(self.machine.curl(RESOLVED))["archive_sha256"])
        self.was = {"answers": self.answers(), "links": self.links(), "lists": self.lists()}
        self.assertEqual({target: code for target, code in self.was["links"].items() if not code.startswith("200 ")}, {})
        wait_until(lambda: int(self.sql("SELECT COUNT(*) FROM download_log")) >= 3)  # of the links
        self.was["counted"] = self.counted()

    def keeps_answers(self):
        self.assertEqual(lost(self.was["answers"], self.answers()), [])

    def keeps_links(self):
        self.assertEqual(self.links(), self.was["links"])

    def keeps_everything(self):
        self.keeps_answers()
        self.keeps_links()
        self.assertEqual(lost(self.was["lists"], self.lists()), [])
        now = self.counted()
        self.assertEqual({each: (number, now[each]) for each, number in self.was["counted"].items() if now[each] < number}, {})

    def serves(self, package):
        wait_until(lambda: self.machine.status("/v1/meta") == "200")
        self.assertEqual(self.machine.run("dpkg-query", "-W", "-f", "${Version} ${db:Status-Status}", "goldsmith"),
                              field(package, "Version") + " installed")
        self.assertEqual(self.machine.run("dpkg", "--verify", "goldsmith"), "")
        self.assertEqual([each for each in self.doctor() if each["health"] == "bad"], [])

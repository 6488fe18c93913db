#!/usr/bin/env python3
"""The commands of the operators' documents on a Debian of their own: documents_test.py BUILD_FOLDER SUITE PACKAGE NEXT_PACKAGE

The machine has PACKAGE beside real nginx and MariaDB under a real systemd, and no network. Each document is gone through from its
beginning, as a reader would, and every command in a block is run, but for those that documented.py excepts. NEXT_PACKAGE is what the
documents upgrade to. The exit code is 77 if this host cannot run it; the last line says why."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import time
import unittest

import documented
from machine import Machine, make_tree, require

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
NAME = "goldsmith.example.org"
BUILD = SUITE = PACKAGE = NEXT = TREE = MACHINE = None

# What documents leave to their readers, in every block: (as it is written, what this reader takes).
VALUES = [("goldsmith.example/server", NAME + "/server"), ("OWNER/NAME", "owner/name"), ("SLUG", "afk-watch"), ("VERSION", "2.0"),
          ("FILE", "$(ls /srv/backup/*.tar.gz | tail -n 1)"), ("HEX", "$(sha256sum bundle.tar | cut -c -64)"),
          ("rehlds 3.14.0.857", "anvil-engine 3.1.4")]
# What a person does, another host, and what would never end.
FUNCTIONS = r"""
set -eo pipefail
cd /root/reader
export CURL_CA_BUNDLE=/etc/goldsmith/tls/cert.pem
editor() { test -s "$1"; }
ssh() { test "$1" = backup && bash -c "$2"; }
curl() { command curl --fail "$@"; }
journalctl() {
  case " $* " in
    *' -f '*) timeout 2 journalctl "$@" || test $? = 124 ;;
    *) command journalctl "$@" ;;
  esac
}
"""
SOURCE = r'#include <amxmodx>\npublic plugin_init() {\n register_plugin("Left here", "1.0", "Somebody");\n}\n'
# Before a block that has the text is run: what a reader has by then, in place of what the network would bring.
BEFORE = {
    "goldsmith plugin scan collection/ --write manifests/ --import --publish": r"""
mkdir -p /opt/goldsmith && cp -a /root/toolchains /opt/goldsmith/toolchains
goldsmith plugin import /root/sample/plugins/*/
goldsmith component import /root/no-defaults.json /root/sample/components/*.json
while read -r slug version file time; do
  goldsmith component mirror $slug --version $version --archive /root/upstream/$file --released-at "$time"
done </root/upstream/index.tsv
mkdir collection
""" + rf"printf '{SOURCE}' >collection/left_here.sma",
    "safenameandchat": "cp /usr/lib/goldsmith/libsteam_api.so SafeNameAndChat.so && echo made >SafeNameAndChat.cfg",
    "plugin inbox": rf"install -d /srv/uploads && printf '{SOURCE}' | sed 's/Left here/Uploaded/' >/srv/uploads/uploaded.sma",
    "goldsmith key set 3": "goldsmith key create --name first && goldsmith key create --name second",
    "fleet check": r"""
mkdir server
curl -s https://goldsmith.example.org/server/update.sh >update.sh
sh update.sh --yes server
/usr/lib/goldsmith/goldsmith-keeper status --json server >fleet.json
echo 'one https://goldsmith.example.org/server' >links.txt""",
    # On another host, which fills its depot then.
    "goldsmith restore FILE --dry-run": r"""
mv /var/lib/goldsmith/depot /srv/depot
dpkg -P goldsmith
rm -rf /etc/nginx/sites-*/goldsmith* /opt/goldsmith /var/lib/goldsmith /etc/systemd/system/goldsmith*
systemctl daemon-reload
systemctl restart nginx
mariadb -e 'DROP DATABASE goldsmith; DROP USER goldsmith_api@localhost, goldsmith_build@localhost, goldsmith_operator@localhost'
dpkg -i /root/goldsmith.deb""",
    "goldsmith bundle export": "mv /srv/depot/* /var/lib/goldsmith/depot/",
    "apt install ./goldsmith_NEW.deb": "cp /root/next.deb goldsmith_NEW.deb",
}


def setUpModule():
    global MACHINE
    MACHINE = Machine(TREE, os.path.join(BUILD, "machines", "documents-" + SUITE))
    MACHINE.boot()
    shutil.copy(PACKAGE, MACHINE.path("/root/goldsmith.deb"))
    shutil.copy(NEXT, MACHINE.path("/root/next.deb"))
    shutil.copytree(os.path.join(BUILD, "toolchain"), MACHINE.path("/root/toolchains"))
    shutil.copytree(os.path.join(ROOT, "test", "fixtures", "sample"), MACHINE.path("/root/sample"))
    subprocess.run([os.path.join(ROOT, "test", "fixtures", "sample", "make_components.py"), MACHINE.path("/root/upstream")],
                   check=True, stdout=subprocess.DEVNULL)
    leave_defaults_to_the_sample()
    # The name leads here.
    MACHINE.run("bash", "-c", f"mkdir /root/reader && echo '127.0.0.1 {NAME}' >>/etc/hosts && "
                "dpkg -i /root/goldsmith.deb")


def tearDownModule():
    if MACHINE:
        MACHINE.stop()


def leave_defaults_to_the_sample():
    """/root/no-defaults.json: the catalog with nothing in the recommended server, which then is of the sample's components."""
    manifests = []
    for file in sorted(pathlib.Path(ROOT, "db/catalog/components").glob("*.json")):
        found = json.loads(file.read_text(encoding="utf-8"))
        manifests += found if isinstance(found, list) else [found]
    text = json.dumps([{**each, "is_default": False} for each in manifests])
    pathlib.Path(MACHINE.path("/root/no-defaults.json")).write_text(text, encoding="utf-8")


def script_of(block):
    text = block.script
    for written, taken in VALUES:
        text = text.replace(written, taken)
    return text


class Documents(unittest.TestCase):
    def go_through(self, document):
        """Runs all of it, and then names what failed."""
        done = set()
        for block in documented.blocks(document):
            if not block.is_commands or block.reason:
                continue
            with self.subTest(block=block.place):
                for text, before in BEFORE.items():
                    if text in block.script and text not in done:
                        done.add(text)
                        MACHINE.run("env", "HOME=/root", "bash", "-c", FUNCTIONS + before)
                started = time.monotonic()
                said = MACHINE.run("env", "HOME=/root", "bash", "-xc", FUNCTIONS + script_of(block))
                print(f"{block.place}: {time.monotonic() - started:.1f} s", flush=True)
                self.assertNotIn("command not found", said)

    def test_1_operating(self):
        self.go_through("systemd/OPERATING.md")
        # What they were for.
        MACHINE.run("bash", "-c", "nginx -T 2>/dev/null | grep -q '^worker_shutdown_timeout 1h;'")
        self.assertEqual(MACHINE.run("dpkg-query", "-W", "-f", "${Version}", "goldsmith")[:4], "9999")
        self.assertEqual(MACHINE.run("curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", "http://127.0.0.1:9189/readyz"), "200")

    def test_2_clusters(self):
        self.go_through("systemd/CLUSTERS.md")

    def test_3_the_catalog(self):
        self.go_through("db/catalog/README.md")


def main():
    global BUILD, SUITE, PACKAGE, NEXT, TREE
    SUITE = sys.argv[2]
    BUILD, PACKAGE, NEXT = (os.path.abspath(each) for each in (sys.argv[1], sys.argv[3], sys.argv[4]))
    require([PACKAGE, NEXT], "scripts/test all builds the packages for it")
    TREE = make_tree(SUITE, PACKAGE)
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[5:]])


main()

#!/usr/bin/env python3
"""What scripts/deb/logrotate does to logs, by itself and after the options of a system: log_rotation.py BUILD_FOLDER"""

import contextlib
import gzip
import os
import re
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DAY = 86400

# Options of an operator for all logs of a host, each of which the daily run of the system would follow.
OPTIONS = """weekly
rotate 4
dateext
dateyesterday
su nobody nogroup
minage 3
minsize 1M
maxage 400
start 7
olddir {folder}/old
createolddir
notifempty
nocreate
copytruncate
mail root
nocompress
compresscmd /bin/bzip2
uncompresscmd /bin/bunzip2
compressext .bz2
compressoptions -9
nodelaycompress
nosharedscripts
"""


class LogRotation(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory(prefix="goldsmith-logs-"))
        os.mkdir(self.path("nginx"))
        with open(os.path.join(ROOT, "scripts", "deb", "logrotate"), encoding="utf-8") as file:
            text = file.read().replace("/var/log/nginx", self.path("nginx")).replace("/run/nginx.pid", self.path("nginx.pid"))
        if os.geteuid() != 0:
            # Others can give nothing away.
            text = re.sub("(?m)^\tsu .*\n", "", text).replace(" www-data adm", "")
        self.write("ours", text)
        self.write("system", OPTIONS.format(folder=self.folder) + f"include {self.path('ours')}\n")
        self.log = self.path("nginx/goldsmith-access.log")

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        # Nobody else may hold the lock of the state, or have changed a configuration.
        os.chmod(self.path(name), 0o600)

    def rotate(self, configuration, is_next_day=True):
        """As the timer ("ours") or the system's daily run does it."""
        state = self.path("state")
        if is_next_day and os.path.exists(state):
            with open(state, encoding="utf-8") as file:
                text = file.read()
            yesterday = time.localtime(time.time() - DAY)
            self.write("state", re.sub(r'" \S+$', f'" {yesterday.tm_year}-{yesterday.tm_mon}-{yesterday.tm_mday}-0:0:0', text,
                                       flags=re.MULTILINE))
        said = subprocess.run(["/usr/sbin/logrotate", "--state", state, self.path(configuration)], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, check=False)
        self.assertEqual((said.returncode, said.stdout), (0, ""))

    def kept(self):
        """{name of a rotated log: its text}"""
        texts = {}
        for name in os.listdir(self.path("nginx")):
            opened = gzip.open if name.endswith(".gz") else open
            with opened(self.path(f"nginx/{name}"), "rt", encoding="utf-8") as file:
                texts[name] = file.read()
        return texts

    def test_the_systems_options_change_nothing(self):
        texts = {}
        for runs in (["ours"] * 6, ["ours", "system"] * 3, ["system", "ours"] * 3):
            for name in ["state", *(f"nginx/{name}" for name in os.listdir(self.path("nginx")))]:
                with contextlib.suppress(FileNotFoundError):
                    os.remove(self.path(name))
            self.write("nginx/goldsmith-access.log", "first\n")
            self.rotate(runs[0])  # learns of the log
            for day, configuration in enumerate(runs):
                self.write("nginx/goldsmith-access.log", f"day {day}\n")
                self.rotate(configuration)
            texts[tuple(runs)] = self.kept()
        expected = {"goldsmith-access.log": "", "goldsmith-access.log.1": "day 5\n"}
        expected |= {f"goldsmith-access.log.{6 - day}.gz": f"day {day}\n" for day in range(5)}
        for runs, kept in texts.items():
            self.assertEqual(kept, expected, runs)
        self.assertFalse(os.path.exists(self.path("old")))

    def test_no_address_is_kept_for_longer_than_the_guide_says(self):
        self.write("nginx/goldsmith-access.log", "")
        self.rotate("ours")
        for number, days in ((2, 12), (3, 13), (4, 14), (5, 40)):
            with gzip.open(f"{self.log}.{number}.gz", "wt") as file:
                file.write("2026-01-01T00:00:00+00:00 192.0.2.1\n")
            # Within the day, whatever the hour of the test.
            when = time.time() - days * DAY - 60
            os.utime(f"{self.log}.{number}.gz", (when, when))
        # Nothing was asked for since.
        self.rotate("ours")
        self.assertEqual(sorted(os.listdir(self.path("nginx"))), [
            "goldsmith-access.log", "goldsmith-access.log.1", "goldsmith-access.log.3.gz", "goldsmith-access.log.4.gz"])

    def test_fourteen_days_are_kept(self):
        self.write("nginx/goldsmith-access.log", "")
        self.rotate("ours")
        for day in range(20):
            self.write("nginx/goldsmith-access.log", f"day {day}\n")
            self.rotate("ours")
        kept = {name: text for name, text in self.kept().items() if text}
        self.assertEqual(sorted(kept.values()), sorted(f"day {day}\n" for day in range(6, 20)))

    def test_each_log_of_ours_is_rotated_by_its_size(self):
        names = ("goldsmith-access.log", "goldsmith-archives.log", "access.log")
        for name in names:
            self.write(f"nginx/{name}", "a line\n")
        self.rotate("ours")
        for name in names:
            os.truncate(self.path(f"nginx/{name}"), 101 << 20)
        self.rotate("ours", is_next_day=False)
        self.assertEqual(sorted(name for name in os.listdir(self.path("nginx")) if name.endswith(".1")),
                         ["goldsmith-access.log.1", "goldsmith-archives.log.1"])


def main():
    if not os.path.exists("/usr/sbin/logrotate"):
        print("logrotate is not installed")
        sys.exit(77)
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[2:]])


main()

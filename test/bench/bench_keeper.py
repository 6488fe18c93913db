#!/usr/bin/env python3
"""What goldsmith-keeper adds to reading a server of 50,000 files and a log of 100 MB: adopt, explain, update

A row is the processor time of the command and of a plain program that reads or writes the same, in turns: sha256sum of
all files for adopt, for a status, and for an update that finds nothing to do, unzip for an installation, and grep with
one word for a log. The ratio tells what goldsmith-keeper adds."""

import json
import os
import resource
import statistics
import subprocess
import sys
import zipfile

from measuring import SERVER, BenchStack, Targets, load, measured
from options import BUILD, Options

MOST = {"adopt": 2.0, "status": 4.0, "update, nothing to do": 1.0, "update, installs": 6.0, "explain": 40.0}
FILE_BYTES = 8 << 10
LOG_LINES = ["L 11/30/2026 - 08:00:{:02}: \"Player<{}><STEAM_0:1:{}><CT>\" killed \"Other<{}><STEAM_0:0:{}><TERRORIST>\" with \"ak47\"\n",
             "L 11/30/2026 - 08:00:{:02}: [AMXX] Run time error 4: index out of bounds {} {} {} {}\n",
             "Host_Error: {} PF_precache_model_I: {} {} {} {}: Model not found\n"]


class Bench:
    def __init__(self, chosen):
        self.chosen, self.targets = chosen, Targets()
        self.stack = BenchStack(BUILD, os.path.join(BUILD, "toolchain"))
        self.stack.configure(*self.stack.limits_of_big_component(chosen.files * FILE_BYTES >> 20))
        self.environment = {**os.environ, "CURL_CA_BUNDLE": self.stack.client.certificate, "LC_ALL": "C"}
        self.import_component()
        self.server = self.stack.path("server")

    def import_component(self):
        """Many small files that can't be compressed, in folders of a hundred."""
        archive, manifest = self.stack.path("many.zip"), self.stack.path("many.json")
        with zipfile.ZipFile(archive, "w") as file:
            for number in range(self.chosen.files):
                file.writestr(f"cstrike/sound/many/{number // 100}/{number}.wav", os.urandom(FILE_BYTES))
        with open(manifest, "w", encoding="ascii") as file:
            json.dump({"slug": "many", "name": "Many", "layer": "content", "selectable": True}, file)
        self.stack.goldsmith("component", "import", manifest)
        self.stack.goldsmith("component", "mirror", "many", "--version", "1.0", "--archive", archive,
                             "--released-at", "2026-01-01")

    def seconds(self, command, allowed=(0,)):
        """Of the processors, of the command and all that it starts."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(command, env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace", check=False)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if done.returncode not in allowed:
            sys.exit(f"{command}: {done.returncode} {done.stdout[-1000:]}")
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    def compare(self, title, command, plain, allowed=(0,), rounds=None):
        own, other = [], []
        for number in range(rounds or self.chosen.rounds):
            own.append(self.seconds(command(number) if callable(command) else command, allowed))
            other.append(self.seconds(plain(number) if callable(plain) else plain))
        own, other = statistics.median(own), statistics.median(other)
        self.targets.check(f"{title:<24} {own:7.2f} s, plain {other:7.2f} s, ratio {own / other:6.2f} (at most {MOST[title]:.0f})",
                           own / other <= MOST[title])

    def measure(self):
        selection = f"components={SERVER},many"
        program, script, archive = (self.stack.path(name) for name in ("goldsmith-keeper", "update.sh", "server.zip"))
        known, names = self.stack.path("known.txt"), self.stack.path("names.txt")
        for path, target in ((program, "/server/goldsmith-keeper"), (script, "/server/update.sh?" + selection),
                             (archive, "/v1/server-builder/download?" + selection), (known, "/server/known-files.txt"),
                             (names, "/server/known-names.txt")):
            response = self.stack.get(target)
            if response.status != 200:
                sys.exit(f"{target}: {response.status}")
            with open(path, "wb") as file:
                file.write(response.body)
        os.chmod(program, 0o755)
        print(f"{self.chosen.files:,} files of {FILE_BYTES:,} bytes, {self.chosen.megabytes} MB of a log; {load()}\n"
              "processor time in all: goldsmith-keeper, and sha256sum, unzip or grep", flush=True)
        install = ["sh", script, "--yes", "--new-identities"]
        self.compare("update, installs", lambda n: [*install, self.fresh(f"server{n or ''}")],
                     lambda n: ["unzip", "-q", archive, "-d", self.fresh(f"plain{n}")], rounds=2)
        digests = ["sh", "-c", "find \"$0\" -type f -exec sha256sum {} +", self.server]
        self.compare("update, nothing to do", [*install, self.server], digests)
        self.compare("status", [program, "status", "--json", self.server], digests)
        self.compare("adopt", [program, "adopt", "--json", "--known", known, self.server], digests)
        log = self.stack.path("console.log")
        self.write_log(log)
        self.compare("explain", [program, "explain", "--json", "--names", names, log], ["grep", "-c", "killed", log], allowed=(0, 1))

    def fresh(self, name):
        os.makedirs(self.stack.path(name))
        return self.stack.path(name)

    def write_log(self, path):
        with open(path, "w", encoding="ascii") as file:
            number = 0
            while file.tell() < self.chosen.megabytes << 20:
                file.write("".join(LOG_LINES[each % 100 // 98 + (each % 500 == 499)].format(each % 60, each, each, each, each)
                                   for each in range(number, number + 1000)))
                number += 1000


def main():
    options = Options("keeper", __doc__)
    options.add_number("--files", 50_000, "files of the server", 100)
    options.add_number("--megabytes", 100, "size of the log", 1, 4000, unit="MB")
    options.add_number("--rounds", 3, "rounds of each")
    return measured(Bench(options.parse()))


sys.exit(main())

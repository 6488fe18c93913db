#!/usr/bin/env python3
"""Processor time of the dearest requests that are allowed, and memory of those with the largest plugins

Each is sent alone, and what its workers' processor time has grown by is what it costs. A cold one is asked for
after a change of the settings, so that nothing kept is valid, or is another request each time."""

import http.client
import json
import os
import random
import re
import shutil
import statistics
import sys
import time
import urllib.parse
import zipfile

from measuring import (SERVER, WORDS, BenchStack, Connection, Targets, fill_directory, is_stand_in, load,
                       logging_source, pids_with, processor_time, write_plugin)
from options import BUILD, Options

MOST_MS = 20.0
COLD_ROUNDS, SETTLE_SECONDS = 8, 0.004
BUILDER = "/v1/server-builder"
VERSIONS, FILES, BIG_FILES, COMPILED = 100, 10, 3000, 120
BIG = SERVER + ",big"
PLUGINS = f"components={SERVER}&plugins="
LONGEST_QUERY = 8000
# As many of the largest plugins (32 MiB) as a selection may have (256 MiB), and one more.
LARGE_PLUGINS, LARGE_FILES, LARGE_FILE_BYTES = 9, 32, (1 << 20) - 1024
COLD_BUILDS = 3
MOST_GROWTH_MB = 64
GZIP = {"Accept-Encoding": "gzip"}
PARTS = ("reads", "refusals", "selections", "previews", "pages", "downloads", "verdicts", "builds", "large-plugins")
SETTINGS = ("mp_freezetime", "mp_friendlyfire", "mp_roundtime", "mp_winlimit", "mp_maxrounds", "mp_chattime", "mp_footsteps")
DIRECTORY_MS = 250.0  # of the database, for what reads the verdicts on all plugins after a check


def filled(begin, piece):
    """A target of nearly 8 KB."""
    return begin + piece * ((LONGEST_QUERY - len(begin)) // len(piece))


class Processors:
    """The processor time of the workers, in milliseconds."""

    def __init__(self, stack):
        self.pids = stack.worker_pids("api") + stack.worker_pids("build")

    def now(self):
        total = 0
        for pid in self.pids:
            with open(f"/proc/{pid}/schedstat", encoding="ascii") as file:
                total += int(file.read().split()[0])
        return total / 1e6


class GameClient:
    """In place of a Connection: to the site for game clients, with a connection for each request."""

    def __init__(self, stack):
        with open(os.path.join(stack.folder, "stack.json"), encoding="utf-8") as file:
            self.port = json.load(file)["http_port"]
        self.connection, self.plain = self, None

    def request(self, method, target, headers=None):
        self.plain = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        self.plain.request(method, target, headers={"Host": "fastdl.localhost", **(headers or {})})

    def getresponse(self):
        return self.plain.getresponse()

    def close(self):
        self.plain.close()


class Memory:
    """How much the memory of the largest worker grows at most beyond what it has now, in MB."""

    def __init__(self, pids):
        self.pids = pids
        for pid in pids:
            with open(f"/proc/{pid}/clear_refs", "w", encoding="ascii") as file:
                file.write("5")  # its peak begins anew
        self.before = {pid: self.read(pid, "VmRSS") for pid in pids}

    @staticmethod
    def read(pid, name):
        with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as file:
            return int(re.search(name + r":\s+(\d+) kB", file.read())[1]) / 1024

    def growth(self):
        return max(self.read(pid, "VmHWM") - self.before[pid] for pid in self.pids)


class Bench:
    def __init__(self, build, toolchains, line, rounds, plugins):
        self.line, self.rounds, self.plugins = line, rounds, plugins
        self.targets, self.chosen, self.settings = Targets(), random.Random(1), 0
        self.stack = BenchStack(build, toolchains)
        self.import_plugins()
        self.import_component()
        fill_directory(self.stack, plugins)
        self.add_verdicts()
        self.key = self.stack.goldsmith("key", "create", "--name", "meta-only", "--scopes", "server:read").split()[0]
        # The first request of another one would come into rows that are about something else.
        self.stack.set_build_workers(1)
        self.processors = Processors(self.stack)
        self.connection = Connection(self.stack.client)

    def import_plugins(self):
        slugs = [f"compiled-{number}" for number in range(COMPILED)]
        for slug in slugs:
            write_plugin(self.stack.path(f"set/{slug}"), slug, logging_source(slug), self.line)
        write_plugin(self.stack.path("set/wrong"), "wrong", "public plugin_init() { no_such_function() }\n" * 400,
                     self.line)
        self.write_biggest()
        self.stack.goldsmith_in("set", "plugin", "import", *slugs, "wrong", "biggest")
        pack = {"slug": "biggest-pack", "name": "Biggest", "description": "Many", "status": "published",
                "created_at": "2026-01-01", "plugins": slugs}
        with open(self.stack.path("pack.json"), "w", encoding="ascii") as file:
            json.dump(pack, file)
        self.stack.goldsmith("addon", "import", self.stack.path("pack.json"))
        self.slugs = slugs

    def write_biggest(self):
        """Many versions with many files; as a `zip`, a megabyte."""
        folder = self.stack.path("set/biggest")
        write_plugin(folder, "biggest", logging_source("biggest"), self.line)
        for number in range(FILES):
            with open(os.path.join(folder, f"f{number}.txt"), "w", encoding="ascii") as file:
                file.write("".join(f"{self.chosen.random()}\n" for _ in range(100_000 // 20)))
        with open(os.path.join(folder, "plugin.json"), encoding="ascii") as file:
            manifest = json.load(file)
        files = manifest["versions"][0]["files"] + [
            {"path": f"f{number}.txt", "install_dir": "addons/amxmodx/configs"} for number in range(FILES)]
        manifest["versions"] = [{"version": f"1.{number}", "created_at": "2026-01-01", "files": files}
                                for number in range(VERSIONS)]
        with open(os.path.join(folder, "plugin.json"), "w", encoding="ascii") as file:
            json.dump(manifest, file)

    def import_component(self):
        """Many files, among them the texts whose preview is the longest: 512 KB of escapes, of Windows-1252."""
        archive, manifest = self.stack.path("big.zip"), self.stack.path("big.json")
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
            for number in range(BIG_FILES):
                file.writestr(f"cstrike/maps/map-{number}.txt", f"map {number}\n" * 20)
            for number in range(self.rounds):
                file.writestr(f"cstrike/escapes-{number}.txt", b"\x1b" * (600 << 10))
                file.writestr(f"cstrike/windows-{number}.txt", bytes(range(0xA0, 0x100)) * 6400)
                file.writestr(f"cstrike/lines-{number}.txt", b"a line of a usual text\n" * 26_000)
                file.writestr(f"cstrike/binary-{number}.bin", os.urandom(600 << 10))
        with open(manifest, "w", encoding="ascii") as file:
            json.dump({"slug": "big", "name": "Big", "layer": "content", "selectable": True}, file)
        self.stack.goldsmith("component", "import", manifest)
        self.stack.goldsmith("component", "mirror", "big", "--version", "1.0", "--archive", archive,
                             "--released-at", "2026-01-01")

    def add_verdicts(self):
        """As a check leaves them: each compiles, runs and plays, and calls natives; one of forty, as in real ones, has some for others."""
        listed = json.loads(self.stack.goldsmith("toolchain", "list", "--json"))
        fingerprint = next(each["fingerprint"] for each in listed if each["toolchain"] == self.line)
        self.stack.run("sql", f"""USE goldsmith;
UPDATE plugin_versions v JOIN plugins p ON p.id = v.plugin_id SET v.verdicts = CONCAT('{self.line} {fingerprint} ok needs,library:lib',
  p.id % 50, ':,natives,import:native_', p.id % 1000, IF(p.id % 40, '', CONCAT(',offer:own_', p.id, ',offer:shared_', p.id % 7)),
  ';{self.line} {"a" * 16} runs - -') WHERE p.slug LIKE 'bench-%'""")

    def change_verdict(self):
        """Of one plugin, as a check does."""
        self.settings += 1
        self.stack.run("sql", "UPDATE goldsmith.revision SET verdicts = verdicts + 1")
        self.change()

    def change_plugin(self):
        """Workers read it again."""
        self.settings += 1
        self.stack.goldsmith("plugin", "publish" if self.settings % 2 else "unpublish", self.slugs[-1])

    def change_unknown_plugins(self):
        """As an older version of the program does. Workers read all plugins again."""
        self.stack.run("sql", "UPDATE goldsmith.revision SET value = value + 1")
        self.change()

    def change(self):
        """Nothing that workers keep is valid any more."""
        self.settings += 1
        self.stack.goldsmith("setting", "set", "anonymous_per_day", str(9_000_000 + self.settings))

    def measure_growth(self, title, targets, **more):
        """As measure(), and how much a worker grows meanwhile."""
        memory = Memory(self.processors.pids)
        self.measure(title, targets, **more)
        growth = memory.growth()
        self.targets.check(f"{'  memory of the worker grows by':<58} {growth:10.1f} MB", growth <= MOST_GROWTH_MB)

    def measure(self, title, targets, status=200, cold=False, first=None, method="GET", headers=None, change=None,
                rounds=None):
        """`targets`: one, or a function that makes one for each round. `cold`: after `change`, or one of the
        settings. `first`: what exempts it from the goal."""
        times, wrong = [], set()
        for number in range(rounds or (COLD_ROUNDS if cold or first else self.rounds)):
            if cold:
                (change or self.change)()
            before = self.processors.now()
            got = self.send(method, targets(number) if callable(targets) else targets, headers or {})
            time.sleep(SETTLE_SECONDS)
            times.append(self.processors.now() - before)
            if got != status:
                wrong.add(got)
        is_kept = not callable(targets) and not cold
        self.judge(title + (", cold" if cold else ""), sorted(times), wrong, first, is_kept)

    def measure_directory(self, title, target):
        """What reads the verdicts on all plugins once they changed; the database's time has its own goal."""
        database = pids_with(f"(mariadbd|mysqld) .*{self.stack.folder}/")
        times = []

        def change():
            self.change_verdict()
            times.append(processor_time(database))

        before = len(times)
        self.measure(title, target, cold=True, change=change, first="in the workers", rounds=3)
        spent = [(end - begin) / 1000 for begin, end in zip(times[before:], [*times[before + 1:], processor_time(database)])]
        self.targets.check(f"{'  of the database, with the changes before it':<58} median {statistics.median(spent):7.2f} ms",
                           statistics.median(spent) <= DIRECTORY_MS)

    def send(self, method, target, headers):
        try:
            self.connection.connection.request(method, target, headers=headers)
            response = self.connection.connection.getresponse()
        except http.client.RemoteDisconnected:  # it was idle for too long
            self.connection.connection.close()
            self.connection.connection.request(method, target, headers=headers)
            response = self.connection.connection.getresponse()
        response.read()
        return response.status

    def judge(self, title, times, wrong, first, is_kept):
        text = f"{title:<58} median {statistics.median(times):7.2f} ms  max {times[-1]:7.2f} ms"
        if wrong:
            self.targets.check(f"{text}  unexpected: {sorted(wrong)}", False)
        elif first:
            print(f"        {text}  ({first})", flush=True)
        else:
            # Each worker keeps its own: the first request to one of them is not what is measured.
            self.targets.check(text, (statistics.median(times) if is_kept else times[-1]) <= MOST_MS)

    def reads(self):
        self.measure("meta", "/v1/meta")
        self.measure("meta", "/v1/meta", cold=True)
        last = self.plugins // 100
        self.measure("list, 100 a page", "/v1/plugins?per_page=100", cold=True)
        self.measure("list, after a plugin changed", "/v1/plugins?per_page=100", cold=True, change=self.change_plugin)
        self.measure("list, all plugins read again", "/v1/plugins?per_page=100", cold=True,
                     change=self.change_unknown_plugins)
        self.measure("list, 100 a page, other pages", lambda n: f"/v1/plugins?per_page=100&page_n={last - n}")
        self.measure("list, page 100,000", "/v1/plugins?per_page=100&page_n=100000", cold=True)
        self.measure("list, a category", lambda n: f"/v1/plugins?category=bench-{n % 20}&per_page=100&page_n={1 + n}")
        self.measure("search, first of a worker", "/v1/plugins?search=word", first="first")
        for title, make in self.searches().items():
            for parameter in ("q", "search"):
                address = f"/v1/plugins?per_page=100&{parameter}="
                self.measure(f"{parameter}, {title}", lambda n, make=make, begin=address: begin + make(n))
                self.measure(f"{parameter}, {title}", lambda n, make=make, begin=address: begin + make(n + 1000), cold=True)
        self.measure("plugin, any", lambda n: f"/v1/plugins/bench-{self.chosen.randint(1, self.plugins)}")
        self.measure("plugin, any", lambda n: f"/v1/plugins/bench-{self.chosen.randint(1, self.plugins)}", cold=True)
        self.measure(f"plugin with {VERSIONS} versions of {FILES} files", "/v1/plugins/biggest")
        self.measure(f"plugin with {VERSIONS} versions of {FILES} files", "/v1/plugins/biggest", cold=True)
        self.measure("plugin, unknown", lambda n: f"/v1/plugins/unknown-{n}", status=404)
        self.measure("addons", "/v1/addons?per_page=100", cold=True)
        self.measure(f"addon of {COMPILED} plugins", "/v1/addons/biggest-pack", cold=True)
        self.measure("component catalog", f"{BUILDER}/meta", cold=True)
        self.measure(f"component of {BIG_FILES} files", f"{BUILDER}/components/big")
        self.measure(f"component of {BIG_FILES} files", f"{BUILDER}/components/big", cold=True)

    @staticmethod
    def searches():
        """Each makes another text each time."""
        return {"a letter": lambda n: "aeiounrst"[n % 9] + "%20" * (n % 3),
                "a word": lambda n: WORDS[n % 10],
                "eight letters": lambda n: "+".join("abdnprst") + "+" * n,
                "a word and a number": lambda n: f"{WORDS[n % 10]}+{n}",
                "100 letters": lambda n: f"{n:04}" + "a" * 96,
                "100 code points of four bytes": lambda n: "%F0%9D%94%B8" * 96 + f"{n:04}",
                "8 KB": lambda n: f"{n:04}" + "bench+" * 1300}

    def refusals(self):
        self.measure("unknown path", "/v1/nothing", status=404)
        self.measure("unknown path of 8 KB", filled("/v1/", "a/"), status=404)
        self.measure("over 8 KB", "/v1/plugins?q=" + "a" * 8300, status=414)
        self.measure("8 KB of &", filled("/v1/plugins?", "&"))
        self.measure("8 KB of parameters", filled("/v1/plugins?", "q=a&"))
        self.measure("8 KB of escapes", filled("/v1/plugins?q=", "%00"))
        self.measure("a key in the query", f"/v1/meta?key={self.key}")
        self.measure("POST", "/v1/meta", status=405, method="POST")
        self.measure("HEAD of the list", "/v1/plugins?per_page=100", method="HEAD")
        wrong = {"Authorization": "Bearer svck_" + "x" * 40}
        self.measure("unknown key", "/v1/meta", status=401, headers=wrong)
        self.measure("unknown key", "/v1/meta", status=401, headers=wrong, cold=True)
        self.measure("8 KB that are no key", "/v1/meta", status=401, headers={"Authorization": "x" * 8000})
        self.measure("key without the scope", "/v1/meta", status=403, headers={"Authorization": f"Bearer {self.key}"})

    def some_plugins(self, count=100):
        return ",".join(self.chosen.sample(self.slugs, count))

    def compile_all(self):
        for some in (self.slugs[:60], self.slugs[60:]):
            self.stack.get_json(f"{BUILDER}/resolve?{PLUGINS}{','.join(some)}")

    def selections(self):
        resolve = f"{BUILDER}/resolve"
        self.compile_all()
        self.measure("resolve, recommended", resolve)
        self.measure("resolve, recommended", resolve, cold=True, first="first")
        many = f"{resolve}?components={BIG}&plugins={','.join(self.slugs[:100])}"
        self.measure(f"resolve, {BIG_FILES} files and 100 plugins", many, first="first")
        self.measure(f"resolve, {BIG_FILES} files and 100 plugins, again", many)
        self.measure(f"resolve, {BIG_FILES} files and 100 plugins", many, cold=True, first="first")
        self.measure("resolve, other 100 plugins", lambda n: f"{resolve}?{PLUGINS}{self.some_plugins()}", first="first")
        self.measure("resolve, 100 unknown plugins",
                     lambda n: f"{resolve}?{PLUGINS}" + ",".join(f"x{n}-{each}" + "y" * 50 for each in range(100)),
                     first="first")
        self.measure("resolve, 900 plugins",
                     lambda n: f"{resolve}?{PLUGINS}" + ",".join(f"x{n}-{each}" for each in range(900)), status=400)
        self.measure("resolve, 200 unknown components", lambda n: f"{resolve}?components=" + ",".join(
            f"x{n}-{each}" + "y" * 25 for each in range(200)), status=422)
        self.measure("resolve, 700 pins of one component", lambda n: f"{resolve}?components=" + ",".join(
            f"big@{n}{each}" for each in range(700)), status=422)
        self.measure("resolve, 8 KB of commas", filled(f"{resolve}?components=", ","), status=422)
        self.measure("resolve, 8 KB of commas as plugins", filled(f"{resolve}?{PLUGINS}", ","))
        self.measure("resolve, 8 KB of spaces", filled(f"{resolve}?{PLUGINS}", "+"))
        self.measure("HEAD of a resolve of other 100 plugins", lambda n: f"{resolve}?{PLUGINS}{self.some_plugins()}",
                     method="HEAD", first="first")

    def previews(self):
        file = f"{BUILDER}/file?components={BIG}&path="
        self.measure("preview, 512 KB of a text, the same again", file + "cstrike/lines-0.txt")
        for title, name in (("escapes", "escapes-{}.txt"), ("Windows-1252", "windows-{}.txt"),
                            ("a text", "lines-{}.txt"), ("a binary", "binary-{}.bin")):
            self.measure(f"preview, 512 KB of {title}", lambda n, name=name: f"{file}cstrike/{name.format(n)}")
        self.measure("preview, unknown file", file + "cstrike/nothing", status=404)
        self.measure("preview, path of 8 KB", filled(file, "a/"), status=404)
        self.measure("preview, no path", f"{BUILDER}/file", status=400)

    def pages(self):
        """What the build pool makes, each time of a selection that nobody has asked for before."""
        self.compile_all()
        unknown = "&plugins=" + ",".join("y" * 45 + f"-{each}" for each in range(99)) + ",x"
        selections = {
            "any": lambda n: f"?plugins=x{self.serial()}",
            "100 plugins": lambda n: f"?components={SERVER}&plugins={self.some_plugins()}",
            "100 unknown plugins": lambda n: f"?components={SERVER}{unknown}{self.serial()}",
            f"{BIG_FILES} files": lambda n: f"?components={BIG}&plugins=x{self.serial()}",
            f"{BIG_FILES} files, 100 plugins": lambda n: f"?components={BIG}&plugins={self.some_plugins()}",
            f"{BIG_FILES} files, 100 unknown": lambda n: f"?components={BIG}{unknown}{self.serial()}"}
        for name in ("", "/checksums.txt", "/sbom.cdx.json", "/update.txt", "/update.sh", "/egg.json", "/Dockerfile",
                     "/compose.yaml", "/amp.json", "/gameap.json"):
            for title, make in selections.items():
                self.measure(f"/server{name}, {title}", lambda n, make=make: f"/server{name}{make(n)}",
                             headers=GZIP)
        for title, make in selections.items():
            self.measure(f"resolve, {title}", lambda n, make=make: f"{BUILDER}/resolve{make(n)}", headers=GZIP)
        self.measure("/server", "/server", cold=True, first="first")
        self.measure("/server/known-files.txt", "/server/known-files.txt", headers=GZIP)
        self.measure("/server/known-files.txt", "/server/known-files.txt", cold=True, headers=GZIP, first="at most once a minute")
        small = "%26".join([f"components%3D{SERVER}", "optimized%3D0"])
        for title, make in selections.items():
            other = make(0)[1:].replace("&", "%26").replace("=", "%3D").replace(",", "%2C")
            for name in ("/server/compare", f"{BUILDER}/compare"):
                self.measure(f"{name}, {title}", lambda n, name=name, make=make: f"{name}{make(n)}&from={small}",
                             headers=GZIP)
            if "unknown" not in title:  # too long for one address
                self.measure(f"compare, {title} on both sides",
                             lambda n, make=make, other=other: f"{BUILDER}/compare{make(n)}&from={other}", headers=GZIP)
            self.measure(f"/feeds/server.atom, {title}", lambda n, make=make: f"/feeds/server.atom{make(n)}",
                         headers=GZIP)
        for path in ("/server/existing", "/assets/0/server.wasm", "/log", "/server/adopt.sh", "/server/explain.sh", "/server/log-causes.json"):
            self.measure(path, path, headers=GZIP)
            self.measure(path, path, headers=GZIP, cold=True)
        self.measure("/server, 512 KB of a text", lambda n: f"/server?components={BIG}&file=cstrike/lines-{n}.txt",
                     headers=GZIP)
        self.measure("/server, unknown components", lambda n: "/server?components=" + ",".join(
            f"x{n}-{each}" + "y" * 25 for each in range(200)))
        self.measure("/server, 8 KB of components", lambda n: "/server?components=" + ",".join(
            f"x{n}-{each}" for each in range(900)))
        self.measure("/server, 8 KB of plugins", lambda n: "/server?plugins=" + ",".join(
            f"x{n}-{each}" for each in range(900)))
        self.measure("/server, first search of a worker", lambda n: f"/server?q=a&plugins=x{self.serial()}", first="first")
        self.measure("/server, search", lambda n: f"/server?q=a&plugins=x{self.serial()}")
        self.measure("/status", "/status", cold=True)

    def verdicts(self):
        """Lists by what compiles, runs and plays, and who has a name."""
        for parameter in ("compiles_with", "runs_with", "plays_with"):
            self.measure_directory(f"list, {parameter}", f"/v1/plugins?per_page=100&{parameter}={self.line}")
        self.measure_directory("/plugins, all that a list can be asked for",
                               f"/plugins?plays_with={self.line}&needs=amxmodx&q=e&sort=name")
        self.measure("/plugins, again", lambda n: f"/plugins?plays_with={self.line}&needs=amxmodx&q=e&page_n={1 + n}")
        self.measure("/plugins, an author of 128 bytes", lambda n: f"/plugins?author={n:04}{'a' * 124}")
        for path in ("/", "/sitemap.xml", "/feeds/plugins.atom", "/feeds/components.atom"):
            self.measure(path, path, headers=GZIP)
            self.measure(path, path, headers=GZIP, cold=True)
        names = f"{BUILDER}/names/"
        self.measure_directory("name, first of a worker after a check", names + "own_40")
        for title, make in {"a native of many plugins": lambda n: f"shared_{n % 7}", "unknown": lambda n: f"unknown_{n}",
                            "128 bytes": lambda n: f"{n:04}" + "~" * 124}.items():
            self.measure(f"name, {title}", lambda n, make=make: names + urllib.parse.quote(make(n)))
            self.measure(f"/names, {title}", lambda n, make=make: "/names?q=" + urllib.parse.quote(make(n)), headers=GZIP)
        self.measure("/names, 8 KB", lambda n: f"/names?q={n:04}" + "a" * 7900)
        self.measure("/server/known-names.txt", "/server/known-names.txt", headers=GZIP)
        self.measure("/server/known-names.txt", "/server/known-names.txt", headers=GZIP, cold=True, first="until a toolchain changes")
        self.measure("badge", "/plugins/biggest/badge.svg")
        self.measure("badge", lambda n: f"/plugins/bench-{1 + n}/badge.svg", cold=True)
        self.measure("badge, unknown plugin", lambda n: f"/plugins/unknown-{n}/badge.svg", status=404)
        self.measure("page of a plugin with many versions", "/plugins/biggest", headers=GZIP)
        self.measure("page of a plugin with many versions", "/plugins/biggest", headers=GZIP, cold=True,
                     first="after each download of it")
        includes = f"/toolchains/{self.line}/includes.zip"
        self.measure("includes of a toolchain", includes, first="first")
        self.measure("includes of a toolchain, again", includes)

    def builds(self):
        """Selections with settings and an order, builds by their hash, and what game clients ask for."""
        self.compile_all()
        resolve = f"{BUILDER}/resolve?components={SERVER}"
        lines = "".join(f"amx_{number}%20{number}%0A" for number in range(300))
        self.measure("resolve, 5 KB of settings", lambda n: f"{resolve}&cfg=mp_{n}%201%0A{lines}", status=400)
        settings = "%0A".join(["hostname%20" + "a" * 127, "sv_contact%20" + "b" * 127] + [f"{name}%201" for name in SETTINGS])
        self.measure("resolve, other settings", lambda n: f"{resolve}&cfg=mp_timelimit%20{n}%0A{settings}", first="a compile")
        self.measure("resolve, a setting that can't be", lambda n: f"{resolve}&cfg=exec%20{n}.cfg", status=400)
        self.measure("/server/configuration.txt, any", lambda n: f"/server/configuration.txt?plugins=x{self.serial()}", headers=GZIP)
        plugins = self.slugs[:100]
        self.measure("resolve, an order of 100 plugins", lambda n: f"{resolve}&plugins={','.join(plugins)}&order=" + ",".join(
            self.chosen.sample(plugins, 100)), first="first")
        archive = f"{BUILDER}/download?components={BIG}"
        self.stack.get_json(f"{BUILDER}/resolve?components={BIG}")
        self.connection.get(archive)
        while not (resolved := self.stack.get_json(f"{BUILDER}/resolve?components={BIG}")).get("archive_sha256"):
            time.sleep(0.1)
        build = resolved["build_hash"]
        self.measure(f"resolve, a build of {BIG_FILES} files", f"{BUILDER}/resolve?build={build}")
        self.measure(f"resolve, a build of {BIG_FILES} files", f"{BUILDER}/resolve?build={build}", cold=True, first="first")
        self.measure("resolve, unknown build", lambda n: f"{BUILDER}/resolve?build={n:064x}", status=404)
        self.measure("/server/update.txt, a build", f"/server/update.txt?build={build}", headers=GZIP)
        self.measure("archive of what differs, HEAD", lambda n: f"{archive}&cfg=mp_timelimit%20{n + 50}&from={build}",
                     method="HEAD", first="a compile")
        self.measure("archive of what differs from an unknown build, HEAD", lambda n: f"{archive}&from={n:064x}", method="HEAD",
                     status=404)
        self.game_clients(build)

    def game_clients(self, build):
        selection = re.search("/fastdl/[0-9a-f]{32}(?=/)", self.stack.get(f"/server?components={BIG}").text())[0]
        self.connection = GameClient(self.stack)
        for title, folder in (("a selection", selection), ("a build", f"/fastdl/{build}")):
            self.measure(f"game client, a file of {title}", folder + "/maps/map-1.txt", first="first")
            self.measure(f"game client, other files of {title}", lambda n, folder=folder: f"{folder}/maps/map-{n + 2}.txt",
                         first="others are prepared meanwhile")
            self.measure(f"game client, files that {title} lacks", lambda n, folder=folder: f"{folder}/maps/none-{n}.bsp", status=404)
            self.measure(f"game client, a file of {title}", lambda n, folder=folder: f"{folder}/maps/map-{n + 100}.txt", cold=True,
                         first="first")
            self.measure(f"game client, 4 KB of a path of {title}", folder + "/maps" + "/a" * 2000 + ".bsp", status=404)
        self.measure("game client, unknown builds", lambda n: f"/fastdl/{n:064x}/maps/a.bsp", status=404)
        self.connection = Connection(self.stack.client)

    def serial(self):
        self.settings += 1
        return self.settings

    def downloads(self):
        archive = f"{BUILDER}/download?components={BIG}"
        self.measure("archive, cold", archive, first="cold build")
        self.measure("archive, cached", archive)
        self.measure("archive, cached", archive, cold=True, first="first")
        self.measure("archive, HEAD", archive, method="HEAD")
        self.measure("archive, HEAD with 100 plugins", f"{BUILDER}/download?{PLUGINS}{self.some_plugins()}",
                     method="HEAD", first="first")
        self.measure("archive, range", archive, status=206, headers={"Range": "bytes=0-0"})
        self.measure("archive, 8 KB of ranges", archive, status=206,
                     headers={"Range": filled("bytes=0-0", ",0-0")})
        source = "/v1/plugins/compiled-1/download/1.0?kind="
        self.measure("sma", source + "sma")
        self.measure("sma", source + "sma", cold=True)
        self.measure("sma of a plugin with many files", "/v1/plugins/biggest/download/1.7?kind=sma")
        self.measure("sma, HEAD", source + "sma", method="HEAD")
        self.measure("amxx, HEAD", source + "amxx", method="HEAD")
        self.measure("amxx", source + "amxx", first="compile")
        self.measure("zip of a megabyte", "/v1/plugins/biggest/download/1.7?kind=zip", first="compile")
        self.measure("zip of a megabyte, HEAD", "/v1/plugins/biggest/download/1.7?kind=zip", method="HEAD")
        self.measure("amxx that does not compile", "/v1/plugins/wrong/download/1.0", status=422, first="compile")
        self.measure("invalid kind", source + "ini", status=400)
        self.measure("unknown version", "/v1/plugins/compiled-1/download/9.9", status=404)

    def import_large(self):
        slugs = [f"large-{number}" for number in range(LARGE_PLUGINS)]
        for slug in slugs:
            folder = self.stack.path(f"set/{slug}")
            write_plugin(folder, slug, logging_source(slug), self.line)
            with open(os.path.join(folder, "model.mdl"), "wb") as file:
                file.write(os.urandom(LARGE_FILE_BYTES))
            with open(os.path.join(folder, "plugin.json"), encoding="ascii") as file:
                manifest = json.load(file)
            files = manifest["versions"][0]["files"]
            files[0]["filename"] = f"{slug}.sma"  # no two plugins of a build have one binary
            files += [
                {"path": "model.mdl", "filename": f"{number}.mdl", "install_dir": f"models/{slug}"}
                for number in range(LARGE_FILES)]
            with open(os.path.join(folder, "plugin.json"), "w", encoding="ascii") as file:
                json.dump(manifest, file)
            self.stack.goldsmith_in("set", "plugin", "import", slug)
            shutil.rmtree(folder)
        return slugs

    def large_plugins(self):
        slugs = self.import_large()
        resolve, begin = f"{BUILDER}/resolve", f"components={SERVER}&plugins="
        largest = begin + ",".join(slugs[:-1])
        self.stack.get_json(f"{resolve}?{largest}")  # compiles
        self.measure_growth("422 with a plugin of 32 MiB", f"{resolve}?components=anvil-engine&plugins=large-0", status=422,
                            cold=True)
        self.measure_growth("resolve, plugins of 256 MiB", f"{resolve}?{largest}")
        self.measure_growth("resolve, plugins of 256 MiB", f"{resolve}?{largest}", cold=True)
        self.measure_growth("resolve, plugins of 288 MiB", f"{resolve}?{begin}{','.join(slugs)}", status=400, cold=True)
        self.measure_growth("checksums, plugins of 256 MiB", f"/server/checksums.txt?{largest}", cold=True)
        path = "&path=cstrike/models/large-0/0.mdl"
        self.measure_growth("preview of a file of them", f"{BUILDER}/file?{largest}{path}")
        for slug in self.slugs[:COLD_BUILDS]:
            self.stack.get_json(f"{resolve}?{largest},{slug}")  # compiles
        self.measure_growth("archive, plugins of 256 MiB, cold",
                            lambda n: f"{BUILDER}/download?{largest},{self.slugs[n]}", first="cold build",
                            rounds=COLD_BUILDS)
        self.measure_growth("zip of a plugin of 32 MiB", "/v1/plugins/large-0/download/1.0?kind=zip", first="compile")
        self.measure_growth("sma of a plugin of 32 MiB", "/v1/plugins/large-0/download/1.0?kind=sma")
        self.measure_growth("source page of a plugin of 32 MiB", "/plugins/large-0/1.0/large-0.sma", cold=True)

    def stop(self):
        self.stack.stop()


def main():
    options = Options("worst", __doc__)
    options.add_toolchain()
    options.add_number("--rounds", 20, "requests of each kind")
    options.add_plugins(20_000)
    options.add_argument("--only", choices=PARTS, metavar="PART", help=f"only these rows: {', '.join(PARTS)}")
    chosen = options.parse()
    compiler = "the stand-in compiler" if is_stand_in(chosen.toolchains, chosen.line) else "a real compiler"
    print(f"{compiler}, AMX Mod X {chosen.line}; {chosen.plugins:,} plugins; {load()}\n"
          f"processor time in the workers of one request; at most {MOST_MS:.0f} ms", flush=True)
    bench = Bench(BUILD, chosen.toolchains, chosen.line, chosen.rounds, chosen.plugins)
    try:
        for part in [chosen.only] if chosen.only else PARTS:
            getattr(bench, part.replace("-", "_"))()
    finally:
        bench.stop()
    sys.exit(1 if bench.targets.missed else 0)


if __name__ == "__main__":
    main()

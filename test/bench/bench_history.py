#!/usr/bin/env python3
"""Years of real repositories of plugins, followed in monthly steps

Each REPOSITORY is the folder of a git repository (its .git, or a bare one). It is followed as it was a year and more
before its last commit, and mirrored as it was each month from then on, from a server that speaks like GitHub. The
table tells what became of its plugins; nothing is published twice, and nothing that compiles with less than the
version before it, and no command has more than 300 MB in memory. --large does that with a repository of its own, in
place of others: 1,000 plugins, 786 MB of sounds that can't be compressed, and 200,000 pointers of Git LFS; it is
followed, mirrored with a change, and left in an inbox as far as an inbox goes.
"""

import functools
import json
import os
import re
import subprocess
import sys
import time
import zipfile

from measuring import BenchStack, ROOT, Targets
from options import BUILD, Options

sys.path.insert(0, os.path.join(ROOT, "test", "support"))
import repositories  # noqa: E402  (found by the line above)
import upstream_server  # noqa: E402
from memory import run_measured  # noqa: E402

MONTH = 2_629_746  # seconds
MOST_MEMORY = 300  # MB
KINDS = ("created", "published", "waits", "asks", "gone", "fails")
# A literal version in a call of register_plugin().
REGISTERED = re.compile(r'register_plugin\s*\(\s*[^,]+,\s*"([^"]*)"')


class History:
    def __init__(self, stack, upstream, folder, chosen):
        self.stack, self.months, self.answers, self.releases = stack, chosen.months, chosen.answer, chosen.releases
        self.repository = repositories.GitRepository(folder)
        parts = os.path.abspath(folder).rstrip("/").removesuffix("/.git").removesuffix("/repo").split("/")
        self.name = re.sub("[^A-Za-z0-9/-]", "-", parts[-1].replace("+", "/", 1) if "+" in parts[-1]
                           else "local/" + parts[-1].removesuffix(".git"))
        upstream.repositories[self.name] = self.repository
        self.events = []  # (step, kind, slug, version, reason)
        self.bumps = 0
        self.asked = 0  # steps with a question that had an answer
        self.questions = []
        self.stack.memory = 0

    def steps(self):
        last = int(self.repository.git("log", "-1", "--format=%ct").strip())
        first = int(self.repository.git("log", "--reverse", "--format=%ct").split()[0])
        begin = max(last - self.months * MONTH, first + 3600)
        count = max(1, -(-(last - begin) // MONTH))
        return [last - step * MONTH for step in range(count, 0, -1)] + [last]

    def is_followed(self):
        """Not before it has a tag, where tags are followed."""
        return f'"{self.name}"' in self.stack.run_goldsmith("plugin", "follow", "--json")

    def versions(self):
        """What the sources of the commit register, by path; an opinion of its own of what is new."""
        head = self.repository.head()
        found = {}
        for path in self.repository.git("ls-tree", "-r", "--name-only", head).splitlines():
            if path.endswith(".sma"):
                match = REGISTERED.search(self.repository.git("show", f"{head}:{path}"))
                found[path] = match.group(1) if match else None
        return found

    def run(self):
        before = {}
        for number, now in enumerate(self.steps()):
            self.repository.now = now
            if not self.repository.head():
                continue
            versions = self.versions()
            follow = ["plugin", "follow", self.name, "--publish", f"--releases={self.releases}",
                      *(f"--answer={each}" for each in self.answers)]
            begin = time.monotonic()
            if not self.is_followed():
                self.read(number, self.stack.run_goldsmith(*follow))
            else:
                self.bumps += sum(1 for path, version in versions.items() if before.get(path, version) != version)
                self.read(number, self.stack.run_goldsmith("plugin", "mirror", "--all"))
                if self.answers and any(step == number and (kind == "asks" or reason.startswith("it asks:"))
                                        for step, kind, _, _, reason in self.events):
                    self.answer(number, follow)
            day = time.strftime("%Y-%m-%d", time.gmtime(now))
            counts = ", ".join(f"{count} {kind}" for kind in KINDS
                               if (count := sum(1 for each in self.events if each[:2] == (number, kind))))
            print(f"  {day} {len(versions)} sources: {counts or 'nothing'} ({time.monotonic() - begin:.0f} s)", flush=True)
            before = versions
        # It is not asked about beside the others.
        self.stack.run_goldsmith("plugin", "unfollow", self.name)

    def answer(self, number, follow):
        """As the operator does who is asked; what waits and asks is told again if it still does."""
        self.asked += 1
        self.events = [each for each in self.events if each[0] != number or each[1] not in ("waits", "asks")]
        self.read(number, self.stack.run_goldsmith(*follow))

    def read(self, number, said):
        for line in said.splitlines():
            kind, _, rest = line.partition(" ")
            if kind in KINDS and rest.startswith(" "):
                name, _, reason = rest.strip().partition(": ")
                slug, _, version = name.partition(" ")
                self.events.append((number, kind, slug, version, reason))
            elif kind == "goldsmith:":
                print(f"    step {number}: {line}", flush=True)
            elif kind == "questions:":
                self.questions.append((number, line))

    def count(self, kind, first=None):
        return sum(1 for step, each, *_ in self.events if each == kind and (first is None or (step == 0) == first))

    def faults(self):
        """Versions with the content of another one, or that compile with less than the one before them."""
        twice, worse = [], []
        for slug in sorted({slug for _, kind, slug, *_ in self.events if kind in ("created", "published")}):
            shown = json.loads(self.stack.run_goldsmith("plugin", "show", slug, "--json"))
            checked = {row["version"]: row["compiles_with"] for row in json.loads(
                self.stack.run_goldsmith("plugin", "check", slug, "--json"))}
            versions = [each for each in shown["versions"] if each["status"] == "published"]
            contents = [sorted((file["install_dir"], file["filename"], file["sha1"]) for file in each["files"])
                        for each in versions]
            twice += [slug for i, content in enumerate(contents) if content in contents[:i]]
            for new, old in zip(versions, versions[1:]):
                worse += [f"{slug} {new['version']} with {line}" for line, result in checked.get(old["version"], {}).items()
                          if result == "ok" and checked.get(new["version"], {}).get(line) != "ok"]
        return twice, worse


class Large:
    """A collection that is as large as any, but for its names."""

    PLUGINS, SOUNDS, POINTERS = 1000, 786, 200_000
    NAME = "local/large"

    def __init__(self, stack, targets):
        self.stack, self.targets = stack, targets

    @staticmethod
    def source(number, version):
        """Names a sound; of ten plugins one names pointers, too, and is asked about."""
        named = [f"large/{number % Large.SOUNDS}.wav"]
        if number % 10 == 0:
            named += [f"pointers/{number}/{i}.wav" for i in range(10)]
        precached = "\n".join(f'    precache_sound("{name}");' for name in named)
        return (f"#include <amxmodx>\n\npublic plugin_precache() {{\n{precached}\n}}\n\n"
                f'public plugin_init() {{\n    register_plugin("Large {number}", "{version}", "Someone");\n}}\n').encode()

    def sources(self, version):
        return {f"scripting/large_{number}.sma": self.source(number, version) for number in range(self.PLUGINS)}

    @staticmethod
    def sounds(count):
        return {f"sound/large/{number}.wav": b"RIFF\x38\x42\x0f\0WAVE" + os.urandom(999_988) for number in range(count)}

    @staticmethod
    def pointers(count):
        text = "version https://git-lfs.github.com/spec/v1\noid sha256:{:064x}\nsize 1000000\n"
        return {f"sound/pointers/{number // 200}/{number % 200}.wav": text.format(number).encode() for number in range(count)}

    def run(self, upstream):
        repository = upstream.repositories[self.NAME] = repositories.MadeRepository()
        repository.level = 0
        # Before anybody waits for it.
        repository.archive = functools.lru_cache(1)(repository.archive)
        commit = repository.commit({**self.sources("1.0"), **self.sounds(self.SOUNDS), **self.pointers(self.POINTERS)})
        repository.archive(self.NAME, commit)
        self.measure(f"of {self.PLUGINS} plugins, {self.SOUNDS} MB of sounds and {self.POINTERS} pointers",
                     "plugin", "follow", self.NAME, "--publish")
        repository.archive(self.NAME, repository.change(self.sources("1.1")))
        self.measure("where each of them has another version", "plugin", "mirror", "--all")
        upstream.files.clear()
        # As much as one call reads: an archive counts, and what is in it.
        inbox = self.stack.path("inbox")
        os.mkdir(inbox)
        with zipfile.ZipFile(os.path.join(inbox, "large.zip"), "w") as archive:
            for path, content in {**self.sources("2.0"), **self.sounds(120), **self.pointers(3700)}.items():
                archive.writestr(path, content)
        self.measure("of as much as it reads", "plugin", "inbox", inbox)

    def measure(self, what, *words):
        self.stack.memory = 0
        begin = time.monotonic()
        said = self.stack.run_goldsmith(*words).splitlines()
        seconds = time.monotonic() - begin
        kinds = [line.split(maxsplit=1)[0] for line in said if line]
        counts = ", ".join(f"{kinds.count(kind)} {kind}" for kind in sorted(set(kinds)) if kinds.count(kind) > 9)
        print(f"    {counts}; {said[-1][:300] if said else 'nothing'}")
        is_whole = len(said) >= self.PLUGINS  # a line for each
        self.targets.check(f"{' '.join(words[:2])} {what}: {self.stack.memory} MB in memory at most, {seconds:.0f} s",
                           is_whole and self.stack.memory <= MOST_MEMORY)


class Stack(BenchStack):
    def __init__(self, build, toolchains, upstream):
        super().__init__(build, toolchains)
        self.configure(f"mirror.github_api = {upstream.url()}", f"mirror.ca_file = {upstream.ca}",
                       "mirror.retry_pause_ms = 1", "mirror.entries = 1000000")
        self.set_limits(["compile_flood_per_minute"], 100_000)
        self.memory = 0  # MB, the most that a command had, or a program that it started

    def run_goldsmith(self, *words):
        """What it printed; its exit code counts for nothing."""
        ended, memory = run_measured([os.path.join(self.folder, "commands", "goldsmith"), *words], errors="replace",
                                     stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.memory = max(self.memory, memory >> 10)
        return ended.stdout


def main():
    options = Options("history", __doc__)
    options.add_toolchain()
    options.add_number("--months", 18, "months before the last commit", 1, 240)
    options.add_argument("--releases", choices=("commits", "tags"), default="commits", help="what is a version (commits)")
    options.add_argument("--answer", action="append", default=[], metavar="TOPIC=ANSWER",
                         help="an answer to what a step asks, as of goldsmith plugin follow")
    options.add_argument("--component", action="append", default=[], metavar="SLUG=VERSION=FILE",
                         help="a release of a component of the default catalog, for its includes, and to start plugins")
    options.add_argument("--large", action="store_true", help="a large collection of its own, in place of repositories")
    options.add_argument("repository", nargs="*", metavar="REPOSITORY")
    chosen = options.parse()
    if chosen.large == bool(chosen.repository):
        options.error("give repositories, or --large alone")
    with upstream_server.Upstream(os.path.join(BUILD, "log", "history")) as upstream:
        stack = Stack(BUILD, chosen.toolchains, upstream)
        try:
            if chosen.component:
                stack.goldsmith("component", "import", "--defaults")
            for each in chosen.component:
                slug, version, files = each.split("=", 2)
                stack.goldsmith("component", "mirror", slug, "--version", version,
                                *(word for file in files.split(",") for word in ("--archive", os.path.abspath(file))))
            targets = Targets()
            if chosen.large:
                Large(stack, targets).run(upstream)
            else:
                measure(stack, upstream, chosen, targets)
            sys.exit(1 if targets.missed else 0)
        finally:
            stack.stop()


def measure(stack, upstream, chosen, targets):
    rows = []
    for folder in chosen.repository:
        history = History(stack, upstream, folder, chosen)
        print(f"{history.name}", flush=True)
        history.run()
        memory = stack.memory
        twice, worse = history.faults()
        targets.check(f"{history.name}: no content is published twice" + "".join(f", {each}" for each in twice), not twice)
        targets.check(f"{history.name}: nothing compiles with less than before" + "".join(f", {each}" for each in worse),
                      not worse)
        targets.check(f"{history.name}: {memory} MB in memory at most", memory <= MOST_MEMORY)
        for step, kind, slug, version, reason in history.events:
            if step > 0:  # also what was published: a person judges it
                print(f"    step {step}: {kind} {slug} {version}: {reason[:300]}")
        for step, line in history.questions[:1] + history.questions[-1:]:
            print(f"    step {step}: {line}")
        rows.append((history.name, history.count("created", True), history.count("asks", True), history.count("created", False),
                     history.count("published"), history.bumps, history.asked, history.count("waits", False), history.count("gone"),
                     history.count("fails")))
    print("first: plugins at first; asked: of these, not published before an answer; numbers: register_plugin() with another\n"
          "version; answered: steps whose questions the operator answered")
    print(f"{'repository':<36} {'first':>6} {'asked':>6} {'new':>5} {'published':>10} {'numbers':>8} {'answered':>9} {'wait':>5} {'gone':>5} {'fail':>5}")
    for name, *counts in rows:
        print(f"{name:<36} " + " ".join(f"{count:>{width}}" for count, width in zip(counts, (6, 6, 5, 10, 8, 9, 5, 5, 5))))


main()

#!/usr/bin/env python3
"""How many wrong programs the tests notice: mutants.py [COUNT | again]

Changes COUNT (200) random conditions, comparisons and constants of app/, handlers/ and db/, one at a time, in a copy of
the sources (build/mutants), and runs the tests that have the changed code, those of its layer first, until one fails:
twice, so that a busy machine catches nothing. A change that does not compile, or compiles to the same, is replaced by
another. Prints each change that no test noticed, and a table; exits 1 if less than 85 % were caught. `again` tries what
the last run did not catch. TEST_SEED repeats a run.

Not here: the tests of the whole (label system), which take minutes, of upstreams, and in a browser."""

import collections
import concurrent.futures
import hashlib
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import time

from places import Place, changed, places

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "test/support"))

import seed  # noqa: E402  (found by the line above)

FOLDER = ROOT / "build/mutants"
SOURCE, BUILT, SURVIVORS = FOLDER / "source", FOLDER / "built", FOLDER / "survivors.json"
FOLDERS = ("app", "handlers", "db")
GOAL = 0.85
KINDS = ("unit", "db", "http")
LEFT_OUT = re.compile(r"^(upstream_|fuzz_|unit_mirror_damage|db_servers_tests|private_database|database_accounts)")
# What is tested first of a layer without a unit test of its own.
FIRST = {"db": "db_tests", "handlers": "unit_pages"}
SLOWEST = 4  # times as long as without a change, and
GRACE = 20  # seconds: the change keeps the test from ending

Mutant = collections.namedtuple("Mutant", "file place")


def copy_sources():
    """Only what differs is written: the build takes what is newer for changed."""
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, check=True,
                            stdout=subprocess.PIPE, text=True).stdout.split("\0")
    wanted = {pathlib.Path(each) for each in listed if each and (ROOT / each).is_file()}
    for each in wanted:
        target = SOURCE / each
        if not target.is_file() or target.read_bytes() != (ROOT / each).read_bytes():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / each, target)
    for each in SOURCE.rglob("*"):
        if each.is_file() and each.relative_to(SOURCE) not in wanted:
            each.unlink()


def configure():
    if (BUILT / "build.ninja").exists():
        return
    linker = ["-DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=lld"] if shutil.which("ld.lld") else []
    subprocess.run(["cmake", "-S", SOURCE, "-B", BUILT, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug",
                    "-DCMAKE_CXX_COMPILER=clang++-19", "-DCMAKE_CXX_FLAGS_DEBUG=-O0 -g0", "-DCMAKE_UNITY_BUILD=OFF",
                    *linker], check=True, stdout=subprocess.DEVNULL)


def build(*targets):
    return subprocess.run(["ninja", "-C", BUILT, *targets], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def digest(path):
    return hashlib.sha256(path.read_bytes()).digest()


def run(command, limit, environment=None, folder=BUILT):
    """Whether it succeeds in time. Nothing that it started in its session goes on."""
    process = subprocess.Popen(command, cwd=folder, env={**os.environ, **(environment or {})}, stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        return process.wait(limit) == 0
    except subprocess.TimeoutExpired:
        return False
    finally:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait()


class Test:
    def __init__(self, described):
        values = {each["name"]: each["value"] for each in described["properties"]}
        self.name, self.command = described["name"], described.get("command") or []
        self.labels = values.get("LABELS", [])
        self.environment = dict(each.split("=", 1) for each in values.get("ENVIRONMENT", []))
        self.folder = values["WORKING_DIRECTORY"]
        self.kind = next((each for each in KINDS if each in self.labels), "")
        self.seconds = 0.0

    @property
    def programs(self):
        """What it runs, of what the build makes."""
        if self.kind == "http":
            return tuple(BUILT / "bin" / each for each in ("goldsmith-worker", "goldsmith", "goldsmith-unpack"))
        own = pathlib.Path(self.command[0])
        unpack = () if own.parent != BUILT / "bin" else (BUILT / "bin/goldsmith-unpack",)
        return (own, *unpack)

    def passes(self):
        return run(self.command, SLOWEST * self.seconds + GRACE if self.seconds else 600, self.environment, self.folder)


class Tests:
    """Those that are run, with the time that each takes and what its programs are without a change."""

    def __init__(self):
        described = json.loads(subprocess.run(["ctest", "--test-dir", BUILT, "--show-only=json-v1"], check=True,
                                              stdout=subprocess.PIPE, text=True).stdout)["tests"]
        everything = {each.name: each for each in map(Test, described)}
        self.start, self.stop, self.up, self.down = (everything[each] for each in (
            "db_server_start", "db_server_stop", "http_stack_up", "http_stack_down"))
        self.list = [each for each in everything.values() if each.kind and not LEFT_OUT.match(each.name)
                     and "script" not in each.labels and "independent" not in each.labels
                     and each not in (self.start, self.stop, self.up, self.down)]
        self.programs = sorted({program for each in self.list for program in each.programs})

    def targets(self, programs):
        return [str(each.relative_to(BUILT)) for each in programs]

    def measure(self):
        """Leaves out what fails without a change."""
        self.digests = {each: digest(each) for each in self.programs}
        assert self.start.passes(), "the database does not start"
        assert self.up.passes(), "the stack does not start"
        good = []
        for each in self.list:
            begun = time.monotonic()
            if each.passes():
                each.seconds = time.monotonic() - begun
                good.append(each)
            else:
                print(f"{each.name} fails without a change, and is left out", flush=True)
        self.down.passes()
        self.list = sorted(good, key=lambda each: each.seconds)
        for kind in KINDS:
            some = [each for each in self.list if each.kind == kind]
            print(f"{kind}: {len(some)} tests, {sum(each.seconds for each in some):.0f} s; the longest "
                  + ", ".join(f"{each.name} {each.seconds:.0f} s" for each in some[-3:]), flush=True)

    def catching(self, mutant):
        """The test that fails, or None; "same" if no program differs."""
        parts = mutant.file.split("/")
        layer = parts[1] if parts[0] == "app" else parts[0]
        stages = collections.defaultdict(list)
        for each in self.list:
            own = each.name in (f"unit_{layer}", FIRST.get(layer))
            stages[0 if own else 1 + KINDS.index(each.kind)].append(each)
        differs = False
        for stage in sorted(stages):
            tests = stages[stage]
            programs = sorted({program for each in tests for program in each.programs})
            if build(*self.targets(programs)).returncode != 0:
                return "broken"
            new = {each for each in programs if digest(each) != self.digests[each]}
            tests = [each for each in tests if new & set(each.programs)]
            differs = differs or bool(tests)
            caught = self.http(tests) if stage == 1 + KINDS.index("http") else self.several(tests)
            if caught:
                return caught
        return None if differs else "same"

    def several(self, tests):
        """Two at a time."""
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            waiting = {pool.submit(lambda each=each: each.passes() or each.passes()): each for each in tests}
            for each in concurrent.futures.as_completed(waiting):
                if not each.result():
                    pool.shutdown(wait=True, cancel_futures=True)
                    return waiting[each]
        return None

    def http(self, tests):
        if not tests:
            return None
        try:
            if not (self.up.passes() or self.up.passes()):
                return self.up
            return next((each for each in tests if not (each.passes() or each.passes())), None)
        finally:
            if not self.down.passes():
                run(["bash", str(SOURCE / "test/support/stack"), "stop", str(BUILT / "test-stacks/http")], 60)


def shown(mutant, text):
    """FILE:LINE: the line before -> after."""
    start = text.rfind("\n", 0, mutant.place.start) + 1
    new = changed(text, mutant.place)
    before, after = (each[start:].split("\n", 1)[0].strip() for each in (text, new))
    if before == after or len(mutant.place.before) > 60:
        before, after = mutant.place.before.split("\n")[0], mutant.place.after.split("\n")[0]
    return f"{mutant.file}:{text.count(chr(10), 0, mutant.place.start) + 1}: {before}  ->  {after}"


def drawn():
    """Random places, each once."""
    dice = seed.generator()
    every = collections.defaultdict(list)
    for folder in FOLDERS:
        for path in sorted((SOURCE / folder).rglob("*.cpp")):
            name = str(path.relative_to(SOURCE))
            for place in places(path.read_text()):
                every[name, place.start].append(Mutant(name, place))
    order = list(every)
    dice.shuffle(order)
    for each in order:
        yield dice.choice(every[each])


def survivors():
    """What the last run did not catch, where it is by now."""
    for file, context, at, before, after in json.loads(SURVIVORS.read_text()):
        start = (SOURCE / file).read_text().find(context)
        if start < 0:
            print(f"{file}: {before} -> {after}: the code has changed", flush=True)
        else:
            yield Mutant(file, Place(start + at, before, after))


def tried(tests, mutant):
    path = SOURCE / mutant.file
    text = path.read_text()
    path.write_text(changed(text, mutant.place))
    try:
        # First alone: most of what does not compile is seen at once.
        objects = [each for each in OBJECTS if each.endswith(f"/{mutant.file}.o")]
        if build(*objects).returncode != 0:
            return "broken"
        return tests.catching(mutant)
    finally:
        path.write_text(text)


def table(results):
    print(f"\n{'':18}{'COUNTED':>9}{'CAUGHT':>9}{'':>8}  BY")
    folders = collections.defaultdict(list)
    for mutant, caught in results:
        folders["/".join(mutant.file.split("/")[:2]) if mutant.file.startswith("app/") else mutant.file.split("/")[0]].append(caught)
    for name, all_of_it in [*sorted(folders.items()), ("all", [each for _, each in results])]:
        caught = [each.kind for each in all_of_it if each]
        by = ", ".join(f"{kind} {number}" for kind, number in collections.Counter(caught).most_common())
        print(f"{name:18}{len(all_of_it):>9}{len(caught):>9}{100 * len(caught) / max(1, len(all_of_it)):>6.0f} %  {by}")


def main(what):
    global OBJECTS
    # A shell has what it starts in the background ignore some of them; tests wait for them.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for each in (signal.SIGHUP, signal.SIGQUIT):
        signal.signal(each, signal.SIG_DFL)
    FOLDER.mkdir(parents=True, exist_ok=True)
    copy_sources()
    configure()
    print("Building what is changed", flush=True)
    built = build()
    if built.returncode != 0:
        sys.exit(built.stdout[-4000:])
    tests = Tests()  # ctest knows what has been built
    OBJECTS = [each.split(":")[0] for each in subprocess.run(
        ["ninja", "-C", BUILT, "-t", "targets", "all"], stdout=subprocess.PIPE, text=True).stdout.splitlines() if ".o:" in each]
    tests.measure()
    again = what == "again"
    wanted = sys.maxsize if again else int(what)
    results, left_out, kept = [], 0, []
    try:
        for mutant in survivors() if again else drawn():
            if len(results) >= wanted:
                break
            begun, text = time.monotonic(), (SOURCE / mutant.file).read_text()
            caught = tried(tests, mutant)
            if caught in ("broken", "same"):
                left_out += 1
                continue
            results.append((mutant, caught))
            seconds = time.monotonic() - begun
            said = f"caught by {caught.name}" if caught else "NOT CAUGHT"
            print(f"{len(results)} {said} ({seconds:.0f} s): {shown(mutant, text)}", flush=True)
            if not caught:
                start = max(0, mutant.place.start - 80)
                kept.append([mutant.file, text[start:mutant.place.start + len(mutant.place.before) + 40],
                             mutant.place.start - start, mutant.place.before, mutant.place.after])
                SURVIVORS.with_suffix(".new").write_text(json.dumps(kept))
    except KeyboardInterrupt:
        print("interrupted")
    finally:
        tests.stop.passes()
    SURVIVORS.write_text(json.dumps(kept))
    table(results)
    share = sum(1 for _, each in results if each) / max(1, len(results))
    print(f"{100 * share:.1f} % of {len(results)} caught; {left_out} more did not compile or changed nothing")
    return 0 if share >= GOAL or again else 1


if __name__ == "__main__":
    if len(sys.argv) > 2 or not re.fullmatch(r"again|[1-9]\d*", (sys.argv[1:] or ["200"])[0]):
        sys.exit(__doc__)
    sys.exit(main((sys.argv[1:] or ["200"])[0]))

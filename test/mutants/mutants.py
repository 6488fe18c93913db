#!/usr/bin/env python3
"""How many wrong programs the tests notice: mutants.py [COUNT [FOLDER…] | again]

Changes COUNT (200) random conditions, comparisons and constants of app/, handlers/ and db/, or of each FOLDER, one at a
time, in a copy of the sources (build/mutants). One build has all changes that a running program can choose from; the
others are built one by one. A change is tried with the unit and database tests that reach it, case by case: those of
its layer and, of the others, the quickest for half a minute; then with the HTTP tests that reach it, on a stack of its
own. It is caught by a test that fails twice with it and passes without. One that no test reaches is not caught. One
that does not compile, or is built by itself to the same programs, is replaced by another.

Prints what becomes of each change, and a table; exits 1 if less than 85 % were caught. `again` tries what the last run
did not catch, with all tests that reach it. With the same TEST_SEED and sources, a run that was interrupted goes on.

Not here, so that changes which they alone would catch count as not caught: unit_mirror_damage (hundreds of sandboxes),
http_hostile_input, random data (label independent), and the tests of the whole (label system) and in a browser. Two
tests of what a sandbox shows fail, because mutant.hpp's file is in it, and are left out, too."""

import collections
import concurrent.futures
import hashlib
import json
import mmap
import os
import pathlib
import random
import re
import shutil
import signal
import struct
import subprocess
import sys
import threading
import time

import schemata
from places import Place, changed, places

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "test/support"))

import seed  # noqa: E402  (found by the line above)

FOLDER = ROOT / "build/mutants"
SOURCE, BUILT, RESULTS, LOGS = FOLDER / "source", FOLDER / "built", FOLDER / "results.json", FOLDER / "logs"
OBSERVED = pathlib.Path(__file__).with_name("observed_unittest.py")
PAGE, REACH = FOLDER / "chosen", FOLDER / "reach.json"
FOLDERS = ("app", "handlers", "db")
GOAL = 0.85
DROPPED = ("broken", "same", "gone")  # and replaced by another
SPARE = 1.3  # for each change that is wanted: some do not compile
KINDS = ("unit", "db", "http")
LEFT_OUT = re.compile(r"^(fuzz_|unit_mirror_damage|private_database|database_accounts|http_hostile_input)")
# What is tested first of a layer without a unit test of its own.
FIRST = {"db": "db_tests", "handlers": "unit_pages"}
QUICK = 0.3  # seconds: such cases are tried before all others
BOUND = 30  # seconds of tests for a change, of another layer's the quickest: `again` has all
SLOWEST = 4  # times as long as without a change, and
GRACE = 20  # seconds: the change keeps the test from ending
# What a test starts and mounts ends with it. The shell is there because a first process has to wait for orphans.
ENCLOSED = ("unshare", "--fork", "--pid", "--mount-proc", "--kill-child", "bash", "-c", '"$@"; exit', "enclosed")
ENDS = threading.Event()  # tests that run beside others
ERROR = re.compile(r"^([^:\n ]+):(\d+):(\d+): (?:fatal )?(error|note): ", re.M)

Mutant = collections.namedtuple("Mutant", "file place")
Case = collections.namedtuple("Case", "test name seconds reached")


def git_files():
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, check=True,
                            stdout=subprocess.PIPE, text=True).stdout.split("\0")
    return {each: (ROOT / each).read_bytes() for each in sorted(listed) if each and (ROOT / each).is_file()}


def write_sources(contents):
    """Only what differs is written: the build takes what is newer for changed."""
    for each, content in contents.items():
        target = SOURCE / each
        if not target.is_file() or target.read_bytes() != content:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
            target.chmod((ROOT / each).stat().st_mode)


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


def run(command, limit, environment=None, folder=BUILT, log=None):
    """Whether it succeeds; None if not in time, which begins anew when its log grows. Nothing of its process group goes
    on."""
    process = subprocess.Popen(command, cwd=folder, env={**os.environ, **(environment or {})}, stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    size, end = 0, time.monotonic() + limit
    try:
        while time.monotonic() < end and not ENDS.is_set():
            try:
                return process.wait(min(1, limit)) == 0
            except subprocess.TimeoutExpired:
                if log and log.exists() and log.stat().st_size != size:
                    size, end = log.stat().st_size, time.monotonic() + limit
        return None
    finally:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait()


class Page:
    """The file of mutant.hpp."""

    def __init__(self):
        size = 4 * schemata.MOST
        with open(PAGE, "a+b") as file:
            file.truncate(size)
            self.numbers = mmap.mmap(file.fileno(), size)
        PAGE.chmod(0o666)

    def choose(self, number):
        self.numbers[:4] = struct.pack("=I", number)

    def reached(self):
        """The numbers since the last call."""
        every = struct.unpack(f"={schemata.MOST}I", self.numbers)
        self.numbers[4:] = bytes(len(self.numbers) - 4)
        return {number for number, mark in enumerate(every) if number and mark}


class Schemata:
    """The sources, with the changes that programs decide when they run, and which these are."""

    def __init__(self, files, mutants):
        self.files, self.mutants = files, mutants
        self.single, self.lasting, self.probes = set(), set(), {}
        self.made = {"test/support/test_main.cpp": schemata.header(PAGE) + files["test/mutants/observed_main.cpp"].decode(),
                     "scripts/check-layers": "#!/bin/sh\n",  # the changes make files longer
                     "app/host/sandbox.cpp": self.see_through(files["app/host/sandbox.cpp"].decode())}

    @staticmethod
    def see_through(text):
        """Programs in the sandbox have the file as well."""
        before = "  for (const Binding& binding : view.bindings) {\n"
        assert before in text, "what the sandbox shows has to be found"
        return text.replace(before, f'  append(arguments, {{"--bind-try", "{PAGE}", "{PAGE}"}});\n{before}')

    def text(self, file):
        return self.files[file].decode()

    def of(self, file):
        every = {number: each.place for number, each in self.mutants.items() if each.file == file and number not in self.single}
        return every | {number: place for number, (name, place) in self.probes.items() if name == file}

    def write(self):
        contents = dict(self.made)
        for file in {each.file for each in self.mutants.values()}:
            text, without, lasting = schemata.schemata(self.text(file), self.of(file), PAGE)
            self.give_up(without)
            self.lasting |= lasting
            contents[file] = self.see_through(text) if file == "app/host/sandbox.cpp" else text
        self.contents = {**self.files, **{file: text.encode() for file, text in contents.items()}}
        write_sources(self.contents)

    def give_up(self, numbers):
        for number in numbers:
            if number in self.probes:
                del self.probes[number]
            elif number in self.mutants:
                self.single.add(number)

    def build(self):
        """Until all compiles: takes out what does not."""
        for _ in range(30):
            self.write()
            result = build("-k", "0")
            if result.returncode == 0:
                return
            wrong = collections.defaultdict(list)
            for path, line, column, kind in ERROR.findall(result.stdout):
                file = os.path.relpath(BUILT / path, SOURCE)
                if self.of(file):
                    wrong[file].append((kind, int(line), int(column)))
            if not wrong:
                sys.exit(result.stdout[-4000:])
            for file, found in wrong.items():
                made = self.contents[file].decode()
                for kinds in (("error",), ("error", "note")):
                    numbers = set().union(*(schemata.blamed(made, line, column) for kind, line, column in found if kind in kinds))
                    if numbers:
                        break
                self.give_up(numbers or set(self.of(file)))
        sys.exit("what does not compile is not found")

    def probe(self):
        """Other places of their files tell what tests those that are built one by one."""
        number = max(self.mutants)
        taken = {(each.file, each.place.start) for each in self.mutants.values()}
        for file in sorted({self.mutants[each].file for each in self.single}):
            for place in {each.start: each for each in places(self.text(file)) if not each.before[0].isdigit()}.values():
                if (file, place.start) not in taken and number + 1 < schemata.MOST:
                    number += 1
                    self.probes[number] = (file, place)

    def marks(self, number):
        """What is reached if this change is; none if that is not known."""
        return {number} if number not in self.single else set(self.of(self.mutants[number].file))


class Test:
    def __init__(self, described):
        values = {each["name"]: each["value"] for each in described["properties"]}
        self.name, self.command = described["name"], described.get("command") or []
        self.labels = values.get("LABELS", [])
        self.environment = dict(each.split("=", 1) for each in values.get("ENVIRONMENT", []))
        self.folder = values["WORKING_DIRECTORY"]
        self.kind = next((each for each in KINDS if each in self.labels), "")
        self.seconds = 0.0
        self.log = LOGS / self.name
        self.compiled = self.kind != "http" and not any(each.endswith(".py") for each in self.command)
        self.is_enclosed = self.kind != "http" and self.name not in ("db_server_start", "db_server_stop")

    @property
    def programs(self):
        """What it runs, of what the build makes."""
        if not self.compiled:
            return tuple(BUILT / "bin" / each for each in ("goldsmith-worker", "goldsmith", "goldsmith-unpack"))
        own = pathlib.Path(self.command[0])
        unpack = () if own.parent != BUILT / "bin" else (BUILT / "bin/goldsmith-unpack",)
        return (own, *unpack)

    def passes(self, cases=(), log=None):
        """With the time that it took without a change, if that is known."""
        usual = max((each.seconds for each in cases), default=self.seconds)
        command = self.command
        if self.compiled and cases:
            command = [self.command[0], "--run_test=" + ":".join(each.name for each in cases)]
        elif self.kind != "http" and not self.compiled:
            command = ["python3", "-B", str(OBSERVED), str(PAGE), self.command[-1], *(each.name for each in cases)]
        log = LOGS / log if log else self.log
        log.unlink(missing_ok=True)
        limit = SLOWEST * usual + GRACE if usual else 600
        if self.is_enclosed:
            command = [*ENCLOSED, *command]
        return run(command, limit, {**self.environment, "MUTANTS_LOG": str(log)}, self.folder, log)

    def lines(self):
        """What observed_main.cpp wrote of each case: what became of it, its name, the seconds that it took, what it reached."""
        for line in self.log.read_text().splitlines() if self.log.exists() else []:
            what, elapsed, reached, name = line.split(" ", 3)
            yield what, name, int(elapsed) / 1e6, set(map(int, reached.split(",")[:-1]))


class Chosen:
    """A change that the programs have."""

    def __init__(self, page, number):
        self.page, self.number = page, number

    def on(self, _programs):
        self.page.choose(self.number)
        return True

    def off(self, _programs):
        self.page.choose(0)


class Built:
    """One that is built for itself."""

    def __init__(self, schema, number, digests):
        self.file = schema.mutants[number].file
        self.content, self.digests, self.differs = schema.contents[self.file], digests, False
        self.other = changed(schema.text(self.file), schema.mutants[number].place).encode()

    def put(self, content, programs):
        write_sources({self.file: content})
        return not programs or build(*(str(each.relative_to(BUILT)) for each in programs)).returncode == 0

    def on(self, programs):
        """False if it does not compile."""
        good = self.put(self.other, programs)
        self.differs = self.differs or any(digest(each) != self.digests[each] for each in programs)
        return good

    def off(self, programs):
        self.put(self.content, programs)


class Tests:
    def __init__(self, page, files, bound):
        described = json.loads(subprocess.run(["ctest", "--test-dir", BUILT, "--show-only=json-v1"], check=True,
                                              stdout=subprocess.PIPE, text=True).stdout)["tests"]
        everything = {each.name: each for each in map(Test, described)}
        self.start, self.stop, self.up, self.down = (everything[each] for each in (
            "db_server_start", "db_server_stop", "http_stack_up", "http_stack_down"))
        some = [each for each in everything.values() if each.kind and not LEFT_OUT.match(each.name)
                and "script" not in each.labels and "independent" not in each.labels
                and each not in (self.start, self.stop, self.up, self.down)]
        self.in_cases = [each for each in some if each.kind != "http"]
        self.http = [each for each in some if each.kind == "http"]
        self.digests = {program: digest(program) for each in some for program in each.programs}
        self.page, self.stale, self.bound = page, False, bound
        scripts = b"".join(each.encode() + files[each] for each in files
                           if re.match("scripts/|nginx/|db/|test/(http|upstream|support|fixtures)/", each))
        self.keys = {each: hashlib.sha256(b"".join(self.digests[program] for program in each.programs)
                                          + (b"" if each.compiled else scripts)).hexdigest() for each in [*some, self.up]}

    def end(self):
        self.stack("stop")
        self.stop.passes()

    def measure(self):
        """What each reaches and takes; leaves out what fails without a change. What is known of the same programs is not
        measured again, and HTTP not before it is needed."""
        self.cases, self.http_cases, self.start_up = [], [], {}
        self.page.choose(0)
        known = json.loads(REACH.read_text()) if REACH.exists() else {}
        self.reach = {test.name: known[test.name] for test, key in self.keys.items() if known.get(test.name, {}).get("of") == key}
        assert self.start.passes(), "the database does not start"
        for each in self.in_cases:
            if each.name not in self.reach:
                self.measure_cases(each)
        self.cases = self.known(self.in_cases)

    def known(self, tests):
        """The cases of what has been measured."""
        cases = []
        for test in tests:
            entry = self.reach[test.name]
            self.start_up[test] = set(entry["start"])
            cases += [Case(test, name, seconds, set(reached)) for name, seconds, reached in entry["cases"]]
            for name in entry["failed"]:
                print(f"{test.name} {name} fails without a change, and is left out")
        for kind in KINDS:
            if some := [each for each in cases if each.test.kind == kind]:
                print(f"{kind}: {len(some)} tests, {sum(each.seconds for each in some):.0f} s", flush=True)
        return cases

    def remember(self, test, entry):
        self.reach[test.name] = {"of": self.keys[test], **entry}
        REACH.write_text(json.dumps(self.reach))

    def measure_cases(self, test):
        self.page.reached()
        test.passes()
        entry = {"start": [], "cases": [], "failed": []}
        for what, name, seconds, reached in test.lines():
            if name == "start-up":
                entry["start"] = sorted(reached)
            elif what == "passed":
                entry["cases"].append([name, seconds, sorted(reached)])
            elif what == "failed":
                entry["failed"].append(name)
        self.remember(test, entry)

    def measure_http(self):
        for each in [self.up, *self.http]:
            if each is not self.up:
                # What a worker has kept in memory it does not do again.
                self.stack("replace")
            self.page.reached()
            begun = time.monotonic()
            good = each.passes()
            assert good or each is not self.up, "the stack does not start"
            case = ["", time.monotonic() - begun, sorted(self.page.reached())]
            self.remember(each, {"start": [], "cases": [case] if good else [], "failed": [] if good else [""]})
        assert self.down.passes(), "the stack does not end well"

    def with_http(self):
        if not self.http_cases:
            if any(each.name not in self.reach for each in [self.up, *self.http]):
                self.measure_http()
            self.http_cases = self.known([self.up, *self.http])
            for each in self.http_cases:
                each.test.seconds = each.seconds
        return self.http_cases

    def stack(self, command):
        run(["bash", str(SOURCE / "test/support/stack"), command, str(BUILT / "test-stacks/http")], 60)

    def catching(self, mutant, change, marks, whole):
        """The case that fails and how, None, "broken" or "same"."""
        parts = mutant.file.split("/")
        layer = parts[1] if parts[0] == "app" else parts[0]
        own = (f"unit_{layer}", FIRST.get(layer))
        chosen = []
        for test in self.in_cases:
            cases = [each for each in self.cases if each.test == test]
            reached = [each for each in cases if marks & each.reached or (not marks and test.name in own)]
            # What a function does once in a process only the first case has reached.
            every = marks & self.start_up.get(test, set()) or (reached and (whole or test.name in own))
            chosen += cases if every else reached
        groups, spent = collections.defaultdict(list), 0.0
        for each in sorted(chosen, key=lambda each: (each.test.name not in own, each.seconds)):
            spent += each.seconds
            if spent < self.bound or each.test.name in own:
                groups[each.seconds > QUICK, each.test].append(each)
        try:
            # What no test reaches shall compile, too.
            if not change.on([BUILT / "bin/goldsmith-worker", BUILT / "bin/goldsmith", BUILT / "bin/goldsmith-unpack"]):
                return "broken"
            order = sorted(groups, key=lambda key: (key[0], key[1].name not in own, sum(each.seconds for each in groups[key])))
            change.on(sorted({program for _, test in order for program in test.programs}))
            while order:
                failed = self.first_to_fail([(test, groups[slow, test], slow) for slow, test in order])
                if failed is None:
                    break
                slow, test = order[failed]
                caught = self.cases_catch(test, groups[slow, test], change)
                if caught:
                    return caught
                # It was noise.
                order = order[:failed] + order[failed + 1:]
        finally:
            change.off([])
        return "same" if isinstance(change, Built) and not change.differs else None

    def catching_http(self, change, marks):
        """Likewise."""
        cases = [each for each in self.with_http() if marks & each.reached or not marks]
        try:
            return self.http_catch(cases, change) if cases else None
        finally:
            change.off([])

    def first_to_fail(self, groups):
        """Two at a time; the position."""
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            waiting = {pool.submit(test.passes, cases, f"{test.name}-{slow}"): at for at, (test, cases, slow) in enumerate(groups)}
            try:
                return next((waiting[each] for each in concurrent.futures.as_completed(waiting) if not each.result()), None)
            finally:
                ENDS.set()  # what still runs
                pool.shutdown(wait=True, cancel_futures=True)
                ENDS.clear()

    def cases_catch(self, test, cases, change):
        """A case counts that fails twice with the change, and passes between without it."""
        while cases:
            change.on(test.programs)
            passed = test.passes(cases)
            if passed:
                return None
            lines = list(test.lines())
            ended = {line[1] for line in lines if line[0] == "passed"}
            names = [line[1] for line in lines if line[0] != "passed" and line[1] not in ended]
            failed = [each for each in cases if each.name in names] or cases[:1]
            change.off(test.programs)
            good = test.passes(failed[-1:])
            change.on(test.programs)
            if good and not test.passes(failed[-1:]):
                return test, "time" if passed is None else "failure"
            # Noise, or it needs others before it.
            cases = [each for each in cases if each != failed[-1] and each.name not in ended]
        return None

    def http_catch(self, cases, change):
        """On a stack of its own. What fails there twice must pass without the change: on the same one or, if the change
        has left something behind, at the same place of the same tests on another."""
        tests = [each.test for each in cases if each.test is not self.up]
        change.on(self.up.programs)
        passed, failed = self.up.passes(), self.up
        if passed:
            for failed in tests:
                passed = failed.passes() or failed.passes()
                if not passed:
                    break
            else:
                passed, failed = self.down.passes(), self.down
        if passed:
            return None
        change.off(self.up.programs)
        if failed in tests:
            self.stack("replace")
            before = tests[:tests.index(failed) + 1]
            good = failed.passes() or (self.up.passes() and all(each.passes() for each in before))
        else:
            good = self.up.passes()
        self.down.passes()
        return (failed, "time" if passed is None else "failure") if good else None


def shown(mutant, text):
    """FILE:LINE: the line before -> after."""
    start = text.rfind("\n", 0, mutant.place.start) + 1
    new = changed(text, mutant.place)
    before, after = (each[start:].split("\n", 1)[0].strip() for each in (text, new))
    if before == after or len(mutant.place.before) > 60:
        before, after = mutant.place.before.split("\n")[0], mutant.place.after.split("\n")[0]
    return f"{mutant.file}:{text.count(chr(10), 0, mutant.place.start) + 1}: {before}  ->  {after}"


def drawn(files, dice, folders):
    """Random places, each once."""
    every = collections.defaultdict(list)
    for name in files:
        if name.startswith(tuple(f"{each}/" for each in folders)) and name.endswith(".cpp"):
            for place in places(files[name].decode()):
                every[name, place.start].append(Mutant(name, place))
    order = list(every)
    dice.shuffle(order)
    return [dice.choice(every[each]) for each in order]


class Results:
    """What has been drawn and what became of it, in a file that is complete at any time. A change's number is its place
    in the list, and stays, so that `again` builds nothing anew."""

    def __init__(self, files, what, folders):
        last = json.loads(RESULTS.read_text()) if RESULTS.exists() else {"run": None}
        if what == "again":
            self.run, self.wanted, self.list = last["run"], last["wanted"], last["list"]
            for each in self.list:
                start = files.get(each["file"], b"").decode().find(each["context"])
                if start < 0:
                    print(f"{each['file']}: {each['place'][1]} -> {each['place'][2]}: the code has changed", flush=True)
                    each["caught"] = "gone"
                each["place"][0] = start + each["at"]
                each["tried"] = 2 if each["caught"] else 0
            return
        os.environ.setdefault("TEST_SEED", str(random.SystemRandom().randrange(2**32)))
        content = b"".join(each.encode() + files[each] for each in files if each.split("/")[0] in FOLDERS)
        words = " ".join([what, *folders])
        self.run, self.wanted = [os.environ["TEST_SEED"], words, hashlib.sha256(content).hexdigest()], int(what)
        mutants = drawn(files, seed.generator(), folders or FOLDERS)[:int(self.wanted * SPARE) + 5]
        self.list = last["list"] if last["run"] == self.run else [self.entry(each, files[each.file].decode()) for each in mutants]

    @staticmethod
    def entry(mutant, text):
        place, start = mutant.place, max(0, mutant.place.start - 80)
        return {"file": mutant.file, "context": text[start:place.start + len(place.before) + 40], "at": place.start - start,
                "place": list(place), "caught": None, "kind": "", "how": "", "tried": 0}

    def mutants(self):
        """By number."""
        return {number: Mutant(each["file"], Place(*each["place"])) for number, each in enumerate(self.list, 1) if each["caught"] != "gone"}

    def counted(self):
        """Their numbers."""
        return [number for number, each in enumerate(self.list, 1) if each["caught"] not in DROPPED][:self.wanted]

    def add(self, number, caught):
        """What a stage found, in words."""
        entry = self.list[number - 1]
        entry["tried"] += 1
        if isinstance(caught, tuple):
            test, entry["how"] = caught
            entry["caught"], entry["kind"] = test.name, test.kind
        else:
            entry["caught"] = caught
        if entry["caught"]:
            entry["tried"] = 2
        new = RESULTS.with_suffix(".new")
        new.write_text(json.dumps({"run": self.run, "wanted": self.wanted, "list": self.list}))
        new.replace(RESULTS)
        if entry["caught"]:
            return entry["caught"] if entry["caught"] in DROPPED else f"caught by {entry['caught']}"
        return "NOT CAUGHT" if entry["tried"] == 2 else "not caught without HTTP"

    def table(self):
        good = [self.list[each - 1] for each in self.counted() if self.list[each - 1]["tried"]]
        print(f"\n{'':18}{'COUNTED':>9}{'CAUGHT':>9}{'':>8}  BY")
        folders = collections.defaultdict(list)
        for each in good:
            folders["/".join(each["file"].split("/")[:2 if each["file"].startswith("app/") else 1])].append(each)
        for name, some in [*sorted(folders.items()), ("all", good)]:
            caught = [each["kind"] for each in some if each["caught"]]
            by = ", ".join(f"{kind} {number}" for kind, number in collections.Counter(caught).most_common())
            print(f"{name:18}{len(some):>9}{len(caught):>9}{100 * len(caught) / max(1, len(some)):>6.0f} %  {by}")
        caught = [each for each in good if each["caught"]]
        late = sum(1 for each in caught if each["how"] == "time")
        share = len(caught) / max(1, len(good))
        print(f"{100 * share:.1f} % of {len(good)} caught, {late} of them because a test did not end; "
              f"{sum(1 for each in self.list if each['caught'] in DROPPED)} more did not compile or changed nothing", flush=True)
        return share


def tried(schema, tests, number, http):
    """What becomes of a change in the tests with HTTP, or the others."""
    single, marks = number in schema.single, schema.marks(number)
    if not single and tests.stale:
        build()
    tests.stale = single
    change = Built(schema, number, tests.digests) if single else Chosen(tests.page, number)
    if http:
        return tests.catching_http(change, marks)
    return tests.catching(schema.mutants[number], change, marks, number in schema.lasting)


def interruptible():
    # A shell has what it starts in the background ignore some of them; tests wait for them.
    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, signal.default_int_handler)
    for each in (signal.SIGHUP, signal.SIGQUIT):
        signal.signal(each, signal.SIG_DFL)


def main(what, folders):
    interruptible()
    LOGS.mkdir(parents=True, exist_ok=True)
    files, again = git_files(), what == "again"
    results = Results(files, what, folders)
    mutants = results.mutants()
    for each in SOURCE.rglob("*"):
        if each.is_file() and str(each.relative_to(SOURCE)) not in files:
            each.unlink()
    page, schema = Page(), Schemata(files, mutants)
    schema.write()
    configure()
    print("Building", flush=True)
    schema.build()
    if schema.single:
        schema.probe()
        schema.build()
    print(f"{len(mutants)} changes, {len(schema.single)} of them are built one by one", flush=True)
    tests = Tests(page, files, sys.maxsize if again else BOUND)
    try:
        tests.measure()
        while True:
            waiting = [each for each in results.counted() if results.list[each - 1]["tried"] < 2]
            if not waiting:
                break
            # What is quick for most of them comes first.
            number = min(waiting, key=lambda each: (results.list[each - 1]["tried"], each in schema.single, each))
            begun, http = time.monotonic(), results.list[number - 1]["tried"] == 1
            said = results.add(number, tried(schema, tests, number, http))
            mutant = schema.mutants[number]
            print(f"{number} {said} ({time.monotonic() - begun:.0f} s): {shown(mutant, schema.text(mutant.file))}", flush=True)
    except KeyboardInterrupt:
        print("interrupted: what the HTTP tests have not tried yet is not caught, and what is built one by one comes last")
    finally:
        for each in (signal.SIGINT, signal.SIGTERM):
            signal.signal(each, signal.SIG_IGN)
        tests.end()
    return 0 if results.table() >= GOAL or again else 1


if __name__ == "__main__":
    WHAT, *NAMES = sys.argv[1:] or ["200"]
    NAMES = [each.strip("/") for each in NAMES]
    if not re.fullmatch(r"again|[1-9]\d*", WHAT) or WHAT == "again" and NAMES:
        sys.exit(__doc__)
    if WRONG := [each for each in NAMES if each.split("/")[0] not in FOLDERS or not (ROOT / each).is_dir()]:
        sys.exit(f"mutants.py: {WRONG[0]} is no folder of {', '.join(FOLDERS)}")
    sys.exit(main(WHAT, NAMES))

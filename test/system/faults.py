#!/usr/bin/env python3
"""What clients see while parts of a host fail: faults.py BUILD_FOLDER [PATTERN]

Under steady load each part fails for TEST_SECONDS seconds (30). Clients may get the errors that the contract has for it,
and no other; five seconds after its end all is as before. No byte is wrong, and each download that was answered was
counted once. PATTERN is a regular expression: only the faults whose name it matches."""

import collections
import contextlib
import dataclasses
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
import zipfile

import troubles
from counted_load import Clients, Figures, Ledger, Load, known_answers
from running_stack import Stack

SECONDS = float(os.environ.get("TEST_SECONDS", "30"))
RECOVERY = 5.0  # seconds
LIMIT = 30.0  # seconds; it is measured for so long
PAUSE = 0.05  # seconds, of a client between two requests
READS = ["/v1/plugins/frag-streak", "/v1/server-builder/meta", "/v1/server-builder/resolve?plugins=frag-streak"]
BUILDS = ["components=anvil-engine", "components=anvil-engine,forge-gamedll", "plugins=afk-watch"]
DISKS = {"cache/archives": 48, "cache/artefacts": 48, "depot": 48, "scratch": 256, "log": 256,
         "run": 64}  # MB; compiles want more to be free
DOWN = {"unavailable"}  # the pool does not answer
NO_DATABASE = {"query_failed"}
NO_ROOM = {"builder_unavailable"}
NO_COMPILER = {"compiler_unavailable"}
UNPROVED = {"rate_limited"}  # what compiled here is forgotten: it waits for its turn (decision S17)
BAD_DISK = {"build_failed"}
CUT = {"IncompleteRead", "RemoteDisconnected", "ConnectionResetError", "SSLEOFError"}
NO_SERVER = {"ConnectionRefusedError", "ConnectionResetError", "RemoteDisconnected", "SSLEOFError"}


@dataclasses.dataclass
class Fault:
    name: str
    cause: object  # a function of the stack; a context manager
    allowed: set = dataclasses.field(default_factory=set)  # what requests may fail with
    ends_workers: bool = False  # or can't clean up: temporary files stay until systemd removes their PrivateTmp


@contextlib.contextmanager
def depot_full(stack):
    """A release can't be mirrored then; the command says why."""
    with tempfile.TemporaryDirectory() as folder, stack.disks["depot"].full():
        archive = os.path.join(folder, "release.zip")
        with zipfile.ZipFile(archive, "w") as file:
            file.writestr("hlds_run", os.urandom(100_000))
        try:
            stack.goldsmith("component", "mirror", "stock-engine", "--version", "1.0", "--archive", archive)
        except RuntimeError as error:
            assert "No space left on device" in str(error), error
        else:
            raise AssertionError("there was room for a release")
        yield


@contextlib.contextmanager
def archives_full(stack):
    """A server that was never built can't be then, and can be afterwards."""
    stack.archives_made += 1
    target = f"/v1/server-builder/download?components=anvil-engine,forge-gamedll,hearth-loader&x={stack.archives_made}"
    with stack.disks["cache/archives"].full():
        answer = stack.get(target)
        assert answer.status == 503 and b"builder_unavailable" in answer.body, (answer.status, answer.body[:300])
        yield
    assert stack.get(target).status == 200


def depot_bad(stack):
    files = glob.glob(os.path.join(stack.folder, "depot", "*", "*.zip"))
    return troubles.bad_disk(stack.worker_pids("build"), files, "read,pread64,copy_file_range")


def compiled_plugins_bad(stack):
    return troubles.bad_disk(stack.worker_pids("build"), stack.known_artefacts, "read,pread64")


def archives_bad_to_read(stack):
    """For nginx."""
    return troubles.bad_disk(stack.processes("nginx")[1:], stack.known_archives, "read,pread64,sendfile")


def archives_bad_to_write(stack):
    files = [file + ".part" for file in stack.known_archives]
    return troubles.bad_disk(stack.worker_pids("build"), files, "write,pwrite64,copy_file_range,fsync,fdatasync")


@contextlib.contextmanager
def run_full(stack):
    """What workers that are started need is there already."""
    with stack.disks["run"].full(), troubles.workers_killed(stack, "api"), troubles.workers_killed(stack, "build"):
        yield


FAULTS = [
    Fault("all is well", lambda stack: contextlib.nullcontext()),
    Fault("workers for reads are killed", lambda stack: troubles.workers_killed(stack, "api"), DOWN, True),
    Fault("build workers are killed", lambda stack: troubles.workers_killed(stack, "build"), DOWN, True),
    Fault("a worker for reads hangs", lambda stack: troubles.worker_stopped(stack, "api"), DOWN),
    Fault("a build worker hangs", lambda stack: troubles.worker_stopped(stack, "build"), DOWN),
    Fault("the database is stopped", troubles.database_stopped, NO_DATABASE),
    Fault("the database is killed", troubles.database_killed, NO_DATABASE),
    Fault("the database is restarted", troubles.database_restarted, NO_DATABASE),
    Fault("the database is slow", lambda stack: troubles.database_slow(stack, *stack.configuration)),
    Fault("the database is silent", troubles.database_silent, NO_DATABASE | DOWN),
    Fault("the database refuses connections", troubles.database_refusing, NO_DATABASE),
    Fault("the workers have no memory left", troubles.out_of_memory, DOWN | NO_COMPILER, True),
    Fault("the clock is an hour fast", lambda stack: troubles.clock_wrong(stack, 3630)),
    Fault("the clock is an hour slow", lambda stack: troubles.clock_wrong(stack, -3630)),
    Fault("the depot can't be read", depot_bad, BAD_DISK | NO_COMPILER),
    Fault("compiled plugins can't be read", compiled_plugins_bad),
    Fault("archives can't be read", archives_bad_to_read, CUT),
    Fault("archives can't be written", archives_bad_to_write, BAD_DISK),
    Fault("the disk of the logs is full", lambda stack: stack.disks["log"].full()),
    Fault("the disk of shared files is full", run_full, DOWN, True),
    Fault("the disk of the archives is full", archives_full, NO_ROOM),
    Fault("the disk of the compiled plugins is full", lambda stack: stack.disks["cache/artefacts"].full()),
    Fault("the disk for temporary files is full", lambda stack: stack.disks["scratch"].full(), NO_COMPILER),
    Fault("the disk of the depot is full", depot_full),
    Fault("no descriptors are left", troubles.no_descriptors,
          DOWN | NO_DATABASE | NO_ROOM | NO_COMPILER | {"build_failed"}, True),
    Fault("the web server is reloaded", troubles.web_server_reloaded),
    Fault("the web server is restarted", troubles.web_server_restarted, NO_SERVER),
    Fault("a compiler is taken away", lambda stack: troubles.compiler_taken_away(stack, "1.9"), NO_COMPILER),
    Fault("a compiler is replaced", lambda stack: troubles.compiler_replaced(stack, "1.9")),
    Fault("the shared files are cut short", troubles.state_cut, DOWN | UNPROVED, True),
    Fault("the shared files are of another version", troubles.state_of_another_version, DOWN | UNPROVED, True),
    Fault("the shared files are somebody else's", troubles.state_of_somebody_else, DOWN | UNPROVED, True),
    Fault("clients stall", lambda stack: troubles.rude_clients(stack, troubles.stall)),
    Fault("clients reset", lambda stack: troubles.rude_clients(stack, troubles.reset)),
    Fault("clients send a byte a second", lambda stack: troubles.rude_clients(stack, troubles.dribble)),
]


class FragileStack(Stack):
    """Its disks are small, and its compilers a copy of its own."""
    configuration = ("cache.free_mb = 1",)

    def __init__(self, build):
        folder = os.path.join(build, "test-stacks", "faults")
        super().__init__(folder, folder + "-programs", folder + "-toolchains")
        self.make_programs(os.path.join(build, "bin"))
        shutil.rmtree(self.toolchains, ignore_errors=True)
        shutil.copytree(os.path.join(build, "toolchain"), self.toolchains)
        self.disks, self.known_archives, self.known_artefacts, self.archives_made = {}, [], [], 0

    def make_programs(self, folder):
        """Those of the build; a worker is started after the commands in a file."""
        shutil.rmtree(self.programs, ignore_errors=True)
        os.makedirs(self.programs)
        for name in os.listdir(folder):
            os.symlink(os.path.join(folder, name), os.path.join(self.programs, name))
        worker = os.path.join(self.programs, "goldsmith-worker")
        os.unlink(worker)
        with open(worker, "w", encoding="utf-8") as file:
            file.write(f'#!/bin/sh\nif [ -e "{self.folder}/worker-environment" ]; then . "{self.folder}/worker-environment"; fi\n'
                       f'exec "{folder}/goldsmith-worker" "$@"\n')
        os.chmod(worker, 0o755)

    def prepare_workers(self, commands):
        """Replaces them by some that are started after these commands of the shell; no request fails."""
        with open(os.path.join(self.folder, "worker-environment"), "w", encoding="utf-8") as file:
            file.write(commands + "\n")
        self.run("replace")

    def up(self):
        super().up()
        for pool in troubles.POOLS:
            self.run("pool", pool, "stop")
        troubles.stop_web_server(self)
        self.disks = {name: troubles.SmallDisk(os.path.realpath(os.path.join(self.folder, name)), size) for name, size in DISKS.items()}
        os.chmod(self.disks["scratch"].folder, 0o1777)
        for pool in troubles.POOLS:
            self.run("pool", pool, "start", TMPDIR=self.disks["scratch"].folder)
        self.run("nginx", "start")
        self.run("configure", *self.configuration)

    def stop(self):
        with contextlib.suppress(RuntimeError):
            self.run("stop")  # all ends; the folder of a disk can't be removed
        for disk in self.disks.values():
            disk.unmount()
        self.run("stop")

    def rows(self, statement):
        return [line.split("\t") for line in self.run("sql", statement).splitlines()[1:]]

    def forget_archives(self):
        """So that builds go on. With some faults it can't."""
        subprocess.run([os.path.join(self.folder, "commands", "goldsmith"), "cache", "prune", "--all",
                        "--cache.handover_seconds=3"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, check=False)

    def ended_workers(self):
        """How many ended and were not told to."""
        count = 0
        for pool in troubles.POOLS:
            with open(os.path.join(self.folder, "log", pool + ".log"), encoding="utf-8", errors="replace") as file:
                count += sum("ended unexpectedly" in line for line in file)
        return count


class Faults(unittest.TestCase):
    build = pattern = ""

    def test_faults(self):
        stack = FragileStack(self.build)
        self.addCleanup(stack.stop)
        stack.up()
        version = stack.get_json("/v1/plugins/map-clock")["plugin"]["versions"][0]["version"]
        downloads, reads = known_answers([stack], {"afk-watch": "2.0", "map-clock": version}, READS)
        builds = {target: stack.get(target).body for target in (f"/v1/server-builder/download?{each}" for each in BUILDS)}
        stack.known_archives = glob.glob(os.path.join(stack.archives, "*.zip"))
        stack.known_artefacts = glob.glob(os.path.join(stack.folder, "cache", "artefacts", "*.amxx"))
        ledger = Ledger(stack.rows)
        print(f"\n{f'what failed for {SECONDS:g} s':42} {'answers':>7} {'failed':>6} {'wrong':>5} {'again after':>11} {'slowest':>8}"
              "  what they failed with")
        started = []  # pairs of time and fault
        clients = Clients(stack.client.https_port, stack.client.certificate)
        with Load(clients, downloads, reads, builds, PAUSE) as load, troubles.again_and_again(stack.forget_archives, 2):
            for fault in FAULTS:
                if re.search(self.pattern, fault.name):
                    with self.subTest(fault.name):
                        started.append((time.time(), fault))
                        self.examine(stack, load, fault)
        with self.subTest("counts"):
            failures = frozenset(each.outcome for each in load.answers) - {"ok"}
            ledger.check(self, stack.rows, load.answers, lambda request: True, failures)
        with self.subTest("what is left is whole"):
            stack.goldsmith("depot", "verify")
            stack.goldsmith("cache", "verify")
            left = collections.Counter(
                max((moment, fault.name) for moment, fault in started if moment <= each.stat().st_mtime)[1]
                for each in os.scandir(stack.disks["scratch"].folder))
            print(f"temporary files left: {dict(left)}")
            self.assertLessEqual(set(left), {fault.name for fault in FAULTS if fault.ends_workers})

    def examine(self, stack, load, fault):
        self.assertIsNotNone(load.recovery(time.monotonic(), LIMIT), "it has not recovered from the last one")
        ended_workers, began = stack.ended_workers(), time.monotonic()
        with fault.cause(stack):
            time.sleep(SECONDS)
        recovery = load.recovery(time.monotonic(), LIMIT)
        answers = load.since(began)
        figures = Figures.of(answers, began, time.monotonic())
        failed = ", ".join(f"{count} {code}" for code, count in sorted(figures.failures.items())) or "-"
        print(f"{fault.name:42} {figures.answers:7} {figures.failures.total():6} {figures.failures['wrong']:5} "
              f"{'never' if recovery is None else f'{recovery:.1f} s':>11} {figures.slowest:6.1f} s  {failed}", flush=True)
        unexpected = [each for each in answers if each.outcome != "ok" and each.outcome not in fault.allowed]
        self.assertEqual(unexpected[:3], [], f"{len(unexpected)} of {len(answers)} answers")
        self.assertLessEqual(RECOVERY + 1 if recovery is None else recovery, RECOVERY)
        if not fault.ends_workers:
            self.assertEqual(stack.ended_workers(), ended_workers, "workers ended")


if __name__ == "__main__":
    Faults.build, Faults.pattern = os.path.abspath(sys.argv[1]), "".join(sys.argv[2:3])
    unittest.main(argv=sys.argv[:1])

#!/usr/bin/env python3
"""What goldsmith finds after a power cut: power_cuts.py BUILD_FOLDER short|long [OPTION OF unittest…]

Each thing that writes to a disk is done once and recorded. Then the disk is made what a cut after each single step may
leave of it (see recorded_disk.py), and goldsmith goes on from there: nothing half-written is served, what the database
names is whole or can be fetched again, and doing the thing once more succeeds. The short form looks at 24 disks of each."""

import contextlib
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import zipfile

from recorded_calls import is_traced, obstacle, options
from recorded_disk import RecordedDisk, record, recording
from running_stack import ROOT, Stack, wait_until, with_children

SHORT = 24
BUILT = "/v1/server-builder/download?components=anvil-engine,forge-gamedll,hearth-loader,amber-platform&plugins=afk-watch"
SMALL, SMALL_AFTER = "?components=forge-gamedll", "?components=hearth-loader,forge-gamedll"

MODE = STACK = None


def setUpModule():
    STACK.up()


def tearDownModule():
    STACK.run("stop")


def command(*words):
    """The operator's command, without the scripts of the stack: only its own writes are recorded."""
    return [os.path.join(STACK.programs, "goldsmith"), f"--config={STACK.folder}/etc/goldsmith.conf", *words]


def goldsmith(*words):
    done = subprocess.run(command(*words), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, check=False)
    assert done.returncode == 0, (words, done.stdout)
    return done.stdout


class Database:
    """Copies of all tables, to go back to."""

    def __init__(self):
        self.socket = os.path.realpath(os.path.join(STACK.folder, "db", "sock"))

    def run(self, program, *words, **options):
        return subprocess.run([program, "--no-defaults", "-uroot", "-S", self.socket, *words], check=True, **options)

    def copy(self):
        return self.run("mariadb-dump", "goldsmith", stdout=subprocess.PIPE).stdout

    def restore(self, tables):
        self.run("mariadb", "goldsmith", input=tables)


class PowerCut(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory(prefix="goldsmith-power-")
        self.addCleanup(place.cleanup)
        self.here = pathlib.Path(place.name)
        self.trace = str(self.here / "trace")

    def after_each_cut(self, disk, check, when=lambda number: True):
        """Puts each of the disks in place that a cut leaves `when` the number of steps is such, and checks it."""
        disks = list(disk.disks(when))
        if MODE == "short" and len(disks) > SHORT:
            disks = [disks[number * len(disks) // SHORT] for number in range(SHORT)]
        self.assertGreater(len(disks), 0)
        for number, kind, found in disks:
            with self.subTest(after=disk.steps[number - 1][0], number=number, kind=kind):
                disk.put(found)
                check()
        return len(disks)

    def assert_order(self, disk, name):
        """What gets a name that ends so was synced before, and its folder after, before anything is sent that says so."""
        renamed = [number for number, (step, _) in enumerate(disk.steps) if step.startswith("rename") and step.endswith(name)]
        self.assertGreater(len(renamed), 0, [step for step, _ in disk.steps])
        for number in renamed:
            path = disk.steps[number][0].rpartition(" to ")[2]
            after = [step for step, _ in disk.steps[number + 1:]]
            self.assertIn("fsync " + os.path.dirname(path), after)
            roots = disk.steps[number][1]
            inode = next(root for folder, root in roots.items() if path.startswith(folder + "/"))
            folder = next(folder for folder in roots if path.startswith(folder + "/"))
            for part in path[len(folder) + 1:].split("/"):
                inode = inode.now[part]
            self.assertEqual(inode.synced, inode.now, f"{path} was named before it was on the disk")

    def say(self, name, disk, count):
        print(f"{name}: {len(disk.steps)} steps, {count} disks", flush=True)


class Depot(PowerCut):
    """A release is mirrored; the database names its file in one transaction."""

    def setUp(self):
        super().setUp()
        self.depot = os.path.join(STACK.folder, "depot")
        manifest = self.here / "pack.json"
        manifest.write_text(json.dumps({"slug": "cut-pack", "name": "Cut Pack", "layer": "content"}), encoding="ascii")
        goldsmith("component", "import", str(manifest))
        self.database = Database()

    def release(self, text):
        archive = self.here / "release.zip"
        with zipfile.ZipFile(archive, "w") as file:
            for number in range(3):
                file.writestr(f"cstrike/maps/cut-{number}.txt", f"{text} {number}\n" * 500)
        return ["component", "mirror", "cut-pack", "--version", "1.0", "--released-at", "2026-01-01", "--archive", str(archive),
                "--replace"]

    def is_whole(self):
        goldsmith("depot", "verify")

    def test_a_mirrored_version_is_there_or_not(self):
        self.mirror("a new version")

    def test_a_replaced_version_is_the_old_one_or_the_new_one(self):
        goldsmith(*self.release("old"))
        self.mirror("new content of a version")

    def mirror(self, name):
        before = self.database.copy()
        words = self.release("new")
        disk = record(command(*words), [self.depot], self.trace)
        self.assert_order(disk, ".zip")
        commits = [number for number, sent in disk.marks if b"COMMIT" in sent.upper()]
        published = next(number for number, (step, _) in enumerate(disk.steps, 1) if step.startswith("rename"))
        self.assertGreater(commits[-1], published, "the database names what has no name yet")
        count = self.after_each_cut(disk, self.is_whole, lambda number: number >= commits[-1])

        def begin_anew():
            self.is_whole()
            goldsmith(*words)
            self.is_whole()
            self.assertEqual([each for each in os.listdir(self.depot) if each.startswith(".mirror")], [])
            self.database.restore(before)
        self.database.restore(before)
        count += self.after_each_cut(disk, begin_anew, lambda number: number <= commits[-1])
        self.say(name, disk, count)

    def test_a_file_that_is_fetched_is_there_or_is_fetched_again(self):
        goldsmith(*self.release("fetched"))
        source = self.here / "other"
        shutil.copytree(self.depot, source)
        shutil.rmtree(os.path.join(self.depot, "cut-pack"))
        words = ["depot", "fill", "--from", str(source)]
        disk = record(command(*words), [self.depot], self.trace)
        self.assert_order(disk, ".zip")

        def fill():
            goldsmith(*words)
            self.is_whole()
            self.assertFalse(os.path.exists(os.path.join(self.depot, ".fill")))
        self.say("a fill of the depot", disk, self.after_each_cut(disk, fill))

    def test_a_damaged_file_that_is_set_aside_is_not_lost(self):
        goldsmith(*self.release("damaged"))
        (file,) = pathlib.Path(self.depot, "cut-pack").iterdir()
        good = file.read_bytes()
        bad = good[:100] + bytes([good[100] ^ 1]) + good[101:]
        file.write_bytes(bad)
        disk = record(command("depot", "verify", "--repair"), [self.depot], self.trace)

        def is_somewhere():
            found = [each.read_bytes() for each in (file, pathlib.Path(self.depot, ".damaged", "cut-pack", file.name))
                     if each.exists()]
            self.assertIn(bad, found)
        self.say("a damaged file set aside", disk, self.after_each_cut(disk, is_somewhere))
        shutil.rmtree(os.path.join(self.depot, ".damaged"), ignore_errors=True)
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(good)
        self.is_whole()


class Caches(PowerCut):
    """A build with a plugin: the compiled plugin and the archive."""

    def test_an_archive_and_a_compiled_plugin_are_whole_or_made_again(self):
        folders = [os.path.join(STACK.folder, "cache", name) for name in ("archives", "artefacts")]
        STACK.empty_cache()
        goldsmith("cache", "prune", "--all")
        workers = STACK.worker_pids("build")
        with recording(workers, folders, self.trace, lambda: wait_until(lambda: all(map(is_traced, workers)))) as disk:
            answer = STACK.get(BUILT)
            time.sleep(0.5)  # the digest is taken after the answer
        self.assertEqual(answer.status, 200, answer.text()[:300])
        self.assert_order(disk, ".zip")
        self.assert_order(disk, ".amxx")

        def serve():
            again = STACK.get(BUILT)
            self.assertEqual((again.status, again.body), (200, answer.body))
            goldsmith("cache", "verify")
        self.say("a build with a plugin", disk, self.after_each_cut(disk, serve))


def is_answered(path):
    """Whether a worker at the socket has come to where a signal ends it in an orderly way: it closes what asks nothing."""
    with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as client:
        client.settimeout(5)
        client.connect(path)
        client.shutdown(socket.SHUT_WR)
        return client.recv(1) == b""
    return False


class SharedFiles(PowerCut):
    """/run is in memory, but `state` may be anywhere."""

    def test_workers_start_with_what_is_left_of_their_files(self):
        folder = os.path.join(STACK.folder, "shared")
        os.mkdir(folder)
        STACK.run("configure", f"state = {folder}/state")
        self.addCleanup(STACK.run, "configure")
        STACK.run("pool", "build", "stop")
        self.addCleanup(STACK.run, "pool", "build", "start")
        for name in os.listdir(folder):
            os.unlink(os.path.join(folder, name))
        disk = RecordedDisk(folder)
        self.serve_once(options(self.trace))
        disk.take(self.trace)
        self.say("the shared files", disk, self.after_each_cut(disk, self.serve_once))

    def serve_once(self, tracer=()):
        """A worker that answers."""
        path = os.path.join(self.here, "worker.sock")
        words = [os.path.join(STACK.programs, "goldsmith-worker"), f"--config={STACK.folder}/etc/goldsmith.conf",
                 "--pool=build", "--socket", path]
        with subprocess.Popen([*tracer, *words], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True) as process:
            try:
                wait_until(lambda: is_answered(path) or process.poll() is not None, 20)
            finally:
                with contextlib.suppress(ProcessLookupError, FileNotFoundError):
                    os.kill(with_children(process.pid)[-1], signal.SIGTERM)  # the tracer ends with it
                said = process.stderr.read()
        self.assertIn("worker stopped", said)


class Settings(PowerCut):
    """Files of /etc that setup replaces."""

    def test_a_file_that_is_replaced_is_the_old_one_or_the_new_one(self):
        place = self.here / "etc"
        place.mkdir()
        old, new = "old = yes\n" * 5, "new = yes\n" * 3
        (place / "10-setup.conf").write_text(old, encoding="ascii")
        script = ". scripts/lib/replace-file.sh; cd \"$1\"; printf 'new = yes\\n%.0s' {1..3} >10-setup.conf.setup-new; " \
                 "replace_file 10-setup.conf"
        disk = record(["bash", "-c", script, "bash", str(place)], [str(place)], self.trace, children=True, cwd=ROOT)
        self.assert_order(disk, "10-setup.conf")
        count = self.after_each_cut(disk, lambda: self.assertIn((place / "10-setup.conf").read_text(encoding="ascii"), (old, new)))
        self.say("a file of the configuration", disk, count)


class GameServer(PowerCut):
    """/server/update.sh, on the disk of who runs a game server."""

    def setUp(self):
        super().setUp()
        self.folder = self.here / "server"
        self.folder.mkdir()
        (self.here / "temporary").mkdir()
        self.environment = {**os.environ, "CURL_CA_BUNDLE": STACK.client.certificate, "TMPDIR": str(self.here / "temporary")}

    def script(self, selection):
        answer = STACK.get("/server/update.sh" + selection)
        self.assertEqual(answer.status, 200)
        path = self.here / "update.sh"
        path.write_bytes(answer.body)
        return ["dash", str(path), "--yes", str(self.folder)]

    def files(self):
        return {str(path.relative_to(self.folder)): path.read_bytes() for path in self.folder.rglob("*")
                if path.is_file() and not path.is_relative_to(self.folder / ".goldsmith")}

    def run_script(self, words):
        done = subprocess.run(words, env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_an_installation_is_finished_or_undone_by_the_next_run(self):
        self.cut(SMALL, "an installation of a game server")

    def test_an_update_is_finished_or_undone_by_the_next_run(self):
        self.run_script(self.script(SMALL))
        (self.folder / "cstrike" / "game.cfg").write_text("edited\n", encoding="ascii")
        self.cut(SMALL_AFTER, "an update of a game server")

    def cut(self, selection, name):
        words, edited = self.script(selection), self.folder / "cstrike" / "game.cfg"
        before = edited.read_bytes() if edited.exists() else None
        disk = record(words, [str(self.folder)], self.trace, children=True, env=self.environment)
        wanted = self.files()

        def go_on():
            self.run_script(words)
            self.assertEqual(self.files(), wanted)
            self.assertEqual(sorted(os.listdir(self.folder / ".goldsmith")), left)
        left = sorted(os.listdir(self.folder / ".goldsmith"))
        self.say(name, disk, self.after_each_cut(disk, go_on))
        if before is not None:
            self.assertEqual(edited.read_bytes(), before)


def main():
    global MODE, STACK
    reason = obstacle()
    if reason:
        print(f"power_cuts: {reason}")
        sys.exit(77)
    build, MODE = os.path.abspath(sys.argv[1]), sys.argv[2]
    STACK = Stack(os.path.join(build, "test-stacks", f"{MODE}-power-cuts"), os.path.join(build, "bin"),
                  os.path.join(build, "toolchain"))
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[3:]])


main()

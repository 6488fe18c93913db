#!/usr/bin/python3
"""/server/update.sh of the stack when networks, disks and kills stand in its way: updater_trouble_test.py STACK_FOLDER"""

import collections
import concurrent.futures
import contextlib
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import threading
import unittest

from stack import Stack
from troubled_proxy import troubled
from updater_case import (AFTER, BEFORE, GAME, LIBLIST, SMALL, SMALL_AFTER, TIMEOUT, UpdaterCase, files, setUpModule,
                          tearDownModule, tree)  # pylint: disable=unused-import # two are unittest's

# Before one of these calls of the program it is killed.
CALLS = ("openat", "write", "mkdirat", "renameat", "linkat", "unlinkat", "fchmod", "syncfs")


@contextlib.contextmanager
def tiny_disk(folder, kilobytes):
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "tmpfs", folder], check=False, capture_output=True)
    if mounted.returncode != 0:
        raise unittest.SkipTest("mounting is not allowed here")
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)


@contextlib.contextmanager
def watch_arguments(seen):
    """Adds the command lines of all processes that it sees."""
    stopped = threading.Event()

    def watch():
        while not stopped.wait(0.01):
            for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
                with contextlib.suppress(OSError):
                    seen.add(path.read_bytes().replace(b"\0", b" ").decode(errors="replace"))

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield
    finally:
        stopped.set()
        thread.join()


class Trouble(UpdaterCase):
    def test_waits_as_told_and_resumes(self):
        with troubled(self.stack, **{"checksums.txt": ["gone"], "download": ["429", "cut"]}) as proxy:
            done = self.run_script(self.script(BEFORE, proxy.url))
        self.assertEqual(files(self.folder), self.archive(BEFORE))
        self.assertIn("waiting for 1 seconds", done.stdout)
        ranges = [wanted for name, wanted in proxy.asked if name == "download"]
        self.assertEqual(ranges[:2], [None, None])
        self.assertTrue(len(ranges) == 3 and ranges[2].startswith("bytes="), ranges)

    def test_waits_for_the_end_of_the_hour_and_no_longer(self):
        with troubled(self.stack, download=["hour"]) as proxy:
            self.assertIn("waiting for 2 seconds", self.run_script(self.script(BEFORE, proxy.url)).stdout)
        self.assertEqual(files(self.folder), self.archive(BEFORE))

    def test_sends_a_key_that_no_other_user_sees(self):
        key = "svck_" + "k" * 40
        (self.here / "key").write_text(key + "\n", encoding="ascii")
        watched = set()
        with troubled(self.stack, download=["429", "429"]) as proxy, watch_arguments(watched):
            self.run_script(self.script(BEFORE, proxy.url), "--yes", "--key", str(self.here / "key"))
        self.assertEqual(proxy.keys, {None, "Bearer " + key})  # without one the program is fetched
        self.assertTrue(any("curl" in each for each in watched), watched)
        self.assertFalse([each for each in watched if key in each])
        self.assertFalse([path for path, content in files(self.folder).items() if key.encode() in content])

    def test_a_key_that_is_none_is_named(self):
        for content, says in ((b"", "cannot read a key in"), (b"not a key\n", "does not begin with a key")):
            (self.here / "key").write_bytes(content)
            done = self.run_script(self.script(BEFORE), "--yes", "--key", str(self.here / "key"), status=1)
            self.assertIn(says, done.stderr)
        self.assertIn("which file has the key?", self.run_script(self.script(BEFORE), "--yes", "--key", "", status=2).stderr)

    def test_a_wrong_checksum_changes_nothing(self):
        self.update(BEFORE)
        before = files(self.folder)
        with troubled(self.stack, download=["damaged", "damaged"]) as proxy:
            script = self.script_through(proxy, AFTER)
            done = self.run_script(script, status=1)
            self.assertIn("nothing was changed", done.stderr)
            self.assertEqual(files(self.folder), before)
            self.assertEqual(sorted(os.listdir(self.folder / ".goldsmith")), ["last", "lock", "state"])
            self.run_script(script)
        self.assertEqual(files(self.folder), self.archive(AFTER))

    def test_another_build_is_not_mixed_in(self):
        with troubled(self.stack, download=["cut", "changed"]) as proxy:
            script = self.script(BEFORE, proxy.url)
            self.assertIn("changed during the download", self.run_script(script, status=1).stderr)
            self.assertEqual(files(self.folder), {})
            self.run_script(script)
        self.assertEqual(files(self.folder), self.archive(BEFORE))

    def test_a_finished_download_is_not_repeated(self):
        build = self.stack.get("/server/checksums.txt" + BEFORE)[1]["X-Svc-Build-Hash"]
        self.write(f".goldsmith/work/{build}.zip.part", self.stack.get("/v1/server-builder/download" + BEFORE)[2])
        self.update(BEFORE)
        self.assertEqual(files(self.folder), self.archive(BEFORE))

    def test_a_beginning_that_a_power_cut_damaged_is_downloaded_again(self):
        for selection, divisor in ((SMALL, 1), (BEFORE, 2)):
            build = self.stack.get("/server/checksums.txt" + selection)[1]["X-Svc-Build-Hash"]
            size = len(self.stack.get("/v1/server-builder/download" + selection)[2])
            self.write(f".goldsmith/work/{build}.zip.part", bytes(size // divisor))
            self.update(selection)
            self.assertEqual(files(self.folder), self.archive(selection))

    def test_a_full_disk_changes_nothing(self):
        sizes = sum(len(content) + 4096 for content in self.archive(SMALL).values()) // 1024
        for kilobytes in (16, sizes, sizes + 60, sizes * 2):
            with tiny_disk(self.folder, kilobytes):
                done = subprocess.run(self.command(self.script(BEFORE), "--yes"), env=self.environment, text=True, capture_output=True, check=False)
                if done.returncode == 0:
                    continue
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertRegex(done.stderr.lower(), "nothing was changed")
                self.assertEqual(tree(self.folder, [".goldsmith"]), {})

    def test_a_disk_that_fills_up_in_an_update_changes_nothing(self):
        failed = 0
        for spare in (0, 64, 256):
            with tiny_disk(self.folder, 2048):
                self.update(BEFORE)
                before = files(self.folder)
                free = shutil.disk_usage(self.folder).free
                self.write("filler", b"x" * max(0, free - spare * 1024))
                done = subprocess.run(self.command(self.script(AFTER), "--yes"), env=self.environment, text=True, capture_output=True, check=False)
                (self.folder / "filler").unlink()
                if done.returncode:
                    failed += 1
                    self.assertEqual(done.returncode, 1, done.stderr)
                    self.assertEqual(files(self.folder), before, done.stderr)
                    self.update(AFTER)
                self.assertEqual(files(self.folder), self.archive(AFTER))
        self.assertGreater(failed, 0)

    def test_files_that_may_not_grow_change_nothing(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (1024, 1024))

        done = subprocess.run(self.command(self.script(BEFORE), "--yes"), env=self.environment, text=True, capture_output=True, check=False,
                              preexec_fn=limit)  # pylint: disable=subprocess-popen-preexec-fn
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(files(self.folder), {})
        self.update(BEFORE)
        self.assertEqual(files(self.folder), self.archive(BEFORE))

    def test_a_read_only_folder_changes_nothing(self):
        with tiny_disk(self.folder, 4096):
            for installed in (False, True):
                if installed:
                    subprocess.run(["mount", "-o", "remount,rw", self.folder], check=True)
                    self.update(BEFORE)
                subprocess.run(["mount", "-o", "remount,ro", self.folder], check=True)
                before = tree(self.folder)
                self.assertIn("nothing was changed", self.update(AFTER, status=1).stderr)
                self.assertEqual(tree(self.folder), before)


class Killed(UpdaterCase):
    """Killed before each of its calls that change something, or a sample of them."""

    POINTS = 24

    def traced(self, selection, folder, *options, status):
        command = ["strace", *options, "-e", "trace=" + ",".join(CALLS), self.program(), "--service", self.stack.origin, "update", "--yes",
                   "--selection", selection, folder]
        done = subprocess.run(command, env=self.environment, capture_output=True, check=False, text=True, stdin=subprocess.DEVNULL, timeout=TIMEOUT)
        self.assertIn(done.returncode, status, done.stderr)

    def calls(self, selection, folder):
        """Those of a run: [(call, how many of its kind were before)]"""
        log = folder.with_suffix(".log")
        self.traced(selection, folder, "-o", log, status=(0,))
        counts = collections.Counter()
        calls = []
        for line in log.read_text(encoding="utf-8", errors="replace").splitlines():
            call = line.split("(")[0]
            if call in CALLS and not (call == "openat" and "O_CREAT" not in line):
                calls.append((call, counts[call]))
            counts[call] += 1
        log.unlink()
        return calls

    def killed_at(self, selection, folder, point):
        call, before = point
        self.traced(selection, folder, "-o", "/dev/null", "-e", f"inject={call}:signal=KILL:when={before + 1}", status=(-signal.SIGKILL, 137, 0))

    def check_points(self, selection, prepare):
        """prepare(folder) makes the folder that the program runs in."""
        prepare(self.folder)
        before = files(self.folder)
        calls = self.calls(selection, self.folder)
        after = self.remembered(self.folder)
        self.assertGreater(len(calls), self.POINTS)

        def check(number):
            folder = self.here / f"point {number}"
            folder.mkdir()
            prepare(folder)
            self.killed_at(selection, folder, calls[number])
            for path, content in files(folder).items():
                if not path.endswith(".goldsmith-copy"):
                    self.assertIn(content, (before.get(path), after.get(path)), f"{path}, killed at {calls[number]}")
            for path in before:
                self.assertTrue((folder / path).exists() or path not in after, f"{path}, killed at {calls[number]}")
            if number % 3 == 0:  # and its recovery, too
                self.killed_at(selection, folder, calls[number // 2])
            self.traced(selection, folder, "-o", "/dev/null", status=(0,))
            self.assertEqual(self.remembered(folder), after, f"killed at {calls[number]}")
            shutil.rmtree(folder)

        points = sorted({number * (len(calls) - 1) // self.POINTS for number in range(self.POINTS)} | set(range(len(calls) - 12, len(calls))))
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            list(pool.map(check, points))

    def remembered(self, folder):
        """All but the time of the installation."""
        return {path: re.sub(rb"installed [-0-9T:Z]+|^(was [0-9a-f]+) [-0-9T:Z]+", rb"\1", content) if content and path.startswith(".goldsmith/") else content
                for path, content in tree(folder).items()}

    def test_first_installations_are_finished_or_undone(self):
        def prepare(folder):
            self.write(LIBLIST, b"the base game's\n", folder)
            self.write("cstrike/maps/de_dust.bsp", b"map", folder)

        self.check_points(SMALL, prepare)

    def prepared(self, selection):
        installed = self.here / "installed"
        installed.mkdir()
        self.run_script(self.script(selection), folder=installed)
        self.write("cstrike/logs/today.log", b"log", installed)
        return lambda folder: shutil.copytree(installed, folder, dirs_exist_ok=True)

    def test_updates_are_finished_or_undone(self):
        prepare = self.prepared(SMALL)
        self.write(GAME, b"mine\n", self.here / "installed")
        self.check_points(SMALL_AFTER, prepare)

    def test_removals_are_finished_or_undone(self):
        self.check_points(SMALL, self.prepared(SMALL_AFTER))

    def test_what_is_edited_before_the_next_run_is_kept(self):
        prepare = self.prepared(SMALL)
        prepare(self.folder)
        trial = self.here / "trial"
        prepare(trial)
        calls = self.calls(SMALL_AFTER, trial)
        changed = {path: content for path, content in files(trial).items() if self.archive(SMALL).get(path) not in (None, content)}
        self.assertTrue(changed)
        for number in reversed(range(len(calls))):  # the last call before the first change
            folder = self.here / f"try {number}"
            prepare(folder)
            self.killed_at(SMALL_AFTER, folder, calls[number])
            if (folder / ".goldsmith/work/commit").exists() and files(folder) == files(self.folder):
                break
        else:
            self.fail("it was never killed there")
        edited = sorted(changed)[0]
        (folder / edited).write_bytes(b"edited meanwhile\n")
        done = self.run_script(self.script(SMALL_AFTER), folder=folder)
        self.assertIn("Finishing the interrupted run", done.stdout)
        self.assertIn(f"{edited} was edited meanwhile", done.stdout)
        self.assertEqual(files(folder), {**files(trial), edited: b"edited meanwhile\n", edited + ".new": changed[edited]})


if __name__ == "__main__":
    UpdaterCase.stack = Stack(sys.argv.pop(1))
    unittest.main()

"""`goldsmith component mirror` reads archives in a process without rights, and survives what becomes of it."""

import contextlib
import os
import pwd
import signal
import subprocess
import time
import unittest

from host import UpstreamTest, make_zip

COMM = "goldsmith-unpac"  # as much of the name as the kernel keeps


def status_of(pid):
    """The lines of /proc/PID/status by name; none if the process is gone."""
    try:
        with open(f"/proc/{pid}/status", encoding="utf-8") as file:
            return dict(line.rstrip("\n").split(":\t", 1) for line in file if ":\t" in line)
    except OSError:
        return {}


def is_below(pid, ancestor):
    while pid not in ("", "0", str(ancestor)):
        pid = status_of(pid).get("PPid", "")
    return pid == str(ancestor)


def unprivileged_user():
    """Who reads archives when this user mirrors."""
    if os.geteuid() != 0:
        return os.geteuid()
    for name in ("goldsmith-mirror", "nobody"):
        try:
            return pwd.getpwnam(name).pw_uid
        except KeyError:
            pass
    raise AssertionError("no user goldsmith-mirror and no nobody")


class Unpacking(UpstreamTest):
    """Version 1.0 of a component is mirrored; version 2.0 takes seconds to compress."""

    def setUp(self):
        super().setUp()
        self.import_component()
        self.small = self.write_archive("small.zip", {"engine.so": "engine\n"})
        self.large = self.write_archive("large.zip", {"noise": os.urandom(40 << 20).hex()})
        self.done(*self.words("1.0", self.small))
        self.done("depot", "verify")  # leaves a mark, here and below
        self.before = self.depot_files()

    def write_archive(self, name, files):
        path = os.path.join(self.folder, name)
        with open(path, "wb") as file:
            file.write(make_zip(files))
        return path

    @staticmethod
    def words(version, archive):
        return ["component", "mirror", "engine", "--version", version, "--archive", archive]

    def start(self):
        """Mirrors version 2.0; returns the command, and the process that reads the archive."""
        process = subprocess.Popen(self.command(self.words("2.0", self.large)), stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            for pid in filter(str.isdigit, os.listdir("/proc")):
                if status_of(pid).get("Name") == COMM and is_below(pid, process.pid):
                    return process, int(pid)
            self.assertIsNone(process.poll())
        self.fail("nothing reads the archive")

    def assert_gone(self, pid):
        deadline = time.monotonic() + 60
        while status_of(pid).get("State", "Z")[0] != "Z":
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.01)

    def assert_unchanged(self):
        self.assertEqual(self.versions(), ["1.0"])
        self.assertEqual(self.depot_files(), self.before)
        self.done("depot", "verify")

    def test_the_reader_is_another_user_without_network_and_without_the_hosts_files(self):
        _, reader = self.start()
        status = status_of(reader)
        self.assertEqual(status["Uid"].split(), [str(unprivileged_user())] * 4)
        self.assertEqual(status["Groups"].split(), [] if os.geteuid() == 0 else status["Groups"].split())
        for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"):
            self.assertEqual(int(status[name], 16), 0, name)
        self.assertEqual((status["NoNewPrivs"], status["Seccomp"]), ("1", "2"))
        for space in ("user", "mnt", "pid", "net", "ipc", "uts", "cgroup"):
            self.assertNotEqual(os.readlink(f"/proc/{reader}/ns/{space}"), os.readlink(f"/proc/self/ns/{space}"), space)
        with open(f"/proc/{reader}/net/dev", encoding="ascii") as file:
            self.assertEqual([line.split(":")[0].strip() for line in file if ":" in line], ["lo"])
        seen = set(os.listdir(f"/proc/{reader}/root"))
        self.assertLessEqual(seen, {"goldsmith-unpack", "lib", "lib64", "usr"})
        opened = self.opened_by(reader)
        deadline = time.monotonic() + 10
        # A program that was just started opens its libraries.
        while any(".so" in path for path in opened) and time.monotonic() < deadline:
            opened = self.opened_by(reader)
        # The archive is a copy that nobody else can change.
        own = ("/unpacked (deleted)", "/archive (deleted)")
        self.assertEqual([path for path in opened if not path.endswith(own)], [])
        self.assertTrue(any(path.endswith(own[1]) for path in opened), opened)

    @staticmethod
    def opened_by(pid):
        opened = set()
        for fd in os.listdir(f"/proc/{pid}/fd"):
            # What it has just closed.
            with contextlib.suppress(FileNotFoundError):
                opened.add(os.readlink(f"/proc/{pid}/fd/{fd}"))
        return {path for path in opened if not path.startswith(("pipe:", "/dev/null"))}

    def test_a_crash_leaves_the_depot_as_it_was(self):
        for number in (signal.SIGSEGV, signal.SIGKILL):
            process, reader = self.start()
            os.kill(reader, number)
            _, said = process.communicate(timeout=60)
            self.assertEqual((process.returncode, said),
                             (1, f"goldsmith: goldsmith-unpack: it was ended by {number.name}\n"))
            self.assert_unchanged()

    def test_too_much_processor_time_leaves_the_depot_as_it_was(self):
        self.conf["mirror.cpu_seconds"] = 1
        self.assertIn("it needs more than the 1 s of processor time that mirror.cpu_seconds allows",
                      self.failed(*self.words("2.0", self.large)))
        self.assert_unchanged()

    def test_a_signal_ends_both_processes(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            process, reader = self.start()
            process.send_signal(number)
            _, said = process.communicate(timeout=60)
            self.assertEqual((process.returncode, said), (128 + number, "goldsmith: interrupted\n"))
            self.assert_gone(reader)
            self.assert_unchanged()

    def test_the_reader_dies_with_the_command(self):
        process, reader = self.start()
        process.kill()
        self.assert_gone(reader)
        process.wait()
        self.done(*self.words("1.0", self.small))  # sweeps
        self.assert_unchanged()

    def test_several_at_a_time_get_by(self):
        ends = [subprocess.Popen(self.command(self.words(f"3.{i}", self.small)), stdin=subprocess.DEVNULL,
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) for i in range(4)]
        for end in ends:
            self.assertIn("mirrored engine 3.", end.communicate(timeout=60)[0])
        self.assertEqual(len(self.versions()), 5)


if __name__ == "__main__":
    unittest.main()

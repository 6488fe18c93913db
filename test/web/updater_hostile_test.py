#!/usr/bin/python3
"""/server/update.sh of the stack in folders where somebody left traps: updater_hostile_test.py STACK_FOLDER"""

import contextlib
import hashlib
import io
import os
import pty
import re
import shutil
import signal
import subprocess
import sys
import time
import unittest
import zipfile

from stack import Stack
from troubled_proxy import troubled
from updater_case import (AFTER, BEFORE, LIBLIST, OTHER_USER, SMALL, SMALL_AFTER, TIMEOUT, UpdaterCase, files, setUpModule,
                          tearDownModule, tree)  # pylint: disable=unused-import # two are unittest's

NO_PATHS = (b"../victim", b"cstrike/../../victim", b"/victim", b"./victim", b"cstrike//victim", b"victim/", b"..", b".goldsmith/victim",
            b"", b"a\\victim", b"a\x01victim", b"a\0/../../victim", b"cstrike/./victim")

# In place of curl: tries what it has of root's, and notes what it found.
ATTACK = """import fcntl, os, sys, termios
if os.getuid() == 0:  # who fetches the program
    os.execv("/usr/bin/curl", ["curl", *sys.argv[1:]])
found = set()
try:
    terminal = os.open("/dev/tty", os.O_RDWR)
    for byte in b"touch pwned\\n":
        fcntl.ioctl(terminal, termios.TIOCSTI, bytes([byte]))
except OSError:
    found.add("no terminal to open")
def seen(path, look):
    try:
        return look(path)
    except PermissionError:
        return b"" if look is read else []
def read(path):
    return open(path, "rb").read()
targets = [os.readlink(f"/proc/{process}/fd/{name}") for process in (os.getpid(), os.getppid()) for name in seen(f"/proc/{process}/fd", os.listdir)
           if os.path.islink(f"/proc/{process}/fd/{name}")]
if not any(target.startswith("/dev/pts") for target in targets):
    found.add("no descriptor of a terminal")
if all(b"s3cret" not in seen(f"/proc/{process}/environ", read) for process in (os.getpid(), os.getppid())):
    found.add("no token")
with open(os.path.join(os.environ["TMPDIR"], "found"), "a") as file:
    file.writelines(line + "\\n" for line in sorted(found))
os.execv("/usr/bin/curl", ["curl", *sys.argv[1:]])
"""


class HostileCase(UpdaterCase):
    def setUp(self):
        super().setUp()
        self.elsewhere = self.here / "elsewhere"
        self.write("new/victim", b"another's\n", self.elsewhere)
        self.write("cstrike/victim", b"another's, too\n", self.elsewhere)
        (self.elsewhere / "empty").mkdir()

    def refused(self, script, message, status=3):
        """Nothing changes, here or elsewhere, but for what an interrupted run left."""
        def now():
            return tree(self.elsewhere), files(self.folder), self.victim()

        before = now()
        done = self.run_script(script, status=status)
        self.assertIn(message, done.stderr)
        self.assertEqual(now(), before)

    def victim(self):
        path = self.here / "victim"
        return path.read_bytes() if path.exists() else None

    def state(self, path, folder=None):
        """The state of an installation that has one more file."""
        state = (folder or self.folder) / ".goldsmith/state"
        content = state.read_bytes()
        digest = hashlib.sha256(b"victim\n").hexdigest().encode()
        state.write_bytes(content[:-len(b"end\n")] + digest + b"  " + path + b"\nend\n")

    def commit(self, *lines):
        head = (self.folder / ".goldsmith/state").read_bytes().splitlines()[:2]
        self.write(".goldsmith/work/commit", b"\n".join([*head, b"", *lines, b"end\n"]))


class Links(HostileCase):
    FILES = ("state", "lock", "work/commit", "work/folders", "work/headers", "work/list", "work/.hidden", "work/" + "0" * 64 + ".zip.part")
    FOLDERS = ("", "work", "original", "previous", "work/new", "work/old", "work/other")

    def test_a_link_in_goldsmith_is_refused(self):
        script = self.script(SMALL_AFTER)
        self.update(SMALL)
        shutil.copytree(self.folder, self.here / "installed")
        targets = {**dict.fromkeys(self.FILES, self.elsewhere / "new/victim"), **dict.fromkeys(self.FOLDERS, self.elsewhere)}
        nowhere = [(name, self.here / "nothing") for name in ("", "work", "lock", "work/list")]
        for name, target in (*targets.items(), *nowhere):
            with self.subTest(name=name, target=target.name):
                shutil.rmtree(self.folder)
                shutil.copytree(self.here / "installed", self.folder)
                place = self.folder / ".goldsmith" / name
                if place.is_dir():
                    shutil.rmtree(place)
                place.unlink(missing_ok=True)
                place.parent.mkdir(exist_ok=True)
                place.symlink_to(target)
                self.refused(script, "is a link")
                self.assertFalse((self.here / "nothing").exists())

    def test_what_is_neither_a_file_nor_a_folder_is_refused(self):
        self.update(SMALL)
        os.mkfifo(self.folder / ".goldsmith/work")
        self.refused(self.script(SMALL_AFTER), "was not made by this script")
        (self.folder / ".goldsmith/work").unlink()
        (self.folder / ".goldsmith/lock").unlink()
        os.mkfifo(self.folder / ".goldsmith/lock")
        self.refused(self.script(SMALL_AFTER), "was not made by this script")

    def moved(self, path):
        """A folder of the server that is a link to its content elsewhere."""
        (self.folder / path).rename(self.elsewhere / "moved")
        (self.folder / path).symlink_to(self.elsewhere / "moved")

    def test_nothing_is_changed_behind_a_link(self):
        for before, after in ((BEFORE, AFTER), (AFTER, BEFORE), (BEFORE, SMALL)):
            with self.subTest(after=after):
                self.update(before)
                self.moved("cstrike/addons")
                self.refused(self.script(after), "cstrike/addons is a link")
                shutil.rmtree(self.elsewhere / "moved")
                shutil.rmtree(self.folder)
                self.folder.mkdir()
        (self.folder / "cstrike").symlink_to(self.elsewhere)
        self.refused(self.script(BEFORE), "cstrike is a link")

    def test_nothing_is_changed_behind_a_link_that_is_unchanged_upstream(self):
        self.update(SMALL)
        (self.folder / "maps").mkdir()
        (self.folder / "cstrike/maps").symlink_to(self.folder / "maps")  # of the user, and not of the build
        self.update(SMALL_AFTER)
        self.assertEqual((self.folder / "cstrike/maps").readlink(), self.folder / "maps")

    def test_a_link_to_a_folder_where_a_file_belongs_changes_nothing(self):
        self.write("cstrike/maps/de_dust.bsp", b"map")
        (self.folder / LIBLIST).symlink_to(self.elsewhere)
        self.refused(self.script(BEFORE), "is not a file", status=1)

    def test_an_original_behind_a_link_does_not_come_back(self):
        loader = next(path for path in self.archive(SMALL_AFTER) if path not in self.archive(SMALL))
        self.write(loader, b"the base game's\n")
        self.update(SMALL_AFTER)
        top = loader.split("/")[0]
        shutil.rmtree(self.folder / ".goldsmith/original" / top)
        (self.folder / ".goldsmith/original" / top).symlink_to(self.elsewhere)
        self.write(loader.split("/", 1)[1], b"secret\n", self.elsewhere)
        self.update(SMALL)
        self.assertEqual(files(self.folder), self.archive(SMALL))

    def test_an_interrupted_run_puts_no_file_into_a_folder_elsewhere(self):
        self.update(SMALL)
        (self.folder / "link").symlink_to(self.elsewhere)
        (self.folder / "side.new").symlink_to(self.elsewhere)
        for line in (b"put folder folder link", b"side - - side"):
            self.commit(line)
            name = line.rsplit(b" ", 1)[1].decode()
            self.write(f".goldsmith/work/new/{name}", b"pwned\n")
            before = tree(self.elsewhere)
            self.update(SMALL)
            self.assertEqual(tree(self.elsewhere), before)
            self.assertEqual((self.folder / "link").readlink(), self.elsewhere)

    def test_an_interrupted_run_is_not_finished_through_a_link(self):
        self.update(SMALL)
        digest = hashlib.sha256(b"another's, too\n").hexdigest().encode()
        self.commit(b"del " + digest + b" - link/victim")
        (self.folder / "link").symlink_to(self.elsewhere / "cstrike")
        self.refused(self.script(SMALL), "link is a link")
        for action in (b"put - ", b"side - "):
            self.commit(action + digest + b" cstrike/victim")
            (self.folder / ".goldsmith/work/new").mkdir(exist_ok=True)
            (self.folder / ".goldsmith/work/new/cstrike").unlink(missing_ok=True)
            (self.folder / ".goldsmith/work/new/cstrike").symlink_to(self.elsewhere / "cstrike")
            self.refused(self.script(SMALL), "cstrike is a link")


class Paths(HostileCase):
    def setUp(self):
        super().setUp()
        (self.here / "victim").write_bytes(b"victim\n")
        self.update(SMALL)

    def test_paths_of_the_state_are_checked(self):
        shutil.copytree(self.folder, self.here / "installed")
        for path in NO_PATHS:
            with self.subTest(path=path):
                shutil.copy(self.here / "installed/.goldsmith/state", self.folder / ".goldsmith/state")
                self.state(path)
                self.refused(self.script(SMALL_AFTER), "state is damaged")

    def test_paths_of_a_commit_are_checked(self):
        digest = hashlib.sha256(b"victim\n").hexdigest().encode()
        lines = (b"del " + digest + b" - ", b"put " + digest + b" - ", b"side - " + digest + b" ")
        self.write(".goldsmith/work/new/victim", b"pwned\n")
        self.write(".goldsmith/work/victim", b"pwned\n")
        for number, path in enumerate((*NO_PATHS, *NO_PATHS[:2])):
            line = lines[number % len(lines)] + path
            with self.subTest(line=line):
                self.commit(line)
                self.refused(self.script(SMALL), "commit is damaged")

    def test_paths_of_new_folders_are_checked(self):
        for path in ("../elsewhere/empty", f"{self.elsewhere}/empty", "link/empty"):
            (self.folder / "link").unlink(missing_ok=True)
            (self.folder / "link").symlink_to(self.elsewhere)
            self.write(".goldsmith/work/folders", path.encode() + b"\n")
            self.update(SMALL)
            self.assertTrue((self.elsewhere / "empty").exists(), path)

    def test_a_name_is_no_command_for_the_terminal(self):
        (self.folder / ".goldsmith/work").mkdir()
        (self.folder / ".goldsmith/work/\x1b]0;pwned\x07").symlink_to(self.elsewhere)
        self.assertNotIn("\x1b", self.update(SMALL, status=3).stderr)


class PathsWithBusybox(Paths):
    test_paths_of_a_commit_are_checked = None  # which takes the same way

    def setUp(self):
        super().setUp()
        self.use_only_busybox_and_curl()


class ListOfChecksums(HostileCase):
    """Wrong ones, that are answered with 200."""

    WRONG = {
        "cut after a line": lambda body: b"".join(body.splitlines(True)[:-1]),
        "cut in the middle": lambda body: b"".join(body.splitlines(True)[:len(body.splitlines()) // 2]),
        "cut after the first line": lambda body: body.splitlines(True)[0],
        "cut in a path": lambda body: body[:-3],
        "one more": lambda body: body + b"0" * 64 + b"  zzz\n",
        "another checksum": lambda body: b"0" * 64 + body[64:],
        "another path": lambda body: body[:66] + b"aaa" + body[66:],
    }

    def test_nothing_is_changed_by_a_list_that_is_not_of_its_build(self):
        for before, after in ((BEFORE, AFTER), (AFTER, BEFORE), (BEFORE, SMALL), (None, BEFORE)):
            if before:
                self.update(before)
            for name, change in self.WRONG.items() if after == AFTER else list(self.WRONG.items())[1:3]:
                with self.subTest(after=after, name=name), troubled(self.stack, **{"checksums.txt": ["", change]}) as proxy:
                    self.refused(self.script_through(proxy, after), "nothing was changed", status=1)
            with troubled(self.stack) as proxy:
                self.run_script(self.script_through(proxy, after))
            self.assertEqual(files(self.folder), self.archive(after))
            shutil.rmtree(self.folder)
            self.folder.mkdir()

    def test_edits_do_not_hide_a_cut_list(self):
        """Where it would only forget files."""
        self.update(SMALL)
        for path in self.archive(SMALL):
            self.write(path, b"mine\n")
        with troubled(self.stack, **{"checksums.txt": ["", lambda body: body.splitlines(True)[0]]}) as proxy:
            script = self.script_through(proxy, SMALL)
            state = self.folder / ".goldsmith/state"
            state.write_bytes(re.sub(rb"\nbuild ....", b"\nbuild 0000", state.read_bytes()))
            self.refused(script, "nothing was changed", status=1)

    def with_more(self, archive, kind):
        """Another member, a file or a link that leads elsewhere."""
        content = io.BytesIO(archive)
        with zipfile.ZipFile(content, "a") as file:
            member = zipfile.ZipInfo("extra")
            member.create_system, member.external_attr = 3, kind << 16
            file.writestr(member, str(self.elsewhere))
        return content.getvalue()

    def test_a_part_of_an_archive_with_more_than_the_list_is_not_used(self):
        build = self.stack.get("/server/checksums.txt" + BEFORE)[1]["X-Svc-Build-Hash"]
        for kind in (0o100644, 0o120777):
            content = self.with_more(self.stack.get("/v1/server-builder/download" + BEFORE)[2], kind)
            self.write(f".goldsmith/work/{build}.zip.part", content)
            self.update(BEFORE)
            self.assertEqual(files(self.folder), self.archive(BEFORE))
            shutil.rmtree(self.folder)
            self.folder.mkdir()

    def test_an_archive_with_more_than_the_list_is_refused(self):
        """Once it was downloaded anew."""
        for kind in (0o100644, 0o120777):
            with troubled(self.stack, download=[lambda body, kind=kind: self.with_more(body, kind)]) as proxy:
                self.refused(self.script_through(proxy, BEFORE), "the download is damaged; nothing was changed", status=1)
        self.update(BEFORE)


@unittest.skipUnless(os.getuid() == 0, "this needs root")
class Root(HostileCase):
    """In a folder of another user."""

    def setUp(self):
        super().setUp()
        self.give_to_other_user(self.folder)

    def test_the_owner_of_the_folder_does_the_work(self):
        tools = self.here / "tools"
        tools.mkdir()
        (tools / "curl").write_text('#!/bin/sh\necho "$(id -u):$(id -g):$(id -G) $*" >>"$TMPDIR/ran"\nexec /usr/bin/curl "$@"\n', encoding="utf-8")
        (tools / "curl").chmod(0o755)
        (self.here / "ran").touch()
        (self.here / "ran").chmod(0o666)
        self.environment["PATH"] = f"{tools}:{os.environ['PATH']}"
        for selection in (BEFORE, AFTER):
            self.update(selection)
        ran = [line.split(" ", 1) for line in (self.here / "ran").read_text(encoding="utf-8").splitlines()]
        self.assertEqual({who for who, what in ran if "/server/goldsmith-keeper" in what}, {"0:0:0"})
        self.assertEqual({who for who, what in ran if "/server/goldsmith-keeper" not in what}, {f"{OTHER_USER}:{OTHER_USER}:{OTHER_USER}"})
        self.assertEqual({path.stat().st_uid for path in self.folder.rglob("*")}, {OTHER_USER})
        self.assertEqual(files(self.folder), self.archive(AFTER))

    def on_terminal(self, script, answer):
        """Run by root on a terminal of its own, where `answer` is typed once it asks. (status, what the terminal shows)"""
        pid, terminal = pty.fork()
        if pid == 0:
            os.execvpe("sh", ["sh", str(script), str(self.folder)], {**self.environment, "TOKEN": "s3cret", "https_proxy": "http://me:s3cret@127.0.0.1:9",
                                                                                  "no_proxy": "127.0.0.1"})
        shown, is_asked = b"", False
        with contextlib.suppress(OSError):  # the terminal ends with the script
            while chunk := os.read(terminal, 4096):
                shown += chunk
                if not is_asked and b"Go on? [y/N]" in shown:
                    is_asked = True
                    os.write(terminal, answer)
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), shown.decode()

    def test_the_owner_gets_neither_the_terminal_nor_the_environment_of_root(self):
        """By programs of the owner, who may replace what the script runs as the owner."""
        tools = self.here / "tools"
        tools.mkdir()
        (tools / "curl").write_text(f"#!{sys.executable}\n" + ATTACK, encoding="utf-8")
        (tools / "curl").chmod(0o755)
        self.environment["PATH"] = f"{tools}:{os.environ['PATH']}"
        status, shown = self.on_terminal(self.script(SMALL), b"n\n")
        self.assertEqual((status, files(self.folder)), (3, {}), shown)
        self.assertIn("install  cstrike/", shown)
        status, shown = self.on_terminal(self.script(SMALL), b"y\n")
        self.assertEqual((status, files(self.folder)), (0, self.archive(SMALL)), shown)
        self.assertNotIn("touch pwned", shown)
        found = set((self.here / "found").read_text(encoding="utf-8").splitlines())
        self.assertEqual(found, {"no terminal to open", "no descriptor of a terminal", "no token"})
        self.assertIn("Nothing to do", self.on_terminal(self.script(SMALL), b"")[1])
        shown = self.on_terminal(self.script(SMALL + "&lang=pl"), b"")[1]
        self.assertRegex(shown, "^Nie ma nic do zrobienia: build [0-9a-f]+ jest zainstalowany[.]\\r\n$")

    def test_a_signal_to_root_ends_what_the_owner_runs(self):
        tools = self.here / "tools"
        tools.mkdir()
        (tools / "curl").write_text('#!/bin/sh\necho $$ >"$TMPDIR/pid"\nexec sleep 60\n', encoding="utf-8")
        (tools / "curl").chmod(0o755)
        self.environment["PATH"] = f"{tools}:{os.environ['PATH']}"
        with subprocess.Popen(self.command(self.script(SMALL), "--yes"), env=self.environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as root:
            deadline = time.monotonic() + TIMEOUT
            while not (self.here / "pid").exists() or not (self.here / "pid").read_text(encoding="utf-8"):
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.02)
            root.send_signal(signal.SIGTERM)
            self.assertNotEqual(root.wait(TIMEOUT), 0)
        # The signal is sent on, and what it ends is there until its new parent has asked for its status.
        with self.assertRaises(ProcessLookupError):
            while time.monotonic() < deadline:
                os.kill(int((self.here / "pid").read_text(encoding="utf-8")), 0)
                time.sleep(0.02)

    def test_a_folder_of_a_group_of_roots(self):
        os.chown(self.folder, OTHER_USER, 0)
        self.update(SMALL)
        self.assertEqual({(path.stat().st_uid, path.stat().st_gid) for path in self.folder.rglob("*")}, {(OTHER_USER, OTHER_USER)})

    def test_it_does_so_from_a_pipe_and_without_other_programs(self):
        with open(self.script(SMALL), "rb") as script:
            subprocess.run(["dash", "-s", "--", "--yes", self.folder], stdin=script, env=self.environment, check=True, stdout=subprocess.DEVNULL,
                           timeout=TIMEOUT)
        self.use_only_busybox_and_curl()
        self.update(SMALL_AFTER)
        self.assertEqual({path.stat().st_uid for path in self.folder.rglob("*")}, {OTHER_USER})
        self.assertEqual(files(self.folder), self.archive(SMALL_AFTER))

    def test_a_program_of_the_folder_is_not_run(self):
        for name in ("sh", "update.sh", "curl", "goldsmith-keeper"):
            self.write(name, b"#!/bin/sh\ntouch pwned\n")
            (self.folder / name).chmod(0o755)
        with open(self.script(SMALL), "rb") as script:
            subprocess.run(["sh", "-s", "--", "--yes", "."], stdin=script, cwd=self.folder, env=self.environment, check=True,
                           capture_output=True, timeout=TIMEOUT)
        self.assertFalse((self.folder / "pwned").exists())

    def test_a_path_of_another_user_may_not_lead_to_roots_folders(self):
        roots = self.here / "roots"
        roots.mkdir()
        (self.folder / "link").symlink_to(roots)
        done = self.update(SMALL, status=3, folder=self.folder / "link")
        self.assertIn(f"leads through a link; give {roots} instead", done.stderr)
        self.assertEqual(os.listdir(roots), [])

    def test_links_reach_nothing_of_roots(self):
        self.update(SMALL)
        shutil.rmtree(self.folder / "cstrike")
        (self.folder / "cstrike").symlink_to(self.elsewhere)
        self.refused(self.script(SMALL_AFTER), "cstrike is a link")


if __name__ == "__main__":
    UpdaterCase.stack = Stack(sys.argv.pop(1))
    unittest.main()

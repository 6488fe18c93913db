#!/usr/bin/python3
"""/server/update.sh of the stack, run with its real archives: updater_test.py STACK_FOLDER"""

import concurrent.futures
import contextlib
import os
import pathlib
import resource
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.parse

from stack import Stack
from troubled_proxy import troubled

TIMEOUT = 120  # seconds
MEMORY = "/dev/shm"
BEFORE = "?components=anvil-engine,forge-gamedll,hearth-loader,amber-platform&plugins=afk-watch,map-clock"
AFTER = "?components=anvil-engine,forge-gamedll,hearth-loader,amber-platform&plugins=map-clock,privet&optimized=1"
# With one file each that is tuned, as of setUpModule().
SMALL = "?components=forge-gamedll"
SMALL_AFTER = "?components=hearth-loader,forge-gamedll&optimized=1"
CONFIG = "cstrike/addons/amxmodx/configs/amxx.cfg"  # tuned by AFTER
USERS = "cstrike/addons/amxmodx/configs/users.ini"  # the same in both
AFK = "cstrike/addons/amxmodx/plugins/afk_watch.amxx"  # gone with AFTER
PRIVET = "cstrike/addons/amxmodx/plugins/privet.amxx"  # comes with AFTER
LIBLIST = "cstrike/liblist.gam"
GAME = "cstrike/game.cfg"  # tuned by SMALL_AFTER

# Kills the whole group before the command with a certain number.
KILLER = """#!/bin/sh
set -C # each number once, also in a pipeline
number=1
until true 2>/dev/null >"$COUNTER/$number"; do number=$((number + 1)); done
if [ "$number" = "$KILL_AT" ]; then kill -9 0; fi
exec /usr/bin/"${0##*/}" "$@"
"""
COMMANDS = ("awk cat chown cp curl find flock grep head id ln ls mkdir mv rm rmdir sed sha256sum sleep sort sync tail tr unzip").split()


def tree(folder, skip=()):
    """{path: content} of all that is in a folder; of folders None, of links their target."""
    found = {}
    for path in sorted(pathlib.Path(folder).rglob("*")):
        name = str(path.relative_to(folder))
        if any(name == each or name.startswith(each + "/") for each in skip):
            continue
        if path.is_symlink():
            found[name] = os.readlink(path)
        else:
            found[name] = None if path.is_dir() else path.read_bytes()
    return found


def files(folder):
    """Those of the server and of the user."""
    return {name: content for name, content in tree(folder, [".goldsmith"]).items() if content is not None}


@contextlib.contextmanager
def tiny_disk(folder, kilobytes):
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "tmpfs", folder], check=False, capture_output=True)
    if mounted.returncode != 0:
        raise unittest.SkipTest("mounting is not allowed here")
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)


def setUpModule():  # pylint: disable=invalid-name
    with tempfile.NamedTemporaryFile() as tuned:
        tuned.write(b"// tuned\n")
        tuned.flush()
        for path in (CONFIG, GAME):
            UpdaterCase.stack.goldsmith("overlay", "set", path, "--file", tuned.name)
    time.sleep(2.1)


def tearDownModule():  # pylint: disable=invalid-name
    for path in (CONFIG, GAME):
        UpdaterCase.stack.goldsmith("overlay", "remove", path)


class UpdaterCase(unittest.TestCase):
    stack = None

    def setUp(self):
        place = tempfile.TemporaryDirectory(prefix="goldsmith update ", dir=MEMORY if os.access(MEMORY, os.W_OK) else None)
        self.addCleanup(place.cleanup)
        self.here = pathlib.Path(place.name)
        self.folder = self.here / "server"
        self.folder.mkdir()
        self.environment = {**os.environ, "CURL_CA_BUNDLE": os.path.join(os.path.abspath(self.stack.folder), "etc/tls/cert.pem"), "TMPDIR": str(self.here)}

    def script(self, selection, service=None):
        status, headers, body = self.stack.get("/server/update.sh" + selection)
        self.assertEqual((status, headers["Content-Type"]), (200, "text/x-shellscript; charset=utf-8"), body)
        if service:
            body = body.replace(self.stack.origin.encode(), service.encode())
        path = self.here / f"update-{abs(hash((selection, service)))}.sh"
        path.write_bytes(body)
        return path

    def command(self, script, *arguments, folder=None, shell=("dash",)):
        return [*shell, str(script), *arguments, str(folder or self.folder)]

    def run_script(self, script, *arguments, status=0, folder=None, shell=("dash",), **options):
        done = subprocess.run(self.command(script, *(arguments or ["--yes"]), folder=folder, shell=shell), text=True, capture_output=True,
                              timeout=TIMEOUT, check=False, start_new_session=True,
                              **{"env": self.environment, "stdin": subprocess.DEVNULL, **options})
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done

    def update(self, selection, **options):
        return self.run_script(self.script(selection), **options)

    def archive(self, selection):
        folder = self.here / f"archive-{abs(hash(selection))}"
        if not folder.exists():
            archive = self.here / "archive.zip"
            archive.write_bytes(self.stack.get("/v1/server-builder/download" + selection)[2])
            subprocess.run(["unzip", "-q", archive, "-d", folder], check=True)
        return files(folder)

    def write(self, path, content, folder=None):
        path = (folder or self.folder) / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)

    def read(self, path):
        return (self.folder / path).read_bytes()


class FirstInstallation(UpdaterCase):
    def test_an_empty_folder_gets_the_archive(self):
        done = self.update(BEFORE)
        self.assertEqual(files(self.folder), self.archive(BEFORE))
        self.assertEqual(sorted(os.listdir(self.folder / ".goldsmith")), ["lock", "state"])
        self.assertIn(f"install  {LIBLIST}", done.stdout)
        self.assertEqual(done.stderr, "")
        engine = next(self.folder.rglob("engine_i486.so"))
        self.assertEqual(stat.S_IMODE(engine.stat().st_mode), stat.S_IMODE(next((self.here / f"archive-{abs(hash(BEFORE))}").rglob("engine_i486.so")).stat().st_mode))

    def test_a_base_game_is_kept_where_it_is_replaced(self):
        self.write(LIBLIST, b"the base game's\n")
        self.write("cstrike/maps/de_dust.bsp", b"map")
        self.write("hlds_run", b"run")
        self.update(BEFORE)
        self.assertEqual(files(self.folder), {**self.archive(BEFORE), "cstrike/maps/de_dust.bsp": b"map", "hlds_run": b"run"})
        self.assertEqual(files(self.folder / ".goldsmith/original"), {LIBLIST: b"the base game's\n"})

    def test_what_is_gone_upstream_gives_the_base_game_back(self):
        loader = next(path for path in self.archive(SMALL_AFTER) if path not in self.archive(SMALL))
        self.write(loader, b"the base game's\n")
        self.update(SMALL_AFTER)
        self.assertIn(f"restore  {loader}", self.update(SMALL).stdout)
        self.assertEqual(files(self.folder), {**self.archive(SMALL), loader: b"the base game's\n"})
        self.assertIn(f"replace  {loader}", self.update(SMALL_AFTER).stdout)
        self.assertEqual(files(self.folder), self.archive(SMALL_AFTER))

    def test_a_folder_where_a_file_belongs_changes_nothing(self):
        self.write(LIBLIST + "/mine", b"x")
        self.assertIn("is not a file", self.update(BEFORE, status=1).stderr)
        self.assertEqual(files(self.folder), {LIBLIST + "/mine": b"x"})

    def test_a_file_where_a_folder_belongs_changes_nothing(self):
        self.write("cstrike", b"x")
        self.assertIn("cstrike is not a folder", self.update(BEFORE, status=1).stderr)
        self.assertEqual(files(self.folder), {"cstrike": b"x"})

    def test_it_runs_from_a_pipe_and_in_other_places(self):
        with open(self.script(SMALL), "rb") as script:
            subprocess.run(["dash", "-s", "--", "--yes", "server"], stdin=script, cwd=self.here, env=self.environment, check=True,
                           stdout=subprocess.DEVNULL, timeout=TIMEOUT)
        self.assertEqual(files(self.folder), self.archive(SMALL))

    def test_nothing_else_than_busybox_and_curl_is_needed(self):
        tools = self.here / "bin"
        tools.mkdir()
        subprocess.run(["busybox", "--install", "-s", tools], check=True)
        (tools / "curl").symlink_to("/usr/bin/curl")
        options = {"shell": (str(tools / "sh"),), "env": {**self.environment, "PATH": str(tools)}}
        self.update(BEFORE, **options)
        self.assertEqual(files(self.folder), self.archive(BEFORE))
        self.write(USERS, b"mine\n")
        self.update(AFTER, **options)
        self.assertEqual(files(self.folder), {**self.archive(AFTER), USERS: b"mine\n"})


class Update(UpdaterCase):
    def test_nothing_to_do(self):
        self.update(BEFORE)
        before = tree(self.folder)
        with troubled(self.stack) as proxy:
            script = self.script(BEFORE)
            script.write_bytes(script.read_bytes().replace(b"_url='" + self.stack.origin.encode(), b"_url='" + proxy.url.encode()))
            self.assertIn("Nothing to do", self.run_script(script).stdout)
            self.assertEqual(proxy.asked, [("checksums.txt", None)])
        self.assertEqual(tree(self.folder), before)

    def test_each_file_by_the_rule(self):
        before, after = self.archive(BEFORE), self.archive(AFTER)
        edited_gone = "cstrike/addons/amxmodx/scripting/afk_watch.sma"
        self.assertNotEqual(before[CONFIG], after[CONFIG])
        self.assertEqual(before[USERS], after[USERS])
        self.assertTrue(AFK in before and AFK not in after and edited_gone in before and edited_gone not in after)
        self.assertTrue(PRIVET not in before and PRIVET in after)
        self.update(BEFORE)
        mine = {USERS: b"admins\n", CONFIG: b"mine\n", edited_gone: b"mine, too\n", PRIVET: b"my own plugin", "cstrike/maps/my map.bsp": b"map",
                "cstrike/addons/amxmodx/logs/today.log": b"log"}
        for path, content in mine.items():
            self.write(path, content)
        removed = "cstrike/addons/amxmodx/plugins/map_clock.amxx"
        (self.folder / removed).unlink()
        done = self.update(AFTER)
        expected = {**after, **mine, CONFIG + ".new": after[CONFIG], PRIVET + ".new": after[PRIVET]}
        del expected[removed]
        self.assertEqual(files(self.folder), expected)
        for line in (f"remove   {AFK}", f"keep     {USERS} (edited here)", f"keep     {removed} (removed here)", f"keep     {edited_gone} (edited here)",
                     f"keep     {CONFIG} (edited here and changed upstream: the new version is {CONFIG}.new)"):
            self.assertIn(f"  {line}\n", done.stdout)
        replaced = {path: before[path] for path in before if path not in mine and path != removed and before[path] != after.get(path)}
        self.assertIn(AFK, replaced)
        self.assertEqual(files(self.folder / ".goldsmith/previous"), replaced)
        self.assertIn("Nothing to do", self.update(AFTER).stdout)

    def test_folders_that_become_empty_go(self):
        self.update(BEFORE)
        self.update(SMALL)
        self.assertEqual(files(self.folder), self.archive(SMALL))
        self.assertFalse((self.folder / "cstrike/addons/amxmodx").exists())

    def test_a_link_is_an_edit(self):
        self.update(BEFORE)
        (self.here / "shared.cfg").write_bytes(b"shared\n")
        (self.folder / CONFIG).unlink()
        (self.folder / CONFIG).symlink_to(self.here / "shared.cfg")
        self.update(AFTER)
        self.assertEqual(os.readlink(self.folder / CONFIG), str(self.here / "shared.cfg"))
        self.assertEqual(self.read(CONFIG + ".new"), self.archive(AFTER)[CONFIG])

    def test_files_belong_to_the_owner_of_the_folder(self):
        if os.getuid() != 0:
            self.skipTest("this needs root")
        os.chown(self.folder, 12345, 12346)
        self.update(SMALL)
        self.update(SMALL_AFTER)
        owners = {(path.stat().st_uid, path.stat().st_gid) for path in self.folder.rglob("*")}
        self.assertEqual(owners, {(12345, 12346)})

    def test_a_dry_run_changes_nothing(self):
        self.run_script(self.script(BEFORE), "--dry-run")
        self.assertEqual(os.listdir(self.folder), [])
        self.update(BEFORE)
        self.write(CONFIG, b"mine\n")
        before = tree(self.folder)
        done = self.run_script(self.script(AFTER), "--dry-run", "--yes")
        self.assertEqual(tree(self.folder), before)
        self.assertIn(f"keep     {CONFIG} (edited here and changed", done.stdout)
        self.assertIn(f"install  {PRIVET}", done.stdout)
        self.assertFalse([name for name in os.listdir(self.here) if name.startswith("tmp")])


class Refusals(UpdaterCase):
    def refused(self, script, message, status=3, arguments=("--yes",), **options):
        def kept():
            return {path: content for path, content in tree(self.folder).items() if path not in (".goldsmith", ".goldsmith/lock")}

        before = kept()
        done = self.run_script(script, *arguments, status=status, **options)
        self.assertIn(message, done.stderr)
        self.assertEqual(kept(), before)

    def test_a_folder_of_another_service(self):
        self.update(SMALL)
        self.refused(self.script(SMALL_AFTER, "https://elsewhere.example"), "is from another service: " + self.stack.origin)

    def test_an_unknown_or_damaged_format(self):
        self.update(SMALL)
        state = self.folder / ".goldsmith/state"
        good = state.read_bytes()
        for content, message in ((good.replace(b"goldsmith-update 1", b"goldsmith-update 2"), "unknown format"), (b"", "unknown format"),
                                 (good[:len(good) // 2], "is damaged")):
            state.write_bytes(content)
            self.refused(self.script(SMALL_AFTER), message)

    def test_a_goldsmith_folder_of_something_else(self):
        self.write(".goldsmith/anything", b"x")
        self.refused(self.script(SMALL), "was not made by this script")
        shutil.rmtree(self.folder / ".goldsmith")
        self.write(".goldsmith", b"x")
        self.refused(self.script(SMALL), "is not a folder of this script")

    def test_nobody_to_ask(self):
        self.refused(self.script(SMALL), "give --yes", arguments=["--"])

    def test_two_runs_at_once(self):
        self.update(SMALL)
        with subprocess.Popen(["flock", self.folder / ".goldsmith/lock", "cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
            holder.stdin.write(b"x")
            holder.stdin.flush()
            self.refused(self.script(SMALL_AFTER), "another run is at work")
            holder.stdin.close()

    def test_wrong_usage(self):
        script = self.script(SMALL)
        for arguments in (["--no"], ["one"], ["--yes", "one", "two"]):
            self.refused(script, "Usage:", status=2, arguments=arguments)
        done = subprocess.run(["dash", script], text=True, capture_output=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        done = subprocess.run(["dash", script, "--help"], text=True, capture_output=True, check=True)
        self.assertIn("Exit status:", done.stdout)
        self.refused(script, "there is no folder", status=1, folder=self.here / "nothing")

    def test_a_selection_that_became_impossible(self):
        script = self.script(SMALL)
        script.write_bytes(script.read_bytes().replace(b"components=forge-gamedll", b"components=nothing"))
        self.refused(script, "error: invalid_selection\n", status=1)


class Trouble(UpdaterCase):
    def test_waits_as_told_and_resumes(self):
        with troubled(self.stack, **{"checksums.txt": ["gone"], "download": ["429", "cut"]}) as proxy:
            done = self.run_script(self.script(BEFORE, proxy.url))
        self.assertEqual(files(self.folder), self.archive(BEFORE))
        self.assertIn("waiting for 1 seconds", done.stdout)
        ranges = [wanted for name, wanted in proxy.asked if name == "download"]
        self.assertEqual(ranges[:2], [None, None])
        self.assertTrue(len(ranges) == 3 and ranges[2].startswith("bytes="), ranges)

    def test_a_wrong_checksum_changes_nothing(self):
        self.update(BEFORE)
        before = files(self.folder)
        with troubled(self.stack, download=["damaged"]) as proxy:
            script = self.script(AFTER)
            script.write_bytes(script.read_bytes().replace(b"_url='" + self.stack.origin.encode(), b"_url='" + proxy.url.encode()))
            done = self.run_script(script, status=1)
            self.assertIn("nothing was changed", done.stderr)
            self.assertEqual(files(self.folder), before)
            self.assertEqual(sorted(os.listdir(self.folder / ".goldsmith")), ["lock", "state"])
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
    """Killed before each of its commands, or a sample of them."""

    POINTS = 12

    def setUp(self):
        super().setUp()
        tools = self.here / "killers"
        tools.mkdir()
        (tools / "killer").write_text(KILLER, encoding="utf-8")
        (tools / "killer").chmod(0o755)
        for command in COMMANDS:
            (tools / command).symlink_to("killer")
        self.tools = tools
        self.kills = 0

    def killed_at(self, script, folder, number):
        """The number of commands that it got to."""
        counter = folder.with_suffix(".counter")
        counter.mkdir()
        environment = {**self.environment, "PATH": f"{self.tools}:{os.environ['PATH']}", "COUNTER": str(counter), "KILL_AT": str(number)}
        done = subprocess.run(self.command(script, "--yes", folder=folder), env=environment, capture_output=True, check=False, text=True,
                              start_new_session=True, timeout=TIMEOUT)
        self.assertIn(done.returncode, (-signal.SIGKILL, 0) if number else (0,), done.stderr)
        self.kills += done.returncode == -signal.SIGKILL
        commands = len(os.listdir(counter))
        shutil.rmtree(counter)
        return commands

    def check_points(self, script, prepare):
        """prepare(folder) makes the folder that the script runs in."""
        prepare(self.folder)
        before = files(self.folder)
        commands = self.killed_at(script, self.folder, 0)
        after = tree(self.folder)
        self.assertGreater(commands, self.POINTS)

        def check(number):
            folder = self.here / f"point {number}"
            folder.mkdir()
            prepare(folder)
            self.killed_at(script, folder, number)
            for path, content in files(folder).items():
                self.assertIn(content, (before.get(path), after.get(path)), f"{path}, killed at {number}")
            for path in before:
                self.assertTrue((folder / path).exists() or path not in after, f"{path}, killed at {number}")
            if number % 3 == 0:  # and its recovery, too
                self.killed_at(script, folder, 12 + number % 17)
            self.run_script(script, folder=folder)
            self.assertEqual(tree(folder), after, f"killed at {number}")
            shutil.rmtree(folder)

        points = sorted({1 + number * (commands - 1) // self.POINTS for number in range(self.POINTS)} | set(range(commands - 8, commands + 1)))
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            list(pool.map(check, points))
        self.assertGreater(self.kills, len(points) - 3)

    def test_first_installations_are_finished_or_undone(self):
        def prepare(folder):
            self.write(LIBLIST, b"the base game's\n", folder)
            self.write("cstrike/maps/de_dust.bsp", b"map", folder)

        self.check_points(self.script(SMALL), prepare)

    def test_updates_are_finished_or_undone(self):
        installed = self.here / "installed"
        installed.mkdir()
        self.run_script(self.script(SMALL), folder=installed)
        self.write(GAME, b"mine\n", installed)
        self.write("cstrike/logs/today.log", b"log", installed)

        def prepare(folder):
            shutil.copytree(installed, folder, dirs_exist_ok=True)

        self.check_points(self.script(SMALL_AFTER), prepare)

    def test_removals_are_finished_or_undone(self):
        installed = self.here / "installed"
        installed.mkdir()
        self.run_script(self.script(SMALL_AFTER), folder=installed)

        def prepare(folder):
            shutil.copytree(installed, folder, dirs_exist_ok=True)

        self.check_points(self.script(SMALL), prepare)

    def test_what_is_edited_before_the_next_run_is_kept(self):
        self.update(SMALL)
        script = self.script(SMALL_AFTER)
        trial = self.here / "trial"
        shutil.copytree(self.folder, trial)
        commands = self.killed_at(script, trial, 0)
        changed = {path: content for path, content in files(trial).items() if self.archive(SMALL).get(path) not in (None, content)}
        self.assertTrue(changed)
        number = commands
        while True:  # the last command before the first change
            folder = self.here / f"try {number}"
            shutil.copytree(self.folder, folder)
            self.killed_at(script, folder, number)
            if (folder / ".goldsmith/work/commit").exists() and files(folder) == files(self.folder):
                break
            number -= 1
            self.assertGreater(number, 0)
        edited = sorted(changed)[0]
        (folder / edited).write_bytes(b"edited meanwhile\n")
        done = self.run_script(script, folder=folder)
        self.assertIn("Finishing the interrupted run", done.stdout)
        self.assertIn(f"{edited} was edited meanwhile", done.stdout)
        self.assertEqual(files(folder), {**files(trial), edited: b"edited meanwhile\n", edited + ".new": changed[edited]})


class Script(UpdaterCase):
    def test_shellcheck_finds_nothing(self):
        subprocess.run(["shellcheck", "--shell", "sh", self.script(AFTER)], check=True)

    def test_nothing_of_a_client_is_a_command(self):
        for hostile in ("x';touch pwned;'", '"$(touch pwned)"', "`touch pwned`", "x\n touch pwned\n", "\\';touch pwned #", "@selection@", "=@service@\n"):
            script = self.script("?components=forge-gamedll&plugins=" + urllib.parse.quote(hostile))
            done = subprocess.run(["dash", script, "--help"], cwd=self.here, text=True, capture_output=True, check=True)
            self.assertTrue(done.stdout.startswith("Usage:"))
            self.assertFalse((self.here / "pwned").exists(), hostile)
            [line] = [line for line in script.read_text(encoding="utf-8").splitlines() if line.startswith("selection=")]
            self.assertRegex(line, r"\Aselection='[A-Za-z0-9%=&,@._~-]*'\Z")

    def test_what_is_not_pinned_follows_the_latest(self):
        text = self.script("?optimized=yes&plugins=b,a&components=forge-gamedll,anvil-engine@3.2.0").read_text(encoding="utf-8")
        self.assertIn("\nselection='components=anvil-engine@3.2.0,forge-gamedll&plugins=a,b&optimized=1'\n", text)
        self.assertIn("\nselection=''\n", self.script("").read_text(encoding="utf-8"))


if __name__ == "__main__":
    UpdaterCase.stack = Stack(sys.argv.pop(1))
    unittest.main()

#!/usr/bin/python3
"""What belongs to the owner of a server stays when /server/update.sh takes it over, and there is a way back: takeover_test.py STACK_FOLDER"""

import contextlib
import json
import os
import shutil
import socket
import stat
import subprocess
import sys
import threading
import time
import unittest

from stack import Stack
from updater_case import (AFK, AFTER, BEFORE, LIBLIST, METAMOD, PRIVET, SMALL, SMALL_AFTER, TIMEOUT, USERS, UpdaterCase, files, setUpModule,
                          tearDownModule, tree)  # pylint: disable=unused-import # two are unittest's

WITH = "?components=anvil-engine,forge-gamedll,hearth-loader,lantern-auth"
WITHOUT = "?components=anvil-engine,forge-gamedll,hearth-loader"
LANTERN = "cstrike/addons/lantern/lantern_mm_i386.so"
CONFIGURATION = "cstrike/addons/lantern/lantern.cfg"
SALT = b"IdHashSalt = the owner's\r\n"


class TakeoverCase(UpdaterCase):
    shells = (("dash",), ("busybox", "sh"))

    def server(self, library=LANTERN, listed=()):
        """A server of somebody's own with authentication at a place."""
        self.write(LIBLIST, b'gamedll_linux "addons/metamod/dlls/metamod.so"\n')
        self.write(library, b"\x7fELF lantern of another build")
        lines = [f"linux {library.removeprefix('cstrike/')}", *listed]
        self.write(METAMOD, "".join(line + "\n" for line in lines).encode())

    def run_verb(self, *arguments, status=0):
        return self.run_script(self.script(WITH), *arguments, status=status)

    def status(self):
        return json.loads(self.run_verb("status", "--json").stdout)


class Places(TakeoverCase):
    def test_nothing_is_installed_that_would_win_over_configuration_of_the_owner(self):
        for place, shell in (("cstrike/lantern.cfg", self.shells[0]), ("lantern.cfg", self.shells[1])):
            with self.subTest(place=place):
                self.shell = shell
                shutil.rmtree(self.folder)
                self.server()
                self.write(place, SALT)
                done = self.update(WITH)
                self.assertIn(f"keep     {place} (yours, which counts: {CONFIGURATION} is not installed)", done.stdout)
                self.assertIn(f"{place} decides which Steam IDs players get. It is yours, and stays; keep a copy.", done.stdout)
                self.assertEqual(self.read(place), SALT)
                self.assertFalse((self.folder / CONFIGURATION).exists())
                self.assertEqual(self.status()["removed"], [])
                self.assertIn("Nothing to do", self.update(WITH).stdout)
                self.update(WITH.replace("lantern-auth", "lantern-auth@0.9.0"))
                self.assertFalse((self.folder / CONFIGURATION).exists())

    def test_what_lies_beside_a_library_that_goes_comes_with_it(self):
        self.server("cstrike/addons/metamod/dlls/lantern/lantern_mm_i386.so")
        old = "cstrike/addons/metamod/dlls/lantern/lantern.cfg"
        self.write(old, SALT)
        (self.folder / old).chmod(0o600)
        done = self.update(WITH)
        self.assertIn(f"keep     {old} (yours: it goes to {CONFIGURATION})", done.stdout)
        self.assertEqual((self.read(CONFIGURATION), self.read(old)), (SALT, SALT))
        self.assertEqual(stat.S_IMODE((self.folder / CONFIGURATION).stat().st_mode), 0o600)
        self.assertIn("Nothing to do", self.update(WITH).stdout)
        self.update(WITH.replace("lantern-auth", "lantern-auth@0.9.0"))
        self.assertEqual(self.read(CONFIGURATION), SALT)

    def test_where_the_owner_has_none_any_more_that_of_the_build_comes(self):
        self.server()
        self.write("cstrike/lantern.cfg", SALT)
        self.update(WITH)
        (self.folder / "cstrike/lantern.cfg").unlink()
        self.update(WITH.replace("lantern-auth", "lantern-auth@0.9.0"))
        self.assertIn(b"IdHashSalt = ", self.read(CONFIGURATION))

    def test_a_secret_that_is_made_is_its_owners_alone(self):
        self.update(WITH)
        self.assertEqual(stat.S_IMODE((self.folder / CONFIGURATION).stat().st_mode), 0o600)

    def test_files_have_the_time_of_their_version(self):
        self.update(WITH)
        status, _, body = self.stack.get("/v1/server-builder/resolve" + WITH)
        self.assertEqual(status, 200, body)
        self.assertGreater((self.folder / LIBLIST).stat().st_mtime, 1.6e9)
        self.assertLess((self.folder / "engine_i486.so").stat().st_mtime, time.time() - 3600)


class Lists(TakeoverCase):
    OWN = ("; mine", "linux addons/mine/mine_mm.so", "linux addons/metamod/dlls/other.so debug")

    def test_lines_of_the_owner_stay(self):
        self.server("cstrike/addons/old/Lantern_MM_i386.so", self.OWN)
        original = self.read(METAMOD)
        done = self.update(WITH)
        self.assertEqual(self.read(METAMOD), self.archive(WITH)[METAMOD] + "".join(line + "\n" for line in self.OWN).encode())
        for line in (f"keep     cstrike/addons/mine/mine_mm.so in {METAMOD} (yours)",
                     f"without  cstrike/addons/old/Lantern_MM_i386.so in {METAMOD} (Lantern of this build takes its place)"):
            self.assertIn(f"  {line}\n", done.stdout)
        self.assertEqual((self.folder / ".goldsmith/original" / METAMOD).read_bytes(), original)
        self.assertIn("Nothing to do", self.update(WITH).stdout)

    def test_a_library_is_known_by_what_it_is_under_any_name(self):
        for selection in (WITH, WITH.replace("lantern-auth", "lantern-auth@0.9.0")):
            with self.subTest(selection=selection):
                shutil.rmtree(self.folder)
                self.server("cstrike/addons/mine/who_is_it.so")
                self.write("cstrike/addons/mine/who_is_it.so", self.archive(selection)[LANTERN])
                self.write("cstrike/addons/mine/lantern.cfg", SALT)
                done = self.update(WITH)
                self.assertIn(f"  without  cstrike/addons/mine/who_is_it.so in {METAMOD} (Lantern of this build takes its place)\n", done.stdout)
                self.assertNotIn(b"who_is_it", self.read(METAMOD))
                self.assertEqual(self.read(CONFIGURATION), SALT)

    def test_what_fills_the_place_of_another_component_is_named(self):
        never = self.here / "never.json"
        component = {"slug": "case-never", "name": "Case Never", "layer": "auth", "loads": {"metamod_plugin": "addons/never/never_mm.so"},
                     "selectable": False, "sort_order": 331}

        def know(changes):
            never.write_text(json.dumps({**component, **changes}))
            self.stack.goldsmith("component", "import", str(never))
            time.sleep(2.1)

        know({})
        self.addCleanup(know, {"layer": "voice", "loads": {}})
        self.server("cstrike/addons/never/never_mm.so")
        done = self.run_script(self.script(WITH), "--yes", "--new-identities")
        self.assertIn(f"without  cstrike/addons/never/never_mm.so in {METAMOD} (Lantern of this build takes its place)", done.stdout)
        self.assertIn("rights and statistics: Lantern takes the place of Case Never.\n", done.stdout)

    def test_they_stay_in_updates_and_what_is_off_stays_off(self):
        self.server(listed=self.OWN)
        self.update(BEFORE.replace("amber-platform", "lantern-auth,amber-platform"))
        off = b"linux addons/lantern/lantern_mm_i386.so\n"
        self.assertIn(b"\n" + off, self.read(METAMOD))
        self.write(METAMOD, self.read(METAMOD).replace(off, b"") + b"linux addons/later/later_mm.so\n")
        done = self.update(WITH)  # without the platform
        self.assertEqual([line for line in done.stdout.splitlines() if " off in " in line], [f"  keep     {LANTERN} off in {METAMOD} (as you have it)"])
        listed = self.read(METAMOD).decode().splitlines()
        self.assertEqual([line for line in listed if line.startswith("linux")], [*self.OWN[1:], "linux addons/later/later_mm.so"])
        self.assertIn("; " + off.decode().strip(), listed)
        done = self.update(BEFORE.replace("amber-platform", "lantern-auth,amber-platform"))
        listed = self.read(METAMOD).decode().splitlines()
        self.assertEqual([line for line in listed if line.startswith("linux")],
                         ["linux addons/amxmodx/dlls/amber_mm_i386.so", *self.OWN[1:], "linux addons/later/later_mm.so"])
        self.assertEqual(listed.count("; " + off.decode().strip()), 1)


class Identities(TakeoverCase):
    def test_other_steam_ids_want_more_than_yes(self):
        self.update(WITH)
        before = files(self.folder)
        done = self.run_script(self.script(WITHOUT), status=3)
        self.assertIn("Players without Steam get other Steam IDs by this, and lose bans, admin rights and statistics: "
                      "Lantern is not in this build any more.\n", done.stdout)
        self.assertIn("--yes alone does not accept other Steam IDs", done.stderr)
        self.assertEqual(files(self.folder), before)
        self.assertIn("other Steam IDs by this", self.run_script(self.script(WITHOUT), "--dry-run").stdout)
        self.run_script(self.script(WITHOUT), "--yes", "--new-identities")
        self.assertEqual(self.read(CONFIGURATION), before[CONFIGURATION])

    def test_a_component_of_the_owners_goes_on(self):
        self.server()
        done = self.update(WITHOUT)
        self.assertIn(f"keep     {LANTERN} in {METAMOD} (yours)", done.stdout)
        self.assertNotIn("Steam IDs", done.stdout)

    def test_a_setting_that_an_update_would_change_is_named(self):
        self.update(WITH.replace("lantern-auth", "lantern-auth@0.9.0"))
        state = self.folder / ".goldsmith/state"
        before = (self.folder / CONFIGURATION).read_bytes().replace(b"IdHashSalt = ", b"IdHashSalt = 1")
        self.write(CONFIGURATION, before)
        # As if nobody had edited it: an update would replace it.
        digest = __import__("hashlib").sha256(before).hexdigest()
        lines = [f"{digest}  {CONFIGURATION}" if line.endswith("  " + CONFIGURATION) else line for line in state.read_text().splitlines()]
        state.write_text("".join(line + "\n" for line in lines))
        done = self.run_script(self.script(WITH), status=3)
        self.assertIn(f"IdHashSalt in {CONFIGURATION} gets another value", done.stdout)
        self.assertEqual(self.read(CONFIGURATION), before)


class Own(TakeoverCase):
    def test_what_was_the_same_before_is_the_owners(self):
        """It stays when the build has it no more, and comes back when a newer version goes."""
        archive = self.archive(BEFORE)
        same = "cstrike/addons/amxmodx/scripting/compile.sh"
        self.write(AFK, archive[AFK])
        self.write(same, archive[same])
        self.update(BEFORE)
        self.update(SMALL)
        self.assertEqual(self.read(same), archive[same])
        self.assertEqual(self.read(AFK), archive[AFK])
        self.assertEqual({path: each for path, each in files(self.folder).items() if path not in (AFK, same)}, self.archive(SMALL))

    def test_another_version_of_who_players_are_is_said(self):
        self.server()
        self.write("cstrike/lantern.cfg", SALT)
        says = "Lantern here is of a version that is not known: with that of the build players without Steam may get other Steam IDs."
        self.assertIn(says, self.update(WITH).stdout)
        self.assertNotIn(says, self.update(WITH.replace("lantern-auth", "lantern-auth@0.9.0")).stdout)


class Rollback(TakeoverCase):
    def test_the_first_installation_is_taken_back(self):
        self.write(LIBLIST, b"the base game's\n")
        self.write(METAMOD, b"linux addons/mine/mine_mm.so\n")
        self.write(USERS, b"mine\n")
        before = tree(self.folder)
        self.update(BEFORE)
        shown = self.run_verb("rollback", "--dry-run").stdout
        self.assertIn(f"  restore  {LIBLIST}\n", shown)
        self.assertIn(f"  remove   {AFK}\n", shown)
        self.assertIn("as it was before the first installation", self.run_verb("rollback", "--yes").stdout)
        self.assertEqual(tree(self.folder), before)
        self.update(BEFORE)

    def test_an_update_is_taken_back_and_that_too(self):
        self.update(BEFORE)
        self.write(USERS, b"mine\n")
        before = tree(self.folder)
        self.update(AFTER)
        after = files(self.folder)
        self.run_verb("rollback", "--yes")
        self.assertEqual(files(self.folder), {path: content for path, content in before.items() if content is not None and not path.startswith(".goldsmith/")})
        self.assertEqual(self.read(".goldsmith/state"), before[".goldsmith/state"])
        self.run_verb("rollback", "--yes")
        self.assertEqual(files(self.folder), after)
        self.assertIn("Nothing to do", self.update(AFTER).stdout)

    def test_what_was_edited_since_stays(self):
        self.update(BEFORE)
        self.update(AFTER)
        self.write(PRIVET, b"mine")
        self.assertIn(f"  keep     {PRIVET} (edited here)\n", self.run_verb("rollback", "--yes").stdout)
        self.assertEqual(files(self.folder), {**self.archive(BEFORE), PRIVET: b"mine"})

    def test_a_rollback_needs_no_network(self):
        self.update(SMALL)
        self.update(SMALL_AFTER)
        subprocess.run([self.program(), "rollback", "--yes", self.folder], env={"PATH": "/nonexistent"}, check=True, capture_output=True)
        self.assertEqual(files(self.folder), self.archive(SMALL))

    def test_there_is_a_way_to_earlier_builds(self):
        builds = []
        for selection in (SMALL, SMALL_AFTER, WITH):
            self.update(selection)
            builds.append(self.status()["build"])
        self.assertEqual([each["build"] for each in self.status()["former"]], [builds[1], builds[0]])
        self.run_verb("rollback", "--to", builds[0], "--yes", "--new-identities")
        self.assertEqual({path: content for path, content in files(self.folder).items() if path != CONFIGURATION}, self.archive(SMALL))
        self.assertEqual(self.status()["build"], builds[0])
        done = self.run_verb("rollback", "--to", "0" * 64, "--yes", status=1)
        self.assertIn("error: not_found", done.stderr)

    def test_nothing_to_take_back_is_said(self):
        self.assertIn("remembers no run that could be taken back", self.run_verb("rollback", "--yes", status=1).stderr)
        self.update(SMALL)
        (self.folder / ".goldsmith/last").unlink()
        self.assertIn("remembers no run that could be taken back", self.run_verb("rollback", "--yes", status=1).stderr)


class Status(TakeoverCase):
    def test_status_tells_what_is_installed(self):
        self.assertIn("nothing was installed", self.run_verb("status", status=1).stderr)
        self.update(BEFORE)
        self.write(USERS, b"mine\n")
        (self.folder / AFK).unlink()
        told = self.status()
        self.assertEqual((told["edited"], told["removed"], told["is_current"], told["is_interrupted"]), ([USERS], [AFK], True, False))
        self.assertIn("plugins=afk-watch,map-clock", told["selection"])
        self.assertEqual(told["link"], self.stack.origin + "/server?" + told["selection"])
        self.assertIn(("anvil-engine", "latest"), [(each["component"], each["state"]) for each in told["components"]])
        text = self.run_verb("status").stdout
        self.assertIn("It is the current build.\n", text)
        self.assertIn(f"Edited:\n  {USERS}\nRemoved:\n  {AFK}\n", text)

    def test_update_and_rollback_tell_programs_what_they_did(self):
        told = json.loads(self.run_verb("--yes", "--json").stdout)
        self.assertEqual(told["status"], "done")
        self.assertIn({"action": "put", "path": LIBLIST}, told["changes"])
        self.assertEqual(json.loads(self.run_verb("--yes", "--json").stdout)["status"], "nothing_to_do")
        self.assertEqual(json.loads(self.run_verb("rollback", "--yes", "--json").stdout)["status"], "done")

        self.assertEqual(json.loads(self.run_verb("rollback", "--yes", "--json", status=1).stdout)["status"], "failed")


class Obstacles(TakeoverCase):
    @contextlib.contextmanager
    def mount_of_its_own(self, path):
        if os.getuid() != 0:
            self.skipTest("this needs root")
        source = self.here / "source"
        shutil.copy(self.folder / path, source)
        subprocess.run(["mount", "--bind", source, self.folder / path], check=True)
        try:
            yield
        finally:
            subprocess.run(["umount", self.folder / path], check=True)

    def test_a_file_that_is_a_mount_of_its_own_changes_nothing(self):
        self.update(BEFORE)
        before = files(self.folder)
        with self.mount_of_its_own(AFK):
            done = self.update(AFTER, status=1)
            self.assertIn(f"{AFK}: it is a mount of its own; nothing was changed", done.stderr)
            self.assertEqual(files(self.folder), before)
        self.update(AFTER)

    def test_a_commit_that_cannot_be_finished_is_undone_by_the_next_run(self):
        self.update(BEFORE)
        script = self.script(AFTER)
        before = files(self.folder)
        # The second change is the last thing that happens.
        command = ["strace", "-o", "/dev/null", "-e", "trace=syncfs,unlinkat,renameat", "-e", "inject=renameat:signal=KILL:when=5",
                   self.program(), "--service", self.stack.origin, "update", "--yes", "--selection", AFTER, self.folder]
        subprocess.run(command, env=self.environment, check=False, capture_output=True, stdin=subprocess.DEVNULL, timeout=TIMEOUT)
        self.assertTrue((self.folder / ".goldsmith/work/commit").exists())
        with self.mount_of_its_own("cstrike/addons/amxmodx/scripting/afk_watch.sma"):
            done = self.run_script(script, status=1)
            self.assertIn("The interrupted run was undone: cannot replace", done.stdout)
            self.assertEqual(files(self.folder), before)
        self.run_script(script)
        self.assertEqual(files(self.folder), self.archive(AFTER))


class Players(TakeoverCase):
    def test_a_rollback_waits_until_nobody_plays(self):
        counts = [2, 0]
        server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        server.bind(("127.0.0.1", 0))
        server.settimeout(TIMEOUT)
        asked = []

        def answer():
            with contextlib.suppress(OSError):
                while True:
                    question, client = server.recvfrom(2048)
                    asked.append(question)
                    if not question.endswith(b"1234"):
                        server.sendto(b"\xff\xff\xff\xffA1234", client)
                        continue
                    players = counts.pop(0) if len(counts) > 1 else counts[0]
                    server.sendto(b"\xff\xff\xff\xffI\x30name\0de_dust2\0cstrike\0game\0\x0a\0" + bytes([players + 1, 32, 1]) + b"dl\0\1", client)

        thread = threading.Thread(target=answer, daemon=True)
        thread.start()
        address = "127.0.0.1:%d" % server.getsockname()[1]
        done = self.run_verb("--yes", "--when-empty", "--address", address)
        self.assertIn("Waiting until no player is on the server: 2 now.\n", done.stdout)
        self.assertEqual(asked[0], b"\xff\xff\xff\xffTSource Engine Query\0")
        self.assertTrue((self.folder / LIBLIST).exists())
        counts[:] = [3]
        done = self.run_script(self.script(WITHOUT), "--yes", "--new-identities", "--when-empty", "--wait", "0", "--address", address, status=1)
        self.assertIn("players are on the server", done.stderr)
        server.close()

    def test_an_address_that_is_none_is_refused(self):
        for value in ("x", "1.2.3.4:0", "1.2.3:27015"):
            self.assertIn("--address takes", self.run_verb("--yes", "--address", value, status=2).stderr)


if __name__ == "__main__":
    UpdaterCase.stack = Stack(sys.argv.pop(1))
    unittest.main()

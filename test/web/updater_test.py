#!/usr/bin/python3
"""/server/update.sh of the stack, run with its real archives: updater_test.py STACK_FOLDER"""

import calendar
import hashlib
import io
import json
import os
import re
import shutil
import stat
import subprocess
import sys
import time
import unittest
import urllib.parse
import zipfile

from stack import Stack
from troubled_proxy import troubled
from updater_case import (AFK, AFTER, BEFORE, CONFIG, KEPT, LIBLIST, METAMOD, OTHER_USER, PRIVET, SMALL, SMALL_AFTER, TIMEOUT, USERS, UpdaterCase, files,
                          setUpModule, tearDownModule, tree)  # pylint: disable=unused-import # two are unittest's


class FirstInstallation(UpdaterCase):
    def test_an_empty_folder_gets_the_archive(self):
        done = self.update(BEFORE)
        self.assertEqual(files(self.folder), self.archive(BEFORE))
        self.assertEqual(sorted(os.listdir(self.folder / ".goldsmith")), ["last", "lock", "state"])
        self.assertIn(f"install  {LIBLIST}", done.stdout)
        self.assertEqual(done.stderr, "")
        engine = next(self.folder.rglob("engine_i486.so"))
        self.assertEqual(stat.S_IMODE(engine.stat().st_mode), stat.S_IMODE(next((self.here / f"archive-{abs(hash(BEFORE))}").rglob("engine_i486.so")).stat().st_mode))

    def test_files_have_the_times_of_their_versions(self):
        def get(path):
            return json.loads(self.stack.get("/v1/" + path)[2])

        def seconds(text):
            return calendar.timegm(time.strptime(text, "%Y-%m-%d %H:%M:%S"))

        self.environment["TZ"] = "America/Caracas"
        self.update(AFTER)
        plan = get("server-builder/resolve" + AFTER)
        chosen = {each["slug"]: each["version"] for each in plan["components"]}
        times = {each["slug"]: seconds(version["released_at"]) for each in get("server-builder/meta")["components"]
                 for version in each["versions"] if version["version"] == chosen.get(each["slug"])}
        newest = max(times.values())
        for each in plan["plugins"]:
            versions = {version["version"]: seconds(version["created_at"]) for version in get(f"plugins/{each['slug']}")["plugin"]["versions"]}
            times["plugin:" + each["slug"]] = versions[each["version"]]
        for file in plan["files"]:
            modified = (self.folder / file["path"]).stat().st_mtime
            with self.subTest(path=file["path"]):
                if file["origin"] == "upstream" or file["path"].endswith(".sma"):
                    self.assertEqual(modified, times[file["from"]])
                elif file["origin"] in ("edited", "generated"):
                    self.assertTrue(0 <= max(newest, *times.values()) - modified < 3600 or 0 <= newest - modified < 3600)

    def test_a_base_game_is_kept_where_it_is_replaced(self):
        self.write(LIBLIST, b"the base game's\n")
        self.write("cstrike/maps/de_dust.bsp", b"map")
        self.write("hlds_run", b"run")
        self.update(BEFORE)
        self.assertEqual(files(self.folder), {**self.archive(BEFORE), "cstrike/maps/de_dust.bsp": b"map", "hlds_run": b"run"})
        self.assertEqual(files(self.folder / ".goldsmith/original"), {LIBLIST: b"the base game's\n"})

    def test_what_the_base_game_lacks_is_said_before_it_is_done(self):
        game = ("hlds_run", "libsteam_api.so", "valve/gfx.wad", "cstrike/maps/de_dust2.bsp")
        dry, done = self.run_script(self.script(BEFORE), "--dry-run").stdout, self.update(BEFORE).stdout
        for output in (dry, done):
            told = f"It lacks {', '.join(game)}.\n{self.stack.origin}/#begin says how SteamCMD installs it.\n"
            self.assertIn(told, output)
            self.assertLess(output.index(told), output.rindex("Nothing was changed" if output is dry else "Done: "))
        self.write(game[0], b"run")
        self.assertIn(f"It lacks {', '.join(game[1:])}.\n", self.update(AFTER).stdout)
        for path in game[1:]:
            self.write(path, b"the game's")
        self.assertNotIn("base game", self.update(BEFORE).stdout)

    def test_configuration_that_exists_stays_with_the_new_one_beside_it(self):
        archive = self.archive(BEFORE)
        mine = {USERS: b"my admins\n", CONFIG: b"my settings\n", "cstrike/addons/amxmodx/configs/sql.cfg": b"mine, not shipped\n"}
        lists = {METAMOD: b"linux mine.so\n", "cstrike/addons/amxmodx/plugins/map_clock.amxx": b"old"}
        for path, content in {**mine, **lists}.items():
            self.write(path, content)
        summary = (f"Your configuration stays as it is, and the new one is beside it, with .new behind its name:\n  {CONFIG}\n  {USERS}\n"
                   f"Replaced, because the build does not load without its own; yours is in {self.folder}/.goldsmith/original:\n"
                   "  cstrike/addons/metamod/plugins.ini\n")
        self.assertIn(summary, self.run_script(self.script(BEFORE), "--dry-run").stdout)
        self.assertIn(summary, self.update(BEFORE).stdout)
        news = {path + ".new": archive[path] for path in (USERS, CONFIG)}
        merged = {METAMOD: archive[METAMOD] + b"linux mine.so\n"}
        self.assertEqual(files(self.folder), {**archive, **mine, **news, **merged})
        self.assertEqual(files(self.folder / ".goldsmith/original"), lists)
        self.assertIn("Nothing to do", self.update(BEFORE).stdout)
        self.update(AFTER)
        self.assertEqual({path: self.read(path) for path in mine}, mine)

    def test_a_service_without_a_list_of_configuration_has_none_replaced(self):
        self.write(USERS, b"my admins\n")
        with troubled(self.stack, **{"configuration.txt": ["missing"]}) as proxy:
            self.assertIn(f"  {USERS}\n", self.run_script(self.script(BEFORE, proxy.url)).stdout)
        self.assertEqual(self.read(USERS), b"my admins\n")

    def test_configuration_that_an_earlier_script_replaced_is_named(self):
        self.update(BEFORE)
        self.write(".goldsmith/original/" + USERS, b"my admins\n")
        self.write(".goldsmith/original/" + LIBLIST, b"the base game's\n")
        lines = f"It is in {self.folder}/.goldsmith/original: copy back what\nyou want to have, and it stays, or remove it there.\n  {USERS}\n"
        self.assertIn(lines + "Nothing to do", self.update(BEFORE).stdout)
        self.assertIn(lines + "Done", self.update(AFTER).stdout)
        self.write(USERS, b"my admins\n")
        self.update(BEFORE)
        self.assertEqual(self.read(USERS), b"my admins\n")
        self.assertNotIn(USERS, self.update(BEFORE).stdout)

    def test_a_version_that_is_held_is_named_to_those_who_pin_it(self):
        pinned = "?components=anvil-engine@3.2.0"
        self.stack.goldsmith("component", "hold", "anvil-engine", "3.2.0", "--reason", "It crashes.")
        self.addCleanup(self.stack.goldsmith, "component", "release", "anvil-engine", "3.2.0")
        time.sleep(2.1)
        told = (f"Held by {self.stack.origin}, which recommends not to use it: anvil-engine 3.2.0.\n"
                f"{self.stack.origin}/server{pinned} says why.\n")
        self.assertIn(told + "Done", self.update(pinned).stdout)
        self.assertIn(told + "Nothing to do", self.update(pinned).stdout)
        self.assertNotIn("Held by", self.update("?components=anvil-engine").stdout)

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
        self.use_only_busybox_and_curl()
        self.update(BEFORE)
        self.assertEqual(files(self.folder), self.archive(BEFORE))
        self.write(USERS, b"mine\n")
        self.update(AFTER)
        self.assertEqual(files(self.folder), {**self.archive(AFTER), USERS: b"mine\n"})


class Languages(UpdaterCase):
    def test_it_speaks_the_language_of_its_download(self):
        script = self.script(BEFORE + "&lang=pl")
        self.write(USERS, b"my admins\n")
        shown = self.run_script(script, "--dry-run").stdout
        self.assertIn(f"  instaluję  {LIBLIST}\n", shown)
        self.assertIn(f"Twoja konfiguracja zostaje taka, jaka jest, a nowa leży obok, z .new na końcu nazwy:\n  {USERS}\n", shown)
        self.assertTrue(shown.endswith("Nic nie zostało zmienione: to była tylko próba.\n"), shown)
        done = self.run_script(script)
        self.assertRegex(done.stdout, r"Gotowe: build [0-9a-f]{64} jest zainstalowany\.\n$")
        self.assertEqual(files(self.folder), {**self.archive(BEFORE), USERS: b"my admins\n", USERS + ".new": self.archive(BEFORE)[USERS]})
        self.assertIn("Nie ma nic do zrobienia: build ", self.run_script(script).stdout)
        self.assertIn("update.sh: nieznana opcja --wrong\n\n", self.run_script(script, "--wrong", status=2).stderr)

    def test_whoever_runs_it_may_speak_another_one(self):
        script = self.script(SMALL + "&lang=pl")
        self.environment["LANG"] = "en_US.UTF-8"
        self.assertIn("Nothing was changed: this was a dry run.\n", self.run_script(script, "--dry-run").stdout)
        self.assertEqual(self.run_script(script, "--help").stdout, self.run_script(self.script(SMALL), "--help").stdout)
        self.environment["LANG"] = "pl_PL.UTF-8"
        self.assertIn("tylko próba", self.run_script(script, "--dry-run").stdout)
        self.assertIn("dry run", self.run_script(self.script(SMALL), "--dry-run").stdout)

    def test_so_does_it_as_the_owner_of_the_folder(self):
        self.give_to_other_user(self.folder)
        script = self.script(SMALL + "&lang=pl")
        self.assertIn("Gotowe: build ", self.run_script(script).stdout)
        self.environment["LANG"] = "en_US.UTF-8"
        self.assertIn("Nothing to do: build ", self.run_script(script).stdout)

    def test_translated_messages_need_nothing_but_busybox(self):
        self.use_only_busybox_and_curl()
        self.assertIn("Gotowe: build ", self.run_script(self.script(SMALL + "&lang=pl")).stdout)

    def test_a_download_without_a_language_is_in_that_of_the_client(self):
        _, headers, body = self.stack.get("/server/update.sh" + SMALL, {"Accept-Language": "pl"})
        self.assertIn(b"\nlanguage='pl'\n", body)
        self.assertEqual(headers["Vary"], "Accept-Encoding, Accept-Language")
        _, headers, body = self.stack.get("/server/update.sh" + SMALL + "&lang=pl", {"Accept-Language": "ru"})
        self.assertIn(b"\nlanguage='pl'\n", body)
        self.assertEqual(headers["Vary"], "Accept-Encoding")
        self.assertIn(b"\nlanguage='en'\n", self.stack.get("/server/update.sh" + SMALL)[2])


class PartialArchives(UpdaterCase):
    def partial(self, base, wanted):
        status, headers, body = self.stack.get(f"/v1/server-builder/download{wanted}&from={base}")
        self.assertEqual(status, 200, body)
        return headers, zipfile.ZipFile(io.BytesIO(body))

    def test_it_has_what_differs_and_is_named_by_the_list(self):
        base, wanted = self.known_build(BEFORE), self.known_build(AFTER)
        before, after = self.archive(BEFORE), self.archive(AFTER)
        headers, archive = self.partial(base, AFTER)
        content = {name: archive.read(name) for name in archive.namelist()}
        self.assertEqual(content, {path: each for path, each in after.items() if before.get(path) != each})
        self.assertTrue(0 < len(content) < len(after))
        self.assertEqual(headers["X-Svc-Build-Hash"], wanted)
        checksums = self.stack.get("/server/checksums.txt" + AFTER)[2]
        name = hashlib.sha256(f"goldsmith partial archive 1\nfrom {base}\nto {wanted}\n".encode() + checksums).hexdigest()
        self.assertEqual(archive.comment.decode()[-64:], name)
        self.assertEqual(headers["Content-Disposition"], f'attachment; filename="cs16-update-{name[:12]}.zip"')
        self.assertEqual(self.stack.get(f"/archives/{name}.zip")[2], self.stack.get(f"/v1/server-builder/download{AFTER}&from={base}")[2])

    def test_a_partial_archive_may_be_empty(self):
        self.assertEqual(self.partial(self.known_build(SMALL), SMALL)[1].namelist(), [])

    # Builds that nothing else asks for.
    CHAIN = tuple(BEFORE.partition("&")[0] + rest for rest in (
        "&plugins=afk-watch@1.0", "&plugins=afk-watch@1.0,privet", "&plugins=privet&optimized=1", "&plugins=afk-watch@1.0,map-clock&optimized=1"))

    def test_a_build_that_was_handed_out_in_part_is_a_base(self):
        chain = [selection.replace(",amber-platform", ",amber-platform,quarry-api") for selection in self.CHAIN]
        status, headers, body = self.stack.get("/v1/server-builder/download" + chain[0])
        self.assertEqual(status, 200)
        whole = zipfile.ZipFile(io.BytesIO(body))
        have = {name: whole.read(name) for name in whole.namelist()}
        for selection in [*chain[1:], chain[0]]:
            headers, part = self.partial(headers["X-Svc-Build-Hash"], selection)
            have |= {name: part.read(name) for name in part.namelist()}
            listed = [line.split("  ", 1) for line in self.stack.get("/server/checksums.txt" + selection)[2].decode().splitlines()]
            self.assertEqual([hashlib.sha256(have[path]).hexdigest() for _, path in listed], [digest for digest, _ in listed])

    def test_successive_updates_download_only_what_changed(self):
        for number, selection in enumerate([*self.CHAIN, self.CHAIN[0]]):
            done = self.update(selection)
            self.assertEqual(("Downloading what changed.\n" in done.stdout, "Downloading.\n" in done.stdout), (number > 0, number == 0), done.stdout)
        self.assertEqual(files(self.folder), self.archive(self.CHAIN[0]))

    def test_a_list_of_checksums_makes_its_build_a_base(self):
        selection = self.CHAIN[0].replace("anvil-engine", "anvil-engine@3.1.4")
        base = self.stack.get("/server/checksums.txt" + selection)[1]["X-Svc-Build-Hash"]
        self.partial(base, self.CHAIN[0])
        self.assertIn(b'"archive_sha256":""', self.stack.get("/v1/server-builder/resolve" + selection)[2])

    def test_a_partial_archive_is_no_base(self):
        self.known_build(f"{AFTER}&from={self.known_build(BEFORE)}")
        name = self.partial(self.known_build(BEFORE), AFTER)[1].comment.decode()[-64:]
        self.assertEqual(self.stack.get(f"/v1/server-builder/download{SMALL}&from={name}")[0], 404)

    def test_an_update_downloads_what_changed(self):
        self.update(BEFORE)
        self.known_build(BEFORE)
        done = self.update(AFTER)
        self.assertIn("Downloading what changed.\n", done.stdout)
        self.assertNotIn("Downloading.\n", done.stdout)
        self.assertEqual(files(self.folder), self.archive(AFTER))

    def test_what_is_gone_needs_no_file(self):
        self.update(SMALL_AFTER)
        self.known_build(SMALL_AFTER)
        self.write(METAMOD, b"edited\n")
        gone = {path for path in self.archive(SMALL_AFTER) if path not in self.archive(SMALL)}
        self.update(SMALL)
        self.assertFalse(gone & set(files(self.folder)))

    def test_the_whole_archive_is_the_way_out(self):
        for is_known in (True, False):
            with self.subTest(is_known=is_known), troubled(self.stack, download=[] if is_known else ["whole"]) as proxy:
                shutil.rmtree(self.folder)
                self.folder.mkdir()
                self.update(BEFORE)
                self.known_build(BEFORE)
                script = self.script_through(proxy, AFTER)
                if is_known:  # but not the build
                    state = self.read(".goldsmith/state")
                    self.write(".goldsmith/state", re.sub(rb"\nbuild ....", b"\nbuild 0000", state))
                done = self.run_script(script)
                self.assertIn("Downloading what changed.\n", done.stdout)
                self.assertEqual(done.stderr, "")
                self.assertEqual(files(self.folder), self.archive(AFTER))

    def test_what_did_not_change_comes_with_the_whole_archive(self):
        engine = next(path for path in self.archive(BEFORE) if path.endswith("engine_i486.so"))
        self.write(engine, b"the base game's\n")
        self.update(BEFORE)
        self.known_build(BEFORE)
        self.write(engine, b"the base game's\n")
        done = self.update(AFTER)
        self.assertIn("Downloading.\n", done.stdout)
        self.assertEqual(files(self.folder), self.archive(AFTER))


class Secrets(UpdaterCase):
    WITH = "?components=anvil-engine,forge-gamedll,hearth-loader,lantern-auth"
    FILE = "cstrike/addons/lantern/lantern.cfg"

    def salt(self):
        lines = [line for line in self.read(self.FILE).split(b"\r\n") if line.startswith(b"IdHashSalt =")]
        self.assertEqual(len(lines), 1)
        return lines[0].removeprefix(b"IdHashSalt =").strip()

    def test_a_new_file_gets_one_that_every_update_keeps(self):
        done = self.update(self.WITH)
        salt = self.salt()
        self.assertRegex(salt, rb"^[A-Za-z0-9]{32}$")
        self.assertEqual(self.read(self.FILE), self.archive(self.WITH)[self.FILE].replace(b"IdHashSalt =", b"IdHashSalt = " + salt))
        self.assertIn(f"keep a copy:\n  IdHashSalt in {self.FILE}\nrcon_password is not set in cstrike/server.cfg.", done.stdout)
        self.assertNotIn(salt.decode(), done.stdout + done.stderr)
        self.assertFalse([path for path, content in tree(self.folder / ".goldsmith").items() if salt in (content or b"")])
        self.assertEqual(self.update(self.WITH.replace("lantern-auth", "lantern-auth@0.9.0")).stdout.count("IdHashSalt"), 0)
        self.assertEqual(self.salt(), salt)
        shutil.rmtree(self.folder)
        self.folder.mkdir()
        self.update(self.WITH)
        self.assertNotEqual(self.salt(), salt)

    def test_what_the_owner_has_stays(self):
        self.write(self.FILE, b"IdHashSalt =\r\n")
        self.write("cstrike/server.cfg", b'hostname "x"\n  rcon_password "x"\n')
        done = self.update(self.WITH)
        self.assertEqual(self.read(self.FILE), b"IdHashSalt =\r\n")
        self.assertNotIn("rcon_password", done.stdout)

    def test_what_lies_in_the_place_of_a_suggestion_is_not_read(self):
        os.makedirs(self.folder / "cstrike")
        os.mkfifo(self.folder / "cstrike/server.cfg")
        self.assertIn("rcon_password is not set", self.update(self.WITH).stdout)


class Update(UpdaterCase):
    def test_nothing_is_done_if_the_build_is_installed(self):
        self.update(BEFORE)
        with troubled(self.stack) as proxy:
            script = self.script_through(proxy, BEFORE)
            before = tree(self.folder)
            self.assertIn("Nothing to do", self.run_script(script).stdout)
            self.assertEqual(proxy.asked, [("goldsmith-keeper", None), ("checksums.txt", None)])
        self.assertEqual(tree(self.folder), before)

    def test_each_file_is_updated_by_the_rule(self):
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

    def test_a_plugin_that_is_left_out_stays_and_is_loaded_until_it_is_chosen_away(self):
        before, without = self.archive(BEFORE), BEFORE.replace("afk-watch,", "")
        self.update(BEFORE)
        self.stack.goldsmith("plugin", "unpublish", "afk-watch")
        try:
            time.sleep(2.1)
            done = self.update(BEFORE)
            kept = {path: before[path] for path in before if path not in self.archive(without)}
            self.assertIn(AFK, kept)
            expected = {**self.archive(without), **kept, KEPT: b"afk_watch.amxx\n"}
            self.assertEqual(files(self.folder), expected)
            self.assertIn("  keep     plugin afk-watch (left out of this build: The directory has no such plugin.)\n", done.stdout)
            self.assertNotIn("remove ", done.stdout)
            self.assertIn("Nothing to do", self.update(BEFORE).stdout)
            self.update(BEFORE + "&optimized=1")
            tuned = self.archive(without + "&optimized=1")
            self.assertEqual(files(self.folder), {**tuned, **kept, KEPT: b"afk_watch.amxx\n"})
        finally:
            self.stack.goldsmith("plugin", "publish", "afk-watch")
            time.sleep(2.1)
        self.assertIn(f"remove   {AFK}", self.update(without + "&optimized=1").stdout)
        self.assertEqual(files(self.folder), tuned)

    def test_a_plugin_that_comes_back_is_that_of_the_build(self):
        self.update(BEFORE)
        self.stack.goldsmith("plugin", "unpublish", "afk-watch")
        try:
            time.sleep(2.1)
            self.update(BEFORE)
        finally:
            self.stack.goldsmith("plugin", "publish", "afk-watch")
            time.sleep(2.1)
        self.update(BEFORE)
        self.assertEqual(files(self.folder), self.archive(BEFORE))

    def test_without_a_word_about_plugins_none_that_the_selection_names_is_removed(self):
        self.update(BEFORE)
        state = self.folder / ".goldsmith/state"
        known = state.read_text()
        forgotten = "".join(line + "\n" for line in known.splitlines() if not line.startswith(("owners", "file ")))
        self.stack.goldsmith("plugin", "unpublish", "afk-watch")
        self.addCleanup(time.sleep, 2.1)
        self.addCleanup(self.stack.goldsmith, "plugin", "publish", "afk-watch")
        time.sleep(2.1)
        for content in (known, forgotten):  # of this program, of an older script
            state.write_text(content)
            with troubled(self.stack, **{"plugins.txt": ["missing"]}) as proxy:  # an older service
                self.run_script(self.script_through(proxy, BEFORE))
            self.assertIn(AFK, files(self.folder))
            self.assertEqual(self.read(KEPT), b"afk_watch.amxx\n")

    def test_what_steamcmd_puts_back_is_replaced_again(self):
        engine, plugin = "engine_i486.so", "cstrike/addons/amxmodx/plugins/map_clock.amxx"
        base_game = {LIBLIST: b"the base game's\n", engine: b"Valve's", plugin: b"the owner's"}
        for path, content in base_game.items():
            self.write(path, content)
        self.update(BEFORE)
        for path, content in base_game.items():
            self.write(path, content)
        before = files(self.folder)
        shown = self.run_script(self.script(BEFORE), "--dry-run").stdout
        self.assertIn(f"replace  {LIBLIST}", shown)
        self.assertIn(f"keep     {plugin} (edited here)", shown)
        self.assertEqual(files(self.folder), before)
        self.update(BEFORE)
        self.assertEqual(files(self.folder), {**self.archive(BEFORE), plugin: b"the owner's"})
        self.assertIn("Nothing to do", self.update(BEFORE).stdout)
        self.assertEqual(files(self.folder / ".goldsmith/original"), base_game)

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
        self.give_to_other_user(self.folder)
        os.chown(self.folder, OTHER_USER, OTHER_USER + 1)
        self.update(SMALL)
        self.update(SMALL_AFTER)
        owners = {(path.stat().st_uid, path.stat().st_gid) for path in self.folder.rglob("*")}
        self.assertEqual(owners, {(OTHER_USER, OTHER_USER + 1)})

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
        address = done.stdout.splitlines()[-1].removeprefix("What changes, with release notes: ")
        self.known_build(BEFORE)
        status, _, page = self.stack.get(address.removeprefix(self.stack.origin))
        self.assertEqual(status, 200, address)
        self.assertIn(b'<a href="/plugins/privet">', page)
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
        state = self.folder / ".goldsmith/state"
        state.write_bytes(state.read_bytes().replace(self.stack.origin.encode(), b"https://elsewhere.example"))
        self.refused(self.script(SMALL_AFTER), "is from another service: https://elsewhere.example")

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
        self.refused(self.script(SMALL), "was not made by this script")

    def test_without_a_terminal_it_asks_for_the_option_yes(self):
        self.refused(self.script(SMALL), "give --yes", arguments=["--"])

    def test_two_runs_at_once(self):
        self.update(SMALL)
        with subprocess.Popen(["flock", self.folder / ".goldsmith/lock", "cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
            holder.stdin.write(b"x")
            holder.stdin.flush()
            self.refused(self.script(SMALL_AFTER), "another run is at work")
            holder.stdin.close()

    def test_wrong_usage_of_the_updater_is_refused(self):
        script = self.script(SMALL)
        for arguments in (["--no"], ["one"], ["--yes", "one", "two"]):
            self.refused(script, "Usage:", status=2, arguments=arguments)
        done = subprocess.run(["dash", script], env=self.environment, text=True, capture_output=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        done = subprocess.run(["dash", script, "--help"], env=self.environment, text=True, capture_output=True, check=True)
        self.assertIn("Exit status:", done.stdout)
        self.refused(script, "there is no folder", status=1, folder=self.here / "nothing")

    def test_a_selection_that_became_impossible(self):
        script = self.script(SMALL)
        script.write_bytes(script.read_bytes().replace(b"components=forge-gamedll", b"components=nothing"))
        self.refused(script, "error: invalid_selection\n", status=1)


class Script(UpdaterCase):
    def test_shellcheck_finds_nothing(self):
        subprocess.run(["shellcheck", "--shell", "sh", self.script(AFTER)], check=True)

    def test_nothing_of_a_client_is_a_command(self):
        for hostile in ("x';touch pwned;'", '"$(touch pwned)"', "`touch pwned`", "x\n touch pwned\n", "\\';touch pwned #", "@selection@", "=@service@\n"):
            script = self.script("?components=forge-gamedll&plugins=" + urllib.parse.quote(hostile))
            done = subprocess.run(["dash", script, "--help"], cwd=self.here, env=self.environment, text=True, capture_output=True, check=True)
            self.assertTrue(done.stdout.startswith("Usage:"))
            self.assertFalse((self.here / "pwned").exists(), hostile)
            [line] = [line for line in script.read_text(encoding="utf-8").splitlines() if line.startswith("selection=")]
            self.assertRegex(line, r"\Aselection='[A-Za-z0-9%=&,@._~-]*'\Z")

    def test_it_says_what_the_service_does_not_know(self):
        done = self.run_script(self.script(SMALL + "&buidl=1&lang=en"), "--dry-run")
        self.assertEqual(done.stderr, "update.sh: the service does not know these parameters of the address of this script: buidl\n")

    def test_what_is_not_pinned_follows_the_latest(self):
        text = self.script("?optimized=yes&plugins=b,a&components=forge-gamedll,anvil-engine@3.2.0").read_text(encoding="utf-8")
        self.assertIn("\nselection='components=anvil-engine@3.2.0,forge-gamedll&plugins=a,b&optimized=1'\n", text)
        self.assertIn("\nselection=''\n", self.script("").read_text(encoding="utf-8"))


if __name__ == "__main__":
    UpdaterCase.stack = Stack(sys.argv.pop(1))
    unittest.main()

#!/usr/bin/python3
"""The recipes of the stack, run with its real archives and a stand-in for SteamCMD:
recipes_test.py STACK_FOLDER TOOLS_FOLDER"""

import html
import io
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tarfile
import unittest
import urllib.parse
import zipfile

import yaml

from stack import Stack
from troubled_proxy import troubled
from updater_case import (AFTER, BEFORE, CONFIG, GAME, LIBLIST, OTHER_USER, PRIVET, SMALL, SMALL_AFTER, TIMEOUT, USERS, UpdaterCase, files,
                          setUpModule, tearDownModule)  # pylint: disable=unused-import # two are unittest's

# BEFORE in the order that the service gives it.
SORTED = "?components=amber-platform,anvil-engine,forge-gamedll,hearth-loader&plugins=afk-watch,map-clock"
GFX = "valve/gfx.wad"
START = "goldsmith-start.sh"
SETTINGS = "cstrike/goldsmith-start.cfg"
BASE_GAME = {"hlds_run": b"#!/bin/sh\nprintf '%s\\n' \"$@\" >started\n", "hlds_linux": b"Valve's", "libsteam_api.so": b"x", GFX: b"pictures",
             LIBLIST: b"the base game's\n", "cstrike/maps/de_dust2.bsp": b"map"}
# Takes three attempts, as SteamCMD does with this game: it fails, then leaves out a file, then is done. Its own arguments are its record.
STEAMCMD = """#!/bin/sh
set -eu
printf '%s\\n' "$*" >>"$TMPDIR/steamcmd-runs"
printf '%s\\n' "$(id -u)" "$0" "$HOME" >"$TMPDIR/steamcmd-ran-as"
[ "$1" = +force_install_dir ]
cd "$2"
if [ ! -e steamapps/first ]; then touch steamapps/first; exit 8; fi
cp -a "$TMPDIR/base-game/." .
if [ ! -e steamapps/second ]; then touch steamapps/second; rm -f valve/gfx.wad; fi
"""
STEAMCMD_URL = "https://steamcdn-a.akamaihd.net/client/installer/steamcmd_linux.tar.gz"
# The one file that is not the service's.
CURL = """#!/bin/sh
set -eu
for url; do :; done
[ "$url" = @url@ ] || exec /usr/bin/curl "$@"
while [ "$1" != -o ]; do shift; done
cp "$TMPDIR/steamcmd.tar.gz" "$2"
printf 200
"""


class RecipeCase(UpdaterCase):
    tools_folder = None

    def setUp(self):
        super().setUp()
        for path, content in BASE_GAME.items():
            self.write(path, content, self.here / "base-game")
        (self.here / "base-game/hlds_run").chmod(0o755)
        with tarfile.open(self.here / "steamcmd.tar.gz", "w:gz") as archive:
            for path, content in (("steamcmd.sh", STEAMCMD.encode()), ("linux32/steamclient.so", b"steam's")):
                member = tarfile.TarInfo(path)
                member.size, member.mode = len(content), 0o755
                archive.addfile(member, io.BytesIO(content))
        self.tools = self.here / "tools"
        self.tools.mkdir()
        self.tool("curl", CURL.replace("@url@", STEAMCMD_URL))
        self.environment["PATH"] = f"{self.tools}:{os.environ['PATH']}"

    def tool(self, name, text):
        (self.tools / name).write_text(text, encoding="utf-8")
        (self.tools / name).chmod(0o755)

    def get(self, name, selection, status=200):
        answered, headers, body = self.stack.get(f"/server/{name}{selection}")
        self.assertEqual(answered, status, body)
        self.assertRegex(headers["X-Svc-Build-Hash"], "^[0-9a-f]{64}$")
        return body.decode("utf-8")

    def run_text(self, script, status=0, environment=None, shell=("dash",), arguments=()):
        path = self.here / "script.sh"
        path.write_text(script, encoding="utf-8")
        done = subprocess.run([*shell, path, *arguments], env={**self.environment, **(environment or {})}, cwd=self.here, text=True,
                              capture_output=True, timeout=TIMEOUT, check=False, stdin=subprocess.DEVNULL)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done

    def steamcmd_runs(self):
        record = self.here / "steamcmd-runs"
        return record.read_text(encoding="utf-8").splitlines() if record.exists() else []

    def expected(self, selection):
        """A folder with the base game and the selection over it."""
        return {**BASE_GAME, **self.archive(selection)}

    def found(self):
        own = ("steamapps/", ".steam/")
        return {path: content for path, content in files(self.folder).items() if not path.startswith(own)}


class Egg(RecipeCase):
    def egg(self, selection=BEFORE):
        return json.loads(self.get("egg.json", selection))

    def script(self, selection=BEFORE, service=None):
        text = self.egg(selection)["scripts"]["installation"]["script"].replace("folder='/mnt/server'", f"folder='{self.folder}'")
        self.assertIn(str(self.folder), text)
        return text.replace(self.stack.origin, service) if service else text

    def install(self, text, **options):
        return self.run_text(text, shell=("bash",), **options)

    def test_the_format_is_that_of_the_panels(self):
        """The rules of Pterodactyl's models Egg and EggVariable, and what Pelican's importer reads."""
        egg = self.egg()
        self.assertEqual(egg["meta"]["version"], "PTDL_v2")
        self.assertRegex(egg["author"], r"^[^@\s]+@[^@\s/:]+$")
        self.assertLessEqual(len(egg["name"]), 191)
        self.assertRegex(egg["uuid"], "^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$")
        self.assertTrue(egg["docker_images"])
        for name, image in egg["docker_images"].items():
            self.assertRegex(name + "|" + image, r"^[\w#\.\/\- :]*\|?~?[\w\.\/\-:@ ]*$")
            self.assertRegex(image, r"^[\w#\.\/\- ]*\|?~?[\w\.\/\-:@ ]*$")
        self.assertEqual((type(egg["features"]), egg["file_denylist"]), (list, []))
        self.assertEqual(set(egg["config"]), {"files", "logs", "startup", "stop"})
        for name in ("files", "logs", "startup"):
            self.assertIsInstance(json.loads(egg["config"][name]), dict)
        self.assertEqual(set(egg["scripts"]["installation"]), {"script", "container", "entrypoint"})
        names = [each["env_variable"] for each in egg["variables"]]
        self.assertEqual(len(names), len(set(names)))
        self.assertFalse(set(names) & {"SERVER_MEMORY", "SERVER_IP", "SERVER_PORT", "ENV", "HOME", "USER", "STARTUP", "SERVER_UUID", "UUID"})
        for each in egg["variables"]:
            self.assertEqual({name: type(value) for name, value in each.items()},
                             {"name": str, "description": str, "env_variable": str, "default_value": str, "rules": str, "field_type": str,
                              "user_viewable": bool, "user_editable": bool})
            self.assertRegex(each["env_variable"], r"^\w{1,191}$")
            self.assertEqual(each["field_type"], "text")
        self.assertEqual(set(re.findall(r"{{(\w+)}}", egg["startup"])) - set(names), {"SERVER_PORT"})
        self.assertLess(len(egg["scripts"]["installation"]["script"]), 65_536)  # a column of Pterodactyl's
        # The images start SteamCMD unless this is 0.
        self.assertEqual([each["default_value"] for each in egg["variables"] if each["env_variable"] == "AUTO_UPDATE"], ["0"])
        self.assertNotIn("SRCDS_APPID", names)

    def test_the_update_url_gives_the_egg_again(self):
        for selection in ("", BEFORE, AFTER):
            with self.subTest(selection=selection):
                egg = self.egg(selection)
                url = egg["meta"]["update_url"]
                self.assertTrue(url.startswith(self.stack.origin + "/server/egg.json"))
                self.assertEqual(url.rsplit(".", 1)[1], "json")  # where Pelican looks for the format
                self.assertEqual(json.loads(self.stack.get(url[len(self.stack.origin):])[2]), egg)
        self.assertNotEqual(self.egg(AFTER)["uuid"], self.egg(BEFORE)["uuid"])

    def test_the_link_is_a_variable_that_takes_only_links_of_the_service(self):
        link = self.egg()["variables"][0]
        self.assertEqual((link["env_variable"], link["default_value"]), ("SHARE_LINK", f"{self.stack.origin}/server{SORTED}"))
        rules = link["rules"].split("|")
        self.assertEqual(rules[:2], ["required", "string"])
        self.assertTrue(rules[2].startswith("regex:/^") and rules[2].endswith("\\z/"), rules)
        pattern = re.compile(rules[2][len("regex:/"):-1].replace("\\z", "\\Z"))
        for query in ("", BEFORE, AFTER, "?components=a@1.2-3,b&optimized=1", "?plugins=%D1%84"):
            self.assertTrue(pattern.search(f"{self.stack.origin}/server{query}"), query)
        for wrong in ("https://elsewhere.example/server", f"{self.stack.origin}/server?a\n", f"{self.stack.origin}/server?$(x)",
                      f"x{self.stack.origin}/server", f"{self.stack.origin}/serverx", f"{self.stack.origin}/server/../x"):
            self.assertFalse(pattern.search(wrong), wrong)

    def test_the_script_installs_base_game_and_selection(self):
        done = self.install(self.script())
        self.assertEqual({**self.found(), START: b""}, {**self.expected(BEFORE), START: b""})
        self.assertEqual((self.folder / ".steam/sdk32/steamclient.so").read_bytes(), b"steam's")
        self.assertIn("not complete: it lacks hlds_run hlds_linux", done.stdout)
        self.assertIn(f"not complete: it lacks {GFX}. Attempt 3 of 10", done.stdout)
        self.assertEqual(self.steamcmd_runs(), [f"+force_install_dir {self.folder} +login anonymous +app_set_config 90 mod cstrike "
                                                "+app_update 90 -beta steam_legacy validate +quit"] * 3)
        user, program, home = (self.here / "steamcmd-ran-as").read_text(encoding="utf-8").splitlines()
        self.assertEqual((user, program), (str(os.getuid()), f"{home}/steamcmd/steamcmd.sh"))
        self.assertTrue(home.startswith(f"{self.here}/install-"))
        self.assertFalse(os.path.exists(home))

    def test_a_later_run_updates_and_keeps_what_was_edited(self):
        self.install(self.script())
        self.write(USERS, b"mine\n")
        done = self.install(self.script(), environment={"SHARE_LINK": f"{self.stack.origin}/server{AFTER}"})
        self.assertEqual({**self.found(), USERS: b"", START: b""}, {**self.expected(AFTER), USERS: b"", START: b""})
        self.assertEqual(self.read(USERS), b"mine\n")
        self.assertIn(f"install  {PRIVET}", done.stdout)
        self.assertEqual(len(self.steamcmd_runs()), 3)  # all of the first run

    def test_a_download_that_breaks_off_is_resumed(self):
        with troubled(self.stack, download=["cut", "cut"]) as proxy:
            self.install(self.script(service=proxy.url))
            ranges = [wanted for name, wanted in proxy.asked if name == "download"]
        self.assertEqual([bool(wanted) for wanted in ranges], [False, True, True])
        self.assertEqual({**self.found(), START: b""}, {**self.expected(BEFORE), START: b""})

    def test_a_wrong_checksum_is_refused(self):
        with troubled(self.stack, download=["damaged"]) as proxy:
            script = self.script(service=proxy.url)
            self.assertIn("nothing was changed", self.install(script, status=1).stderr)
            self.assertEqual(self.found(), BASE_GAME)
            self.install(script)
        self.assertEqual({**self.found(), START: b""}, {**self.expected(BEFORE), START: b""})

    def test_a_link_of_another_service_is_refused(self):
        for link in ("https://elsewhere.example/server", f"{self.stack.origin}/server@elsewhere.example/", f"{self.stack.origin}.example/server"):
            self.assertIn("SHARE_LINK must be", self.install(self.script(), status=3, environment={"SHARE_LINK": link}).stderr)
        self.assertEqual(os.listdir(self.folder), [])

    def test_a_base_game_that_stays_incomplete_is_an_error(self):
        for name in (GFX, "cstrike/maps/de_dust2.bsp"):
            (self.here / "base-game" / name).unlink()
        self.assertIn(f"did not install the base game in 10 attempts: it lacks {GFX} cstrike/maps/de_dust2.bsp; try again later",
                      self.install(self.script(), status=1).stderr)
        self.assertEqual(len(self.steamcmd_runs()), 10)
        self.assertFalse((self.folder / ".goldsmith").exists())

    def test_an_impossible_selection_says_why(self):
        done = self.install(self.script(), status=1, environment={"SHARE_LINK": f"{self.stack.origin}/server?components=nothing"})
        self.assertIn("error: invalid_selection\n", done.stderr)
        self.assertIn("answered 422", done.stderr)


class EggStart(RecipeCase):
    """What a panel runs when a server is started."""

    script, egg, install = Egg.script, Egg.egg, Egg.install

    def setUp(self):
        super().setUp()
        self.install(self.script(SMALL))

    def start(self, status=0, service=None, **variables):
        """As the image's entry point does: the variables are its environment."""
        egg = self.egg(SMALL)
        for path in (self.folder / "started", self.folder / SETTINGS):
            path.unlink(missing_ok=True)
        text = self.read(START).decode()
        for old, new in (("folder=/home/container", f"folder={self.folder}"), ("folder='/home/container'", f"folder='{self.folder}'"),
                         *([(self.stack.origin, service)] if service else [])):
            text = text.replace(old, new)
        (self.folder / START).write_text(text, encoding="utf-8")
        given = {each["env_variable"]: each["default_value"] for each in egg["variables"]}
        given.update(SERVER_PORT="27020", STARTUP=egg["startup"], **variables)
        entry = "cd -- \"$0\"; MODIFIED_STARTUP=$(echo ${STARTUP} | sed -e 's/{{/${/g' -e 's/}}/}/g'); eval ${MODIFIED_STARTUP}"
        done = subprocess.run(["bash", "-c", entry, self.folder], env={**self.environment, **given}, text=True, capture_output=True,
                              timeout=TIMEOUT, check=False, stdin=subprocess.DEVNULL)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done

    def started(self):
        return self.read("started").decode().splitlines()

    def test_a_start_updates_and_keeps_what_was_edited(self):
        self.write(LIBLIST, b"mine\n")
        self.start(SHARE_LINK=f"{self.stack.origin}/server{SMALL_AFTER}", SRCDS_MAP="de_aztec", MAX_PLAYERS="20")
        self.assertEqual(self.started(), ["-console", "-norestart", "-game", "cstrike", "-strictportbind", "+ip", "0.0.0.0", "-port", "27020",
                                          "+maxplayers", "20", "+map", "de_aztec"])
        self.assertEqual(self.read(LIBLIST), b"mine\n")
        self.assertEqual(self.read(GAME), self.archive(SMALL_AFTER)[GAME])
        self.assertEqual(len(self.steamcmd_runs()), 3)  # all of the installation
        self.assertFalse((self.folder / SETTINGS).exists())

    def test_without_the_variable_nothing_is_updated(self):
        self.start(SHARE_LINK=f"{self.stack.origin}/server{SMALL_AFTER}", UPDATE_AT_START="0")
        self.assertEqual(self.read(GAME), self.archive(SMALL)[GAME])
        self.assertTrue(self.started())

    def test_without_the_service_what_is_installed_is_started(self):
        with troubled(self.stack, **{"update.sh": ["gone"] * 9}) as proxy:
            done = self.start(service=proxy.url, SHARE_LINK=f"{proxy.url}/server{SMALL}")
        self.assertIn("starting the server as it is", done.stderr)
        self.assertTrue(self.started())

    def test_what_is_set_in_the_panel_holds_after_server_cfg(self):
        done = self.start(SERVER_NAME="Zombies; $HOME `id` // 24/7", RCON_PASSWORD="a'b;$(x)", TICRATE="500")
        self.assertEqual(self.read(SETTINGS).decode(), "exec server.cfg\nhostname \"Zombies; $HOME `id` // 24/7\"\n"
                         "rcon_password \"a'b;$(x)\"\nsys_ticrate 500\n")
        self.assertEqual((self.folder / SETTINGS).stat().st_mode & 0o777, 0o600)
        self.assertIn("+servercfgfile goldsmith-start.cfg", " ".join(self.started()))
        self.assertNotIn("a'b", done.stdout + done.stderr + " ".join(self.started()))
        self.start(TICRATE="100")
        self.assertEqual(self.read(SETTINGS).decode(), "exec server.cfg\nsys_ticrate 100\n")

    def test_what_would_end_a_value_is_refused(self):
        for variables in ({"SERVER_NAME": 'a" ; quit'}, {"SERVER_NAME": "a\nquit"}, {"RCON_PASSWORD": '"'}, {"TICRATE": "1;quit"}):
            self.assertIn(next(iter(variables)), self.start(status=3, **variables).stderr)
            self.assertFalse((self.folder / "started").exists())

    def test_the_rules_of_the_panel_say_the_same(self):
        rules = {each["env_variable"]: each["rules"] for each in self.egg(SMALL)["variables"]}
        for name, good, bad in (("SERVER_NAME", "Zombies; 24/7 é", ('a"b', "a\nb")), ("RCON_PASSWORD", "a'b;c", ('a"b', "a b", "a\n"))):
            pattern = re.compile(rules[name].split("regex:/")[1][:-1].replace("\\z", "\\Z"))
            self.assertTrue(pattern.search(good) and pattern.search(""), rules[name])
            self.assertFalse([each for each in bad if pattern.search(each)])

    def test_a_link_is_no_way_out_of_the_folder(self):
        outside = self.here / "outside"
        outside.write_bytes(b"another's\n")
        (self.folder / SETTINGS).symlink_to(outside)
        self.start(TICRATE="100")
        self.assertFalse((self.folder / SETTINGS).is_symlink())
        (self.folder / START).unlink()
        (self.folder / START).symlink_to(outside)
        self.install(self.script(SMALL))
        self.assertFalse((self.folder / START).is_symlink())
        self.assertEqual(outside.read_bytes(), b"another's\n")

    def test_a_folder_without_a_server_says_so(self):
        shutil.rmtree(self.folder / ".goldsmith")
        self.assertIn("there is no server in", self.start(status=3).stderr)
        self.assertFalse((self.folder / "started").exists())


class HostileFolder(RecipeCase):
    """Somebody left programs and links for the egg's script."""

    PROGRAMS = ("steamcmd/steamcmd.sh", "steamcmd/linux32/steamcmd", "linux32/steamcmd", "steamcmd.sh", "hlds_run", "hlds_linux", "update.sh",
                "install.sh", ".profile", ".bashrc", ".curlrc", "Steam/steam.sh", ".steam/steam.sh", ".steam/sdk32/steamclient.so",
                *"awk bash cat chown cp curl find id ls mkdir mktemp mv rm sed setpriv sh sha256sum sort tail tar tr unzip".split())
    LINKS = (".goldsmith", ".steam", ".steam/sdk32", ".steam/sdk32/steamclient.so", "steamapps", "steamapps/first", "steamcmd", "steamcmd/steamcmd.sh",
             "hlds_run", "hlds_linux", "libsteam_api.so", "cstrike", LIBLIST, "cstrike/maps", "cstrike/maps/de_dust2.bsp", "valve/a/b/c")

    def setUp(self):
        super().setUp()
        self.elsewhere = self.here / "elsewhere"
        self.write("file", b"another's\n", self.elsewhere)
        self.owners = (os.getuid(),)
        if os.getuid() == 0:
            self.owners = (0, OTHER_USER)
            os.chown(self.elsewhere / "file", OTHER_USER + 1, OTHER_USER + 1)
        script = json.loads(self.get("egg.json", SMALL))["scripts"]["installation"]["script"]
        self.script_text = script.replace("folder='/mnt/server'", f"folder='{self.folder}'")

    def install(self, owner, status=0):
        if owner != os.getuid():
            self.give_to_other_user(self.folder)
        return self.run_text(self.script_text, status=status, shell=("bash",))

    def empty_folder(self):
        shutil.rmtree(self.folder)
        self.folder.mkdir()

    def state_of_elsewhere(self):
        return [(path.stat().st_uid, path.stat().st_gid, path.stat().st_mode, None if path.is_dir() else path.read_bytes())
                for path in (self.elsewhere, *sorted(self.elsewhere.rglob("*")))]

    def test_no_program_of_it_is_run(self):
        for owner in self.owners:
            with self.subTest(owner=owner):
                for name in self.PROGRAMS:
                    self.write(name, f"#!/bin/sh\ntouch '{self.here}/pwned'\n".encode())
                    (self.folder / name).chmod(0o755)
                self.install(owner)
                self.assertFalse((self.here / "pwned").exists())
                for path, content in self.expected(SMALL).items():
                    self.assertEqual(self.read(path), content)
                self.assertEqual(self.read(".steam/sdk32/steamclient.so"), b"steam's")
                self.assertEqual({path.lstat().st_uid for path in self.folder.rglob("*")}, {owner})
                self.assertEqual((self.here / "steamcmd-ran-as").read_text(encoding="utf-8").splitlines()[0], str(owner))
                for record in self.here.glob("steamcmd-r*"):
                    record.unlink()
                self.empty_folder()

    def test_no_relative_path_leads_to_its_programs(self):
        for name in self.PROGRAMS:
            self.write(name, f"#!/bin/sh\ntouch '{self.here}/pwned'\n".encode())
            (self.folder / name).chmod(0o755)
        for path in (f".:{os.environ['PATH']}", f"{os.environ['PATH']}:", f"{self.tools}::/usr/bin:/bin"):
            done = self.run_text(self.script_text, status=3, shell=("/bin/bash",), environment={"PATH": path})
            self.assertIn("PATH has a relative folder", done.stderr)
            self.assertFalse((self.here / "pwned").exists())

    def test_links_are_refused(self):
        before = self.state_of_elsewhere()
        for number, name in enumerate(self.LINKS):
            for target in (self.elsewhere, self.elsewhere / "file", self.here / "nothing"):
                with self.subTest(name=name, target=target.name):
                    (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
                    (self.folder / name).symlink_to(target)
                    self.assertIn(name, self.install(self.owners[number % len(self.owners)], status=3).stderr)
                    self.assertEqual((self.state_of_elsewhere(), self.steamcmd_runs(), (self.here / "nothing").exists()), (before, [], False))
                    self.empty_folder()

    def test_hard_links_are_refused(self):
        for name in ("steamapps/first", "hlds_run", ".steam/sdk32/steamclient.so"):
            before = self.state_of_elsewhere()
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
            os.link(self.elsewhere / "file", self.folder / name)
            self.assertIn(name, self.install(os.getuid(), status=3).stderr)
            self.assertEqual((self.state_of_elsewhere(), self.steamcmd_runs()), (before, []))
            self.empty_folder()

    def test_a_name_is_no_command_for_the_terminal(self):
        (self.folder / "\x1b]0;pwned\x07").symlink_to("x")
        self.assertNotIn("\x1b", self.install(os.getuid(), status=3).stderr)


class Containers(RecipeCase):
    """Dockerfile and compose.yaml."""

    def scripts(self, selection=BEFORE):
        """{path in the image: text}"""
        found = re.findall(r"^COPY --chmod=755 <<'END_OF_SCRIPT' (\S+)\n(.*?)^END_OF_SCRIPT$", self.get("Dockerfile", selection), re.S | re.M)
        self.assertEqual([path for path, _ in found], ["/usr/local/bin/install-server", "/usr/local/bin/start-server"])
        return dict(found)

    def start(self, selection=BEFORE, status=0, environment=None, service=None, arguments=()):
        scripts = self.scripts(selection)
        install = scripts["/usr/local/bin/install-server"]
        self.tool("install-server", (install.replace(self.stack.origin, service) if service else install)
                  .replace("folder='/server'", f"folder='{self.folder}'"))
        start = scripts["/usr/local/bin/start-server"].replace("folder='/server'", f"folder='{self.folder}'")
        return self.run_text(start, status=status, environment=environment, arguments=arguments)

    def started(self):
        return self.read("started").decode().splitlines()

    def test_the_instructions_are_those_of_dockerfiles(self):
        text = self.get("Dockerfile", BEFORE)
        self.assertTrue(text.startswith("# syntax=docker/dockerfile:1\n"))  # which has here-documents
        rest = re.sub(r"<<'END_OF_SCRIPT' (\S+)\n.*?^END_OF_SCRIPT$", r"\1", text, flags=re.S | re.M).replace("\\\n", " ")
        lines = [line.split(maxsplit=1) for line in rest.splitlines() if line and not line.startswith("#")]
        self.assertEqual([line[0] for line in lines],
                         ["FROM", "RUN", "COPY", "COPY", "USER", "ENV", "WORKDIR", "VOLUME", "EXPOSE", "ENTRYPOINT"])
        self.assertEqual(lines[-1][1], '["/usr/local/bin/start-server"]')
        subprocess.run(["shellcheck", "--shell", "sh", "-"], input=lines[1][1], text=True, check=True)

    def test_a_linter_finds_nothing(self):
        def findings(text):
            program = ("const { validate } = require('dockerfile-utils');"
                       "console.log(JSON.stringify(validate(require('fs').readFileSync(0, 'utf8')).map((each) => each.message)));")
            done = subprocess.run(["node", "-e", program], input=text, cwd=self.tools_folder, text=True, capture_output=True, check=True)
            return json.loads(done.stdout)

        self.assertEqual(findings(self.get("Dockerfile", BEFORE)), [])
        self.assertEqual(findings("FROM debian\nRUNN true\n"), ["Unknown instruction: RUNN"])

    def test_the_first_start_installs_and_later_ones_update(self):
        self.start(environment={"PORT": "27020", "MAP": "de_aztec", "MAX_PLAYERS": "20"}, arguments=["+sv_lan", "1"])
        self.assertEqual({**self.found(), "started": b""}, {**self.expected(BEFORE), "started": b""})
        self.assertEqual(self.started(), ["-console", "-norestart", "-game", "cstrike", "-strictportbind", "+ip", "0.0.0.0", "-port", "27020",
                                          "+maxplayers", "20", "+map", "de_aztec", "+sv_lan", "1"])
        self.write(USERS, b"mine\n")
        (self.folder / "started").unlink()
        self.start(AFTER, environment={"SERVER_NAME": "Here"})
        self.assertEqual(self.read(SETTINGS), b"exec server.cfg\nhostname \"Here\"\n")
        self.assertIn("de_dust2", self.started())
        self.assertEqual(self.read(USERS), b"mine\n")
        self.assertEqual(self.read(PRIVET), self.archive(AFTER)[PRIVET])
        self.assertEqual(self.read(CONFIG), self.archive(AFTER)[CONFIG])
        self.assertEqual(len(self.steamcmd_runs()), 3)

    def test_without_the_service_what_is_installed_is_started(self):
        self.start(SMALL)
        (self.folder / "started").unlink()
        with troubled(self.stack, **{"update.sh": ["gone"], "checksums.txt": ["gone"] * 9}) as proxy:
            done = self.start(SMALL, service=proxy.url, status=0)
        self.assertIn("starting the server as it is", done.stderr)
        self.assertTrue(self.started())

    def test_nothing_half_done_is_started(self):
        with troubled(self.stack, download=["damaged"]) as proxy:
            self.start(SMALL, service=proxy.url, status=1)  # nothing is installed yet
        self.assertFalse((self.folder / "started").exists())
        self.start(SMALL)
        (self.folder / "started").unlink()
        (self.folder / ".goldsmith/work").mkdir()
        (self.folder / ".goldsmith/work/commit").write_text("of an interrupted update", encoding="utf-8")
        self.tool("install-server", "#!/bin/sh\nexit 1\n")
        start = self.scripts()["/usr/local/bin/start-server"].replace("folder='/server'", f"folder='{self.folder}'")
        self.run_text(start, status=1)
        self.assertFalse((self.folder / "started").exists())
        self.assertEqual(self.start(SMALL, status=3, environment={"SHARE_LINK": "https://elsewhere.example/server"}).returncode, 3)

    def test_compose_has_the_service_and_the_link_as_a_variable(self):
        for selection in ("", SORTED):
            document = yaml.safe_load(self.get("compose.yaml", selection))
            self.assertEqual(set(document), {"services", "volumes"})
            server = document["services"]["server"]
            self.assertEqual(server["build"], ".")
            self.assertEqual(server["environment"],
                             {"SHARE_LINK": f"${{SHARE_LINK:-{self.stack.origin}/server{selection}}}", "MAP": "${MAP:-de_dust2}",
                              "MAX_PLAYERS": "${MAX_PLAYERS:-16}", "PORT": "${PORT:-27015}", "SERVER_NAME": "${SERVER_NAME:-}",
                              "RCON_PASSWORD": "${RCON_PASSWORD:-}", "TICRATE": "${TICRATE:-}"})
            self.assertEqual(server["ports"], ["${PORT:-27015}:${PORT:-27015}/udp"])
            self.assertEqual((server["volumes"], document["volumes"]), (["server:/server"], {"server": None}))
            self.assertEqual(server["restart"], "unless-stopped")
            self.assertTrue(server["init"] and server["tty"] and server["stdin_open"])
        for hostile in ("x%7D", "%24%7BHOME%7D", "%22%0Ax: 1", "%27"):
            link = yaml.safe_load(self.get("compose.yaml", f"?components=forge-gamedll&plugins={hostile.replace(' ', '%20')}"))
            self.assertRegex(link["services"]["server"]["environment"]["SHARE_LINK"], r"\A\$\{SHARE_LINK:-[A-Za-z0-9:/.?=&%,@_~-]+\}\Z")


class Amp(RecipeCase):
    KEYS = {"UpdateStageName": str, "UpdateSourcePlatform": str, "UpdateSource": str, "UpdateSourceData": str, "UpdateSourceArgs": str,
            "UpdateSourceVersion": str, "UpdateSourceExtra": str, "UpdateSourceTarget": str, "UnzipUpdateSource": bool,
            "OverwriteExistingFiles": bool, "DeleteAfterExtract": bool, "SkipOnFailure": bool}

    def run_stages(self, stages, steamcmd=lambda: None):
        """As AMP does."""
        root = self.here / "root"
        root.mkdir(exist_ok=True)
        for stage in stages:
            here = {name: value.replace("{{$FullBaseDir}}", f"{self.folder}/").replace("{{$FullRootDir}}", f"{root}/")
                    if isinstance(value, str) else value for name, value in stage.items()}
            if stage["UpdateSource"] == "FetchURL":
                if here["UpdateSourceData"].startswith(self.stack.origin):
                    content = self.stack.get(here["UpdateSourceData"][len(self.stack.origin):])[2]
                    (root / here["UpdateSourceArgs"]).write_bytes(content)
            elif stage["UpdateSource"] == "Executable":
                subprocess.run([here["UpdateSourceData"], *shlex.split(here["UpdateSourceArgs"])], env=self.environment, check=True,
                               capture_output=True)
            else:
                self.assertEqual(stage["UpdateSource"], "SteamCMD")
                steamcmd()

    def put_base_game(self):
        """SteamCMD validates: it puts its files back."""
        for path, content in BASE_GAME.items():
            self.write(path, content)

    def test_the_stages_have_the_keys_that_templates_have(self):
        stages = json.loads(self.get("amp.json", BEFORE))
        for stage in stages:
            self.assertEqual({name: type(value) for name, value in stage.items()}, {name: self.KEYS[name] for name in stage})
        game = stages[1]
        self.assertEqual((game["UpdateSource"], game["UpdateSourceData"], game["UpdateSourceVersion"], game["UpdateSourceExtra"]),
                         ("SteamCMD", "90", "steam_legacy", "cstrike"))
        # The file that the template's own configuration is made of.
        self.assertEqual((stages[2]["UpdateSourceArgs"], stages[2]["UpdateSourceTarget"]), ("AMP_server.cfg", "{{$FullRootDir}}"))
        self.assertEqual(stages[3]["UpdateSourceData"], f"{self.stack.origin}/server/update.sh{SORTED}")

    def test_the_stages_install_update_and_keep_what_was_edited(self):
        self.run_stages(json.loads(self.get("amp.json", BEFORE)), self.put_base_game)
        self.assertEqual(files(self.folder), self.expected(BEFORE))
        archive = next(path for path in self.here.iterdir() if path.name.startswith("archive-"))
        wanted = {path for path in self.archive(BEFORE) if os.access(archive / path, os.X_OK)}
        self.assertTrue(wanted)
        self.assertEqual({path for path in self.archive(BEFORE) if (self.folder / path).stat().st_mode & 0o111}, wanted)
        self.write(USERS, b"mine\n")
        self.run_stages(json.loads(self.get("amp.json", AFTER)), self.put_base_game)
        self.assertEqual({**files(self.folder), USERS: b""}, {**self.expected(AFTER), USERS: b""})
        self.assertEqual(self.read(USERS), b"mine\n")

    def test_an_impossible_selection_fails(self):
        with self.assertRaises(subprocess.CalledProcessError):
            stages = json.loads(self.get("amp.json", SMALL))
            stages[3]["UpdateSourceData"] = f"{self.stack.origin}/server/update.sh?components=nothing"
            self.run_stages(stages, self.put_base_game)

    def test_a_link_stops_the_stages_before_anything_is_written(self):
        stages = json.loads(self.get("amp.json", BEFORE))
        outside = self.here / "outside"
        outside.write_bytes(b"another's\n")
        for name in ("hlds_run", "cstrike", LIBLIST):
            for make in (os.symlink, os.link):
                (self.folder / name).parent.mkdir(exist_ok=True)
                make(outside, self.folder / name)
                with self.assertRaises(subprocess.CalledProcessError):
                    self.run_stages(stages, self.put_base_game)
                self.assertEqual(outside.read_bytes(), b"another's\n")
                shutil.rmtree(self.folder)
                self.folder.mkdir()
        self.folder.rmdir()  # as before the first installation
        self.run_stages(stages[:1])


class GameAp(RecipeCase):
    # Of the fields that its API has.
    FIELDS = {"game_code", "name", "vars", "remote_repository_linux", "start_cmd_linux", "kick_cmd", "chmap_cmd", "sendmsg_cmd", "srestart_cmd",
              "passwd_cmd"}

    def mod(self, selection):
        return json.loads(self.get("gameap.json", selection))

    def unpack(self, mod):
        """As its daemon does, by go-getter: `archive` of the address is its own, and the rest is sorted and encoded anew."""
        url = urllib.parse.urlsplit(mod["remote_repository_linux"])
        query = dict(urllib.parse.parse_qsl(url.query, strict_parsing=True))
        self.assertEqual(query.pop("archive"), "zip")
        target = f"{url.path}?{urllib.parse.urlencode(sorted(query.items()))}"
        status, headers, body = self.stack.get(target)
        self.assertEqual((status, headers["Accept-Ranges"]), (200, "bytes"))
        with zipfile.ZipFile(io.BytesIO(body)) as archive:
            for each in archive.infolist():
                if not each.is_dir():
                    self.write(each.filename, archive.read(each))
                    (self.folder / each.filename).chmod(each.external_attr >> 16 & 0o777)

    def test_the_mod_has_the_fields_of_its_api(self):
        mod = self.mod(BEFORE)
        self.assertEqual(set(mod), self.FIELDS)
        self.assertEqual(mod["game_code"], "cstrike")
        self.assertLessEqual(len(mod["name"]), 128)
        self.assertLess(len(mod["start_cmd_linux"]), 1000)
        self.assertTrue(all(len(mod[name]) <= 64 for name in mod if name.endswith("_cmd")))
        placeholders = set(re.findall(r"{(\w+)}", mod["start_cmd_linux"]))
        self.assertEqual(placeholders - {each["var"] for each in mod["vars"]}, {"ip", "port", "rcon_password"})
        for selection in ("", BEFORE):
            self.assertTrue(self.mod(selection)["remote_repository_linux"].startswith(f"{self.stack.origin}/v1/server-builder/download?"))

    def test_the_bytes_come_from_here_where_downloads_are_redirected(self):
        expected = self.archive(SMALL)
        self.stack.command("configure", "archives.redirect = https://cdn.example/archives")
        self.addCleanup(self.stack.command, "configure")
        self.unpack(self.mod(SMALL))
        self.assertEqual(files(self.folder), expected)

    def test_the_repository_is_the_zip_which_the_script_takes_over(self):
        for path, content in BASE_GAME.items():
            self.write(path, content)
        self.unpack(self.mod(BEFORE))
        self.assertEqual(files(self.folder), self.expected(BEFORE))
        self.assertEqual([path for path in self.archive(BEFORE) if os.access(self.folder / path, os.X_OK)], 
                         ["cstrike/addons/amxmodx/scripting/compile.sh", "hlds_linux", "hltv"])
        self.write(USERS, b"mine\n")
        self.run_text(self.stack.get(f"/server/update.sh{AFTER}")[2].decode(), arguments=["--yes", str(self.folder)])
        self.assertEqual(self.read(USERS), b"mine\n")
        self.assertEqual(self.read(PRIVET), self.archive(AFTER)[PRIVET])


class Page(RecipeCase):
    """The commands on the creator's page, run as they are shown."""

    def commands(self, selection, label):
        page = self.stack.get("/server" + selection)[2].decode("utf-8")
        [text] = re.findall(rf'<pre tabindex="0" aria-label="{label}"><code>(.*?)</code></pre>', page, re.S)
        return html.unescape(re.sub(r"</?span[^>]*>", "", text))

    def test_curl(self):
        _, headers, archive = self.stack.get("/v1/server-builder/download")
        there = self.here / (headers["X-Svc-Build-Hash"] + ".zip")
        commands = self.commands("", "Commands with curl")
        subprocess.run(["shellcheck", "--shell", "sh", "-"], input=commands, text=True, check=True)
        self.archive("")
        around = {path.name for path in self.here.iterdir()} | {"script.sh"}
        # Of a download that broke off, of one that did not, of none.
        for content in (archive[:len(archive) // 2], archive, None):
            if content:
                there.write_bytes(content)
            self.run_text("set -e\n" + commands)
            self.assertEqual(files(self.here / "server"), self.archive(""))
            self.assertEqual({path.name for path in self.here.iterdir()}, around | {"server"})
            shutil.rmtree(self.here / "server")

    def test_curl_puts_nothing_damaged_into_the_server(self):
        """A selection that follows the newest versions has another archive after the download broke off."""
        _, headers, archive = self.stack.get("/v1/server-builder/download" + BEFORE)
        (self.here / (headers["X-Svc-Build-Hash"] + ".zip")).write_bytes(archive[:len(archive) // 2])
        self.run_text("set -e\n" + self.commands(AFTER, "Commands with curl"))
        self.assertEqual(files(self.here / "server"), self.archive(AFTER))
        shutil.rmtree(self.here / "server")

        build = self.stack.get("/v1/server-builder/download" + AFTER)[1]["X-Svc-Build-Hash"]
        (self.here / f"{build}.zip").write_bytes(bytes(len(archive) // 2))  # damaged, as by a power cut
        commands = "set -e\n" + self.commands(AFTER, "Commands with curl")
        self.run_text(commands, status=1)
        self.assertFalse((self.here / "server").exists())
        self.run_text(commands)
        self.assertEqual(files(self.here / "server"), self.archive(AFTER))

    def test_the_script_of_the_commands_installs_the_server(self):
        self.run_text("set -e\n" + self.commands(BEFORE, "Commands for the script").replace("~/server", "--yes server"))
        self.assertEqual(files(self.folder), self.archive(BEFORE))

    def test_docker(self):
        self.tool("docker", '#!/bin/sh\necho "$@" >docker-arguments\n')
        self.run_text("set -e\n" + self.commands(BEFORE, "Commands for Docker"))
        for name in ("Dockerfile", "compose.yaml"):
            self.assertEqual((self.here / name).read_text(encoding="utf-8"), self.get(name, BEFORE))
        self.assertEqual((self.here / "docker-arguments").read_text(encoding="utf-8"), "compose up -d --build\n")

    def test_gameap(self):
        self.tool("curl", '#!/bin/sh\ncase "$*" in *@-*) cat >sent-header; for each; do echo "$each"; done >sent ;; *) exec /usr/bin/curl "$@" ;; esac\n')
        commands = self.commands(BEFORE, "Commands for GameAP").replace("read -r token", "token=secret")
        self.run_text("set -e\n" + commands)
        self.assertEqual((self.here / "gameap.json").read_text(encoding="utf-8"), self.get("gameap.json", BEFORE))
        self.assertEqual((self.here / "sent-header").read_text(encoding="utf-8"), "Authorization: Bearer secret\n")
        sent = (self.here / "sent").read_text(encoding="utf-8").splitlines()
        self.assertEqual((sent[-2:], "secret" in " ".join(sent)), (["@gameap.json", "https://panel.example/api/game_mods"], False))

    def test_linuxgsm(self):
        """With stand-ins for its script, which makes the other."""
        self.tool("curl", '#!/bin/sh\n[ "$1" = -Lo ] || exec /usr/bin/curl "$@"\ncat >linuxgsm.sh <<"END"\n'
                  "mkdir -p serverfiles\ncat >csserver <<'X'\n#!/bin/sh\necho $1 >>csserver-runs\n"
                  'if [ $1 = auto-install ]; then cp -a "$TMPDIR/base-game/." serverfiles; fi\nX\nchmod +x csserver\nEND\n')
        self.run_text("set -e\n" + self.commands(BEFORE, "Commands for LinuxGSM"))
        self.assertEqual(files(self.here / "serverfiles"), self.expected(BEFORE))
        self.assertEqual((self.here / "csserver-runs").read_text(encoding="utf-8").split(), ["auto-install", "stop", "start"])
        self.assertEqual((self.here / "lgsm/config-lgsm/csserver/common.cfg").read_text(encoding="utf-8"),
                         'branch="steam_legacy"\nservercfg="server.cfg"\nservercfgfullpath="${servercfgdir}/server.cfg"\n')

    def test_addresses_of_recipes_lead_to_them(self):
        egg = self.commands(AFTER, "Address of the egg")
        self.assertEqual(json.loads(self.stack.get(egg[len(self.stack.origin):])[2])["meta"]["update_url"], egg)
        self.run_text(self.commands(AFTER, "Command for AMP"))
        self.assertEqual((self.here / "counter-strike16updates.json").read_text(encoding="utf-8"), self.get("amp.json", AFTER))


class LinksOfOtherHosts(RecipeCase):
    OTHER = "https://other.example/cs/server"  # nobody answers there

    def update(self, link, status=0):
        script = self.stack.get("/server/update.sh" + BEFORE)[2].decode()
        return self.run_text(script, status=status, arguments=["--yes", "--selection", link, str(self.folder)])

    def test_the_script_looks_up_here_what_they_name(self):
        self.update(self.OTHER + SMALL_AFTER + "&lang=pl#files")
        self.assertEqual(files(self.folder), self.archive(SMALL_AFTER))
        self.assertIn(SMALL_AFTER[1:], (self.folder / ".goldsmith/state").read_text(encoding="utf-8"))
        self.assertNotIn("other.example", (self.folder / ".goldsmith/state").read_text(encoding="utf-8"))

    def test_what_is_missing_here_is_named(self):
        self.assertIn("somewhere-else", self.update(self.OTHER + "?components=somewhere-else,forge-gamedll", status=1).stderr)
        self.assertIn("is not known", self.update(f"{self.OTHER}?build={'a' * 64}", status=1).stderr)
        self.assertEqual(files(self.folder), {})

    def test_what_is_no_such_link_is_refused(self):
        for link in ("https://other.example/", "https://other.example/server?pin=a@1&components=a", "http://"):
            self.assertIn("no link to a selection", self.update(link, status=2).stderr)


class Languages(RecipeCase):
    """The recipes in Polish, by a link that has the language."""

    POLISH = BEFORE + "&lang=pl"
    egg, script, install = Egg.egg, Egg.script, Egg.install
    scripts, start = Containers.scripts, Containers.start

    def test_the_egg_speaks_the_language_of_its_link(self):
        egg = self.egg(self.POLISH)
        link = egg["variables"][0]
        self.assertEqual((link["name"], link["default_value"]), ("Link do wyboru", f"{self.stack.origin}/server{SORTED}&lang=pl"))
        self.assertIn("Pierwsza mapa.", [each["description"] for each in egg["variables"]])
        self.assertTrue(re.search(link["rules"].split("|")[2][len("regex:/"):-1].replace("\\z", "\\Z"), link["default_value"]))
        self.assertEqual(egg["meta"]["update_url"], f"{self.stack.origin}/server/egg.json{SORTED}&lang=pl&as=egg.json")
        done = self.install(self.script(self.POLISH))
        self.assertIn(f"Podstawowa gra jest niepełna: brakuje: {GFX}. Próba 3 z 10.\n", done.stdout)
        self.assertIn("Gotowe: build ", done.stdout)
        done = self.install(self.script(self.POLISH), status=3, environment={"SHARE_LINK": "x"})
        self.assertEqual(done.stderr, f"install: SHARE_LINK musi być linkiem do wyboru na {self.stack.origin}/server, a nie: x\n")
        done = self.install(self.script(self.POLISH), status=3, environment={"SHARE_LINK": "x", "LANG": "en_US.UTF-8"})
        self.assertTrue(done.stderr.startswith("install: SHARE_LINK must be"), done.stderr)

    def test_the_container_speaks_the_language_of_its_link(self):
        english, polish = self.get("Dockerfile", BEFORE), self.get("Dockerfile", self.POLISH)
        self.assertTrue(polish.startswith("# syntax=docker/dockerfile:1\n#\n# Serwer Counter-Strike 1.6 w wolumenie /server: "), polish)
        scripts = r"<<'END_OF_SCRIPT' \S+\n.*?^END_OF_SCRIPT$|^#.*"
        self.assertEqual(re.sub(scripts, "", polish, flags=re.S | re.M), re.sub(scripts, "", english, flags=re.S | re.M))
        self.assertNotIn("[[", re.sub(scripts, "", english, flags=re.S | re.M))
        self.start(self.POLISH)
        with troubled(self.stack, **{"update.sh": ["gone"], "checksums.txt": ["gone"] * 9}) as proxy:
            self.assertIn("start: bez aktualizacji; serwer jest", self.start(self.POLISH, service=proxy.url).stderr)
        compose = self.get("compose.yaml", self.POLISH)
        self.assertIn("#   docker compose restart            aktualizuje go i zachowuje to, co zmieniono\n", compose)
        self.assertEqual(yaml.safe_load(compose)["services"]["server"]["environment"]["SHARE_LINK"],
                         f"${{SHARE_LINK:-{self.stack.origin}/server{SORTED}&lang=pl}}")


class Scripts(RecipeCase):
    def test_shellcheck_finds_nothing(self):
        recipes = Containers()
        recipes.stack = self.stack
        texts = [*recipes.scripts().values(), *recipes.scripts(BEFORE + "&lang=pl").values()]
        texts.append(json.loads(self.get("egg.json", AFTER))["scripts"]["installation"]["script"])
        for text in texts:
            subprocess.run(["shellcheck", "--shell", "sh", "-"], input=text, text=True, check=True)

    def test_nothing_of_a_client_is_a_command(self):
        for hostile in ("x';touch pwned;'", '"$(touch pwned)"', "`touch pwned`", "x\nEND_OF_SCRIPT\nRUN touch pwned\n", "@start.sh@\n", "=@service@\n"):
            quoted = "".join(f"%{byte:02X}" for byte in hostile.encode())
            text = self.get("Dockerfile", f"?components=forge-gamedll&plugins={quoted}")
            lines = [line for line in text.splitlines() if line.startswith("share_link=")]
            self.assertEqual(len(lines), 2)
            for line in lines:
                self.assertRegex(line, r"\Ashare_link='[A-Za-z0-9:/?%=&,@._~-]*'\Z")
            self.assertEqual(text.count("\nEND_OF_SCRIPT\n"), 2)
            self.assertEqual(text.count("\nRUN "), 1)


if __name__ == "__main__":
    UpdaterCase.stack, RecipeCase.tools_folder = Stack(sys.argv.pop(1)), sys.argv.pop(1)
    unittest.main()

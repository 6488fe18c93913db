#!/usr/bin/python3
"""/server/adopt.sh of the stack, in folders with its real archives: adopt_test.py STACK_FOLDER"""

import hashlib
import json
import os
import re
import shutil
import struct
import sys
import time
import unittest
import urllib.parse
import zlib

from stack import Stack
from updater_case import AFTER, BEFORE, OTHER_USER, USERS, UpdaterCase, files, tree

PLUGINS = "cstrike/addons/amxmodx/plugins/"
LISTS = "cstrike/addons/amxmodx/configs/"
OLDER = "?components=anvil-engine@3.1.4"
ENGINE = "engine_i486.so"
COMMON = "cstrike/addons/amxmodx/data/lang/common.txt"


def compiled(name, version, author, natives=("other", "register_plugin"), magic=0xF1E0, flags=0, arguments=3):
    """A compiled plugin that registers itself."""
    head = 56
    names = b"".join(native.encode() + b"\0" for native in natives)
    table = head + 8 * len(natives)
    code = (table + len(names) + 3) // 4 * 4
    offsets = [table + names.index(native.encode() + b"\0") for native in natives]
    literals, data = [], []
    for text in (author, version, name):
        literals.append(4 * len(data))
        data += [*text, 0]
    index = natives.index("register_plugin") if "register_plugin" in natives else 0
    cells = [46, 0]
    for _ in range(arguments - 3):
        cells += [39, 0]
    for literal in literals:
        cells += [39, literal]
    cells += [39, 4 * arguments, 123, index, 44, 4 * arguments + 4]
    size = code + 4 * len(cells) + 4 * len(data)
    image = struct.pack("<IHBBHH", size, magic, 8, 8, flags, 8)
    image += struct.pack("<11I", code, code + 4 * len(cells), size, size + 4096, 0, head, head, table, table, table, table)
    image += b"".join(struct.pack("<II", 0, offset) for offset in offsets) + names
    image = image.ljust(code, b"\0") + struct.pack(f"<{len(cells)}I", *cells) + struct.pack(f"<{len(data)}I", *data)
    packed = zlib.compress(image)
    return struct.pack("<IHBBIIII", 0x414D5858, 0x300, 1, 4, len(packed), len(image), len(image), 24) + packed


def library(name, version, *texts, interface=b"5:13", numbers=(3, 0), kind=1):
    """A library with the record by which it introduces itself to Metamod; an empty name or version is filled in later."""
    strings, at = b"", 52 + 2 * 32
    places = []
    for text in (interface, name, version, b"Nov 27 2026", b"goldsmith", b"", b"TAG", *texts):
        places.append(at + len(strings))
        strings += text + b"\0"
    for number, text in enumerate((name, version), 1):
        if not text:
            places[number] = 0
    strings = strings.ljust(4096 - at, b"\0")
    data = struct.pack("<9I", *places[:7], *numbers)
    first, moved = at + len(strings), 0x1000
    head = struct.pack("<4sBBBB8xHHIIIIIHHHHHH", b"\x7fELF", kind, 1, 1, 0, 3, 3, 1, 0, 52, 0, 0, 52, 32, 2, 0, 0, 0)
    segments = struct.pack("<8I", 1, 0, 0, 0, first, first, 5, 4096)
    segments += struct.pack("<8I", 1, first, first + moved, 0, len(data), len(data), 6, 4096)
    return head + segments + strings + data


# Of components whose files nobody has.
KNOWN = """goldsmith-known-files 1
service https://example.org
largest 5000000
component anvil-engine engine selectable Anvil Engine
upstream example/anvil
version 3.2.0 latest
{0} m engine_i486.so
version 3.1.4 older
{1} m engine_i486.so
component hearth-loader metamod selectable Hearth Loader
upstream example/hearth
version 1.3.0 latest
{2} m cstrike/addons/metamod/hearth.so
component amxmodx-1-10 platform selectable AMX Mod X 1.10
upstream example/amxmodx
version 1.10.0.5400 latest
{3} m cstrike/addons/amxmodx/dlls/amxmodx_mm_i386.so
component amxmodx-1-9 platform selectable AMX Mod X 1.9
upstream example/amxmodx
version 1.9.0.5294 latest
{4} m cstrike/addons/amxmodx/dlls/amxmodx_mm_i386.so
plugin afk-watch AFK Watch
author goldsmith
version 2.0 latest afk_watch.amxx
end
"""
PLATFORM = "cstrike/addons/amxmodx/dlls/amxmodx_mm_i386.so"


class AdoptCase(UpdaterCase):
    def setUp(self):
        super().setUp()
        self.adopter = self.here / "adopt.sh"
        self.adopter.write_bytes(self.get("/server/adopt.sh"))

    def get(self, path):
        status, _, body = self.stack.get(path)
        self.assertEqual(status, 200, body)
        return body

    def install(self, selection):
        for path, content in self.archive(selection).items():
            self.write(path, content)

    def adopt(self, *arguments, is_readable=True, **options):
        """What it prints. Nothing in the folder changes."""
        before = tree(self.folder) if is_readable else None
        done = self.run_script(self.adopter, *(arguments or ["--"]), **options)
        self.assertEqual(tree(self.folder) if is_readable else None, before)
        self.assertEqual([path for path in os.listdir(self.here) if path.startswith("tmp.")], [])
        return done.stdout if not done.returncode else done.stderr

    def whats(self, **options):
        """{path: what it is}"""
        lines = [line.split("\t") for line in self.adopt("--files", **options).splitlines() if "\t" in line]
        return {path: what for what, path in lines}

    def adopt_known(self, *arguments, is_readable=True, **content):
        """With the list KNOWN, where the contents of anvil, older_anvil, hearth, amxx10 and amxx9 are known."""
        names = ("anvil", "older_anvil", "hearth", "amxx10", "amxx9")
        prefixes = [hashlib.sha256(content.get(name, name.encode())).hexdigest()[:24] for name in names]
        (self.here / "known").write_text(KNOWN.format(*prefixes), encoding="utf-8")
        return self.adopt("--known", str(self.here / "known"), *arguments, is_readable=is_readable)

    def link(self, output):
        return re.search(rf"^  {re.escape(self.stack.origin)}/server(.*)$", output, re.MULTILINE)[1]


class Components(AdoptCase):
    def test_every_file_of_an_archive_is_named(self):
        self.install(BEFORE)
        unnamed = {path: what for path, what in self.whats().items()
                   if not re.match(r"(anvil-engine|forge-gamedll|hearth-loader|amber-platform|amber-cstrike) |source of |of ", what)}
        # What depends on the selection, and the binaries of a compiler that is none.
        self.assertEqual(set(unnamed), {"cstrike/liblist.gam", "cstrike/addons/metamod/plugins.ini", LISTS + "plugins-svc.ini",
                                        PLUGINS + "afk_watch.amxx", PLUGINS + "map_clock.amxx"})

    def test_versions_and_the_link(self):
        self.install(BEFORE)
        output = self.adopt("--pin")
        found = {"anvil-engine": "3.2.0", "forge-gamedll": "5.2.0", "hearth-loader": "1.3.0", "amber-platform": "1.10.2"}
        for slug, version in found.items():
            self.assertRegex(output, rf"(?m)^  {slug} +{re.escape(version)} +[0-9]+ files$")
        self.assertIn("components=anvil-engine@3.2.0,forge-gamedll@5.2.0,hearth-loader@1.3.0,amber-platform@1.10.2", self.link(output))
        self.assertEqual(self.link(self.adopt()), "?components=anvil-engine,forge-gamedll,hearth-loader,amber-platform")

    def test_settings_are_in_the_link_again(self):
        settings = "hostname A & b; // c\nmp_freezetime 5"
        selection = BEFORE.replace("&plugins=afk-watch,map-clock", "") + "&cfg=" + urllib.parse.quote(settings)
        self.install(selection)
        path = LISTS + "svc.cfg"
        whats = self.whats()
        made = {path, PLUGINS + "svc_settings.amxx", "cstrike/addons/amxmodx/scripting/svc_settings.sma"}
        self.assertEqual({each for each in whats if "svc" in each}, made | {LISTS + "plugins-svc.ini"})
        output = self.adopt()
        for each in made:
            self.assertIn(f"\n  {each}\n", output[output.index("Files that a build writes anew:\n"):])
        self.assertNotIn("svc_settings", output[:output.index("Files that a build writes anew:\n")])
        link = self.link(output)
        self.assertEqual(urllib.parse.parse_qs(link[1:])["cfg"], [settings])
        # Taken over, nothing of them is different.
        before = files(self.folder)
        self.update(link)
        self.assertEqual({each: content for each, content in files(self.folder).items() if "svc" in each},
                         {each: content for each, content in before.items() if "svc" in each})
        self.assertEqual(self.link(self.adopt()), link)

        # Whatever somebody has written there since; nobody's secret is in a link.
        self.write(path, b'// mine\nrcon_password "x"\nmp_freezetime "6"\nbad;name "1"\nx "a\x01"\nnothing\n"y" "2"\n')
        self.assertEqual(urllib.parse.parse_qs(self.link(self.adopt())[1:])["cfg"], ["mp_freezetime 6"])
        self.write(path, b"".join(b'cvar_%d "1"\n' % i for i in range(65)))
        self.assertNotIn("cfg=", self.link(self.adopt()))
        self.write(path, b'mp_freezetime "6"\n')
        self.write(LISTS + "plugins-svc.ini", b"; svc_settings.amxx\n")
        self.assertNotIn("cfg=", self.link(self.adopt()))

    def test_the_commands_take_the_folder_over_and_keep_edits(self):
        self.install(BEFORE)
        self.write(USERS, b"my admins\n")
        self.write("cstrike/maps/mine.bsp", b"map")
        output = self.adopt()
        self.assertIn(f"Edited configuration:\n  {USERS}  (amber-platform)\n", output)
        selection = self.link(output)
        self.assertIn(f"curl -fo update.sh '{self.stack.origin}/server/update.sh{selection}'", output)
        self.assertIn(f"sh update.sh '{self.folder}'", output)
        self.assertIn("Files that a build writes anew:\n  cstrike/", output)
        self.update(selection)
        self.assertEqual((self.read(USERS), self.read("cstrike/maps/mine.bsp")), (b"my admins\n", b"map"))
        self.assertIn("anvil-engine", self.adopt())  # what update.sh keeps beside is not looked at
        self.assertNotIn("\t.goldsmith", self.adopt("--files"))

    def test_an_older_version_is_outdated(self):
        self.install(OLDER)
        output = self.adopt()
        self.assertRegex(output, r"anvil-engine +3\.1\.4 +[0-9]+ files  \(outdated: 3\.2\.0 is the newest\)")
        self.assertIn(f"anvil-engine 3.1.4\t{ENGINE}", self.adopt("--files"))

    def test_a_held_version_is_named_with_its_reason(self):
        self.stack.goldsmith("component", "hold", "anvil-engine", "3.2.0", "--reason", "It crashes.")
        self.addCleanup(self.stack.goldsmith, "component", "release", "anvil-engine", "3.2.0")
        time.sleep(2.1)
        self.install("?components=anvil-engine@3.2.0")
        self.assertRegex(self.adopt(), r"anvil-engine +3\.2\.0 +[0-9]+ files  \(held: It crashes\.\)")

    def test_what_loads_it_decides_the_version(self):
        older, newer = self.archive(OLDER), self.archive("?components=anvil-engine@3.2.0")
        written = (ENGINE, "cstrike/liblist.gam", "cstrike/addons/metamod/plugins.ini")
        self.install("?components=anvil-engine@3.2.0")
        self.write(ENGINE, older[ENGINE])
        whats = self.whats()
        self.assertEqual(whats[ENGINE], "anvil-engine 3.1.4")
        for path, content in newer.items():
            if path in written:
                continue
            if older.get(path) == content:
                self.assertEqual(whats[path], "anvil-engine 3.1.4")
            elif path in older:
                self.assertEqual(whats[path], "Other versions: anvil-engine 3.2.0; the rest is 3.1.4")

    def test_a_version_that_is_not_known_is_not_named(self):
        self.install("?components=anvil-engine@3.2.0")
        self.write(ENGINE, b"of tomorrow")
        output = self.adopt("--files")
        self.assertRegex(output, r"(?m)^  engine_i486\.so: in the place of anvil-engine( or [a-z-]+)?, of no version that is known here$")
        self.assertNotRegex(output, r"(?m)^  anvil-engine +3")
        self.assertRegex(output, r"(?m)^Of a version that is not known: in the place of anvil-engine( or [a-z-]+)?\tengine_i486\.so$")

    def test_a_changed_file_is_told(self):
        self.install(BEFORE)
        self.write(COMMON, b"mine\n")
        self.assertEqual(self.whats()[COMMON], "Changed: not as in amber-platform 1.10.2")

    def test_other_line_ends_are_no_change(self):
        self.install(BEFORE)
        content = self.read(COMMON)
        self.assertIn(b"\n", content)
        self.write(COMMON, content.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n"))
        self.assertEqual(self.whats()[COMMON], "amber-platform 1.10.2")

    def test_part_of_a_component_does_not_make_it(self):
        archive = self.archive("?components=anvil-engine@3.2.0")
        self.write("cstrike/dlls/cs.so", b"somebody's")
        for path, content in archive.items():
            if path != ENGINE:
                self.write(path, content)
        self.assertNotRegex(self.adopt("--files"), r"(?m)^  anvil-engine")

    def test_a_folder_of_which_nothing_is_known_is_listed(self):
        self.write("cstrike/maps/mine.bsp", b"map")
        self.write("cstrike/addons/mine/mine.so", b"x")
        output = self.adopt("--pin")
        self.assertIn("none is known here", output)
        self.assertIn("Nothing here is known", output)
        self.assertIn("Unknown:\n  cstrike/addons/mine/mine.so\n", output)
        self.assertIn("Other files, such as maps and models: 1\n  cstrike/maps  1\n", output)

    def test_an_empty_file_is_nobodys(self):
        self.write(ENGINE, b"")
        self.write("cstrike/x", b"")
        self.assertNotIn("anvil-engine 3", self.adopt("--files"))


class Languages(AdoptCase):
    def test_it_speaks_the_language_of_its_download(self):
        self.adopter.write_bytes(self.get("/server/adopt.sh?lang=pl"))
        self.install(BEFORE)
        self.write(USERS, b"my admins\n")
        self.write(COMMON, b"mine\n")
        self.write(ENGINE, library(b"Mine", b"1.2"))
        self.write(PLUGINS + "x.amxx", compiled(b"AFK Watch", b"77", b"goldsmith"))
        self.write(PLUGINS + "y.amxx", compiled(b"Nothing", b"1", b"Somebody"))
        self.write("DEPS_LIST", b"example/four@2\r\n")
        os.symlink("x", self.folder / "link")
        output = self.adopt("--files")
        self.assertTrue(output.startswith(f"Odczyt {self.folder}\n"), output)
        for text in (f"Zmieniona konfiguracja: amber-platform\t{USERS}\n",
                     f"Zmieniona konfiguracja:\n  {USERS}  (amber-platform)\n",
                     f"Zmienione:\n  {COMMON}  (inny niż w amber-platform 1.10.2)\n",
                     'z wersji, której tu nie znamy; mówi o sobie "Mine" 1.2\n',
                     "77?          x.amxx  (wersja nieznana, najnowsza to 2.0",
                     f'Nieznane pluginy:\n  {PLUGINS}y.amxx  ("Nothing" 1, autor: Somebody)\n',
                     "  example/four 2, mówi DEPS_LIST  (tutaj nieznane)\n",
                     "Nieobejrzane:\n  dowiązania: 1, żadne nie jest śledzone\n",
                     "a nowa leży obok jako .new; to, co zostanie\nzastąpione, będzie w .goldsmith/original:\n  curl -fo update.sh "
                     f"'{self.stack.origin}/server/update.sh{self.link(output)}&lang=pl'\n"):
            self.assertIn(text, output)
        for word in (" the ", " not ", " of "):
            self.assertNotIn(word, re.sub(r"(?m)^  /.*|/.*|https:.*", "", output))


class Plugins(AdoptCase):
    def plugin(self, path, *registered, **options):
        self.write(PLUGINS + path, compiled(*registered, **options))

    def test_a_plugin_is_known_by_its_source(self):
        self.install(AFTER)
        whats = self.whats()
        source = next(path for path in whats if path.endswith("scripting/map_clock.sma"))
        self.assertRegex(whats[source], r"^source of map-clock [0-9.]+$")
        self.write("cstrike/renamed.sma", self.read(source))
        self.assertEqual(self.whats()["cstrike/renamed.sma"], whats[source])

    def test_a_plugin_is_known_by_what_it_registers(self):
        self.plugin("mine.amxx", b"AFK Watch", b"2.0", b"goldsmith")
        self.plugin("older.amxx", b"afk watch", b"1.0", b"Goldsmith", arguments=5)
        self.plugin("newer.amxx", b"AFK Watch", b"77", b"goldsmith")
        self.plugin("other author.amxx", b"AFK Watch", b"2.0", b"Somebody")
        self.plugin("unknown.amxx", b"Nothing", b"1", b"Somebody")
        whats = self.whats()
        self.assertEqual(whats[PLUGINS + "mine.amxx"], "plugin afk-watch 2.0")
        self.assertEqual(whats[PLUGINS + "newer.amxx"], "plugin afk-watch 77, a version that is not known")
        self.assertEqual(whats[PLUGINS + "other author.amxx"], 'Unknown plugins: "AFK Watch" 2.0 by Somebody')
        self.assertEqual(whats[PLUGINS + "unknown.amxx"], 'Unknown plugins: "Nothing" 1 by Somebody')
        self.assertRegex(whats[PLUGINS + "older.amxx"], "^plugin afk-watch 1")

    def test_what_a_component_has_there_is_not_a_plugin_of_another_version(self):
        known = self.get("/server/known-files.txt").decode()
        path = PLUGINS + "afk_watch.amxx"
        known = known.replace(f" - {COMMON}\n", f" - {COMMON}\n{'0' * 24} - {path}\n")
        (self.here / "known").write_text(known, encoding="utf-8")
        self.install(BEFORE)
        self.plugin("afk_watch.amxx", b"AFK Watch", b"77", b"goldsmith")
        output = self.adopt("--known", str(self.here / "known"))
        self.assertIn(f"Changed:\n  {path}  (not as in amber-platform 1.10.2)\n", output)
        self.assertNotIn("plugins=", output)
        self.plugin("afk_watch.amxx", b"AFK Watch", b"2.0", b"goldsmith")
        self.assertIn("plugins=afk-watch", self.adopt("--known", str(self.here / "known")))

    def test_only_what_a_list_names_is_in_the_link(self):
        self.plugin("afk_watch.amxx", b"AFK Watch", b"2.0", b"goldsmith")
        self.plugin("map_clock.amxx", b"Map Clock", b"9", b"goldsmith")
        self.assertEqual(self.link(self.adopt()), "?plugins=afk-watch,map-clock")
        self.write(LISTS + "plugins.ini", b"; map_clock.amxx\r\nafk_watch.amxx debug ; mine\r\n")
        output = self.adopt()
        self.assertEqual(self.link(output), "?plugins=afk-watch")
        self.assertIn("not loaded: no list names it", output)
        self.assertIn("would refuse this selection as it is:\n  Plugins need a plugin platform", output)
        self.assertNotIn("update.sh", output)
        self.assertEqual(self.link(self.adopt("--pin")), "?plugins=afk-watch@2.0")
        listed = self.read(LISTS + "plugins.ini")
        self.install("?components=anvil-engine,forge-gamedll,hearth-loader,amber-platform")
        self.write(LISTS + "plugins.ini", listed)
        output = self.adopt()
        self.assertTrue(output.endswith("since plugins-svc.ini loads the plugins:\n  afk_watch.amxx\n"), output)

    def test_a_plugin_that_is_known_to_fail_is_named(self):
        known = self.get("/server/known-files.txt").decode()
        known = re.sub(r"(?m)^(version 2\.0 latest afk_watch\.amxx)$", "\\1\nfault 1.10 \x1b[2Jbad load", known)
        (self.here / "known").write_text(known, encoding="utf-8")
        self.plugin("afk_watch.amxx", b"AFK Watch", b"2.0", b"goldsmith")
        self.assertIn("known to fail with AMX Mod X 1.10: ?[2Jbad load", self.adopt("--known", str(self.here / "known")))

    def test_what_is_no_plugin_is_known_by_its_name_alone(self):
        good = compiled(b"AFK Watch", b"2.0", b"goldsmith")
        bad = {"empty": b"", "text": b"hello", "cut": good[:60], "magic": compiled(b"AFK Watch", b"2.0", b"goldsmith", magic=1),
               "compact": compiled(b"AFK Watch", b"2.0", b"goldsmith", flags=4),
               "silent": compiled(b"AFK Watch", b"2.0", b"goldsmith", natives=("other",)),
               "bomb": good[:24] + zlib.compress(bytes(50_000_000))}
        for name, content in bad.items():
            self.write(PLUGINS + name + "/afk_watch.amxx", content)
        whats = self.whats()
        for name in bad:
            self.assertEqual(whats[PLUGINS + name + "/afk_watch.amxx"],
                             "Plugins that may be known by their file name alone: afk-watch", name)
        self.assertIn("Nothing here is known", self.adopt("--pin"))

    def test_names_that_plugins_register_are_printed_harmlessly(self):
        self.plugin("a.amxx", b"\x1b[2J\x07x", b"\xc2\x9b31m\t1", b"\xe2\x80\xae\xffx \xd0\xb6")
        output = self.adopt()
        self.assertIn('("?[2J?x" ?31m?1 by ??x \u0436)', output)


# What loads, and what needs it; the rules of a service.
LOADED = """goldsmith-known-files 1
service https://example.org
largest 5000000
exclusive engine gamedll metamod amxmodx auth
component anvil engine selectable Anvil
version 3.14.0.857 latest
{anvil} m engine_i486.so
version 3.12.0.1 older
{old_anvil} m engine_i486.so
component forge gamedll selectable Forge
version 5.1 latest
{forge} m cstrike/dlls/cs.so
component hearth metamod selectable Hearth
version 1.3.0 latest
{hearth} m cstrike/addons/metamod/hearth.so
component ember metamod selectable Ember
rule conflicts anvil engine - >=3.14
version 1.21p1 latest
{ember} m cstrike/addons/metamod/metamod.so
component warden auth selectable Warden
rule requires hearth metamod - -
rule requires anvil engine - -
rule conflicts anvil engine - <3.13
reads cstrike/addons/warden/warden.cfg @library/warden.cfg cstrike/warden.cfg warden.cfg
identity cstrike/addons/warden/warden.cfg Salt
version 0.2.0 latest
{warden} m cstrike/addons/warden/warden_mm.so
{warden_cfg} c cstrike/addons/warden/warden.cfg
component choir voice selectable Choir
rule requires warden auth - >=0.3
version 1.0 latest
{choir} m cstrike/addons/choir/choir_mm.so
component amber-2 amxmodx selectable Amber 2
rule requires hearth metamod - -
version 2.0.0 latest
{amber_2} m cstrike/addons/amxmodx/dlls/amxmodx_mm_i386.so
{users} c cstrike/addons/amxmodx/configs/users.ini
component amber-1 amxmodx selectable Amber 1
rule requires hearth metamod - -
version 1.9.0.5 latest
{amber_1} m cstrike/addons/amxmodx/dlls/amxmodx_mm_i386.so
{users} c cstrike/addons/amxmodx/configs/users.ini
plugin afk-watch AFK Watch
author goldsmith
version 2.0 latest afk_watch.amxx
end
"""
AMBER = "amxmodx/dlls/amxmodx_mm_i386.so"


class Loaded(AdoptCase):
    def setUp(self):
        super().setUp()
        self.know(LOADED)

    def know(self, text):
        prefixes = {name: hashlib.sha256(name.encode()).hexdigest()[:24] for name in re.findall(r"\{(\w+)\}", text)}
        (self.here / "known").write_text(text.format(**prefixes), encoding="utf-8")

    def server(self, loader, plugins=(), **files):
        """A server whose liblist.gam loads `loader`, and Metamod the plugins; of files {content: path}."""
        for content, path in files.items():
            self.write("cstrike/addons/" + path, content.encode())
        self.write("cstrike/liblist.gam", f'game "x"\r\ngamedll_linux "addons/{loader}"\r\n'.encode())
        self.write("cstrike/addons/metamod/plugins.ini", "".join(f"linux addons/{path}\n" for path in plugins).encode())
        return self.tell()

    def tell(self, *arguments):
        return self.adopt("--known", str(self.here / "known"), *arguments)

    def told(self):
        return json.loads(self.tell("--json"))

    def query(self, address):
        return address and address.partition("?components=")[2]

    def loaded(self):
        """{component: whether it is loaded}"""
        return {each["component"]: each["loaded"] for each in self.told()["components"]}

    def test_a_component_is_known_by_content_wherever_it_is(self):
        for loader in ("metamod/dlls/metamod.so", "metamod/metamod.so", "metamod.so"):
            with self.subTest(loader=loader):
                shutil.rmtree(self.folder / "cstrike", ignore_errors=True)
                self.write(ENGINE, b"anvil")
                output = self.server(loader, ["./metamod//dlls\\warden.so"], hearth=loader, warden="metamod/dlls/warden.so")
                self.assertEqual(self.link(output), "?components=anvil,hearth,warden")
                self.assertRegex(output, r"(?m)^  hearth +1\.3\.0 +1 file$")
                self.assertIn("curl -fo update.sh", output)

    def test_of_two_loaders_the_one_that_loads_is_in_the_link(self):
        places = {"hearth": "metamod/hearth.so", "ember": "metamod/metamod.so", "amber_2": AMBER}
        output = self.server("metamod/metamod.so", [AMBER], **places)
        self.assertEqual(self.link(output), "?components=ember,amber-2")
        self.assertRegex(output, r"(?m)^  hearth .*\(is there, but nothing loads it: cstrike/liblist\.gam loads "
                                 r"cstrike/addons/metamod/metamod\.so\)$")
        self.assertEqual(self.link(self.server("metamod/hearth.so")), "?components=hearth,amber-2")

    def test_of_two_libraries_of_a_component_the_one_that_loads_counts(self):
        self.write(ENGINE, b"anvil")
        places = {"hearth": "metamod/hearth.so", "warden": "warden/warden_mm.so"}
        self.write("cstrike/addons/mine/warden.so", b"warden")
        output = self.server("metamod/hearth.so", ["mine/warden.so"], **places)
        self.assertIn("  cstrike/addons/warden/warden_mm.so: warden 0.2.0, is there, but nothing loads it\n", output)
        self.assertEqual(self.link(output), "?components=anvil,hearth,warden")
        self.write("cstrike/addons/warden/warden_mm.so", b"older")
        self.write("cstrike/addons/amxmodx-1/dlls/amxmodx_mm_i386.so", b"amber_1")
        output = self.server("metamod/hearth.so", ["mine/warden.so", "amxmodx-1/dlls/amxmodx_mm_i386.so"], amber_2=AMBER)
        self.assertIn("  cstrike/addons/warden/warden_mm.so: in the place of warden, is there, but nothing loads it\n", output)
        self.assertRegex(output, r"(?m)^  amber-2 .*\(is there, but nothing loads it")
        self.assertEqual(self.link(output), "?components=anvil,hearth,warden,amber-1")

    def test_what_nothing_loads_is_told_and_not_in_the_link(self):
        self.write(ENGINE, b"anvil")
        self.write("cstrike/" + ENGINE, b"anvil")
        output = self.server("metamod/hearth.so", [AMBER], hearth="metamod/hearth.so", warden="warden/warden_mm.so", amber_2=AMBER)
        self.assertIn("  cstrike/engine_i486.so: anvil 3.14.0.857, is there, but nothing loads it\n", output)
        self.assertRegex(output, r"(?m)^  warden .*\(is there, but nothing loads it: cstrike/addons/metamod/plugins\.ini does not name it\)$")
        self.assertEqual(self.link(output), "?components=anvil,hearth,amber-2")
        self.assertEqual(self.loaded(), {"anvil": True, "hearth": True, "warden": False, "amber-2": True})
        output = self.server("metamod/hearth.so", warden="old/warden_mm.so")
        self.assertIn("a copy of cstrike/addons/warden/warden_mm.so of warden\tcstrike/addons/old/warden_mm.so", self.tell("--files"))
        self.assertIn("  cstrike/addons/old/warden_mm.so: warden 0.2.0, is there, but nothing loads it\n", output)

    def test_liblist_is_read_as_the_engine_reads_it(self):
        self.server("metamod/hearth.so", [AMBER], hearth="metamod/hearth.so", amber_2=AMBER)
        self.write("cstrike/dlls/cs.so", b"forge")
        metamod, game = b"addons/metamod/hearth.so", b"dlls/cs.so"
        for text, is_metamod in ((b'gamedll_linux "%s"' % metamod, True), (b"GAMEDLL_LINUX %s" % metamod, True),
                                 (b'game "x" // y\ngamedll_linux\n"%s"' % metamod, True), (b'gamedll "%s"\ngamedll_linux "%s"' % (metamod, game), False),
                                 (b'// gamedll_linux "%s"\r\ngamedll_linux "%s"' % (metamod, game), False),
                                 (b'gamedll_linux "%s"\ngamedll_linux "%s"' % (metamod, game), True),
                                 (b'gamedll_linux "x.dll"\ngamedll_linux "%s"' % game, False),
                                 (b'gamedll_linux "../cstrike/./addons\\metamod/hearth.so"', True)):
            self.write("cstrike/liblist.gam", text)
            self.assertEqual(self.loaded(), {"forge": True, "hearth": is_metamod, "amber-2": is_metamod}, text)

    def test_start_scripts_and_linuxgsm_say_what_is_loaded(self):
        self.folder = self.here / "home/serverfiles"
        self.server("metamod/hearth.so", [AMBER], hearth="metamod/hearth.so", amber_2=AMBER)
        self.write("cstrike/liblist.gam", b'gamedll_linux "dlls/cs.so"\n')
        self.write("cstrike/dlls/cs.so", b"forge")
        off = {"forge": True, "hearth": False, "amber-2": False}
        on = dict.fromkeys(off, True)
        self.write("start.sh", b"#!/bin/sh\n# ./hlds_run -dll addons/metamod/hearth.so\n./hlds_run -game cstrike -dll $mine\n")
        self.assertEqual(self.loaded(), off)
        self.write("start.sh", b"#!/bin/sh\nexec ./hlds_run -game cstrike \\\n  -dll 'addons/metamod/hearth.so' +map de_dust2\n")
        self.assertEqual(self.loaded(), on)
        os.unlink(self.folder / "start.sh")
        config = self.here / "home/lgsm/config-lgsm/csserver"
        config.mkdir(parents=True)
        for name, value, expected in (("_default.cfg", "-game cstrike -dll addons/metamod/hearth.so", on), ("common.cfg", "-game cstrike", off),
                                      ("csserver.cfg", "-dll addons/metamod/hearth.so -game cstrike", on)):
            (config / name).write_text(f'ip="0.0.0.0"\nstartparameters="{value}"\n')
            self.assertEqual(self.loaded(), expected, name)

    def test_a_dll_of_a_start_script_outlives_the_lists(self):
        self.server("metamod/hearth.so", [AMBER], hearth="old/metamod.so", amber_2=AMBER)
        self.write("run.sh", b"./hlds_linux -dll addons/old/metamod.so\n")
        self.assertIn("\nrun.sh (-dll) says what is loaded, whatever a build has: take that out.\n", self.tell())
        os.unlink(self.folder / "run.sh")
        self.assertEqual(self.told()["overrides"], [])
        self.write("cstrike/dlls/re.so", b"forge")
        self.write("cstrike/mine.ini", b"linux addons/x.so")
        self.write("cstrike/addons/metamod/config.ini", b"gamedll dlls/re.so\nplugins_file mine.ini\n")
        self.assertEqual(self.told()["overrides"], ["cstrike/addons/metamod/config.ini"])

    def test_settings_of_metamod_say_what_is_loaded(self):
        self.server("metamod/hearth.so", [AMBER], hearth="metamod/hearth.so", amber_2=AMBER)
        self.write("cstrike/dlls/cs.so", b"somebody's")
        self.write("cstrike/dlls/re.so", b"forge")
        self.write("cstrike/addons/mine.ini", b"; linux addons/none.so\nwin32 addons/amxmodx/dlls/amxmodx_mm_i386.so\nLinux addons/x.so\n")
        self.assertEqual(self.loaded(), {"hearth": True, "amber-2": True})
        self.write("cstrike/addons/metamod/config.ini", b"// gamedll x\ngamedll dlls/re.so\nplugins_file addons/mine.ini\n")
        self.assertEqual(self.loaded(), {"hearth": True, "amber-2": False, "forge": True})
        # Metamod-r has no such setting, and looks beside itself.
        hearth = b"Metamod-r version 1"
        prefix = hashlib.sha256(hearth).hexdigest()[:24]
        self.know(LOADED.replace("{hearth}", prefix))
        self.write("cstrike/addons/metamod/hearth.so", hearth)
        self.assertEqual(self.loaded(), {"hearth": True, "amber-2": True, "forge": True})
        self.write("cstrike/autoexec.cfg", b"echo x; localinfo mm_pluginsfile addons/mine.ini\n")
        self.assertFalse(self.loaded()["amber-2"])
        self.write("cstrike/autoexec.cfg", b"")
        self.write("cstrike/server.cfg", b"localinfo mm_pluginsfile addons/mine.ini\n")  # too late
        self.assertTrue(self.loaded()["amber-2"])
        self.write("start.sh", b"./hlds_run +localinfo mm_pluginsfile addons/mine.ini +localinfo mm_gamedll dlls/cs.so\n")
        self.assertEqual(self.loaded()["amber-2"], False)
        found = self.told()
        self.assertEqual((found["guesses"], [each["path"] for each in found["places"]]), (["forge"], ["cstrike/dlls/re.so", "cstrike/dlls/cs.so"]))

    def test_lists_of_amx_mod_x_say_what_is_loaded(self):
        self.server("metamod/hearth.so", [AMBER], hearth="metamod/hearth.so", amber_2=AMBER)
        self.write(PLUGINS + "a.amxx", compiled(b"AFK Watch", b"2.0", b"goldsmith"))
        off = "not loaded: no list names it"
        for name, text, remark in (("plugins.ini", b"a.amxx\n", ""), ("plugins.ini", b"a.amxx disabled\n", off), ("plugins.ini", b";a.amxx\n", off),
                                   ("plugins-mine.ini", b"\ta.amxx debug\r\n", ""), ("pluginsold.ini", b"a.amxx\n", off),
                                   ("maps/plugins-de.ini", b"a.amxx\n", "loaded on some maps alone")):
            shutil.rmtree(self.folder / LISTS, ignore_errors=True)
            self.write(LISTS + "plugins.ini", b"; none\n")
            self.write(LISTS + name, text)
            found = self.told()
            self.assertEqual(found["plugins"][0]["remark"], remark, (name, text))
            self.assertEqual("afk-watch" in found["link"], not remark, (name, text))
        self.write(LISTS + "core.ini", b"; x\namxx_configsdir\taddons/mine\namxx_plugins addons/mine/all.ini\n")
        self.write("cstrike/addons/mine/all.ini", b"b.amxx\n")
        self.assertEqual(self.told()["plugins"][0]["remark"], off)
        self.write("cstrike/addons/mine/plugins-x.ini", b"a.amxx\n")
        self.assertEqual(self.told()["plugins"][0]["remark"], "")
        self.write("cstrike/liblist.gam", b"gamedll_linux dlls/cs.so")
        found = self.told()
        self.assertEqual(found["plugins"][0]["remark"], "not loaded: AMX Mod X is not")
        self.assertIsNone(found["link"])

    def test_what_is_newer_than_here_stays(self):
        self.write(ENGINE, b"\0Anvil version: 3.15.0.898-dev\0")
        output = self.server("metamod/hearth.so", ["warden/warden_mm.so", AMBER], hearth="metamod/hearth.so",
                             warden="warden/warden_mm.so", amber_2=AMBER)
        self.assertIn('says "Anvil" 3.15.0.898-dev of itself; newer than here: yours stays as it is\n', output)
        self.assertEqual(self.link(output), "?components=hearth,amber-2")
        self.assertIn("Not in it, because yours stays as it is: anvil.\nWhat needs that stays, too: warden.\n", output)
        found = self.told()
        self.assertEqual((found["stays"], found["stays_with"], found["problems"]), (["anvil"], ["warden"], []))
        self.assertEqual(self.query(found["whole"]), "anvil,hearth,warden,amber-2")
        self.assertEqual(found["lines"], [])  # update.sh keeps that of Metamod's list
        self.write(ENGINE, b"\0Anvil version: 3.13.0.1-dev\0")
        self.assertEqual(self.link(self.tell()), "?components=anvil,hearth,warden,amber-2")

    def test_a_newer_line_is_newer_where_that_is_not_here(self):
        self.know(re.sub(r"component amber-2(.|\n)*?(?=component amber-1)", "", LOADED))
        self.server("metamod/hearth.so", [AMBER], hearth="metamod/hearth.so")
        self.write("cstrike/addons/" + AMBER, b"\x001.10.0.5486\0")
        self.write(PLUGINS + "a.amxx", compiled(b"AFK Watch", b"2.0", b"goldsmith"))
        found = self.told()
        self.assertIn("newer than here: yours stays as it is", found["places"][0]["what"])
        self.assertEqual((self.query(found["link"]), found["stays"]), ("hearth", ["amber-1"]))
        self.assertEqual(self.query(found["whole"]), "hearth,amber-1&plugins=afk-watch")

    def test_within_a_line_the_newest_of_that_line_counts(self):
        self.server("metamod/hearth.so", [AMBER], hearth="metamod/hearth.so")
        for said, stays in ((b"1.9.0.9", ["amber-1"]), (b"1.9.0.4", []), (b"1.9.0.5-manual", ["amber-1"])):
            self.write("cstrike/addons/" + AMBER, b"\0" + said + b"\0")
            self.assertEqual(self.told()["stays"], stays, said)

    def test_a_component_of_another_make_stays_as_it_is(self):
        self.write(ENGINE, b"anvil")
        self.write("cstrike/addons/metamod/metamod.so", b"\n$Pg: Ember -- 1.21.1-am | Jan 1 2019 $\n")
        output = self.server("metamod/metamod.so", [AMBER], amber_2=AMBER)
        self.assertIn("of another make than here: yours stays as it is\n", output)
        self.assertEqual(self.link(output), "?components=anvil")
        self.assertIn("What needs that stays, too: amber-2.\n", output)
        self.assertIn("\nThen let cstrike/liblist.gam load what it loads now, in place of its own:\n"
                      '  gamedll_linux "addons/metamod/metamod.so"\n', output)
        self.assertEqual(self.query(self.told()["whole"]), "anvil,hearth,amber-2")  # a rule forbids Ember there

    def test_a_loader_that_nobody_knows_stays(self):
        self.write(ENGINE, b"anvil")
        self.write("cstrike/addons/mine/metamod.so", b"mine")
        self.assertEqual(self.link(self.server("mine/metamod.so", ["x.so", AMBER, "b.so"], amber_2=AMBER)), "?components=anvil")
        found = self.told()
        self.assertEqual([each["line"] for each in found["lines"]], ['gamedll_linux "addons/mine/metamod.so"'])
        self.assertEqual((found["stays"], found["stays_with"]), (["cstrike/addons/mine/metamod.so"], ["amber-2"]))
        self.assertEqual(self.query(found["whole"]), "anvil,hearth,amber-2")

    def test_a_newer_metamod_r_is_known_by_its_version(self):
        self.write("cstrike/addons/metamod/hearth.so", b"\x7fELF\0Metamod-r version %s\0001.3.0.150\0001.3.0.150\0")
        self.server("metamod/hearth.so", [])
        self.assertIn('says "Metamod-r" 1.3.0.150 of itself; newer than here', self.told()["places"][0]["what"])

    def test_what_the_service_would_refuse_has_no_commands(self):
        self.write(ENGINE, b"anvil")
        output = self.server("metamod/none.so", ["warden/warden_mm.so", "choir/choir_mm.so"], warden="warden/warden_mm.so",
                             choir="choir/choir_mm.so")
        self.assertIn("would refuse this selection as it is:\n  Choir 1.0 needs Warden 0.3 or newer.\n  Warden needs Hearth or Ember.\n", output)
        self.assertNotIn("update.sh", output)
        self.assertIn("The page of the link says what completes it", output)
        found = self.told()
        self.assertEqual((found["problems"], found["whole"]), (["Choir 1.0 needs Warden 0.3 or newer.", "Warden needs Hearth or Ember."], None))
        os.unlink(self.folder / "cstrike/addons/choir/choir_mm.so")
        self.assertIn("\nThis goes together:\n  https://", self.tell())
        self.assertEqual(self.query(self.told()["whole"]), "anvil,hearth,warden")

    def test_a_pair_that_a_rule_forbids_is_told(self):
        self.write(ENGINE, b"anvil")
        output = self.server("metamod/metamod.so", [], ember="metamod/metamod.so")
        self.assertIn("as it is:\n  Ember 1.21p1 can't be used together with Anvil 3.14 or newer.\n", output)
        self.assertNotIn("update.sh", output)
        self.write(ENGINE, b"old_anvil")
        places = {"hearth": "metamod/hearth.so", "warden": "warden/warden_mm.so"}
        output = self.server("metamod/hearth.so", ["warden/warden_mm.so"], **places)
        self.assertIn("\nAs it is now: Warden 0.2.0 can't be used together with Anvil before 3.13.\n", output)
        self.assertEqual(self.link(output), "?components=anvil,hearth,warden")  # with the newest versions
        self.know(LOADED.replace("version 0.2.0 latest", "version 0.3.0 latest\nversion 0.2.0 older"))
        self.write(ENGINE, b"anvil")
        output = self.server("metamod/hearth.so", ["warden/warden_mm.so", "choir/choir_mm.so"], choir="choir/choir_mm.so", **places)
        self.assertIn("\nAs it is now: Choir 1.0 needs Warden 0.3 or newer.\n", output)
        self.assertEqual(self.link(output), "?components=anvil,hearth,warden,choir")

    def test_what_is_held_in_all_versions_is_not_available(self):
        self.know(LOADED.replace("version 1.3.0 latest", "version 1.3.0 held It crashes."))
        output = self.server("metamod/hearth.so", [], hearth="metamod/hearth.so")
        self.assertIn("as it is:\n  Hearth is held here: It crashes.", output)
        self.assertNotIn("update.sh", output)

    def test_a_list_that_a_build_writes_anew_is_no_configuration(self):
        self.know(LOADED.replace("version 1.3.0 latest", "reads cstrike/addons/metamod/plugins.ini @library/plugins.ini\nversion 1.3.0 latest"))
        output = self.server("metamod/hearth.so", ["warden/warden_mm.so"], hearth="metamod/hearth.so", warden="warden/warden_mm.so")
        self.assertIn("Files that a build writes anew:\n  cstrike/addons/metamod/plugins.ini\n  cstrike/liblist.gam\n", output)
        self.assertNotIn("looked for in several places", output)

    def test_configuration_in_the_places_of_its_component(self):
        self.write(ENGINE, b"anvil")
        self.server("metamod/hearth.so", ["warden/warden_mm.so"], hearth="metamod/hearth.so", warden="warden/warden_mm.so")
        counts = "configuration of Warden, counts; it decides which Steam ID players get"
        self.write("cstrike/warden.cfg", b"warden_cfg")
        self.assertIn("Configuration that is looked for in several places:\n  cstrike/warden.cfg  (" + counts + ")\n", self.tell())
        self.write("warden.cfg", b"mine")
        self.write("cstrike/addons/warden/warden.cfg", b"mine, too")
        first = "cstrike/addons/warden/warden.cfg"
        late = f"configuration of Warden, does not count, because {first} comes first"
        found = self.told()
        self.assertEqual([(each["path"], each["what"]) for each in found["files"] if each["kind"] == "configuration"],
                         [(first, counts), ("cstrike/warden.cfg", late), ("warden.cfg", late)])
        self.assertEqual(found["configuration"], [{"component": "warden", "counts": path == first, "path": path}
                                                  for path in (first, "cstrike/warden.cfg", "warden.cfg")])
        # Its library is elsewhere.
        (self.folder / "cstrike/addons/mine").mkdir()
        os.rename(self.folder / "cstrike/addons/warden/warden_mm.so", self.folder / "cstrike/addons/mine/w.so")
        self.server("metamod/hearth.so", ["mine/w.so"])
        what = {each["path"]: each["what"] for each in self.told()["files"] if each["kind"] == "configuration"}
        self.assertEqual(what, {first: "configuration of Warden, does not count, because nothing looks there", "cstrike/warden.cfg": counts,
                                "warden.cfg": late.replace(first, "cstrike/warden.cfg")})

    def test_configuration_is_that_of_the_component_that_is_there(self):
        self.server("metamod/hearth.so", [AMBER], hearth="metamod/hearth.so", amber_1=AMBER)
        path = LISTS + "users.ini"
        self.write(path, b"mine")
        self.assertEqual(self.whats_of(path), "Edited configuration: amber-1")
        self.write("cstrike/addons/" + AMBER, b"\x001.9.0.4\0")
        self.assertEqual(self.whats_of(path), "Edited configuration: amber-1")
        self.write(path, b"users")
        self.assertEqual(self.whats_of(path), "as in amber-1 1.9.0.5")
        self.know(LOADED.replace("{users}", "{other}", 1))
        self.write(path, b"other")  # as in amber-2
        self.write("cstrike/addons/" + AMBER, b"amber_1")
        self.assertEqual(self.whats_of(path), "Edited configuration: amber-1")

    def whats_of(self, path):
        return next(line.split("\t")[0] for line in self.tell("--files").splitlines() if line.endswith("\t" + path))


class Folders(AdoptCase):
    def test_the_folders_of_servers(self):
        self.install("?components=anvil-engine")
        self.write("valve/x", b"x")
        whole = self.adopt("--pin")
        self.folder, server = self.folder / "cstrike", self.folder
        self.assertEqual(self.adopt("--pin"), whole)
        home = self.here / "home"
        for inner in ("serverfiles", "opt/hlds"):
            (home / inner).parent.mkdir(parents=True)
            server.rename(home / inner)
            self.folder = home
            self.assertEqual(self.adopt("--pin").replace("/home/" + inner, "/server"), whole)
            (home / inner).rename(server)
            shutil.rmtree(home)

    def test_the_games_folder_alone(self):
        archive = self.archive(BEFORE)
        game = self.folder / "public"
        for path, content in archive.items():
            if path.startswith("cstrike/"):
                self.write(path.removeprefix("cstrike/"), content, game)
        self.folder = game
        output = self.adopt("--files")
        self.assertIn("amber-platform 1.10.2\tcstrike/addons/amxmodx/dlls/", output)
        self.assertNotIn("anvil-engine 3", output)

    def test_more_than_one_server(self):
        (self.folder / "a/cstrike").mkdir(parents=True)
        (self.folder / "b/cstrike").mkdir(parents=True)
        self.assertIn("more than one server", self.adopt(status=1))

    def test_a_folder_without_a_server_is_refused(self):
        self.assertIn("has neither", self.adopt(status=1))


class Libraries(AdoptCase):
    def setUp(self):
        super().setUp()
        self.write("cstrike/x", b"x")

    def own_words(self, path, **content):
        lines = self.adopt_known("--files", **content).splitlines()
        what = next(line.split("\t")[0] for line in lines if line.endswith("\t" + path))
        return re.sub(r".*says ", "", what) if "says " in what else ""

    def test_a_library_that_is_not_known_says_what_it_is(self):
        path = "cstrike/addons/mine/mine_mm.so"
        self.write(path, library(b"My Plugin", b"1.2b"))
        self.assertEqual(self.own_words(path), '"My Plugin" 1.2b of itself')
        self.write(path, library(b"", b"1.3"))
        self.assertEqual(self.own_words(path), "1.3 of itself")
        self.write(path, library(b"My Plugin", b""))
        self.assertEqual(self.own_words(path), '"My Plugin" of itself')
        self.assertIn(f'\nUnknown:\n  {path}  (says "My Plugin" of itself)\n', self.adopt_known())

    def test_a_library_says_its_version_in_known_texts(self):
        for text, words in ((b"\0Anvil version: 9.8.7-dev\nBuild date: x", '"Anvil" 9.8.7-dev of itself'),
                            (b"\0$Pg: Meta Mod -- 1.21p37 | May 30 2013 $\n", '"Meta Mod" 1.21p37 of itself'),
                            (b"\0Anvil version: %s", ""), (b"\0Anvil version: 9", ""), (b"\0001.9.0.5271\0", "")):
            self.write(ENGINE, b"\x7fELF" + text)
            self.assertEqual(self.own_words(ENGINE), words)

    def test_the_build_of_amx_mod_x(self):
        for text, words in ((b"1.8.3-dev+4758", '"AMX Mod X" 1.8.3-dev+4758 of itself'),
                            (b"1.9.0.5271\0001.2.11\0001.9.0.5271\000127.0.0.1", '"AMX Mod X" 1.9.0.5271 of itself'),
                            (b"1.10.0.5400-manual", '"AMX Mod X" 1.10.0.5400-manual of itself'),
                            (b"1.8.3-dev+4758\0001.9.0.5271", ""), (b"1.2.11", ""), (b"v1.9.0.5271", "")):
            self.write(PLATFORM, b"\0" + text + b"\0")
            self.assertEqual(self.own_words(PLATFORM), words)

    def test_what_a_library_says_is_told_where_its_version_is_not_known(self):
        self.write(PLATFORM, b"\x001.9.0.5271\0")
        output = self.adopt_known()
        self.assertIn(f"  {PLATFORM}: in the place of amxmodx-1-10 or amxmodx-1-9, of no version that is known here; "
                      'says "AMX Mod X" 1.9.0.5271 of itself\n', output)
        self.assertEqual(re.search(r"server\?(components=.*)$", output, re.MULTILINE)[1], "components=amxmodx-1-9")
        self.write(PLATFORM, b"\x001.8.3-dev+4758\0")
        self.assertIn("server?components=amxmodx-1-10\n", self.adopt_known())

    def test_what_a_library_says_counts_less_than_its_content(self):
        engine = b"\0Anvil version: 3.1.4-dev\0"
        self.write(ENGINE, engine)
        self.assertRegex(self.adopt_known(anvil=engine), r"(?m)^  anvil-engine +3\.2\.0 +1 file$")
        self.assertIn('says "Anvil" 3.1.4-dev of itself, but is not the file of that release\n', self.adopt_known())

    def test_what_is_no_record_is_none(self):
        path = "cstrike/addons/x.so"
        good = library(b"Mine", b"1.2")
        for name, content in {"class": library(b"Mine", b"1.2", kind=2), "numbers": library(b"Mine", b"1.2", numbers=(3, 1000)),
                              "interface": library(b"Mine", b"1.2", interface=b"6:1"), "cut": good[:300], "empty": b"", "short": good[:40],
                              "table": good[:28] + b"\xff\xff\xff\xfc" + good[32:],
                              "text": good[:-20] + b"\xff\xff\xff\xff" + good[-16:], "magic": b"x" + good[1:]}.items():
            self.write(path, content)
            self.assertEqual(self.own_words(path), "", name)

    def test_what_libraries_say_is_printed_harmlessly(self):
        path = "cstrike/addons/x.so"
        self.write(path, library(b"\x1b[2J\x07a\tb\nc", b"\xc2\x9b\xe2\x80\xae1" + b"2" * 100))
        self.assertEqual(self.own_words(path), '"?[2J?a?b?c" ??1' + "2" * 58 + " of itself")

    def test_texts_in_libraries_are_looked_for_within_bounds(self):
        path = "cstrike/addons/x.so"
        text = b"\0Anvil version: 9.8.7\0"
        for size, words in ((4_000_000, '"Anvil" 9.8.7 of itself'), (4_300_000, "")):
            self.write(path, bytes(size) + text)
            self.assertEqual(self.own_words(path), words)
        self.write(path, b"5:13\0" * 400_000)
        self.assertEqual(self.own_words(path), "")
        (self.folder / path).unlink()
        for number in range(101):
            self.write(f"cstrike/addons/{number}.so", text + b"%d" % number)
        output = self.adopt_known("--files")
        self.assertIn("  libraries: only 100 of those that are not known are opened\n", output)
        self.assertEqual(output.count('says "Anvil" 9.8.7 of itself\tcstrike'), 100)


class Declarations(AdoptCase):
    def setUp(self):
        super().setUp()
        self.write("cstrike/x", b"x")

    def said(self, *arguments, **content):
        """[(what, file, how it compares)]"""
        lines = self.adopt_known(*arguments, **content).split("Said by files about the server", 1)
        return re.findall(r"(?m)^  (.*), said by ([^ \n]+)(?:  \((.*)\))?$", lines[1].split("\n\n")[0]) if len(lines) > 1 else []

    def test_amxbuild_files_name_versions(self):
        self.write("amxbuild.yml", b"""name: x
amxmodx:
  version: "1.10.5428"  # the compiler
deps:
  - example/three@1.4.2:amxmodx/include
  - repo: example/anvil
    ref: 3.1.4
    source: release
  - ../../etc
repos:
- example/one
- ref: latest
  repo: 'example/two'
  deps_override:
    - repo: example/no
      ref: "7"
    - example/no@8
  exclude:
    - "example/no.sma"
assets:
  sources:
    - source: release
      repo: example/four
      ref: v4
      map:
        - from: example/no
output:
  - example/no
""")
        self.assertEqual(self.said(), [("AMX Mod X 1.10.0.5428", "amxbuild.yml", "not here"),
                                       ("example/three 1.4.2", "amxbuild.yml", "not known here"),
                                       ("example/anvil 3.1.4", "amxbuild.yml", "anvil-engine 3.1.4 is not here"),
                                       ("example/one", "amxbuild.yml", "not known here"),
                                       ("example/two", "amxbuild.yml", "not known here"),
                                       ("example/four v4", "amxbuild.yml", "not known here")])

    def test_lists_of_dependencies_name_versions(self):
        self.write("DEPS_LIST", b"example/four@2:include\r\n# example/no\nhttps://github.com/example/five.git\n\x1b[2J/x\n")
        self.assertEqual(self.said(), [("example/four 2", "DEPS_LIST", "not known here"), ("example/five", "DEPS_LIST", "not known here")])

    def test_amxxpack_files_name_versions(self):
        text = (b'{"version": "7", "compiler": {"dir": "./x", "version": "1.9.0-git5294", "dev": true},\n"minimum": "8", "thirdparty": '
                b'{"dependencies": [{"name": "x", "url": "https://github.com/example/five/releases/download/v5.1/x-1.0.zip"}]},'
                b'"context": {"PLUGIN_VERSION": "1.0.0"}}')
        expected = [("AMX Mod X 1.9.0-git5294", ".amxxpack.json", "amxmodx-1-9 1.9.0.5294 is not here"),
                    ("example/five v5.1", ".amxxpack.json", "not known here")]
        for content in (text, text.replace(b", ", b",\n  ").replace(b"{", b"{\n")):
            self.write(".amxxpack.json", content)
            self.assertEqual(self.said(), expected)

    def test_docker_files_name_versions(self):
        self.write("Dockerfile", b"""FROM debian:12
# ARG HEARTH_VERSION=9.9.9
ARG ANVIL_VERSION=3.1.4
ARG amxx_version="1.9.0"
ARG amxx_build=5294
ARG HEARTH_VERSION=1.2.0
ENV PYTHON_VERSION=3.12 RCON_PASSWORD=hunter2 BUILD=${AMXX_BUILD}
ENV archive amxmodx-$amxx_version-git${amxx_build}-base-linux.tar.gz
ARG rest=https://github.com/example
RUN curl -sLO "$rest/anvil/releases/download/${ANVIL_VERSION}/anvil.zip" && x="https://www.example.org/$archive" \\
    && curl "https://example.org/mine-1.0.zip" "https://example.org/hearth_1.3.0.zip" "https://example.org/hearth-latest.zip" \\
    && curl https://example.org/amxmodx-1.9.0-dev-git5202-cstrike-linux.tar.gz \\
    && curl https://github.com/elsewhere/Hearth/releases/download/1.0/x.zip https://github.com/a/b/releases/download/$unknown/x.zip
FROM example/hlds:${amxx_build} AS run
""")
        self.assertEqual(self.said(), [("example/anvil 3.1.4", "Dockerfile", "anvil-engine 3.1.4 is not here"),
                                       ("amxmodx 1.9.0-git5294", "Dockerfile", "amxmodx-1-9 1.9.0.5294 is not here"),
                                       ("hearth 1.3.0", "Dockerfile", "hearth-loader 1.3.0 is not here"),
                                       ("amxmodx 1.9.0-dev-git5202", "Dockerfile", "not here"),
                                       ("elsewhere/Hearth 1.0", "Dockerfile", "named like hearth-loader; not here"),
                                       ("a/b", "Dockerfile", "not known here"),
                                       ("image example/hlds:5294", "Dockerfile", "")])
        self.assertNotIn("hunter2", self.adopt_known("--files"))

    def test_versions_in_variables_of_docker_files_are_told(self):
        self.write("compose.yaml", b"services:\n  cs:\n    image: 'example/cstrike:latest'\n    build:\n      args:\n"
                                   b"        ANVIL_VERSION: \"3.2.0\"\n        - HEARTH_BUILD=1.3.0\n        OTHER_VERSION: 4\n"
                                   b"    environment:\n      AMXX_VER: 1.9.0\n      AMXX_BUILD: 5294\n      AMXMODX_BASE_VERSION: latest\n")
        self.assertEqual(self.said(), [("image example/cstrike:latest", "compose.yaml", ""),
                                       ("anvil 3.2.0", "compose.yaml", "anvil-engine 3.2.0 is not here"),
                                       ("hearth 1.3.0", "compose.yaml", "hearth-loader 1.3.0 is not here"),
                                       ("amxx 1.9.0.5294", "compose.yaml", "amxmodx-1-9 1.9.0.5294 is not here")])

    def test_files_of_linuxgsm_name_versions(self):
        self.write("cstrike/x", b"x", self.here / "home/serverfiles")
        home = self.folder = self.here / "home"
        self.write("lgsm/mods/installed-mods.txt", b"hearth\nplatform\nother\n$(touch pwned)\n")
        self.write("lgsm/modules/mods_list.sh", b'hearthversion="1.2-am"\nhearthfile="hearth-${hearthversion}.zip"\n'
                   b'hearthurl="https://example.org/release/${hearthfile}"\nplatformversion=$(wget x)\n'
                   b'mod_info_hearth=(MOD "hearth" "Hearth" "${hearthurl}" "${hearthfile}" "0")\n'
                   b'mod_info_amxx=(MOD "platform" "AMX Mod X" "https://example.org/amxmodx-1.9.0-git5294-base-linux.tar.gz" "x")\n'
                   b'mod_info_anvil=(MOD "anvil" "Anvil" "https://example.org/anvil-3.2.0.zip" "x")\n')
        self.write("serverfiles/steamapps/appmanifest_90.acf", b'"AppState"\n{\n\t"appid"\t"90"\n\t"buildid"\t"1234"\n'
                   b'\t"UserConfig"\n\t{\n\t\t"BetaKey"\t"steam_legacy"\n\t}\n}\n')
        steam = ("Steam app 90, branch steam_legacy, build 1234", "steamapps/appmanifest_90.acf", "")
        mods = [("hearth 1.2", "lgsm/mods/installed-mods.txt", "not here"),
                ("amxmodx 1.9.0-git5294", "lgsm/mods/installed-mods.txt", "amxmodx-1-9 1.9.0.5294 is not here")]
        self.assertEqual(self.said(), [*mods, steam])
        self.folder = home / "serverfiles"
        self.assertEqual(self.said(), [steam, *mods])
        (home / "lgsm/modules/mods_list.sh").unlink()
        self.assertEqual(self.said(), [steam, ("hearth", "lgsm/mods/installed-mods.txt", "not here")])

    def test_the_content_of_the_folder_counts_more_than_lists_of_dependencies(self):
        self.write(ENGINE, b"engine")
        self.write(PLATFORM, b"\x001.9.0.5271\0")
        self.write("DEPS_LIST", b"example/anvil@3.2.0\nexample/hearth@1\nexample/amxmodx@1.9.0.5294\nexample/anvil\n")
        platform = ("example/amxmodx 1.9.0.5294", "DEPS_LIST",
                    'what is here is of no version that is known, and says "AMX Mod X" 1.9.0.5271 of itself')
        self.assertEqual(self.said(anvil=b"engine"), [("example/hearth 1", "DEPS_LIST", "hearth-loader is not here"), platform])
        self.assertIn("\n  2 more, as here\n", self.adopt_known(anvil=b"engine"))
        self.assertEqual(self.said(older_anvil=b"engine")[0], ("example/anvil 3.2.0", "DEPS_LIST", "here is anvil-engine 3.1.4"))
        self.write("DEPS_LIST", b"example/anvil@3.2.0\nelsewhere/anvil@3.1.9\n")
        self.assertEqual(self.said(anvil=b"engine"),
                         [("elsewhere/anvil 3.1.9", "DEPS_LIST", "named like anvil-engine; here is anvil-engine 3.2.0")])
        self.write("DEPS_LIST", b"example/anvil@3.2\n")
        self.assertIn("\nSaid by files about the server: 1, as here\n", self.adopt_known(anvil=b"engine"))
        self.write(PLATFORM, b"platform")
        self.write("DEPS_LIST", b"example/amxmodx@1.10.0.5400\n")
        self.assertEqual(self.said(amxx9=b"platform")[0][2], "here is amxmodx-1-9 1.9.0.5294")

    def test_lists_of_dependencies_name_plugins(self):
        self.write("DEPS_LIST", b"Example/AfkWatch@v2.0\n")
        self.assertEqual(self.said()[0][2], "named like plugin afk-watch, which is not here")
        self.write(PLUGINS + "a.amxx", compiled(b"AFK Watch", b"1.1", b"goldsmith"))
        self.assertEqual(self.said()[0][2], "named like plugin afk-watch, of which 1.1 is here")
        self.write(PLUGINS + "a.amxx", compiled(b"AFK Watch", b"2.0", b"goldsmith"))
        self.assertEqual(self.said(), [])

    def test_links_and_pipes_in_place_of_lists_are_not_read(self):
        elsewhere = self.here / "elsewhere"
        self.write("mods/installed-mods.txt", b"hearth\n", elsewhere)
        self.write("Dockerfile", b"ARG ANVIL_VERSION=1\n", elsewhere)
        self.write("plugins.ini", b"afk_watch.amxx\n", elsewhere)
        (self.folder / "lgsm").symlink_to(elsewhere)
        (self.folder / "Dockerfile").symlink_to(elsewhere / "Dockerfile")
        os.mkfifo(self.folder / "compose.yaml")
        (self.folder / "DEPS_LIST").mkdir()
        (self.folder / "cstrike/addons/amxmodx").mkdir(parents=True)
        (self.folder / "cstrike/addons/amxmodx/configs").symlink_to(elsewhere)
        output = self.adopt_known(is_readable=False)
        self.assertNotIn("Said by", output)

    def test_hostile_lists_of_dependencies_cost_little(self):
        growing = b"".join(b"ARG v%d=$v%d$v%d\n" % (n + 1, n, n) for n in range(40))
        many = b"".join(b"ARG a%d_VERSION=1\n" % n for n in range(600))
        self.write("Dockerfile", b"ARG v0=abcdefgh\n" + growing + many + b"RUN curl https://github.com/a/b/releases/download/$v40/x\n" +
                   b"ARG ANVIL_VERSION=`touch${IFS}pwned`\nARG HEARTH_VERSION=1.\x1b[2J\n" + b"x" * 200_000 +
                   b"\nRUN curl https://github.com/a/late/releases/download/1/x\n")
        self.write("DEPS_LIST", b"".join(b"a/b%d\n" % n for n in range(5000)) + b"$(touch pwned)/x\n-x/-y\n" + b"a/" + b"c" * 5000 + b"\n")
        self.write("amxbuild.yml", b"deps:\n  - repo: a/b\n    ref: '$(touch pwned)1'\n  - repo: \xe2\x80\xae/x\n")
        started = time.monotonic()
        said = self.said("--files")
        self.assertLess(time.monotonic() - started, 30)
        self.assertEqual([what for what, file, _ in said if file == "DEPS_LIST"], [f"a/b{n}" for n in range(100)])
        self.assertEqual([what for what, file, _ in said if file == "Dockerfile"], ["a/b"])
        self.assertEqual([what for what, file, _ in said if file == "amxbuild.yml"], ["a/b"])


class Hostile(AdoptCase):
    def test_links_are_not_followed(self):
        elsewhere = self.here / "elsewhere"
        for path, content in self.archive("?components=anvil-engine@3.2.0").items():
            self.write(path, content, elsewhere)
        (self.folder / "cstrike").mkdir()
        (self.folder / ENGINE).symlink_to(elsewhere / ENGINE)
        (self.folder / "cstrike/addons").symlink_to(elsewhere / "cstrike")
        (self.folder / "amxbuild.yml").symlink_to(elsewhere / ENGINE)
        output = self.adopt("--files")
        self.assertIn("Not looked at:\n  3 links: none is followed\n", output)
        self.assertNotIn(ENGINE, output)

    def test_a_linked_server_is_none(self):
        self.install("?components=anvil-engine")
        home = self.here / "home"
        home.mkdir()
        (home / "serverfiles").symlink_to(self.folder)
        self.folder = home
        self.assertIn("has neither", self.adopt(status=1))

    def test_names_are_printed_harmlessly(self):
        for name in (b"a\nb.so", b"\x1b[2J.so", b"back\\slash.so", b"-rf", b"$(touch pwned)", b"a'b.so", b"\xff\xc2\x9b\xe2\x80\xae.so"):
            path = os.fsencode(self.folder / "cstrike/addons") + b"/" + name
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as file:
                file.write(b"x")
        forged = b"0" * 64 + b"  .\n" + b"0" * 64 + b"  "
        os.makedirs(os.fsencode(self.folder) + b"/" + forged)
        output = self.adopt("--files")
        self.assertIn("4 names with control characters or a backslash", output)
        self.assertNotRegex(output.replace("\n", "").replace("\t", ""), r"[\x00-\x1f\x7f-\x9f\u202a-\u202e\ufffd]")
        for name in ("-rf", "$(touch pwned)", "a'b.so"):
            self.assertIn("cstrike/addons/" + name, output)

    def test_nothing_but_text_reaches_a_terminal_or_an_object(self):
        bad = b"\xc2\x9b|\xe2\x80\xae|\xe2\x81\xa6|\xe2\x80\x8e|\xe2\x80\x8f|\xd8\x9c|\xe2\x80\xa8|\xff|\xed\xa0\x80|\x1b[2J"
        root = os.fsencode(self.folder) + b"/"
        for each in bad.split(b"|")[:-1]:
            for path in (b"cstrike/addons/metamod-%s.so", b"cstrike/maps%s/x", b"%s.sh", b"cstrike/addons/amxmodx/plugins/%s.amxx"):
                os.makedirs(os.path.dirname(root + path % each), exist_ok=True)
                with open(root + path % each, "wb") as file:
                    file.write(b"./hlds_run -dll addons/metamod-%s.so" % bad)
        self.write("cstrike/liblist.gam", b'gamedll_linux "addons/metamod-%s.so"' % bad)
        self.write("cstrike/addons/metamod/plugins.ini", b"linux addons/%s.so\n" % bad)
        self.write(ENGINE, library(bad, bad))
        known = KNOWN.format(*"abcde").replace("a m", "0" * 24 + " m")
        known = re.sub(r"(?m)^[b-e] m .*\n", "", known).encode().replace(b"anvil-engine engine selectable Anvil", b"anvil%s engine selectable %s" % (bad, bad))
        (self.here / "known").write_bytes(known.replace(b"https:", b"%shttps:" % bad).replace(b"version 3.2.0", b"version 3%s" % bad))
        for arguments in ((), ("--files",), ("--json", "--files")):
            output = self.adopt("--known", str(self.here / "known"), *arguments)
            if "--json" in arguments:
                output = json.dumps(json.loads(output), ensure_ascii=False).replace("\\n", "")
                self.assertNotIn("\\u00", output)
            self.assertNotRegex(output.replace("\n", "").replace("\t", ""), "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")

    def test_only_regular_files_are_read(self):
        (self.folder / "cstrike/addons/amxmodx/plugins").mkdir(parents=True)
        os.mkfifo(self.folder / ENGINE)
        os.mkfifo(self.folder / PLUGINS / "afk_watch.amxx")
        os.mkfifo(self.folder / "amxbuild.yml")
        self.assertIn("  3 devices, pipes and the like\n", self.adopt(is_readable=False))

    def test_large_files_are_not_read(self):
        (self.folder / "cstrike").mkdir()
        with open(self.folder / "cstrike/large.so", "wb") as file:
            file.truncate(1 << 40)
        self.assertRegex(self.adopt(is_readable=False), r"(?m)^  1 files of more than [0-9]+ bytes")

    @unittest.skipUnless(os.getuid() == 0, "root reads everything, and may become another user")
    def test_what_may_not_be_read_is_told(self):
        self.install("?components=anvil-engine")
        self.write("cstrike/closed/x", b"x")
        self.give_to_other_user(self.here)
        for name in ("liblist.gam", "closed"):
            os.chmod(self.folder / "cstrike" / name, 0)
            os.chown(self.folder / "cstrike" / name, 0, 0)
        output = self.run_script(self.adopter, "--", user=OTHER_USER, group=OTHER_USER, extra_groups=[]).stdout
        self.assertIn("  2 that may not be read, or are gone\n", output)
        self.assertRegex(output, "(?m)^  anvil-engine ")

    def test_a_folder_with_thousands_of_unknown_files_is_summed_up(self):
        for number in range(3000):
            self.write(f"cstrike/addons/{number}.so", b"x")
            self.write(f"cstrike/{number}/maps/{number}.bsp", b"x")
        output = self.adopt("--pin")
        self.assertIn("  … and 2960 more; --files shows all\n", output)
        self.assertIn("  elsewhere  2960\n", output)
        self.assertLess(len(output.splitlines()), 300)


class Use(AdoptCase):
    def test_a_list_that_was_cut_is_refused(self):
        (self.folder / "cstrike").mkdir()
        known = self.get("/server/known-files.txt")
        place = self.here / "known"
        for content, message in ((known[:-4], "not complete"), (known[:len(known) // 2], "not complete"), (b"", "unknown format"),
                                 (known.replace(b"files 1", b"files 2", 1), "unknown format"),
                                 (re.sub(rb"largest [0-9]+", b"largest x", known), "damaged")):
            place.write_bytes(content)
            self.assertIn(message, self.adopt("--known", str(place), status=1))
        place.write_bytes(known)
        self.adopt("--known", str(place))

    def test_a_service_that_refuses(self):
        (self.folder / "cstrike").mkdir()
        run = self.adopter.read_bytes().replace(b'--service "$service"', b'--service "$service/plugins"')
        self.adopter.write_bytes(run)
        self.assertIn("answered 404", self.adopt(status=1))

    def test_wrong_usage_of_adopt_is_told(self):
        self.assertTrue(self.run_script(self.adopter, "--help").stdout.startswith("Usage: adopt.sh "))
        self.assertIn("unknown option --x", self.run_script(self.adopter, "--x", status=2).stderr)
        self.assertIn("more than one folder", self.run_script(self.adopter, "other", status=2).stderr)
        self.assertIn("no folder", self.adopt(folder=self.here / "none", status=1))

    def test_a_relative_folder_in_the_path_is_refused(self):
        self.environment["PATH"] += ":."
        (self.folder / "cstrike").mkdir()
        self.assertIn("relative", self.adopt(status=3))

    def test_the_locale_chooses_between_english_and_the_language_of_the_download(self):
        self.install(BEFORE)
        english = self.adopt("--files")
        self.adopter.write_bytes(self.get("/server/adopt.sh?lang=pl"))
        for locale in ("C", "pl_PL.UTF-8"):
            self.environment["LANG"] = locale
            self.assertIn("Komponenty:", self.adopt())
        self.environment["LANG"] = "en_US.UTF-8"
        self.assertEqual(self.adopt("--files"), english)

    def test_nothing_else_than_busybox_and_curl_is_needed(self):
        self.install(BEFORE)
        self.write(PLUGINS + "x.amxx", compiled(b"AFK Watch", b"2.0", b"goldsmith"))
        self.write("cstrike/addons/x.so", library(b"Mine", b"1.2"))
        self.write("DEPS_LIST", b"example/four@2\r\n")
        self.write("Dockerfile", b"ARG v=5\nRUN curl https://github.com/a/b/releases/download/${v}.1/x\n")
        self.write("amxbuild.yml", b"deps:\n  - repo: a/c\n    ref: v6\n")
        expected = self.adopt("--files")
        for what in ("plugin afk-watch 2.0", 'says "Mine" 1.2 of itself', "example/four 2,", "a/b 5.1,", "a/c v6,"):
            self.assertIn(what, expected)
        self.use_only_busybox_and_curl()
        self.assertEqual(self.adopt("--files"), expected)

    def test_nothing_about_the_folder_is_sent(self):
        self.install(BEFORE)
        tools = self.here / "spy"
        tools.mkdir()
        spy = tools / "curl"
        spy.write_text(f'#!/bin/sh\nprintf "%s\\n" "$*" >>"{self.here}/calls"\nexec /usr/bin/curl "$@"\n', encoding="utf-8")
        spy.chmod(0o755)
        self.environment["PATH"] = f"{tools}:{os.environ['PATH']}"
        self.adopt()
        calls = (self.here / "calls").read_text(encoding="utf-8").splitlines()
        documents = [re.sub(r"sha256=[0-9a-f]{64}$", "sha256=DIGEST", call.rpartition(" -- ")[2]) for call in calls]
        self.assertEqual(documents, [self.stack.origin + "/server/goldsmith-keeper?sha256=DIGEST",
                                     self.stack.origin + "/server/known-files.txt"])

    def test_the_object_for_programs(self):
        self.install(OLDER)
        self.write("cstrike/addons/mine/mine.so", b"x")
        found = json.loads(self.adopt("--json"))
        engine = next(each for each in found["components"] if each["component"] == "anvil-engine")
        self.assertEqual((engine["version"], engine["state"]), ("3.1.4", "outdated"))
        self.assertEqual(found["counts"]["unknown"], 1)
        self.assertIn({"path": "cstrike/addons/mine/mine.so", "kind": "unknown", "what": ""}, found["files"])
        self.assertEqual(found["link"], f"{self.stack.origin}/server{self.link(self.adopt())}")


if __name__ == "__main__":
    UpdaterCase.stack = Stack(sys.argv.pop(1))
    unittest.main()

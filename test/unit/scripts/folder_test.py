"""What is in folders of servers, by goldsmith-keeper and by the page: folder_test.py GOLDSMITH_KEEPER SERVER_WASM

The script of the page, assets/folder.js, and its module run in Node.js here, as they do in a browser.
"""

import hashlib
import json
import os
import pathlib
import random
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib

ROOT = pathlib.Path(__file__).resolve().parents[3]
LARGEST = 40_000
ENGINE, LOADER, GAME = "engine_i486.so", "cstrike/addons/metamod/loader.so", "cstrike/dlls/cs.so"
PLATFORM = "cstrike/addons/amxmodx/dlls/amxmodx_mm_i386.so"
USERS, COMMON = "cstrike/addons/amxmodx/configs/users.ini", "cstrike/addons/amxmodx/data/lang/common.txt"
SOURCE = "cstrike/addons/amxmodx/scripting/watch.sma"
PLUGINS = "cstrike/addons/amxmodx/plugins/"
CONFIGS = "cstrike/addons/amxmodx/configs/"
# (component, layer, upstream, (role, path), …)
COMPONENTS = [("engine", "engine", "some/engine", ("m", ENGINE)), ("loader", "metamod", "some/loader", ("m", LOADER)),
              ("game", "gamedll", "some/game", ("m", GAME)),
              ("amxmodx", "platform", "some/amxmodx", ("m", PLATFORM), ("c", USERS), ("-", COMMON), ("-", PLUGINS + "admin.amxx"))]

# Reads {name, files, known, pins} and writes what the page makes of it: a problem, or the report.
NODE = """
import fs from 'node:fs';
import { webcrypto } from 'node:crypto';
import { readFolder } from './folder.mjs';
import { Module } from './module.mjs';
globalThis.crypto ??= webcrypto;
const { name, files, known, pins, texts, console: printed } = JSON.parse(fs.readFileSync(0, 'utf-8'));
const module = await Module.start(new Uint8Array(fs.readFileSync(process.argv[2])), (text) => texts[text] ?? text);
const given = files.map(({ path, file }) => ({ path, file: new Blob([fs.readFileSync(file)]) }));
const wrong = module.call('know', new Uint8Array(fs.readFileSync(known)));
let problem = wrong ? `the list is wrong: ${wrong}` : '';
if (printed) problem ||= module.call('read_console', new Uint8Array(Buffer.from(printed, 'latin1'))) ? '' : 'nothing';
else problem ||= await readFolder(module, { name, files: given }, () => true);
process.stdout.write(problem || module.text(module.exports.report(pins)));
"""


def compiled(name, version, author):
    """A compiled plugin that registers itself."""
    head, native = 56, b"register_plugin\0"
    table = head + 8
    code = (table + len(native) + 3) // 4 * 4
    literals, data = [], []
    for text in (author, version, name):
        literals.append(4 * len(data))
        data += [*text, 0]
    cells = [46, 0, *(cell for literal in literals for cell in (39, literal)), 39, 12, 123, 0, 44, 16]
    size = code + 4 * len(cells) + 4 * len(data)
    image = struct.pack("<IHBBHH", size, 0xF1E0, 8, 8, 0, 8)
    image += struct.pack("<11I", code, code + 4 * len(cells), size, size + 4096, 0, head, head, table, table, table, table)
    image += struct.pack("<II", 0, table) + native
    image = image.ljust(code, b"\0") + struct.pack(f"<{len(cells)}I", *cells) + struct.pack(f"<{len(data)}I", *data)
    packed = zlib.compress(image)
    return struct.pack("<IHBBIIII", 0x414D5858, 0x300, 1, 4, len(packed), len(image), len(image), 24) + packed


def prefix(content):
    return hashlib.sha256(content).hexdigest()[:24]


def content_of(path, version):
    return f"{path} {version}\n\x7fsecond line\n".encode() * (1 + version)


def known_files():
    lines = ["goldsmith-known-files 1", "service https://example.org", f"largest {LARGEST}", "exclusive engine gamedll metamod platform"]
    for slug, layer, upstream, *files in COMPONENTS:
        lines += [f"component {slug} {layer} selectable {slug.title()}", f"upstream {upstream}"]
        for version, state in ((3, "latest"), (2, "older"), (1, "held It crashes.")):
            lines.append(f"version {version}.0.{version} {state}")
            lines += [f"{prefix(content_of(path, version))} {role} {path}" for role, path in files]
    lines += ["plugin watch Watch", "author somebody", "version 2.0 latest watch.amxx", f"{prefix(content_of(SOURCE, 2))} s {SOURCE}",
              f"{prefix(content_of('watch.cfg', 2))} c {CONFIGS}watch.cfg", "version 1.0 older watch.amxx", "fault 1.9 error 017: x", "end"]
    return "\n".join(lines) + "\n"


class Case(unittest.TestCase):
    program = module = None

    def setUp(self):
        place = tempfile.TemporaryDirectory(prefix="goldsmith folder ")
        self.addCleanup(place.cleanup)
        self.here = pathlib.Path(place.name)
        self.known = self.here / "known"
        self.known.write_text(known_files(), encoding="utf-8")
        for name in ("folder", "module"):
            shutil.copy(ROOT / f"handlers/pages/assets/{name}.js", self.here / f"{name}.mjs")
        (self.here / "run.mjs").write_text(NODE, encoding="utf-8")
        self.folder = self.here / "cs"
        self.folder.mkdir()

    def write(self, path, content):
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)

    def by_program(self, folder, *options, language="en"):
        done = subprocess.run([self.program, "--language", language, "--script", "x", "adopt", "--json", *options, "--known", self.known,
                               folder], capture_output=True, check=False)
        if done.returncode:
            return done.stderr.decode().removeprefix("x: ").removesuffix("\n")
        return done.stdout.decode()

    def by_page(self, folder, *options, texts=None):
        files = [{"path": file.relative_to(folder).as_posix(), "file": str(file)} for file in folder.rglob("*") if file.is_file()]
        random.shuffle(files)
        done = subprocess.run(["node", self.here / "run.mjs", self.module], text=True, capture_output=True, check=False, input=json.dumps(
            {"name": folder.name, "files": files, "known": str(self.known), "pins": "--pin" in options, "texts": texts or {}}))
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout + ("" if done.stdout[:1] != "{" else "\n")


class Folders(Case):
    def random_file(self, dice):
        """(path, content)"""
        kind = dice.randrange(12)
        path = dice.choice([path for _, _, _, *files in COMPONENTS for _, path in files] + [SOURCE])
        content = content_of(path, dice.choice([1, 2, 3, 3, 3, 7]))
        if kind == 0:
            content = content.replace(b"\n", b"\r\n")
        elif kind == 1:
            path = "cstrike/" + dice.choice(["maps/a.bsp", "models/x/y.mdl", "liblist.txt", "a/b.so", "a.b/c", "a/c", "a-b/c", "sound/\u00e4.wav"])
        elif kind == 2:
            path, content = PLUGINS + dice.choice("abc") + ".amxx", compiled(
                dice.choice([b"Watch", b"Mine", b"W\xe4"]), dice.choice([b"2.0", b"9", b""]), dice.choice([b"somebody", b"x"]))
            if dice.randrange(4) == 0:
                content = content[:dice.randrange(len(content))]
        elif kind == 3:
            path = CONFIGS + dice.choice(["plugins.ini", "plugins-a.ini", "watch.cfg", "plugins-b.txt", "other/plugins.ini"])
            content = dice.choice([b"a.amxx\n;b.amxx\n", b"b.amxx debug\r\nc.amxx", b"// x\n"])
        elif kind == 4:
            path, content = "cstrike/liblist.gam", dice.choice([b'gamedll_linux "addons/metamod/loader.so"\n', b"gamedll_linux dlls/cs.so\n", b"x\n"])
        elif kind == 5:
            path, content = "cstrike/addons/metamod/plugins.ini", b"linux addons/amxmodx/dlls/amxmodx_mm_i386.so\nlinux addons/p/moved.so\n"
        elif kind == 6:
            path, content = dice.choice(["cstrike/addons/p/moved.so", "cstrike/addons/p/other.so"]), dice.choice(
                [content_of(PLATFORM, 2), b"\0Other version: 1.2.3\0", b"\0$Pg: Some -- 1.2 | x\0"])
        elif kind == 7:
            path, content = dice.choice([("Dockerfile", b"RUN curl -LO https://github.com/some/engine/releases/download/1.0/x.zip\n"),
                                         ("DEPS_LIST", b"some/game 1.0\n"), ("cstrike/amxbuild.yml", b"a: b\n")])
        elif kind == 8:
            path = "cstrike/" + dice.choice([".goldsmith/x/y", "bad\\name/x", "a\nb", "bad\\name/y/z"])
        elif kind == 9:
            path, content = "cstrike/large.so", b"x" * (LARGEST + dice.randrange(2))
        return path, content

    def test_both_say_the_same_of_random_folders(self):
        for _ in range(25):
            seed = random.randrange(2**32)
            dice = random.Random(seed)
            shutil.rmtree(self.folder)
            self.folder.mkdir()
            (self.folder / "cstrike").mkdir()
            for _ in range(dice.randrange(1, 30)):
                self.write(*self.random_file(dice))
            self.write("cstrike/there.txt", b"x")  # a browser sees no empty folder
            options = dice.choice([(), ("--pin",)])
            with self.subTest(seed=seed, files=sorted(str(each.relative_to(self.folder)) for each in self.folder.rglob("*"))):
                self.assertEqual(self.by_page(self.folder, *options), self.by_program(self.folder, *options))

    def test_a_folder_is_looked_for(self):
        self.write(f"steam/serverfiles/{ENGINE}", content_of(ENGINE, 2))
        self.write("steam/serverfiles/cstrike/liblist.gam", b"x\n")
        self.write("steam/lgsm/mods/installed-mods.txt", b"metamod\n")
        for folder in (self.folder, self.folder / "steam", self.folder / "steam/serverfiles"):
            found = self.by_page(folder)
            self.assertEqual(json.loads(found)["components"][0]["version"], "2.0.2")
            if folder.name != "serverfiles":  # what is above it no browser shows
                self.assertEqual(found, self.by_program(folder))

    def test_the_game_s_folder_is_enough(self):
        self.write("other/addons/metamod/loader.so", content_of(LOADER, 3))
        self.write("other/liblist.gam", b'gamedll_linux "addons/metamod/loader.so"\n')
        self.assertIn('"version": "3.0.3"', self.by_page(self.folder / "other"))
        self.assertEqual(self.by_page(self.folder / "other"), self.by_program(self.folder / "other"))

    def test_what_is_no_server_is_said(self):
        self.write("a/x", b"x")
        self.assertEqual(self.by_page(self.folder), "cs has neither a folder cstrike nor one of the game's")
        self.assertIn(self.by_page(self.folder).removeprefix("cs"), self.by_program(self.folder))
        self.write("a/cstrike/x", b"x")
        self.write("b/cstrike/x", b"x")
        self.assertEqual(self.by_page(self.folder), "there is more than one server in cs: ./a, ./b; name one")
        self.assertIn("./a, ./b; name one", self.by_program(self.folder))

    def test_it_speaks_the_language_of_the_page(self):
        self.write(ENGINE, content_of(ENGINE, 2))
        self.write("cstrike/x", b"x")
        english = "outdated: {version} is the newest"
        remark = json.loads(self.by_program(self.folder, language="pl"))["components"][0]["remark"]
        self.assertNotEqual(remark, english.format(version="3.0.3"))
        found = json.loads(self.by_page(self.folder, texts={english: remark.replace("3.0.3", "{version}")}))
        self.assertEqual(found["components"][0]["remark"], remark)

    def test_a_plugin_without_a_version_is_not_there(self):
        self.write(ENGINE, content_of(ENGINE, 2))
        self.write(PLUGINS + "ghost.amxx", compiled(b"Ghost", b"1.0", b"me"))
        without = self.by_program(self.folder)
        for what in ("", "component z other selectable Z\nversion 1.0 latest\n", "plugin z Z\nversion 1.0 latest z.amxx\n"):
            listed = known_files().removesuffix("end\n") + f"plugin ghost Ghost\nauthor me\n{what}end\n"
            self.known.write_text(listed, encoding="utf-8")
            self.assertEqual(self.by_program(self.folder), without)
            self.assertEqual(self.by_page(self.folder), without)

    def test_a_list_that_is_wrong_is_refused(self):
        self.write("cstrike/x", b"x")
        for content, wrong in (("x", 1), (known_files()[:-4], 2), (known_files().replace("largest", "small"), 3)):
            self.known.write_text(content, encoding="utf-8")
            self.assertEqual(self.by_page(self.folder), f"the list is wrong: {wrong}")


METAMOD = """Currently loaded plugins:
      description   stat pend  file                      vers         src  load  unload
 [ 1] AMX Mod X     RUN   -    amxmodx_mm_i386.so        v2.0.2       ini  Start ANY  \n\
 [ 2] Something     RUN   -    something_mm_i386.so      v1.2         ini  Start ANY  \n\
 [ 3] Fun           RUN   -    fun_amxx_i386.so          v2.0.2       pl1  ANY   ANY  \n\
3 plugins, 3 running
"""
MODULES = """Currently loaded modules:
      name                    version     author               status     \n\
 [ 1] Fun                     2.0.2       AMX Mod X Dev Team   running    \n\
1 modules, 1 correct
"""
LISTED = """Currently loaded plugins:
       name                    version     author            file             status   \n\
 [  1] Admin Base              2.0.2       AMXX Dev Team     admin.amxx       running  \n\
 [  2] Watch                   1.0         somebody          watch.amxx       running  \n\
 [  3] Mine                    3           me                mine.amxx        bad load \n\
3 plugins, 2 running
"""


class Consoles(Case):
    def of_console(self, printed, *options):
        done = subprocess.run(["node", self.here / "run.mjs", self.module], text=True, capture_output=True, check=False, input=json.dumps(
            {"name": "", "files": [], "known": str(self.known), "pins": "--pin" in options, "texts": {}, "console": printed}))
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout if done.stdout[:1] != "{" else json.loads(done.stdout)

    def test_lists_name_components_and_plugins(self):
        found = self.of_console("] meta list\n" + METAMOD + "] amxx modules\r\n" + MODULES.replace("\n", "\r\n") + LISTED)
        self.assertEqual([(each["component"], each["version"], each["state"]) for each in found["components"]], [("amxmodx", "2.0.2", "outdated")])
        self.assertEqual([(each["plugin"], each["version"], each["known"], each["file"], each["remark"]) for each in found["plugins"]],
                         [("watch", "1.0", True, "watch.amxx", "outdated: 2.0 is the newest; known to fail with AMX Mod X 1.9: error 017: x")])
        whats = {each["path"]: each["what"] for each in found["files"]}
        self.assertEqual(whats, {"cstrike/addons/something_mm_i386.so": 'says "Something" v1.2 of itself',
                                 "cstrike/addons/amxmodx/modules/fun_amxx_i386.so": 'says "Fun" v2.0.2 of itself',
                                 PLUGINS + "mine.amxx": '"Mine" 3 by me'})
        self.assertEqual(found["link"], "https://example.org/server?components=amxmodx&plugins=watch")
        self.assertIn("plugins=watch@1.0", self.of_console(LISTED, "--pin")["link"])

    def test_versions_name_engine_and_game(self):
        found = self.of_console("Protocol version 48\nExe version 1.1.2.7/Stdio (cstrike)\nEngine version: 1.0.1\n")
        self.assertEqual([each["what"] for each in found["places"]],
                         [f'{ENGINE}: in the place of engine, of no version that is known here; says "HLDS" 1.1.2.7 of itself'])
        self.known.write_text(known_files().replace("selectable Engine", "selectable ReHLDS").replace("selectable Game", "selectable ReGameDLL_CS"),
                              encoding="utf-8")
        found = self.of_console("Exe version 1.1.2.7/Stdio (cstrike)\nReHLDS version: 2.0.2-dev\nReGameDLL version: 1.0.1\n")
        self.assertEqual([(each["component"], each["version"], each["remark"]) for each in found["components"]],
                         [("engine", "2.0.2", "outdated: 3.0.3 is the newest"), ("game", "1.0.1", "held: It crashes.")])

    def test_what_is_cut_is_completed(self):
        self.known.write_text(known_files().replace("2.0.2", "2.0.2.123456").replace("Watch\n", "Watch over all of the players\n").replace(
            "watch.amxx", "watch_over.amxx"), encoding="utf-8")
        found = self.of_console("       name                    version     author            file             status   \n"
                                " [  1] Admin Base              2.0.2.1234  AMXX Dev Team     admin.amxx       running  \n"
                                " [  2] Watch over all of the p 1.0         somebody who wrot watch_over.amxx  running  \n")
        self.assertEqual([(each["plugin"], each["version"], each["known"]) for each in found["plugins"]], [("watch", "1.0", True)])
        self.assertEqual(found["counts"]["part"] + found["counts"]["known"], 2)

    def test_any_bytes_are_read(self):
        self.assertEqual(self.of_console("nothing of it\n"), "nothing")
        dice = random.Random(1)
        for _ in range(20):
            lines = (METAMOD + MODULES + LISTED).splitlines(keepends=True)
            dice.shuffle(lines)
            text = "".join(lines)
            place = dice.randrange(len(text))
            found = self.of_console(text[:place] + dice.randbytes(40).decode("latin1") + text[place:])
            self.assertTrue(found == "nothing" or found["components"] is not None)


class Module(Case):
    def test_it_needs_nothing_of_the_page_but_translations(self):
        script = "const m = new WebAssembly.Module(require('fs').readFileSync(process.argv[1]));" \
                 "console.log(JSON.stringify([WebAssembly.Module.imports(m), m instanceof WebAssembly.Module]))"
        imports = [{"module": "page", "name": "translate", "kind": "function"}]
        for module in (self.module, self.module.with_name("log.wasm")):
            done = subprocess.run(["node", "-e", script, module], capture_output=True, text=True, check=True)
            self.assertEqual(json.loads(done.stdout), [imports, True])

    def test_it_is_small_and_names_no_folder_of_the_build(self):
        for module, most in ((self.module, 460_000), (self.module.with_name("log.wasm"), 150_000)):
            content = module.read_bytes()
            self.assertLess(len(content), most)
            self.assertNotIn(os.fsencode(ROOT), content)


if __name__ == "__main__":
    Case.module = pathlib.Path(sys.argv.pop()).resolve()
    Case.program = pathlib.Path(sys.argv.pop()).resolve()
    unittest.main()

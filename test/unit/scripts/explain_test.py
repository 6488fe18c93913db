"""What is known of logs, and what uses it: explain_test.py GOLDSMITH_KEEPER LOG_WASM

The script of the page, assets/explain.js, and its module run in Node.js here, as they do in a browser.
"""

import base64
import gzip
import json
import os
import pathlib
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
FOLDER = ROOT / "handlers/documents/explain"
TOOL = ROOT / "scripts/tools/log-causes"
KNOWN = json.loads((FOLDER / "log-causes.json").read_text(encoding="utf-8"))
CAUSES = {cause["id"]: cause for cause in KNOWN["causes"]}
EXAMPLES = [(cause["id"], example) for cause in KNOWN["causes"] for example in cause["examples"]]
LABELS = {"STOPS THE SERVER": "stops", "BREAKS A PART": "breaks", "GOOD TO KNOW": "note"}
MISSING_WAD = "FATAL ERROR (shutting down): TEX_InitFromWad: couldn't open chateau.wad"

NAMES = """goldsmith-known-names 1
service https://example.org
home core AMX Core
library core_mm_i386.so
library vip_amxx_i386.so
held 1.2 It crashes.
defect 1.2 cuts texts. 1.3 is without it: https://example.org/d
versions 1.1 1.2 1.3
include core.inc
names c 0 0 CORE_OLD
names c 1 2 CORE_NEW CORE_NEWER
names i 0 2 core
names n 0 2 core_always
home - AMX Core 1.0
versions 1.0
include core.inc
names n 0 0 core_always
runs other.amxx 1.10 Other 1.0
faulty vip.amxx 1.10 VIP Menu 2.0: Module/Library "vip" required
runs vip.amxx 1.9 Another VIP 1.0
runs vip.amxx 1.9 A third VIP 1.0
more lines of a later service
end
"""

# Reads [[piece of a log, …], …] and writes what is found in each: [{id, first, line, count, facts}, …].
NODE = """
import { Damaged, explain } from './explain.mjs';
import { Module } from './module.mjs';
import fs from 'node:fs';
const module = await Module.start(new Uint8Array(fs.readFileSync(process.argv[2])));
const found = [];
for (const { text, bytes, names } of JSON.parse(fs.readFileSync(0, 'utf-8'))) {
  const log = bytes === undefined ? text : new Blob([Buffer.from(bytes, 'base64')]);
  const learn = () => names === undefined ? null : new TextEncoder().encode(names);
  found.push(await explain(module, log, () => true, learn).then((each) => each.found, (error) => {
    if (error instanceof Damaged) return 'damaged';
    throw error;
  }));
}
console.log(JSON.stringify(found));
"""


class Case(unittest.TestCase):
    program = module = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="goldsmith explain ")
        self.addCleanup(folder.cleanup)
        self.here = pathlib.Path(folder.name)

    def run_program(self, *arguments, log=b"", **options):
        return subprocess.run([self.program, "--language", "en", "explain", *arguments], input=log, cwd=self.here, capture_output=True,
                              timeout=120, check=False, **options)

    def by_program(self, log):
        """[(id, number of the first line, number of lines), …] and the text of what it prints."""
        done = self.run_program("-", log=log)
        self.assertEqual(done.stderr, b"")
        text = done.stdout.decode("ascii")
        ids = {cause["title"]: cause["id"] for cause in CAUSES.values()}
        found = []
        for label, title, first, others in re.findall(r"(?m)^([A-Z ]+): (.*)\n  line (\d+)(?:, and (\d+) more)?: ", text):
            self.assertEqual(CAUSES[ids[title]]["severity"], LABELS[label])
            found.append((ids[title], int(first), int(others or 0) + 1))
        grave = any(CAUSES[each[0]]["severity"] != "note" for each in found)
        self.assertEqual(done.returncode, int(grave), text)
        return found, text

    def by_page(self, logs, **more):
        """As by_program, of many logs: each text or bytes."""
        for name in ("explain", "module"):
            shutil.copy(ROOT / f"handlers/pages/assets/{name}.js", self.here / f"{name}.mjs")
        (self.here / "run.mjs").write_text(NODE, encoding="utf-8")
        encoded = [({"text": log} if isinstance(log, str) else {"bytes": base64.b64encode(log).decode()}) | more
                   for log in logs]
        done = subprocess.run(["node", self.here / "run.mjs", self.module], input=json.dumps(encoded), text=True, capture_output=True,
                              check=False, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)


class Known(Case):
    def test_each_example_tells_its_cause_alone_in_the_program(self):
        for cause in CAUSES.values():
            with self.subTest(examples=cause["examples"]):
                found = self.by_program("\n".join(cause["examples"]).encode())[0]
                self.assertEqual(found, [(cause["id"], 1, len(cause["examples"]))])

    def test_each_example_tells_its_cause_alone_in_the_page(self):
        for (cause, example), found in zip(EXAMPLES, self.by_page([each[1] for each in EXAMPLES])):
            with self.subTest(example=example):
                self.assertEqual([(each["id"], each["first"], each["count"]) for each in found], [(cause, 1, 1)])

    def test_each_pattern_of_a_cause_has_an_example(self):
        for cause in CAUSES.values():
            for pattern in cause["patterns"]:
                with self.subTest(cause=cause["id"], pattern=pattern):
                    self.assertTrue(any(re.search(pattern, each) for each in cause["examples"]))

    def test_links_of_this_host_lead_to_its_pages(self):
        for cause in CAUSES.values():
            self.assertIn(cause.get("link", {}).get("url", "/server"), ("/server", "/server#recipes", "/plugins"), cause["id"])

    def test_both_find_the_same_in_random_logs(self):
        seed = random.randrange(2**32)
        dice = random.Random(seed)
        logs = [self.random_log(dice) for _ in range(40)]
        for log, by_page in zip(logs, self.by_page(logs)):
            with self.subTest(seed=seed, log=log):
                found = [(each["id"], each["first"], each["count"]) for each in by_page]
                self.assertEqual(self.by_program(log)[0], found)

    @staticmethod
    def random_log(dice):
        """Lines of all kinds, in one of the encodings that logs have."""
        lines = []
        for _ in range(dice.randrange(60)):
            example = dice.choice(EXAMPLES)[1]
            lines.append(dice.choice([
                example, "container  | " + example, "Server cvar \"mp_timelimit\" = \"20\"", example[:len(example) // 2], "",
                f'L 03/14/2025 - 16:05:09: "x<3><STEAM_0:1:4><CT>" say "{example}"', "x" * dice.choice([4000, 4096, 9000]) + example,
                "\u0418\u0433\u0440\u043e\u043a " + example, "\x1b[31m" + example + "\x1b[0m"]))
        text = dice.choice(["\n", "\r\n"]).join(lines) + dice.choice(["", "\n"])
        log = text.encode(dice.choice(["utf-8", "utf-16-le", "utf-16-be"]))
        return log + dice.randbytes(dice.choice([0, 0, 300])).replace(b"\n", b"")


class Logs(Case):
    """The same of both."""

    def assert_found(self, log, expected):
        self.assertEqual(self.by_program(log)[0], expected)
        self.assertEqual([(each["id"], each["first"], each["count"]) for each in self.by_page([log])[0]], expected)

    def test_the_gravest_come_first(self):
        log = ("couldn't exec server.cfg\nL 03/14/2025 - 16:05:09: [AMXX] Plugin file open error (plugin \"a.amxx\")\n"
               f"{MISSING_WAD}\nL 03/14/2025 - 16:05:09: [AMXX] Plugin file open error (plugin \"b.amxx\")\n").encode()
        self.assert_found(log, [("missing-wad", 3, 1), ("plugin-file-missing", 2, 2), ("config-missing", 1, 1)])

    def test_what_explains_everything_is_only_said_when_nothing_else_does(self):
        self.assert_found(b"Segmentation fault (core dumped)\n", [("crash", 1, 1)])
        self.assert_found(f"{MISSING_WAD}\nSegmentation fault (core dumped)\n".encode(), [("missing-wad", 1, 1)])
        failed = "[ FAIL ] Starting csserver: it does not start"
        self.assert_found(f"{failed}\n".encode(), [("script-failed", 1, 1)])
        self.assert_found(f"{failed}\n{MISSING_WAD}\n".encode(), [("missing-wad", 2, 1)])
        self.assert_found(f"couldn't exec server.cfg\n{failed}\n".encode(), [("script-failed", 2, 1), ("config-missing", 1, 1)])

    def test_what_must_not_be_in_the_log_rules_a_cause_out(self):
        empty = "FS:  Tried to Close NULL file handle!"
        self.assert_found(f"{MISSING_WAD}\n{empty}\n".encode(), [("file-handles", 2, 1)])
        self.assert_found(f"{empty}\n{MISSING_WAD}\n".encode(), [("file-handles", 1, 1)])
        self.assert_found(f"{empty}\n{MISSING_WAD}\nUnable to open logfiles under logs\n".encode(),
                          [("fatal-error", 2, 1), ("not-writable", 3, 1)])

    def test_what_somebody_said_rules_no_cause_out(self):
        said = 'L 03/14/2025 - 16:05:09: "x<3><STEAM_0:1:4><CT>" say "Too many open files"'
        self.assert_found(f"{MISSING_WAD}\n{said}\n".encode(), [("missing-wad", 1, 1)])

    def test_a_line_without_its_first_cause_counts_for_the_next(self):
        unread, syntax = 'a.sma(5) : fatal error 100: cannot read from file: "x"', "a.sma(9) : error 029: invalid expression, assumed zero"
        self.assert_found(f"{syntax}\n{syntax}\n".encode(), [("compile-syntax", 1, 2)])
        self.assert_found(f"{syntax}\n{syntax}\n{unread}\n".encode(), [("compile-include-missing", 3, 1)])

    def test_the_worst_that_other_programs_mistake(self):
        """Short logs whose cause is easily taken for another one."""
        for log, expected in (
                ("steamcmd.sh: line 39:    13 Segmentation fault      (core dumped) $DEBUGGER \"$STEAMEXE\" \"$@\"", "steamcmd-crash"),
                ("Host_Error: PF_setmodel_I: no precache: *7", "map-part"),
                ("FATAL ERROR (shutting down): Mod_LoadModel: models/vip/.mdl not found", "empty-name"),
                ("Error:/srv/cs/cstrike/dlls/director.so: cannot open shared object file: No such file or directory", "hltv-config"),
                ("#0  0xf188dfd8 in Vip::think() () from /srv/cs/cstrike/addons/vip/vip_mm.so\nEnd of crash report", "crash"),
                (" [ 1] AMX Mod X  RUN   -    amxmodx_mm_i386.so  v1.9.0.5294  ini\n [ 2] Fun  RUN  -  fun_amxx_i386.so  v1.8.2  pl1",
                 "amxx-mixed"),
                ('[AMXX] Module "modules/a_amxx_i386.so" failed to load (modules/a_amxx_i386.so: undefined symbol: EVP_Init)',
                 "module-symbol"),
                ("WARNING: setlocale('en_US.UTF-8') failed, using locale: 'C'.\nThread failed to initialize\n"
                 "CWorkThreadPool::StartWorkThread: Thread creation failed", "threads-refused"),
                ("Segmentation fault (core dumped)\n\"/srv/cs/./hlds_linux\": not in executable format: File truncated", "damaged-program"),
                ("./hlds_linux: relocation error: ./libm.so.6: symbol __exp, version GLIBC_2.29 not defined in file libc.so.6",
                 "mixed-glibc"),
                ("Host_Error: PF_precache_model_I: Bad string '\ufeffmodels/a.mdl'", "byte-order-mark"),
                ("[AF] Failed to locate REHLDS API", "rehlds-api"),
                ('a.sma(4) : warning 217: loose indentation\na.sma(9) : error 017: undefined symbol "x"', "compile-undefined-symbol"),
                ("Invalid event (name \"TeamInfo\") (plugin \"plmenu.amxx\")\n[AMXX] Run time error 10 (plugin \"plmenu.amxx\") "
                 '(native "register_event") - debug not enabled!', "game-messages"),
                ("Disk write failure\nERROR! Failed to install app '90' (Disk write failure)", "steamcmd-files"),
                ("Box64 arm64 v0.4.1 0123abcd with Dynarec built on Feb  8 2026\nSegmentation fault", "emulated-processor"),
                ("Box86 with Dynarec v0.3.9 0123abcd\nCan not retrive filesystem interface version 'VFileSystem009'.", "emulated-processor"),
                ("Running Steam on raspbian 10 32-bit\nError: You are missing the following 32-bit libraries, and Steam may not run:",
                 "wrong-processor"),
                ("./linux32/steamcmd: 1: Syntax error: \"(\" unexpected", "wrong-processor"),
                ("LoadLibrary failed on /srv/cs/./cstrike/dlls/cs.so: libz.so.1: cannot open shared object file: No such file",
                 "missing-32-bit-libraries"),
                ("assert_20250314160509_7.dmp[9]: Uploading dump (out-of-process)\nError! App '90' state is 0x10C after update job.",
                 "steamcmd-incomplete"),
                ("W: Failed to fetch http://deb.example.org/InRelease  Temporary failure resolving 'deb.example.org'", "download-refused"),
                ("Invalid menu id 7(2)", "plugin-menu"), ("[AMXX] Plugin says: Cannot load customization file vip.ini!", "plugin-gave-up"),
                ('[AMXX] Plugin says: Function out of bounds.  Got: 186  Max: 129', "plugin-newer-module"),
                ("chown: changing ownership of '/srv/cs': Read-only file system", "read-only-disk"),
                ("[ FAIL ] Starting csserver: can't create socket: Permission denied", "terminal-unusable")):
            with self.subTest(log=log):
                found = self.by_program(log.encode())[0]
                self.assertEqual([each[0] for each in found], [expected])

    def test_a_compressed_log_is_read(self):
        log = f"x\n{MISSING_WAD}\n".encode()
        self.assert_found(gzip.compress(log), [("missing-wad", 2, 1)])
        self.assert_found(gzip.compress(b"y" * 4_000_000 + b"\n" + log), [("missing-wad", 3, 1)])

    def test_a_compressed_log_that_is_damaged_is_refused(self):
        log = gzip.compress(random.Random(1).randbytes(400_000) + MISSING_WAD.encode())
        for damaged in (log[:-300_000], log[:200_000] + b"\xff" * 100 + log[200_100:]):
            done = self.run_program("-", log=damaged)
            self.assertEqual((done.returncode, done.stdout), (2, b""))
            self.assertIn(b"is damaged", done.stderr)
            self.assertEqual(self.by_page([damaged]), ["damaged"])

    def test_players_say_nothing_about_the_server(self):
        for said in (f'"x<3><STEAM_0:1:4><CT>" say "{MISSING_WAD}"', f'"{MISSING_WAD}<3><STEAM_0:1:4><>" entered the game'):
            self.assert_found(f"L 03/14/2025 - 16:05:09: {said}\n".encode(), [])

    def test_nothing_known_is_no_failure(self):
        self.assert_found(b"", [])
        self.assert_found(b'Server cvar "mp_timelimit" = "20"\n', [])
        self.assert_found(b"203.0.113.7:56196:reconnect\n", [])
        self.assertIn("Nothing in it", self.by_program(b"")[1])

    def test_any_encoding_is_read(self):
        for encoding in ("utf-16", "utf-16-be", "latin-1"):
            self.assert_found(f"J\u00fcrgen\r\n{MISSING_WAD}\r\n".encode(encoding), [("missing-wad", 2, 1)])

    def test_any_bytes_are_read(self):
        garbage = bytes(range(256)).replace(b"\n", b"") * 40 + b"\n"
        self.assert_found(garbage + MISSING_WAD.encode() + b"\n" + garbage, [("missing-wad", 2, 1)])

    def test_only_the_beginning_of_a_long_line_counts(self):
        self.assert_found(b"x" * 4000 + MISSING_WAD.encode() + b"x" * 9000, [("missing-wad", 1, 1)])
        self.assert_found(b"x" * 4096 + MISSING_WAD.encode() + b"\nx\n", [])

    def test_a_line_that_was_made_to_take_long_does_not(self):
        lines = [(example[:length] * 4096)[:4096] for _, example in EXAMPLES for length in (12, 40, len(example) - 1)]
        log = "\n".join(lines).encode()
        self.by_program(log)
        self.by_page([log])  # within the time of run()


class Facts(Case):
    """What the log and the service's list know of a cause: the same of both."""

    def facts(self, log, names=None):
        """{id of a cause: its facts}"""
        more = {} if names is None else {"names": names}
        by_page = {each["id"]: each["facts"] for each in self.by_page([log], **more)[0]}
        options = []
        if names is not None:
            (self.here / "names.txt").write_text(names, encoding="utf-8")
            options = ["--names", "names.txt"]
        done = self.run_program("--json", *options, log=log.encode())
        self.assertEqual(done.stderr, b"")
        by_program = {each["id"]: each.get("facts", []) for each in json.loads(done.stdout)["causes"]}
        self.assertEqual(by_program, by_page)
        return by_program

    def test_who_has_an_undefined_symbol_is_told(self):
        log = "".join(f'a.sma({line}) : error 017: undefined symbol "{name}"\n'
                      for line, name in enumerate(("CORE_NEW", "CORE_OLD", "core_always", "nobody_has", "CORE_NEW")))
        self.assertEqual(self.facts(log), {"compile-undefined-symbol": []})
        self.assertEqual(self.facts(log, NAMES), {"compile-undefined-symbol": [
            "CORE_NEW is in AMX Core since 1.2, core.inc", "CORE_OLD is in AMX Core up to 1.1, core.inc",
            "core_always is in AMX Core, core.inc", "core_always is in AMX Core 1.0, core.inc",
            "nobody_has is in nothing that is known here: it is of the source itself, of another plugin, or misspelt"]})

    def test_who_has_an_include_or_a_module(self):
        self.assertEqual(self.facts('a.sma(5) : fatal error 100: cannot read from file: "core"\n', NAMES),
                         {"compile-include-missing": ["core is in AMX Core, core.inc"]})
        failed = '[AMXX] Plugin "a.amxx" failed to load: '
        self.assertEqual(self.facts(failed + 'Module/Library "vip" required for plugin.  Check modules.ini.\n', NAMES),
                         {"missing-module": ["vip is a module of AMX Core"]})
        self.assertEqual(self.facts(failed + 'Plugin uses an unknown function (name "CORE_NEWER") - check your modules.ini.\n', NAMES),
                         {"unknown-function": ["CORE_NEWER is in AMX Core since 1.2, core.inc"]})

    def test_what_a_crash_names(self):
        log = ('L 03/14/2025 - 16:05:09: [AMXX] Run time error 10 (plugin "vip.amxx") (native "vip_get") - debug not enabled!\n'
               "Program terminated with signal SIGABRT, Aborted.\n"
               "#0  0xf7f43d99 in __kernel_vsyscall ()\n#1  0xf7a95416 in raise () from /lib/i386-linux-gnu/libc.so.6\n"
               "#2  0xf06f1840 in Vip::get(int) () from cstrike/addons/amxmodx/modules/vip_amxx_i386.so\n"
               "#3  0xf06f1841 in ?? () from /srv/cs/cstrike/addons/core/core_mm_i386.so\nSegmentation fault (core dumped)\n")
        told = ["The crash is in vip_amxx_i386.so", "It was called through core_mm_i386.so",
                "The last plugin that the log names is vip.amxx", "The last native that it names is vip_get"]
        known = ["AMX Core 1.2 is held: It crashes.", "AMX Core: 1.2 cuts texts. 1.3 is without it: https://example.org/d"]
        self.assertEqual(self.facts(log)["crash"], told)
        self.assertEqual(self.facts(log, NAMES)["crash"],
                         [*told, "vip_amxx_i386.so is of AMX Core", *known, "core_mm_i386.so is of AMX Core",
                          'vip.amxx does not run with AMX Mod X 1.10: VIP Menu 2.0: Module/Library "vip" required',
                          "vip.amxx runs with AMX Mod X 1.9: Another VIP 1.0"])
        alone = '[AMXX] Displaying debug trace (plugin "other.amxx", version "1")\nSegmentation fault\n'
        self.assertEqual(self.facts(alone, NAMES)["crash"],
                         ["The last plugin that the log names is other.amxx", "other.amxx runs with AMX Mod X 1.10: Other 1.0"])

    def test_a_crash_in_code_with_sources(self):
        log = ("#0  0xc2100000 in ?? ()\n#1  0xb31f49d6 in Vip::get (this=0xbdbbb30) at ../vip/dlls/vip_get.cpp:612\n"
               "#2  0xb324e751 in Vip::think (me=0xbdbbb30) at ../vip/dlls/vip.cpp:47\n"
               "#3  0xb33f56a9 in ?? () from /srv/cs/cstrike/addons/core/core_mm_i386.so\n")
        self.assertEqual(self.facts(log)["crash"], ["The crash is in vip_get.cpp", "It was called through core_mm_i386.so"])
        wrapped = "#0  0xf38ecdbb in ?? ()\n   from /srv/cs/cstrike/addons/vip/vip_mm.so\n#1  operator+ (v=...) at ./vector.h:74\n"
        self.assertEqual(self.facts(wrapped)["crash"], ["The crash is in vip_mm.so"])
        of_system = "#0  raise (sig=6) at ../sysdeps/raise.c:50\n#1  0xf06f1840 in ?? () from /srv/cs/cstrike/addons/vip/vip_mm.so\n"
        self.assertEqual(self.facts(of_system)["crash"], ["The crash is in vip_mm.so"])

    def test_where_a_plugin_erred(self):
        at = "L 03/14/2025 - 16:05:09: "
        debugged = (f'{at}[CSTRIKE] Invalid player 14\n{at}[AMXX] Displaying debug trace (plugin "vip.amxx", version "2")\n'
                    f'{at}[AMXX] Run time error 10: native error (native "cs_get_user_team")\n'
                    f"{at}[AMXX]    [0] vip.sma::respawn (line 22)\n{at}[AMXX]    [1] vip.sma::round_start (line 9)\n")
        other = (f'{at}[FUN] Invalid player 6\n{at}[AMXX] Run time error 10 (plugin "ghost.amxx") (native "set_user_noclip") - debug '
                 f'not enabled!\n{at}[AMXX] To enable debug mode, add "debug" after the plugin name in plugins.ini (without quotes).\n')
        bounds = (f'{at}[AMXX] Displaying debug trace (plugin "shop.amxx", version "1")\n'
                  f"{at}[AMXX] Run time error 4: index out of bounds \n{at}[AMXX]    [0] shop.sma::buy (line 3)\n")
        gone = ["It happens in vip.amxx: cs_get_user_team, vip.sma::respawn (line 22)", "It happens in ghost.amxx: set_user_noclip"]
        self.assertEqual(self.facts(debugged + debugged + other), {"player-gone": gone})
        self.assertEqual(self.facts(debugged + other + bounds),
                         {"player-gone": gone, "plugin-index": ["It happens in shop.amxx: shop.sma::buy (line 3)"]})
        self.assertEqual(self.facts(f"{bounds}{at}[AMXX] Run time error 4 (plugin \"quiet.amxx\") - debug not enabled!\n{other}"),
                         {"player-gone": gone[1:], "plugin-index": ["It happens in shop.amxx: shop.sma::buy (line 3)"]})
        many = "".join(other.replace("ghost", f"ghost{n}") for n in range(9))
        self.assertEqual(len(self.facts(many)["player-gone"]), 3)
        stack = debugged.replace("10: native error (native \"cs_get_user_team\")", "3: stack error")
        self.assertEqual(set(self.facts(stack)), {"player-gone", "plugin-memory"})

    def test_a_trace_tells_nothing_that_the_line_before_it_tells_better(self):
        paused = ("Called dynanative into a paused plugin.\n[AMXX] Displaying debug trace (plugin \"vip.amxx\", version \"2\")\n"
                  "[AMXX] Run time error 10: native error (native \"vip_get\")\n[AMXX]    [0] vip.sma::show (line 5)\n")
        self.assertEqual(self.facts(paused), {"paused-native": ["It happens in vip.amxx: vip_get, vip.sma::show (line 5)"]})
        between = paused.replace("plugin.\n", "plugin.\nL 03/14/2025 - 16:05:09: World triggered \"Round_End\"\n")
        self.assertEqual(set(self.facts(between)), {"paused-native", "plugin-run-time-error"})

    def test_the_head_of_a_trace_tells_nothing_beside_its_error(self):
        head = '[AMXX] Displaying debug trace (plugin "vip.amxx", version "2")\n'
        bounds = f"{head}[AMXX] Run time error 4: index out of bounds\n[AMXX]    [0] vip.sma::show (line 5)\n"
        other = f"{head}[AMXX] Run time error 5: memory access\n[AMXX]    [0] vip.sma::hide (line 9)\n"
        at = {"plugin-index": ["It happens in vip.amxx: vip.sma::show (line 5)"]}
        self.assertEqual(self.facts(bounds * 2), at)
        self.assertEqual(self.facts(bounds + other + bounds),
                         at | {"plugin-run-time-error": ["It happens in vip.amxx: vip.sma::hide (line 9)"]})
        self.assertEqual(self.facts(other + bounds), self.facts(bounds + other))
        found = [(each["id"], each["first"], each["count"]) for each in self.by_page([bounds + other])[0]]
        self.assertEqual(found, [("plugin-index", 2, 1), ("plugin-run-time-error", 4, 2)])
        # What follows no head takes none back.
        single = 'Invalid event (name "ScoreAttrib") (plugin "scores.amxx")\n'
        last = '[AMXX] Run time error 4 (plugin "shop.amxx") - debug not enabled!\n'
        counts = [{each["id"]: each["count"] for each in self.by_page([log])[0]}["plugin-run-time-error"]
                  for log in (other + single + last, single + other + last)]
        self.assertEqual(counts[0], counts[1])

    def test_what_the_kernel_or_glibc_says_of_a_crash(self):
        for line in ("kernel: hlds_linux[9]: segfault at 1dc ip 00000000f2eadb6b sp 00000000ffade86c error 4 in vip_amxx_i386.so[f2e89000+1]",
                     "cstrike/addons/amxmodx/modules/vip_amxx_i386.so(+0x1f2c)[0xf2eadb6b]\nSegmentation fault"):
            self.assertEqual(self.facts(line + "\n")["crash"], ["The crash is in vip_amxx_i386.so"])
        of_system = "kernel: traps: hlds_linux[9] general protection ip:1 sp:2 error:0 in libc.so.6[f7c00000+1]\n"
        self.assertEqual(self.facts(of_system)["crash"], [])

    def test_a_list_that_is_none_is_refused(self):
        for content in (NAMES[:-4], NAMES.replace(" 1\n", " 2\n", 1), "", NAMES.replace("names c 0 0", "names c 0 7"), "end\n"):
            (self.here / "names.txt").write_text(content, encoding="utf-8")
            done = self.run_program("--names", "names.txt", log=b'a.sma(1) : error 017: undefined symbol "a"\n')
            self.assertEqual((done.returncode, done.stdout), (2, b""), content)
        self.assertEqual(self.run_program("--names", log=b"").returncode, 2)

    def test_names_of_strangers_are_text(self):
        log = 'a.sma(1) : error 017: undefined symbol "CORE_NEW$(id)\x1b[31m"\n'
        self.assertEqual(self.facts(log, NAMES)["compile-undefined-symbol"], ["CORE_NEW is in AMX Core since 1.2, core.inc"])
        self.assertEqual(self.facts(f'a.sma(1) : error 017: undefined symbol "{"x" * 900}"\n', NAMES), {"compile-undefined-symbol": []})


class Page(Case):
    def test_what_is_shown_of_a_line_has_no_control_characters(self):
        line = f"\x1b]0;x\x07\x9b31m\u202e{MISSING_WAD}\t\u2066\u0000" + "x" * 900
        shown = self.by_page([line])[0][0]["line"]
        self.assertEqual(shown, (f"]0;x31m{MISSING_WAD} " + "x" * 900)[:300] + "\u2026")

    def test_pieces_of_a_file_are_joined(self):
        for place in range(256 * 1024 - 90, 256 * 1024 + 4, 7):
            log = b"\xc3\xa4" * (place // 2) + b"\n" + MISSING_WAD.encode() + b"\nend"
            self.assertEqual([(each["id"], each["first"]) for each in self.by_page([log])[0]], [("missing-wad", 2)])


class Program(Case):
    def write(self, name, content):
        (self.here / name).write_bytes(content)
        return name

    def test_nothing_of_a_log_is_a_command(self):
        log = f"$(touch a) `touch b` '; touch c; ' %s%n \\\" {MISSING_WAD}\n".encode()
        found, text = self.by_program(log)
        self.assertEqual(found, [("missing-wad", 1, 1)])
        self.assertIn("$(touch a) `touch b` '; touch c; ' %s%n \\\" FATAL", text)
        self.assertEqual(list(self.here.iterdir()), [])

    def test_nothing_of_a_log_controls_the_terminal(self):
        log = b"\x1b]0;x\x07\x1b[31m\x9b31m\xc2\x9b\x7f\t" + MISSING_WAD.encode() + b"\n"
        text = self.by_program(log)[1]
        self.assertTrue(all(each == "\n" or " " <= each <= "~" for each in text), ascii(text))

    def test_a_long_line_is_cut(self):
        text = self.by_program(MISSING_WAD.encode() + b"x" * 3000)[1]
        self.assertIn("x...\n", text)
        self.assertNotIn("x" * 300, text)

    def test_files_are_read_in_order(self):
        first = self.write("-a log.txt", b"Segmentation fault\n")
        second = self.write("b.log", f"{MISSING_WAD}\n".encode())
        done = self.run_program("--", first, second)
        self.assertEqual((done.returncode, done.stderr), (1, b""))
        self.assertIn(b"line 2: FATAL ERROR", done.stdout)

    def test_standard_input_is_read_without_a_file(self):
        done = self.run_program(log=f"{MISSING_WAD}\n".encode())
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"texture file", done.stdout)

    def test_the_object_for_programs(self):
        done = self.run_program("--json", log=f"x\n{MISSING_WAD}\n{MISSING_WAD}\n".encode())
        self.assertEqual((done.returncode, done.stderr), (1, b""))
        cause = CAUSES["missing-wad"]
        self.assertEqual(json.loads(done.stdout), {"causes": [
            {"id": "missing-wad", "severity": "stops", "line": 2, "lines": 2, "text": MISSING_WAD}
            | {field: cause[field] for field in ("title", "cause", "remedy")}]})
        self.assertEqual(json.loads(self.run_program("--json").stdout), {"causes": []})

    def test_it_speaks_the_language_of_the_locale(self):
        for locale, title in (("pl_PL.UTF-8", "ZATRZYMUJE SERWER"), ("pl_PL.ISO-8859-2", "STOPS"), ("C", "STOPS"), ("xx", "STOPS")):
            done = subprocess.run([self.program, "explain"], input=MISSING_WAD.encode(), capture_output=True, check=False,
                                  env={"LC_ALL": locale})
            self.assertTrue(done.stdout.startswith(title.encode()), done.stdout)

    def test_what_cannot_be_read_is_named(self):
        (self.here / "folder").mkdir()
        for name, why in (("none.log", "there is no file none.log"), ("folder", "folder is a folder"),
                          ("a\x1b[31mb", "there is no file a?[31mb")):
            done = self.run_program(name)
            self.assertEqual((done.returncode, done.stdout), (2, b""), name)
            self.assertIn(why, done.stderr.decode())

    def test_a_file_of_another_user_is_named(self):
        secret = self.here / "secret.log"
        secret.touch(mode=0)
        if os.getuid() != 0:
            done = self.run_program(secret.name)
        else:
            self.here.chmod(0o755)
            program = shutil.copy(self.program, self.here / "program")  # that user may not enter the build
            done = subprocess.run([program, "explain", secret], capture_output=True, user=65534, check=False, env={})
        self.assertEqual((done.returncode, done.stdout), (2, b""))
        self.assertIn(b"may not be read", done.stderr)

    def test_wrong_usage_of_explain_is_told(self):
        done = self.run_program("--help")
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assertTrue(done.stdout.startswith(b"Usage: goldsmith-keeper explain "))
        done = self.run_program("--nothing")
        self.assertEqual((done.returncode, done.stdout), (2, b""))
        self.assertIn(b"unknown option", done.stderr)

    def test_memory_is_bounded(self):
        def bounded():
            resource.setrlimit(resource.RLIMIT_AS, (64 << 20, 64 << 20))

        for line in (b"x" * (1 << 20), b"Server cvar \"a\" = \"b\"\n" * 50_000):
            with subprocess.Popen([self.program, "explain"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  preexec_fn=bounded) as running:
                for _ in range(150):
                    running.stdin.write(line)
                running.stdin.write(f"\n{MISSING_WAD}\n".encode())
                out, error = running.communicate(timeout=120)
            self.assertEqual((running.returncode, error), (1, b""))
            self.assertIn(b"chateau.wad", out)


class Tool(Case):
    """What the build refuses."""

    def made(self, changes):
        data = {"format": 1, "ignored": [], "causes": [{
            "id": "a", "severity": "stops", "title": "T", "cause": "C", "remedy": "R", "patterns": ["a"], "examples": ["a"], **changes}]}
        (self.here / "causes.json").write_text(json.dumps(data), encoding="utf-8")
        return subprocess.run([TOOL, self.here / "causes.json"], capture_output=True, text=True, check=False)

    def test_patterns_that_could_be_read_differently_are_refused(self):
        for pattern in (r"\d", r"a{2}", "a{", r"[\d]", "[[:alpha:]]", "[:a]", "a||b", "(|a)", "(a|)", "()", "(a", "a)", "*a", "(*a)",
                        "a**", "(?:a)", "(?=a)", r"\bword", "a^b", "a$b", r"\n", "[]a]", "a\\", "\u00e4", "", "\t"):
            with self.subTest(pattern=pattern):
                done = self.made({"patterns": [pattern]})
                self.assertEqual((done.returncode, done.stdout), (1, ""))
                self.assertIn("causes.json: ", done.stderr)

    def test_what_all_read_alike_is_taken(self):
        for pattern in ("a", r"\(a\)", r"^a.*b$", "(a|b)c?", "a[^a<>]*", "[a-z0-9_-]", "[$]", "a/b", r"\[META\][^[]*a", r"a\$", "it's",
                        "a (b|c(d|e)) f", "(xa*)?b", "[a/b]", "x(/[^/:]*(/[^/:]*)?)?: b",
                        "a'[^']*': [^:]*b", r"\[ *[0-9]+\] [^[]* a *$"):
            with self.subTest(pattern=pattern):
                done = self.made({"patterns": [pattern]})
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                literal = pattern.replace("\\", "\\\\")
                self.assertIn(f'\\n+{literal}",\n', done.stdout)

    def test_what_rules_a_cause_out_is_a_pattern_behind_its_own(self):
        done = self.made({"absent": ["b"], "examples": ["\ufeffa"]})
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn('\\n+a\\n-b",\n', done.stdout)

    def test_patterns_that_take_more_than_linear_time_are_refused(self):
        for pattern in ("a*b", " +a", r"\[META\].*a", "a.*b.*c", "^a.*b.*c", "a[^b]*b", "(a|xb)[^x]*c", "x(a*|b) *a*c", "a[^a]*b[^a]*c",
                        "(ab)*c", "(a|b)+c", "a(b+)*c", "a.*", "(a?b?)*", "'.*'", "a" + "(b|c)" * 11 + "d"):
            with self.subTest(pattern=pattern):
                done = self.made({"patterns": [pattern]})
                self.assertEqual((done.returncode, done.stdout), (1, ""))
                self.assertRegex(done.stderr, "quadratic|repeated|too many alternatives")

    def test_mistakes_in_the_table_of_causes_are_refused(self):
        for changes in ({"id": "A b"}, {"severity": "bad"}, {"title": ""}, {"title": "two\nlines"}, {"remedy": "\u2026"}, {"patterns": []},
                        {"examples": []}, {"more": 1}, {"link": {"text": "x", "url": "javascript:x"}}, {"link": {"url": "/"}},
                        {"fallback": "yes"}, {"fallback": False}, {"examples": ["\x1b"]}, {"absent": []},
                        {"absent": "a"}, {"names": [{"kind": "name"}]}, {"names": ["a"]}, {"crash": "yes"}, {"absent": ["a*b"]},
                        {"absent": ["\ufeff"]}):
            with self.subTest(changes=changes):
                self.assertEqual(self.made(changes).returncode, 1)


if __name__ == "__main__":
    Case.module = pathlib.Path(sys.argv.pop()).resolve()
    Case.program = pathlib.Path(sys.argv.pop()).resolve()
    unittest.main()

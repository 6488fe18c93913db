#!/usr/bin/env python3
"""The lists that the server reads, as engine, Metamod and AMX Mod X read them: game_files_test.py PROBE

Random components with random paths, some of them hostile, through the manifest, the selection and the generator. What
comes out is parsed by implementations of what those programs are documented to do, and must say what was asked for."""

import json
import pathlib
import re
import sys
import tempfile
import unittest

from probe import Probe
from shared import generator, rounds

PROBE = None
RANDOM = None

LAYERS = ["engine", "gamedll", "metamod", "amxmodx", "auth", "module", "anticheat", "voice", "bots"]
ENGINE_VALUE = 255  # bytes of a value
LONGEST_LIST = 262_144  # bytes of liblist.gam
METAMOD_PLUGINS = 50  # of Metamod-P; Metamod-r has no limit
AMXX_LINE, AMXX_NAME, AMXX_PATH = 511, 255, 255  # bytes
AMXX_FOLDER = b"cstrike/addons/amxmodx/plugins/"
WORDS = ["addons", "dlls", "metamod", "amxmodx", "mm_i386.so", "cs.so", "a", "x.so", "lib-1.2_i386.so", "linux", "win32"]
ODD = ["a b", "a\tb", "\"", "\"x", "//", "/*", ";", "#", "..", ".", "", "a\nlinux b", "é", "\u202e", "a" * 300, "'", ",", "{", "\\",
       "a\r", "\u00a0", "%s", "$x", "a" * 200, "~", "+x", "@", "-"]
STEMS = ["a", "admin", "x.amxx", "admin.amxx", "0", "Z-9", "_", "é", "a b", "a;b", "debug", "disabled", "b" * 120, "c" * 240]


def engine_tokens(text):
    """Words are separated by white space and control characters; quotes keep them together; `//` begins a comment."""
    place = 0
    while place < len(text):
        if text[place] <= " ":
            place += 1
        elif text.startswith("//", place):
            place = (text + "\n").index("\n", place)
        elif text[place] == '"':
            end = (text + '"').index('"', place + 1)
            yield text[place + 1:end]
            place = end + 1
        elif text[place] in "{}()',":
            yield text[place]
            place += 1
        else:
            end = place
            while end < len(text) and text[end] > " " and text[end] not in "{}()',":
                end += 1
            yield text[place:end]
            place = end


def engine_libraries(text):
    """What the engine loads of liblist.gam: the value of every `gamedll_linux`."""
    assert 1 <= len(text.encode()) <= LONGEST_LIST
    tokens = list(engine_tokens(text))
    assert len(tokens) % 2 == 0, "a key has no value"
    pairs = list(zip(tokens[::2], tokens[1::2]))
    return dict(pairs), [value.encode()[:ENGINE_VALUE].decode(errors="replace") for key, value in pairs
                         if key.lower() == "gamedll_linux"]


def words(line, most=0):
    """As isspace() and sscanf() of C separate them."""
    return re.split("[ \t\n\v\f\r]+", line.strip(" \t\n\v\f\r"), maxsplit=most)


def metamod_plugins(text):
    found = []
    for line in text.split("\n"):
        line = " ".join(words(line))
        if not line or line.startswith(("#", ";", "//")):
            continue
        platform, *path = words(line, 2)
        if platform == "linux" and path and path[0] not in found:
            found.append(path[0])
    return found[:METAMOD_PLUGINS]


def amxx_plugins(text):
    """A name that begins one that is loaded already counts as loaded."""
    found = []
    for line in text.split("\n"):
        line = line.encode()[:AMXX_LINE].decode(errors="replace").split(";")[0]
        name = words(line)[0]
        if not (name[:1].isascii() and name[:1].isalnum()) or any(each.startswith(name) for each in found):
            continue
        found.append(name.encode()[:AMXX_NAME].decode(errors="replace"))
    return found


def random_path():
    parts = [RANDOM.choice(ODD if RANDOM.random() < 0.03 else WORDS) for _ in range(RANDOM.randint(1, 4))]
    return "/".join(parts)


def random_manifest():
    components = []
    # One of each layer at most: none excludes another.
    for number, layer in enumerate(RANDOM.sample(LAYERS, RANDOM.randint(1, len(LAYERS)))):
        loads = {name: random_path() for name in ("gamedll", "metamod_loader", "metamod_plugin") if RANDOM.random() < 0.4}
        components.append({"slug": f"c{number}", "name": f"C {number}", "layer": layer,
                           "sort_order": RANDOM.randint(0, 3), "loads": loads})
    return components


def in_load_order(components):
    return [each["loads"] for each in sorted(components, key=lambda each: (each["sort_order"], each["slug"]))]


class GameFiles(unittest.TestCase):
    def generated(self, manifests):
        """The answer to each manifest, of a selection of all its components."""
        with tempfile.TemporaryDirectory() as folder:
            calls = []
            for number, components in enumerate(manifests):
                file = pathlib.Path(folder, f"{number}.json")
                file.write_text(json.dumps(components), encoding="utf-8")
                calls.append(("generated", {"manifest": str(file),
                                            "components": ",".join(each["slug"] for each in components)}))
            return PROBE.ask(calls)

    def test_engine_and_metamod_load_what_the_components_say(self):
        manifests = [random_manifest() for _ in range(rounds(2000))]
        refused = 0
        for components, answer in zip(manifests, self.generated(manifests)):
            with self.subTest(components=components):
                if "refused" in answer:
                    self.assertIn("loads", answer["refused"])
                    refused += 1
                    continue
                ordered = in_load_order(components)
                loaders = [each["metamod_loader"] for each in ordered if "metamod_loader" in each]
                games = [each["gamedll"] for each in ordered if "gamedll" in each]
                keys, libraries = engine_libraries(answer["liblist"])
                self.assertEqual(libraries, (loaders + games + ["dlls/cs.so"])[:1])
                self.assertEqual((keys["game"], keys["type"], keys["gamedll"]),
                                 ("Counter-Strike", "multiplayer_only", "dlls\\mp.dll"))
                wanted = list(dict.fromkeys(each["metamod_plugin"] for each in ordered if "metamod_plugin" in each))
                self.assertEqual(metamod_plugins(answer["metamod"]), wanted)
                self.assertTrue(answer["metamod"], "Metamod takes an empty list for an error")
        print(f"{len(manifests) - refused} selections read as they were meant, {refused} manifests refused")
        self.assertTrue(0 < refused < len(manifests) / 2)

    def test_amx_mod_x_loads_the_plugin_of_every_source(self):
        loaded = 0
        calls = []
        for _ in range(rounds(2000)):
            sources = sorted({RANDOM.choice(STEMS) + RANDOM.choice(["", "-2", "_b", ".amxx"]) + ".sma"
                              for _ in range(RANDOM.randint(1, 8))})
            RANDOM.shuffle(sources)
            calls.append(("plugin_list", {"sources": sources}))
        for (_, arguments), answer in zip(calls, PROBE.ask(calls)):
            with self.subTest(**arguments):
                self.assertEqual(sorted(amxx_plugins(answer["list"])), sorted(answer["binaries"]))
                self.assertLessEqual(max(len(AMXX_FOLDER + each.encode()) for each in answer["binaries"]), AMXX_PATH)
                loaded += len(answer["binaries"])
        print(f"{loaded} plugins are registered, and all of them are loaded")


if __name__ == "__main__":
    PROBE, RANDOM = Probe(sys.argv.pop(1)), generator()
    unittest.main(failfast=True)

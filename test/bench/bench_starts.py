#!/usr/bin/env python3
"""Starts and plays of plugins: what sharing a start saves, and what one costs beside a compile

The server is of the engine of the tests, which does nothing, so that only goldsmith's part is measured; what a real one
takes is printed by `goldsmith build start`. Each plugin is compiled, started and played by `goldsmith plugin check`:
those that can't disturb each other share a start, those without their model are started alone. Processor time."""

import json
import os
import resource
import sys
import zipfile

from measuring import BenchStack, Targets, is_stand_in, load, logging_source, measured, write_plugin
from options import BUILD, Options

MOST_START, MOST_SHARED = 8.0, 0.5
PLATFORM = "cstrike/addons/amxmodx/dlls/amxmodx_mm_i386.so"


class Bench:
    def __init__(self, chosen):
        self.chosen, self.targets = chosen, Targets()
        self.stack = BenchStack(BUILD, chosen.toolchains)
        self.stack.run("sql", "UPDATE goldsmith.components SET is_default = 0, selectable = 0")
        self.engine = os.path.join(BUILD, "test", "fixtures", "engine", "standin_engine")
        archive, manifest = self.stack.path("server.zip"), self.stack.path("server.json")
        with zipfile.ZipFile(archive, "w") as file:
            file.write(self.engine, "hlds_linux")
            file.writestr(PLATFORM, "natives are told below")
        with open(manifest, "w", encoding="ascii") as file:
            json.dump({"slug": "bench-server", "name": "Server", "layer": "amxmodx", "is_default": True, "selectable": True,
                       "loads": {"toolchain": chosen.line}}, file)
        self.stack.goldsmith("component", "import", manifest)
        self.stack.goldsmith("component", "mirror", "bench-server", "--version", "1.0", "--archive", archive)
        self.stack.run("sql", "UPDATE goldsmith.component_files SET natives = 'log_amx register_plugin' WHERE path = "
                       f"'{PLATFORM}'")
        self.shared = self.import_plugins("shared", lambda slug: logging_source(slug))
        self.alone = self.import_plugins("alone", lambda slug: logging_source(slug) +
                                         f'public plugin_precache() precache_model("models/{slug}.mdl")\n')

    def import_plugins(self, name, source):
        slugs = [f"{name}-{number}" for number in range(self.chosen.plugins)]
        for slug in slugs:
            write_plugin(self.stack.path(f"set/{slug}"), slug, source(slug), self.chosen.line)
        self.stack.goldsmith_in("set", "plugin", "import", *slugs)
        return slugs

    def seconds(self, *words):
        """Of the processors, of the command and all that it starts."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        said = self.stack.goldsmith_in("set", *words)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, said

    def check(self, slugs):
        """Seconds of a plugin that is compiled, started and played."""
        spent, said = self.seconds("plugin", "check", "--json", *slugs)
        played = said.count(f'"{self.chosen.line}": "plays"')
        if played != len(slugs):
            sys.exit(f"{played} of {len(slugs)} plugins play: {said[-1000:]}")
        return spent / len(slugs)

    def measure(self):
        count = self.chosen.plugins
        print(f"{count} plugins of each kind; {load()}\nprocessor time of the command and all that it starts, of one plugin", flush=True)
        shared, alone = self.check(self.shared), self.check(self.alone)
        known, _ = self.seconds("plugin", "check", "--json", *self.shared)
        self.stack.run("sql", "UPDATE goldsmith.plugin_versions v JOIN goldsmith.plugins p ON p.id = v.plugin_id "
                       "SET v.verdicts = '' WHERE p.slug LIKE 'shared-%'; DELETE FROM goldsmith.compile_verdicts; "
                       "UPDATE goldsmith.components SET is_default = 0, selectable = 0")
        compiled, _ = self.seconds("plugin", "check", "--json", *self.shared)
        compiled = (compiled - known) / count
        print(f"        a compile {compiled:6.3f} s; with a start and a play {shared:6.3f} s if it shares them, {alone:6.3f} s alone; "
              f"a command that knows all {known:6.3f} s", flush=True)
        self.targets.check(f"who shares a start costs {shared / alone:5.2f} of who does not (at most {MOST_SHARED})",
                           shared / alone <= MOST_SHARED)
        self.targets.check(f"a start and a play alone cost {(alone - compiled) / compiled:5.2f} compiles (at most {MOST_START:.0f}"
                           f"{', of the stand-in' if is_stand_in(self.stack.toolchains, self.chosen.line) else ''})",
                           (alone - compiled) / compiled <= MOST_START)


def main():
    options = Options("starts", __doc__)
    options.add_toolchain()
    options.add_number("--plugins", 40, "plugins that share their starts, and of those that do not", 2, 500)
    return measured(Bench(options.parse()))


sys.exit(main())

#!/usr/bin/env python3
"""What real plugins register on a server, compared with what is read from their sources

Of a stack of test/support/stack in which the components are mirrored and the plugins published:

    scripts/bench facts STACK --components rehlds,regamedll-cs,metamod-r,amxmodx-1-9

Needs no release build: it asks the stack's own goldsmith.
"""

import argparse
import collections
import json
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
STACK = os.path.join(HERE, "..", "support", "stack")
MOST_TOGETHER = 20
with open(os.path.join(HERE, "..", "..", "app", "pawn", "words.json"), encoding="utf-8") as words:
    OF_GAME = set(json.load(words)["commands of the game"])


def letters(access):
    return "".join(chr(ord("a") + bit) for bit in range(26) if access >> bit & 1)


def sources(stack):
    """By slug, what the directory says of the newest published version."""
    query = "SELECT slug, HEX(COALESCE(about, '{}')) FROM goldsmith.plugins WHERE status = 'published' ORDER BY slug"
    rows = subprocess.check_output([STACK, "sql", stack, query], text=True).splitlines()[1:]
    return {slug: json.loads(bytes.fromhex(about)) for slug, about in (row.split("\t") for row in rows)}


def start(goldsmith, components, slugs):
    """What the server says with these, or None where they can't be together."""
    query = f"components={components}" + (f"&plugins={','.join(slugs)}" if slugs else "")
    done = subprocess.run([goldsmith, "build", "start", query, "--facts", "--json"], capture_output=True, text=True)
    return json.loads(done.stdout) if done.stdout.startswith("{") else None


def run_all(goldsmith, components, slugs):
    report = start(goldsmith, components, slugs)
    if report is not None and (report.get("facts") or len(slugs) == 1):
        print(".", end="", file=sys.stderr, flush=True)
        return [(slugs, report)]
    if len(slugs) <= 1:
        return []
    middle = len(slugs) // 2
    return run_all(goldsmith, components, slugs[:middle]) + run_all(goldsmith, components, slugs[middle:])


def whole(read, told):
    """A text as the server has it, which tells its first line, and at most 127 bytes: the whole of it where the source begins so."""
    told_whole = re.sub(r"(\\x[0-9A-F]{2})+$", "", told)
    return read if told_whole and read.startswith(told_whole) else told


class Differences:
    def __init__(self):
        self.equal = collections.Counter()
        self.found = collections.defaultdict(list)

    def compare(self, what, slug, name, read, ran):
        if read == ran:
            self.equal[what] += 1
        else:
            self.found[what].append([slug, name, read, ran])

    def say(self, kind, *details):
        self.found[kind].append(list(details))


def compare_cvars(slug, about, rows, owners, result):
    read = {each["name"].lower(): each for each in about.get("cvars", [])}
    for name, (flags, value, text) in rows.items():
        each = read.pop(name, None)
        if each is None:
            result.say("cvar: run alone", slug, name, flags, value, text)
            continue
        result.compare("cvar: value", slug, name, each["default"], value)
        result.compare("cvar: description", slug, name, each["help"], whole(each["help"], text))
    for name in read:
        owner = owners.get(name)
        result.say("cvar: source alone" if owner is None else "cvar: another plugin has it", slug, name, owner or "")


def compare_commands(slug, about, rows, result):
    read = {each["name"].lower(): each for each in about.get("commands", [])}
    for name, (access, text, who) in rows.items():
        each = read.pop(name, None)
        if each is None:
            is_hook = name in OF_GAME or name.startswith("weapon_")
            result.say("command: of the game" if is_hook else "command: run alone", slug, name, access, text, who)
            continue
        result.compare("command: access" + (" (computed)" if each.get("is_computed") else ""), slug, name, each["flags"], access)
        result.compare("command: description", slug, name, each["help"], whole(each["help"], text))
        result.compare("command: server only", slug, name, bool(each.get("is_server_only")), who == "s")
    for name in read:
        result.say("command: source alone", slug, name)


def compare(slugs, report, plugins, result):
    files = {}
    for each in report["plugins"]:
        if each["slug"] in slugs and each["state"] in ("running", "debug") and not each["errors"]:
            files[each["file"]] = each["slug"]
    cvars = collections.defaultdict(dict)
    commands = collections.defaultdict(dict)
    owners = {}
    for kind, *fact in report.get("facts", []):
        if kind == "cvar" and len(fact) == 5:
            cvars[fact[0]][fact[1].lower()] = (int(fact[2]), fact[3], fact[4])
            owners[fact[1].lower()] = fact[0]
        elif kind == "command" and len(fact) == 5:
            commands[fact[0]][fact[1].lower()] = (letters(int(fact[2])), fact[4], fact[3])
    for file, slug in files.items():
        result.equal["plugins"] += 1
        compare_cvars(slug, plugins[slug], cvars[file], owners, result)
        compare_commands(slug, plugins[slug], commands[file], result)
    for slug in set(slugs) - set(files.values()):
        errors = [each["errors"] for each in report["plugins"] if each["slug"] == slug]
        # Of a model that is not there, which the reading did not find.
        result.say("not running", slug, *errors[:1])


def main():
    parser = argparse.ArgumentParser(prog="scripts/bench facts", description=__doc__, allow_abbrev=False,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stack", metavar="STACK", help="folder of the stack")
    parser.add_argument("slugs", metavar="SLUG", nargs="*", help="plugins (all that are published)")
    parser.add_argument("--components", required=True, metavar="SLUG,…", help="what the servers have")
    parser.add_argument("--examples", type=int, default=3, metavar="N", help="of each kind of difference (3)")
    parser.add_argument("--keep", metavar="FILE", help="writes all differences there, as JSON")
    chosen = parser.parse_intermixed_args()
    goldsmith = os.path.join(chosen.stack, "commands", "goldsmith")
    plugins = sources(chosen.stack)
    slugs = chosen.slugs or list(plugins)
    if start(goldsmith, chosen.components, []) is None:
        sys.exit("bench: the server without plugins does not start")
    result = Differences()
    for at in range(0, len(slugs), MOST_TOGETHER):
        for together, report in run_all(goldsmith, chosen.components, slugs[at:at + MOST_TOGETHER]):
            compare(together, report, plugins, result)
    print(file=sys.stderr)
    for kind in sorted(set(result.equal) | set(result.found)):
        print(f"{kind:32} {result.equal[kind]:6} equal {len(result.found[kind]):6} other")
        for example in result.found[kind][:chosen.examples]:
            print("   ", *[repr(each) for each in example])
    if chosen.keep:
        with open(chosen.keep, "w", encoding="utf-8") as file:
            json.dump(result.found, file, indent=1, ensure_ascii=False)


main()

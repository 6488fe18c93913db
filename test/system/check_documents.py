#!/usr/bin/env python3
"""Whether what the manuals name is there, and whether a test runs their commands: check_documents.py BUILD

A block of commands is run by a test, or says why not (documented.py); then, as between backticks: goldsmith has the verb and its
options, scripts/NAME the options. Files of the tree between backticks: they exist. Lines of configuration in blocks: there is such a
setting. Addresses of the API: there is such an endpoint.
"""

import json
import pathlib
import re
import shlex
import subprocess
import sys

import documented
from documented import ROOT

DOCUMENTS = ["README.md", "app/README.md", "app/CHANGING.md", "db/catalog/README.md", "systemd/OPERATING.md", "systemd/CLUSTERS.md",
             "systemd/SCALING.md", "systemd/SECURITY.md"]
# Of these all blocks are run that do not say otherwise: by end_to_end, and by system_documents.
RUN = {"README.md", "db/catalog/README.md", "systemd/OPERATING.md", "systemd/CLUSTERS.md"}
# In blocks, beside programs of this project.
PROGRAMS = documented.PROGRAMS | {"chmod", "grep", "nginx"}
# Between backticks a file of the tree; one with NAME and the like stands for any.
FILE = re.compile(r"`((?:app|db|handlers|nginx|scripts|systemd|test)/(?![\w./-]*[A-Z]{4})[\w./-]+)`")

# Lines of other blocks that are no configuration: what a program prints, a picture, a file of another program.
OTHERS = re.compile(r"[;{}│└…\"-]|nginx ──|and files for|[a-z_]+:|sv_downloadurl")


class Wrong(Exception):
    """What is wrong with a line."""


def commands(line):
    """Each command of a line of shell as words: between && and |, without comments and files that it writes."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars="&|<>;")
    lexer.whitespace_split = True
    words = []
    for word in lexer:
        if set(word) <= set("&|;"):
            yield words
            words = []
        else:
            words.append(word)
    yield words


class Check:
    def __init__(self, build):
        self.program = pathlib.Path(build, "bin/goldsmith")
        self.helps = {}
        description = json.loads((ROOT / "nginx/site/openapi.json").read_text(encoding="utf-8"))
        self.paths = [re.compile(re.sub(r"\{\w+\}", "[^/]+", path)) for path in description["paths"]]
        self.settings = subprocess.run([self.program.with_name("goldsmith-worker"), "--default-config"], capture_output=True, text=True, check=False).stdout

    def help_of(self, *words):
        if words not in self.helps:
            done = subprocess.run([*words, "--help"], cwd=ROOT, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
            self.helps[words] = done.stdout if done.returncode == 0 else None
        return self.helps[words]

    def has_options(self, text, words):
        for word in words:
            option = word.split("=")[0]
            if re.fullmatch(r"--[a-z-]+", option) and option not in text and option not in ("--help", "--config"):
                raise Wrong(f"has no option {option}")

    def goldsmith(self, words):
        if words[:1] == ["setup"]:
            return self.has_options((ROOT / "scripts/deb/setup").read_text(encoding="utf-8"), words[1:])
        verbs = []
        for word in words[:2]:
            if not re.fullmatch(r"[a-z-]+", word) or word.startswith("-") or self.help_of(self.program, *verbs, word) is None:
                break
            verbs.append(word)
        if not verbs and words and re.fullmatch("[a-z]+", words[0]):
            raise Wrong(f"has no {words[0]}")
        if len(verbs) == 1 and words[1:2] and re.fullmatch("[a-z]+", words[1]) and "VERB" in self.help_of(self.program, *verbs):
            raise Wrong(f"{verbs[0]} has no {words[1]}")
        return self.has_options(self.help_of(self.program, *verbs), words)

    def script(self, words):
        if not (ROOT / words[0]).exists():
            raise Wrong("is not there")
        if not any(word.startswith("-") for word in words):
            return None
        if words[0] == "scripts/dev" and words[1:2] == ["goldsmith"]:
            return self.goldsmith(words[2:])
        subject = words[:2] if words[0] == "scripts/bench" and len(words) > 1 else words[:1]
        text = self.help_of(*subject) or (ROOT / words[0]).read_text(encoding="utf-8")
        return self.has_options(text, words[1:])

    def address(self, words):
        for word in words:
            path = re.search(r"https://127\.0\.0\.1:8443(/v1/[^?]*)", word)
            if path and not any(each.fullmatch(path[1]) for each in self.paths):
                raise Wrong(f"{path[1]} is no endpoint")

    def command(self, words, in_block):
        """Whether it is known at all."""
        if words[0] == "goldsmith":
            self.goldsmith(words[1:])
        elif words[0].startswith("scripts/") and not words[0].endswith("/"):
            self.script(words)
        elif in_block and words[0] in PROGRAMS:
            self.address(words)
        elif in_block and words[0].startswith("goldsmith-"):
            if not any((ROOT / path).is_file() for path in ("scripts/" + words[0].removeprefix("goldsmith-"), "scripts/deb/" + words[0])):
                raise Wrong("is not there")
        else:
            return False
        return True

    def setting(self, line):
        name = re.match(r"([a-z_]+(\.[a-z_]+)*) = ", line)
        if name and not re.search(rf"^#? ?{re.escape(name[1])} =", self.settings, re.MULTILINE):
            raise Wrong(f"there is no setting {name[1]}")
        if not name and not OTHERS.match(line):
            raise Wrong("it is neither a setting nor a command that is known")

    def line(self, line):
        for words in commands(line):
            if not self.command(words, True):
                raise Wrong(f"{words[0]} is not known here")

    def block(self, block):
        if not block.is_commands:
            for line in block.logical_lines:
                job = re.fullmatch(r"(?:[0-9*/,-]+ ){5}root (.*)", line)
                (self.line if job else self.setting)(job[1] if job else line)
        elif block.reason:
            for line in [command for command, _ in block.sessions] or block.logical_lines:
                self.line(line)
        elif block.document not in RUN:
            raise Wrong("no test runs these commands; the line before says why: <!-- not run: REASON -->")

    def document(self, name):
        """What is wrong in it."""
        text = (ROOT / name).read_text(encoding="utf-8")
        # One of a line, or of two.
        inline = [" ".join(each.split()) for each in re.findall(r"(?<!`)`([^`]{3,200})`(?!`)", text)]
        checks = [(block.place, block, self.block) for block in documented.blocks(name)]
        checks += [(line, line, lambda line: self.command(line.split(), False)) for line in inline]
        for place, subject, check in checks:
            try:
                check(subject)
            except (Wrong, ValueError) as wrong:  # the latter for quotation marks that are not closed
                yield f"{name}: {place}: {wrong}"
        for match in FILE.finditer(text):
            if not (ROOT / match[1]).exists():
                yield f"{name}: {match[1]} does not exist"


def main(build):
    check = Check(build)
    if not check.settings:
        sys.exit("goldsmith-worker does not say its default configuration")
    wrong = [each for name in DOCUMENTS for each in check.document(name)]
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

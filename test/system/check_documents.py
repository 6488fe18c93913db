#!/usr/bin/env python3
"""Whether what the manuals name is there: check_documents.py BUILD

Commands in blocks and between backticks: goldsmith has the verb and its options, scripts/NAME the options. Files of the tree between
backticks: they exist. Lines of configuration in blocks: there is such a setting. Addresses of the API: there is such an endpoint. What
other programs do is named in NOT_RUN, with the reason; another program in a block is a mistake.
"""

import json
import pathlib
import re
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCUMENTS = ["README.md", "app/README.md", "app/CHANGING.md", "db/catalog/README.md", "systemd/OPERATING.md", "systemd/CLUSTERS.md",
             "systemd/SCALING.md", "systemd/SECURITY.md"]
# Between backticks a file of the tree; one with NAME and the like stands for any.
FILE = re.compile(r"`((?:app|db|handlers|nginx|scripts|systemd|test)/(?![\w./-]*[A-Z]{4})[\w./-]+)`")

# Programs of Debian. What goldsmith asks of them is run by the test that stands beside them.
NOT_RUN = {
    "apt": "system_package installs and upgrades the package",
    "systemctl": "system_package stops and starts the units",
    "nginx": "system_package, check_nginx",
    "mysql": "system_package restores a dump",
    "mysqldump": "system_package dumps the database",
    "zcat": "system_package restores a dump",
    "ssh": "sends to a host that tests do not have",
    "rsync": "copies the depot to a host that tests do not have",
    "gpg": "platform_repository reads keys of a repository",
    "journalctl": "system_package reads the journal; which fields it has: unit_host",
    "openssl": "two_hosts makes certificates",
    "certbot": "asks an authority; system_package does what is before and after it",
    "goaccess": "access_log reads a log with these options",
    "curl": "its addresses are checked here",
    "editor": "opens a file for a person", "cp": "copies a file", "mv": "moves a folder", "ln": "makes a link",
    "grep": "shows some lines", "echo": "writes a line", "printf": "writes lines", "unzip": "shows an archive",
    "gzip": "system_package dumps the database", "sed": "drops a line of a dump", "chmod": "keeps a password to root",
    "cmake": "every build",
    "ansible-playbook": "system_ansible runs the playbook",
}
# Lines that are neither commands nor configuration: what a program prints, a picture, a file of another program.
OTHERS = re.compile(r"[;{}│└…\"-]|nginx ──|and files for|in the end|linux addons|\d+ +2023-|[A-Z]{4}|[a-z-]+ +(engine|gamedll)|"
                    r"[a-z_]+:|URIs|Signed-By|sv_downloadurl|--|status|reason")


class Wrong(Exception):
    """What is wrong with a line."""


def blocks(text):
    """The lines of indented and fenced blocks, continued lines joined. What follows an item of a list is text."""
    found, fenced, in_list, before = [], False, False, ""
    for line in text.splitlines():
        if line.startswith("```"):
            fenced = not fenced
        elif fenced or line.startswith("    ") and not in_list:
            if before.endswith("\\"):
                found[-1] += " " + line.strip().rstrip("\\")
            else:
                found.append(line.strip().rstrip("\\"))
        elif line.strip():
            in_list = re.match(r"(- |\d+\. |  )", line) is not None
        before = line
    return [line for line in found if line]


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
        elif in_block and words[0] in NOT_RUN:
            self.address(words)
        elif in_block and words[0].startswith("goldsmith-"):
            if not any((ROOT / path).is_file() for path in ("scripts/" + words[0].removeprefix("goldsmith-"), "scripts/deb/" + words[0])):
                raise Wrong("is not there")
        else:
            return False
        return True

    def line(self, line):
        setting = re.match(r"([a-z_]+(\.[a-z_]+)*) = ", line)
        if setting:
            if not re.search(rf"^#? ?{re.escape(setting[1])} =", self.settings, re.MULTILINE):
                raise Wrong(f"there is no setting {setting[1]}")
        elif not OTHERS.match(line):
            # Also a job of cron: five fields of time, and the user.
            for words in commands(re.sub(r"^([0-9*/,-]+ ){5}[a-z]+ ", "", line.removeprefix("$ "))):
                if not self.command(words, True):
                    raise Wrong(f"{words[0]} is neither checked here nor in NOT_RUN")

    def document(self, name):
        """What is wrong in it."""
        text = (ROOT / name).read_text(encoding="utf-8")
        # One of a line, or of two.
        inline = [" ".join(each.split()) for each in re.findall(r"(?<!`)`([^`]{3,200})`(?!`)", text)]
        for line, check in [*((line, self.line) for line in blocks(text)),
                            *((line, lambda line: self.command(line.split(), False)) for line in inline)]:
            try:
                check(line)
            except (Wrong, ValueError) as wrong:  # the latter for quotation marks that are not closed
                yield f"{name}: {line}: {wrong}"
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

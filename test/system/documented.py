"""The blocks of documents, for the tests that run their commands and for check_documents.py.

A block of commands is run by a test, or the line before it says why not: <!-- not run: REASON -->. The comment counts for what
follows until the next text."""

import dataclasses
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
MARK = re.compile(r"<!-- not run: (\S.*) -->")
# Where a line of a block begins a command. What else is in blocks are settings, outputs, files of other programs.
PROGRAMS = {"ansible-playbook", "apt", "certbot", "cp", "curl", "echo", "editor", "goaccess", "gpg", "install", "journalctl", "mysql",
            "mysqldump", "openssl", "printf", "systemctl", "zcat"}
SESSION = "$ "


@dataclasses.dataclass
class Block:
    document: str
    line: int
    lines: list
    reason: str = ""  # why no test runs it

    @property
    def place(self):
        return f"{self.document}:{self.line}"

    @property
    def script(self):
        return "\n".join(self.lines)

    @property
    def is_commands(self):
        word = self.lines[0].removeprefix(SESSION).split()[0]
        return word in PROGRAMS or re.match(r"goldsmith(-|$)|scripts/\w", word) is not None

    @property
    def logical_lines(self):
        """Continued lines joined."""
        return re.sub(r" *\\\n *", " ", self.script).splitlines()

    @property
    def sessions(self):
        """[(command, lines of output)] of a block with prompts."""
        found = []
        for line in self.logical_lines:
            if line.startswith(SESSION):
                found.append((line.removeprefix(SESSION), []))
            elif found:
                found[-1][1].append(line)
        return found


def blocks(document):
    """Those of a document of the tree: indented, in lists, too, and fenced. An empty line ends a block."""
    found, reason, fenced, width, before = [], "", False, 0, ""
    is_open = False
    for number, line in enumerate((ROOT / document).read_text(encoding="utf-8").splitlines(), 1):
        indent = len(line) - len(line.lstrip())
        if line.startswith("```"):
            fenced, is_open = not fenced, False
        elif not line.strip():
            is_open = False
        elif fenced or is_open or (indent >= width + 4 and not before.strip()):
            if not is_open:
                found.append(Block(document, number, [], reason))
            found[-1].lines.append(line.strip() if not fenced else line)
            is_open = True
        else:
            mark = MARK.fullmatch(line.strip())
            reason = mark[1] if mark else ""
            item = re.match(r" *(?:[-*]|\d+\.) +", line)
            width = len(item[0]) if item else width if indent >= width else 0
        before = "" if is_open else line
    return found

"""Reads a .case file; README.md describes it."""

import dataclasses
import json
import re

_HEADER = re.compile(r"^(!?)([A-Za-z][A-Za-z0-9-]*)(?::[ \t]*(.*))?$")
_OPTIONS = {"http", "http2", "body", "raw", "no-head", "file"}


class CaseError(Exception):
    """The file is not as README.md says."""


@dataclasses.dataclass
class Exchange:
    title: str
    line: int
    steps: list = dataclasses.field(default_factory=list)
    options: dict = dataclasses.field(default_factory=dict)
    method: str = ""
    target: str = ""
    headers: list = dataclasses.field(default_factory=list)  # (name, value) as written
    status: int = 0
    expected_headers: list = dataclasses.field(default_factory=list)  # (absent, name, value)
    body: str = ""

    def option(self, name):
        return name in self.options


def read(path):
    exchanges, blocks = [], []
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            line = line.rstrip("\n")
            if line.startswith("#"):
                continue
            if line.startswith("== "):
                blocks.append((number, line[3:].strip(), []))
            elif blocks:
                blocks[-1][2].append((number, line))
            elif line:
                raise CaseError(f"{path}:{number}: expected a title, `== …`")
    for number, title, lines in blocks:
        exchanges.append(_parse(path, Exchange(title, number), lines))
    if not exchanges:
        raise CaseError(f"{path}: there is no exchange in it")
    return exchanges


def _parse(path, exchange, lines):
    while lines and not lines[-1][1]:
        lines.pop()
    blank = next((i for i, (_, line) in enumerate(lines) if not line), None)
    if blank is None:
        raise CaseError(f"{path}:{exchange.line}: no empty line between request and response")
    for number, line in lines[:blank]:
        _request_line(f"{path}:{number}", exchange, line)
    if not exchange.method:
        raise CaseError(f"{path}:{exchange.line}: there is no request")
    _expectation(path, exchange, lines[blank + 1:])
    return exchange


def _request_line(place, exchange, line):
    if exchange.method:
        header = _HEADER.match(line)
        if header is None or header.group(1) or header.group(3) is None:
            raise CaseError(f"{place}: not a header: {line}")
        exchange.headers.append((header.group(2), header.group(3)))
    elif line.startswith("$ "):
        exchange.steps.append(line[2:])
    elif line.startswith("@"):
        name, _, value = line[1:].partition(" ")
        if name not in _OPTIONS:
            raise CaseError(f"{place}: unknown option @{name}")
        exchange.options[name] = value
    else:
        exchange.method, _, exchange.target = line.partition(" ")
        if not exchange.target:
            raise CaseError(f"{place}: not a request: {line}")


def _expectation(path, exchange, lines):
    if not lines or not lines[0][1].isdigit():
        raise CaseError(f"{path}:{exchange.line}: expected a status after the empty line")
    exchange.status = int(lines[0][1])
    rest = lines[1:]
    while rest:
        header = _HEADER.match(rest[0][1])
        if header is None or rest[0][1] == "empty" or rest[0][1].startswith("exactly"):
            break
        if bool(header.group(1)) == (header.group(3) is not None):
            raise CaseError(f"{path}:{rest[0][0]}: write `Name: value` or `!Name`")
        exchange.expected_headers.append((bool(header.group(1)), header.group(2), header.group(3)))
        rest = rest[1:]
    exchange.body = "\n".join(line for _, line in rest).strip()
    _check_body(f"{path}:{rest[0][0] if rest else exchange.line}", exchange.body)


def _check_body(place, body):
    if body in ("", "empty"):
        return
    if body.startswith(("~ ", "!~ ")):
        for line in body.splitlines():
            if not line.startswith(("~ ", "!~ ")):
                raise CaseError(f"{place}: every line of this body starts with `~ ` or `!~ `")
        return
    try:
        json.loads(body.removeprefix("exactly"))
    except ValueError as error:
        raise CaseError(f"{place}: the expected body is no JSON: {error}") from error

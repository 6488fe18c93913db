#!/usr/bin/env python3
"""Proves that every error code is provoked by a test of the running service, and that nginx's own error
bodies are those of the table.

Reads the table in app/domain/failure.cpp, what the cases and the system's tests expect, and
nginx/snippets/errors.conf.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def text_of(*patterns):
    return "\n".join(path.read_text(encoding="utf-8")
                     for pattern in patterns for path in sorted(ROOT.glob(pattern)))


def table():
    """{code: status}"""
    rows = re.findall(r'\{Error::\w+,\s*"(\w+)",\s*(\d+),', text_of("app/domain/failure.cpp"))
    return {code: int(status) for code, status in rows}


def provoked():
    """{(status, code)}: what a case or a system test wants to see."""
    cases = re.split(r"(?m)^== ", text_of("test/http/cases/*.case"))
    found = set()
    for case in cases:
        expected = re.search(r'(?ms)^$\n(\d{3})\n(.*)', case)
        # JSON, or a document that is text.
        for code in re.findall(r'"error": "(\w+)"|^~ .*\\Aerror: (\w+)', expected.group(2) if expected else "", re.M):
            code = code[0] or code[1]
            found.add((int(expected.group(1)), code))
    system = text_of("test/system/*.py")
    return found | {(int(status), code) for status, code in
                    re.findall(r'(?s)assert_error\(.{,200}?,\s*(\d{3}),\s*"(\w+)"\)', system)}


def answered_by_nginx():
    return [(int(status), code) for status, code in
            re.findall(r'return (\d{3}) \'\{"error":"(\w+)","status":false\}\';',
                       text_of("nginx/snippets/errors.conf"))]


def main():
    codes, tested, own = table(), provoked(), answered_by_nginx()
    problems = [f"no case or system test provokes {status} {code}"
                for code, status in codes.items() if (status, code) not in tested]
    problems += [f"a test expects {status} {code}, which is not in the table"
                 for status, code in sorted(tested) if codes.get(code) != status]
    problems += [f"nginx answers {status} {code}, which is not in the table"
                 for status, code in own if codes.get(code) != status]
    if not codes or not own:
        problems.append("no codes were found: this check reads the wrong place")
    print("\n".join(problems) or f"all {len(codes)} error codes are provoked")
    sys.exit(1 if problems else 0)


main()

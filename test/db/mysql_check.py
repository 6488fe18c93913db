#!/usr/bin/env python3
"""Whether MySQL 8 knows every statement that the database tests ran: mysql_check.py LOG TOOLS

LOG is the general log of the server of these tests, TOOLS has the parser with MySQL's grammar. A grammar does not know
functions, so those are compared with a list. See db/MYSQL.md for what neither can tell."""

import json
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))

# What tests alone send: to arrange what they test, or about MariaDB itself.
OF_TESTS = re.compile("|".join([
    r"JSON_TABLE", r"^(KILL|ANALYZE|EXPLAIN|TRUNCATE|GRANT|REVOKE|SHOW GRANTS)\b",
    r"PROCESSLIST", r"NONSENSE", r"SET GLOBAL", r"mysql\.general_log", r"^(CREATE|DROP|ALTER) USER", r"SLEEP\("]), re.IGNORECASE)

# Of both servers, with the same meaning for what goldsmith gives them.
FUNCTIONS = set("""
    COALESCE CONCAT CONCAT_WS COUNT DATABASE FROM_UNIXTIME GET_LOCK GROUP_CONCAT IF IFNULL IS_USED_LOCK LAST_INSERT_ID LEAST LENGTH
    GREATEST MAX MD5 MIN NOW REPEAT REPLACE CONNECTION_ID RELEASE_LOCK SHA2 SUBSTRING SUM UNIX_TIMESTAMP UTC_TIMESTAMP UUID LOWER LEFT
    CHAR EXISTS ROUND DATE VALUES LOCATE MOD ABS TIMESTAMPDIFF
    """.split())

# Reserved since the grammar was written.
NEW_WORDS = {"EXCEPT", "INTERSECT", "MANUAL", "PARALLEL", "QUALIFY", "TABLESAMPLE"}

# Before a parenthesis without being a function.
WORDS = set("""
    ALL AND ANY AS BETWEEN BIGINT BINARY BY CASE CHAR CHECK DEFAULT DOUBLE ENUM EXISTS FOREIGN FROM HAVING IN INDEX INT INTO
    JOIN KEY LIKE LIMIT MEDIUMBLOB MEDIUMTEXT NOT ON OR OVER PRIMARY REFERENCES SELECT SET SMALLINT TABLE THEN TINYINT
    UNION UNIQUE UPDATE USING VALUES VARBINARY VARCHAR WHEN WHERE ELSE DECIMAL DATETIME LONGBLOB LONGTEXT TEXT BLOB IS
    """.split())

ENTRY = re.compile(r"^(?:\d{6} +\d+:\d\d:\d\d)?\t+ *\d+ ([A-Z][A-Za-z ]+?)\t(.*)$")
LITERAL = re.compile(r"'(?:[^'\\]|\\.|'')*'", re.DOTALL)


def entries(lines):
    """(command, argument) of each entry; an argument may have several lines."""
    command, argument = None, []
    for line in lines:
        begin = ENTRY.match(line)
        if not begin:
            if command in ("Query", "Prepare"):
                argument.append(line)
            continue
        if command:
            yield command, "".join(argument)
        command, argument = begin[1], [begin[2] + "\n"]
    if command:
        yield command, "".join(argument)


def statements(path):
    """Those of the programs, once each whatever their literals."""
    found = {}
    with open(path, encoding="utf-8", errors="replace") as log:
        for command, argument in entries(log):
            text = argument.strip()
            if command not in ("Query", "Prepare") or not text or OF_TESTS.search(text):
                continue
            found.setdefault(LITERAL.sub("''", text), text)
    return sorted(found.values())


def bare(statement):
    return re.sub(r"--.*", "", LITERAL.sub("''", re.sub(r"`[^`]*`", "name", statement)))


def unknown_functions(statement):
    called = re.findall(r"\b([A-Za-z_][A-Za-z_0-9]*)\s*\(", bare(statement))
    return sorted({each.upper() for each in called if each.isupper()} - FUNCTIONS - WORDS)


def refused(all_statements, tools):
    problems = []
    for statement in all_statements:
        if unknown := unknown_functions(statement):
            problems.append((statement, "not in the list of functions that both servers have: " + ", ".join(unknown)))
        if words := NEW_WORDS & set(re.findall(r"\w+", bare(statement).upper())):
            problems.append((statement, "reserved in MySQL: " + ", ".join(sorted(words))))
    done = subprocess.run(["node", os.path.join(HERE, "mysql_grammar.js"), tools], input=json.dumps(all_statements),
                          stdout=subprocess.PIPE, text=True, check=True)
    return problems + [tuple(each) for each in json.loads(done.stdout)]


def main():
    log, tools = sys.argv[1:]
    found = statements(log)
    # So that a log of nothing is not taken for a good one.
    tables = {name for each in found for name in re.findall(r"^CREATE TABLE IF NOT EXISTS (\w+)", each, re.MULTILINE)}
    if len(found) < 200 or "plugins" not in tables:
        sys.exit(f"{log}: only {len(found)} statements: run the tests db_tests and cli_tests before")
    # MariaDB's extensions are refused: else the check itself is broken.
    broken = ["INSERT INTO t (a) VALUES (1) RETURNING a", "ALTER TABLE t ADD COLUMN IF NOT EXISTS a INT",
              "SELECT rank FROM t", "SELECT NATURAL_SORT_KEY(a) FROM t", "SELECT a AS intersect FROM t"]
    assert {each for each, _ in refused(broken, tools)} == set(broken)
    problems = refused(found, tools)
    for statement, reason in problems:
        print(f"{reason}:\n  {statement}\n")
    print(f"{len(found)} statements, {len(problems)} refused")
    sys.exit(1 if problems else 0)


main()

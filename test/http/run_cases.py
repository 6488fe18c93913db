#!/usr/bin/env python3
"""Runs .case files against a running stack: run_cases.py STACK_FOLDER CASE… README.md describes them."""

import difflib
import http.client
import json
import os
import re
import subprocess
import sys
import time

import case_file
import invariants
import matching
import openapi
from client import Client


class Failure(Exception):
    """What a case found wrong; its text is for people."""


class Runner:
    def __init__(self, folder):
        with open(os.path.join(folder, "stack.json"), encoding="utf-8") as file:
            stack = json.load(file)
        self.folder, self.client = folder, Client(stack)
        # `goldsmith` in a step is the operator's command on this stack.
        self.environment = dict(os.environ, STACK=folder, ORIGIN=self.client.origin,
                                PATH=stack["commands"] + os.pathsep + os.environ["PATH"])
        self.names = {}
        self.description = openapi.Description()

    def run_file(self, path):
        """Prints what fails; returns the numbers of exchanges that passed and failed."""
        passed = failed = 0
        self.names = {"origin": self.client.origin}
        for exchange in case_file.read(path):
            try:
                self.run(exchange)
                passed += 1
            except (Failure, OSError, http.client.HTTPException) as error:
                failed += 1
                print(f"{path}:{exchange.line}: {exchange.title}\n"
                      f"    {exchange.method} {exchange.target[:300]}\n{_indent(error)}\n")
        return passed, failed

    def fill(self, text):
        """Replaces ${NAME}, ${<FILE} and ${TEXT*COUNT}."""
        def value(match):
            name = match.group(1)
            if name.startswith("<"):
                with open(os.path.join(self.folder, name[1:]), encoding="utf-8") as file:
                    return file.read().rstrip("\n")
            if "*" in name:
                part, count = name.rsplit("*", 1)
                return part * int(count)
            if name not in self.names:
                raise Failure(f"nothing was kept as ${{{name}}}")
            return self.names[name]
        return re.sub(r"\$\{([^}]+)\}", value, text)

    def run(self, exchange):
        for step in exchange.steps:
            self.run_step(self.fill(step))
        target = self.fill(exchange.target)
        headers = [(name, self.fill(value)) for name, value in exchange.headers]
        response = self.client.send(exchange.method, target, headers, exchange.options)
        problems = self.compare(exchange, response)
        if (target.startswith("/v1") and not exchange.option("http")
                and not exchange.option("file")):
            problems += invariants.problems(exchange.method, response)
            problems += self.description.problems(exchange.method, target, response)
            if (invariants.head_is_comparable(exchange.method, response)
                    and not exchange.option("no-head") and not exchange.option("raw")):
                problems += self.head_problems(target, headers, exchange, response)
        if problems:
            raise Failure("\n".join(problems))

    def head_problems(self, target, headers, exchange, response):
        """Each worker counts downloads for itself, two seconds late: they agree a moment after the last download."""
        end = time.monotonic() + 10
        while True:
            found = invariants.head_problems(response, self.client.send("HEAD", target, headers, exchange.options))
            if not found or time.monotonic() > end:
                return found
            time.sleep(0.5)
            response = self.client.send("GET", target, headers, exchange.options)

    def run_step(self, step):
        done = subprocess.run(["bash", "-euo", "pipefail", "-c", step], env=self.environment,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False, timeout=240)
        if done.returncode != 0:
            raise Failure(f"step failed with {done.returncode}: {step}\n"
                          + done.stdout.decode("utf-8", "replace"))

    def compare(self, exchange, response):
        problems = []
        if response.status != exchange.status:
            problems += _diff([str(exchange.status)], [str(response.status)], "status")
            problems += [f"the body: {response.text()[:1000]}"]
        for absent, name, expected in exchange.expected_headers:
            values = response.all(name)
            if absent and values:
                problems.append(f"header {name} must be absent, but is {values}")
            if not absent:
                expected = self.fill(expected)
                if not any(matching.match_text(expected, value, self.names) for value in values):
                    problems += _diff([f"{name}: {expected}"],
                                      [f"{name}: {value}" for value in values], "header")
        # The body of another status would only repeat the news.
        return problems or self.compare_body(exchange.body, response)

    def compare_body(self, body, response):
        if body == "":
            return []
        if body == "empty":
            return [f"the body is not empty: {response.text()[:500]}"] if response.body else []
        if body.startswith(("~ ", "!~ ")):
            return self.search(body, response.body.decode("latin-1"))
        exact = body.startswith("exactly")
        expected = json.loads(self.fill(body.removeprefix("exactly")))
        try:
            actual = json.loads(response.body)
        except ValueError as error:
            return [f"the body is no JSON: {error}: {response.text()[:500]}"]
        if matching.match_json(expected, actual, self.names, exact):
            return []
        left, right = matching.comparable(expected, actual, exact)
        return _diff(_lines(left), _lines(right), "body")

    def search(self, body, text):
        problems = []
        for line in body.splitlines():
            wanted = line.startswith("~ ")
            pattern = self.fill(line.partition(" ")[2])
            if (re.search(pattern, text) is not None) != wanted:
                problems.append(f"{'not found' if wanted else 'found'} in the body: {pattern}\n"
                                + text[:1000])
        return problems


def _lines(value):
    return json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False).splitlines()


def _diff(expected, actual, what):
    return list(difflib.unified_diff(expected, actual, f"expected {what}", f"actual {what}",
                                     lineterm=""))


def _indent(error):
    return "\n".join("    " + line for line in str(error).splitlines())


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    runner = Runner(sys.argv[1])
    passed = failed = 0
    for path in sys.argv[2:]:
        try:
            good, bad = runner.run_file(path)
        except case_file.CaseError as error:
            print(error)
            good, bad = 0, 1
        passed, failed = passed + good, failed + bad
    print(f"{passed} exchanges passed, {failed} failed")
    sys.exit(1 if failed else 0)


main()

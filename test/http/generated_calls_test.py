#!/usr/bin/python3
"""Calls that are generated from the API's own description: generated_calls_test.py STACK_FOLDER

For each operation any combination of its parameters: values that its answers have shown, values that the schema allows,
and any text. Every answer must be one that the description has. What fails is shrunk to the smallest call that fails."""

import collections
import json
import os
import sys
import unittest
import urllib.parse

import hypothesis
from hypothesis import strategies

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support"))

import invariants  # noqa: E402  (found by the line above)
import openapi  # noqa: E402
from client import Client  # noqa: E402
from seed import generator, rounds  # noqa: E402

CLIENT = None
RANDOM = None
DESCRIPTION = openapi.Description()
LONGEST = 6000  # bytes of a target; what is longer is nginx's business
# Parameters whose values stand under other names in answers.
SOURCES = {"components": "slug", "plugins": "slug", "amxx": "amxx_toolchains", "compiles_with": "amxx_toolchains", "q": "name"}
LISTS = ("components", "plugins")


def harvest(value, found):
    """The texts in a JSON value, by the key that they stand under."""
    if isinstance(value, dict):
        for key, each in value.items():
            for item in each if isinstance(each, list) else [each]:
                if isinstance(item, str):
                    found[key].add(item)
            harvest(each, found)
    elif isinstance(value, list):
        for each in value:
            harvest(each, found)


def seen_values():
    """What the service shows of itself to who follows its answers."""
    found = collections.defaultdict(set)
    for target in ("/v1/meta", "/v1/plugins?per_page=100", "/v1/addons", "/v1/server-builder/meta", "/v1/server-builder/resolve"):
        harvest(json.loads(CLIENT.send("GET", target, [], {}).body), found)
    for url in sorted(found["detail_url"])[:60]:
        harvest(json.loads(CLIENT.send("GET", urllib.parse.urlsplit(url).path, [], {}).body), found)
    return {key: sorted(values) for key, values in found.items()}


def values_of(parameter, seen):
    schema, name = parameter["schema"], parameter["name"]
    known = strategies.sampled_from(schema.get("enum", []) + schema.get("examples", []) + [schema.get("default", "1")]
                                    + seen.get(SOURCES.get(name, name), []))
    text = strategies.text(strategies.characters(blacklist_categories=("Cs",)), max_size=60)
    if schema["type"] == "integer":
        return strategies.one_of(known, strategies.integers(), text)
    if name in LISTS:
        token = strategies.one_of(known, known, strategies.tuples(known, strategies.sampled_from(seen["version"])).map("@".join))
        known = strategies.lists(token, max_size=8).map(",".join)
    return strategies.one_of(known, known, known, text)


def calls(template, item, seen):
    """Targets of an operation."""
    parameters = [DESCRIPTION.resolved(each) for each in item["get"]["parameters"]]
    values = {each["name"]: values_of(each, seen) for each in parameters}
    in_path = {each["name"] for each in parameters if each["in"] == "path"}
    given = strategies.fixed_dictionaries({name: values[name] for name in in_path},
                                          optional={name: values[name] for name in values if name not in in_path})

    def target(arguments):
        path = template
        for name in in_path:
            path = path.replace("{" + name + "}", urllib.parse.quote(str(arguments[name]), safe=""))
        query = urllib.parse.urlencode({name: value for name, value in arguments.items() if name not in in_path})
        return path + ("?" + query if query else "")
    return given.map(target)


HEADERS = strategies.fixed_dictionaries({}, optional={
    "Authorization": strategies.sampled_from(["", "Bearer", "Bearer svck_x", "Basic Og==", "Bearer svck_" + "a" * 40]),
    "Accept-Encoding": strategies.sampled_from(["gzip", "gzip;q=0", "*", "br"]),
    "If-None-Match": strategies.sampled_from(["*", '"x"', ""]),
    "Range": strategies.sampled_from(["bytes=0-9", "bytes=999999999-", "bytes=0-0,2-3", "x"])})
METHODS = strategies.sampled_from(["GET"] * 8 + ["HEAD", "HEAD", "OPTIONS", "POST", "PUT", "DELETE", "PATCH"])


class GeneratedCalls(unittest.TestCase):
    statuses = collections.Counter()

    def call(self, method, target, headers):
        if len(target) > LONGEST or "%00" in target.split("?")[0]:
            return
        # One address would have to wait for its turn (decision R21).
        number = self.statuses.total()
        CLIENT.source = f"127.3.{number // 250 % 250}.{number % 250 + 1}"
        response = CLIENT.send(method, target, list(headers.items()), {})
        self.statuses[response.status] += 1
        found = invariants.problems(method, response) + DESCRIPTION.problems(method, target, response)
        if method not in ("GET", "HEAD", "OPTIONS") and response.status not in (401, 405):
            found.append(f"{response.status} for {method}")
        if response.status >= 500:
            found.append(f"{response.status}: {response.text()[:300]}")
        self.assertEqual(found, [], f"{method} {target} {headers}")

    def test_every_answer_is_one_of_the_description(self):
        seen, count = seen_values(), rounds(60)
        for template, item in DESCRIPTION.document["paths"].items():
            with self.subTest(path=template):
                checked = hypothesis.given(METHODS, calls(template, item, seen), HEADERS)(self.call)
                checked = hypothesis.seed(RANDOM.getrandbits(32))(checked)
                hypothesis.settings(max_examples=count, deadline=None, database=None,
                                    suppress_health_check=list(hypothesis.HealthCheck))(checked)()
        print(f"{self.statuses.total()} calls: {dict(self.statuses)}")
        self.assertLessEqual({200, 400, 401, 404, 405}, set(self.statuses))


if __name__ == "__main__":
    with open(os.path.join(sys.argv.pop(1), "stack.json"), encoding="utf-8") as file:
        CLIENT = Client(json.load(file))
    RANDOM = generator()
    unittest.main()

#!/usr/bin/env python3
"""Random conditions and ranges for what the service serves, compared with RFC 9110: conditions_test.py STACK_FOLDER"""

import json
import os
import sys
import unittest
from datetime import timedelta

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support"))

import conditions  # noqa: E402  (found by the line above)
from client import Client  # noqa: E402
from seed import generator, rounds  # noqa: E402

CLIENT = None
RANDOM = None
DOWNLOAD = "/v1/server-builder/download"
CONDITIONS = ["If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since", "If-Range"]
# What a 304 must repeat of a 200 (section 15.4.5).
REPEATED = ["Cache-Control", "Content-Location", "ETag", "Expires", "Vary"]


def some_tags(etag):
    return RANDOM.choice([etag, etag, "*", '"x"', "W/" + etag, f'"x", {etag}', f'"x",W/{etag}', f'"x,y",{etag} ,"z"', '"',
                          etag.strip('"'), f'{etag[:-1]}x"', ""])


def some_date(modified):
    known = conditions.parse_date(modified) if modified else conditions.parse_date("Thu, 01 Jan 2015 00:00:00 GMT")
    date = known + timedelta(seconds=RANDOM.choice([0, 0, 0, -1, 1, -86400, 86400, 10**8]))
    form = RANDOM.choice(conditions.FORMATS) if date.day > 9 else conditions.DATE
    return RANDOM.choice([date.strftime(form)] * 9 + ["yesterday", "0", "Thu, 01 Xyz 2015 00:00:00 GMT"])


def some_range(size):
    near = [0, 0, 1, 2, size // 2, size - 2, size - 1, size, size + 1, 10**6, 10**18, 10**22]

    def one():
        first, last = RANDOM.choice(near), RANDOM.choice(near)
        return RANDOM.choice([f"{first}-{last}", f"{first}-{last}", f"{first}-", f"-{last}", f" {first}-{last}\t", "", "-", "a-b",
                              f"{first}"])
    ranges = ",".join(one() for _ in range(RANDOM.choice([1, 1, 1, 1, 2, 3, 5])))
    return RANDOM.choice(["bytes"] * 12 + ["Bytes", "apples", ""]) + "=" + ranges


def some_headers(item):
    headers = {}
    for name in RANDOM.sample(CONDITIONS, RANDOM.choice([0, 1, 1, 1, 2, 2, 3, 5])):
        if name == "If-Range":
            headers[name] = RANDOM.choice([item.etag, item.etag, '"x"', "W/" + item.etag, some_date(item.modified)])
        elif name.endswith("Match"):
            headers[name] = some_tags(item.etag)
        else:
            headers[name] = some_date(item.modified)
    if RANDOM.random() < 0.7:
        headers["Range"] = some_range(len(item.body))
    return headers


class Conditions(unittest.TestCase):
    def representation(self, target, has_ranges=False):
        response = CLIENT.send("GET", target, [], {})
        self.assertEqual(response.status, 200, response.text()[:300])
        self.assertEqual(response.all("Accept-Ranges"), ["bytes"] if has_ranges else [])
        self.whole = response
        return conditions.Representation(response.body, response.all("ETag")[0],
                                         (response.all("Last-Modified") or [""])[0], has_ranges)

    def compare(self, target, item, usual, ignored=()):
        """`ignored`: conditions that the resource does not evaluate."""
        statuses = {}
        for number in range(rounds(usual)):
            headers = some_headers(item)
            method = RANDOM.choice(["GET", "GET", "GET", "HEAD"])
            # One address would have to wait for its turn (decision R21).
            CLIENT.source = f"127.2.{number // 250 % 250}.{number % 250 + 1}"
            response = CLIENT.send(method, target, list(headers.items()), {})
            known = {name: value for name, value in headers.items() if name not in ignored}
            with self.subTest(target=target, method=method, headers=headers):
                self.assertEqual(conditions.problems(method, known, item, response), [])
                self.check_headers(item, response)
            statuses[response.status] = statuses.get(response.status, 0) + 1
        print(f"{target}: {statuses}")
        return statuses

    def check_headers(self, item, response):
        if response.status == 304:
            for name in REPEATED:
                self.assertEqual(response.all(name), self.whole.all(name), name)
        elif response.status == 416:
            self.assertEqual(response.all("Content-Range"), [f"bytes */{len(item.body)}"])
            # Those of the archive are left where they can't be taken away, with a word to caches.
            if "no-store" not in response.all("Cache-Control"):
                for name in ("Cache-Control", "ETag", "Last-Modified", "Content-Disposition", "X-Svc-Build-Hash"):
                    self.assertEqual(response.all(name), [], name)

    def test_an_archive_by_its_selection(self):
        statuses = self.compare(DOWNLOAD, self.representation(DOWNLOAD, has_ranges=True), 600)
        self.assertEqual(set(statuses), {200, 206, 304, 412, 416})

    def test_an_archive_by_its_build_hash(self):
        build_hash = CLIENT.send("GET", DOWNLOAD, [], {}).all("X-Svc-Build-Hash")[0]
        target = f"/archives/{build_hash}.zip"
        statuses = self.compare(target, self.representation(target, has_ranges=True), 600)
        self.assertEqual(set(statuses), {200, 206, 304, 412, 416})

    def test_conditions_of_what_workers_answer(self):
        for target in ("/v1/plugins", "/v1/plugins/afk-watch", "/plugins", "/server/checksums.txt"):
            # Nothing is changed on the condition of these.
            self.compare(target, self.representation(target), 100, ignored=("If-Match",))


if __name__ == "__main__":
    with open(os.path.join(sys.argv.pop(1), "stack.json"), encoding="utf-8") as file:
        CLIENT = Client(json.load(file))
    RANDOM = generator()
    unittest.main(failfast=True)

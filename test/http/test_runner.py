#!/usr/bin/env python3
"""The case runner's own tests: a comparison that can't fail would make every case worthless."""

import os
import tempfile
import unittest

import case_file
import client
import invariants
import matching


def response(status, body, *headers):
    common = [("Access-Control-Allow-Origin", "*"),
              ("Access-Control-Expose-Headers", ", ".join(invariants.EXPOSED)),
              ("Content-Type", invariants.JSON_TYPE)]
    return client.Response(status, common + list(headers), body)


class Matching(unittest.TestCase):
    def matches(self, expected, actual, exact=False):
        return matching.match_json(expected, actual, {}, exact)

    def test_more_keys_pass_only_where_the_case_is_not_exact(self):
        self.assertTrue(self.matches({"a": 1}, {"a": 1, "b": 2}))
        self.assertFalse(self.matches({"a": 1}, {"a": 1, "b": 2}, exact=True))
        self.assertFalse(self.matches({"a": {"b": 1}}, {"a": {"b": 1, "c": 2}}, exact=True))

    def test_a_missing_key_fails_even_where_any_value_would_do(self):
        self.assertFalse(self.matches({"a": "***"}, {}))

    def test_types_of_values_are_compared(self):
        self.assertFalse(self.matches({"a": 1}, {"a": True}))
        self.assertFalse(self.matches({"a": 1}, {"a": "1"}))
        self.assertFalse(self.matches({"a": None}, {"a": ""}))
        self.assertFalse(self.matches({"a": "#"}, {"a": "7"}))
        self.assertFalse(self.matches({"a": "#"}, {"a": True}))

    def test_arrays_have_exactly_the_elements_unless_there_is_a_gap(self):
        self.assertFalse(self.matches([1], [1, 2]))
        self.assertTrue(self.matches([1, "..."], [1, 2]))
        self.assertTrue(self.matches(["...", 2, "..."], [1, 2, 3]))
        self.assertFalse(self.matches(["...", 4, "..."], [1, 2, 3]))
        self.assertFalse(self.matches(["...", 3, 2], [1, 2, 3]))

    def test_wildcards_stand_for_text_and_keep_it(self):
        names = {}
        self.assertTrue(matching.match_text("a***=middle=c", "abbc", names))
        self.assertEqual(names, {"middle": "bb"})
        self.assertFalse(matching.match_text("a***c", "abd", {}))
        self.assertFalse(matching.match_text("a.c", "abc", {}))

    def test_a_regular_expression_has_to_match_all(self):
        self.assertTrue(matching.match_text("~[0-9]+", "12", {}))
        self.assertFalse(matching.match_text("~[0-9]+", "12 ", {}))

    def test_the_diff_shows_what_differs_and_only_that(self):
        left, right = matching.comparable({"a": "***", "b": 1}, {"a": 5, "b": 2, "c": 3}, False)
        self.assertEqual((left, right), ({"a": 5, "b": 1}, {"a": 5, "b": 2}))

    def test_keys_out_of_order_or_twice_are_found(self):
        self.assertTrue(matching.load_json('{"b":1,"a":2}')[1])
        self.assertTrue(matching.load_json('[{"a":1,"a":2}]')[1])
        self.assertFalse(matching.load_json('{"a":{"x":1},"b":2}')[1])


class Invariants(unittest.TestCase):
    def test_a_good_response_passes(self):
        self.assertEqual(invariants.problems("GET", response(200, b'{"status":true}')), [])

    def test_html_in_an_error_is_found(self):
        bad = response(404, b"<html>")
        bad.headers[2] = ("Content-Type", "text/html")
        self.assertTrue(invariants.problems("GET", bad))

    def test_a_header_that_comes_twice_is_found(self):
        bad = response(200, b'{"status":true}', ("etag", '"a"'), ("ETag", '"a"'))
        self.assertTrue(invariants.problems("GET", bad))

    def test_a_status_that_does_not_fit_is_found(self):
        self.assertTrue(invariants.problems("GET", response(404, b'{"error":"x","status":true}')))
        self.assertTrue(invariants.problems("GET", response(404, b'{"status":false}')))

    def test_a_body_of_head_is_found(self):
        self.assertTrue(invariants.problems("HEAD", response(200, b"x")))

    def test_a_header_that_head_lacks_is_found(self):
        get = response(200, b'{"status":true}', ("ETag", '"a"'))
        self.assertTrue(invariants.head_problems(get, response(200, b"")))


class CaseFile(unittest.TestCase):
    def read(self, text):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "x.case")
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            return case_file.read(path)

    def test_every_part_is_read(self):
        one, two = self.read(
            "# c\n== one\n$ true\n@body 3\nGET /x?a b\nA: b\n\n200\nB: c\n!D\nexactly {\n\"e\": 1}\n"
            "\n== two\nGET /\n\n404\nempty\n")
        self.assertEqual((one.steps, one.options), (["true"], {"body": "3"}))
        self.assertEqual((one.method, one.target, one.headers), ("GET", "/x?a b", [("A", "b")]))
        self.assertEqual((one.status, one.expected_headers),
                         (200, [(False, "B", "c"), (True, "D", None)]))
        self.assertEqual(one.body, 'exactly {\n"e": 1}')
        self.assertEqual((two.title, two.line, two.body), ("two", 14, "empty"))

    def test_what_is_not_understood_is_an_error(self):
        for text in ("", "GET /\n", "== a\nGET /\n", "== a\n\n200\n", "== a\nGET /\n\nok\n",
                     "== a\n@what\nGET /\n\n200\n", "== a\nGET /\nno header\n\n200\n",
                     "== a\nGET /\n\n200\n{\n", "== a\nGET /\n\n200\n~ a\nb\n"):
            with self.assertRaises(case_file.CaseError, msg=repr(text)):
                self.read(text)


if __name__ == "__main__":
    unittest.main()

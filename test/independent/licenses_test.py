#!/usr/bin/env python3
"""Expressions of SPDX, as its own parser for JavaScript reads them: licenses_test.py PROBE

Random expressions, well-formed and not, of identifiers of the lists of both."""

import json
import os
import subprocess
import sys
import unittest

from probe import Probe
from shared import generator, rounds

PROBE = None
RANDOM = None
PARSE = """
const parse = require('spdx-expression-parse');
const given = JSON.parse(require('fs').readFileSync(0));
console.log(JSON.stringify(given.map((each) => { try { parse(each); return true; } catch { return false; } })));
"""
IDS = ["MIT", "GPL-2.0-only", "GPL-3.0-or-later", "Apache-2.0", "GPL-2.0", "BSD-3-Clause", "0BSD", "CC-BY-SA-4.0", "NTP-0"]
EXCEPTIONS = ["Classpath-exception-2.0", "GCC-exception-3.1", "Bison-exception-2.2"]
# The parser takes "LicenseRef-" without a name for one.
WRONG = ["mit", "GPL", "MIT-", "", "AND", "or", "with", "(", ")", "+", "LicenseRef-a_b", "MIT,", "GPL-2.0-only++", "é"]


def operand(depth):
    drawn = RANDOM.random()
    if drawn < 0.25 and depth < 12:
        return "(" + RANDOM.choice(["", " "]) + expression(depth + 1) + RANDOM.choice(["", " "]) + ")"
    if drawn < 0.35:
        return "LicenseRef-" + "".join(RANDOM.choices("aZ0-.", k=RANDOM.randint(1, 5)))
    text = RANDOM.choice(IDS) + RANDOM.choice(["", "", "", "+"])
    return text + " WITH " + RANDOM.choice(EXCEPTIONS) if drawn > 0.9 else text


def expression(depth=0):
    return "".join(operand(depth) + RANDOM.choice([" AND ", " OR ", "  OR "])
                   for _ in range(RANDOM.choice([0, 0, 1, 2]))) + operand(depth)


def spoiled(text):
    """A word in it taken away, doubled or replaced."""
    words = text.split(" ")
    place = RANDOM.randrange(len(words))
    words[place:place + 1] = RANDOM.choice([[], words[place:place + 1] * 2, [RANDOM.choice(WRONG)]])
    return " ".join(words)


class Licenses(unittest.TestCase):
    def test_both_accept_the_same_expressions(self):
        texts = []
        for _ in range(rounds(3000)):
            text = expression()
            texts += [text, spoiled(text)]
        theirs = json.loads(subprocess.run(["node", "-e", PARSE], input=json.dumps(texts).encode(), check=True,
                                           stdout=subprocess.PIPE, env={**os.environ, "NODE_PATH": "/usr/share/nodejs"}).stdout)
        ours = PROBE.ask_one("licenses", licenses=texts)
        self.assertEqual([(text, one) for text, one, other in zip(texts, ours, theirs) if one != other][:10], [])
        print(f"{sum(ours)} of {len(texts)} expressions are accepted by both")
        self.assertTrue(len(texts) / 4 < sum(ours) < len(texts) * 3 / 4)


if __name__ == "__main__":
    PROBE, RANDOM = Probe(sys.argv.pop(1)), generator()
    unittest.main()

#!/usr/bin/python3
"""The search for plugins with random names in many alphabets, compared with ICU: search_test.py STACK_FOLDER"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import urllib.parse

import icu

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support"))

from client import Client  # noqa: E402  (found by the line above)
from seed import generator, rounds  # noqa: E402

CLIENT = None
RANDOM = None
COMMAND = ""
PREFIX = "random-name-"
NFC, NFD = icu.Normalizer2.getNFCInstance(), icu.Normalizer2.getNFDInstance()
PARTS = ["afk", "AFK", "Straße", "STRASSE", "ПРИВЕТ", "привет", "Ёлка", "é", "e\u0301", "É", "İstanbul", "istanbul", "ISTANBUL", "ıI",
         "ΣΊΣΥΦΟΣ", "σίσυφος", "ﬁn", "FIN", "שלום", "مرحبا", "日本", "가", "가", "Ǆ", "ǆ", "%", "_", "\\", "'", "\"", "&", "+", "#",
         "100%", "a_b", "😀", "ß", "ſ", "K", "K", "-", " ", "  ", "\u00a0", "Å", "Å", "ⓐ", "Ⓐ", "ﾞ", "\u200d", "ᾳ", "ᾼ", "αι"]


def key(text):
    """As ICU folds it, with one letter i for those of Turkish, too."""
    folded = NFC.normalize(str(icu.UnicodeString(NFD.normalize(text)).foldCase()))
    return NFC.normalize(re.sub("i\u0307+", "i", folded.replace("ı", "i")))


def trimmed(text):
    start, end = 0, len(text)
    while start < end and icu.Char.isUWhiteSpace(ord(text[start])):
        start += 1
    while end > start and icu.Char.isUWhiteSpace(ord(text[end - 1])):
        end -= 1
    return text[start:end]


def some_text(most):
    return "".join(RANDOM.choice(PARTS) for _ in range(RANDOM.randint(1, most)))


def goldsmith(*arguments):
    subprocess.run([COMMAND, *arguments], check=True, stdout=subprocess.DEVNULL)


class Search(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.texts = {}  # what is searched, by slug
        cls.addClassCleanup(cls.remove)
        with tempfile.TemporaryDirectory() as folder:
            for number in range(90):
                cls.write(pathlib.Path(folder, f"{number}"), f"{PREFIX}{number}")
            goldsmith("plugin", "import", *(str(each) for each in pathlib.Path(folder).iterdir()))

    @classmethod
    def write(cls, folder, slug):
        name = trimmed(some_text(4)) or "x"
        tags = [trimmed(some_text(2)) for _ in range(RANDOM.randint(0, 3))]
        tags = list({key(tag): tag for tag in tags if tag}.values())  # each once
        folder.mkdir()
        (folder / "plugin.json").write_text(json.dumps({"slug": slug, "name": name, "category": "fun", "tags": tags, "versions": [],
                                                        "status": "published"}), encoding="utf-8")
        cls.texts[slug] = [key(name), *map(key, tags)]

    @classmethod
    def remove(cls):
        for slug in cls.texts:
            goldsmith("plugin", "remove", slug)

    def found(self, query):
        found, page, pages = set(), 0, 1
        while page < pages:
            page += 1
            response = CLIENT.send("GET", f"/v1/plugins?per_page=100&page_n={page}&q=" + urllib.parse.quote(query, safe=""), [], {})
            self.assertEqual(response.status, 200)
            answer = json.loads(response.body)
            pages = answer["total_pages"]
            found |= {each["slug"] for each in answer["plugins"]}
        return {slug for slug in found if slug.startswith(PREFIX)}

    def test_each_search_finds_what_icu_would(self):
        hits, count = 0, rounds(400)
        for _ in range(count):
            query = RANDOM.choice([some_text(1), some_text(2), "\u3000" + some_text(1) + " \t", RANDOM.choice(PARTS)[:1],
                                   some_text(1) + " " * 100 + "beyond"])
            wanted = key(trimmed(query)[:100])
            expected = {slug for slug, texts in self.texts.items() if any(wanted in text for text in texts)}
            with self.subTest(query=query, codes=[hex(ord(each)) for each in query]):
                self.assertEqual(self.found(query), expected)
            hits += len(expected)
        print(f"{count} searches among {len(self.texts)} plugins found {hits}")
        self.assertGreater(hits, count)


if __name__ == "__main__":
    with open(os.path.join(sys.argv.pop(1), "stack.json"), encoding="utf-8") as file:
        described = json.load(file)
    CLIENT, COMMAND, RANDOM = Client(described), os.path.join(described["commands"], "goldsmith"), generator()
    unittest.main(failfast=True)

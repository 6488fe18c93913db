#!/usr/bin/python3
"""Letter case and white space of Unicode, as ICU has them: folding_test.py PROBE

Texts that differ only in letter case or in the encoding of accents fold to the same text, all others to different ones
(decisions R6, P10). The libraries may know different versions of Unicode: what the older one lacks is left out."""

import re
import sys
import unittest

import icu

from probe import Probe
from shared import generator, rounds

PROBE = None
RANDOM = None

NFC, NFD = icu.Normalizer2.getNFCInstance(), icu.Normalizer2.getNFDInstance()
# What case mappings and compositions are about; the rest of Unicode is tried code point by code point.
ALPHABET = ("aAkKsSiIzZ019 _-İıſßẞÅÅéÉǅǆǄŉǰΐΰևẖẗẘẙẚὐᾳᾼῳῼΆΣσςΩΩKﬁﬃﬓԱաႠⴀᏰꭰაᲐἈꙖⓐⒶａＡ𐐀𐐨𞤀𞤢"
            "\u0300\u0301\u0307\u0308\u0323\u0327\u0345\u0338\u034f\u200d\u00adשקرخعᄀ각ᆨ가が\u3099ｶﾞ中豈😀")


def canonical(text):
    """D145 of the Unicode standard: equal for texts that match caselessly. The letters i of Turkish match those of all others."""
    return re.sub("i\u0307+", "i", default_canonical(text).replace("ı", "i"))


def default_canonical(text):
    return NFD.normalize(str(icu.UnicodeString(NFD.normalize(str(icu.UnicodeString(NFD.normalize(text)).foldCase()))).foldCase()))


def composed(text):
    return NFC.normalize(canonical(text))


def version(text):
    return tuple(map(int, text.split(".")[:2]))


def known_to_both(oldest):
    for code_point in range(0x110000):
        if 0xD800 <= code_point < 0xE000:
            continue
        if (0, 0) < version(icu.Char.charAge(code_point)) <= oldest:
            yield chr(code_point)


def variants(text):
    unicode = icu.UnicodeString
    return [text, str(unicode(text).toUpper()), str(unicode(text).toLower()), text.title(), NFC.normalize(text), NFD.normalize(text),
            str(unicode(NFD.normalize(text)).toUpper())]


class Folding(unittest.TestCase):
    maxDiff = 2000

    def oldest(self):
        return min(version(PROBE.ask_one("unicode_version")), version(icu.UNICODE_VERSION))

    def fold(self, texts):
        answers = PROBE.ask([("fold", {"texts": texts[start:start + 10_000]}) for start in range(0, len(texts), 10_000)])
        return ([text for answer in answers for text in answer["folded"]],
                [text for answer in answers for text in answer["trimmed"]])

    def test_every_code_point_folds_as_in_icu(self):
        texts = list(known_to_both(self.oldest()))
        folded, _ = self.fold(texts)
        wrong = [(hex(ord(text)), ours, composed(text)) for text, ours in zip(texts, folded) if ours != composed(text)]
        self.assertEqual(wrong[:20], [])
        print(f"{len(texts)} code points fold alike")
        self.assertGreater(len(texts), 140_000)

    def test_white_space_is_that_of_unicode(self):
        texts = [f"{each}a{each}" for each in known_to_both(self.oldest())]
        _, trimmed = self.fold(texts)
        wrong = [hex(ord(text[0])) for text, ours in zip(texts, trimmed)
                 if ours != ("a" if icu.Char.isUWhiteSpace(ord(text[0])) else text)]
        self.assertEqual(wrong, [])

    def test_random_texts_fold_alike_if_and_only_if_they_match_caselessly(self):
        texts = []
        for _ in range(rounds(5000)):
            text = "".join(RANDOM.choice(ALPHABET) for _ in range(RANDOM.randint(1, 8)))
            texts += variants(text)
        folded, _ = self.fold(texts)
        by_ours, by_icu = {}, {}
        for text, ours in zip(texts, folded):
            theirs = canonical(text)
            with self.subTest(text=text, codes=[hex(ord(each)) for each in text]):
                self.assertEqual(by_ours.setdefault(ours, theirs), theirs, "texts that do not match fold alike")
                self.assertEqual(by_icu.setdefault(theirs, ours), ours, "texts that match fold differently")
        again, _ = self.fold(folded)
        self.assertEqual([(one, two) for one, two in zip(folded, again) if one != two][:5], [])
        print(f"{len(texts)} texts compared, {len(by_icu)} of them different")


if __name__ == "__main__":
    PROBE, RANDOM = Probe(sys.argv.pop(1)), generator()
    unittest.main(failfast=True)

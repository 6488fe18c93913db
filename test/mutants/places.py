"""Places in C++ sources where a condition, a comparison or a constant can be changed, as text: the sources are formatted
by clang-format, which puts blanks around operators and none around the brackets of templates."""

import collections
import re

# What is written at `start` of a text instead of `before`.
Place = collections.namedtuple("Place", "start before after")

IGNORED = re.compile(
    r"""//[^\n]*|/\*.*?\*/|R"(?P<end>[^(\s]*)\(.*?\)(?P=end)"|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'"""
    r"""|^[ \t]*\#(?:[^\n]*\\\n)*[^\n]*|static_assert\((?:[^;]|\n)*?;""", re.M | re.S | re.X)
SWAPPED = {" == ": " != ", " != ": " == ", " < ": " <= ", " <= ": " < ", " > ": " >= ", " >= ": " > ",
           " && ": " || ", " || ": " && ", "true": "false", "false": "true"}
OPERATOR = re.compile(r"(?<=[\w\])}\"'])(?:(?: |(?=\n))(?:==|!=|<=|>=|<|>|&&|\|\|)(?: |(?=\n)))|\b(?:true|false)\b")
NUMBER = re.compile(r"(?<![\w.'])\d[\d']*(?=(?:[uUlLzZ]{0,3}|s|ms|us|min|h)\b(?![.']))(?![xXbB])")
NEGATED = re.compile(r"(?<=[\s(])!(?=[\w(])")
CONDITION = re.compile(r"\b(?:if|while) \(")


def blanked(text):
    """The text with blanks for comments, literals of text, preprocessor lines and static assertions."""
    return IGNORED.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)


def closing(code, start):
    """Where the bracket that was opened before `start` is closed, and where the condition in it begins."""
    depth, condition = 1, start
    for at in range(start, len(code)):
        depth += (code[at] in "([{") - (code[at] in ")]}")
        if code[at] == ";" and depth == 1:
            condition = at + 1 + len(code[at + 1:]) - len(code[at + 1:].lstrip())
        if depth == 0:
            return at, condition
    raise ValueError("a bracket is not closed")


def places(text):
    code, found = blanked(text), []
    for each in OPERATOR.finditer(code):
        operator = each[0].strip()
        if code[:each.start()].endswith("operator"):
            continue
        after = SWAPPED.get(operator) or SWAPPED[f" {operator} "].strip()
        start = each.start() + each[0].index(operator)
        found.append(Place(start, operator, after))
    for each in NUMBER.finditer(code):
        digits = each[0].replace("'", "")
        # An octal number stays one.
        base = 8 if digits.startswith("0") and len(digits) > 1 else 10
        if base == 8 and re.search("[89]", digits):
            continue
        for value in {int(digits, base) + 1, abs(int(digits, base) - 1)}:
            found.append(Place(each.start(), each[0], f"0{value:o}" if base == 8 else str(value)))
    found += [Place(each.start(), "!", "") for each in NEGATED.finditer(code)]
    for each in CONDITION.finditer(code):
        end, start = closing(code, each.end())
        condition = text[start:end]
        # A declaration can't be negated.
        if not re.match(r"\s*(?:const )?(?:auto|std::\w+|[\w:]+\*?&?) \*?&?\w+ = ", condition):
            found.append(Place(start, condition, f"!({condition})"))
    return sorted(found)


def changed(text, place):
    return text[:place.start] + place.after + text[place.start + len(place.before):]

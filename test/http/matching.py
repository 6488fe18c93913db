"""Compares what was expected, wildcards and all, with what came."""

import json
import re

ANY = "***"
GAP = "..."
_TOKEN = re.compile(r"\*\*\*(?:=([a-z_]+)=)?")


class Missing:
    """Stands for a key that is not there."""


def match_text(expected, actual, captured):
    """`***` is any text, `***=NAME=` is kept in `captured`, a leading `~` is a regular expression."""
    if expected.startswith("~"):
        return re.fullmatch(expected[1:], actual, re.DOTALL) is not None
    pattern, names, end = "", [], 0
    for token in _TOKEN.finditer(expected):
        pattern += re.escape(expected[end:token.start()]) + "(.*)"
        names.append(token.group(1))
        end = token.end()
    found = re.fullmatch(pattern + re.escape(expected[end:]), actual, re.DOTALL)
    if found is None:
        return False
    captured.update((name, value) for name, value in zip(names, found.groups()) if name)
    return True


def match_json(expected, actual, captured, exact=False):
    if actual is Missing:
        return False
    if isinstance(expected, dict):
        return (isinstance(actual, dict)
                and not (exact and set(actual) != set(expected))
                and all(match_json(value, actual.get(key, Missing), captured, exact)
                        for key, value in expected.items()))
    if isinstance(expected, list):
        return isinstance(actual, list) and _match_list(expected, actual, captured, exact)
    if expected == ANY:
        return True
    if expected == "#":
        return isinstance(actual, int) and not isinstance(actual, bool)
    if isinstance(expected, str):
        return isinstance(actual, str) and match_text(expected, actual, captured)
    return type(expected) is type(actual) and expected == actual


def _match_list(expected, actual, captured, exact):
    if not expected:
        return not actual
    if expected[0] == GAP:
        return any(_match_list(expected[1:], actual[skip:], captured, exact)
                   for skip in range(len(actual) + 1))
    return (bool(actual) and match_json(expected[0], actual[0], captured, exact)
            and _match_list(expected[1:], actual[1:], captured, exact))


def comparable(expected, actual, exact):
    """The two as they are shown in a diff: what matches looks alike, what nobody asked for is left
    out."""
    if match_json(expected, actual, {}, exact):
        return actual, actual
    if isinstance(expected, dict) and isinstance(actual, dict):
        left, right = {}, {}
        for key in sorted(set(expected) | (set(actual) if exact else set())):
            if key not in expected:
                right[key] = actual[key]
            elif key not in actual:
                left[key] = expected[key]
            else:
                left[key], right[key] = comparable(expected[key], actual[key], exact)
        return left, right
    if (isinstance(expected, list) and isinstance(actual, list)
            and len(expected) == len(actual) and GAP not in expected):
        pairs = [comparable(left, right, exact) for left, right in zip(expected, actual)]
        return [left for left, _ in pairs], [right for _, right in pairs]
    return expected, actual


def load_json(text):
    """Parses, and returns what is wrong with the order of the keys: decision R9."""
    problems = []

    def check(pairs):
        keys = [key.encode() for key, _ in pairs]
        if keys != sorted(keys):
            problems.append(f"keys are not in order: {[key for key, _ in pairs]}")
        if len(set(keys)) != len(keys):
            problems.append(f"a key comes twice: {[key for key, _ in pairs]}")
        return dict(pairs)

    return json.loads(text, object_pairs_hook=check), problems

"""One text with many changes of a source, of which mutant.hpp chooses one while the program runs."""

import collections
import pathlib
import re

from places import blanked, closing

# A change, and the part of the text that is there twice: with it and without.
Switch = collections.namedtuple("Switch", "start end number place")
Edit = collections.namedtuple("Edit", "start end after")

MOST = 16384  # numbers
# Sources are formatted: what begins a line without a blank is in the scope of a namespace.
CONSTANT = re.compile(r"^(?P<indent> *)(?:(?:static|inline) )*(?:constexpr|const) (?P<type>[\w:<>, *]+?[ *])(?P<name>\w+)(?= = | =\n|\{|\[)", re.M)
FUNCTION = re.compile(r"^ *(?:(?:static|inline) )*(?P<word>constexpr) [\w:<>, *&]+ \w+\(", re.M)
# Types of which a copy does as well.
SCALAR = re.compile(r"auto|bool|char|int|long|unsigned|unsigned (?:short|char)|double|const char\*|(?:std::)?\w+_t|std::string_view"
                    r"|(?:std::chrono::)?(?:nano|micro|milli)?(?:seconds|Seconds|minutes|Minutes|hours|days)")
STATIC = re.compile(r"^ *static [^;(]*?(?: =\s|\{)|^(?:inline )?const(?:expr)? [^;(]*?(?: =\s|\{|\[)", re.M)
CHOICE = re.compile(r"\(goldsmith_mutant\((\d+)\) \? ")


def part(code, place):
    """Where the expression that the place decides begins and ends."""
    start, end = place.start, place.start + len(place.before)
    if place.before[0].isdigit():
        return start, end + len(re.match(r"\w*", code[end:])[0])
    if place.before in ("true", "false") or place.after == f"!({place.before})":
        return start, end
    depth = 0
    while depth or not ends(code, start - 1, "([{"):
        start -= 1
        depth += (code[start] in ")]}") - (code[start] in "([{")
    while depth or not ends(code, end, ")]}"):
        depth += (code[end] in "([{") - (code[end] in ")]}")
        end += 1
    words = re.match(r"(?:\s+|(?:(?:co_)?return|throw|else|do)\b)*", code[start:end])
    return start + len(words[0]), start + len(code[start:end].rstrip())


def ends(code, at, brackets):
    """Whether an expression goes no further than to this character."""
    around = code[at - 1:at + 2]
    if code[at] == "=":
        return around[1:] != "==" and around[:2] not in ("==", "!=", "<=", ">=")
    return code[at] in ",;?" + brackets or (code[at] == ":" and "::" not in around)


def statement_end(code, start):
    """Behind the first `;` outside of brackets."""
    depth = 0
    for at in range(start, len(code)):
        depth += (code[at] in "([{") - (code[at] in ")]}")
        if depth == 0 and code[at] == ";":
            return at + 1
    raise ValueError("a statement does not end")


def declarations(code, switches):
    """What makes constants and functions of the compiler those of the running program, and the numbers of the changes
    that are decided once in a process all the same."""
    edits, lasting, had = [], set(), set()

    def inside(start, end):
        return {each.number for each in switches if start <= each.start and each.end <= end}

    for each in FUNCTION.finditer(code):
        if inside(each.start(), closing(code, code.find("{", each.end()) + 1)[0]):
            edits.append(Edit(each.start("word"), each.end("word"), ""))
    for each in CONSTANT.finditer(code):
        end = statement_end(code, each.end())
        numbers = inside(each.start(), end)
        kind, name = each["type"].strip(), each["name"]
        if not numbers or ("constexpr" not in each[0] and each["indent"]):
            continue
        scalar = SCALAR.fullmatch(kind) and code[each.end()] != "[" and "array" not in code[each.end():end]
        if scalar and each["indent"]:
            edits.append(Edit(each.start(), each.end(), f"{each['indent']}const {kind} {name}"))
        elif scalar:
            had |= numbers
            value = each.end() + len(re.match(r"[ =\n]*", code[each.end():])[0])
            returned = f"return {kind if code[value] == '{' else ''}"
            edits += [Edit(each.start(), value, f"static inline {kind} {name}_now() {{ {returned}"),
                      Edit(end, end, f" }}\n#define {name} {name}_now()\n")]
        else:
            edits.append(Edit(each.start(), each.end(), each[0].replace("constexpr", "const")))
    for each in STATIC.finditer(code):
        lasting |= inside(each.start(), statement_end(code, each.start()))
    return edits, lasting - had


def render(text, items, start, end):
    made, at = [], start
    items = sorted(items, key=lambda each: (each.start, -each.end))
    while items:
        first = items.pop(0)
        inner = [each for each in items if each.end <= first.end and each.start < first.end]
        items = items[len(inner):]
        made.append(text[at:first.start])
        at = first.end
        if isinstance(first, Edit):
            made.append(first.after)
            continue
        place, behind = first.place, first.place.start + len(first.place.before)
        other = text[first.start:place.start] + place.after + text[behind:first.end]
        same = render(text, inner, first.start, first.end)
        # What is negated may be of any type that decides, and the choice would make an optional of a bool.
        same = f"!!({same})" if place.after == f"!({place.before})" else f"({same})"
        other = f"!!({other})" if place.before == "!" else f"({other})"
        made.append(f"(goldsmith_mutant({first.number}) ? {other} : {same})")
    return "".join(made) + text[at:end]


def header(file):
    # No layer: scripts/check-layers does not see it like this.
    here = pathlib.Path(__file__).with_name("mutant.hpp")
    return f'#define MUTANTS_FILE "{file}"\n#define MUTANTS {MOST}\n#define MUTANT_HPP "{here}"\n#include MUTANT_HPP\n'


def schemata(text, numbered, file):
    """The text with these places, by number; those that it can't have; and those that are decided once in a process."""
    code = blanked(text)
    switches, without = [], set()
    for number, place in sorted(numbered.items()):
        start, end = part(code, place)
        if any(each.start < start < each.end < end or start < each.start < end < each.end for each in switches):
            without.add(number)
        else:
            switches.append(Switch(start, end, number, place))
    edits, lasting = declarations(code, switches)
    edits = [each for each in edits if not any(one.start < each.end and each.start < one.end for one in switches)]
    return header(file) + render(text, [*switches, *edits], 0, len(text)), without, lasting


def blamed(made, line, column):
    """The numbers of the innermost change, or else of all changes of the line, where a text that was made is wrong."""
    code = blanked(made)
    lines = code.split("\n")
    if lines[line - 1].startswith("#define"):
        line -= 1
    start = sum(len(each) + 1 for each in lines[:line - 1])
    around = [each for each in CHOICE.finditer(code) if each.start() <= start + column <= closing(code, each.start() + 1)[0]]
    return {int(each[1]) for each in around[-1:] or CHOICE.finditer(lines[line - 1])}

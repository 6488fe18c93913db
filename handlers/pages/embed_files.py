#!/usr/bin/env python3
"""Writes the files of the web pages as a C++ source, a function for each list: a worker and its pages are always of the same
version, also while workers are replaced one by one."""
import argparse
import os

# What a byte is in a literal. An octal number ends after three digits, whatever follows; two question marks in a row could
# begin a trigraph.
LITERAL = [chr(byte) if 32 <= byte < 127 and chr(byte) not in '"\\?' else f"\\{byte:03o}" for byte in range(256)]
LITERAL[ord("\n")] = '\\n"\n"'


def literal(file):
    with open(file, "rb") as opened:
        # With its size: bytes may be zero.
        return '"' + "".join(map(LITERAL.__getitem__, opened.read())) + '"sv'


def function(name, files):
    entries = "".join(f'      {{"{os.path.basename(file).removesuffix(".mo")}",\n{literal(file)}}},\n' for file in files)
    return f"""
std::span<const EmbeddedFile> embedded_{name}() {{
  static constexpr EmbeddedFile kFiles[] = {{
{entries}  }};
  return kFiles;
}}
"""


parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("output", help="the source")
for name in ("templates", "assets", "licenses", "scripts", "catalogs"):
    parser.add_argument(f"--{name}", nargs="*", metavar="FILE", help=f"those of embedded_{name}()")
wanted = vars(parser.parse_args())
output = wanted.pop("output")
with open(f"{output}.new", "w", encoding="utf-8") as source:
    source.write(f"""// Made by embed_files.py.
#include "handlers/pages/site.hpp"

namespace goldsmith::handlers::pages {{

using std::literals::operator""sv;
{"".join(function(name, files) for name, files in wanted.items() if files is not None)}
}}  // namespace goldsmith::handlers::pages
""")
os.replace(f"{output}.new", output)

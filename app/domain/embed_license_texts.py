#!/usr/bin/env python3
"""Writes texts of licenses, by their identifiers of SPDX, as a C++ source: files, or modules of Software::License."""
import argparse
import os
import re

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("output", help="the source")
parser.add_argument("texts", nargs="+", metavar="ID=FILE")
arguments = parser.parse_args()


def text_of(file):
    with open(file, encoding="utf-8") as opened:
        text = opened.read()
    if not file.endswith(".pm"):
        return text
    # What a module fills in stays as {{}}.
    text = re.search(r"\n__LICENSE__\n(.*?)(\n__[A-Z_]+__\n|$)", text, re.DOTALL)[1]
    return re.sub(r"\{\{.*?\}\}", "{{}}", text, flags=re.DOTALL)


def literal(text):
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("?", "\\?").replace("\t", "\\t").replace("\f", " ")
    return "\n".join(f'"{line}\\n"' for line in escaped.split("\n"))


with open(f"{arguments.output}.new", "w", encoding="utf-8") as source:
    source.write("""// Made by embed_license_texts.py.
#include "app/domain/license_text.hpp"

namespace goldsmith::domain {

std::span<const LicenseText> license_texts() {
  static constexpr LicenseText kLicenses[] = {
""")
    for pair in arguments.texts:
        name, _, file = pair.partition("=")
        source.write(f'      {{"{name}",\n{literal(text_of(file))}}},\n')
    source.write("""  };
  return kLicenses;
}

}  // namespace goldsmith::domain
""")
os.replace(f"{arguments.output}.new", arguments.output)

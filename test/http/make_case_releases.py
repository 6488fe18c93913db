#!/usr/bin/env python3
"""Writes the releases of the components in data/components.json into a folder.

usage: make_case_releases.py OUTDIR

OUTDIR/index.tsv lists them, one a line: slug, version, file, time of release.
"""

import pathlib
import sys
import zipfile

TIME = (2024, 1, 1, 0, 0, 0)
SHOWN = 512 * 1024  # what a preview shows of a file
LONG = 600 * 1024

# What /v1/server-builder/file must show: see cases/server_file.case.
TEXTS = {
    "long.txt": ("a" + "é" * LONG).encode()[:LONG - 1],  # an é lies across the limit
    "exact.txt": b"x" * (SHOWN - 1) + b"\n",
    "long-1252.txt": b"\xe9" * LONG,
    "late-nul.txt": b"y" * SHOWN + bytes(LONG - SHOWN),
    "windows.txt": b"\x80 \x93quoted\x94 \xe9\n",
    "mixed.txt": "é ".encode() + b"\xff\n",
    "bom.txt": "\ufeffmarked\n".encode(),
    "escapes.txt": b"\t\v\f\r\n\x1b[0m",
    "empty.txt": b"",
    "nul.txt": b"text\0",
    "bell.txt": b"text\a",
    "delete.txt": b"text\x7f",
    "utf16.txt": "text".encode("utf-16"),
    "über + 100% & \"so\", 1=2.txt": b"named\n",
}


def entries(slug, version):
    if slug == "case-files":
        for name, content in TEXTS.items():
            yield f"case/{name}", content
        yield "case/start", b"#!/bin/sh\nexec true\n"
        yield "case/same.txt", b"of case-files\n"
    elif slug == "case-later":
        yield "case/same.txt", b"of case-later\n"
    else:
        yield f"case/{slug}.txt", f"{slug} {version}\n".encode()


RELEASES = [
    ("case-files", "1.0", "2024-01-01 00:00:00"), ("case-later", "1.0", "2024-01-01 00:00:00"),
    ("case-left", "1.0", "2024-01-01 00:00:00"), ("case-right", "1.0", "2024-01-01 00:00:00"),
    # The higher number is not the later release; of two at one time the higher number is.
    ("case-chain", "2.0", "2024-01-01 00:00:00"), ("case-chain", "1.9", "2024-02-02 00:00:00"),
    ("case-chain", "1.10", "2024-02-02 00:00:00"),
    ("case-link", "1.0", "2024-01-01 00:00:00"), ("case-link", "1.1", "2024-02-02 00:00:00"),
    ("case-end", "1.0", "2024-01-01 00:00:00"), ("case-hollow", "1.0", "2024-01-01 00:00:00"),
    ("case-needy", "1.0", "2024-01-01 00:00:00"), ("case-platform", "1.0", "2024-01-01 00:00:00"),
    ("case-api", "1.0", "2024-01-01 00:00:00"), ("case-api", "2.0", "2024-02-02 00:00:00"),
    ("case-host", "1.0", "2024-01-01 00:00:00"), ("case-host", "2.0", "2024-02-02 00:00:00"),
]


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    index = []
    for slug, version, released_at in RELEASES:
        file = f"{slug}-{version}.zip"
        with zipfile.ZipFile(folder / file, "w", zipfile.ZIP_DEFLATED) as archive:
            for path, content in entries(slug, version):
                archive.writestr(zipfile.ZipInfo(path, TIME), content, zipfile.ZIP_DEFLATED)
        index.append("\t".join((slug, version, file, released_at)))
    (folder / "index.tsv").write_text("\n".join(index) + "\n", encoding="utf-8")


if len(sys.argv) != 2:
    sys.exit(__doc__)
main(pathlib.Path(sys.argv[1]))

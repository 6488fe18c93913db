#!/usr/bin/env python3
"""Cold builds of 300 MB and 3 GB compared with cp and zip of the same files: medians, memory

A build, cp of the same archive and zip -6 of the same tree take turns; the huge archive is not compared with zip. The
memory is the peak of the process that builds.
"""

import os
import subprocess
import sys
import tempfile

from options import BUILD, Options

HUGE_ROUNDS = "3"


def main():
    options = Options("archive", __doc__)
    options.add_number("--size", 300, "size of the archive", unit="MB")
    options.add_number("--huge", 3000, "size of the huge one, which takes some minutes to prepare; 0 leaves it out", 0, unit="MB")
    options.add_number("--rounds", 7, f"rounds of build and cp; {HUGE_ROUNDS} of the huge one")
    options.add_number("--zip-rounds", 2, "rounds of zip")
    options.add_folder("where the files go, to measure another disk; needs six times the size of the archive and four times"
                       " that of the huge one")
    chosen = options.parse("bench_archive")
    program = os.path.join(BUILD, "bin", "bench_archive")
    with tempfile.TemporaryDirectory(prefix="goldsmith-bench-", dir=chosen.folder) as scratch:
        subject = [scratch, str(chosen.size), str(chosen.huge)]
        return (subprocess.call([program, "prepare", *subject]) or
                subprocess.call([program, "measure", *subject, str(chosen.rounds), HUGE_ROUNDS, str(chosen.zip_rounds)]))


sys.exit(main())

"""The most memory that a program has."""

import os
import subprocess
import sys
import tempfile

# A program has, before it begins, the memory of the one that starts it: this one has little.
MEASURE = ("import resource, subprocess, sys\n"
           "code = subprocess.run(sys.argv[2:], stdin=subprocess.DEVNULL, check=False).returncode\n"
           "with open(sys.argv[1], 'w', encoding='ascii') as file:\n"
           "    file.write(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss))\n"
           "sys.exit(code)\n")


def run_measured(command, **more):
    """How it ended, and the most KiB that it, or something that it started, had at once; `more`: for subprocess.run()."""
    with tempfile.TemporaryDirectory() as folder:
        result = os.path.join(folder, "memory")
        ended = subprocess.run([sys.executable, "-c", MEASURE, result, *command], check=False, text=True, **more)
        with open(result, encoding="ascii") as file:
            return ended, int(file.read())

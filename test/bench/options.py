"""The options of a benchmark, and what has to be built before it measures."""

import argparse
import os
import re
import signal
import subprocess
import sys
import tempfile

from measuring import ROOT, load

BUILD = os.path.join(ROOT, "build", "release")


def number_between(least, most):
    """The type of an option."""
    def number(text):
        if not re.fullmatch("0|[1-9][0-9]{0,8}", text) or not least <= int(text) <= most:
            raise argparse.ArgumentTypeError(f"'{text}' is not a number from {least} to {most}")
        return int(text)
    return number


def writable_folder(path):
    """The type of an option."""
    if not os.path.isdir(path) or not os.access(path, os.W_OK):
        raise argparse.ArgumentTypeError(f"'{path}' is not a folder that can be written to")
    return os.path.abspath(path)


class Options(argparse.ArgumentParser):
    """`description`: the docstring of the benchmark, whose first line is what scripts/bench --help says."""

    def __init__(self, name, description):
        super().__init__(prog=f"scripts/bench {name}", description=description, allow_abbrev=False,
                         formatter_class=argparse.RawDescriptionHelpFormatter)

    def add_number(self, option, default, meaning, least=1, most=99_999, unit="N"):
        self.add_argument(option, type=number_between(least, most), default=default, metavar=unit,
                          help=f"{meaning} ({default})")

    def add_plugins(self, default):
        self.add_number("--plugins", default, "plugins in the directory", 10, 999_999)

    def add_folder(self, meaning):
        self.add_argument("--folder", type=writable_folder, default=tempfile.gettempdir(), metavar="DIR",
                          help=f"{meaning} (TMPDIR, else /tmp)")

    def add_toolchain(self):
        self.add_argument("--toolchains", type=os.path.abspath, default=os.path.join(BUILD, "toolchain"), metavar="DIR",
                          help="folder of toolchains as created by scripts/install-toolchain (the stand-in of the tests,"
                               " which is much faster than the real ones)")
        self.add_argument("--line", default="1.9", metavar="L", help="toolchain to use: 1.8.2, 1.9 or 1.10 (1.9)")

    def parse(self, *targets):
        """What the caller chose. Builds the targets, or everything that tests run, and prints the state of the machine."""
        chosen = self.parse_args()
        # A stack is stopped and its folder removed.
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda which, _: sys.exit(128 + which))
        log = os.path.join(ROOT, "build", "log", "bench-build.log")
        if subprocess.call([os.path.join(ROOT, "scripts", "tools", "build"), log, "release", *(targets or ["all"])]) != 0:
            sys.exit(1)
        said = [f"{len(os.sched_getaffinity(0))} processors", load()]
        if "folder" in chosen:
            kind = subprocess.check_output(["findmnt", "-no", "FSTYPE", "-T", chosen.folder], text=True).strip()
            said.append(f"{kind} in {chosen.folder}")
        if "toolchains" in chosen:
            if not os.access(os.path.join(chosen.toolchains, chosen.line, "amxxpc"), os.X_OK):
                self.error(f"--line: no {chosen.line}/amxxpc in {chosen.toolchains}")
            said.append(f"toolchains in {chosen.toolchains}")
        print("    " + ", ".join(said), flush=True)
        return chosen

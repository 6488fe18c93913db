#!/usr/bin/env python3
"""Downloads logged a second, with an empty log and with 10 million rows

By one caller and by eight at once, and by one beside the pruning of the large log.
"""

import os
import subprocess
import sys
import tempfile

from measuring import ROOT
from options import BUILD, Options

DATABASE = os.path.join(ROOT, "scripts", "tools", "private-database")


def main():
    options = Options("log", __doc__)
    options.add_number("--rows", 10_000_000, "rows of the large log, for which 3 GB must be free", 1000, 99_999_999)
    options.add_folder("where the database goes")
    chosen = options.parse("bench_log")
    with tempfile.TemporaryDirectory(prefix="goldsmith-bench-", dir=chosen.folder) as scratch:
        os.chmod(scratch, 0o755)
        server = os.path.join(scratch, "db")
        try:
            subprocess.run([DATABASE, server, "start"], check=True)
            socket = subprocess.check_output([DATABASE, server, "socket"], text=True).strip()
            return subprocess.call([os.path.join(BUILD, "bin", "bench_log"), socket, str(chosen.rows)])
        finally:
            subprocess.run([DATABASE, server, "stop"], check=True)


sys.exit(main())

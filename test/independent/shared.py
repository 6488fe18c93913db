"""test/support for the tests of this folder."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

from seed import generator, rounds  # noqa: E402, F401  (found by the line above)

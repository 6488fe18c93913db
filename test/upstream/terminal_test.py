"""What `goldsmith component mirror` shows while it works: a line on a terminal, nothing elsewhere."""

import os
import pty
import re
import subprocess
import termios
import unittest

from host import UpstreamTest
from upstream_server import drips


def longest_line(shown):
    return max(len(line.replace("\x1b[K", "")) for line in shown.split("\r"))


class Terminal(UpstreamTest):
    def setUp(self):
        super().setUp()
        self.import_component()
        self.path = self.add_release("1.0", size=300_000)

    def on_a_terminal(self, *words, code=0, columns=0):
        """What comes to standard error, a terminal of so many columns (0 = it does not say), and to standard output."""
        ours, theirs = pty.openpty()
        termios.tcsetwinsize(theirs, (24, columns))
        with subprocess.Popen(self.command(words), stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=theirs, text=True) as process:
            os.close(theirs)
            shown = b""
            try:
                while piece := os.read(ours, 65536):
                    shown += piece
            except OSError:
                pass  # the last descriptor of the other end was closed
            out = process.stdout.read()
        os.close(ours)
        self.assertEqual(process.returncode, code, shown)
        return shown.decode(), out

    def test_one_line_is_rewritten_and_cleared_at_the_end(self):
        self.upstream.fail(self.path, drips(100_000, 0.15))
        shown, out = self.on_a_terminal("component", "mirror", "engine")
        self.assertNotIn("\n", shown)
        self.assertTrue(shown.endswith("\r\x1b[K"), shown)
        self.assertIn("\rengine: asking upstream …", shown)
        bars = re.findall(r"\rengine-1\.0\.zip  \[(#*)(\.*)\]  (\d+) %  ", shown)
        self.assertEqual(bars[-1][2], "100")
        self.assertEqual(bars[-1][1], "")
        self.assertGreater(len(bars), 1)
        self.assertIn("engine 1.0: publishing it …", shown)
        self.assertLess(longest_line(shown), 80)
        self.assertTrue(out.startswith("mirrored engine 1.0: "), out)

    def test_a_line_is_as_long_as_the_terminal_is_wide(self):
        widths = []
        for columns in (45, 70):
            self.upstream.fail(self.path, drips(100_000, 0.15))
            shown, _ = self.on_a_terminal("component", "mirror", "engine", "--replace", columns=columns)
            widths.append(longest_line(shown))
            self.assertLess(widths[-1], columns)
        self.assertLess(widths[0], widths[1])

    def test_what_is_said_meanwhile_stands_on_a_line_of_its_own(self):
        self.import_component("gone", {"github": "owner/gone", "asset": "*"}, sort_order=-1)
        shown, _ = self.on_a_terminal("component", "mirror", "--all", code=1)
        self.assertIn("\r\x1b[Kgoldsmith: gone: https://", shown)

    def test_elsewhere_it_is_silent(self):
        self.assertEqual(self.done("component", "mirror", "engine").count("\n"), 2)


if __name__ == "__main__":
    unittest.main()

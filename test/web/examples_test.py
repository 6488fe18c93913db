#!/usr/bin/python3
"""The example clients of /docs/examples, as downloaded from the stack: examples_test.py STACK_FOLDER"""

import io
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import zipfile

from stack import Stack
from troubled_proxy import troubled

TIMEOUT = 120  # seconds
INTERPRETERS = {"client.py": ["/usr/bin/python3", "-B"], "client.php": ["php", "-d", "error_reporting=-1", "-d", "display_errors=stderr"]}


class Examples:
    """Of each language; the classes at the end say which."""

    name = ""
    stack = None

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="goldsmith example ")
        self.addCleanup(self.folder.cleanup)
        self.here = pathlib.Path(self.folder.name)
        status, headers, source = self.stack.get(f"/docs/examples/{self.name}")
        self.assertEqual(status, 200)
        self.assertEqual(headers["Content-Type"], "text/plain; charset=utf-8")
        (self.here / self.name).write_bytes(source)
        (self.here / "work").mkdir()

    def run_client(self, *arguments, certificate="etc/tls/cert.pem", timeout=TIMEOUT):
        return subprocess.run([*INTERPRETERS[self.name], f"../{self.name}", *arguments], cwd=self.here / "work", text=True,
                              capture_output=True, timeout=timeout, check=False,
                              env={**os.environ, "SSL_CERT_FILE": os.path.join(self.stack.folder, certificate)})

    def archive(self, arguments=""):
        return self.stack.get("/v1/server-builder/download" + arguments)[2]

    def saved(self, done):
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        [path] = [line.removeprefix("saved: ") for line in done.stdout.splitlines() if line.startswith("saved: ")]
        self.assertEqual(os.listdir(self.here / "work"), [os.path.basename(path)])
        return (self.here / "work" / path).read_bytes()

    def test_lists_resolves_and_downloads(self):
        done = self.run_client(self.stack.origin)
        archive = self.saved(done)
        self.assertEqual(archive, self.archive())
        self.assertIsNone(zipfile.ZipFile(io.BytesIO(archive)).testzip())
        listed = {line.split()[0] for line in done.stdout.splitlines() if line.endswith(" downloads")}
        total = self.stack.json("/v1/plugins?per_page=1")["total"]
        self.assertEqual(len(listed), total)
        self.assertIn("afk-watch", listed)
        self.assertEqual(done.stderr, "")

    def test_takes_components_and_plugins(self):
        done = self.run_client(self.stack.origin + "/", "", "afk-watch,there-is-none")
        self.assertIn("cstrike/addons/amxmodx/plugins/afk_watch.amxx", zipfile.ZipFile(io.BytesIO(self.saved(done))).namelist())
        self.assertRegex(done.stdout, r"note: .*there-is-none")

    def test_waits_as_told_and_resumes_what_was_cut(self):
        with troubled(self.stack, plugins=["gone", "503"], resolve=["429"], download=["429", "cut", "gone", "cut"]) as proxy:
            done = self.run_client(proxy.url)
        archive = self.archive()
        self.assertEqual(self.saved(done), archive)
        ranges = [wanted for name, wanted in proxy.asked if name == "download"]
        half = len(archive) // 2
        three_quarters = half - 1 + (len(archive) - half + 1) // 2
        self.assertEqual(ranges, [None, None, f"bytes={half - 1}-", f"bytes={half - 1}-", f"bytes={three_quarters - 1}-"])

    def test_resumes_what_an_earlier_run_left_even_if_it_is_complete(self):
        plan = self.stack.json("/v1/server-builder/resolve")
        part = self.here / "work" / f"cs16-server-{plan['build_hash'][:12]}.zip.part"
        for size in (1, 1000, len(self.archive())):
            part.write_bytes(self.archive()[:size])
            with troubled(self.stack) as proxy:
                self.assertEqual(self.saved(self.run_client(proxy.url)), self.archive())
            ranges = [wanted for name, wanted in proxy.asked if name == "download"]
            self.assertEqual(ranges, [f"bytes={size - 1}-" if size > 1 else None])

    def test_starts_again_if_ranges_are_ignored_or_do_not_fit(self):
        plan = self.stack.json("/v1/server-builder/resolve")
        part = self.here / "work" / f"cs16-server-{plan['build_hash'][:12]}.zip.part"
        part.write_bytes(b"x" * 1000)
        with troubled(self.stack, download=["no ranges"]) as proxy:
            self.assertEqual(self.saved(self.run_client(proxy.url)), self.archive())
        (self.here / "work" / part.stem).rename(part)
        part.write_bytes(part.read_bytes() + b"and more")
        with troubled(self.stack) as proxy:
            self.assertEqual(self.saved(self.run_client(proxy.url)), self.archive())

    def test_example_clients_compare_the_digest(self):
        with troubled(self.stack, download=["right digest"]) as proxy:
            self.saved(self.run_client(proxy.url))
        with troubled(self.stack, download=["wrong digest"]) as proxy:
            done = self.run_client(proxy.url)
        self.assertEqual(done.returncode, 1)
        self.assertIn("damaged", done.stderr)
        self.assertFalse(list((self.here / "work").glob("*.part")))

    def test_does_not_join_two_archives(self):
        with troubled(self.stack, download=["cut", "changed"]) as proxy:
            done = self.run_client(proxy.url)
        self.assertEqual(done.returncode, 1)
        self.assertIn("resolve again", done.stderr)

    def test_tells_the_reasons_of_a_refused_selection(self):
        refused = "anvil-engine,forge-gamedll,hearth-loader,quarry-api,nothing-like-it"
        done = self.run_client(self.stack.origin, refused)
        self.assertEqual(done.returncode, 1)
        self.assertIn("422 invalid_selection: " + self.stack.origin + "/docs#invalid_selection", done.stderr)
        self.assertIn("Quarry API is a platform module", done.stderr)
        self.assertIn("There is no component nothing-like-it.", done.stderr)

    def test_tries_a_certificate_that_it_does_not_trust_once(self):
        done = self.run_client(self.stack.origin, certificate="stack.json", timeout=10)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, "(?i)certificate.verify.failed")
        self.assertNotIn("next try", done.stderr)

    def test_example_clients_say_what_failed(self):
        done = self.run_client(self.stack.origin + "/docs")
        self.assertEqual((done.returncode, done.stderr), (1, "404: \n"))
        done = self.run_client()
        self.assertEqual(done.returncode, 2)
        self.assertIn("BASE_URL", done.stderr)


class Python(Examples, unittest.TestCase):
    name = "client.py"


class Php(Examples, unittest.TestCase):
    name = "client.php"


if __name__ == "__main__":
    Examples.stack = Stack(sys.argv.pop(1))
    unittest.main()

"""The script that fetches goldsmith-keeper, checks and runs it: keeper_test.py GOLDSMITH_KEEPER KEEPER_SH

KEEPER_SH is the script of the build. A server of this test's stands in for the service.
"""

import hashlib
import http.server
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import threading
import unittest

LOG = b"FATAL ERROR (shutting down): TEX_InitFromWad: couldn't open chateau.wad\n"
ROOT = pathlib.Path(__file__).resolve().parents[3]
LOAD, INTERPRETER = 1, 3  # kinds of segments
TOOLS = ("cat", "chmod", "cut", "mktemp", "rm", "sh", "uname", "tr")


class Service(http.server.BaseHTTPRequestHandler):
    answer = (200, b"")

    def do_GET(self):  # pylint: disable=invalid-name
        status, body = self.answer if self.path.startswith("/server/goldsmith-keeper?sha256=") else (404, b"")
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format, *args):  # pylint: disable=redefined-builtin
        pass


class Program(unittest.TestCase):
    def test_it_needs_no_library_and_names_no_folder_of_the_build(self):
        program = Case.program
        if b"__asan_init" in program or b"__tsan_init" in program:
            self.skipTest("sanitizers want the libraries of the system")
        table, count = struct.unpack_from("<Q", program, 32)[0], struct.unpack_from("<H", program, 56)[0]
        kinds = [struct.unpack_from("<I", program, table + 56 * number)[0] for number in range(count)]
        self.assertIn(LOAD, kinds)
        self.assertNotIn(INTERPRETER, kinds)
        self.assertNotIn(os.fsencode(ROOT), program)


class Case(unittest.TestCase):
    program = template = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="goldsmith keeper ")
        self.addCleanup(folder.cleanup)
        self.here = pathlib.Path(folder.name)
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Service)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        Service.answer = (200, self.program)
        values = {"language": "en", "service": f"http://127.0.0.1:{server.server_address[1]}", "verb": "explain",
                  "digest": hashlib.sha256(self.program).hexdigest(), "selection": "", "ignored": ""}
        text = self.template.replace("    # @translations@\n", "")
        for name, value in values.items():
            text = text.replace(f"\n{name}=@{name}@\n", f"\n{name}='{value}'\n")
        self.script = self.here / "explain.sh"
        self.script.write_text(text, encoding="utf-8")
        self.environment = {"PATH": os.environ["PATH"], "TMPDIR": str(self.here)}

    def run_script(self, *arguments, shell=("dash",), **options):
        """(status, standard output, standard error). Nothing is left behind."""
        before = sorted(os.listdir(self.here))
        done = subprocess.run([*shell, *(arguments or [self.script])], **{"input": LOG, "env": self.environment} | options, cwd=self.here,
                              capture_output=True, check=False, timeout=120)
        self.assertEqual(sorted(os.listdir(self.here)), before)
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    def with_tools(self, *names, **scripts):
        """A PATH with these programs alone, and with scripts of the test's."""
        folder = self.here / "tools"
        folder.mkdir()
        for name in (*TOOLS, *names):
            (folder / name).symlink_to(shutil.which(name))
        for name, text in scripts.items():
            (folder / name).unlink(missing_ok=True)
            (folder / name).write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
            (folder / name).chmod(0o755)
        self.environment["PATH"] = str(folder)

    def assert_explained(self, said):
        self.assertEqual((said[0], said[2]), (1, ""), said)
        self.assertTrue(said[1].startswith("STOPS THE SERVER: A map needs a texture file"), said[1])

    def assert_refused(self, words, status=1):
        said = self.run_script(shell=("/bin/dash",))
        self.assertEqual(said[:2], (status, ""), said)
        self.assertIn(words, said[2])
        self.assertTrue(said[2].startswith("explain.sh: "), said[2])

    def test_every_shell_runs_the_program(self):
        for shell in (("dash",), ("bash",), ("busybox", "sh")):
            self.assert_explained(self.run_script(shell=shell))

    def test_the_script_can_come_from_a_pipe(self):
        (self.here / "q.log").write_bytes(LOG)
        program = self.script.read_bytes()
        self.assert_explained(self.run_script("-s", "--", "q.log", input=program))
        status, out, error = self.run_script("-s", input=program)
        self.assertEqual((status, out), (2, ""))
        self.assertIn("which file has the log?", error)

    def test_a_script_that_was_cut_does_nothing(self):
        program = self.script.read_bytes()
        for size in range(0, len(program) - 2, 97):
            done = subprocess.run(["dash", "-s", "--", "/dev/null"], input=program[:size], env=self.environment, capture_output=True,
                                  check=False)
            self.assertEqual(done.stdout, b"", size)
        self.assertEqual(os.listdir(self.here), ["explain.sh"])

    def test_each_program_that_knows_the_digest_will_do(self):
        for tool in ("sha256sum", "busybox", "openssl"):
            with self.subTest(tool=tool):
                self.with_tools("curl", tool)
                self.assert_explained(self.run_script(shell=("/bin/dash",)))
                shutil.rmtree(self.here / "tools")
        self.with_tools("curl")
        self.assert_refused("none of sha256sum, busybox and openssl is installed")

    def test_wget_will_do_in_place_of_curl(self):
        self.with_tools("wget", "sha256sum")
        self.assert_explained(self.run_script(shell=("/bin/dash",)))
        shutil.rmtree(self.here / "tools")
        self.with_tools("sha256sum")
        self.assert_refused("curl is not installed")

    def test_a_download_that_is_another_program_is_not_run(self):
        for body in (self.program[:-1], self.program + b"x", b"#!/bin/sh\ntouch pwned\n", b""):
            Service.answer = (200, body)
            self.assert_refused("is not the program that this script is for")

    def test_a_service_that_refuses(self):
        Service.answer = (503, self.program)
        self.assert_refused("answered 503")

    def test_other_machines_are_told_why(self):
        for machine in ("Linux aarch64", "Linux armv7l", "Darwin x86_64"):
            self.with_tools("curl", "sha256sum", uname=f"echo {machine}")
            self.assert_refused(f"this is {machine}")
            shutil.rmtree(self.here / "tools")
        self.with_tools("curl", "sha256sum", uname="echo Linux i686")
        self.assert_explained(self.run_script(shell=("/bin/dash",)))

    def test_where_programs_cannot_be_run_it_says_so(self):
        self.with_tools("curl", "sha256sum", chmod=":")
        self.assert_refused("cannot be run in")

    def test_a_relative_folder_in_the_path_is_refused(self):
        self.environment["PATH"] += ":."
        self.assert_refused("a folder in PATH is relative", status=3)

    def test_shellcheck_finds_nothing(self):
        subprocess.run(["shellcheck", "--shell", "sh", self.script], check=True)


if __name__ == "__main__":
    Case.template = pathlib.Path(sys.argv.pop()).read_text(encoding="utf-8")
    Case.program = pathlib.Path(sys.argv.pop()).read_bytes()
    unittest.main()

"""scripts/screenshots where nothing can be pictured."""

import http.server
import pathlib
import socket
import subprocess
import tempfile
import threading
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[3] / "scripts" / "screenshots"


class OtherService(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):  # pylint: disable=arguments-differ
        pass


class Screenshots(unittest.TestCase):
    def assert_refused(self, url, *words):
        with tempfile.TemporaryDirectory() as folder:
            pictures = pathlib.Path(folder, "pictures")
            done = subprocess.run([SCRIPT, pictures, url], capture_output=True, text=True, check=False)
            self.assertFalse(pictures.exists())
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertRegex(done.stderr, r"^error: [^\n]*\n$")
        for word in (url, "scripts/dev up", *words):
            self.assertIn(word, done.stderr)

    def test_without_a_stack_it_says_how_to_start_one(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
        self.assert_refused(f"https://127.0.0.1:{port}", "Connection refused")

    def test_a_service_that_is_not_ours_is_named(self):
        with http.server.HTTPServer(("127.0.0.1", 0), OtherService) as other:
            threading.Thread(target=other.serve_forever, daemon=True).start()
            self.assert_refused(f"http://127.0.0.1:{other.server_port}", "501")
            other.shutdown()


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""Fronts answer what an authority asks for before it signs a certificate, while no host does: front_challenges.py FOLDER"""

import contextlib
import http.client
import http.server
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import types
import unittest

from fronts import HaproxyFront, NginxFront
from running_stack import ROOT

ASKED = "/.well-known/acme-challenge/a-token_1"
CERTIFICATE = '. "$1/scripts/lib/certificate.sh" && make_certificate "$2" localhost DNS:localhost IP:127.0.0.1'


class FrontChallenges(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory(prefix="goldsmith-front-"))
        os.chmod(self.folder, 0o755)
        tls = os.path.join(self.folder, "host", "etc", "tls")
        os.makedirs(tls)
        subprocess.run(["bash", "-c", CERTIFICATE, "bash", ROOT, tls], check=True)
        shutil.copytree(os.path.join(ROOT, "nginx", "snippets"), os.path.join(self.folder, "host", "etc", "nginx", "goldsmith"))
        # Nobody listens there.
        client = types.SimpleNamespace(https_port=1, certificate=os.path.join(tls, "cert.pem"))
        self.hosts = [types.SimpleNamespace(folder=os.path.join(self.folder, "host"), client=client)] * 2

    def start(self, front):
        front.start()
        self.addCleanup(front.stop)

    @staticmethod
    def get(front, target):
        """(status, body, Location) over plain HTTP."""
        connection = http.client.HTTPConnection("127.0.0.1", front.plain_port, timeout=20)
        with contextlib.closing(connection):
            connection.request("GET", target, headers={"Host": "goldsmith.example"})
            answer = connection.getresponse()
            return answer.status, answer.read().decode(), answer.headers["Location"]

    def assert_redirects(self, front):
        self.assertEqual(self.get(front, "/v1/meta")[::2], (308, "https://goldsmith.example/v1/meta"))
        self.assertEqual(self.get(front, "/.well-known/security.txt")[0], 308)

    def test_nginx_from_the_folder_that_certbot_writes(self):
        front = NginxFront(os.path.join(self.folder, "nginx"), self.hosts)
        self.start(front)
        self.assertEqual(self.get(front, ASKED)[0], 404)
        os.makedirs(os.path.dirname(front.folder + "/acme" + ASKED))
        with open(front.folder + "/acme" + ASKED, "w", encoding="ascii") as file:
            file.write("a-key")
        self.assertEqual(self.get(front, ASKED), (200, "a-key", None))
        self.assert_redirects(front)

    def test_haproxy_from_certbot_itself(self):
        class Certbot(http.server.BaseHTTPRequestHandler):
            def do_GET(self):  # noqa: N802 (the name is that of the library)
                self.send_response(200)
                self.end_headers()
                self.wfile.write(f"a-key for {self.path}".encode())

            def log_message(self, *_):
                pass

        front = HaproxyFront(os.path.join(self.folder, "haproxy"), self.hosts)
        with http.server.HTTPServer(("127.0.0.1", 0), Certbot) as certbot:
            self.addCleanup(certbot.shutdown)
            threading.Thread(target=certbot.serve_forever, daemon=True).start()
            front.certbot_port = certbot.server_port
            self.start(front)
            self.assertEqual(self.get(front, ASKED)[:2], (200, f"a-key for {ASKED}"))
            self.assert_redirects(front)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[2:]])

"""Sends one request as written, and reads the response whole."""

import dataclasses
import functools
import http.client
import os
import re
import socket
import ssl
import subprocess
import tempfile

TIMEOUT = 120


@dataclasses.dataclass
class Response:
    status: int
    headers: list  # (name, value) in order
    body: bytes

    def all(self, name):
        return [value for key, value in self.headers if key.lower() == name.lower()]

    def text(self):
        return self._text

    @functools.cached_property
    def _text(self):
        return self.body.decode("utf-8", "backslashreplace")


def unescape(text):
    """`\\xNN` is a byte, everything else UTF-8."""
    return re.sub(rb"\\x([0-9a-fA-F]{2})", lambda m: bytes([int(m.group(1), 16)]), text.encode())


class Client:
    """Speaks to one stack, described by its stack.json."""

    def __init__(self, stack):
        self.host, self.https_port, self.http_port = "127.0.0.1", stack["https_port"], stack["http_port"]
        self.certificate = stack["certificate"]
        self.context = ssl.create_default_context(cafile=self.certificate)
        self.origin = f"https://{self.host}:{self.https_port}"
        self.source = ""  # the address to connect from, such as 127.1.2.3, but for HTTP/2; "" = the usual one

    def send(self, method, target, headers, options):
        if "http2" in options:
            return self._by_curl(method, target, headers)
        plain = "http" in options
        port = self.http_port if plain else self.https_port
        body = b"x" * int(options.get("body", 0))
        lines = [unescape(f"{method} {target}") + (b"" if "raw" in options else b" HTTP/1.1")]
        if "raw" not in options:
            lines += [f"Host: {self.host}:{port}".encode(), b"Connection: close"]
        if body:
            lines.append(b"Content-Length: %d" % len(body))
        lines += [unescape(f"{name}: {value}") for name, value in headers]
        # What is too long is answered, and the connection closed, before all of it is sent.
        message = b"\r\n".join(lines) + b"\r\n\r\n" + (body if len(body) <= 64 << 10 else body[:10_000])
        with socket.create_connection((self.host, port), TIMEOUT, (self.source, 0)) as sock:
            if not plain:
                sock = self.context.wrap_socket(sock, server_hostname=self.host)
            with sock:
                sock.sendall(message)
                return self._read(sock, method)

    @staticmethod
    def _read(sock, method):
        # Arguments of a response without a status line or of one that is cut off raise.
        response = http.client.HTTPResponse(sock, method=method)
        response.begin()
        return Response(response.status, response.getheaders(), response.read())

    def _by_curl(self, method, target, headers):
        with tempfile.TemporaryDirectory() as folder:
            head, body = os.path.join(folder, "head"), os.path.join(folder, "body")
            command = ["curl", "--silent", "--show-error", "--http2", "--path-as-is",
                       "--cacert", self.certificate, "--max-time", str(TIMEOUT),
                       "--dump-header", head, "--output", body]
            command += ["--head"] if method == "HEAD" else ["--request", method]
            for name, value in headers:
                command += ["--header", f"{name}: {value}"]
            subprocess.run([*command, self.origin + target], check=True)
            with open(head, encoding="latin-1") as file:
                lines = file.read().splitlines()
            if not lines[0].startswith("HTTP/2 "):
                raise http.client.HTTPException(f"not HTTP/2 but {lines[0]}")
            content = b""
            # With --head curl writes the headers there; HTTP/2 itself has no body on a HEAD.
            if method != "HEAD" and os.path.exists(body):
                with open(body, "rb") as file:
                    content = file.read()
            pairs = [tuple(line.split(": ", 1)) for line in lines[1:] if ": " in line]
            return Response(int(lines[0].split()[1]), pairs, content)

"""A proxy before a stack that does to the first requests what networks and busy hosts do."""

import base64
import contextlib
import hashlib
import http.server
import re
import threading


class TroubledProxy(http.server.ThreadingHTTPServer):
    """Plain HTTP in front of stack.get(). `troubles` are taken one a request, by the last part of its path:
    {"download": ["429", "cut", …]}, or a function of the body that is answered; without one left the request is answered as
    the stack does."""

    daemon_threads = True

    def __init__(self, stack, troubles):
        super().__init__(("127.0.0.1", 0), Handler)
        self.stack = stack
        self.troubles = {name: list(each) for name, each in troubles.items()}
        self.asked = []  # (last part of the path, Range)
        self.keys = set()  # headers Authorization
        self.url = f"http://127.0.0.1:{self.server_port}"


class Handler(http.server.BaseHTTPRequestHandler):
    def do_HEAD(self):  # pylint: disable=invalid-name
        self.do_GET()

    def do_GET(self):  # pylint: disable=invalid-name
        server = self.server
        name = self.path.split("?")[0].rsplit("/", 1)[1]
        wanted = self.headers["Range"]
        server.asked.append((name, wanted))
        server.keys.add(self.headers["Authorization"])
        trouble = server.troubles.get(name, [])[:1]
        del server.troubles.get(name, [])[:1]
        trouble = trouble[0] if trouble else ""
        if trouble in ("429", "503"):
            self.refuse(int(trouble))
        elif trouble == "hour":
            self.refuse(429, 600, 2)
        elif trouble == "missing":
            self.send_error(404)
        elif trouble == "gone":
            self.close_connection = True
        else:
            self.forward(name, trouble, wanted)

    def refuse(self, status, seconds=1, resets_in=None):
        body = b'{"error":"rate_limited","retry_after":%d,"status":false}' % seconds
        self.send_response(status)
        if resets_in:
            self.send_header("X-Svc-Resets-In", str(resets_in))
        self.send_header("Retry-After", str(seconds))
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.write(body)

    def write(self, body):
        if self.command != "HEAD":
            self.wfile.write(body)

    def forward(self, name, trouble, wanted):
        headers = {"Range": wanted} if wanted and trouble != "no ranges" else {}
        path = re.sub("[?&]from=[0-9a-f]+", "", self.path) if trouble == "whole" else self.path
        status, answered, body = self.server.stack.get(path, headers)
        if answered["Content-Type"].startswith(("application/json", "text/x-shellscript")) or name == "update.txt":
            body = body.replace(self.server.stack.origin.encode(), self.server.url.encode())
        if callable(trouble):
            body = trouble(body)
        self.send_response(status)
        for header in ("Content-Type", "Content-Range", "Content-Disposition", "X-Svc-Build-Hash"):
            if answered[header]:
                value = "0" * 64 if trouble == "changed" and header == "X-Svc-Build-Hash" else answered[header]
                self.send_header(header, value)
        if trouble in ("right digest", "wrong digest"):
            content = body if trouble == "right digest" else b"other bytes"
            self.send_header("Repr-Digest", f"sha-256=:{base64.b64encode(hashlib.sha256(content).digest()).decode()}:")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if trouble == "damaged":
            body = body[:50] + bytes(byte ^ 1 for byte in body[50:])
        self.write(body[:len(body) // 2] if trouble == "cut" else body)
        self.close_connection = self.close_connection or trouble == "cut"

    def log_message(self, *_):  # pylint: disable=arguments-differ
        pass


@contextlib.contextmanager
def troubled(stack, **troubles):
    """Of the requests to resolve, download, …: troubled(stack, download=["cut"])."""
    proxy = TroubledProxy(stack, troubles)
    thread = threading.Thread(target=proxy.serve_forever, args=[0.05])
    thread.start()
    try:
        yield proxy
    finally:
        proxy.shutdown()
        thread.join()
        proxy.server_close()

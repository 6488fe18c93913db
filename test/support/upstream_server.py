#!/usr/bin/env python3
"""A server like GitHub's and like any other web server, over HTTPS, which fails as it is told to.

In a test:   with Upstream(folder) as upstream: upstream.add_release("owner/repo", "1.0", {"a.zip": bytes})
By hand:     upstream_server.py FOLDER RELEASES    serves RELEASES/<owner>/<repo>/<tag>/<file> until it
             is interrupted, and prints what to put into goldsmith.conf

As at GitHub, the addresses of assets redirect to another host, which keeps the files.
"""

import calendar
import collections
import dataclasses
import email.utils
import hashlib
import http.server
import json
import os
import re
import ssl
import subprocess
import sys
import threading
import time
import urllib.parse

API_HOST, FILE_HOST = "127.0.0.1", "localhost"
EPOCH = 1714564800  # 2024-05-01 12:00:00 UTC


def make_certificate(folder, names="IP:127.0.0.1,DNS:localhost"):
    """An authority of its own and a certificate by it; returns the paths of both and of the key."""
    os.makedirs(folder, exist_ok=True)
    ca, ca_key, cert, key, request, extensions = (
        os.path.join(folder, name)
        for name in ("ca.pem", "ca.key", "cert.pem", "cert.key", "cert.csr", "extensions"))

    def openssl(*arguments):
        subprocess.run(["openssl", *arguments], check=True, stdin=subprocess.DEVNULL,
                       stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)

    curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    openssl("req", "-x509", *curve, "-keyout", ca_key, "-out", ca, "-days", "2",
            "-subj", "/CN=goldsmith test authority")
    openssl("req", *curve, "-keyout", key, "-out", request, "-subj", "/CN=goldsmith test server")
    with open(extensions, "w", encoding="ascii") as file:
        file.write(f"subjectAltName={names}\n")
    openssl("x509", "-req", "-in", request, "-CA", ca, "-CAkey", ca_key, "-CAcreateserial",
            "-days", "2", "-extfile", extensions, "-out", cert)
    return ca, cert, key


@dataclasses.dataclass
class Request:
    host: str
    path: str  # with its query
    headers: dict  # names in lower case
    status: int = 0  # that was answered


@dataclasses.dataclass
class File:
    body: bytes
    etag: str  # "" = none
    modified: int = EPOCH  # None = it is not told
    content_type: str = "application/octet-stream"

    def date(self):
        return "" if self.modified is None else email.utils.formatdate(self.modified, usegmt=True)


def iso_time(seconds):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def object_path(repository, tag, name):
    """Where the bytes of an asset are, behind the redirect."""
    return f"/objects/{repository}/releases/download/{tag}/{name}"


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    upstream = None
    seen = None

    def log_message(self, *_):
        pass

    def setup(self):
        self.request.do_handshake()
        super().setup()

    def do_GET(self):
        headers = {name.lower(): value for name, value in self.headers.items()}
        host = headers.get("host", "").rsplit(":", 1)[0]
        self.seen = Request(host, self.path, headers)
        with self.upstream.lock:
            self.upstream.requests.append(self.seen)
            fault = self.upstream.next_fault(self.path) or self.upstream.refuse_for_quota(self.path)
        if fault:
            fault(self)
        else:
            self.answer()

    def send_response(self, code, message=None):
        self.seen.status = code
        super().send_response(code, message)

    def reply(self, status, body=b"", **headers):
        """`retry_after="5"` is the header Retry-After."""
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-").title(), str(value))
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def answer(self):
        path = urllib.parse.urlsplit(self.path).path
        parts = [urllib.parse.unquote(part) for part in path.split("/")[1:]]
        if parts[0] == "repositories":
            parts[:2] = ["repos", *self.upstream.name_of(int(parts[1])).split("/")]
        name = self.upstream.known_name("/".join(parts[1:3])) if parts[0] == "repos" else None
        if parts[0] == "repos" and name is None and "/".join(parts[1:3]) in self.upstream.renamed:
            number, _ = self.upstream.numbers(self.upstream.renamed["/".join(parts[1:3])])
            query = urllib.parse.urlsplit(self.path).query
            self.reply(301, location=self.upstream.url("/".join([f"/repositories/{number}", *path.split("/")[4:]])
                                                       + (f"?{query}" if query else "")))
        elif parts[0] == "repos" and name and parts[3:] == []:
            number, owner = self.upstream.numbers(name)
            self.reply(200, json.dumps({"id": number, "full_name": name, "owner": {"id": owner}}).encode())
        elif parts[0] == "repos" and parts[3:] == ["releases"]:
            self.answer_releases(name)
        elif name in self.upstream.repositories:
            self.answer_repository(name, parts[3:])
        elif parts[2:4] == ["releases", "download"]:
            self.reply(302, location=self.upstream.url("/objects" + path, FILE_HOST))
        elif (file := self.file()) is not None:
            self.answer_file(file)
        else:
            self.reply(404, b'{"message": "Not Found"}')

    def file(self):
        """What lies at the path; None where nothing does."""
        path = urllib.parse.unquote(urllib.parse.urlsplit(self.path).path)
        return self.upstream.files.get(path)

    def answer_releases(self, repository):
        releases = self.upstream.releases.get(repository)
        if releases is None:
            self.reply(404, b'{"message": "Not Found"}')
            return
        query = urllib.parse.parse_qs(urllib.parse.urlsplit(self.path).query)
        size = min(int(query.get("per_page", ["30"])[0]), self.upstream.page_size)
        page = int(query.get("page", ["1"])[0])
        shown = releases[(page - 1) * size:page * size]
        body = json.dumps(shown).encode()
        headers = {"etag": 'W/"%s"' % hashlib.sha256(body).hexdigest(),
                   "content_type": "application/json; charset=utf-8"}
        if page * size < len(releases):
            first = self.path.split("&page=", maxsplit=1)[0]
            headers["link"] = ", ".join(
                f'<{self.upstream.url(first)}&page={number}>; rel="{relation}"'
                for number, relation in ((1, "first"), (page + 1, "next"), (99, "last")))
        if self.headers.get("If-None-Match") == headers["etag"]:
            self.reply(304, **headers)
        else:
            self.reply(200, body, **headers)

    def answer_repository(self, name, parts):
        """As GitHub's API: commits, tags, a comparison, or where the archive of a commit is."""
        repository = self.upstream.repositories[name]
        query = {key: values[0] for key, values
                 in urllib.parse.parse_qs(urllib.parse.urlsplit(self.path).query).items()}
        answer = None
        if parts == ["commits"]:
            start = repository.resolve(query.get("sha", ""))
            since = calendar.timegm(time.strptime(query["since"], "%Y-%m-%dT%H:%M:%SZ")) if "since" in query else 0
            if start:
                answer = [{"sha": commit.sha, "commit": {"message": commit.message, "committer": {
                    "name": "somebody", "date": iso_time(commit.time)}}} for commit in repository.log(
                        start, query.get("path", ""), since, int(query.get("per_page", 30)))]
        elif parts == ["tags"]:
            answer = [{"name": tag, "commit": {"sha": repository.resolve(tag)}} for tag in repository.tags()]
        elif parts[0] == "compare" and "..." in parts[1]:
            former, commit = parts[1].split("...")
            if repository.resolve(former) and repository.resolve(commit):
                is_ancestor = repository.is_ancestor(former, commit)
                answer = {"status": "ahead" if is_ancestor else "diverged", "commits": []}
        elif parts[0] == "tarball" and repository.resolve("/".join(parts[1:])):
            sha = repository.resolve("/".join(parts[1:]))
            self.upstream.add_file(f"/objects/{name}/{sha}.tar.gz", repository.archive(name, sha),
                                   content_type="application/x-gzip")
            self.reply(302, location=self.upstream.url(f"/objects/{name}/{sha}.tar.gz", FILE_HOST))
            return
        if answer is None:
            self.reply(404, b'{"message": "Not Found"}')
        else:
            self.reply(200, json.dumps(answer).encode(), content_type="application/json; charset=utf-8")

    def answer_file(self, file):
        if self.matches(file):
            self.reply(304, etag=file.etag)
            return
        start = self.range_start(file)
        if start is not None and start >= len(file.body):
            self.reply(416, content_range=f"bytes */{len(file.body)}")
            return
        self.begin_file(file, start)
        self.wfile.write(file.body[start or 0:])

    def matches(self, file):
        if "If-None-Match" in self.headers:
            return self.headers["If-None-Match"] == file.etag
        return self.headers.get("If-Modified-Since") == file.date() != ""

    def range_start(self, file):
        wanted = self.headers.get("Range")
        condition = self.headers.get("If-Range")
        if wanted is None or condition not in (None, file.etag, file.date()):
            return None
        return int(wanted.removeprefix("bytes=").split("-")[0])

    def begin_file(self, file, start=None):
        """The headers of an answer with the bytes from `start`, or with all of them."""
        self.send_response(200 if start is None else 206)
        if start is not None:
            self.send_header("Content-Range", f"bytes {start}-{len(file.body) - 1}/{len(file.body)}")
        if file.etag:
            self.send_header("ETag", file.etag)
        self.send_header("Content-Type", file.content_type)
        if file.date():
            self.send_header("Last-Modified", file.date())
        self.send_header("Content-Length", str(len(file.body) - (start or 0)))
        self.end_headers()


# Faults: each answers one request in place of the server.

def answers(status, body=b"", **headers):
    return lambda handler: handler.reply(status, body, **headers)


def redirects(location):
    return answers(302, location=location)


def breaks_off(count):
    """Sends `count` bytes of the file, or of what is left of it, and hangs up."""
    def fault(handler):
        file = handler.file()
        start = handler.range_start(file)
        handler.begin_file(file, start)
        handler.wfile.write(file.body[start or 0:][:count])
        handler.close_connection = True
    return fault


def drips(piece, pause):
    """Sends the file in pieces of that many bytes with a pause of seconds between them."""
    def fault(handler):
        file = handler.file()
        handler.begin_file(file)
        for at in range(0, len(file.body), piece):
            handler.wfile.write(file.body[at:at + piece])
            if handler.upstream.stopping.wait(pause):
                break
        handler.close_connection = True
    return fault


def stops(count, reached):
    """Sends `count` bytes of the file, sets the event, and is silent until the server ends."""
    def fault(handler):
        file = handler.file()
        handler.begin_file(file)
        handler.wfile.write(file.body[:count])
        reached.set()
        handler.upstream.stopping.wait()
        handler.close_connection = True
    return fault


LIMITED = answers(403, b'{"message": "API rate limit exceeded"}', x_ratelimit_limit=60,
                  x_ratelimit_remaining=0, x_ratelimit_reset=4102444800)


class Upstream(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, folder, certificate=None, client_authority=None):
        """With `client_authority`, a file, clients must have a certificate by it."""
        self.lock = threading.Lock()
        self.requests = []
        self.releases = {}  # by repository, newest first, as the API shows them
        self.repositories = {}  # by name, see repositories.py
        self.renamed = {}  # names of now by those of before, which lead to them
        self.given = {}  # numbers of repositories that have releases alone, and of their accounts
        self.files = {}  # by path
        self.faults = collections.defaultdict(collections.deque)
        self.page_size = 100
        self.quota = None  # how many requests the API still takes; None = any number
        self.stopping = threading.Event()
        self.ca, cert, key = certificate or make_certificate(folder)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(cert, key)
        if client_authority:
            context.load_verify_locations(client_authority)
            context.verify_mode = ssl.CERT_REQUIRED
        super().__init__((API_HOST, 0), type("BoundHandler", (Handler,), {"upstream": self}))
        # The handshake is the handler's, in its own thread.
        self.socket = context.wrap_socket(self.socket, server_side=True,
                                          do_handshake_on_connect=False)
        self.thread = threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.05})

    def handle_error(self, request, client_address):
        pass  # a client that hung up, or did not like the certificate

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.stopping.set()
        self.shutdown()
        self.thread.join()
        self.server_close()

    def url(self, path="", host=API_HOST):
        return f"https://{host}:{self.server_address[1]}{path}"

    def add_file(self, path, body, **more):
        more.setdefault("etag", '"%s"' % hashlib.sha256(body).hexdigest()[:16])
        self.files[path] = File(body, **more)
        return self.url(path)

    def add_release(self, repository, tag, assets, published=EPOCH, digests=True, **more):
        """`more`: further members of the release, such as draft=True."""
        shown = []
        for name, body in assets.items():
            self.add_file(object_path(repository, tag, name), body, modified=published)
            path = urllib.parse.quote(f"/{repository}/releases/download/{tag}/{name}")
            asset = {"name": name, "size": len(body), "state": "uploaded", "id": len(self.files),
                     "browser_download_url": self.url(path), "updated_at": iso_time(published)}
            if digests:
                asset["digest"] = "sha256:" + hashlib.sha256(body).hexdigest()
            shown.append(asset)
        release = {"tag_name": tag, "name": f"Release {tag}", "draft": False, "prerelease": False,
                   "published_at": iso_time(published), "body": "Notes.\r\n" * 20,
                   "author": {"login": "somebody"}, "assets": shown, **more}
        self.releases.setdefault(repository, []).insert(0, release)
        return release

    def fail(self, path, *faults, always=None):
        """The next requests of `path` (without its query) meet these faults, one each; then `always`."""
        self.faults[path] = collections.deque(faults)
        if always:
            self.faults[path].append([always])

    def next_fault(self, path):
        queue = self.faults.get(urllib.parse.urlsplit(path).path)
        if not queue:
            return None
        return queue[0][0] if isinstance(queue[0], list) else queue.popleft()

    def refuse_for_quota(self, path):
        if self.quota is None or not path.startswith("/repos/"):
            return None
        self.quota -= 1
        return LIMITED if self.quota < 0 else None

    def known_name(self, name):
        """As it is written; None if nothing has it."""
        return next((each for each in (*self.repositories, *self.releases) if each.lower() == name.lower()), None)

    def numbers(self, name):
        if name in self.repositories:
            return self.repositories[name].number, self.repositories[name].owner
        return self.given.setdefault(name, (2 * len(self.given) + 1, 2 * len(self.given) + 2))

    def name_of(self, number):
        return next(name for name in (*self.repositories, *self.releases) if self.numbers(name)[0] == number)

    def paths(self, host=None):
        return [request.path for request in self.requests if host in (None, request.host)]


def natural(text):
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", text)]


def serve(folder, releases):
    with Upstream(folder) as upstream:
        found = [os.path.relpath(path, releases).split(os.sep)
                 for path, _, names in os.walk(releases) if names]
        # Published a day apart, in the order of their tags.
        for day, parts in enumerate(sorted(found, key=lambda parts: natural(parts[-1]))):
            assets = {}
            for name in sorted(os.listdir(os.path.join(releases, *parts))):
                with open(os.path.join(releases, *parts, name), "rb") as file:
                    assets[name] = file.read()
            upstream.add_release("/".join(parts[:2]), parts[2], assets, EPOCH + day * 86400)
        print(f"[mirror]\ngithub_api = {upstream.url()}\nca_file = {upstream.ca}", flush=True)
        try:
            upstream.thread.join()
        except KeyboardInterrupt:
            pass


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    serve(sys.argv[1], sys.argv[2])

#!/usr/bin/env python3
"""Lists plugins, resolves a server and downloads its archive. Needs Python 3.8 and nothing else.

    python3 client.py BASE_URL [COMPONENTS [PLUGINS]]

COMPONENTS and PLUGINS are slugs, separated by commas; without COMPONENTS ('') the server is the recommended one. The
archive is written to the current folder. A download that was interrupted is resumed, also by the next run.
"""

import base64
import hashlib
import http.client
import json
import os
import re
import shutil
import ssl
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

TRIES = 6
TIMEOUT = 620  # seconds; the first download of a selection waits until its archive is built


class ApiError(Exception):
    """An answer that another try will not change."""

    def __init__(self, status, answer):
        self.status = status
        self.answer = answer
        super().__init__(f"{status} {answer.get('error', '')}".rstrip())

    def reasons(self):
        """What the API says in sentences about a selection that it refuses."""
        for problem in ("conflicts", "missing_requires", "unavailable"):
            for each in self.answer.get(problem) or []:
                yield each["reason"]
        for slug in self.answer.get("unknown") or []:
            yield f"There is no component {slug}."
        for each in self.answer.get("layer_conflicts") or []:
            yield f"Choose one of {each['components']}."


def answer_of(error):
    """The JSON of an error; {} if it has none."""
    try:
        return json.load(error)
    except ValueError:
        return {}


def request(url, headers=None):
    """The response to a GET. Waits and asks again if a limit is reached or the service fails for a moment."""
    asked = urllib.request.Request(url, headers={"User-Agent": "client.py", **(headers or {})})
    for attempt in range(1, TRIES + 1):
        wait = 2 ** (attempt - 1)
        try:
            return urllib.request.urlopen(asked, timeout=TIMEOUT)
        except urllib.error.HTTPError as error:
            if attempt == TRIES or (error.code != 429 and error.code < 500):
                raise ApiError(error.code, answer_of(error)) from None
            wait = int(error.headers.get("Retry-After") or wait)
            problem = f"{error.code} {answer_of(error).get('error', '')}"
        except (OSError, http.client.HTTPException) as error:
            # A certificate that is not trusted now is not trusted later.
            if attempt == TRIES or isinstance(getattr(error, "reason", None), ssl.SSLCertVerificationError):
                raise
            problem = error
        print(f"{problem}; next try in {wait} s", file=sys.stderr)
        time.sleep(wait)


def plugins(base_url, **search):
    """All plugins of all pages, as objects: plugins(url, q="map", category="admin")."""
    page, pages = 1, 1
    while page <= pages:
        query = urllib.parse.urlencode({**search, "per_page": 100, "page_n": page})
        with request(f"{base_url}/v1/plugins?{query}") as response:
            answer = json.load(response)
        yield from answer["plugins"]
        page, pages = page + 1, answer["total_pages"]


def resolve(base_url, components="", plugins=""):  # pylint: disable=redefined-outer-name
    """The plan of a server: its files, notes, build hash and download URL."""
    query = urllib.parse.urlencode({"components": components, "plugins": plugins})
    with request(f"{base_url}/v1/server-builder/resolve?{query}") as response:
        return json.load(response)


def check_digest(response, path):
    """Compares the file with Repr-Digest (RFC 9530), if the response has it."""
    found = re.search(r"sha-256=:([^:]+):", response.headers.get("Repr-Digest") or "")
    if not found:
        return
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        for block in iter(lambda: file.read(1 << 20), b""):
            digest.update(block)
    if digest.digest() != base64.b64decode(found[1]):
        os.remove(path)
        raise RuntimeError("the archive is damaged: its SHA-256 is not the one that the service names")


def receive(plan, part):
    """Adds what is missing to the file `part`. The response; None if the connection was lost."""
    # From the last byte that is there: a range behind the end of a complete file would be an error.
    start = max(0, os.path.getsize(part) - 1) if os.path.exists(part) else 0
    try:
        with request(plan["download_url"], {"Range": f"bytes={start}-"} if start else {}) as response:
            if response.headers["X-Svc-Build-Hash"] != plan["build_hash"]:
                raise RuntimeError("the catalog has changed meanwhile: resolve again")
            with open(part, "r+b" if response.status == 206 else "wb") as file:
                file.seek(start if response.status == 206 else 0)
                shutil.copyfileobj(response, file)
            expected = int((response.headers.get("Content-Range") or response.headers["Content-Length"]).split("/")[-1])
            if os.path.getsize(part) == expected:
                return response
    except ApiError as error:
        if error.status != 416 or not start:
            raise
        os.remove(part)  # longer than the archive: start again
    except (OSError, http.client.HTTPException) as error:
        print(f"{error}", file=sys.stderr)
    return None


def download(plan, folder="."):
    """The path of the archive. Its bytes depend on the build hash alone, so that any part of it can be completed later."""
    path = os.path.join(folder, f"cs16-server-{plan['build_hash'][:12]}.zip")
    part = path + ".part"
    for _ in range(TRIES):
        response = receive(plan, part)
        if response is not None:
            check_digest(response, part)
            os.replace(part, path)
            return path
        print("the download was interrupted; it is resumed", file=sys.stderr)
    raise RuntimeError(f"{plan['download_url']}: the connection was lost {TRIES} times")


def main(arguments):
    if not 1 <= len(arguments) <= 3 or arguments[0].startswith("-"):
        print(__doc__, file=sys.stderr)
        return 2
    base_url = arguments[0].rstrip("/")
    try:
        for plugin in plugins(base_url):
            print(f"{plugin['slug']} {plugin['latest_version']}: {plugin['name']}, {plugin['downloads']} downloads")
        plan = resolve(base_url, *arguments[1:])
        print(f"server {plan['build_hash'][:12]}: {plan['file_count']} files, {plan['total_bytes']} bytes")
        for note in plan["notes"] or []:
            print(f"note: {note}")
        print(f"saved: {download(plan)}")
    except ApiError as error:
        print(f"{error}: {error.answer.get('docs', '')}", *error.reasons(), sep="\n", file=sys.stderr)
        return 1
    except ValueError:
        print("the answer is incomplete or not JSON", file=sys.stderr)
        return 1
    except (OSError, RuntimeError, http.client.HTTPException) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

#!/usr/bin/env python3
"""Sends what no honest client sends: hostile.py STACK_FOLDER

Every answer must be one of the API's own below 500, come in time, inject no header and tell nothing of
the inside. What a parameter means is the business of the cases; here it is only abused.
"""

import json
import os
import sys
import time
import urllib.parse

import invariants
import openapi
from client import Client

SECONDS = 10
DOWNLOAD = "/v1/plugins/afk-watch/download/2.0"
# Every place that a client's bytes go to; {} is what is put there.
PLACES = [
    "/v1/plugins?q={}", "/v1/plugins?category={}", "/v1/plugins?page_n={}", "/v1/plugins?per_page={}",
    "/v1/addons?page_n={}", "/v1/plugins/{}", "/v1/plugins/{}/download/1.0",
    "/v1/plugins/afk-watch/download/{}", DOWNLOAD + "?kind={}", DOWNLOAD + "?kind=sma&amxx={}",
    "/v1/addons/{}", "/v1/server-builder/components/{}", "/v1/server-builder/resolve?components={}",
    "/v1/server-builder/resolve?plugins={}", "/v1/server-builder/resolve?optimized={}",
    "/v1/server-builder/compare?from={}", "/v1/server-builder/compare?from=components%3D{}",
    "/v1/server-builder/file?path={}", "/v1/server-builder/file?path=cstrike/liblist.gam&components={}",
    "/v1/server-builder/download?components={}", "/v1/{}", "/v1/meta?{}=1",
]
TEXTS = [
    "' OR '1'='1", "'; DROP TABLE plugins; -- ", "\" OR \"\"=\"", "%' AND SLEEP(5) AND '%'='", "\\", "\\'",
    "1 UNION SELECT sha256 FROM api_keys", "/* */", "#", "`", "$(sleep 5)", "| sleep 5", ";sleep 5;",
    "../../../../etc/passwd", "..\\..\\boot.ini", "/etc/passwd", "....//....//etc/passwd", "%2e%2e%2f",
    "a\r\nX-Injected: yes", "a\nX-Injected: yes", "a\r\n\r\n<html>", "\u0000", "a\u0000b", "\u2028", "\ufeff",
    "\u202e", "İıſK", "é" * 200, "😀" * 100, "a" * 7000, "9" * 5000, "-9" * 2000, "%", "%%%", "_" * 100,
    "{}", "{\"a\":1}", "[[[[" * 500, "<script>alert(1)</script>", "\x7f", "\x1f", "@", "a@", "@1", ",",
    "," * 5000, "anvil-engine@" + "1" * 3000, "anvil-engine," * 500, "a@1,a@2,a", "NaN", "1e9", "0x10", "+5",
    "9223372036854775808", "-9223372036854775809",
]
# 100,000 slugs do not fit into an address; they must be refused as such.
LONG = ["/v1/server-builder/resolve?components=" + ",".join(f"c{i}" for i in range(100_000)),
        "/v1/plugins?q=" + "a" * 100_000, "/v1/" + "a/" * 20_000]
MANY = "/v1/server-builder/resolve?components=" + ",".join(f"c{i}" for i in range(1100))
ALLOWED = {200, 400, 401, 404, 405, 414, 422, 429, 431}
# Every header that something reads, with a target that cares.
ARCHIVE = "/v1/server-builder/download?components=anvil-engine"
HEADERS = [("Authorization", "/v1/meta"), ("If-None-Match", "/v1/meta"), ("Accept-Encoding", "/v1/meta"),
           ("X-Forwarded-For", "/v1/meta"), ("Host", "/v1/meta"), ("Range", ARCHIVE), ("If-Range", ARCHIVE),
           ("If-Match", ARCHIVE), ("If-None-Match", ARCHIVE), ("If-Modified-Since", ARCHIVE)]
HEADER_TEXTS = [
    "", " ", ",", ",,,,", "*", "**", '"', '"\\"', 'W/', 'W/"', 'W/"a', '"a" "b"', '"' * 500, ",W/" * 1000, "\u00e9",
    "Bearer", "Bearer ", "Bearer svck_", "bearer svck_" + "a" * 40, "Bearer svck_" + "a" * 7000, "Basic Og==",
    "Bearer " + "svck_a," * 100, "bytes=", "bytes=-", "bytes=--", "bytes=0", "bytes=0-0" + ",0-0" * 1000,
    "bytes=" + ",".join(f"{n}-{n}" for n in range(1000)), "bytes=-99999999999999999999", "bytes=18446744073709551615-",
    "bytes=9223372036854775807-9223372036854775808", "bytes=5-1", "bytes = 0-1", "BYTES=0-0", "bytes=0-0;x",
    "gzip;q=", "gzip;q=2", "gzip;q=-1", "gzip;q=0.0001", ";q=1", "*;q=0", "gzip;" * 500, "gzip," * 1000,
    "::1", "::ffff:1.2.3.4", "1.2.3.4, " * 500, "%00", "fe80::1%eth0", "[::1]:443", "0x7f.1", "999.1.1.1",
    "Thu, 01 Jan 1970 00:00:00 GMT", "Thu, 99 Foo 9999 99:99:99 GMT", "$(sleep 5)", "' OR 1=1 --", "{}", "..",
]
OF_HEADERS = ALLOWED | {206, 304, 412, 416}


def targets():
    for place in PLACES:
        for byte in range(256):
            yield place.replace("{}", f"a%{byte:02X}b")
        for byte in (0x00, 0x20, 0x25, 0x26, 0x2b, 0x2c, 0x2f, 0x3d, 0x40, 0x7f, 0x80, 0xff):
            yield place.replace("{}", f"%{byte:02x}")
        for text in TEXTS:
            quoted = urllib.parse.quote(text, safe="")
            if len(quoted) < 7500:
                yield place.replace("{}", quoted)
        # Raw bytes that a request line can hold without ending it.
        for byte in [*range(0x21, 0x23), *range(0x24, 0x7f), *range(0x80, 0x100)]:
            yield place.replace("{}", f"\\x{byte:02x}")


def requests():
    """(target, headers, the statuses that are an answer)"""
    for target in [*LONG, MANY, *targets()]:
        yield target, [], ALLOWED
    for name, target in HEADERS:
        for byte in [*range(0x01, 0x0a), 0x0b, 0x0c, *range(0x0e, 0x100)]:
            for around in ("{}", "a{}b"):
                yield target, [(name, around.replace("{}", f"\\x{byte:02x}"))], OF_HEADERS
        for text in HEADER_TEXTS:
            yield target, [(name, text)], OF_HEADERS


def send(client, target, headers):
    if headers and headers[0][0] == "Host":  # in the place of the client's own
        return client.send("GET", target + " HTTP/1.1", [*headers, ("Connection", "close")], {"raw": ""})
    return client.send("GET", target, headers, {})


def judge(stack, description, target, response, allowed, seconds):
    problems = invariants.problems("GET", response)
    if response.status not in allowed:
        problems.append(f"status {response.status}")
    if response.status != 404:
        problems += description.problems("GET", target, response)
    if seconds > SECONDS:
        problems.append(f"took {seconds:.1f} s")
    if response.all("X-Injected"):
        problems.append("a header was injected")
    is_file = response.status in (200, 206) and not response.body.startswith(b"{")
    if not is_file:
        shown = response.text().lower()
        problems += [f"tells of the inside: {word}" for word in
                     ("sqlstate", "mariadb", "mysql", "exception", "errno", "/usr/", "/home/", stack)
                     if word.lower() in shown]
    return problems


def main():
    with open(os.path.join(sys.argv[1], "stack.json"), encoding="utf-8") as file:
        client = Client(json.load(file))
    description = openapi.Description()
    failed = sent = 0
    for target, headers, allowed in requests():
        # One address would have to wait for its turn (decision R21).
        client.source = f"127.1.{sent // 250 % 250}.{sent % 250 + 1}"
        start = time.monotonic()
        try:
            response = send(client, target, headers)
            problems = judge(sys.argv[1], description, target, response, allowed,
                             time.monotonic() - start)
        except Exception as error:  # whatever goes wrong is a finding about this target
            problems = [repr(error)]
        sent += 1
        if problems:
            failed += 1
            print(f"{target[:200]} {str(headers)[:200]}\n    " + "\n    ".join(problems))
        if failed > 20:
            break
    final = client.send("GET", "/v1/meta", [], {})
    if final.status != 200:
        failed += 1
        print(f"afterwards /v1/meta answers {final.status}")
    print(f"{sent} requests sent, {failed} answered badly")
    sys.exit(1 if failed else 0)


main()

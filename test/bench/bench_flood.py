#!/usr/bin/env python3
"""Bytes that a flood of cheap requests makes the access log grow by, for each byte of it

A row is one address that repeats one request over HTTP/2 as fast as it is answered. HPACK makes some 14 bytes of each,
whatever the path's length, and the log escapes the quotes in it. Where nginx lets the address wait there is no flood:
what is logged of requests that are let in is bounded by their rate.
"""

import os
import sys
import time

from measuring import CALLER_LIMITS, BenchStack, Targets, load
from options import BUILD, Options
from repeated_requests import RepeatedRequests

GOAL, LET_IN = 2.0, 64 << 10  # bytes for a byte; bytes a second that are no flood
QUOTES = '"' * 3700
# (name, method, target): each is answered by another location, or by none.
ROWS = [("the depot", "GET", "/_depot/" + QUOTES), ("an archive", "GET", "/archives/" + QUOTES),
        ("a page", "GET", "/" + QUOTES), ("a page of the build pool", "GET", "/server?components=" + QUOTES),
        ("a document", "GET", "/server/" + QUOTES), ("the API", "GET", "/v1/" + QUOTES),
        ("a search", "GET", "/v1/plugins?q=" + QUOTES), ("a selection", "GET", "/v1/server-builder/resolve?plugins=" + QUOTES),
        ("the API's description", "GET", "/v1/openapi.json?q=" + QUOTES), ("a preflight", "OPTIONS", "/v1/" + QUOTES),
        ("an error of nginx", "GET", "/v1/%zz" + QUOTES), ("what leaves the API", "GET", "/v1/..%2f" + QUOTES),
        ("a long method", "A" * 3700, "/v1/meta"), ("letters", "GET", "/" + "a" * 3700)]


def logged(stack):
    """Bytes in the access log, with the second that nginx keeps them."""
    time.sleep(1.5)
    return os.path.getsize(os.path.join(stack.folder, "log", "nginx-access.log"))


def main():
    options = Options("flood", __doc__)
    options.add_number("--seconds", 10, "length of a row", unit="S")
    chosen = options.parse()
    targets, stack = Targets(), BenchStack(BUILD, os.path.join(BUILD, "toolchain"))
    try:
        stack.configure("trusted_proxies = 127.0.0.1")
        stack.reset_limits(CALLER_LIMITS)
        print(f"One address for {chosen.seconds} s, {load()}", flush=True)
        for number, (name, method, target) in enumerate(ROWS):
            before = logged(stack)
            sent, answered = RepeatedRequests(stack.client, [
                (b":method", method.encode()), (b":scheme", b"https"), (b":authority", b"localhost"),
                (b":path", target.encode()), (b"x-forwarded-for", b"198.51.100.%d" % number)]).send_for(chosen.seconds)
            written = logged(stack) - before
            print(f"  {name:<26} {answered / chosen.seconds:7.0f} a second  {sent / 1e6:6.2f} MB sent"
                  f"  {written / 1e6:6.2f} MB logged  ratio {written / sent:5.2f}", flush=True)
            targets.check(f"{name}: at most {GOAL} bytes for a byte, or {LET_IN >> 10} KB a second",
                          written <= max(GOAL * sent, LET_IN * chosen.seconds))
    finally:
        stack.stop()
    sys.exit(1 if targets.missed else 0)


main()

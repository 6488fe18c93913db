#!/usr/bin/env python3
"""Callers that want much, in a process of their own so that they don't slow down the one that measures.

Standard input's first line is JSON: port, certificate, callers, pause (seconds after each response), addresses (that
the callers share; 0: a new one for each request), slow (true: reads 4 KB a second), headers (of each request). Each
further line is a JSON list of the targets from now on: caller N sends targets N, N + callers, …, again and again, each
time with another number in place of {new}.

Ends when standard input ends; prints how often each status came, as JSON."""

import collections
import itertools
import json
import os
import re
import socket
import ssl
import sys
import threading
import time

STEP_BYTES, STEP_SECONDS = 1024, 0.25
CONTENT_LENGTH = re.compile(rb"\r\ncontent-length: ([0-9]+)", re.IGNORECASE)
CLOSES = re.compile(rb"\r\nconnection: close", re.IGNORECASE)


class Connection:
    """Reads no more of a response than its status and where it ends: the machine's processors are the server's."""

    def __init__(self, connect):
        self.connect, self.sock = connect, None

    def get(self, target, headers):
        """The status. Raises OSError; the next call connects again."""
        self.sock = self.sock or self.connect()
        try:
            lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
            self.sock.sendall(f"GET {target} HTTP/1.1\r\nHost: 127.0.0.1\r\n{lines}\r\n".encode())
            head = self.read()
        except OSError:
            self.close()
            raise
        if CLOSES.search(head):
            self.close()
        return int(head.split(b" ", 2)[1])

    def read(self):
        """A response's head."""
        received = b""
        while b"\r\n\r\n" not in received:
            received += self.receive()
        head, _, body = received.partition(b"\r\n\r\n")
        missing = int(CONTENT_LENGTH.search(head)[1]) - len(body)
        while missing > 0:
            missing -= len(self.receive())
        return head

    def receive(self):
        received = self.sock.recv(1 << 16)
        if not received:
            raise ConnectionResetError
        return received

    def close(self):
        self.sock.close()
        self.sock = None


class Callers:
    def __init__(self, plan):
        self.plan, self.targets = plan, []
        self.context = ssl.create_default_context(cafile=plan["certificate"])
        self.statuses = collections.Counter()
        self.numbers, self.news = itertools.count(1), itertools.count(1)

    def set_targets(self, targets):
        self.targets = targets

    def start(self):
        call = self.read_slowly if self.plan["slow"] else self.call
        for number in range(self.plan["callers"]):
            threading.Thread(target=call, args=(number,), daemon=True).start()

    def targets_of(self, number):
        for index in itertools.count(number, self.plan["callers"]):
            yield self.targets[index % len(self.targets)].replace("{new}", str(next(self.news)))

    def address(self, number):
        shared = self.plan["addresses"]
        number = number % shared if shared else self.plan["callers"] + next(self.numbers)
        return f"198.{18 + number // 65536 % 2}.{number // 256 % 256}.{number % 256}"

    def connect(self):
        sock = socket.socket()
        if self.plan["slow"]:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        sock.settimeout(120)
        sock.connect(("127.0.0.1", self.plan["port"]))
        return self.context.wrap_socket(sock, server_hostname="127.0.0.1")

    def call(self, number):
        connection = Connection(self.connect)
        for target in self.targets_of(number):
            try:
                status = connection.get(target, {"X-Forwarded-For": self.address(number), **self.plan["headers"]})
                self.statuses[status] += 1
            except OSError as error:
                self.statuses[type(error).__name__] += 1
            time.sleep(self.plan["pause"])

    def read_slowly(self, number):
        for target in self.targets_of(number):
            try:
                with self.connect() as sock:
                    sock.sendall(f"GET {target} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n"
                                 f"X-Forwarded-For: {self.address(number)}\r\n\r\n".encode())
                    head = sock.recv(STEP_BYTES)
                    self.statuses[int(head.split()[1])] += 1
                    while sock.recv(STEP_BYTES):
                        time.sleep(STEP_SECONDS)
            except OSError as error:
                self.statuses[type(error).__name__] += 1


def main():
    callers = Callers(json.loads(sys.stdin.readline()))
    callers.set_targets(json.loads(sys.stdin.readline()))
    callers.start()
    for line in sys.stdin:
        callers.set_targets(json.loads(line))
    print(json.dumps({str(status): count for status, count in callers.statuses.items()}), flush=True)
    os._exit(0)  # closes the connections in the middle of their requests


main()

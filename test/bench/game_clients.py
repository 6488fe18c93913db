#!/usr/bin/env python3
"""Game clients that download over HTTP/1.0, in a process of their own: game_clients.py PORT HOST TARGET CLIENTS ADDRESSES

Each of the clients is at a download all the time: it begins the next one when it has what it takes of one, or was refused.
It reads 16 KB every other second, as a player with a slow line. Ends when standard input ends; prints how often each status
came (0: none), as JSON."""

import collections
import heapq
import itertools
import json
import resource
import select
import socket
import sys
import time

PIECE, PAUSE, TAKEN = 16 << 10, 2.0, 256 << 10


class Client:
    def __init__(self, address, port, request):
        self.address, self.port, self.request = address, port, request
        self.sock, self.taken = None, 0

    def step(self, statuses):
        """Connects, or reads a piece of what has come."""
        try:
            if self.sock is None:
                self.sock = socket.socket()
                self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2 * PIECE)
                self.sock.bind((self.address, 0))
                self.sock.settimeout(5)
                self.sock.connect(("127.0.0.1", self.port))
                self.sock.setblocking(False)
                self.sock.sendall(self.request)
                self.taken = 0
                return
            piece = self.sock.recv(PIECE)
            if piece and self.taken == 0:
                statuses[piece[9:12].decode()] += 1
            self.taken += len(piece)
            if not piece or self.taken >= TAKEN:
                self.close()
        except BlockingIOError:
            pass
        except OSError:
            statuses["0"] += 1
            self.close()

    def close(self):
        self.sock.close()
        self.sock = None


def main(port, host, target, clients, addresses):
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    request = f"GET {target} HTTP/1.0\r\nHost: {host}\r\n\r\n".encode()
    statuses, order = collections.Counter(), itertools.count()
    begin = time.monotonic()
    waiting = []
    for number in range(int(clients)):
        caller = number % int(addresses)
        client = Client(f"127.1.{caller // 250}.{caller % 250 + 1}", int(port), request)
        # Evenly spread over the pause.
        heapq.heappush(waiting, (begin + PAUSE * number / int(clients), next(order), client))
    while True:
        at, _, client = heapq.heappop(waiting)
        if select.select([sys.stdin], [], [], max(0.0, at - time.monotonic()))[0]:
            break
        client.step(statuses)
        heapq.heappush(waiting, (max(at, time.monotonic() - PAUSE) + PAUSE, next(order), client))
    print(json.dumps(statuses))


if __name__ == "__main__":
    main(*sys.argv[1:])

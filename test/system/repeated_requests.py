"""One request over HTTP/2 again and again, which HPACK makes a few bytes of: what is dear for a server and cheap to send."""

import socket
import ssl
import struct
import time

DATA, HEADERS, RST_STREAM, SETTINGS, GOAWAY, WINDOW_UPDATE = 0, 1, 3, 4, 7, 8
END_STREAM, END_HEADERS = 1, 4
INITIAL_WINDOW_SIZE, WINDOW = 4, (1 << 31) - 1
FIRST_OF_TABLE = 62  # RFC 7541, 2.3.3: the entry that was added last
TOGETHER = 100  # streams; nginx allows 128


def frame(kind, flags, stream, payload=b""):
    return struct.pack(">I", len(payload))[1:] + struct.pack(">BBI", kind, flags, stream) + payload


def text(value):
    """RFC 7541, 5.2, without Huffman's code."""
    length, size = len(value), b""
    if length < 127:
        return bytes([length]) + value
    length -= 127
    while length >= 128:
        size += bytes([length % 128 + 128])
        length //= 128
    return bytes([127]) + size + bytes([length]) + value


class RepeatedRequests:
    """`headers`: (name, value) in bytes; together with 32 bytes for each they must fit into HPACK's table of 4 KB."""

    def __init__(self, client, headers):
        self.client = client
        self.first = b"".join(b"\x40" + text(name) + text(value) for name, value in headers)
        self.again = bytes(128 + FIRST_OF_TABLE + number for number in range(len(headers)))
        self.sent = self.answered = 0

    def send_for(self, seconds):
        """(bytes sent in frames, requests answered) by one connection after the other."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            with socket.create_connection((self.client.host, self.client.https_port), 30) as plain:
                context = ssl.create_default_context(cafile=self.client.certificate)
                context.set_alpn_protocols(["h2"])
                with context.wrap_socket(plain, server_hostname=self.client.host) as connection:
                    self.use(connection, end)
        return self.sent, self.answered

    def use(self, connection, end):
        # No answer waits for a window: that of a stream is a setting, that of the connection is 65,535 bytes.
        self.send(connection, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
                  + frame(SETTINGS, 0, 0, struct.pack(">HI", INITIAL_WINDOW_SIZE, WINDOW))
                  + frame(WINDOW_UPDATE, 0, 0, struct.pack(">I", WINDOW - 65535)))
        stream, block, answers = 1, self.first, self.answers(connection)
        while time.monotonic() < end:
            requests = []
            for _ in range(TOGETHER):
                requests.append(frame(HEADERS, END_STREAM | END_HEADERS, stream, block))
                stream, block = stream + 2, self.again
            self.send(connection, b"".join(requests))
            for _ in range(TOGETHER):
                if next(answers, None) is None:  # the server takes no more on this connection
                    return
                self.answered += 1

    def send(self, connection, content):
        connection.sendall(content)
        self.sent += len(content)

    @staticmethod
    def answers(connection):
        """Yields once for each stream that ended."""
        buffer = b""
        while chunk := connection.recv(1 << 16):
            buffer += chunk
            at = 0
            while len(buffer) >= at + 9:
                size = int.from_bytes(buffer[at:at + 3], "big")
                if len(buffer) < at + 9 + size:
                    break
                kind, flags = buffer[at + 3], buffer[at + 4]
                at += 9 + size
                if kind == GOAWAY:
                    return
                if kind == RST_STREAM or kind in (DATA, HEADERS) and flags & END_STREAM:
                    yield True
            buffer = buffer[at:]

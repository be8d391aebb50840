#!/usr/bin/env python3
"""Introduces itself to a pool as a worker of another version of the program.

usage: old_worker.py SERVER_PORT
"""

import socket
import sys


def text(value):
    data = value.encode()
    return bytes([0xD9, len(data)]) + data


def main():
    # An array of seven: worker, version, library, threads, sweeps, runs, whether it is leaving.
    head = b"\x97" + text("old/1") + text("0.0.1") + text("0" * 16) + b"\x01\x90\x00\xc2"
    message = b"SIMP\x01\x03" + len(head).to_bytes(4, "little") + head
    with socket.create_connection(("127.0.0.1", int(sys.argv[1])), timeout=5) as server:
        greeting = b"PUB simulate.greeting %d\r\n%s\r\nPING\r\n" % (len(message), message)
        server.sendall(b'CONNECT {"verbose":false}\r\n' + greeting)
        server.settimeout(5)
        seen = b""
        while b"PONG" not in seen:
            seen += server.recv(4096)


main()

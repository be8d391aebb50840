#!/usr/bin/env python3
"""Passes connections on, until it is killed: the network between a worker and its server.

usage: proxy.py PORT SERVER_PORT
"""

import socket
import sys
import threading


def pump(one, other):
    try:
        while data := one.recv(65536):
            other.sendall(data)
    except OSError:
        pass
    for end in (one, other):
        try:
            end.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


def main():
    port, server = int(sys.argv[1]), int(sys.argv[2])
    listener = socket.create_server(("127.0.0.1", port))
    while True:
        client, _ = listener.accept()
        try:
            behind = socket.create_connection(("127.0.0.1", server))
        except OSError:
            client.close()
            continue
        for ends in ((client, behind), (behind, client)):
            threading.Thread(target=pump, args=ends, daemon=True).start()


main()

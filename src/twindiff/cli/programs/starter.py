"""Starts a program in its private network, whose sockets it hands out to the process that serves them.

It is a standalone program without imports of Twindiff: `starter.py CHANNEL PORT… -- COMMAND…`.
"""

import os
import socket
import sys

LOOPBACK = "127.0.0.1"
NAMES_PORT = 53
BACKLOG = 512


def main() -> None:
    """Listen, pass the sockets on over the channel, wait until they are served, and become the command."""
    split = sys.argv.index("--")
    channel = socket.socket(fileno=int(sys.argv[1]))
    names = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    names.bind((LOOPBACK, NAMES_PORT))
    listening = [socket.create_server((LOOPBACK, int(port)), backlog=BACKLOG) for port in sys.argv[2:split]]
    socket.send_fds(channel, [b"."], [each.fileno() for each in (names, *listening)])
    channel.recv(1)
    channel.close()
    command = sys.argv[split + 1 :]
    try:
        os.execvp(command[0], command)
    except OSError as error:
        sys.stderr.write(f"{command[0]}: {error.strerror}\n")
        os._exit(127)


if __name__ == "__main__":
    main()

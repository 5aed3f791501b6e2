"""The socket that a server listens on."""

from __future__ import annotations

import errno
import socket

from twindiff.cli.problem import CommandError

BACKLOG = 2048


def listen(host: str, port: int, option: str = "--port") -> socket.socket:
    """Return a listening socket, which accepts connections from now on; port 0 takes any free port."""
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        return socket.create_server(address[:2], family=family, backlog=BACKLOG)
    except (OSError, OverflowError) as error:
        raise CommandError(_why_not(host, port, option, error)) from None


def listen_together(host: str, port: int, count: int, option: str = "--port") -> list[socket.socket]:
    """Return listening sockets of one port, among which the system spreads connections; raises CommandError."""
    with listen(host, port, option) as first:  # alone, so that a port that another server shares is taken too
        family, address = first.family, first.getsockname()[:2]
    try:
        return [socket.create_server(address, family=family, backlog=BACKLOG, reuse_port=True) for _ in range(count)]
    except (OSError, ValueError) as error:
        raise CommandError(_why_not(host, port, option, error)) from None


def _why_not(host: str, port: int, option: str, error: Exception) -> str:
    code = getattr(error, "errno", None)
    if code == errno.EADDRINUSE:
        return f"Port {port} of {host} is taken. Choose another with {option}; {option} 0 takes any that is free."
    if code == errno.EACCES:
        return f"Port {port} may not be used without privileges. Choose one above 1023 with {option}."
    return f"Cannot listen on {host} port {port}: {error}. Choose others with --host and --port."


def url_of(listener: socket.socket) -> str:
    """Return the address that clients use."""
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"

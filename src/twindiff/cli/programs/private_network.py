"""A network of a program's own, in which every name is this machine and every connection leads to the door.

Bubblewrap makes the namespaces. The program has loopback and nothing else; the sockets that listen there are passed to
this process, which connects them to the door.
"""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import socket
import struct
import subprocess
import sys
from base64 import b64encode
from collections.abc import Callable, Coroutine, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, cast

from twindiff.cli.programs import starter

HTTPS_PORT, HTTP_PORT = 443, 80
MAX_CONNECTIONS = 1024
PIECE_BYTES = 1 << 16
PROBE_SECONDS = 10
HOSTS = "127.0.0.1 localhost\n::1 localhost\n"
NAME_SERVER = "nameserver 127.0.0.1\noptions timeout:2 attempts:2\n"
NAME_SWITCH = "hosts: files dns\n"
OVERLAYS = {"/etc/hosts": HOSTS, "/etc/resolv.conf": NAME_SERVER, "/etc/nsswitch.conf": NAME_SWITCH}
"""Files that the program sees in place of the machine's."""


class DoorAddress(NamedTuple):
    """Where the door listens, and the credentials for it."""

    host: str
    port: int
    user: str
    password: str


def why_no_private_network() -> str:
    """Why a program cannot have a network of its own here; empty if it can."""
    if sys.platform != "linux":
        return "only Linux has network namespaces"
    if not shutil.which("bwrap"):
        return "bwrap is not installed (package bubblewrap)"
    command = [
        *_namespaces([]),
        sys.executable,
        "-I",
        "-S",
        "-c",
        "import socket; socket.create_server(('127.0.0.1', 443))",
    ]
    try:
        tried = subprocess.run(command, capture_output=True, timeout=PROBE_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"bwrap does not work: {error}"
    said = " ".join(tried.stderr.decode(errors="replace").split())[:200]
    return f"bwrap does not work: {said or tried.returncode}" if tried.returncode else ""


def _namespaces(mounts: Sequence[str]) -> list[str]:
    return [
        "bwrap",
        "--unshare-net",
        "--die-with-parent",
        "--cap-add",
        "CAP_NET_BIND_SERVICE",
        "--dev-bind",
        "/",
        "/",
        *mounts,
        "--",
    ]


class PrivateNetwork:
    """The network of one program, while it runs."""

    def __init__(self, door: DoorAddress, folder: Path, bundles: Iterable[Path], bundle: Path) -> None:
        """Write what the program sees of the network to `folder`; its `bundles` of certificates become `bundle`."""
        self._door = door
        self._mounts = [each for path in bundles for each in ("--ro-bind", str(bundle), str(path))]
        for path, content in OVERLAYS.items():
            place = folder / Path(path).name
            place.write_text(content)
            if Path(path).exists():
                self._mounts += ["--ro-bind", str(place), str(Path(path).resolve())]
        self._here, self._there = socket.socketpair()

    @property
    def passed(self) -> int:
        """The file descriptor that the program's starter needs."""
        return self._there.fileno()

    def wrap(self, command: Sequence[str]) -> list[str]:
        """The command that runs `command` in the network."""
        ports = map(str, (HTTPS_PORT, HTTP_PORT, self._door.port))
        begin = [sys.executable, "-I", "-S", starter.__file__, str(self.passed), *ports, "--"]
        return [*_namespaces(self._mounts), *begin, *command]

    async def serve(self) -> None:
        """Take over the sockets that listen in the network, until cancelled; returns if the program never began."""
        self._there.close()
        _, descriptors, _, _ = await asyncio.to_thread(socket.recv_fds, self._here, 1, 4)
        if not descriptors:
            return
        names, https, http, proxy = (socket.socket(fileno=each) for each in descriptors)
        loop = asyncio.get_running_loop()
        names.setblocking(False)
        names_transport, _ = await loop.create_datagram_endpoint(LocalNames, sock=names)
        relay = Relay(self._door)
        servers = [
            await asyncio.start_server(relay.to_any_host(HTTPS_PORT), sock=https),
            await asyncio.start_server(relay.to_any_host(HTTP_PORT), sock=http),
            await asyncio.start_server(relay.to_proxy, sock=proxy),
        ]
        self._here.send(b".")
        try:
            await asyncio.Event().wait()
        finally:
            names_transport.close()
            for server in servers:
                server.close()

    def close(self) -> None:
        """Close the channel to the starter."""
        self._here.close()
        self._there.close()


Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Coroutine[Any, Any, None]]


class Relay:
    """Connects what programs open to the door."""

    def __init__(self, door: DoorAddress) -> None:
        self._door = door
        self._slots = asyncio.Semaphore(MAX_CONNECTIONS)

    async def to_proxy(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Pass on a connection to the proxy as it is."""
        await self._pass_on(reader, writer, b"")

    def to_any_host(self, port: int) -> Serve:
        """Return what passes on connections to a port of any host; the door finds out which host is meant."""
        named = b64encode(f"{self._door.user}:{self._door.password}".encode()).decode()
        head = f"CONNECT *:{port} HTTP/1.1\r\nProxy-Authorization: Basic {named}\r\n\r\n".encode()

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await self._pass_on(reader, writer, head)

        return serve

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, head: bytes) -> None:
        async with self._slots:
            try:
                above, below = await asyncio.open_connection(self._door.host, self._door.port)
            except OSError:
                writer.close()
                return
            ends = (OSError, EOFError, asyncio.CancelledError)  # a cancelled connection is one whose program has ended
            with contextlib.closing(below), contextlib.closing(writer), contextlib.suppress(*ends):
                if head:
                    below.write(head)
                    answer = await above.readuntil(b"\r\n\r\n")
                    if b" 200 " not in answer.partition(b"\r\n")[0]:
                        return
                await asyncio.gather(_pump(reader, below), _pump(above, writer))


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Pass on everything that comes, and then that nothing more comes."""
    while piece := await reader.read(PIECE_BYTES):
        writer.write(piece)
        await writer.drain()
    if writer.can_write_eof():
        writer.write_eof()


class LocalNames(asyncio.DatagramProtocol):
    """A name server for which every name is this machine."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport."""
        self._transport = cast(asyncio.DatagramTransport, transport)

    def datagram_received(self, data: bytes, addr: Any) -> None:
        """Answer a question; what is none is ignored."""
        if answer := answer_name(data):
            self._transport.sendto(answer, addr)


A, IN = 1, 1
HEADER_BYTES = 12
TTL_SECONDS = 60


def answer_name(question: bytes) -> bytes:
    """The DNS response to a question (RFC 1035): 127.0.0.1 for an address of IPv4, else nothing; empty for junk."""
    at = HEADER_BYTES
    while at < len(question) and question[at]:
        at += question[at] + 1
    end = at + 5
    if len(question) < end or question[2] & 0x80 or question[4:6] != b"\0\1":
        return b""
    kind, family = struct.unpack("!HH", question[at + 1 : end])
    is_known = (kind, family) == (A, IN)
    head = question[:2] + struct.pack("!HHHHH", 0x8180, 1, int(is_known), 0, 0)
    record = b"\xc0\x0c" + struct.pack("!HHIH4B", A, IN, TTL_SECONDS, 4, 127, 0, 0, 1) if is_known else b""
    return head + question[HEADER_BYTES:end] + record


def exit_code(code: int) -> int:
    """The exit code of a process as shells report it."""
    return code if code >= 0 else 128 - code

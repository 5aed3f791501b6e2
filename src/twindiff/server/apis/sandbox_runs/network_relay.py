"""Gives the services of a compose file a network of their own, and relays its ports: `network_relay.py FILE`.

The file has the `commands` that may start the container whose network all services share, of which the first that works
is enough; its `engine` and `container`; the ports `outbound` of this machine that the services reach at loopback; the
triples `inbound` of a port of this machine, the port of a service that it leads to, and the service; and `ready`, the
file that exists once services can be started, with the reason if they cannot. It is a standalone program that imports
nothing of Twindiff, run by the keeper.

A socket belongs to the network in which it was made. So a child process enters the network, makes sockets there and
sends them here, where they are connected to those of this machine.
"""

from __future__ import annotations

import asyncio
import ctypes
import json
import os
import socket
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

CHUNK = 65536
LOOK_SECONDS = 0.1
SECONDS_TO_CONNECT = 2
SECONDS_TO_START = 60
MAX_LISTENERS = 200
"""Sockets that one message can hold."""
NEWUSER, NEWNET = 0x10000000, 0x40000000
"""Kinds of namespaces, https://man7.org/linux/man-pages/man2/setns.2.html"""


class NoNetwork(Exception):
    """The network of the services cannot be had."""


def main(file: str) -> int:
    """Relay until the container that holds the network ends; returns 1 if there is no network."""
    wanted = json.loads(Path(file).read_text())
    try:
        pid = _start_container(wanted)
        channel, listeners = _enter_network(pid, wanted["outbound"])
        inbound = [(_take_port(outer), inner, service) for outer, inner, service in wanted["inbound"]]
    except (OSError, ValueError, NoNetwork, subprocess.SubprocessError) as error:
        _tell(wanted["ready"], f"the network of the services cannot be made: {error}")
        return 1
    _tell(wanted["ready"], "")
    outbound = dict(zip(wanted["outbound"], listeners, strict=True))
    asyncio.run(_relay_until_end(pid, channel, outbound, inbound))
    return 0


def _tell(file: str, reason: str) -> None:
    """Write the file for which services wait, at once and whole."""
    part = Path(f"{file}.part")
    part.write_text(reason)
    part.rename(file)


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def _start_container(wanted: dict[str, Any]) -> int:
    """Start the container that holds the network; returns its process id."""
    engine, name = wanted["engine"], wanted["container"]
    reason = ""
    for command in wanted["commands"]:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=SECONDS_TO_START)
        if done.returncode == 0:
            if reason:
                _say(f"network | leads to the twins only, as the engine's own network fails: {reason}")
            asked = [engine, "container", "inspect", "--format", "{{.State.Pid}}", name]
            return int(subprocess.run(asked, capture_output=True, text=True, check=True).stdout)
        reason = reason or done.stderr.strip()[-500:]
        subprocess.run([engine, "rm", "--force", name], capture_output=True, check=False, timeout=SECONDS_TO_START)
    raise NoNetwork(reason)


def _take_port(port: int) -> socket.socket:
    """Take a port of this machine, which refuses connections until the socket listens."""
    taken = socket.socket()
    taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # connections of a run before may still be ending
    try:
        taken.bind(("127.0.0.1", port))
    except OSError as error:
        raise NoNetwork(f"port {port} of this machine has been taken meanwhile: {error.strerror}") from None
    return taken


def _enter_network(pid: int, ports: list[int]) -> tuple[socket.socket, list[socket.socket]]:
    """Start the process in the network of another one; returns its channel, and sockets that listen on ports there."""
    here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    if os.fork() == 0:
        here.close()
        _serve_inside(there, pid, ports)
        os._exit(0)
    there.close()
    said, files, _, _ = socket.recv_fds(here, CHUNK, MAX_LISTENERS)
    if said != b"+":
        raise NoNetwork(said.decode(errors="replace") or "its process ended")
    return here, [socket.socket(fileno=each) for each in files]


def _serve_inside(channel: socket.socket, pid: int, ports: list[int]) -> None:
    """Make sockets within the network of a process until the channel ends: `3000` asks for one to that port."""
    try:
        _set_namespaces(pid)
        listeners = [socket.create_server(("127.0.0.1", port)) for port in ports]
        socket.send_fds(channel, [b"+"], [each.fileno() for each in listeners])
    except OSError as error:
        channel.send(str(error).encode())
        return
    while asked := channel.recv(16):
        try:
            with socket.create_connection(("127.0.0.1", int(asked)), timeout=SECONDS_TO_CONNECT) as made:
                socket.send_fds(channel, [b"+"], [made.fileno()])
        except OSError:
            channel.send(b"-")


def _set_namespaces(pid: int) -> None:
    """Enter the network of a process, by way of its users if they are others, as those of a rootless engine are."""
    library = ctypes.CDLL(None, use_errno=True)
    kinds = [("net", NEWNET)]
    if Path("/proc/self/ns/user").readlink() != Path(f"/proc/{pid}/ns/user").readlink():
        kinds.insert(0, ("user", NEWUSER))
    files = [(os.open(f"/proc/{pid}/ns/{name}", os.O_RDONLY), kind) for name, kind in kinds]
    for file, kind in files:
        if library.setns(file, kind):
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number))


async def _relay_until_end(
    pid: int, channel: socket.socket, outbound: dict[int, socket.socket], inbound: list[tuple[socket.socket, int, str]]
) -> None:
    relaying = asyncio.create_task(_relay(channel, outbound, inbound))
    while Path(f"/proc/{pid}").exists():  # noqa: ASYNC110, ASYNC240 - not a child, so nothing tells of its end
        await asyncio.sleep(LOOK_SECONDS)
    relaying.cancel()


async def _relay(
    channel: socket.socket, outbound: dict[int, socket.socket], inbound: list[tuple[socket.socket, int, str]]
) -> None:
    def connect_inside(port: int) -> socket.socket | None:
        channel.send(str(port).encode())
        _, files, _, _ = socket.recv_fds(channel, 1, 1)
        return socket.socket(fileno=files[0]) if files else None

    async def lead_out(port: int) -> None:
        async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            try:
                other = await asyncio.open_connection("127.0.0.1", port)
            except OSError:
                writer.close()
            else:
                await _join((reader, writer), other)

        await asyncio.start_server(accept, sock=outbound[port])

    async def lead_in(outer: socket.socket, inner: int, service: str) -> None:
        async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            made = connect_inside(inner)
            if made is None:
                writer.close()
            else:
                await _join((reader, writer), await asyncio.open_connection(sock=made))

        # The port of this machine opens when that of the service does, of which nothing tells.
        while (made := connect_inside(inner)) is None:  # noqa: ASYNC110
            await asyncio.sleep(LOOK_SECONDS)
        made.close()
        await asyncio.start_server(accept, sock=outer)
        _say(f"{service} | its port {inner} is port {outer.getsockname()[1]} of this machine")

    await asyncio.gather(*map(lead_out, outbound), *(lead_in(*each) for each in inbound))


Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


async def _join(one: Streams, other: Streams) -> None:
    """Pass on what each of two connections sends until both have ended."""
    await asyncio.gather(_pass_on(one[0], other[1]), _pass_on(other[0], one[1]))
    for _, writer in (one, other):
        writer.close()


async def _pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while data := await reader.read(CHUNK):
            writer.write(data)
            await writer.drain()
        writer.write_eof()
        return
    writer.close()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

"""The network that the services of one run share, so that their ports are not those of this machine.

A container that does nothing holds it. The relay starts that container, and leads the ports of the twins into the
network and the published ports out of it, see `network_relay`.
"""

from __future__ import annotations

import os
import platform
import re
import struct
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from twindiff.server.apis.sandbox_runs import containers, network_relay
from twindiff.server.apis.sandbox_runs.application import is_open
from twindiff.server.apis.sandbox_runs.containers import Container

PAUSES = {
    "x86_64": (62, "b8220000000f05ebf7"),  # pause() again and again
    "aarch64": (183, "000080d2010080d2020080d2030080d2280980d2010000d4faffff17"),  # ppoll() of nothing
}
"""By machine: its number in ELF headers, and instructions that wait for ever. Images need not have a program for it."""
HEADER = "<16sHHIQQQIHHHHHHIIQQQQQQ"
"""The header of an ELF file and of its one segment, https://refspecs.linuxfoundation.org/elf/gabi4+/ch4.eheader.html"""
BASE_ADDRESS = 0x400000
INSIDE = "/twindiff-pause"
_LOOPBACK = re.compile(r"(?:\b127\.0\.0\.1|\blocalhost|\[::1\]):(\d{2,5})\b")


class ComposeNetwork(NamedTuple):
    """The network of a run: the container that holds it, its relay's command, and the file that says it is there."""

    container: str
    relay: Sequence[str]
    ready: Path


def can_have_network(engine: str) -> bool:
    """Whether services of an engine can have a network of their own, which the server must be able to enter."""
    return platform.machine() in PAUSES and (os.geteuid() == 0 or containers.is_podman(engine))


def list_loopback_ports(env: Mapping[str, str], taken: Sequence[int]) -> list[int]:
    """The ports of this machine that variables name, such as those of twins, and that something listens on.

    Those in `taken` are left out: services have them.
    """
    named = {int(port) for value in env.values() for port in _LOOPBACK.findall(value)}
    ports = [port for port in sorted(named - {*taken}) if port < 65536 and is_open(port)]
    return ports[: network_relay.MAX_LISTENERS]


def prepare_network(
    holder: Container, hosts: Sequence[str], outbound: Sequence[int], inbound: Sequence[tuple[int, int, str]]
) -> ComposeNetwork:
    """Write what the relay of a network needs; `holder` has an image of the run, and `hosts` are the services.

    `inbound` has ports of this machine, the ports that they lead to, and the services that listen there.
    """
    pause = holder.folder / "pause"
    pause.write_bytes(_build_pause())
    pause.chmod(0o755)
    named = [each for name in hosts for each in ("--add-host", f"{name}:127.0.0.1")]
    options = ["--detach", "--user", "0", "--volume", f"{pause}:{INSIDE}:ro", *named]
    holder = holder._replace(entrypoint=INSIDE, options=options)
    # An engine whose own network does not work here still has one without a way out.
    ways = [containers.run_command(holder._replace(network=way), {}) for way in ("", "none")]
    ready, file = holder.folder / "ready", holder.folder / "relay.json"
    told = {
        "commands": ways,
        "engine": holder.engine,
        "container": holder.name,
        "outbound": outbound,
        "inbound": inbound,
        "ready": str(ready),
    }
    file.write_bytes(msgspec.json.encode(told))
    return ComposeNetwork(holder.name, [sys.executable, "-I", "-S", network_relay.__file__, str(file)], ready)


def _build_pause() -> bytes:
    """A program of 129 bytes on x86_64 that needs nothing of an image and does nothing."""
    number, instructions = PAUSES[platform.machine()]
    code, header = bytes.fromhex(instructions), struct.calcsize(HEADER)
    size = header + len(code)
    kind = b"\x7fELF\x02\x01\x01" + bytes(9)  # 64 bits, little endian
    of_file = (kind, 2, number, 1, BASE_ADDRESS + header, 64, 0, 0, 64, 56, 1, 0, 0, 0)
    of_segment = (1, 5, 0, BASE_ADDRESS, BASE_ADDRESS, size, size, 0x1000)
    return struct.pack(HEADER, *of_file, *of_segment) + code

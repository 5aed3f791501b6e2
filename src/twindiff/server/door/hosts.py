"""Which twin answers for a host, and which other hosts the door passes connections on to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from twindiff.kit.twin import Twin
from twindiff.kit.vendor_hosts import WILDCARD, VendorHost, find_vendor_host, has_vendor_host


class HostMatch(NamedTuple):
    """The twin that answers for a request, and what its operations have before the path."""

    twin: str
    host: VendorHost


def find_twin(twins: Iterable[Twin], host: str, path: str) -> HostMatch | None:
    """The twin whose declared host fits a request most precisely; the first of several with the same host."""
    best: HostMatch | None = None
    for twin in twins:
        declared = find_vendor_host(twin.hosts, host, path)
        if declared and (best is None or declared.precision > best.host.precision):
            best = HostMatch(twin.name, declared)
    return best


def has_host(twins: Iterable[Twin], host: str) -> bool:
    """Whether any of the twins answers for a host, on whatever path."""
    return any(has_vendor_host(twin.hosts, host) for twin in twins)


class Address(NamedTuple):
    """The host, in lower case and without brackets, and the port that a client asks for."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


class MalformedAddress(ValueError):
    """A text is no address of the form `host:port`."""


def parse_address(text: str, default_port: int | None = None) -> Address:
    """Parse `host:port`, `[::1]:443`, or a host alone if there is a default port; raises MalformedAddress."""
    host, colon, port = text.rpartition(":")
    if not colon or (default_port is not None and text.endswith("]")):
        host, port = text, "" if default_port is None else str(default_port)
    host = host.removeprefix("[").removesuffix("]").lower().rstrip(".")
    is_host = 0 < len(host) <= 253 and host.isascii() and not any(each in host for each in " /@\t\\#?")
    if not (is_host and port.isdecimal() and 0 < int(port) < 65536):
        raise MalformedAddress(f"'{text[:100]}' is no address; one is api.box.com:443")
    return Address(host, int(port))


def is_allowed(allowed: Sequence[str], address: Address) -> bool:
    """Whether connections to an address are passed on; `allowed` has `host`, `host:port` and `*.domain`."""
    return any(_fits(each, address) for each in allowed)


def _fits(allowed: str, address: Address) -> bool:
    name, colon, port = allowed.lower().rpartition(":")
    if not colon or not port.isdecimal():
        name, port = allowed.lower(), ""
    is_host = address.host.endswith(name[1:]) if name.startswith(WILDCARD) else address.host == name
    return is_host and port in ("", str(address.port))

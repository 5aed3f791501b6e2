"""Which twin answers for a host, and which other hosts the door passes connections on to."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from ipaddress import IPv6Address
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


_ADDRESS = re.compile(
    r"(?:\[(?P<ipv6>[^]]*)\]|(?P<name>[\w*](?:[\w.*-]{0,251}[\w*-])?)\.?)(?::(?P<port>\d{1,5}))?", re.ASCII
)


def parse_address(text: str, default_port: int | None = None) -> Address:
    """Parse `host:port`, `[::1]:443`, or a host alone if there is a default port; raises MalformedAddress."""
    match = _ADDRESS.fullmatch(text)
    port = match and (match["port"] or default_port)
    if not match or not port or not 0 < int(port) < 65536:
        raise MalformedAddress(f"'{text[:100]}' is no address; one is api.box.com:443 or [::1]:443")
    if match["name"]:
        return Address(match["name"].lower(), int(port))
    with suppress(ValueError):
        return Address(IPv6Address(match["ipv6"]).compressed, int(port))
    raise MalformedAddress(f"'{text[:100]}' is no address: its brackets hold no IPv6 address, as in [::1]:443")


def is_allowed(allowed: Sequence[str], address: Address) -> bool:
    """Whether connections to an address are passed on; `allowed` has `host`, `host:port` and `*.domain`."""
    return any(_fits(each, address) for each in allowed)


def _fits(allowed: str, address: Address) -> bool:
    host, port = parse_address(allowed.removeprefix(WILDCARD), address.port)
    is_host = address.host.endswith(f".{host}") if allowed.startswith(WILDCARD) else address.host == host
    return is_host and port == address.port

"""Hosts of a vendor that a twin answers for, and the paths of its operations on each of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

WILDCARD = "*."


class VendorHost(NamedTuple):
    """One declared host: `*.slack.com`, or `www.googleapis.com/calendar/v3` for one that several twins share."""

    name: str
    """The host in lower case; one that begins with `*.` stands for every host below a domain."""
    path: str
    """The prefix of the paths that belong to the twin; empty if all do."""
    prefix: str
    """What the twin's operations have before the path of a request."""

    def matches(self, host: str, path: str) -> bool:
        """Whether a request to `host`, in lower case and without a port, belongs to the twin."""
        is_host = host.endswith(self.name[1:]) if self.name.startswith(WILDCARD) else host == self.name
        return is_host and path.startswith(self.path) and path[len(self.path) :][:1] in ("", "/", ":", "?")

    @property
    def precision(self) -> tuple[bool, int, int]:
        """The order of hosts that match the same request: the greatest decides."""
        return not self.name.startswith(WILDCARD), len(self.name), len(self.path)


def read_vendor_hosts(declared: Mapping[str, str]) -> tuple[VendorHost, ...]:
    """The declared hosts, the most precise first; raises ValueError for one that no URL can name."""
    hosts: list[VendorHost] = []
    for written, prefix in declared.items():
        name, slash, path = written.partition("/")
        if not name.removeprefix(WILDCARD) or name != name.lower() or "*" in name.removeprefix(WILDCARD) or ":" in name:
            raise ValueError(f"'{written}' names no host; one is upload.box.com, *.slack.com or api.test.com/v1")
        hosts.append(VendorHost(name, (slash + path).rstrip("/"), prefix))
    return tuple(sorted(hosts, key=lambda each: each.precision, reverse=True))


def has_vendor_host(hosts: Iterable[VendorHost], host: str) -> bool:
    """Whether a host is declared, on whatever path."""
    return any(each._replace(path="").matches(host, "") for each in hosts)


def find_vendor_host(hosts: tuple[VendorHost, ...], host: str, path: str) -> VendorHost | None:
    """The most precise host that a request belongs to, or None."""
    return next((each for each in hosts if each.matches(host, path)), None)

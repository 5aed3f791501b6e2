"""Detects connections that lead back to this machine, and marks requests that this server sends.

The peer address of a connection is checked, since a host has many names and spellings, and a name may resolve
differently later.
"""

from __future__ import annotations

import ipaddress
import socket
from functools import lru_cache

MARK = "X-Twindiff-From"
"""The header that names the sender of a forwarded request; pages and agents cannot remove it."""
WEBHOOK = "webhook"
BROWSER = "browser"


@lru_cache(maxsize=256)
def is_own_address(address: str) -> bool:
    """Return whether an IP address belongs to this machine, by trying to bind to it."""
    ip = ipaddress.ip_address(address.partition("%")[0])
    ip = getattr(ip, "ipv4_mapped", None) or ip
    if ip.is_loopback or ip.is_unspecified:
        return True
    family = socket.AF_INET6 if ip.version == 6 else socket.AF_INET
    with socket.socket(family, socket.SOCK_DGRAM) as probe:
        try:
            probe.bind((str(ip), 0))
        except OSError:
            return False
    return True

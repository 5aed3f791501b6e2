"""Connections that lead back to this machine, and the mark of requests that this server sends.

Names and spellings of addresses are many, and what a name resolves to may change; the peer of a connection is one.
"""

from __future__ import annotations

import ipaddress
import socket
from functools import lru_cache

MARK = "X-Twindiff-From"
"""The header that says who sends a request for others; pages and agents cannot remove it."""
WEBHOOK = "webhook"
BROWSER = "browser"


@lru_cache(maxsize=256)
def is_own_address(address: str) -> bool:
    """Whether an IP address is one of this machine, which alone can be bound to."""
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

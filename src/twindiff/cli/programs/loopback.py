"""The loopback address of an environment, and the lines of /etc/hosts that lead the vendors' hosts there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import blake2b

WILDCARD = "*."


def choose_address(environment_id: str) -> str:
    """An address of 127.0.0.0/8 of the environment's own, which differs from those that other services use."""
    first, second, third = blake2b(environment_id.encode(), digest_size=3).digest()
    return f"127.{first % 254 + 1}.{second}.{third % 253 + 1}"


def hosts_lines(hosts: Mapping[str, Sequence[str]], address: str) -> list[str]:
    """Lines of /etc/hosts for the vendors' hosts by twin; a wildcard, which that file does not know, is a comment."""
    names = list(dict.fromkeys(each.partition("/")[0] for of_twin in hosts.values() for each in of_twin))
    exact = [f"{address} {name}" for name in names if not name.startswith(WILDCARD)]
    below = [f"# {address} and each host below {name[2:]} that your program calls" for name in names if name[0] == "*"]
    return [*exact, *below]

"""The receipt of a program: which hosts it called, what was refused, and for what the twins have no operation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import msgspec

from twindiff.environments.call_log import AGENT_REFUSED, HOST_REFUSED, NOT_HERE

MAX_LISTED = 20
"""Requests of a kind that a receipt lists for people; in JSON it has all of them."""
_REFUSED = (HOST_REFUSED, AGENT_REFUSED)


class Receipt(msgspec.Struct, omit_defaults=True):
    """`calls` is how many reached twins, `hosts` how many by host; the other lists are requests with their number.
    `failed` are calls that the vendor would have refused too.
    """

    environment: str
    exit_code: int
    network: str
    """`private` if nothing could leave but by the door, else `shared`."""
    calls: int
    hosts: dict[str, int]
    writes: int
    failed: dict[str, int]
    refused: dict[str, int]
    no_operation: dict[str, int]


def make_receipt(environment: str, code: int, network: str, calls: Sequence[dict[str, Any]]) -> Receipt:
    """Sum up the calls of a program, as the platform API lists them."""
    reached = [each for each in calls if each["error"] not in _REFUSED]
    missing = [each for each in reached if each["error"] in NOT_HERE]
    failed = [each for each in reached if each["error"] and each not in missing]
    return Receipt(
        environment=environment,
        exit_code=code,
        network=network,
        calls=len(reached),
        hosts=dict(Counter(each.get("host") or "address of the server" for each in reached)),
        writes=sum(each["seq"] is not None for each in reached),
        failed=dict(Counter(f"{each['twin']} {each['operation']}: {each['error']}" for each in failed)),
        refused=dict(Counter(each["operation"] for each in calls if each["error"] in _REFUSED)),
        no_operation=dict(Counter(f"{each['twin']} {each['operation']}" for each in missing)),
    )


def render_receipt(receipt: Receipt) -> str:
    """The receipt for people, in a few lines."""
    by_host = ", ".join(f"{host} {count}" for host, count in receipt.hosts.items())
    lines = [
        f"{_count(receipt.calls, 'call')} reached twins, {receipt.writes} wrote" + (f": {by_host}" if by_host else "")
    ]
    for title, requests in (
        ("failed", receipt.failed),
        ("refused, since no twin has the host", receipt.refused),
        ("without an operation", receipt.no_operation),
    ):
        if requests:
            lines.append(f"{sum(requests.values())} {title}:")
            lines += [f"  {request}" + (f" ({count} times)" if count > 1 else "") for request, count in _some(requests)]
    if receipt.network == "shared":
        lines.append("The network was shared: what ignores the proxy could reach other hosts.")
    return "\n".join(lines)


def _some(requests: dict[str, int]) -> list[tuple[str, int]]:
    listed = [*requests.items()][:MAX_LISTED]
    left = len(requests) - len(listed)
    return [*listed, (f"… and {left} others", 1)] if left else listed


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' * (number != 1)}"

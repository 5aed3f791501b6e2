"""Versions of Box's API: operations of a later one than the first ask for its name.

https://developer.box.com/guides/api-calls/api-versioning-strategy
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twindiff.kit import Call, Exchange
from twindiff.twins.box.wire_style import BadRequest

VERSION = "2025.0"


def require_version(exchange: Exchange, call: Call, proceed: Callable[[], Any]) -> Any:
    """A layer: refuse a request that does not name the version 2025.0."""
    if exchange.request.headers.get("box-version") != VERSION:
        said = f"The header 'box-version' must be '{VERSION}'"
        raise BadRequest.of("invalid_parameter", "box-version", said)
    return proceed()

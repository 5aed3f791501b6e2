"""API versions of Box: operations newer than the first version require the header `box-version`.

https://developer.box.com/guides/api-calls/api-versioning-strategy
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twindiff.kit import Call, RequestContext
from twindiff.twins.box.wire_style import BadRequest

VERSION = "2025.0"


def require_version(exchange: RequestContext, call: Call, proceed: Callable[[], Any]) -> Any:
    """Middleware: refuse requests that do not name the API version 2025.0."""
    if exchange.request.headers.get("box-version") != VERSION:
        said = f"The header 'box-version' must be '{VERSION}'"
        raise BadRequest.of("invalid_parameter", "box-version", said)
    return proceed()

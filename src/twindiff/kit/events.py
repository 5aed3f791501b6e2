"""Events: what an operation tells those who subscribed, noted with its changes and delivered after the commit."""

from __future__ import annotations

from typing import Any, NamedTuple


class Event(NamedTuple):
    """One thing that happened, by the vendor's name for it; the payload is JSON."""

    name: str
    payload: dict[str, Any]

"""What an agent reports of its own work in a trial: messages, tool calls, tokens and cost."""

from __future__ import annotations

from threading import Lock
from typing import Any, NamedTuple

import msgspec

MAX_ENTRIES = 500
"""Entries of a trial that are kept; tokens and cost of further ones still count."""
MAX_ENTRY_CHARACTERS = 20_000
"""Characters of an entry's JSON that are kept."""


class Usage(NamedTuple):
    """What a trial used: tokens, and its cost in US dollars; None where the agent has not reported it."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cost: float | None = None

    def __add__(self, other: object) -> Usage:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Add what both report; what neither reports stays None."""
        if not isinstance(other, Usage):
            return NotImplemented
        pairs = zip(self, other, strict=True)
        return Usage(*(one if two is None else two if one is None else one + two for one, two in pairs))  # pyright: ignore[reportArgumentType]

    def with_cost(self, prices: Prices | None) -> Usage:
        """Return the usage with a cost, computed from its tokens if none was reported."""
        if prices is None or self.cost is not None or (self.input_tokens is None and self.output_tokens is None):
            return self
        millions = ((self.input_tokens or 0) * prices.input + (self.output_tokens or 0) * prices.output) / 1e6
        return self._replace(cost=millions)


class Prices(NamedTuple):
    """Prices of a model in US dollars per million tokens."""

    input: float
    output: float


class TrialLog:
    """The log of one trial. `task.log(role="assistant", content="…", input_tokens=12, output_tokens=5)` adds an entry.

    Entries are dictionaries of JSON values with any keys. `role`, `content`, `tool_calls` and `name` are shown as a
    conversation. `input_tokens`, `output_tokens` and `cost`, in US dollars, are summed. Threads may share a log.
    """

    def __init__(self) -> None:
        self.entries: list[dict[str, Any]] = []
        self.usage = Usage()
        self._lock = Lock()

    def __call__(
        self,
        *,
        input_tokens: int | None = None,
        output_tokens: int | None = None,
        cost: float | None = None,
        **entry: Any,
    ) -> None:
        """Add an entry, and what it used; raises TypeError or ValueError for values that JSON does not have."""
        used = Usage(input_tokens, output_tokens, cost)
        kept = _shorten(entry) if entry else {}
        with self._lock:
            self.usage += used
            if kept and len(self.entries) < MAX_ENTRIES:
                self.entries.append(kept)


class _Discarding(TrialLog):
    """A log that keeps nothing, for tasks that are no trials."""

    def __call__(self, **entry: Any) -> None: ...


NO_LOG = _Discarding()


def _shorten(entry: dict[str, Any]) -> dict[str, Any]:
    """Return an entry as plain JSON values; a long one as the beginning of its text."""
    encoded = msgspec.json.encode(entry)
    if len(encoded) <= MAX_ENTRY_CHARACTERS:
        return msgspec.json.decode(encoded)
    content = entry.get("content")
    text = content if isinstance(content, str) else encoded.decode()
    return {"role": str(entry.get("role", "")), "content": f"{text[:MAX_ENTRY_CHARACTERS]}…", "is_cut": True}

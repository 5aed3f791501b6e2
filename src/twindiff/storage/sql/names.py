"""Names as SQL takes them."""

from __future__ import annotations

from collections.abc import Sequence


def quote(name: str) -> str:
    """A name as SQL takes any name."""
    return '"' + name.replace('"', '""') + '"'


def names(columns: Sequence[str]) -> str:
    """Column names side by side."""
    return ", ".join(map(quote, columns))

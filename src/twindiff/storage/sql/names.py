"""Quoting of SQL identifiers."""

from __future__ import annotations

from collections.abc import Sequence


def quote(name: str) -> str:
    """Quote an identifier: `a"b` becomes `"a""b"`."""
    return '"' + name.replace('"', '""') + '"'


def names(columns: Sequence[str]) -> str:
    """Quote column names and join them with commas."""
    return ", ".join(map(quote, columns))

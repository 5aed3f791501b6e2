"""Values with their kind, as formulas, rollups, filters and sorts see them."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..tables.content_tables import Page
from ..tables.data_source_tables import Property


class RelatedValue(NamedTuple):
    """A value of a related page; `value` is what conditions compare."""

    page: Page
    row: Property
    stored: Any
    value: Any


class Typed(NamedTuple):
    """The result of a formula or a rollup: `kind` is string, number, boolean, date, array or unsupported."""

    kind: str
    value: Any
    items: list[RelatedValue] | None = None


def is_empty(value: Any) -> bool:
    """Return whether a value counts as empty."""
    return value is None or (isinstance(value, str | list | dict) and not value)

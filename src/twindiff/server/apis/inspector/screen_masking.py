"""Masks the passwords, tokens and card numbers in what a twin shows of itself, as all other pages do."""

from __future__ import annotations

from typing import Any, cast

from twindiff.browser.masking import TextMask, mask_recognized
from twindiff.kit.inspector_views import Screen, ScreenTable

_MASK = TextMask(())
_AS_THEY_ARE = ("path", "at", "is_diff")
"""Fields that are addresses, times and marks rather than texts."""


def mask_screen(screen: Screen) -> Screen:
    """Return a screen with its secrets masked: what looks like one, and what stands below or beside its name."""
    facts = [(name, _mask_named(name, value)) for name, value in screen.facts]
    tables = [_mask_table(each) for each in screen.tables]
    return _mask(screen)._replace(facts=facts, tables=tables)


def _mask_table(table: ScreenTable) -> ScreenTable:
    rows = [[_mask_named(name, value) for name, value in zip(table.columns, row, strict=False)] for row in table.rows]
    return _mask(table)._replace(rows=rows)


def _mask_named(name: str, value: Any) -> Any:
    return _MASK.value({name: value})[name] if isinstance(value, str) else _mask(value)


def _mask(value: Any) -> Any:
    if isinstance(value, str):
        return mask_recognized(value)
    if isinstance(value, tuple) and hasattr(cast(Any, value), "_fields"):
        part = cast(Any, value)
        return part._replace(**{name: _mask(getattr(part, name)) for name in part._fields if name not in _AS_THEY_ARE})
    if isinstance(value, list | tuple):
        return [_mask(each) for each in cast("list[Any]", value)]
    return value

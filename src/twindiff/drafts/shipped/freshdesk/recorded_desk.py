"""Finds the contacts and companies that must have been there before recorded calls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from ...recorded_needs import is_reading
from ...recordings import RecordedCall, show_timestamp
from .tables import FreshdeskCompany, FreshdeskContact

Shown = dict[str, Any]
_KINDS = {"contacts": FreshdeskContact, "companies": FreshdeskCompany}
_TIMES = ("created_at", "updated_at")


def find_desk(calls: Sequence[RecordedCall]) -> Mapping[str, list[Shown]]:
    """Return the rows of what calls show and do not make."""
    made: set[int] = set()
    tables: dict[str, dict[int, Shown]] = {kind: {} for kind in _KINDS}
    for call in calls:
        words = call.path.strip("/").split("/")
        kind = words[2] if len(words) > 2 and words[:2] == ["api", "v2"] else ""
        answer: Any = call.answer
        listed = cast(list[Any], answer if isinstance(answer, list) else [answer])
        for each in listed if kind in _KINDS and call.status < 300 else ():
            if not isinstance(each, dict) or "created_at" not in each:
                continue
            shown = cast(Shown, each)
            if not is_reading(call):
                made.add(shown["id"])
            elif shown["id"] not in made:
                tables[kind].setdefault(shown["id"], _to_row(shown, _KINDS[kind]))
    return {kind: [*rows.values()] for kind, rows in tables.items()}


def _to_row(shown: Shown, table: type[FreshdeskContact | FreshdeskCompany]) -> Shown:
    row = {name: value for name, value in shown.items() if name in table.__annotations__ and value is not None}
    return {**row, **{name: show_timestamp(str(shown[name])) for name in _TIMES}}

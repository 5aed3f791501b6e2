"""Finds the lists and fields that must have been there before recorded calls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from ...recordings import RecordedCall

Shown = dict[str, Any]


def find_marketing(calls: Sequence[RecordedCall]) -> Mapping[str, list[Shown]]:
    """Return the rows of what calls show and do not make."""
    tables: dict[str, dict[str, Shown]] = {"marketing_lists": {}, "marketing_fields": {}}
    made: set[str] = set()
    for call in calls:
        given: Any = call.answer
        answer = cast(Shown, given) if isinstance(given, dict) else {}
        if call.verb == "POST" and "id" in answer:
            made.add(str(answer["id"]))
        if call.verb != "GET" or call.status != 200:
            continue
        for each in _objects_in(answer, "result") if call.path.endswith("/marketing/lists") else ():
            if each["id"] not in made:
                row = {"id": each["id"], "name": each["name"], "created_number": len(tables["marketing_lists"]) - 1000}
                tables["marketing_lists"].setdefault(each["id"], row)
        for each in _objects_in(answer, "custom_fields"):
            if each["id"] not in made:
                row = {name: each[name] for name in ("id", "name", "field_type")}
                tables["marketing_fields"].setdefault(each["id"], row)
    return {table: [*rows.values()] for table, rows in tables.items()}


def _objects_in(answer: Shown, name: str) -> list[Shown]:
    listed: Any = answer.get(name)
    return [cast(Shown, each) for each in cast(list[Any], listed) if "id" in each] if isinstance(listed, list) else []

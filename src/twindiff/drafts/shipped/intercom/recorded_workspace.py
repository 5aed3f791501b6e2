"""Finds what a workspace must have had before recorded calls: contacts with their tags, tags and attributes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, cast

from ...recorded_needs import is_reading
from ...recordings import RecordedCall, show_timestamp
from .tables import IntercomContact

Shown = dict[str, Any]
_COLUMNS = frozenset(IntercomContact.__annotations__) - {"id", "created_at", "updated_at", "made_number", "avatar"}


def find_workspace(calls: Sequence[RecordedCall]) -> Mapping[str, list[Shown]]:
    """Return the rows of what calls show and do not make."""
    made: set[str] = set()
    tables: dict[str, dict[str, Shown]] = {name: {} for name in ("contacts", "tags", "data_attributes", "memberships")}
    for call in calls:
        if call.status == 200 and not is_reading(call):
            made |= _ids_made(call)
        elif call.status == 200:
            for each in _objects_in(call.answer):
                if str(each.get("id")) not in made or each["type"] == "data_attribute":
                    _add_row(tables, each)
        _add_named(call, tables, made)
    return {table: [*rows.values()] for table, rows in tables.items()}


def _ids_made(call: RecordedCall) -> set[str]:
    answer = _object(call.answer)
    return {str(answer.get("id"))} if call.verb == "POST" and call.path in ("/contacts", "/tags") else set()


def _add_named(call: RecordedCall, tables: dict[str, dict[str, Shown]], made: set[str]) -> None:
    """Add the contact that a call archives or deletes and no call showed, and the tag that one gives."""
    words = call.path.strip("/").split("/")
    is_contact = words[0] == "contacts" and len(words) > 1 and call.verb in ("POST", "DELETE") and words[1] != "search"
    if call.status == 200 and is_contact and words[1] not in made and words[1] not in tables["contacts"]:
        _add_row(tables, {"type": "contact", "id": words[1], "created_at": 0, "updated_at": 0})
    answer = _object(call.answer)
    if call.status == 200 and answer.get("type") == "tag" and str(answer.get("id")) not in made:
        _add_row(tables, answer)


def _add_row(tables: dict[str, dict[str, Shown]], shown: Shown) -> None:
    id, kind = str(shown.get("id")), shown["type"]
    if kind == "tag" and "name" in shown:
        tables["tags"].setdefault(id, {"id": id, "name": shown["name"]})
    elif kind == "data_attribute":
        key = f"{shown['model']}/{shown['full_name']}"
        row = {name: shown[name] for name in ("model", "full_name", "data_type")}
        row |= {"shown": {**shown}, "position": len(tables["data_attributes"])}
        tables["data_attributes"].setdefault(key, row)
    elif kind == "contact" and id not in tables["contacts"]:
        row = {name: value for name, value in shown.items() if name in _COLUMNS and value is not None}
        times = {name: _to_time(shown[name]) for name in ("created_at", "updated_at")}
        tables["contacts"][id] = {"id": id, **row, **times, "made_number": len(tables["contacts"]) - 1_000_000}
        for tag in cast(Shown, shown.get("tags") or {}).get("data", ()):
            member = {"kind": "contact_tag", "owner": id, "target": str(tag["id"])}
            tables["memberships"].setdefault(f"{id}/{tag['id']}", member)


def _to_time(seconds: Any) -> str:
    return show_timestamp(datetime.fromtimestamp(int(seconds), tz=UTC).isoformat())


def _object(value: Any) -> Shown:
    return cast(Shown, value) if isinstance(value, dict) else {}


def _objects_in(answer: Any) -> Iterator[Shown]:
    if isinstance(answer, dict):
        shown = cast(Shown, answer)
        data: Any = shown.get("data")
        if shown.get("type") == "list" and isinstance(data, list):
            yield from (cast(Shown, each) for each in cast(list[Any], data) if isinstance(each, dict))
        elif "type" in shown:
            yield shown

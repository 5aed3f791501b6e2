"""Finds the records and the properties that an account must have had before recorded calls."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, cast

from ...recorded_needs import is_reading
from ...recordings import RecordedCall, show_timestamp
from ..document_collections import find_documents
from .account import account_rows, columns_of, find_kind
from .engagements_v1 import ENGAGEMENT_FIELDS
from .kept_documents import COLLECTIONS
from .recorded_older_crm import find_further, find_named, find_older_records
from .tables import RECORDS

Shown = dict[str, Any]
_COMPUTED = ("createdate", "lastmodifieddate", "hs_lastmodifieddate", "hs_object_id")
_ADDED_PROPERTY = re.compile(r"/crm/v3/properties/([^/]+)/?|/properties/v1/([^/]+)/properties/?")


def find_account(calls: Sequence[RecordedCall]) -> Mapping[str, list[Shown]]:
    """Return the rows of records that calls show and do not make, and of properties that they use and do not add."""
    made: set[str] = set()
    records: dict[tuple[str, str], Shown] = {}
    properties: dict[tuple[str, str], Shown] = {}
    known = {(each["kind"], each["name"]) for each in account_rows()["property_definitions"]}
    for call in calls:
        if call.status < 300:
            known |= {*_properties_added(call)}
        kind = _kind_of(call)
        if kind is None or call.status >= 300:
            continue
        shown = [*_records_in(call.answer)]
        for name in {*_names_in(call.body), *(name for each in shown for name in each["properties"])}:
            if (kind, name) not in known and name not in _COMPUTED and not name.startswith("hs_"):
                properties[kind, name] = {"kind": kind, "name": name, "label": name, "is_custom": True}
        for each in shown:
            if not is_reading(call):
                made.add(str(each["id"]))
            elif str(each["id"]) not in made and kind in RECORDS:
                records.setdefault((kind, str(each["id"])), _to_row(kind, each))
    tables: dict[str, list[Shown]] = {"property_definitions": [*properties.values()]}
    _add_missing(tables, _by_kind(records))
    tables["contact_lists"] = [*_find_lists(calls).values()]
    _add_missing(tables, find_older_records(calls, ENGAGEMENT_FIELDS))
    for rows_by_table in (find_named(calls), find_further(calls)):
        _add_missing(tables, rows_by_table)
    return {**tables, **find_documents(calls, COLLECTIONS)}


def _by_kind(records: Mapping[tuple[str, str], Shown]) -> dict[str, list[Shown]]:
    tables: dict[str, list[Shown]] = {}
    for (kind, _), row in records.items():
        tables.setdefault(kind, []).append(row)
    return tables


def _add_missing(tables: dict[str, list[Shown]], rows_by_table: Mapping[str, list[Shown]]) -> None:
    """Add rows by table, unless there is one with their id."""
    for table, rows in rows_by_table.items():
        there = {_key_of(row) for row in tables.get(table, ())}
        tables.setdefault(table, []).extend(row for row in rows if _key_of(row) not in there)


def _key_of(row: Shown) -> tuple[Any, ...]:
    return ("", str(row["id"])) if "id" in row else (row["kind"], row["name"])


def _find_lists(calls: Sequence[RecordedCall]) -> dict[int, Shown]:
    """Return the rows of the lists of contacts that calls show and do not make, as they were at first."""
    made: set[int] = set()
    lists: dict[int, Shown] = {}
    for call in calls:
        if "/contacts/v1/lists" not in call.path or call.status >= 300:
            continue
        for each in _lists_in(call.answer):
            number = int(each["listId"])
            if call.verb == "POST":
                made.add(number)
            elif number not in made and number not in lists:
                at = datetime.fromtimestamp(int(each["createdAt"]) / 1000, tz=UTC)
                lists[number] = {
                    "id": number,
                    "name": str(each["name"]),
                    "is_dynamic": bool(each.get("dynamic")),
                    "filters": each.get("filters") or [],
                    "author_id": each.get("authorId"),
                    "others": int(each["metaData"]["size"]),
                    "created_at": show_timestamp(at.isoformat()),
                }
    return lists


def _lists_in(answer: Any) -> Iterator[Shown]:
    if isinstance(answer, dict):
        fields = cast(Shown, answer)
        listed: list[Any] = fields.get("lists") or [fields]
        yield from (cast(Shown, each) for each in listed if isinstance(each, dict) and "listId" in each)


def _kind_of(call: RecordedCall) -> str | None:
    words = call.path.strip("/").split("/")
    if words[:3] == ["crm", "v3", "objects"] and len(words) > 3:
        return find_kind(words[3])
    return {"contacts": "contacts", "companies": "companies"}.get(words[0])


def _properties_added(call: RecordedCall) -> Iterator[tuple[str, str]]:
    """Yield the kind and the name of the property that a call of version 1 or 3 adds."""
    added = _ADDED_PROPERTY.fullmatch(call.path)
    kind = find_kind(added[1] or added[2]) if added and call.verb == "POST" else None
    given: Any = call.body
    if kind is not None and isinstance(given, dict):
        yield kind, str(cast(Shown, given).get("name"))


def _to_row(kind: str, shown: Shown) -> Shown:
    values = {name: value for name, value in shown["properties"].items() if value is not None}
    columns = columns_of(kind)
    own = {name: str(value) for name, value in values.items() if name in columns}
    others = {name: value for name, value in values.items() if name not in columns and name not in _COMPUTED}
    times = {
        "created_at": show_timestamp(str(shown["createdAt"])),
        "updated_at": show_timestamp(str(shown["updatedAt"])),
    }
    return {"id": str(shown["id"]), **own, "properties": others, **times}


def _records_in(answer: Any) -> Iterator[Shown]:
    """Yield the records of version 3 in an answer."""
    if isinstance(answer, list):
        for each in cast(list[Any], answer):
            yield from _records_in(each)
    elif isinstance(answer, dict):
        fields = cast(Shown, answer)
        if {"id", "properties", "createdAt", "updatedAt"} <= fields.keys():
            yield fields
        else:
            yield from _records_in(fields.get("results"))


def _names_in(body: Any) -> Iterator[str]:
    """Yield the names of the properties that a request sets, in the form of any version."""
    if isinstance(body, list):
        for each in cast(list[Any], body):
            yield from _names_in(each)
    elif isinstance(body, dict):
        fields = cast(Shown, body)
        given: Any = fields.get("properties")
        if isinstance(given, dict):
            yield from cast(Shown, given)
        elif isinstance(given, list):
            pairs = [cast(Shown, each) for each in cast(list[Any], given) if isinstance(each, dict)]
            yield from (str(each.get("property") or each.get("name")) for each in pairs)
        yield from _names_in(fields.get("inputs"))

"""Finds what an org must have had before recorded calls: descriptions of its objects, its own fields, its records."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from ...recorded_needs import is_reading
from ...recordings import RecordedCall, show_timestamp
from .objects import OBJECTS, SalesforceObject, find_object
from .wire_style import lengthen_id

Shown = dict[str, Any]
_TIMES = ("CreatedDate", "LastModifiedDate")
_OF_OBJECT = re.compile(r"/(?:sobjects|composite/sobjects)/(\w+)")
_SOURCE = re.compile(r"\bfrom\s+(\w+)", re.IGNORECASE)
_PARTIAL = re.compile(r"\b(where|limit)\b|\(", re.IGNORECASE)
"""What a query for all records of an object has none of."""
_OWN_FIELD = re.compile(r"\w+__c\b")


def find_org(calls: Sequence[RecordedCall]) -> Mapping[str, list[Shown]]:
    """Return the rows of what calls show or use and do not make."""
    made = {each for call in calls if not is_reading(call) for each in _ids_made(call)}
    descriptions: dict[str, Shown] = {}
    fields: dict[tuple[str, str], Shown] = {}
    records: dict[tuple[str, str], Shown] = {}
    for call in calls:
        _read_descriptions(call, descriptions)
        for name, field, kind in _own_fields(call):
            own = fields.setdefault((name, field), {"object": name, "name": field, "type": kind})
            own["type"] = kind if own["type"] == "string" else own["type"]
        for kind, shown in _records_in(call.answer) if call.status < 300 and is_reading(call) else ():
            id = _id_of(shown)
            if id and id not in made:
                row = records.setdefault((kind.name, id), {"Id": id})
                row |= {name: value for name, value in _to_row(kind, shown).items() if name not in row}
    for name, each in descriptions.items():
        described: list[Shown] = cast(Shown, each.get("description") or {}).get("fields", [])
        for field in described:
            if _OWN_FIELD.fullmatch(str(field["name"])):
                fields[name, str(field["name"])] = {"object": name, "name": field["name"], "type": field["type"]}
    tables: dict[str, list[Shown]] = {
        "described_objects": [*descriptions.values()],
        "custom_fields": [each for (name, _), each in fields.items() if name in OBJECTS],
    }
    tables["tooling_records"] = _find_tooling_records(calls)
    at_first = _find_first_lists(calls)
    for (name, id), row in records.items():
        if id in at_first.get(name, {id}):
            tables.setdefault(name, []).append(row)
    return tables


def _find_tooling_records(calls: Sequence[RecordedCall]) -> list[Shown]:
    """Return the rows of records of the tooling API that queries show, with all fields that they show."""
    rows: dict[tuple[str, str], Shown] = {}
    for call in calls:
        answer: Any = call.answer
        if "/tooling/query" not in call.path or call.status >= 300 or not isinstance(answer, dict):
            continue
        for each in cast(Shown, answer).get("records") or ():
            shown = cast(Shown, each)
            attributes = cast(Shown, shown.get("attributes") or {})
            key = str(shown.get("Id") or str(attributes.get("url")).rpartition("/")[2])
            at = (str(attributes.get("type")), key)
            row = rows.setdefault(at, {"scope": at[0], "key": at[1], "fields": {"Id": key}, "number": len(rows)})
            own = {name: value for name, value in shown.items() if name != "attributes"}
            row["fields"] = {**own, **row["fields"]}
    return [*rows.values()]


def _find_first_lists(calls: Sequence[RecordedCall]) -> dict[str, set[str]]:
    """Return the ids of all records of an object where a query for all of them shows them; the first one counts."""
    ids_by_object: dict[str, set[str]] = {}
    for call in calls:
        query = next((value for name, value in call.query if name == "q"), "")
        source = _SOURCE.search(query)
        kind = (
            find_object(source[1]) if source and not re.search(r"\b(where|limit)\b|\(", query, re.IGNORECASE) else None
        )
        answer: Any = call.answer
        if kind and call.status < 300 and isinstance(answer, dict) and cast(Shown, answer).get("done"):
            ids_by_object.setdefault(kind.name, {_id_of(each) for each in cast(Shown, answer)["records"]})
    return ids_by_object


def _ids_made(call: RecordedCall) -> Iterator[str]:
    answer: Any = call.answer
    for each in cast(list[Any], answer) if isinstance(answer, list) else [answer]:
        shown = cast(Shown, each) if isinstance(each, dict) else {}
        if shown.get("success") and "id" in shown and (call.verb == "POST" or shown.get("created")):
            yield lengthen_id(str(shown["id"]))


def _read_descriptions(call: RecordedCall, descriptions: dict[str, Shown]) -> None:
    """Note the descriptions that an answer shows; in a request of several, those of its parts."""
    answer: Any = call.answer
    if call.status >= 300 or not isinstance(answer, dict):
        return
    shown = cast(Shown, answer)
    answers: list[Shown] = shown.get("compositeResponse", [])
    bodies: list[Any] = [each.get("body") for each in answers]
    for each in (shown, *(cast(Shown, body) for body in bodies if isinstance(body, dict))):
        if isinstance(each.get("fields"), list) and "name" in each and "keyPrefix" in each:
            descriptions.setdefault(str(each["name"]), {"name": str(each["name"])}).setdefault("description", each)
        for position, listed in enumerate(each.get("sobjects", ()) if "maxBatchSize" in each else ()):
            row = descriptions.setdefault(str(listed["name"]), {"name": str(listed["name"])})
            row |= {"listed": listed, "position": position} if "listed" not in row else {}


def _own_fields(call: RecordedCall) -> Iterator[tuple[str, str, str]]:
    """Yield the object, the name and the type of each field of the org that a call uses."""
    query = next((value for name, value in call.query if name == "q"), "")
    source = _SOURCE.search(query)
    for field in _OWN_FIELD.findall(query) if source else ():
        kind = find_object(source[1]) if source else None
        if kind:
            yield kind.name, field, "string"
    above = _OF_OBJECT.search(call.path)
    for name, fields in _objects_in(call.body, above[1] if above else ""):
        for field, value in fields.items():
            if _OWN_FIELD.fullmatch(field):
                yield name, field, _type_of(value)
    for kind, shown in _records_in(call.answer):
        yield from (
            (kind.name, field, _type_of(value)) for field, value in shown.items() if _OWN_FIELD.fullmatch(field)
        )


def _type_of(value: Any) -> str:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return "boolean" if isinstance(value, bool) else "double" if is_number else "string"


def _objects_in(body: Any, name: str) -> Iterator[tuple[str, Shown]]:
    if isinstance(body, dict):
        given = cast(Shown, body)
        attributes: Any = given.get("attributes")
        named = cast(Shown, attributes).get("type") if isinstance(attributes, dict) else None
        yield str(named or name), given
        for each in given.get("records") or ():
            yield from _objects_in(each, name)


def _records_in(answer: Any) -> Iterator[tuple[SalesforceObject, Shown]]:
    """Yield the records in an answer, with those inside them."""
    if isinstance(answer, list):
        for each in cast(list[Any], answer):
            yield from _records_in(each)
    elif isinstance(answer, dict):
        shown = cast(Shown, answer)
        attributes: Any = shown.get("attributes")
        kind = find_object(str(cast(Shown, attributes).get("type"))) if isinstance(attributes, dict) else None
        if kind:
            yield kind, shown
        for each in shown.values():
            if isinstance(each, (dict, list)):
                yield from _records_in(each)


def _id_of(shown: Shown) -> str:
    """Return the id of a record, from its address if the query did not ask for it."""
    given = shown.get("Id") or str(shown["attributes"].get("url", "")).rpartition("/")[2]
    return lengthen_id(str(given))


def _to_row(kind: SalesforceObject, shown: Shown) -> Shown:
    row: Shown = {name: value for name, value in shown.items() if name in kind.fields and value is not None}
    row |= {name: value for name, value in row.items() if not isinstance(value, (dict, list))}
    own = {name: value for name, value in shown.items() if _OWN_FIELD.fullmatch(name) and value is not None}
    times = {name: show_timestamp(str(shown[name])) for name in _TIMES if shown.get(name)}
    usual = dict.fromkeys(_TIMES, "2026-01-01T00:00:00.000000")
    return {**usual, **times, **row, **({"custom": own} if own else {})}

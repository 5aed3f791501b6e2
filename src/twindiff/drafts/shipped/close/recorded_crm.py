"""Finds what an organization must have had before recorded calls: custom fields, leads, contacts and users."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from twindiff.kit.rows import table_of

from ...recorded_needs import is_reading
from ...recordings import RecordedCall, show_timestamp
from ..document_collections import find_documents
from .crm_kinds import KINDS, CrmKind
from .organization_collections import COLLECTIONS

Shown = dict[str, Any]
_EVENT = (
    "id", "object_type", "object_id", "action", "lead_id", "user_id", "data", "previous_data", "changed_fields",
)  # fmt: skip
_BEGIN = "2026-01-01T00:00:00.000000"
_STATUS = "stat_tw1nd1ffleadPotential"


def find_crm(calls: Sequence[RecordedCall]) -> Mapping[str, list[Shown]]:
    """Return the rows of what calls show or name and do not make."""
    tables: dict[str, dict[str, Shown]] = {"users": {}, "statuses": {}}
    made: set[str] = set()
    for call in calls:
        kind = _kind_of(call.path)
        given: Any = call.answer
        answer = cast(Shown, given) if isinstance(given, dict) else {}
        _add_people(tables, [answer, *_objects_in(answer)])
        if call.status != 200:
            continue
        if call.verb == "POST" and not is_reading(call):
            made.add(str(answer.get("id")))
        if "/data/search" in call.path:
            emails = [each for each in _texts_in(call.body) if "@" in each]
            for each in _objects_in(answer):
                searched = _find_kind(str(each.get("__object_type")))
                known = {"emails": [{"email": email, "type": "office"} for email in emails]}
                _add_row(tables, made, searched, {**known, **each} if searched and searched.name == "contact" else each)
        elif is_reading(call):
            for each in _objects_in(answer) if "data" in answer else [answer]:
                _add_row(tables, made, kind, each)
        elif call.verb in ("PUT", "DELETE"):
            _add_row(tables, made, kind, {**answer, "id": call.path.strip("/").split("/")[-1]})
    tables["events"] = dict(_find_events(calls))
    return {**{table: [*rows.values()] for table, rows in tables.items()}, **find_documents(calls, COLLECTIONS)}


def _find_events(calls: Sequence[RecordedCall]) -> Iterator[tuple[str, Shown]]:
    """Yield the events that calls show, each by its id."""
    for call in calls:
        answer: Any = call.answer
        if call.status != 200 or "/api/v1/event/" not in call.path or not isinstance(answer, dict):
            continue
        shown = cast(Shown, answer)
        for number, each in enumerate(_objects_in(shown) if "data" in shown and "id" not in shown else [shown]):
            known = {name: each[name] for name in _EVENT if each.get(name) is not None}
            if {"id", "object_type", "object_id", "action", "user_id"} <= known.keys():
                at = _to_time(each.get("date_created"))
                yield str(each["id"]), {**known, "date_created": at, "made_number": -number - 1}


def _kind_of(path: str) -> CrmKind | None:
    rest = path.partition("/api/v1/")[2]
    return next((kind for kind in KINDS if rest.startswith(kind.name + "/")), None)


def _find_kind(name: str) -> CrmKind | None:
    return next((kind for kind in KINDS if kind.name == name), None)


def _objects_in(answer: Shown) -> list[Shown]:
    data: Any = answer.get("data")
    listed = cast(list[Any], data) if isinstance(data, list) else []
    return [cast(Shown, each) for each in listed if isinstance(each, dict)]


def _texts_in(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for each in cast(Shown, value).values():
            yield from _texts_in(each)
    elif isinstance(value, list):
        for each in cast(list[Any], value):
            yield from _texts_in(each)
    elif isinstance(value, str):
        yield value


def _add_people(tables: dict[str, dict[str, Shown]], objects: Sequence[Shown]) -> None:
    """Add the users and statuses that objects name."""
    for each in objects:
        for name in ("created_by", "updated_by"):
            if isinstance(each.get(name), str):
                tables["users"].setdefault(each[name], {"id": each[name]})
            if each.get(f"{name}_name"):
                first, _, last = str(each[f"{name}_name"]).partition(" ")
                tables["users"][each[name]] |= {"first_name": first, "last_name": last}
        if each.get("status_id") and each.get("status_label"):
            owner = "opportunity" if "confidence" in each else "lead"
            row = {"id": each["status_id"], "owner": owner, "label": each["status_label"]}
            tables["statuses"].setdefault(each["status_id"], row)


def _add_row(tables: dict[str, dict[str, Shown]], made: set[str], kind: CrmKind | None, shown: Shown) -> None:
    """Add an object that was there before."""
    id = str(shown.get("id") or "")
    if kind is None or not id or id in made or kind.name.startswith("status/"):
        return
    rows = tables.setdefault(table_of(kind.table).name, {})
    details = {name: shown[name] for name in kind.fields if name in shown and name not in kind.columns}
    users = [*tables["users"]] or ["user_unknown"]
    usual: Shown = {"created_by": users[0], "updated_by": users[0], "made_number": len(rows) - 1_000_000}
    usual |= {"lead_id": "lead_unknown"} if "lead_id" in kind.columns else {}
    usual |= {"status_id": next(iter(tables["statuses"]), _STATUS)} if "status_id" in kind.columns else {}
    usual |= {"name": "", "type": "text"} if kind.name.startswith("custom_field/") else {}
    known = {name: shown[name] for name in kind.columns - {"details", "custom"} if shown.get(name) is not None}
    times = {name: _to_time(shown.get(name)) for name in ("date_created", "date_updated")}
    custom = {name.removeprefix("custom."): value for name, value in shown.items() if name.startswith("custom.")}
    more = {"custom": custom} if "custom" in kind.columns else {}
    rows.setdefault(id, {**usual, **known, **times, **dict(kind.of), "details": details, **more})


def _to_time(said: Any) -> str:
    return show_timestamp(str(said)) if said else _BEGIN

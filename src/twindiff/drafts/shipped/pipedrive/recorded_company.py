"""Finds what a company must have had before recorded calls: fields, filters, items and users."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, cast

from ...recorded_needs import is_reading
from ...recordings import RecordedCall, show_timestamp
from ..document_collections import find_documents
from . import company_collections, item_parts
from .item_kinds import KINDS, ItemKind, read_contacts

Shown = dict[str, Any]
COLLECTIONS = (*company_collections.COLLECTIONS, *item_parts.COLLECTIONS)
"""What is kept as documents."""
_FIELDS = re.compile(r"/v1/(\w+)Fields$")
_FIELD_COLUMNS = frozenset(["id", "key", "name", "field_type", "edit_flag", "order_nr"])
_BEGIN = "2026-01-01T00:00:00.000000"


def find_company(calls: Sequence[RecordedCall]) -> Mapping[str, list[Shown]]:
    """Return the rows of what calls show or name and do not make."""
    tables: dict[str, dict[Any, Shown]] = {name: {} for name in ("users", "fields", "filters")}
    made: set[tuple[str, Any]] = set()
    for call in calls:
        given: Any = call.answer
        answer = cast(Shown, given) if isinstance(given, dict) else {}
        _add_users(tables["users"], answer)
        data: Any = answer.get("data")
        if call.status not in (200, 201) or not isinstance(data, (dict, list)):
            continue
        path = call.path.removeprefix("/api")
        if call.verb == "POST" and isinstance(data, dict):
            shown = cast(Shown, data)
            fields = [*tables["fields"].values()]
            if "order_nr" in shown and fields and not any(of == path for of, _ in made):
                fields[-1]["position"] = max(fields[-1]["position"], shown["order_nr"] - 1)
            if not any(of == path for of, _ in made):
                _add_last_deleted(tables, path, shown)
            made.add((path, shown.get("id")))
        elif is_reading(call):
            _add_shown(tables, made, path, cast(Any, data))
    documents = find_documents([call._replace(path=call.path.removeprefix("/api")) for call in calls], COLLECTIONS)
    return {**{table: [*rows.values()] for table, rows in tables.items()}, **documents}


def _add_last_deleted(tables: dict[str, dict[Any, Shown]], path: str, made: Shown) -> None:
    """Add the deleted item before the first that calls make, so that ids go on where they were."""
    kind = next((kind for kind in KINDS if path == f"/v1/{kind.path}"), None)
    number = int(made.get("id") or 0) - 1
    if kind is not None and kind.name in ("organization", "person", "product") and number > 0:
        row = {"id": number, "name": "Deleted", "owner_id": 0, "is_active": False, "add_time": _BEGIN}
        tables.setdefault(kind.path, {}).setdefault(number, {**row, "update_time": _BEGIN})


def _add_users(users: dict[Any, Shown], answer: Shown) -> None:
    related = cast(dict[str, dict[str, Shown]], answer.get("related_objects") or {}).get("user") or {}
    mail: Any = cast(Shown, answer.get("additional_data") or {}).get("dropbox_email")
    for each in related.values():
        row = users.setdefault(each["id"], {name: each[name] for name in ("id", "name", "email")})
        row |= {"company_mail": mail} if mail else {}


def _add_shown(tables: dict[str, dict[Any, Shown]], made: set[tuple[str, Any]], path: str, data: Any) -> None:
    listed: list[Any] = cast(list[Any], data) if isinstance(data, list) else [data]
    objects = [cast(Shown, each) for each in listed if isinstance(each, dict)]
    fields = _FIELDS.search(path)
    for number, each in enumerate(objects):
        if fields and "key" in each and (path, each.get("id")) not in made:
            tables["fields"].setdefault((fields[1], each["key"]), _to_field(fields[1], each, number))
        elif path.endswith("/filters") and (path, each.get("id")) not in made:
            tables["filters"].setdefault(each["id"], _to_filter(each))
    kind = next((kind for kind in KINDS if path.startswith(f"/v1/{kind.path}")), None)
    if kind is not None and kind.name in ("organization", "person", "product"):
        for each in objects:
            if "name" in each and (f"/v1/{kind.path}", each.get("id")) not in made:
                tables.setdefault(kind.path, {}).setdefault(each["id"], _to_item(kind, each))


def _to_field(owner: str, shown: Shown, number: int) -> Shown:
    details = {name: value for name, value in shown.items() if name not in _FIELD_COLUMNS}
    if "order_nr" in shown:
        details["order_nr"] = shown["order_nr"]
    return {
        "owner": owner, "key": shown["key"], "number": shown.get("id"), "name": shown["name"],
        "field_type": shown["field_type"], "is_custom": bool(shown.get("edit_flag")), "position": number,
        "details": details, "add_time": _to_time(shown.get("add_time")),
    }  # fmt: skip


def _to_filter(shown: Shown) -> Shown:
    row = {name: shown[name] for name in ("id", "name", "type", "user_id")}
    details = {name: shown[name] for name in ("visible_to", "custom_view_id", "temporary_flag") if name in shown}
    changed = {"update_time": _to_time(shown["update_time"])} if shown.get("update_time") else {}
    return {**row, "add_time": _to_time(shown.get("add_time")), "details": details, **changed}


def _to_item(kind: ItemKind, shown: Shown) -> Shown:
    owner: Any = shown.get("owner_id")
    row: Shown = {
        "id": shown["id"],
        "name": shown["name"],
        "owner_id": cast(Shown, owner).get("id") if isinstance(owner, dict) else owner or 0,
        "details": {name: shown[name] for name in shown if name in kind.fields or len(name) >= 40},
    }
    if kind.name == "person":
        row |= {name: read_contacts(shown.get(name)) for name in ("email", "phone")}
    return {**row, **{name: _to_time(shown.get(name)) for name in ("add_time", "update_time")}}


def _to_time(said: Any) -> str:
    return show_timestamp(str(said)) if said else _BEGIN

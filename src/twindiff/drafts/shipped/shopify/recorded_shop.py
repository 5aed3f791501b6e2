"""Finds what a shop must have had before recorded calls."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, cast

from ...recordings import RecordedCall, show_timestamp
from .admin import KINDS

Shown = dict[str, Any]
_BEGIN = "2026-01-01T00:00:00.000000"
_PART = re.compile(r"/orders/(\d+)/(transaction|refund)s")
_TIMES = ("created_at", "updated_at")


def find_shop(calls: Sequence[RecordedCall]) -> Mapping[str, list[Shown]]:
    """Return the rows of what calls show and do not make."""
    tables: dict[str, dict[Any, Shown]] = {}
    made: set[Any] = set()
    for call in calls:
        given: Any = call.answer
        answer = cast(Shown, given) if isinstance(given, dict) else {}
        if call.verb == "POST":
            made |= {cast(Shown, each).get("id") for each in answer.values() if isinstance(each, dict)}
        if call.verb == "GET" and call.file and "/s/files/" in call.path:
            row = {"path": call.path.partition("/s/files/")[2], **call.file._asdict()}
            tables.setdefault("files", {}).setdefault(row["path"], row)
        if call.verb != "GET" or call.status != 200 or "/admin/" not in call.path:
            continue
        _add_shown(tables, made, call, answer)
        if part := _PART.search(call.path):
            order = {"id": int(part[1]), **dict.fromkeys(_TIMES, _BEGIN)}
            tables.setdefault("orders", {}).setdefault(order["id"], order)
    return {table: [*rows.values()] for table, rows in tables.items()}


def _add_shown(tables: dict[str, dict[Any, Shown]], made: set[Any], call: RecordedCall, answer: Shown) -> None:
    part = _PART.search(call.path)
    for name, value in answer.items():
        listed: list[Any] = cast(list[Any], value) if isinstance(value, list) else [value]
        objects = [cast(Shown, each) for each in listed if isinstance(each, dict) and "id" in each]
        kind = next((kind for kind in KINDS if name in (kind.name, kind.plural)), None)
        for each in [shown for shown in objects if shown["id"] not in made]:
            if part and name.rstrip("s") == part[2]:
                row = _to_row(each, ("order_id",), kind=part[2])
                tables.setdefault("order_parts", {}).setdefault(each["id"], row)
            elif name == "shop":
                tables.setdefault("shops", {}).setdefault(each["id"], _to_row(each, ("name",)))
            elif kind is not None:
                columns = tuple(set(kind.table.__annotations__) - {"id", "details", *_TIMES})
                rows = tables.setdefault(kind.plural, {})
                rows[each["id"]] = {**_to_row(each, columns), **rows.get(each["id"], {})}
    collection = dict(call.query).get("collection_id", "")
    if collection.isdigit():
        for each in cast(list[Shown], answer.get("products") or []):
            ids = {"product_id": each["id"], "collection_id": int(collection)}
            rows = tables.setdefault("collects", {})
            rows.setdefault((*ids.values(),), {"id": 1 + len(rows), **ids, **dict.fromkeys(_TIMES, _BEGIN)})


def _to_row(shown: Shown, columns: tuple[str, ...], **more: Any) -> Shown:
    own = {name: shown[name] for name in ("id", *columns) if name in shown}
    details = {name: value for name, value in shown.items() if name not in own}
    times = {name: show_timestamp(str(shown[name])) if shown.get(name) else _BEGIN for name in _TIMES}
    return {**own, **more, **times, "details": details}

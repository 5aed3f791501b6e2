"""Finds the lists, merge fields and members that must have been there before recorded calls."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, cast

from ...recorded_needs import is_reading
from ...recordings import RecordedCall, show_timestamp
from .tables import MailchimpMergeField

Shown = dict[str, Any]
_MEMBER = re.compile(r"/lists/(\w+)/members/([0-9a-f]{32})")
_BEGIN = "2026-01-01T00:00:00.000000"
_OWN = frozenset(
    ("id", "email_address", "email_type", "status", "merge_fields", "tags", "language", "vip", "web_id", "list_id")
)
_MADE = _OWN | {"full_name", "timestamp_opt", "last_changed", "tags_count", "_links"}


def find_lists(calls: Sequence[RecordedCall]) -> Mapping[str, list[Shown]]:
    """Return the rows of what calls show or name and do not make."""
    tables: dict[str, dict[Any, Shown]] = {"lists": {}, "merge_fields": {}, "members": {}}
    made: set[str] = set()
    for call in calls:
        given: Any = call.answer
        answer = cast(Shown, given) if isinstance(given, dict) else {}
        named = _MEMBER.search(call.path)
        if named and call.status in (200, 204, 405):
            _add_list(tables, {"id": named[1]})
        if not is_reading(call):
            made |= {str(answer.get("id"))} if call.verb == "POST" and call.status == 200 else set()
            continue
        for position, each in enumerate(answer.get("lists", ())):
            _add_list(tables, each, position)
        for each in answer.get("merge_fields", ()) if isinstance(answer.get("merge_fields"), list) else ():
            row = {name: value for name, value in each.items() if name in MailchimpMergeField.__annotations__}
            tables["merge_fields"].setdefault((each["list_id"], each["merge_id"]), row)
        for each in answer.get("members", ()) if "members" in answer else [answer] if named else ():
            if "email_address" in each and each["id"] not in made:
                _add_list(tables, {"id": each["list_id"]})
                tables["members"].setdefault((each["list_id"], each["id"]), _to_member(each))
    return {table: [*rows.values()] for table, rows in tables.items()}


def _add_list(tables: dict[str, dict[Any, Shown]], shown: Shown, position: int = 0) -> None:
    usual: Shown = {"id": shown["id"], "name": shown["id"], "date_created": _BEGIN, "position": position}
    row = tables["lists"].setdefault(shown["id"], usual)
    if "name" in shown and "details" not in row:
        details = {name: value for name, value in shown.items() if name not in ("id", "name", "_links")}
        row |= {"name": shown["name"], "details": details, "position": position}


def _to_member(shown: Shown) -> Shown:
    row = {name: value for name, value in shown.items() if name in _OWN}
    details = {name: value for name, value in shown.items() if name not in _MADE}
    opted = {"timestamp_opt": show_timestamp(str(shown["timestamp_opt"]))} if shown.get("timestamp_opt") else {}
    return {**row, **opted, "details": details, "last_changed": show_timestamp(str(shown["last_changed"]))}

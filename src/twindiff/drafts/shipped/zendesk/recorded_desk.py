"""Finds the users, their identities and the fields of users that must have been there before recorded calls."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from ...recorded_needs import is_reading
from ...recordings import RecordedCall, show_timestamp
from .tables import ZendeskUser

Shown = dict[str, Any]
_TIMES = ("created_at", "updated_at")
_DATE = re.compile(r"\d{4}-\d\d-\d\dT00:00:00\+00:00")


def find_desk(calls: Sequence[RecordedCall]) -> Mapping[str, list[Shown]]:
    """Return the rows of users that calls show or change and do not make, and of the fields that users have."""
    made: set[int] = set()
    users: dict[int, Shown] = {}
    identities: dict[int, Shown] = {}
    fields: dict[str, Shown] = {}
    accounts: list[Shown] = []
    for call in calls:
        for each in _users_in(call) if call.status < 300 else ():
            if not accounts and each.get("time_zone") and each.get("iana_time_zone"):
                accounts.append({"id": 1, **{name: each[name] for name in ("time_zone", "iana_time_zone")}})
            for key, value in cast(Shown, each.get("user_fields") or {}).items():
                if value is not None or key not in fields:
                    fields[key] = {"key": key, "type": _type_of(value)}
            if call.verb == "POST" and call.status == 201:
                made.add(each["id"])
            elif each["id"] not in made and each["id"] not in users and is_reading(call):
                users[each["id"]] = _to_row(each)
                if each.get("email"):
                    times = {name: users[each["id"]][name] for name in _TIMES}
                    identity = {"id": each["id"] + 1, "user_id": each["id"], "value": each["email"], "primary": True}
                    identities[each["id"]] = {**identity, "verified": True, **times}
    tables = {"users": users, "identities": identities, "user_fields": fields}
    return {"accounts": accounts, **{name: [*rows.values()] for name, rows in tables.items()}}


def _type_of(value: Any) -> str:
    """Return the type of a field of users by one of its values."""
    if isinstance(value, bool):
        return "checkbox"
    return "date" if isinstance(value, str) and _DATE.fullmatch(value) else "text"


def _users_in(call: RecordedCall) -> Iterator[Shown]:
    answer: Any = call.answer
    if isinstance(answer, dict):
        fields = cast(Shown, answer)
        listed: list[Any] = [fields.get("user"), *(fields.get("users") or ())]
        yield from (cast(Shown, each) for each in listed if isinstance(each, dict) and "id" in each)


def _to_row(shown: Shown) -> Shown:
    names = {*ZendeskUser.__annotations__} - {"details"}
    row = {name: value for name, value in shown.items() if name in names and value is not None}
    row |= {name: show_timestamp(str(shown[name])) for name in _TIMES if shown.get(name)}
    return row

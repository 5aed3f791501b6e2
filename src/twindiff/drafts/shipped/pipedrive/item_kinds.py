"""The kinds of items that Pipedrive has, what their bodies give, and how they are found and changed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple, cast

from twindiff.kit.call import Call
from twindiff.kit.rows import Row

from .tables import (
    PipedriveActivity,
    PipedriveDeal,
    PipedriveField,
    PipedriveNote,
    PipedriveOrganization,
    PipedrivePerson,
    PipedriveProduct,
    PipedriveStage,
    PipedriveUser,
)
from .wire_style import PipedriveError

Shown = dict[str, Any]
MAX_ID = 2**53
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_STATUSES = ("open", "won", "lost", "deleted")
_EMPTY_TEXTS = ("varchar", "varchar_auto")
"""Types of fields whose cleared value is an empty text."""


class ItemKind(NamedTuple):
    """A kind of items: the word of its paths, what one is called, its table and the field that names it."""

    path: str
    name: str
    table: type[Row]
    title: str
    fields: tuple[str, ...] = ()
    """Fields that a body may give and that are no columns."""


_PARTIES = ("label", "visible_to", "label_ids")
KINDS = (
    ItemKind("organizations", "organization", PipedriveOrganization, "name", (*_PARTIES, "address")),
    ItemKind("persons", "person", PipedrivePerson, "name", (*_PARTIES, "marketing_status")),
    ItemKind(
        "deals", "deal", PipedriveDeal, "title", (*_PARTIES, "probability", "lost_reason", "expected_close_date")
    ),
    ItemKind(
        "activities", "activity", PipedriveActivity, "subject",
        ("due_date", "due_time", "duration", "note", "public_description", "location", "busy_flag"),
    ),
    ItemKind("notes", "note", PipedriveNote, "content", ("pinned_to_deal_flag", "pinned_to_person_flag")),
    ItemKind("products", "product", PipedriveProduct, "name", ("code", "unit", "tax", "visible_to", "prices")),
)  # fmt: skip
BY_NAME = {kind.name: kind for kind in KINDS}
_REFERENCES: dict[str, Any] = {
    "org_id": PipedriveOrganization, "person_id": PipedrivePerson, "deal_id": PipedriveDeal,
    "stage_id": PipedriveStage, "owner_id": PipedriveUser,
}  # fmt: skip


def split_ids(said: str) -> list[int]:
    """Return the ids of a request about several objects: `3,4,5`. Raises PipedriveError."""
    ids = [each.strip() for each in said.split(",") if each.strip()]
    if not ids or not all(re.fullmatch(r"\d{1,15}", each) for each in ids):
        raise PipedriveError("ids must be whole numbers, separated by commas.")
    return [int(each) for each in ids]


def find_caller(call: Call) -> PipedriveUser:
    """Return the user who calls."""
    return call.db.rows(PipedriveUser)[0]


def find_item(call: Call, kind: ItemKind, said: str, *, has_deleted: bool = False) -> Any:
    """Return an item, which may be a deleted one if `has_deleted`; raises PipedriveError."""
    table: Any = kind.table
    row = call.db.find(table, table.id == int(said)) if re.fullmatch(r"\d{1,15}", said) else None
    if row is None or not (row.is_active or has_deleted):
        raise PipedriveError(f"{kind.name.capitalize()} not found", 404)
    return row


def list_items(call: Call, kind: ItemKind) -> list[Any]:
    """Return the items of a kind that are not deleted, by id."""
    table: Any = kind.table
    return [row for row in call.db.rows(table, order=table.id) if row.is_active]


def list_custom_fields(call: Call, kind: ItemKind) -> list[PipedriveField]:
    """Return the custom fields of a kind, with their parts, in their order."""
    rows = call.db.rows(PipedriveField, PipedriveField.owner == kind.name, order=PipedriveField.position)
    return [row for row in rows if row.is_custom]


def read_contacts(given: Any) -> list[Shown]:
    """Return addresses or phones as they are kept, from a text, a list of texts or a list of objects."""
    entries: list[Any] = cast(list[Any], given) if isinstance(given, list) else [given] if given else []
    read: list[Shown] = []
    for number, each in enumerate(entries):
        if isinstance(each, dict):
            known = cast(Shown, each)
            value = {"label": known.get("label", ""), "value": str(known.get("value") or "")}
            read.append({**value, "primary": bool(known.get("primary", number == 0))})
        else:
            read.append({"label": "", "value": str(each), "primary": number == 0})
    return read


def _read_reference(call: Call, name: str, given: Any) -> int | None:
    if given in (None, "", 0):
        return None
    number = int(str(given)) if re.fullmatch(r"\d{1,15}", str(given)) else -1
    table = _REFERENCES[name]
    if call.db.find(table, table.id == number) is None:
        raise PipedriveError(f"{name.removesuffix('_id').capitalize()} {given} was not found.")
    return number


def _read_column(call: Call, kind: ItemKind, name: str, given: Any) -> Any:
    if name in _REFERENCES:
        number = _read_reference(call, name, given)
        if number is None and name in ("owner_id", "stage_id"):
            raise PipedriveError(f"{name} must not be empty.")
        return number
    if name in ("email", "phone"):
        return read_contacts(given)
    if name == "value":
        try:
            return float(given or 0)
        except (TypeError, ValueError):
            raise PipedriveError("value must be a number.") from None
    if name == "status" and given not in _STATUSES:
        raise PipedriveError(f"status must be one of: {', '.join(_STATUSES)}.")
    if name == "done":
        return given in (True, 1, "1", "true")
    if name == kind.title and not str(given or "").strip():
        raise PipedriveError(f"{name.capitalize()} must be given.")
    return str(given)


def _read_custom(field: PipedriveField, given: Any) -> Shown:
    """Return what a custom field keeps of a value, with its parts, such as the currency of an amount."""
    parts = {f"{field.key}_currency": given if given is None else "USD"} if field.field_type == "monetary" else {}
    if given is None:
        return {field.key: "" if field.field_type in _EMPTY_TEXTS else None, **parts}
    if field.field_type in ("date", "daterange") and _DATE.match(str(given)):
        return {field.key: str(given)[:10]}
    if field.field_type in ("double", "monetary") and not isinstance(given, (int, float)):
        try:
            given = float(str(given))
        except ValueError:
            raise PipedriveError(f"Field '{field.name}' must be a number.") from None
    return {field.key: given, **parts}


def read_values(call: Call, kind: ItemKind, body: Mapping[str, Any], known: Any = None) -> Shown:
    """Return the columns of what a body gives; fields that are not known are ignored. Raises PipedriveError."""
    given = {**body}
    if "user_id" in given:
        given.setdefault("owner_id", given.pop("user_id"))
    columns = frozenset(kind.table.__annotations__) - {"id", "details", "is_active", "add_time", "update_time"}
    values = {name: _read_column(call, kind, name, given[name]) for name in columns if name in given}
    details: Shown = {
        **(known.details if known else {}),
        **{each: given[each] for each in kind.fields if each in given},
    }
    custom = cast(Shown, given.get("custom_fields")) if isinstance(given.get("custom_fields"), dict) else {}
    for field in list_custom_fields(call, kind):
        for source in (given, custom):
            if field.key in source:
                details |= _read_custom(field, source[field.key])
    return {**values, "details": details}


def create_item(call: Call, kind: ItemKind, body: Mapping[str, Any]) -> Any:
    """Add an item; raises PipedriveError."""
    if kind.title not in body and kind.name != "activity":
        raise PipedriveError(f"{kind.title.capitalize()} must be given.")
    values = read_values(call, kind, body)
    if kind.name == "note" and not any(values.get(name) for name in ("deal_id", "person_id", "org_id")):
        raise PipedriveError("A note must be about a deal, a person or an organization.")
    values.setdefault("owner_id", find_caller(call).id)
    if kind.name == "deal":
        values.setdefault("stage_id", call.db.rows(PipedriveStage, order=PipedriveStage.order_nr)[0].id)
    if kind.name == "activity":
        values.setdefault("subject", "Call")
    now = call.clock.iso()
    table: Any = kind.table
    last = max((row.id for row in call.db.rows(table)), default=0)
    return call.db.add(table(id=last + 1, add_time=now, update_time=now, **values))


def change_item(call: Call, kind: ItemKind, row: Any, body: Mapping[str, Any]) -> Any:
    """Change what a body gives; raises PipedriveError."""
    return call.db.change(row, **read_values(call, kind, body, row), update_time=call.clock.iso())


def remove_item(call: Call, row: Any) -> None:
    """Delete an item: it is no longer found."""
    more = {"status": "deleted"} if isinstance(row, PipedriveDeal) else {}
    call.db.change(row, is_active=False, update_time=call.clock.iso(), **more)

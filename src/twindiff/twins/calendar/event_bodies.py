"""Event request bodies and their conversion to columns."""

from __future__ import annotations

from typing import Any, cast

from msgspec import UNSET, Struct, UnsetType, field
from msgspec.structs import fields

Text = str | UnsetType | None
Flag = bool | UnsetType | None
Object = dict[str, Any] | UnsetType | None


class EventBody(Struct, rename="camel", kw_only=True):
    """An event in a request body; omitted fields are UNSET."""

    id: Text = UNSET
    status: Text = UNSET
    summary: Text = UNSET
    description: Text = UNSET
    location: Text = UNSET
    color_id: Text = UNSET
    start: Object = UNSET
    end: Object = UNSET
    recurrence: list[str] | UnsetType | None = UNSET
    transparency: Text = UNSET
    visibility: Text = UNSET
    ical_uid: Text = field(default=UNSET, name="iCalUID")
    sequence: int | UnsetType | None = UNSET
    attendees: list[dict[str, Any]] | UnsetType | None = UNSET
    attendees_omitted: Flag = UNSET
    guests_can_invite_others: Flag = UNSET
    guests_can_modify: Flag = UNSET
    guests_can_see_other_guests: Flag = UNSET
    anyone_can_add_self: Flag = UNSET
    conference_data: Object = UNSET
    attachments: list[dict[str, Any]] | UnsetType | None = UNSET
    extended_properties: Object = UNSET
    source: Object = UNSET
    gadget: Object = UNSET
    reminders: Object = UNSET
    event_type: Text = UNSET
    working_location_properties: Object = UNSET
    out_of_office_properties: Object = UNSET
    focus_time_properties: Object = UNSET
    birthday_properties: Object = UNSET
    organizer: Object = UNSET


DEFAULTS: dict[str, Any] = {
    "status": "confirmed",
    "transparency": "opaque",
    "visibility": "default",
    "guests_can_invite_others": True,
    "guests_can_modify": False,
    "guests_can_see_other_guests": True,
    "anyone_can_add_self": False,
    "event_type": "default",
}
"""The stored values of omitted or null fields; fields without a default are stored as null."""

_NOT_COLUMNS = frozenset({"id", "ical_uid", "attendees", "organizer", "attendees_omitted", "sequence"})
COLUMNS = tuple(each.name for each in fields(EventBody) if each.name not in _NOT_COLUMNS)


def fields_of(value: Any) -> dict[str, Any]:
    """Return a JSON object's fields, or an empty dict for any other value."""
    return cast(dict[str, Any], value) if isinstance(value, dict) else {}


def given_columns(body: EventBody) -> dict[str, Any]:
    """Return the columns that a body gives; null, empty strings and empty lists become the default."""
    given = {name: getattr(body, name) for name in COLUMNS}
    return {name: _to_stored_value(name, value) for name, value in given.items() if value is not UNSET}


def all_columns(body: EventBody) -> dict[str, Any]:
    """Return the columns for replacing an event; omitted fields get defaults, except start, end and event type."""
    blank = {name: DEFAULTS.get(name) for name in COLUMNS if name not in ("start", "end", "event_type")}
    return {**blank, **given_columns(body)}


def _to_stored_value(name: str, value: Any) -> Any:
    return DEFAULTS.get(name) if value is None or value in ("", []) else value

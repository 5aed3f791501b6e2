"""Calendars: https://developers.google.com/workspace/calendar/api/v3/reference/calendars"""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import UNSET, Struct, UnsetType

from twindiff.kit import Body, Call, Header, Operations, View, check_if_match, revise
from twindiff.kit.styles.google import ConditionNotMet

from .access import Access, actor_of, open_calendar, owners_of, primary_of
from .agenda import entry_of, zone_name
from .changes import amend, record_change, stamp
from .errors import CannotDeletePrimary, Invalid, NotFound, Required
from .event_changes import cancel_all
from .tables import (
    AgendaEntry,
    Calendar,
    CalendarAclRule,
    CalendarEvent,
    CalendarEventAttendee,
    CalendarListEntry,
    CalendarUser,
)
from .times import zone_of

api = Operations()

Text = str | UnsetType | None
BASE32 = "0123456789abcdefghijklmnopqrstuv"


class CalendarBody(Struct, rename="camel"):
    """A calendar in a request body."""

    summary: Text = UNSET
    description: Text = UNSET
    location: Text = UNSET
    time_zone: Text = UNSET
    auto_accept_invitations: bool | UnsetType | None = UNSET


calendar_object = View(
    Calendar,
    kind="calendar#calendar",
    etag=Calendar.etag,
    id=Calendar.id,
    summary=Calendar.summary,
)


def render_calendar(call: Call, calendar: Calendar) -> dict[str, Any]:
    """Return a `calendar` resource."""
    more = {"description": calendar.description, "location": calendar.location}
    owner = owners_of(call, [calendar])[calendar.id]
    return {
        **calendar_object(calendar),
        **{name: value for name, value in more.items() if value},
        "timeZone": zone_name(calendar),
        "conferenceProperties": calendar.conference_properties or {"allowedConferenceSolutionTypes": ["hangoutsMeet"]},
        "autoAcceptInvitations": calendar.auto_accept_invitations,
        **({"dataOwner": owner} if owner != calendar.id else {}),
    }


def build_list_collection(user_id: str) -> str:
    """Return the collection path under which changes of a user's calendar list are recorded and watched."""
    return f"/users/{user_id}/calendarList"


@api.get("/calendars/{calendarId}")
def get_calendar(call: Call, calendar_id: str) -> dict[str, Any]:
    """Return a calendar's metadata."""
    return render_calendar(call, open_calendar(call, calendar_id, "freeBusyReader").calendar)


@api.post("/calendars")
def insert_calendar(call: Call, calendar: Annotated[CalendarBody, Body]) -> dict[str, Any]:
    """Create a secondary calendar owned by the actor, and add it to the actor's list."""
    if not calendar.summary:
        raise Required("Missing summary.")
    zone = _parse_zone(calendar.time_zone) or "UTC"
    user, now = actor_of(call), call.clock.iso()
    made = Calendar(
        id=f"c_{call.ids.new('', 24, BASE32)}@group.calendar.google.com",
        summary=calendar.summary,
        description=calendar.description or None,
        location=calendar.location or None,
        time_zone=zone,
        auto_accept_invitations=bool(calendar.auto_accept_invitations or False),
        owner_id=user.id,
        data_owner=user.id,
        created_at=now,
        **stamp(call),
    )
    call.db.add(made)
    _own(call, made.id, user)
    entry = CalendarListEntry(
        id=f"{user.id}:{made.id}",
        user_id=user.id,
        calendar_id=made.id,
        access_role="owner",
        selected=True,
        created_at=now,
        **stamp(call),
    )
    call.db.add(entry)
    record_change(call, build_list_collection(user.id), made.id)
    return render_calendar(call, made)


def _parse_zone(zone: Text) -> str | None:
    if not zone or zone is UNSET:
        return None
    try:
        return zone_of(zone).key
    except ValueError:
        raise Invalid(f"Invalid time zone: '{zone}'. Use a name of the IANA database") from None


@api.patch("/calendars/{calendarId}")
def patch_calendar(
    call: Call,
    calendar_id: str,
    calendar: Annotated[CalendarBody, Body],
    if_match: Annotated[str, Header("If-Match")] = "",
) -> dict[str, Any]:
    """Change the given fields of a calendar."""
    access = open_calendar(call, calendar_id, "owner")
    check_if_match(if_match, access.calendar.etag, ConditionNotMet)
    if calendar.summary is not UNSET and not calendar.summary:
        raise Required("Missing summary.")
    given = {
        "summary": calendar.summary,
        "description": calendar.description,
        "location": calendar.location,
        "time_zone": UNSET if calendar.time_zone is UNSET else _parse_zone(calendar.time_zone) or "UTC",
        "auto_accept_invitations": calendar.auto_accept_invitations or UNSET,
    }
    return _update_calendar(call, access, given)


@api.put("/calendars/{calendarId}")
def update_calendar(
    call: Call,
    calendar_id: str,
    calendar: Annotated[CalendarBody, Body],
    if_match: Annotated[str, Header("If-Match")] = "",
) -> dict[str, Any]:
    """Replace a calendar's metadata; an omitted time zone stays."""
    access = open_calendar(call, calendar_id, "owner")
    check_if_match(if_match, access.calendar.etag, ConditionNotMet)
    if not calendar.summary:
        raise Required("Missing summary.")
    given = {
        "summary": calendar.summary,
        "description": calendar.description or None,
        "location": calendar.location or None,
        "time_zone": _parse_zone(calendar.time_zone) or UNSET,
        "auto_accept_invitations": bool(calendar.auto_accept_invitations or False),
    }
    return _update_calendar(call, access, given)


def _update_calendar(call: Call, access: Access, given: dict[str, Any]) -> dict[str, Any]:
    before = access.calendar
    after = amend(call, before, **given)
    if after.time_zone != before.time_zone:
        _replace_days(call, after)
    return render_calendar(call, after)


def _replace_days(call: Call, calendar: Calendar) -> None:
    """Recompute the agenda entries of a calendar whose zone changed, since its days begin at other instants."""
    entries = {entry.event_id: entry for entry in call.db.rows(AgendaEntry, AgendaEntry.calendar_id == calendar.id)}
    for event in call.db.rows(CalendarEvent, CalendarEvent.id.in_([*entries])):
        here = CalendarEventAttendee.event_id == event.id
        entry = entry_of(event, calendar, call.db.rows(CalendarEventAttendee, here), invited=not entries[event.id].gone)
        revise(
            call.db,
            entries[event.id],
            begins=entry.begins,
            ends=entry.ends,
            duration=entry.duration,
            schedule=entry.schedule,
            original_start=entry.original_start,
        )


@api.delete("/calendars/{calendarId}", status=204)
def delete_calendar(call: Call, calendar_id: str, if_match: Annotated[str, Header("If-Match")] = "") -> None:
    """Delete a secondary calendar for all users."""
    calendar = open_calendar(call, calendar_id, "owner").calendar
    check_if_match(if_match, calendar.etag, ConditionNotMet)
    owner = call.db.find(CalendarUser, CalendarUser.id == calendar.owner_id)
    if owner and primary_of(call, owner) == calendar.id:
        raise CannotDeletePrimary
    call.db.change(calendar, deleted=True, **stamp(call))
    for entry in call.db.rows(CalendarListEntry, CalendarListEntry.calendar_id == calendar.id):
        record_change(call, build_list_collection(entry.user_id), calendar.id)


@api.post("/calendars/{calendarId}/clear", status=204)
def clear_calendar(call: Call, calendar_id: str) -> None:
    """Cancel all events of a calendar."""
    cancel_all(call, open_calendar(call, calendar_id, "owner").calendar)


@api.post("/calendars/{calendarId}/transferOwnership", status=204)
def transfer_ownership(call: Call, calendar_id: str, new_data_owner: str, use_admin_access: bool) -> None:
    """Transfer a secondary calendar and its data to another user; the former owner keeps owner access."""
    if not use_admin_access:
        raise Invalid("Only useAdminAccess=true is accepted.", location=("parameter", "useAdminAccess"))
    calendar = open_calendar(call, calendar_id, "owner").calendar
    owner = call.db.find(CalendarUser, CalendarUser.email == new_data_owner)
    former = call.db.get(CalendarUser, calendar.owner_id)
    if owner is None or owner.email.partition("@")[2] != former.email.partition("@")[2]:
        raise NotFound(f"Not Found: there is no user {new_data_owner} in the organization")
    if primary_of(call, former) == calendar.id:
        raise Invalid("Ownership of a primary calendar cannot be transferred.")
    call.db.change(calendar, owner_id=owner.id, data_owner=owner.id, **stamp(call))
    for user in (former, owner):
        _own(call, calendar.id, user)
        record_change(call, build_list_collection(user.id), calendar.id)


def _own(call: Call, calendar_id: str, user: CalendarUser) -> None:
    here = (
        CalendarAclRule.calendar_id == calendar_id,
        CalendarAclRule.scope_type == "user",
        CalendarAclRule.scope_value == user.email,
    )
    rule = call.db.find(CalendarAclRule, *here)
    if rule:
        amend(call, rule, role="owner", deleted=False)
        return
    made = CalendarAclRule(
        id=f"{calendar_id}:user:{user.email}",
        calendar_id=calendar_id,
        role="owner",
        scope_type="user",
        scope_value=user.email,
        created_at=call.clock.iso(),
        **stamp(call),
    )
    call.db.add(made)

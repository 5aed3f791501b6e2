"""The calendar list: a user's own view of the calendars they have access to.

https://developers.google.com/workspace/calendar/api/v3/reference/calendarList
"""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from msgspec import UNSET, Struct, UnsetType

from twindiff.kit import Body, Call, Header, Operations, check_if_match
from twindiff.kit.etags import etag_of
from twindiff.kit.styles.google import ConditionNotMet

from .access import actor_of, is_at_least, open_calendar, owners_of, resolve_calendar_id, roles_of
from .agenda import zone_name
from .calendars import build_list_collection
from .changes import amend, record_change, stamp
from .colors import CALENDAR as COLORS
from .colors import FOREGROUND, nearest_color
from .errors import (
    CannotChangeOwnPrimarySubscription,
    CannotUnsubscribeFromOwnedCalendar,
    Invalid,
    NotFound,
    Required,
    SyncTokenConflict,
)
from .event_rules import check_overrides, settle_overrides
from .lists import ListRequest, MaxResults, render_page
from .reminders import follow_defaults, minutes_of
from .tables import Calendar, CalendarListEntry

api = Operations()

Text = str | UnsetType | None
Flag = bool | UnsetType | None
Role = Literal["freeBusyReader", "owner", "reader", "writer", "writerWithoutPrivateAccess"]
_RGB = re.compile(r"#[0-9a-fA-F]{6}")


class EntryBody(Struct, rename="camel"):
    """A calendar list entry in a request body."""

    id: Text = UNSET
    summary_override: Text = UNSET
    color_id: Text = UNSET
    background_color: Text = UNSET
    foreground_color: Text = UNSET
    hidden: Flag = UNSET
    selected: Flag = UNSET
    default_reminders: list[dict[str, Any]] | UnsetType | None = UNSET
    notification_settings: dict[str, Any] | UnsetType | None = UNSET


def render_entry(entry: CalendarListEntry, calendar: Calendar, role: str, owner: str | None) -> dict[str, Any]:
    """Return a `calendarListEntry` resource; `owner` is the email address of the calendar's data owner."""
    color = entry.color_id or "14"
    optional = {
        "description": calendar.description,
        "location": calendar.location,
        "summaryOverride": entry.summary_override,
        "dataOwner": owner if owner != calendar.id else None,
        "hidden": entry.hidden,
        "primary": entry.primary,
        "deleted": entry.deleted or calendar.deleted,
        "notificationSettings": entry.notification_settings,
        "autoAcceptInvitations": calendar.auto_accept_invitations,
    }
    return {
        "kind": "calendar#calendarListEntry",
        "etag": entry_etag(entry, calendar, role),
        "id": calendar.id,
        "summary": calendar.summary,
        "timeZone": zone_name(calendar),
        "colorId": color,
        "backgroundColor": entry.background_color or COLORS.get(color, COLORS["14"]),
        "foregroundColor": entry.foreground_color or FOREGROUND,
        "selected": entry.selected,
        "accessRole": role,
        "defaultReminders": entry.default_reminders or [],
        "conferenceProperties": calendar.conference_properties or {"allowedConferenceSolutionTypes": ["hangoutsMeet"]},
        **{name: value for name, value in optional.items() if value},
    }


def entry_etag(entry: CalendarListEntry, calendar: Calendar, role: str) -> str:
    """Return the tag of an entry, which also shows properties of its calendar and the user's role there."""
    return etag_of([entry.etag, calendar.etag, role])


def _render_with_owner(call: Call, entry: CalendarListEntry, calendar: Calendar, role: str) -> dict[str, Any]:
    return render_entry(entry, calendar, role, owners_of(call, [calendar]).get(calendar.id))


def _entry(call: Call, calendar_id: str) -> tuple[CalendarListEntry, Calendar, str]:
    """Return an undeleted entry of the actor's list, its calendar, and the actor's role there; raises NotFound."""
    here = (
        CalendarListEntry.user_id == actor_of(call).id,
        CalendarListEntry.calendar_id == resolve_calendar_id(call, calendar_id),
    )
    entry = call.db.find(CalendarListEntry, *here)
    if entry is None or entry.deleted:
        raise NotFound
    access = open_calendar(call, calendar_id, "freeBusyReader")
    return entry, access.calendar, access.role


@api.get("/users/me/calendarList")
def list_entries(
    call: Call,
    max_results: MaxResults = 100,
    page_token: str = "",
    sync_token: str = "",
    min_access_role: Role | None = None,
    show_deleted: bool | None = None,
    show_hidden: bool | None = None,
    show_own_organization_only: bool = False,
) -> dict[str, Any]:
    """List the entries of the user's calendar list."""
    user = actor_of(call)
    if sync_token and (min_access_role or show_own_organization_only or False in (show_deleted, show_hidden)):
        raise SyncTokenConflict
    entries = call.db.rows(CalendarListEntry, CalendarListEntry.user_id == user.id)
    ids = [entry.calendar_id for entry in entries]
    calendars = {calendar.id: calendar for calendar in call.db.rows(Calendar, Calendar.id.in_(ids))}
    roles, owners = roles_of(call, [*calendars.values()]), owners_of(call, [*calendars.values()])
    domain = f"@{user.email.partition('@')[2]}"

    def is_shown(entry: CalendarListEntry) -> bool:
        calendar = calendars.get(entry.calendar_id)
        if calendar is None or not is_at_least(roles[calendar.id], min_access_role or "freeBusyReader"):
            return False
        if show_own_organization_only and not owners.get(calendar.id, "").endswith(domain):
            return False
        is_gone = entry.deleted or calendar.deleted
        return bool(sync_token) or ((show_deleted or not is_gone) and (show_hidden or show_deleted or not entry.hidden))

    kept = [entry for entry in entries if is_shown(entry)]
    asked = ListRequest(build_list_collection(user.id), max_results, page_token, sync_token)

    def show(entry: CalendarListEntry) -> dict[str, Any]:
        return render_entry(
            entry, calendars[entry.calendar_id], roles[entry.calendar_id], owners.get(entry.calendar_id)
        )

    return render_page(call, "calendar#calendarList", asked, kept, lambda entry: entry.calendar_id, show)


@api.get("/users/me/calendarList/{calendarId}")
def get_entry(call: Call, calendar_id: str) -> dict[str, Any]:
    """Return one entry of the user's calendar list."""
    return _render_with_owner(call, *_entry(call, calendar_id))


@api.post("/users/me/calendarList")
def insert_entry(call: Call, entry: Annotated[EntryBody, Body], color_rgb_format: bool = False) -> dict[str, Any]:
    """Add a visible calendar to the user's list; an existing entry changes only where the body has values."""
    if not entry.id:
        raise Required("Missing calendar id.", location=("parameter", "id"))
    user, access = actor_of(call), open_calendar(call, entry.id, "freeBusyReader")
    calendar = access.calendar
    wanted = _to_columns(entry, rgb=color_rgb_format)
    here = CalendarListEntry.user_id == user.id, CalendarListEntry.calendar_id == calendar.id
    known = call.db.find(CalendarListEntry, *here)
    if known:
        after = amend(call, known, **{**wanted, "deleted": False})
        _remind_anew(call, calendar, known, after)
    else:
        fresh = CalendarListEntry(
            id=f"{user.id}:{calendar.id}",
            user_id=user.id,
            calendar_id=calendar.id,
            access_role=access.role,
            created_at=call.clock.iso(),
            **{"selected": False, **{name: value for name, value in wanted.items() if value is not UNSET}},
            **stamp(call),
        )
        after = call.db.add(fresh)
    record_change(call, build_list_collection(user.id), calendar.id)
    return _render_with_owner(call, after, calendar, access.role)


def _to_columns(given: EntryBody, *, rgb: bool, replaces: bool = False) -> dict[str, Any]:
    """Return the columns that a body sets; `replaces` sets all columns, with defaults for omitted fields."""
    if not rgb and (given.background_color or given.foreground_color) and not given.color_id and not replaces:
        raise Invalid("Colors can be given as RGB only with colorRgbFormat=true. Use colorId otherwise.")
    for color in (given.background_color, given.foreground_color):
        if rgb and color and not _RGB.fullmatch(color):
            raise Invalid(f"Invalid color: '{color}'. Use the form #0088aa")
    if given.color_id and given.color_id not in COLORS:
        raise Invalid(f"Invalid value for colorId: '{given.color_id}'. The colors resource lists those there are.")
    check_overrides(given.default_reminders or [])
    reminders = given.default_reminders
    flags = {"hidden": given.hidden, "selected": given.selected}
    values: dict[str, Any] = {
        "summary_override": given.summary_override,
        **_colors(given, rgb=rgb),
        "default_reminders": settle_overrides(reminders) if reminders else reminders,
        "notification_settings": given.notification_settings,
    }
    wanted = {**values, **{name: bool(flag) if flag is not UNSET else UNSET for name, flag in flags.items()}}
    if not replaces:
        return wanted
    blank = {**dict.fromkeys(values), "hidden": False, "selected": False}
    return {name: blank[name] if value is UNSET else value for name, value in wanted.items()}


def _colors(given: EntryBody, *, rgb: bool) -> dict[str, Any]:
    """Return the color columns that a body sets: RGB colors set the most similar id, and an id replaces RGB colors."""
    background, foreground = given.background_color, given.foreground_color
    if rgb and (background or foreground):
        color = nearest_color(background) if background else given.color_id
        return {"color_id": color, "background_color": background, "foreground_color": foreground}
    reset = None if given.color_id else UNSET
    return {"color_id": given.color_id, "background_color": reset, "foreground_color": reset}


@api.patch("/users/me/calendarList/{calendarId}")
def patch_entry(
    call: Call,
    calendar_id: str,
    entry: Annotated[EntryBody, Body],
    color_rgb_format: bool = False,
    if_match: Annotated[str, Header("If-Match")] = "",
) -> dict[str, Any]:
    """Change the given fields of a calendar list entry."""
    row, calendar, role = _entry(call, calendar_id)
    check_if_match(if_match, entry_etag(row, calendar, role), ConditionNotMet)
    return _update_entry(call, row, calendar, role, _to_columns(entry, rgb=color_rgb_format))


@api.put("/users/me/calendarList/{calendarId}")
def update_entry(
    call: Call,
    calendar_id: str,
    entry: Annotated[EntryBody, Body],
    color_rgb_format: bool = False,
    if_match: Annotated[str, Header("If-Match")] = "",
) -> dict[str, Any]:
    """Replace a calendar list entry."""
    row, calendar, role = _entry(call, calendar_id)
    check_if_match(if_match, entry_etag(row, calendar, role), ConditionNotMet)
    return _update_entry(call, row, calendar, role, _to_columns(entry, rgb=color_rgb_format, replaces=True))


def _update_entry(
    call: Call, before: CalendarListEntry, calendar: Calendar, role: str, wanted: dict[str, Any]
) -> dict[str, Any]:
    after = amend(call, before, **wanted)
    if after.etag != before.etag:
        record_change(call, build_list_collection(before.user_id), calendar.id)
        _remind_anew(call, calendar, before, after)
    return _render_with_owner(call, after, calendar, role)


def _remind_anew(call: Call, calendar: Calendar, before: CalendarListEntry, after: CalendarListEntry) -> None:
    """Reschedule the alarms of existing events if the owner's default reminders have changed."""
    is_other = minutes_of(None, before.default_reminders) != minutes_of(None, after.default_reminders)
    if is_other and calendar.owner_id == after.user_id:
        follow_defaults(call, calendar.id)


@api.delete("/users/me/calendarList/{calendarId}", status=204)
def delete_entry(call: Call, calendar_id: str, if_match: Annotated[str, Header("If-Match")] = "") -> None:
    """Remove a calendar from the user's list; the calendar and the user's access to it stay."""
    entry, calendar, role = _entry(call, calendar_id)
    check_if_match(if_match, entry_etag(entry, calendar, role), ConditionNotMet)
    if entry.primary:
        raise CannotChangeOwnPrimarySubscription
    if (calendar.data_owner or "") == entry.user_id:
        raise CannotUnsubscribeFromOwnedCalendar
    record_change(call, build_list_collection(entry.user_id), amend(call, entry, deleted=True).calendar_id)

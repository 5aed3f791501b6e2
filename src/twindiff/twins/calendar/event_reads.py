"""Reading events: get, list and instances of https://developers.google.com/workspace/calendar/api/v3/reference/events"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from twindiff.kit import Call, Named, Operations
from twindiff.kit.clock import Clock

from .access import Access, open_calendar
from .agenda import zone_name
from .changes import etag_for
from .errors import NotRecurring, OrderingNotAvailable, SyncTokenConflict, TimeRangeEmpty, UpdatedMinTooLongAgo
from .event_changes import find_event
from .event_filters import Filters, read_properties
from .event_list import EventListQuery, Window, events_page, full_window, last_update, since_of
from .event_views import event_object, lens_of, occurrence_id
from .lists import MaxAttendees, MaxResults
from .tables import CalendarEvent, CalendarListEntry, CalendarSetting
from .times import DAY, begin_of, read_instant
from .times import stamp as stamp_shown

api = Operations()

MAX_UPDATED_MIN_AGE = 20 * DAY
"""Microseconds for which Google lists changes by `updatedMin`; the number is from a public report:
https://github.com/googleapis/google-api-dotnet-client/issues/239
"""

EventType = Literal["birthday", "default", "focusTime", "fromGmail", "outOfOffice", "workingLocation"]


@api.get("/calendars/{calendarId}/events/{eventId}")
def get_event(
    call: Call, calendar_id: str, event_id: str, max_attendees: MaxAttendees | None = None, time_zone: str = ""
) -> dict[str, Any]:
    """Return an event, an exception or an occurrence of a series; a cancelled one has the status `cancelled`."""
    access = open_calendar(call, calendar_id, "freeBusyReader")
    seen = find_event(call, access, event_id)
    return event_object(seen.event, seen.attendees, lens_of(access, time_zone, max_attendees), seen.copy)


@api.get("/calendars/{calendarId}/events")
def list_events(
    call: Call,
    calendar_id: str,
    event_types: list[EventType] | None = None,
    ical_uid: Annotated[str, Named("iCalUID")] = "",
    max_attendees: MaxAttendees | None = None,
    max_results: MaxResults = 250,
    order_by: Literal["startTime", "updated"] | None = None,
    page_token: str = "",
    private_extended_property: list[str] | None = None,
    q: str = "",
    shared_extended_property: list[str] | None = None,
    show_deleted: bool | None = None,
    show_hidden_invitations: bool = False,
    single_events: bool = False,
    sync_token: str = "",
    time_max: str = "",
    time_min: str = "",
    time_zone: str = "",
    updated_min: str = "",
) -> dict[str, Any]:
    """List the events of a calendar, optionally with series expanded, or the changes since a sync token."""
    access = open_calendar(call, calendar_id, "freeBusyReader")
    if order_by == "startTime" and not single_events:
        raise OrderingNotAvailable
    properties = private_extended_property or (), shared_extended_property or ()
    filters = _filters(q, ical_uid, event_types or (), *properties)
    is_plain = not order_by and not updated_min and filters._replace(event_types=()).is_empty
    if not show_hidden_invitations and _hides_invitations(call, access):
        filters = filters._replace(answered_by=access.calendar.id)
    if sync_token and (time_min or time_max or not is_plain or show_deleted is False):
        raise SyncTokenConflict
    since = since_of(call, access.calendar.id, sync_token)
    newer = _updated_min(call, updated_min)
    window = _window(call, time_min, time_max, is_expanded=single_events)
    shows_deleted = bool(show_deleted or sync_token or updated_min)
    wanted = EventListQuery(window, filters, single_events, order_by or "", shows_deleted, newer, since)
    lens = lens_of(access, time_zone, max_attendees)
    page = events_page(call, lens, wanted, limit=max_results, page_token=page_token, token_is_due=is_plain)
    return {**_about(call, access, time_zone), **page}


def _updated_min(call: Call, given: str) -> str:
    """Return `updatedMin` in the form of a Timestamp column; raises UpdatedMinTooLongAgo."""
    if not given:
        return ""
    instant = read_instant(given, "updatedMin")
    if instant < call.clock.micros - MAX_UPDATED_MIN_AGE:
        raise UpdatedMinTooLongAgo
    return Clock(max(instant, 0)).iso()


def _hides_invitations(call: Call, access: Access) -> bool:
    """Whether the calendar's owner has the setting `hideInvitations`, which hides invitations without a response."""
    here = CalendarSetting.user_id == access.calendar.owner_id, CalendarSetting.setting_id == "hideInvitations"
    setting = call.db.find(CalendarSetting, *here)
    return setting is not None and setting.value == "true"


def _filters(q: str, uid: str, types: Sequence[str], private: Sequence[str], shared: Sequence[str]) -> Filters:
    return Filters(
        q.strip(),
        uid,
        tuple(types),
        read_properties(private, "privateExtendedProperty"),
        read_properties(shared, "sharedExtendedProperty"),
    )


def _window(call: Call, time_min: str, time_max: str, *, is_expanded: bool) -> Window:
    low = read_instant(time_min, "timeMin") if time_min else None
    high = read_instant(time_max, "timeMax") if time_max else None
    if low is not None and high is not None and low >= high:
        raise TimeRangeEmpty
    return full_window(low, high, call.clock.micros, is_expanded=is_expanded)


def _about(call: Call, access: Access, zone: str) -> dict[str, Any]:
    """Return the fields of an event list that describe its calendar."""
    calendar = access.calendar
    here = CalendarListEntry.user_id == call.actor, CalendarListEntry.calendar_id == calendar.id
    entry = call.db.find(CalendarListEntry, *here)
    return {
        "kind": "calendar#events",
        "etag": calendar.etag or etag_for(0),
        "summary": calendar.summary,
        **({"description": calendar.description} if calendar.description else {}),
        "updated": stamp_shown(max(calendar.updated_at or "", last_update(call, calendar.id)) or None),
        "timeZone": lens_of(access, zone).zone.key,
        "accessRole": access.role,
        "defaultReminders": (entry.default_reminders if entry else None) or [],
    }


@api.get("/calendars/{calendarId}/events/{eventId}/instances")
def list_instances(
    call: Call,
    calendar_id: str,
    event_id: str,
    max_attendees: MaxAttendees | None = None,
    max_results: MaxResults = 250,
    original_start: str = "",
    page_token: str = "",
    show_deleted: bool = False,
    time_max: str = "",
    time_min: str = "",
    time_zone: str = "",
) -> dict[str, Any]:
    """List the occurrences of a series, with exceptions in the place of the occurrences they replace."""
    access = open_calendar(call, calendar_id, "freeBusyReader")
    series = find_event(call, access, event_id).event
    if not series.recurrence:
        raise NotRecurring
    if original_start:
        return _instance_at(call, access, series, original_start, time_zone)
    begins = begin_of(series.start, zone_name(access.calendar))
    window = _window(call, time_min, time_max, is_expanded=True)
    if not time_max:
        window = Window(window.low, max(window.high, begins + window.high - call.clock.micros))
    wanted = EventListQuery(window, Filters(series_id=series.id), is_expanded=True, shows_deleted=show_deleted)
    lens = lens_of(access, time_zone, max_attendees)
    page = events_page(call, lens, wanted, limit=max_results, page_token=page_token)
    return {**_about(call, access, time_zone), **page}


def _instance_at(call: Call, access: Access, series: CalendarEvent, original: str, zone: str) -> dict[str, Any]:
    """Return the page with the one occurrence that originally began at `original`, a time or a day."""
    own = zone_name(access.calendar)
    start = begin_of({"date": original}, own) if len(original) == 10 else read_instant(original, "originalStart")
    seen = find_event(call, access, occurrence_id(series, start, own))
    lens = lens_of(access, zone)
    return {**_about(call, access, zone), "items": [event_object(seen.event, seen.attendees, lens, seen.copy)]}

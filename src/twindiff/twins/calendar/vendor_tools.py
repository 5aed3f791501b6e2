"""The tools of Google's MCP server for Calendar.

https://developers.google.com/workspace/calendar/api/v3/reference/mcp
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, Literal, Required, TypedDict
from zoneinfo import ZoneInfo

from twindiff.kit import Meta, Struct
from twindiff.kit.agent_tools import Caller, ToolRefused, VendorTools

Notification = Literal["NONE", "EXTERNAL_ONLY", "ALL"]
PageSize = Annotated[int, Meta(ge=1, le=250)]
MAX_SUGGESTIONS = 5
_UPDATES = {"NONE": "none", "EXTERNAL_ONLY": "externalOnly", "ALL": "all"}
_EVENTS = "/calendars/{calendarId}/events"
_EVENT = f"{_EVENTS}/{{eventId}}"

tools = VendorTools(
    host="calendarmcp.googleapis.com",
    core=(
        "GET /users/me/calendarList",
        "GET /calendars/{calendarId}",
        "POST /calendars",
        *(f"{verb} {_EVENTS}" for verb in ("GET", "POST")),
        *(f"{verb} {_EVENT}" for verb in ("GET", "PATCH", "DELETE")),
        f"GET {_EVENT}/instances",
        f"POST {_EVENT}/move",
        f"POST {_EVENTS}/quickAdd",
        "POST /freeBusy",
        "GET /calendars/{calendarId}/acl",
        "POST /calendars/{calendarId}/acl",
        "GET /users/me/settings",
        "GET /colors",
    ),
)


class Preferences(Struct, rename="camel"):
    """When a meeting should be: hours as HH:MM."""

    start_hour: str = "00:00"
    end_hour: str = "24:00"
    exclude_weekends: bool = False


class ListedCalendar(TypedDict, total=False):
    """A calendar of the user's list."""

    id: Required[str]
    summary: str
    description: str
    timeZone: str


class CalendarList(TypedDict, total=False):
    """A page of calendars."""

    calendars: Required[list[ListedCalendar]]
    nextPageToken: str


class ToolEvent(TypedDict, total=False):
    """An event, with the fields of the Calendar API."""

    id: Required[str]
    status: str
    summary: str
    description: str
    location: str
    htmlLink: str
    start: dict[str, str]
    end: dict[str, str]
    attendees: list[dict[str, Any]]
    recurrence: list[str]
    recurringEventId: str


class EventPage(TypedDict, total=False):
    """A page of events."""

    events: Required[list[ToolEvent]]
    nextPageToken: str


class SuggestedSlot(TypedDict):
    """A time at which all attendees are free, in ISO 8601."""

    startTime: str
    endTime: str


class SuggestedTimes(TypedDict):
    """The first times at which all attendees are free."""

    timeSlots: list[SuggestedSlot]


@tools.reads
async def list_calendars(call: Caller, pageSize: PageSize = 100, pageToken: str = "") -> CalendarList:  # noqa: N803
    """List the calendars of the user."""
    page = await call("GET /users/me/calendarList", maxResults=pageSize, pageToken=pageToken)
    names = ("id", "summary", "description", "timeZone")
    return _page("calendars", [{name: each[name] for name in names if name in each} for each in page["items"]], page)


@tools.reads
async def list_events(
    call: Caller,
    calendarId: str = "primary",  # noqa: N803
    startTime: str | None = None,  # noqa: N803
    endTime: str | None = None,  # noqa: N803
    timeZone: str | None = None,  # noqa: N803
    fullText: str | None = None,  # noqa: N803
    orderBy: Literal["startTime", "startTimeDesc", "lastModified", "default"] = "default",  # noqa: N803
    pageSize: PageSize = 100,  # noqa: N803
    pageToken: str = "",  # noqa: N803
    eventTypeFilter: list[str] | None = None,  # noqa: N803
) -> EventPage:
    """List the events of a calendar, each occurrence by itself."""
    zone = await _zone(call, calendarId, timeZone)
    page = await call(
        f"GET {_EVENTS}",
        calendarId=calendarId,
        timeMin=startTime and _instant(startTime, zone),
        timeMax=endTime and _instant(endTime, zone),
        timeZone=timeZone,
        q=fullText,
        singleEvents=True,
        orderBy="updated" if orderBy == "lastModified" else "startTime",
        maxResults=pageSize,
        pageToken=pageToken,
        eventTypes=eventTypeFilter,
    )
    events: list[Any] = page["items"]
    return _page("events", events[::-1] if orderBy == "startTimeDesc" else events, page)


@tools.reads
async def search_events(call: Caller, query: str, pageSize: PageSize = 20) -> EventPage:  # noqa: N803
    """Search the events of the user's own calendar."""
    page = await call(f"GET {_EVENTS}", calendarId="primary", q=query, singleEvents=True, maxResults=pageSize)
    return _page("events", page["items"], page)


@tools.reads
async def get_event(call: Caller, eventId: str, calendarId: str = "primary") -> ToolEvent:  # noqa: N803
    """Return an event."""
    return await call(f"GET {_EVENT}", calendarId=calendarId, eventId=eventId)


@tools.writes
async def create_event(
    call: Caller,
    summary: str,
    startTime: str,  # noqa: N803
    endTime: str,  # noqa: N803
    timeZone: str | None = None,  # noqa: N803
    attendeeEmails: list[str] | None = None,  # noqa: N803
    recurrenceData: list[str] | None = None,  # noqa: N803
    calendarId: str = "primary",  # noqa: N803
    description: str | None = None,
    location: str | None = None,
    allDay: bool = False,  # noqa: N803
    notificationLevel: Notification = "NONE",  # noqa: N803
    addGoogleMeetUrl: bool = False,  # noqa: N803
    visibility: str | None = None,
    colorId: str | None = None,  # noqa: N803
) -> ToolEvent:
    """Create an event; times are in ISO 8601, by default in the calendar's time zone."""
    zone = timeZone or str(await _zone(call, calendarId, None))
    return await call(
        f"POST {_EVENTS}",
        calendarId=calendarId,
        sendUpdates=_UPDATES[notificationLevel],
        conferenceDataVersion=1 if addGoogleMeetUrl else None,
        summary=summary,
        start=_moment(startTime, zone, all_day=allDay),
        end=_moment(endTime, zone, all_day=allDay),
        attendees=attendeeEmails and [{"email": email} for email in attendeeEmails],
        recurrence=recurrenceData or None,
        description=description,
        location=location,
        visibility=visibility,
        colorId=colorId,
        conferenceData=_meet(summary, startTime) if addGoogleMeetUrl else None,
    )


@tools.writes
async def update_event(
    call: Caller,
    eventId: str,  # noqa: N803
    summary: str | None = None,
    startTime: str | None = None,  # noqa: N803
    endTime: str | None = None,  # noqa: N803
    timeZone: str | None = None,  # noqa: N803
    attendeeEmails: list[str] | None = None,  # noqa: N803
    calendarId: str = "primary",  # noqa: N803
    description: str | None = None,
    location: str | None = None,
    allDay: bool = False,  # noqa: N803
    notificationLevel: Notification = "NONE",  # noqa: N803
    visibility: str | None = None,
    colorId: str | None = None,  # noqa: N803
) -> ToolEvent:
    """Change the given fields of an event; attendees who stay keep their responses."""
    zone = timeZone or str(await _zone(call, calendarId, None))
    attendees = attendeeEmails and await _merge_attendees(call, calendarId, eventId, attendeeEmails)
    return await call(
        f"PATCH {_EVENT}",
        calendarId=calendarId,
        eventId=eventId,
        sendUpdates=_UPDATES[notificationLevel],
        summary=summary,
        start=startTime and _moment(startTime, zone, all_day=allDay),
        end=endTime and _moment(endTime, zone, all_day=allDay),
        attendees=attendees,
        description=description,
        location=location,
        visibility=visibility,
        colorId=colorId,
    )


@tools.writes
async def delete_event(
    call: Caller,
    eventId: str,  # noqa: N803
    calendarId: str = "primary",  # noqa: N803
    notificationLevel: Notification = "NONE",  # noqa: N803
) -> Any:
    """Delete an event."""
    updates = _UPDATES[notificationLevel]
    await call(f"DELETE {_EVENT}", calendarId=calendarId, eventId=eventId, sendUpdates=updates)
    return {}


@tools.writes
async def respond_to_event(
    call: Caller,
    eventId: str,  # noqa: N803
    responseStatus: Literal["declined", "tentative", "accepted"],  # noqa: N803
    responseComment: str | None = None,  # noqa: N803
    calendarId: str = "primary",  # noqa: N803
    notificationLevel: Notification = "NONE",  # noqa: N803
) -> ToolEvent:
    """Respond to an invitation."""
    event = await call(f"GET {_EVENT}", calendarId=calendarId, eventId=eventId)
    response = {"responseStatus": responseStatus, **({"comment": responseComment} if responseComment else {})}
    attendees = [each | response if each.get("self") else each for each in event.get("attendees", [])]
    updates = _UPDATES[notificationLevel]
    return await call(
        f"PATCH {_EVENT}", calendarId=calendarId, eventId=eventId, attendees=attendees, sendUpdates=updates
    )


@tools.reads
async def suggest_time(
    call: Caller,
    attendeeEmails: list[str],  # noqa: N803
    startTime: str,  # noqa: N803
    endTime: str,  # noqa: N803
    timeZone: str | None = None,  # noqa: N803
    durationMinutes: Annotated[int, Meta(ge=1, le=1440)] = 30,  # noqa: N803
    preferences: Preferences | None = None,
) -> SuggestedTimes:
    """Suggest times at which all attendees are free."""
    zone = await _zone(call, "primary", timeZone)
    begin, end = (datetime.fromisoformat(_instant(each, zone)) for each in (startTime, endTime))
    asked = [{"id": email} for email in attendeeEmails]
    free = await call("POST /freeBusy", timeMin=begin.isoformat(), timeMax=end.isoformat(), items=asked)
    busy = [
        (datetime.fromisoformat(each["start"]), datetime.fromisoformat(each["end"]))
        for calendar in free["calendars"].values()
        for each in calendar.get("busy", [])
    ]
    slots = _free_slots(begin, end, busy, timedelta(minutes=durationMinutes), preferences or Preferences(), zone)
    return {"timeSlots": [{"startTime": start.isoformat(), "endTime": stop.isoformat()} for start, stop in slots]}


async def _zone(call: Caller, calendar_id: str, given: str | None) -> ZoneInfo:
    name = given or (await call("GET /calendars/{calendarId}", calendarId=calendar_id))["timeZone"]
    try:
        return ZoneInfo(name)
    except (ValueError, KeyError, OSError):
        raise ToolRefused(f"'{name[:100]}' is no time zone; one is Europe/Zurich") from None


def _instant(text: str, zone: ZoneInfo) -> str:
    """A time with an offset; one without is in the zone."""
    moment = _read_time(text)
    return (moment if moment.tzinfo else moment.replace(tzinfo=zone)).isoformat()


def _read_time(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        raise ToolRefused(f"'{text[:100]}' is no time in ISO 8601, such as 2026-12-01T09:00:00") from None


def _moment(text: str, zone: str, *, all_day: bool) -> dict[str, str]:
    return {"date": text[:10]} if all_day else {"dateTime": text, "timeZone": zone}


def _meet(summary: str, start: str) -> dict[str, Any]:
    return {"createRequest": {"requestId": f"{summary} {start}", "conferenceSolutionKey": {"type": "hangoutsMeet"}}}


async def _merge_attendees(call: Caller, calendar_id: str, event_id: str, emails: list[str]) -> list[dict[str, Any]]:
    event = await call(f"GET {_EVENT}", calendarId=calendar_id, eventId=event_id)
    known = {each["email"]: each for each in event.get("attendees", [])}
    return [known.get(email, {"email": email}) for email in emails]


def _page(name: str, items: list[Any], page: dict[str, Any]) -> Any:
    token = page.get("nextPageToken")
    return {name: items, **({"nextPageToken": token} if token else {})}


def _free_slots(
    begin: datetime,
    end: datetime,
    busy: list[tuple[datetime, datetime]],
    duration: timedelta,
    wanted: Preferences,
    zone: ZoneInfo,
) -> list[tuple[datetime, datetime]]:
    """The first free times of a duration, each in the preferred hours of one day."""
    slots: list[tuple[datetime, datetime]] = []
    for opens, closes in _working_hours(begin, end, wanted, zone):
        start = opens
        for taken, released in [*sorted(each for each in busy if each[1] > opens), (closes, closes)]:
            while start + duration <= min(taken, closes) and len(slots) < MAX_SUGGESTIONS:
                slots.append((start, start + duration))
                start += duration
            start = max(start, released.astimezone(zone))
    return slots[:MAX_SUGGESTIONS]


def _working_hours(
    begin: datetime, end: datetime, wanted: Preferences, zone: ZoneInfo
) -> Iterator[tuple[datetime, datetime]]:
    """The preferred hours of each day between two times."""
    day = begin.astimezone(zone).replace(hour=0, minute=0, second=0, microsecond=0)
    while day < end:
        if not (wanted.exclude_weekends and day.weekday() >= 5):
            opens = max(_at(day, wanted.start_hour), begin.astimezone(zone))
            closes = min(_at(day, wanted.end_hour), end.astimezone(zone))
            if opens.astimezone(UTC) < closes.astimezone(UTC):
                yield opens, closes
        day += timedelta(days=1)


def _at(day: datetime, clock: str) -> datetime:
    hours, _, minutes = clock.partition(":")
    if not hours.isdecimal() or not minutes.isdecimal() or int(hours) > 24:
        raise ToolRefused(f"'{clock[:100]}' is no hour of a day, such as 09:00")
    return day + timedelta(hours=int(hours), minutes=int(minutes))

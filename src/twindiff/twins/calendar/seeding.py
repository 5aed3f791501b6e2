"""Seeding of calendar worlds from a configuration of users, calendars and events."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from twindiff.kit import ApiError, Call
from twindiff.kit.seeding import InvalidSeedConfig, Person, Seeding, SeedSection

from .calendars import CalendarBody, insert_calendar
from .changes import stamp
from .event_bodies import EventBody
from .events import insert_event
from .tables import Calendar, CalendarAclRule, CalendarListEntry, CalendarSetting, CalendarUser
from .times import zone_of

UTC = "UTC"


class SeedUser(SeedSection):
    """A user with a primary calendar."""

    name: str
    email: str | None = None
    timezone: str | None = None


class SeedEvent(SeedSection):
    """An event; `start` and `end` are ISO 8601 times, local in the calendar's zone, or days like `2026-03-02`.

    `organizer` defaults to the first user. `calendar` is the name of a configured calendar and defaults to the
    organizer's
    primary calendar.
    """

    summary: str
    start: str
    end: str
    organizer: str | None = None
    calendar: str | None = None
    description: str | None = None
    location: str | None = None
    attendees: list[str] = msgspec.field(default_factory=list[str])
    recurrence: list[str] = msgspec.field(default_factory=list[str])


class SeedCalendar(SeedSection):
    """A secondary calendar with its events, which its owner organizes; the owner defaults to the first user."""

    name: str
    owner: str | None = None
    timezone: str | None = None
    description: str | None = None
    events: list[SeedEvent] = msgspec.field(default_factory=list[SeedEvent])


class CalendarConfig(msgspec.Struct):
    """The seed configuration of a calendar world."""

    users: list[SeedUser | str] = []
    calendars: list[SeedCalendar | str] = []
    events: list[SeedEvent] = []


def write(call: Call, config: CalendarConfig, people: Sequence[Person]) -> dict[str, int]:
    """Fill an empty world and return the number of `users`, `calendars` and `events`.

    Raises InvalidSeedConfig for an unknown user or calendar, or for values that the API refuses.
    """
    users = {person.email: _join(call, person) for person in people}
    users |= {person.name: users[person.email] for person in people}
    first = users[people[0].email] if people else ""
    calendars: dict[str, str] = {}
    secondary = [SeedCalendar(each) if isinstance(each, str) else each for each in config.calendars]
    for number, given in enumerate(secondary):
        owner = _resolve_name(users, given.owner or "", f"calendars[{number}].owner") if given.owner else first
        _act(call, owner)
        body = CalendarBody(summary=given.name, description=given.description, time_zone=given.timezone or UTC)
        try:
            calendars[given.name] = insert_calendar(call, body)["id"]
        except ApiError as error:
            raise InvalidSeedConfig([f"calendars[{number}]: {error}"]) from None
    events = [*_events_of(secondary), *((f"events[{number}]", each) for number, each in enumerate(config.events))]
    for where, event in events:
        _write_event(call, event, where, users, calendars, first)
    return {"users": len(people), "calendars": len(people) + len(calendars), "events": len(events)}


def _events_of(calendars: Sequence[SeedCalendar]) -> Iterator[tuple[str, SeedEvent]]:
    """Yield the events nested in calendars, each with its path in the configuration."""
    for number, calendar in enumerate(calendars):
        for at, event in enumerate(calendar.events):
            where = f"calendars[{number}].events[{at}]"
            if event.calendar not in (None, calendar.name):
                raise InvalidSeedConfig([f"{where}.calendar: it stands below '{calendar.name}'"])
            yield where, replace(event, calendar=calendar.name, organizer=event.organizer or calendar.owner)


def _act(call: Call, user_id: str) -> None:
    call.actor = user_id
    call.memo.clear()


def _resolve_name(known: dict[str, str], name: str, where: str) -> str:
    if name not in known:
        raise InvalidSeedConfig([f"{where}: there is no '{name}'"])
    return known[name]


def _join(call: Call, person: Person) -> str:
    known = call.db.find(CalendarUser, CalendarUser.email == person.email)
    try:
        zone = zone_of(person.timezone).key
    except ValueError as error:
        raise InvalidSeedConfig([f"users: {error}"]) from None
    if known:
        return _move(call, known, zone)
    user_id = f"user_{person.email}"
    now = call.clock.iso()
    call.db.add(CalendarUser(id=user_id, email=person.email, display_name=person.name, created_at=now, updated_at=now))
    own: dict[str, Any] = {"created_at": now, **stamp(call)}
    call.db.add(Calendar(id=person.email, summary=person.email, owner_id=user_id, time_zone=zone, **own))
    entry = CalendarListEntry(
        id=f"{user_id}:{person.email}",
        user_id=user_id,
        calendar_id=person.email,
        access_role="owner",
        primary=True,
        **own,
    )
    call.db.add(entry)
    rule = CalendarAclRule(
        id=f"{person.email}:user:{person.email}",
        calendar_id=person.email,
        role="owner",
        scope_type="user",
        scope_value=person.email,
        **own,
    )
    call.db.add(rule)
    call.db.add(CalendarSetting(user_id=user_id, setting_id="timezone", value=zone))
    return user_id


def _move(call: Call, user: CalendarUser, zone: str) -> str:
    """Set the time zone of an existing user to that of the configuration's times, and return the user's id."""
    if calendar := call.db.find(Calendar, Calendar.id == user.email):
        call.db.change(calendar, time_zone=zone)
    setting = call.db.find(
        CalendarSetting, CalendarSetting.user_id == user.id, CalendarSetting.setting_id == "timezone"
    )
    if setting:
        call.db.change(setting, value=zone)
    return user.id


def _write_event(
    call: Call, event: SeedEvent, where: str, users: dict[str, str], calendars: dict[str, str], first: str
) -> None:
    organizer = _resolve_name(users, event.organizer, f"{where}.organizer") if event.organizer else first
    _act(call, organizer)
    calendar = _resolve_name(calendars, event.calendar, f"{where}.calendar") if event.calendar else "primary"
    zone = call.db.get(Calendar, calendars.get(event.calendar or "") or _email(call, organizer)).time_zone or UTC
    guests = [_email(call, _resolve_name(users, each, f"{where}.attendees")) for each in event.attendees]
    body = EventBody(
        summary=event.summary,
        description=event.description,
        location=event.location,
        start=_time(event.start, zone),
        end=_time(event.end, zone),
        attendees=[{"email": email} for email in guests],
        recurrence=event.recurrence,
    )
    try:
        insert_event(call, calendar, body)
    except ApiError as error:
        raise InvalidSeedConfig([f"{where}: {error}"]) from None


def _email(call: Call, user_id: str) -> str:
    return call.db.get(CalendarUser, user_id).email


def _time(text: str, zone: str) -> dict[str, Any]:
    if len(text) == 10:
        return {"date": text}
    return {"dateTime": text if len(text) > 16 else f"{text}:00", "timeZone": zone}


seeding = Seeding(CalendarConfig, write)

"""The kinds of Google Calendar: users, calendars and events."""

from __future__ import annotations

from datetime import date, time, timedelta
from typing import Any

from twindiff.server.apis.twin_runs.world_prompt_details import FIRST_MONDAY, Meetings, span

from .kinds import AGENT_EMAIL, Kind, KindField, Rows, Vendor, World, WorldEntity, drop_none, persons

KINDS = (
    Kind(
        "calendar.user",
        (
            ("attendee", "attendees"),
            ("guest", "guests"),
            ("participant", "participants"),
            ("user", "users"),
            ("person", "people"),
        ),
        ("calendar.event",),
        most=100,
    ),
    Kind("calendar.calendar", (("calendar", "calendars"),), most=20),
    Kind(
        "calendar.event",
        (
            ("event", "events"),
            ("meeting", "meetings"),
            ("appointment", "appointments"),
            ("call", "calls"),
            ("standup", "standups"),
            ("interview", "interviews"),
        ),
        ("calendar.calendar",),
        (
            KindField(
                "when",
                "when",
                {"all-day": "all-day", "all day": "all-day", "daily": "day", "weekly": "week", "monthly": "month"},
            ),
            KindField("location", "text", leads=("in", "at", "location")),
            KindField("organizer", "person", leads=("organized by", "hosted by")),
            KindField("about", "topic", leads=("about", "regarding", "concerning")),
        ),
        most=100,
    ),
)


def write(world: World) -> dict[str, Any]:
    """Make the configuration of a calendar world."""
    return {
        "users": [*world.people],
        "calendars": [
            {
                "name": each.name,
                "events": [
                    _event(world, event, number) for number, event in enumerate(world.of("calendar.event", each))
                ],
            }
            for each in world.of("calendar.calendar")
        ],
        "events": [_event(world, each, number) for number, each in enumerate(world.loose("calendar.event"))],
    }


def _event(world: World, event: WorldEntity, number: int) -> dict[str, Any]:
    when: Meetings = event.fields.get("when") or Meetings()
    day = when.day or FIRST_MONDAY + timedelta(days=number % 5, weeks=when.weeks)
    if when.is_all_day:
        start, end = day.isoformat(), (day + timedelta(days=1)).isoformat()
    else:
        start, end = span(when, day, time(9 + number % 8))
    guests = [each.name for each in world.of("calendar.user", event)]
    return drop_none(
        summary=event.name,
        start=start,
        end=end,
        location=event.fields.get("location"),
        organizer=event.fields.get("organizer"),
        attendees=guests or None,
        recurrence=[when.rule] if when.rule else None,
    )


def read(rows: Rows) -> list[WorldEntity]:
    """Find the entities of a calendar world."""
    users = persons(rows["calendar_users"], "calendar.user", "id", "display_name", "email")
    calendars = {
        row["id"]: WorldEntity("calendar.calendar", row["summary"])
        for row in rows["calendars"]
        if "@" not in row["id"] or row["id"].endswith("@group.calendar.google.com")
    }
    events: dict[str, WorldEntity] = {}
    for row in rows["calendar_events"]:
        if row["status"] == "cancelled":
            continue
        home = calendars.get(row["calendar_id"])
        host = (row["organizer_display_name"] or "", row["organizer_email"] or "")
        fields = {"when": row, "location": row["location"] or "", "organizer": host, "about": row["summary"] or ""}
        events[row["id"]] = WorldEntity("calendar.event", row["summary"] or "", fields, [home] if home else [])
    by_email = {each.aliases[0]: each for each in users.values()}
    for row in rows["calendar_event_attendees"]:
        if row["email"] != AGENT_EMAIL and row["event_id"] in events:
            guest = by_email.setdefault(row["email"], WorldEntity("calendar.user", row["email"]))
            guest.places.append(events[row["event_id"]])
    return [*by_email.values(), *calendars.values(), *events.values()]


def day_of(when: Meetings) -> date | None:
    """The day of a meeting, if the prompt says one."""
    return when.day


CALENDAR = Vendor("calendar", ("google calendar", "calendar"), KINDS, write, read)

"""The template `calendar_default`: a company of sixty people in seven time zones, with a summer's events.

Its rows are the same on every machine and in every release, as choices are hashes of their arguments, not random.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date, datetime, timedelta
from hashlib import blake2b
from typing import Any, NamedTuple, TypeVar

from .times import begin_of, instant_of

T = TypeVar("T")
Rows = dict[str, list[dict[str, Any]]]

DOMAIN = "tideline.example"
FIRST_DAY = date(2018, 5, 7)
DAYS = 112
EVENTS = 1_000
MADE_AT = "2018-04-16T08:00:00"
ETAG = '"3000000000000000"'

ZONES = (
    "America/Los_Angeles",
    "America/New_York",
    "Europe/London",
    "Europe/Berlin",
    "Asia/Kolkata",
    "Asia/Tokyo",
    "Australia/Sydney",
)
NAMES = (
    "Robin Vale;Ada Brandt;Bruno Costa;Chika Eze;Dalia Farouk;Emil Gruber;Freya Holm;Goran Ilic;Hana Jung;Ivo Kral;"
    "Jana Lund;Kofi Mensah;Lena Novak;Milan Oort;Nadia Petrov;Omar Qasim;Pilar Reyes;Quinn Shaw;Rosa Toth;Sven Ulrich;"
    "Tara Varga;Udo Weiss;Vera Xu;Wim Yilmaz;Xenia Zorn;Yusuf Adler;Zoe Bauer;Aiko Cho;Boris Diaz;Carla Endo;"
    "Dario Fabre;Elif Gupta;Femi Hale;Greta Ito;Hugo Jansen;Irma Klein;Jonas Lima;Kira Moss;Luca Nagy;Mira Okafor;"
    "Nils Park;Olga Quist;Pavel Rao;Rhea Silva;Silas Tan;Thea Urban;Uma Vogel;Viktor Wolf;Wanda Xiong;Yara Young;"
    "Zane Abbas;Anouk Beck;Bela Cruz;Cleo Dunn;Dev Ekman;Esme Fox;Finn Gray;Gaia Hess;Henk Ivers;Ines Jacobs"
)
TEAMS = ("Harbour", "Lighthouse", "Current", "Anchor", "Beacon", "Compass", "Dockside", "Estuary")
ROOMS = ("Room Kelp", "Room Coral", "Room Pearl", "Room Reef", "Room Shoal", "Room Dune")
SHARED = ("Company holidays", "Launches", "On call", "Visitors", "Training", "Office moves")
SUBJECTS = ("Budget", "Pump station", "Tide tables", "Hiring", "Roadmap", "Buoy firmware", "Quay survey", "Audit")
KINDS = ("review", "planning", "interview", "workshop", "check-in", "demo", "retrospective", "handover")


class User(NamedTuple):
    id: str
    name: str
    email: str
    zone: str


def pick(items: Sequence[T], *about: object) -> T:
    """Choose one of the items by the hash of `about`."""
    digest = blake2b("/".join(map(str, about)).encode(), digest_size=8).digest()
    return items[int.from_bytes(digest, "big") % len(items)]


def users() -> list[User]:
    """Return the sixty users; the first one is the agent."""
    people: list[User] = []
    for number, name in enumerate(NAMES.split(";")):
        first = name.split()[0].lower()
        user_id = "user_agent" if number == 0 else f"user_{first}"
        people.append(User(user_id, name, f"{name.lower().replace(' ', '.')}@{DOMAIN}", ZONES[number % len(ZONES)]))
    return people


def world() -> Rows:
    """Build the rows of the template by table."""
    people = users()
    calendars = [*_primary_calendars(people), *_secondary_calendars(people)]
    series = [*_series(people)]
    exceptions = [*_exceptions(series)]
    singles = [*_singles(people, EVENTS - len(series) - len(exceptions))]
    events = [*series, *exceptions, *singles]
    return {
        "calendar_users": [_user(user) for user in people],
        "calendars": calendars,
        "calendar_list_entries": [*_list_entries(people, calendars)],
        "calendar_acl_rules": [*_rules(people, calendars)],
        "calendar_settings": [*_settings(people)],
        "calendar_events": [event for event, _ in events],
        "calendar_event_attendees": [*_attendees(events)],
    }


def _user(user: User) -> dict[str, Any]:
    named = {"id": user.id, "email": user.email, "display_name": user.name, "self": user.id == "user_agent"}
    return {**named, "created_at": MADE_AT, "updated_at": MADE_AT}


def _calendar(id: str, summary: str, owner: User, zone: str) -> dict[str, Any]:
    stamps = {"etag": ETAG, "created_at": MADE_AT, "updated_at": MADE_AT}
    return {"id": id, "summary": summary, "owner_id": owner.id, "time_zone": zone, **stamps}


def _primary_calendars(people: list[User]) -> Iterator[dict[str, Any]]:
    for user in people:
        yield _calendar(user.email, user.email, user, user.zone)


def secondary_id(name: str) -> str:
    """Return the id of a team's, a room's or a shared calendar."""
    return f"c_{name.lower().replace(' ', '_')}@group.calendar.google.com"


def _secondary_calendars(people: list[User]) -> Iterator[dict[str, Any]]:
    for number, name in enumerate((*TEAMS, *ROOMS, *SHARED)):
        owner = people[number % 10]
        made = _calendar(secondary_id(name), name, owner, owner.zone)
        yield {**made, "description": f"{name} of Tideline", "auto_accept_invitations": name in ROOMS}


def members(people: list[User], team: str) -> list[User]:
    """Return the members of a team: every eighth user, and the agent in the first two teams."""
    at = TEAMS.index(team)
    return [user for number, user in enumerate(people) if number % len(TEAMS) == at or (number == 0 and at < 2)]


def _list_entries(people: list[User], calendars: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    by_id = {user.id: user for user in people}
    for calendar in calendars:
        owner = by_id[calendar["owner_id"]]
        is_primary = calendar["id"] == owner.email
        viewers = [owner] if is_primary or owner is people[0] else [owner, people[0]]
        for user in viewers:
            yield {
                "id": f"{user.id}:{calendar['id']}",
                "user_id": user.id,
                "calendar_id": calendar["id"],
                "access_role": "owner" if user is owner else "writer" if calendar["summary"] in TEAMS[:2] else "reader",
                "primary": is_primary,
                "color_id": str(1 + len(calendar["summary"]) % 24),
                "default_reminders": [{"method": "popup", "minutes": 10}],
                "etag": ETAG,
                "created_at": MADE_AT,
                "updated_at": MADE_AT,
            }


def _rules(people: list[User], calendars: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    by_id = {user.id: user for user in people}
    for calendar in calendars:
        name, owner = calendar["summary"], by_id[calendar["owner_id"]]
        yield _rule(calendar["id"], "user", owner.email, "owner")
        yield _rule(calendar["id"], "domain", DOMAIN, "freeBusyReader" if name == owner.email else "reader")
        for user in members(people, name) if name in TEAMS else ():
            if user is not owner:
                yield _rule(calendar["id"], "user", user.email, "writer")


def _rule(calendar_id: str, scope: str, value: str, role: str) -> dict[str, Any]:
    id = f"{calendar_id}:{scope}:{value}"
    named = {"id": id, "calendar_id": calendar_id, "scope_type": scope, "scope_value": value, "role": role}
    return {**named, "etag": ETAG, "created_at": MADE_AT, "updated_at": MADE_AT}


def _settings(people: list[User]) -> Iterator[dict[str, Any]]:
    for number, user in enumerate(people, 1):
        yield {"id": number, "user_id": user.id, "setting_id": "timezone", "value": user.zone, "etag": ETAG}


Event = tuple[dict[str, Any], list[User]]


def _event(id: str, calendar_id: str, organizer: User, summary: str, **more: Any) -> dict[str, Any]:
    return {
        "id": id,
        "calendar_id": calendar_id,
        "summary": summary,
        "ical_uid": f"{id}@google.com",
        "html_link": f"https://www.google.com/calendar/event?eid={id}",
        "creator_id": organizer.id,
        "creator_email": organizer.email,
        "organizer_id": organizer.id,
        "organizer_email": calendar_id,
        "etag": ETAG,
        "created_at": MADE_AT,
        "updated_at": MADE_AT,
        **more,
    }


def _times(day: date, minute: int, length: int, zone: str) -> dict[str, Any]:
    """Return `start` and `end` of an event that begins at a minute of the day, in local time."""

    def at(minutes: int) -> dict[str, str]:
        return {"dateTime": f"{day}T{minutes // 60:02d}:{minutes % 60:02d}:00", "timeZone": zone}

    return {"start": at(minute), "end": at(minute + length)}


def _monday(week: int, weekday: int = 0) -> date:
    return FIRST_DAY + timedelta(days=7 * week + weekday)


def _series(people: list[User]) -> Iterator[Event]:
    """Yield forty series: meetings of teams, meetings of pairs, and all-day events."""
    for number, team in enumerate(TEAMS):
        lead, *others = members(people, team)
        calendar = secondary_id(team)
        daily = {"recurrence": ["RRULE:FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"], **_times(_monday(0), 570, 15, lead.zone)}
        yield _event(f"series{number}standup", calendar, lead, f"{team} stand-up", **daily), others
        fortnightly = {"recurrence": ["RRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=TH"]}
        times = _times(_monday(0, 3), 840, 60, lead.zone)
        yield _event(f"series{number}retro", calendar, lead, f"{team} retrospective", **fortnightly, **times), others
    for number, user in enumerate(people[:20]):
        other, weekday = people[number + 20], number % 5
        rule = f"RRULE:FREQ=WEEKLY;COUNT={12 + number % 8}"
        times = _times(_monday(0, weekday), 600 + 30 * (number % 8), 30, user.zone)
        summary = f"{user.name.split()[0]} and {other.name.split()[0]}"
        yield _event(f"series{number}pair", user.email, user, summary, recurrence=[rule], **times), [other]
    for number, name in enumerate(("Payday", "Backup of the archive", "Fire drill", "Board letter")):
        day = _monday(0, number)
        whole = {"start": {"date": f"{day}"}, "end": {"date": f"{day + timedelta(days=1)}"}}
        monthly = {"recurrence": [f"RRULE:FREQ=MONTHLY;BYDAY={number + 1}FR"], "transparency": "transparent"}
        yield _event(f"series{number}monthly", secondary_id("Launches"), people[15], name, **monthly, **whole), []


def _exceptions(series: list[Event]) -> Iterator[Event]:
    """Yield exceptions for every other pair: in turn, the third meeting cancelled or the second one an hour later."""
    pairs = [(event, others) for event, others in series if event["id"].endswith("pair")]
    for number, (event, others) in enumerate(pairs):
        if number % 2:
            continue
        weeks = 1 if number % 4 else 2
        start, end = event["start"], event["end"]
        moved = {
            name: _later(each, 7 * weeks, 60 if weeks == 1 else 0) for name, each in (("start", start), ("end", end))
        }
        original = _later(start, 7 * weeks, 0)
        yield (
            {
                **event,
                **moved,
                "id": f"{event['id']}_{_utc(original)}",
                "recurrence": None,
                "recurring_event_id": event["id"],
                "original_start_time": original,
                "status": "confirmed" if weeks == 1 else "cancelled",
            },
            others,
        )


def _later(when: dict[str, str], days: int, minutes: int) -> dict[str, str]:
    moved = datetime.fromisoformat(when["dateTime"]) + timedelta(days=days, minutes=minutes)
    return {**when, "dateTime": moved.isoformat()}


def _utc(when: dict[str, str]) -> str:
    return f"{instant_of(begin_of(when, 'UTC')):%Y%m%dT%H%M%SZ}"


def _singles(people: list[User], count: int) -> Iterator[Event]:
    for number in range(count):
        organizer = people[0] if number % 12 == 0 else pick(people, "who", number)
        day = FIRST_DAY + timedelta(days=pick(range(DAYS), "day", number))
        summary = f"{pick(SUBJECTS, 'subject', number)} {pick(KINDS, 'kind', number)}"
        id, where = f"single{number:04d}", {"location": pick(ROOMS, "room", number)}
        if number % 25 == 24:
            whole = {"start": {"date": f"{day}"}, "end": {"date": f"{day + timedelta(days=1 + number % 3)}"}}
            yield _event(id, organizer.email, organizer, "Away", **whole), []
            continue
        day += timedelta(days=max(0, 7 - day.weekday()) if day.weekday() > 4 else 0)
        minute, length = 480 + 15 * pick(range(36), "minute", number), pick((30, 30, 45, 60, 90), "length", number)
        times = _times(day, minute, length, organizer.zone)
        others = [user for user in people if user is not organizer and pick(range(20), "guest", number, user.id) == 0]
        yield _event(id, organizer.email, organizer, summary, **where, **times), others[:6]


def _attendees(events: list[Event]) -> Iterator[dict[str, Any]]:
    for event, others in events:
        for user in others:
            response = pick(("accepted", "accepted", "needsAction", "tentative", "declined"), event["id"], user.id)
            named = {"email": user.email, "display_name": user.name}
            yield {"event_id": event["id"], **named, "response_status": response}

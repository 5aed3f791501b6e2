"""Rules that a request keeps on every way in: the value just inside is taken, the value just outside is not."""

from __future__ import annotations

from typing import Any

import pytest

from ..event_limits import (
    CONFERENCE_TEXTS,
    ENTRY_POINT_TEXTS,
    MAX_DESCRIPTION_CHARACTERS,
    MAX_PROPERTIES,
    MAX_PROPERTIES_BYTES,
    MAX_PROPERTY_NAME_CHARACTERS,
    MAX_PROPERTY_VALUE_CHARACTERS,
    MAX_RECURRENCE_BYTES,
    MAX_RECURRENCE_LINES,
)
from ..event_rules import ALLOWED_VALUES, MAX_ATTACHMENTS, MAX_ATTENDEES, MAX_OVERRIDES, MAX_REMINDER_MINUTES
from .conftest import ME, Calendar, at

TIMES = at("2018-06-18T09:00", "2018-06-18T10:00")
QUERY = {"conferenceDataVersion": 1, "supportsAttachments": True}
EVENTS = "calendars/primary/events"


def insert(calendar: Calendar, fields: dict[str, Any]):
    return calendar.http("POST", EVENTS, {**TIMES, **fields}, **QUERY)


def import_(calendar: Calendar, fields: dict[str, Any]):
    return calendar.http("POST", f"{EVENTS}/import", {**TIMES, "iCalUID": "u@x", **fields}, **QUERY)


def import_again(calendar: Calendar, fields: dict[str, Any]):
    assert import_(calendar, {}).is_success
    return import_(calendar, fields)


def patch(calendar: Calendar, fields: dict[str, Any]):
    return calendar.http("PATCH", f"{EVENTS}/{calendar.insert()['id']}", fields, **QUERY)


def put(calendar: Calendar, fields: dict[str, Any]):
    return calendar.http("PUT", f"{EVENTS}/{calendar.insert()['id']}", {**TIMES, **fields}, **QUERY)


def patch_occurrence(calendar: Calendar, fields: dict[str, Any]):
    id = calendar.insert(recurrence=["RRULE:FREQ=DAILY"])["id"]
    return calendar.http("PATCH", f"{EVENTS}/{id}_20180619T160000Z", fields, **QUERY)


WAYS = [insert, import_, import_again, patch, put, patch_occurrence]


def entry_point(**texts: str):
    point = {"entryPointType": "video", "uri": "https://meet.example.com", **texts}
    return {"conferenceData": {"conferenceSolution": {"key": {"type": "addOn"}}, "entryPoints": [point]}}


def notes(name: str, length: int):
    whole = entry_point()
    return {"conferenceData": {**whole["conferenceData"], name: "n" * length}}


def overrides(count: int, minutes: int = 5):
    return {"reminders": {"useDefault": False, "overrides": [{"method": "popup", "minutes": minutes}] * count}}


def shared(values: dict[str, str]):
    return {"extendedProperties": {"shared": values}}


def exdates(size: int):
    line = "EXDATE;VALUE=DATE:20380101"
    return {"recurrence": ["RRULE:FREQ=DAILY", *[line] * (size // len(line) - 1)]}


def until(lines: list[str], zone: str):
    return {"recurrence": [line.format(f"20180630T000000{zone}") for line in lines]}


PROPERTIES = MAX_PROPERTIES_BYTES // 1_024
WORDS = {"status": "tentative", "transparency": "transparent", "visibility": "private"}
LIMITS = [
    *((f"entryPoints.{name}", entry_point(**{name: "h" * most}), entry_point(**{name: "h" * (most + 1)}))
      for name, most in ENTRY_POINT_TEXTS.items()),
    *((f"conferenceData.{name}", notes(name, most), notes(name, most + 1)) for name, most in CONFERENCE_TEXTS.items()),
    ("overrides", overrides(MAX_OVERRIDES), overrides(MAX_OVERRIDES + 1)),
    ("attachments", *({"attachments": [{"fileUrl": "https://a.b"}] * (MAX_ATTACHMENTS + more)} for more in (0, 1))),
    ("attendees", *({"attendees": [{"email": f"{n}@x.com"} for n in range(MAX_ATTENDEES + more)]} for more in (0, 1))),
    ("properties", *(shared({f"p{n}": "" for n in range(MAX_PROPERTIES + more)}) for more in (0, 1))),
    ("property bytes", *(shared({f"{n:02}": "v" * 1_022 for n in range(PROPERTIES + more)}) for more in (0, 1))),
    ("source", {"source": {"url": "http://a.b"}}, {"source": {"url": "ftp://a.b"}}),
    ("additionalGuests", *({"attendees": [{"email": "a@x.com", "additionalGuests": n}]} for n in (0, -1))),
    *((name, {name: word}, {name: word.upper()}) for name, word in WORDS.items()),
]  # fmt: skip
LINES = (MAX_RECURRENCE_LINES - 1, MAX_RECURRENCE_LINES)
SERIES_LIMITS = [
    ("recurrence bytes", exdates(MAX_RECURRENCE_BYTES), exdates(MAX_RECURRENCE_BYTES + 52)),
    ("recurrence lines", *({"recurrence": ["RRULE:FREQ=DAILY", *["EXDATE:20380101"] * count]} for count in LINES)),
    ("until", *(until(["RRULE:FREQ=DAILY;UNTIL={}"], zone) for zone in ("Z", ""))),
    ("both ends", *(until([f"RRULE:FREQ=DAILY;{count}UNTIL={{}}"], "Z") for count in ("", "COUNT=3;"))),
    ("both ends of an EXRULE", *(until(["RRULE:FREQ=DAILY", f"EXRULE:FREQ=DAILY;INTERVAL=2;{count}UNTIL={{}}"], "Z")
      for count in ("", "COUNT=3;"))),
    ("until of an EXRULE", *(until(["RRULE:FREQ=DAILY", "EXRULE:FREQ=WEEKLY;UNTIL={}"], zone) for zone in ("Z", ""))),
]  # fmt: skip


@pytest.fixture(scope="module")
def shared_world(platform) -> Calendar:
    """One world for all rules: each makes events of its own."""
    environment = platform.environment("calendar:calendar_base", "user_agent", tokens={"ya29.agent": "user_agent"})
    return Calendar(environment)


@pytest.mark.parametrize(
    ("inside", "outside", "ways"),
    [
        *(pytest.param(*rule[1:], WAYS, id=rule[0]) for rule in LIMITS),
        *(pytest.param(*rule[1:], WAYS[:-1], id=rule[0]) for rule in SERIES_LIMITS),
    ],
)
def test_a_limit_holds_on_every_way_in(shared_world, inside, outside, ways):
    for way in ways:
        assert way(shared_world, inside).status_code == 200, way.__name__
        assert way(shared_world, outside).status_code == 400, way.__name__
        shared_world("POST", "calendars/primary/clear")


def test_the_enumerations_of_events_are_all_tried():
    assert ALLOWED_VALUES.keys() - {"event_type"} <= WORDS.keys()


@pytest.mark.parametrize("way", WAYS)
def test_reminders_are_brought_into_their_limits_without_an_error(shared_world, way):
    given = [("popup", -5), ("popup", MAX_REMINDER_MINUTES + 1), ("email", 60), ("email", 60), ("sms", 30)]
    told = [{"method": method, "minutes": minutes} for method, minutes in given]
    kept = [{"method": m, "minutes": n} for m, n in (("popup", 0), ("popup", MAX_REMINDER_MINUTES), ("email", 60))]
    for sent, wanted in ((told, {"overrides": kept}), (told[-1:], {}), ([], {})):
        made = way(shared_world, {"reminders": {"useDefault": False, "overrides": sent}}).json()
        assert made["reminders"] == {"useDefault": False, **wanted}
        shared_world("POST", "calendars/primary/clear")


@pytest.mark.parametrize("way", WAYS)
def test_texts_over_a_silent_limit_are_cut_or_dropped(calendar, way):
    """https://developers.google.com/workspace/calendar/api/guides/extended-properties"""
    name, value = "k" * MAX_PROPERTY_NAME_CHARACTERS, "v" * MAX_PROPERTY_VALUE_CHARACTERS
    given = {name: f"{value}!", f"{name}!": "dropped", "short": "kept"}
    properties = {"extendedProperties": {"private": given, "shared": given}}
    fields = {"description": "d" * (MAX_DESCRIPTION_CHARACTERS + 1), **properties}
    made = way(calendar, fields).json()
    assert made["description"] == "d" * MAX_DESCRIPTION_CHARACTERS
    assert made["extendedProperties"] == {kind: {name: value, "short": "kept"} for kind in ("private", "shared")}


def test_a_guest_s_own_properties_are_cut_and_are_not_the_organizer_s(colleagues):
    agent, bea, _ = colleagues
    private = {"extendedProperties": {"private": {"secret": "agent's"}}}
    path = f"{EVENTS}/{agent.insert(attendees=[{'email': 'bea@example.com'}], **private)['id']}"
    for name in ("one", "two"):
        bea("PATCH", path, {"extendedProperties": {"private": {name: "v" * 2_000}}})
    cut = "v" * MAX_PROPERTY_VALUE_CHARACTERS
    assert bea("GET", path)["extendedProperties"] == {"private": {"one": cut, "two": cut}}
    assert agent("GET", path)["extendedProperties"] == private["extendedProperties"]


@pytest.mark.parametrize(
    ("line", "is_taken"),
    [
        ('EXDATE;TZID="America/Los_Angeles":20180619T090000', True),
        ("EXDATE;TZID=America/Los_Angeles:20180619T090000", True),
        ('EXDATE;TZID="Mars/Base":20180619T090000', False),
    ],
)
def test_the_zone_of_a_recurrence_line_may_be_quoted(calendar, line, is_taken):
    answer = insert(calendar, {"recurrence": ["RRULE:FREQ=DAILY;COUNT=3", line]})
    if is_taken:
        assert len(calendar.list(singleEvents=True)) == 2
    else:
        assert answer.json()["error"]["message"] == f"Invalid recurrence rule. {line}"


def test_a_series_of_whole_days_may_end_at_an_instant(calendar):
    days = at("2018-06-18", "2018-06-19")
    for until in ("20180620", "20180620T000000Z", "20180620T000000"):
        calendar.insert(**days, recurrence=[f"RRULE:FREQ=DAILY;UNTIL={until}"])
    assert len(calendar.list(singleEvents=True)) == 9


LISTS = [EVENTS, f"{EVENTS}/instances", "users/me/calendarList", "calendars/primary/acl", "users/me/settings"]


@pytest.mark.parametrize("path", LISTS)
def test_a_page_has_one_item_at_least(shared_world, path):
    made = shared_world.insert(recurrence=["RRULE:FREQ=DAILY;COUNT=2"])
    path = path.replace("events/", f"events/{made['id']}/")
    assert shared_world.http("GET", path, maxResults=1).status_code == 200
    assert shared_world.refusal("GET", path, maxResults=0) == (400, "invalidParameter")


@pytest.mark.parametrize("verb", ["POST", "PATCH", "PUT"])
@pytest.mark.parametrize(("version", "status"), [(0, 200), (1, 200), (2, 400), (-1, 400)])
def test_the_version_of_conference_data_is_0_or_1(shared_world, verb, version, status):
    path = EVENTS if verb == "POST" else f"{EVENTS}/{shared_world.insert()['id']}"
    assert shared_world.http(verb, path, TIMES, conferenceDataVersion=version).status_code == status


WATCHES = ["calendars/primary/events", "calendars/primary/acl", "users/me/calendarList", "users/me/settings"]


@pytest.mark.parametrize("path", WATCHES)
@pytest.mark.parametrize(("name", "most"), [("id", 64), ("token", 256)])
def test_every_watch_holds_the_lengths_of_channels(calendar, path, name, most):
    """https://developers.google.com/workspace/calendar/api/guides/push#making-watch-requests"""
    channel = {"id": "one", "type": "web_hook", "address": "https://example.com/hook"}
    assert calendar.refusal("POST", f"{path}/watch", {**channel, name: "x" * (most + 1)}) == (400, "invalid")
    assert calendar("POST", f"{path}/watch", {**channel, name: "x" * most})[name] == "x" * most


@pytest.mark.parametrize(
    ("id", "status"),
    [("a" * 4, 400), ("a" * 5, 200), ("a" * 1_024, 200), ("a" * 1_025, 400), ("abcdw", 400), ("0v9ab", 200)],
)
def test_an_event_s_id_is_of_so_many_letters(calendar, id, status):
    """https://developers.google.com/workspace/calendar/api/v3/reference/events#id"""
    assert calendar.http("POST", EVENTS, {**TIMES, "id": id}).status_code == status


ADDRESSES = [("a@b.c", 200), ("nobody", 400), ("a b@c.d", 400), ("", 400)]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("email", "status"), ADDRESSES)
def test_every_way_in_holds_the_form_of_addresses(shared_world, way, email, status):
    assert way(shared_world, {"attendees": [{"email": email}]}).status_code == status


@pytest.mark.parametrize(("email", "status"), ADDRESSES[:3])
def test_the_organizer_of_an_import_has_an_address(shared_world, email, status):
    people = {"organizer": {"email": email}, "attendees": [{"email": ME}]}
    answer = import_(shared_world, {**people, "iCalUID": f"{email}@import"})
    assert answer.status_code == status


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", ["start", "end"])
@pytest.mark.parametrize(
    ("when", "message"),
    [
        ({"date": "2018-06-18", "dateTime": "2018-06-18T09:00:00Z"}, "Invalid {} time."),
        ({"date": "2018-02-30"}, "Bad Request"),
        ({"dateTime": "9"}, "Bad Request"),
    ],
)
def test_every_way_in_holds_the_form_of_times(shared_world, way, name, when, message):
    answer = way(shared_world, {name: when})
    assert (answer.status_code, answer.json()["error"]["message"]) == (400, message.format(name))


COLOURS = [("1", 200), ("11", 200), ("0", 400), ("12", 400)]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("color", "status"), COLOURS)
def test_every_way_in_holds_the_colours_that_there_are(shared_world, way, color, status):
    assert way(shared_world, {"colorId": color}).status_code == status

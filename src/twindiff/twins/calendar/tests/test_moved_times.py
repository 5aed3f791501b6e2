"""A time is an instant: texts that name the same one change nothing, and others number the event's versions."""

from __future__ import annotations

import pytest

from .conftest import BEA, ME, at

Z_HOUR = {"start": {"dateTime": "2018-06-20T16:00:00Z"}, "end": {"dateTime": "2018-06-20T17:00:00Z"}}
ZONES = ["America/Los_Angeles", "America/New_York", "Europe/London", "Australia/Sydney"]


def path(event):
    return f"calendars/primary/events/{event['id']}"


@pytest.mark.parametrize(
    "times",
    [
        Z_HOUR,
        {name: {"dateTime": when["dateTime"].replace("Z", "+00:00")} for name, when in Z_HOUR.items()},
        {name: {**when, "timeZone": "Europe/Paris"} for name, when in Z_HOUR.items()},
        at("2018-06-20T09:00", "2018-06-20T10:00", "Asia/Tokyo"),
        at("2018-06-20", "2018-06-21"),
    ],
)
@pytest.mark.parametrize("query", [{}, {"timeZone": "Asia/Kolkata"}])
def test_an_event_that_is_put_back_as_it_was_read_is_unchanged(calendar, times, query):
    made = calendar.insert(**times)
    read = calendar("GET", path(made), **query)
    for verb in ("PUT", "PATCH"):
        assert calendar(verb, path(made), read)["sequence"] == 0
    (row,) = [each for each in calendar.diff("all")["inserts"] if each["__table__"] == "calendar_events"]
    assert times["start"].items() <= row["start"].items()


def test_nobody_is_mailed_of_an_event_that_is_put_back(colleagues, platform):
    agent, _, _ = colleagues
    made = agent.insert(attendees=[{"email": BEA}], **Z_HOUR)
    run = platform.start(agent.environment)
    agent("PUT", path(made), agent("GET", path(made)), sendUpdates="all")
    diff = platform.diff(run)
    assert [row["__table__"] for kind in ("inserts", "updates", "deletes") for row in diff[kind]] == []


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("more", [{}, {"recurrence": ["RRULE:FREQ=DAILY;COUNT=3"]}])
def test_a_guest_in_any_zone_answers_with_the_event_as_they_see_it(colleagues, zone, more):
    agent, bea, _ = colleagues
    bea("PATCH", f"calendars/{BEA}", {"timeZone": zone})
    made = agent.insert(attendees=[{"email": BEA}], **more)
    for id in [made["id"], *([f"{made['id']}_20180619T160000Z"] if more else [])]:
        seen = bea("GET", f"calendars/primary/events/{id}")
        seen["attendees"] = [{**each, "responseStatus": "accepted"} for each in seen["attendees"]]
        answered = bea("PUT", f"calendars/primary/events/{id}", seen)
        assert [each["responseStatus"] for each in answered["attendees"]] == ["accepted"]


@pytest.mark.parametrize("who", ["agent", "bea"])
def test_an_occurrence_that_is_put_back_as_it_was_read_gets_no_row(colleagues, platform, who):
    agent, bea, _ = colleagues
    made = agent.insert(attendees=[{"email": BEA}], recurrence=["RRULE:FREQ=DAILY;COUNT=3"])
    one = f"{path(made)}_20180619T160000Z"
    caller, run = {"agent": agent, "bea": bea}[who], platform.start(agent.environment)
    caller("PUT", one, caller("GET", one), sendUpdates="all")
    assert not any(rows for kind, rows in platform.diff(run).items() if kind in ("inserts", "updates", "deletes"))


def test_a_guest_may_give_the_same_instant_in_a_zone_of_their_own(colleagues):
    agent, bea, _ = colleagues
    made = agent.insert(attendees=[{"email": BEA}])
    own = at("2018-06-18T18:00", "2018-06-18T19:00", "Europe/Berlin")
    answer = {"attendees": [{"email": BEA, "responseStatus": "accepted"}]}
    assert bea("PATCH", path(made), {**own, **answer})["start"]["timeZone"] == "America/Los_Angeles"


def test_a_guest_may_not_move_an_event_to_another_instant(colleagues):
    agent, bea, _ = colleagues
    made = agent.insert(attendees=[{"email": BEA}])
    moved = {**bea("GET", path(made)), **at("2018-06-18T19:00", "2018-06-18T20:00", "Europe/Berlin")}
    assert bea.refusal("PUT", path(made), moved) == (403, "forbiddenForNonOrganizer")


def test_a_guest_may_not_change_the_properties_that_all_share(colleagues):
    agent, bea, _ = colleagues
    shared = {"extendedProperties": {"shared": {"room": "1"}}}
    made = agent.insert(attendees=[{"email": BEA}], **shared)
    bea("PATCH", path(made), shared)
    other = {"extendedProperties": {"shared": {"room": "2"}}}
    assert bea.refusal("PATCH", path(made), other) == (403, "forbiddenForNonOrganizer")


def test_a_zone_alone_moves_no_event(calendar):
    made = calendar.insert(**Z_HOUR)
    zone = {name: {"timeZone": "Europe/Paris"} for name in ("start", "end")}
    patched = calendar("PATCH", path(made), zone)
    assert (patched["start"], patched["sequence"]) == (
        {"dateTime": "2018-06-20T09:00:00-07:00", "timeZone": "Europe/Paris"},
        0,
    )


def test_a_local_time_is_moved_by_its_zone(calendar):
    """A body's `dateTime` without an offset is local to the body's zone."""
    made = calendar.insert()
    moved = {name: {"dateTime": f"2018-06-18T{hour}:00:00"} for name, hour in (("start", "09"), ("end", "10"))}
    assert calendar("PATCH", path(made), moved)["sequence"] == 0
    for when in moved.values():
        when["timeZone"] = "Europe/Berlin"
    patched = calendar("PATCH", path(made), moved)
    assert (patched["start"]["dateTime"], patched["sequence"]) == ("2018-06-18T00:00:00-07:00", 1)


@pytest.mark.parametrize("change", [{"summary": "Other"}, {"colorId": "3"}])
def test_the_row_of_an_exception_has_the_local_times_of_its_own_occurrence(calendar, change):
    made = calendar.insert(recurrence=["RRULE:FREQ=WEEKLY"])
    calendar("PATCH", f"{path(made)}_20180625T160000Z", change)
    rows = calendar.diff("all")["inserts"]
    (row,) = [row for row in rows if row["__table__"] == "calendar_events" and row["recurring_event_id"]]
    assert (row["start_datetime"][:16], row["end_datetime"][:16]) == ("2018-06-25T09:00", "2018-06-25T10:00")


BOTH = {"start": {"date": "2018-06-21"}, "end": {"date": "2018-06-22"}}


@pytest.mark.parametrize(
    ("made", "patch", "name"),
    [
        ({}, BOTH, "start"),
        ({}, {"end": BOTH["end"]}, "end"),
        (BOTH, {"start": at("2018-06-21T09:00", "2018-06-21T10:00")["start"]}, "start"),
        (BOTH, at("2018-06-21T09:00", "2018-06-21T10:00"), "start"),
    ],
)
def test_a_patch_to_the_other_kind_of_time_must_null_the_old_one(calendar, made, patch, name):
    event = calendar.insert(**made)
    answer = calendar.http("PATCH", path(event), patch)
    assert (answer.status_code, answer.json()["error"]["message"]) == (400, f"Invalid {name} time.")
    other = {"date": None, "dateTime": None}
    whole = {**BOTH, **at("2018-06-21T09:00", "2018-06-21T10:00"), **patch}
    whole = {key: {**other, **value} for key, value in whole.items()} if len(patch) == 2 else None
    if whole:
        assert ("date" in calendar("PATCH", path(event), whole)["start"]) is ("date" in patch["start"])


def test_an_occurrence_becomes_a_whole_day_only_with_a_null_for_its_time(calendar):
    made = calendar.insert(recurrence=["RRULE:FREQ=WEEKLY"])
    one = f"{path(made)}_20180625T160000Z"
    assert calendar.refusal("PATCH", one, BOTH) == (400, "invalid")
    nulls = {name: {**day, "dateTime": None} for name, day in BOTH.items()}
    assert calendar("PATCH", one, nulls)["start"] == BOTH["start"]


@pytest.mark.parametrize("verb", ["PATCH", "PUT"])
def test_an_attendee_who_is_sent_again_without_an_answer_has_not_answered(colleagues, verb):
    agent, bea, _ = colleagues
    guest = {"email": BEA, "optional": True, "comment": "Late", "additionalGuests": 2, "displayName": "B."}
    made = agent.insert(attendees=[guest])
    answer = {"attendees": [{**guest, "responseStatus": "accepted"}]}
    bea("PATCH", path(made), answer)
    bare = {"attendees": [{"email": BEA}, {"email": "new@example.com"}]}
    body = bare if verb == "PATCH" else {**agent("GET", path(made)), **bare}
    after = agent(verb, path(made), body)["attendees"][0]
    assert after == {"email": BEA, "displayName": "Bea", "responseStatus": "needsAction"}


def test_attendees_omitted_keeps_the_answers_of_those_who_are_not_named(colleagues):
    agent, bea, _ = colleagues
    made = agent.insert(attendees=[{"email": BEA, "optional": True}])
    bea("PATCH", path(made), {"attendees": [{"email": BEA, "optional": True, "responseStatus": "tentative"}]})
    named = {"attendees": [{"email": "new@example.com"}], "attendeesOmitted": True}
    first = agent("PATCH", path(made), named)["attendees"][0]
    assert (first["responseStatus"], first["optional"]) == ("tentative", True)


SEQUENCES = [
    ("PUT", {"sequence": 6}, 400),
    ("PUT", {}, 400),
    ("PUT", {"sequence": 7}, 7),
    ("PUT", {"sequence": 12}, 12),
    ("PATCH", {"sequence": 6}, 400),
    ("PATCH", {}, 7),
    ("PATCH", {"sequence": 9}, 9),
    ("PATCH", at("2018-06-19T09:00", "2018-06-19T10:00"), 8),
    ("PATCH", {**at("2018-06-19T09:00", "2018-06-19T10:00"), "sequence": 7}, 8),
    ("PATCH", {**at("2018-06-19T09:00", "2018-06-19T10:00"), "sequence": 10}, 10),
]


@pytest.mark.parametrize(("verb", "change", "after"), SEQUENCES)
@pytest.mark.parametrize("way", ["events", "events/import"])
def test_a_sequence_is_kept_and_may_not_fall(calendar, way, verb, change, after):
    first = {"sequence": 7, "iCalUID": "a@b", **at("2018-06-18T09:00", "2018-06-18T10:00")}
    made = calendar("POST", f"calendars/primary/{way}", first)
    whole = at("2018-06-18T09:00", "2018-06-18T10:00") if verb == "PUT" else {}
    answer = calendar.http(verb, path(made), {**whole, **change})
    if after == 400:
        assert answer.json()["error"]["message"].startswith("Invalid sequence value.")
    assert (made["sequence"], answer.json().get("sequence", answer.status_code)) == (7, after)


def test_an_import_below_the_current_sequence_is_refused(calendar):
    body = {"iCalUID": "a@b", "sequence": 3, **at("2018-06-18T09:00", "2018-06-18T10:00")}
    calendar("POST", "calendars/primary/events/import", body)
    assert calendar.refusal("POST", "calendars/primary/events/import", {**body, "sequence": 2}) == (400, "invalid")
    assert calendar("POST", "calendars/primary/events/import", body)["sequence"] == 3


def test_an_import_needs_the_calendars_owner_among_its_people(calendar):
    body = {"iCalUID": "q@x", "organizer": {"email": "b@o.com"}, **at("2018-06-18T09:00", "2018-06-18T10:00")}
    refused = calendar.refusal("POST", "calendars/primary/events/import", body)
    assert refused == (400, "participantIsNeitherOrganizerNorAttendee")
    made = calendar("POST", "calendars/primary/events/import", {**body, "attendees": [{"email": ME}]})
    assert (made["organizer"], made["attendees"]) == (
        {"email": "b@o.com"},
        [
            {
                "email": ME,
                "self": True,
                "displayName": made["attendees"][0].get("displayName"),
                "responseStatus": "needsAction",
            }
        ],
    )


def test_every_event_of_the_sample_can_be_put_back_as_it_was_read(world):
    office = world("calendar_default")
    for single in (False, True):
        for event in office.list(maxResults=25, singleEvents=single, timeMin="2018-06-17T00:00:00Z"):
            read = office("GET", path(event))
            office("PUT", path(event), read, sendUpdates="all")
    assert not any(office.diff()[kind] for kind in ("inserts", "updates", "deletes"))


def test_a_null_response_is_none(colleagues):
    agent, _, _ = colleagues
    made = agent.insert(attendees=[{"email": BEA, "responseStatus": None}])
    assert [each["responseStatus"] for each in made["attendees"]] == ["needsAction"]

"""Rooms that answer invitations by themselves."""

from __future__ import annotations

import json
from uuid import uuid4

import pytest

from .conftest import BASE, ME, at

ROOM, OTHER = "c_kelp@resource.calendar.google.com", "c_reef@resource.calendar.google.com"


@pytest.fixture(scope="session")
def house(platform):
    """A template with the agent and two rooms, one of which answers by itself."""
    seed = json.loads(BASE.read_text())
    for id, answers in ((ROOM, True), (OTHER, False)):
        own = {"owner_id": "user_agent", "time_zone": "America/Los_Angeles", "auto_accept_invitations": answers}
        seed["calendars"].append({"id": id, "summary": id, **own})
    name = f"calendar_house_{uuid4().hex[:8]}"
    platform.post("import", {"files": {f"{name}.json": seed}})
    return name


@pytest.fixture
def agent(world, house):
    return world(house, clock={"mode": "offset", "start": "2018-06-17T07:00:00Z"})


GUESTS = [{"email": ROOM}, {"email": OTHER}]


def answers(event):
    return {each["email"]: each["responseStatus"] for each in event["attendees"]}


def test_a_free_room_accepts_and_is_busy_then(agent):
    made = agent.insert(attendees=GUESTS)
    assert answers(made) == {ROOM: "accepted", OTHER: "needsAction"}
    assert [each["resource"] for each in made["attendees"] if each["email"] == ROOM] == [True]
    window = {"timeMin": "2018-06-18T00:00:00Z", "timeMax": "2018-06-19T00:00:00Z"}
    busy = agent("POST", "freeBusy", {**window, "items": [{"id": ROOM}]})["calendars"][ROOM]["busy"]
    assert busy == [{"start": "2018-06-18T16:00:00Z", "end": "2018-06-18T17:00:00Z"}]


def test_a_taken_room_declines_and_its_organizer_is_told(agent):
    agent.insert(attendees=GUESTS)
    second = agent.insert(attendees=GUESTS, **at("2018-06-18T09:59", "2018-06-18T10:30"))
    assert answers(second)[ROOM] == "declined"
    (mail,) = [row for row in agent.diff()["inserts"] if row["__table__"] == "calendar_outgoing_mail"]
    assert (mail["kind"], mail["sender"], mail["recipient"]) == ("response", ROOM, ME)
    third = agent.insert(attendees=GUESTS, **at("2018-06-18T10:00", "2018-06-18T10:30"))
    assert answers(third)[ROOM] == "accepted"


def test_a_room_that_comes_later_answers_too(agent):
    made = agent.insert()
    changed = agent("PATCH", f"calendars/primary/events/{made['id']}", {"attendees": GUESTS})
    assert answers(changed)[ROOM] == "accepted"


def test_a_room_answers_anew_when_the_time_is_another_and_only_then(agent):
    agent.insert(attendees=GUESTS)
    path = f"calendars/primary/events/{agent.insert(attendees=GUESTS)['id']}"
    assert answers(agent("PATCH", path, {"summary": "Later?"}))[ROOM] == "declined"
    assert answers(agent("PATCH", path, at("2018-06-18T11:00", "2018-06-18T12:00")))[ROOM] == "accepted"
    assert answers(agent("PATCH", path, at("2018-06-18T09:30", "2018-06-18T12:00")))[ROOM] == "declined"


def test_an_occurrence_may_move_within_its_own_time(agent):
    series = agent.insert(attendees=GUESTS, recurrence=["RRULE:FREQ=WEEKLY;COUNT=3"])
    path = f"calendars/primary/events/{series['id']}_20180625T160000Z"
    assert answers(agent("PATCH", path, at("2018-06-25T09:30", "2018-06-25T10:30")))[ROOM] == "accepted"


def test_a_room_declines_those_occurrences_that_it_is_not_free_for(agent):
    agent.insert(attendees=GUESTS, **at("2018-06-20T09:30", "2018-06-20T11:00"))
    series = agent.insert(attendees=GUESTS, recurrence=["RRULE:FREQ=DAILY;COUNT=4"])
    listed = agent.list(singleEvents=True, orderBy="startTime", iCalUID=series["iCalUID"])
    by_day = {each["start"]["dateTime"][:10]: answers(each)[ROOM] for each in listed}
    free = dict.fromkeys(("2018-06-18", "2018-06-19", "2018-06-21"), "accepted")
    assert by_day == {**free, "2018-06-20": "declined"}


@pytest.mark.parametrize(("taken", "count", "response"), [(8, 20, "accepted"), (9, 20, "declined"), (3, 5, "declined")])
def test_a_series_is_declined_for_more_than_eight_or_half_of_it(agent, taken, count, response):
    agent.insert(attendees=GUESTS, recurrence=[f"RRULE:FREQ=DAILY;COUNT={taken}"])
    series = agent.insert(attendees=GUESTS, recurrence=[f"RRULE:FREQ=DAILY;COUNT={count}"])
    assert answers(agent("GET", f"calendars/primary/events/{series['id']}"))[ROOM] == response


def test_whether_somebody_is_a_resource_is_said_once(agent):
    made = agent.insert(attendees=[{"email": OTHER, "resource": True}])
    changed = {"attendees": [{"email": OTHER, "resource": False}]}
    (seen,) = agent("PATCH", f"calendars/primary/events/{made['id']}", changed)["attendees"]
    assert seen["resource"] is True


def test_a_room_does_not_answer_anew_to_an_event_that_is_put_back_as_it_was(agent):
    """The time is given with another offset; by then the room has another event at that time."""
    made = agent.insert(
        attendees=GUESTS, start={"dateTime": "2018-06-18T16:00:00Z"}, end={"dateTime": "2018-06-18T17:00:00Z"}
    )
    agent.insert(ROOM, **at("2018-06-18T09:00", "2018-06-18T10:00"))
    path = f"calendars/primary/events/{made['id']}"
    assert answers(agent("PUT", path, agent("GET", path)))[ROOM] == "accepted"

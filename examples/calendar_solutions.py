"""What to do for every task of `calendar_suite.json`, call by call.

twindiff import agent-diff examples/calendar_suite.json
twindiff suites run calendar_office --agent examples.calendar_solutions:work
twindiff suites audit calendar_office --files FOLDER     # with calendar_suite.json in it
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import httpx

from twindiff.client import Task

ME = "robin.vale@tideline.example"
HARBOUR = "c_harbour@group.calendar.google.com"
LAUNCHES = "c_launches@group.calendar.google.com"
ZONE = "America/Los_Angeles"

Call = Callable[..., Any]


def work(task: Task) -> None:
    """Solve the task that the prompt is of."""
    solve = next(solve for words, solve in SOLUTIONS.items() if words in task.prompt)
    with httpx.Client(base_url=task.url, headers={"Authorization": f"Bearer {task.token}"}, trust_env=False) as http:

        def call(verb: str, path: str, body: Any = None, **query: Any) -> Any:
            answer = http.request(verb, f"/{path}", json=body, params=query)
            assert answer.is_success, answer.text
            return answer.json() if answer.content else None

        solve(call)


def times(start: str, minutes: int) -> dict[str, Any]:
    """Start and end of an event, in local time."""
    begin = datetime.fromisoformat(start)
    moments = {"start": begin, "end": begin + timedelta(minutes=minutes)}
    return {name: {"dateTime": each.isoformat(), "timeZone": ZONE} for name, each in moments.items()}


def find_a_time(call: Call) -> None:
    names = ("ada.brandt", "bruno.costa", "chika.eze", "dalia.farouk")
    guests = [f"{name}@tideline.example" for name in names]
    window = {"timeMin": "2018-07-06T06:00:00-07:00", "timeMax": "2018-07-06T10:00:00-07:00", "timeZone": ZONE}
    asked = {**window, "items": [{"id": id} for id in ("primary", *guests)]}
    answer = call("POST", "freeBusy", asked)["calendars"]
    busy = sorted((span["start"], span["end"]) for each in answer.values() for span in each["busy"])
    at, length = datetime.fromisoformat(window["timeMin"]), timedelta(minutes=60)
    for start, end in busy:
        if datetime.fromisoformat(start) - at >= length:
            break
        at = max(at, datetime.fromisoformat(end))
    event = {"summary": "Quay survey kick-off", **times(at.replace(tzinfo=None).isoformat(), 60)}
    call("POST", "calendars/primary/events", {**event, "attendees": [{"email": guest} for guest in guests]})


def split_a_series(call: Call) -> None:
    events = f"calendars/{HARBOUR}/events"
    series = next(each for each in call("GET", events)["items"] if each["summary"] == "Harbour stand-up")["id"]
    window = {"timeMin": "2018-06-20T00:00:00-07:00", "timeMax": "2018-06-21T00:00:00-07:00"}
    (one,) = call("GET", f"{events}/{series}/instances", **window)["items"]
    call("PATCH", f"{events}/{one['id']}", times("2018-06-20T11:00:00", 15))
    rule = "RRULE:FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"
    call("PATCH", f"{events}/{series}", {"recurrence": [f"{rule};UNTIL=20180630T065959Z"]})
    call("POST", events, {"summary": "Harbour stand-up", "recurrence": [rule], **times("2018-07-02T09:00:00", 15)})


def cancel_one(call: Call) -> None:
    events = "calendars/c_lighthouse@group.calendar.google.com/events"
    window = {"timeMin": "2018-06-21T00:00:00-07:00", "timeMax": "2018-06-22T00:00:00-07:00"}
    matches = call("GET", events, singleEvents=True, q="retrospective", **window)["items"]
    call("DELETE", f"{events}/{matches[0]['id']}")


def share(call: Call) -> None:
    for name, role in (("bruno.costa", "writer"), ("zoe.bauer", "owner")):
        rule = {"role": role, "scope": {"type": "user", "value": f"{name}@tideline.example"}}
        call("POST", f"calendars/{HARBOUR}/acl", rule, sendNotifications=False)


def make_a_calendar(call: Call) -> None:
    made = call("POST", "calendars", {"summary": "Regatta 2018", "timeZone": "Europe/London"})["id"]
    days = {"start": {"date": "2018-08-04"}, "end": {"date": "2018-08-06"}}
    call("POST", f"calendars/{made}/events", {"summary": "Regatta", **days})


def decline(call: Call) -> None:
    day = {"timeMin": "2018-06-27T00:00:00-07:00", "timeMax": "2018-06-28T00:00:00-07:00"}
    for event in call("GET", "calendars/primary/events", singleEvents=True, **day)["items"]:
        if event["organizer"]["email"] != ME:
            answer = {"attendees": [{"email": ME, "responseStatus": "declined"}]}
            call("PATCH", f"calendars/primary/events/{event['id']}", answer, sendUpdates="none")


def focus(call: Call) -> None:
    rule = "RRULE:FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;COUNT=10"
    event = {"summary": "Deep work", "eventType": "focusTime", "recurrence": [rule]}
    call("POST", "calendars/primary/events", {**event, **times("2018-06-18T08:00:00", 60)})


def watch(call: Call) -> None:
    until = int(datetime(2018, 6, 21, tzinfo=UTC).timestamp() * 1_000)
    channel = {"id": str(uuid4()), "type": "web_hook", "address": "https://hooks.tideline.example/launches"}
    call("POST", f"calendars/{LAUNCHES}/events/watch", {**channel, "expiration": until})


SOLUTIONS: dict[str, Callable[[Call], None]] = {
    "Quay survey kick-off": find_a_time,
    "The stand-up of the calendar Harbour moves": split_a_series,
    "Cancel the Lighthouse retrospective": cancel_one,
    "Share the calendar Harbour": share,
    "Make a calendar 'Regatta 2018'": make_a_calendar,
    "I cannot come": decline,
    "Block focus time": focus,
    "Let https://hooks.tideline.example/launches": watch,
}
"""How to solve a task, by words of its prompt."""

"""What Calendar's heaviest reads cost in process, handler and JSON.

    python benchmarks/google_calendar.py [--events 10000] [--series 300] [--json]

One calendar holds all events and series, over two years; fifty others hold as many together. Every figure is in
milliseconds of single calls: the least and the median of the processor's time, the median and the 99th percentile of
the wall's, beside the bar. Garbage collection is set up as a server's.
"""

from __future__ import annotations

import argparse
import json
from datetime import date, timedelta
from statistics import median, quantiles
from time import perf_counter, process_time
from typing import Any, NamedTuple

import msgspec
from rich.console import Console
from rich.table import Table

from twindiff.environments.environments import EnvironmentRequest
from twindiff.kit.http import Request
from twindiff.server import Service, Settings
from twindiff.server.runtime.tuning import tune_process

AGENT, ME = "user_agent", "agent@example.com"
SECONDS = 1.5
"""How long each call is made over and over."""
FIRST_DAY, DAYS = date(2018, 1, 1), 730
OTHERS = [f"c{number:02d}@group.calendar.google.com" for number in range(50)]
BARS = {
    "a month of single events": 5.0,
    "free and busy times of 50 calendars for a week": 10.0,
    "a sync of 10 changes": 1.0,
}


def rows(events: int, series: int) -> dict[str, list[dict[str, Any]]]:
    """A world whose events come at a steady pace, one in three of an hour, some of them for days."""
    calendars = [ME, *OTHERS]
    stamped = {"created_at": "2018-01-01T00:00:00", "updated_at": "2018-01-01T00:00:00"}
    own = {"owner_id": AGENT, "time_zone": "America/Los_Angeles"}
    made = [_event(number, ME, events, series) for number in range(events)]
    made += [_event(number, OTHERS[number % len(OTHERS)], events, series, "other") for number in range(events)]
    return {
        "calendar_users": [{"id": AGENT, "email": ME}],
        "calendars": [{"id": id, "summary": id, **own, **stamped} for id in calendars],
        "calendar_list_entries": [
            {"id": f"{AGENT}:{ME}", "user_id": AGENT, "calendar_id": ME, "access_role": "owner", "primary": True}
        ],
        "calendar_events": made,
    }


def _event(number: int, calendar: str, events: int, series: int, prefix: str = "own") -> dict[str, Any]:
    day = FIRST_DAY + timedelta(days=number * DAYS // events)
    minute = 480 + number * 15 % 540
    begin, end = (f"{day}T{each // 60:02d}:{each % 60:02d}:00" for each in (minute, minute + 30 + number % 3 * 30))
    event: dict[str, Any] = {
        "id": f"{prefix}{number:06d}",
        "calendar_id": calendar,
        "summary": f"Event {number}",
        "organizer_id": AGENT,
        "organizer_email": calendar,
        "start": {"dateTime": begin, "timeZone": "America/Los_Angeles"},
        "end": {"dateTime": end, "timeZone": "America/Los_Angeles"},
    }
    if number % (events // series) == 0:
        event["recurrence"] = [("RRULE:FREQ=WEEKLY", "RRULE:FREQ=DAILY;COUNT=60", "RRULE:FREQ=MONTHLY")[number % 3]]
    return event


class World:
    """An environment, spoken to without a socket."""

    def __init__(self, events: int, series: int) -> None:
        self.service = Service(Settings())
        self.twin = self.service.registry.get("calendar")
        template = self.service.templates.add(self.twin, "calendar_large", rows(events, series), origin="benchmark")
        made = self.service.environments.create(EnvironmentRequest([template], user_id=AGENT))
        self.environment = self.service.environments.get(made.environment.environment_id)
        self.token = made.agent_token

    def call(self, verb: str, path: str, body: Any = None) -> Any:
        """The parsed answer."""
        path, _, query = path.partition("?")
        headers = {"content-type": "application/json", "authorization": f"Bearer {self.token}"}
        encoded = msgspec.json.encode(body) if body is not None else b""
        exchange = self.twin.exchange(Request(verb, path, query, headers, encoded), "http://calendar.example")
        assert exchange, path
        exchange.token = self.token
        answer = self.service.calls.answer(self.environment, self.twin, exchange, trusted=True)
        assert answer.status < 300, answer.body
        return answer.body

    def sync_token(self) -> str:
        """What comes after ten changes; the first one of them is not told."""
        token = ""
        page = ""
        while not token:
            answer = json.loads(self.call("GET", f"/calendars/primary/events?maxResults=2500{page}"))
            token = answer.get("nextSyncToken", "")
            page = f"&pageToken={answer.get('nextPageToken', '')}"
        for number in range(10):
            self.call("PATCH", f"/calendars/primary/events/own{number * 7 + 1:06d}", {"location": f"Room {number}"})
        return token


class Timed(NamedTuple):
    """What single calls took, in milliseconds; `cpu` is the processor's time."""

    cpu_least: float
    cpu_p50: float
    p50: float
    p99: float


def timed(call: Any) -> Timed:
    """Make a call over and over; the first calls warm up."""
    for _ in range(3):
        call()
    spent: list[float] = []
    worked: list[float] = []
    until = perf_counter() + SECONDS
    while perf_counter() < until or len(spent) < 20:
        started, working = perf_counter(), process_time()
        call()
        spent.append((perf_counter() - started) * 1000)
        worked.append((process_time() - working) * 1000)
    return Timed(min(worked), median(worked), median(spent), quantiles(spent, n=100)[98])


def measure(events: int, series: int) -> dict[str, Timed]:
    world = World(events, series)
    tune_process()
    month = "timeMin=2019-03-01T00:00:00Z&timeMax=2019-04-01T00:00:00Z&singleEvents=true&orderBy=startTime"
    week = {"timeMin": "2019-03-04T00:00:00Z", "timeMax": "2019-03-11T00:00:00Z"}
    asked = {**week, "items": [{"id": id} for id in OTHERS]}
    token = world.sync_token()
    assert len(json.loads(world.call("GET", f"/calendars/primary/events?syncToken={token}"))["items"]) == 10
    names = iter(BARS)
    return {
        next(names): timed(lambda: world.call("GET", f"/calendars/primary/events?{month}")),
        next(names): timed(lambda: world.call("POST", "/freeBusy", asked)),
        next(names): timed(lambda: world.call("GET", f"/calendars/primary/events?syncToken={token}")),
    }


def main() -> None:
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("--events", type=int, default=10_000)
    reader.add_argument("--series", type=int, default=300)
    reader.add_argument("--json", action="store_true")
    wanted = reader.parse_args()
    figures = measure(wanted.events, wanted.series)
    if wanted.json:
        print(json.dumps({name: {**each._asdict(), "bar": BARS[name]} for name, each in figures.items()}))
        return
    table = Table("call", "cpu least", "cpu p50", "p50", "p99", "bar")
    for name, each in figures.items():
        table.add_row(name, *(f"{value:.2f}" for value in each), f"{BARS[name]:.0f}")
    Console().print(table)


if __name__ == "__main__":
    main()

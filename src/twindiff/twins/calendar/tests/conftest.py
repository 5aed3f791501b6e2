"""A fresh calendar world for every test, over HTTP in process."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest

from tests.harness import Environment, Json, LiveServer, Platform
from twindiff.server import Settings

AGENT = "user_agent"
ME = "agent@example.com"
BEA = "bea@example.com"
CHECKOUT = Path(__file__).parents[5]
SHARED = Path(os.environ.get("TWINDIFF_SHARED", CHECKOUT.parent / "shared"))
BASE = Path(__file__).parents[1] / "seeds" / "calendar_base.json"
TOKENS = {"ya29.agent": AGENT}


class Calendar:
    """One user of one world: `calendar("GET", "calendars/primary")` gives the answer of a call that must succeed."""

    def __init__(self, environment: Environment, token: str = "ya29.agent") -> None:
        self.environment = environment
        self.token = token

    @property
    def url(self) -> str:
        """The address for a client of Google's."""
        return str(self.environment.platform.client.base_url.join(self.environment.made["environmentUrl"]))

    def http(self, verb: str, path: str, body: Any = None, **query: Any) -> httpx.Response:
        """The raw answer."""
        options: dict[str, Any] = {"json": body} if body is not None else {}
        headers = query.pop("headers", {})
        return self.environment.ask(path, verb=verb, token=self.token, params=query, headers=headers, **options)

    def __call__(self, verb: str, path: str, body: Any = None, **query: Any) -> Json:
        answer = self.http(verb, path, body, **query)
        assert answer.is_success, f"{answer.status_code} {answer.text}"
        return answer.json() if answer.content else {}

    def refusal(self, verb: str, path: str, body: Any = None, **query: Any) -> tuple[int, str]:
        """Status and reason of a call that must be refused as Google refuses it."""
        answer = self.http(verb, path, body, **query)
        error = answer.json()["error"]
        assert error["code"] == answer.status_code
        assert error["message"] == error["errors"][0]["message"]
        return answer.status_code, error["errors"][0]["reason"]

    def insert(self, calendar: str = "primary", query: dict[str, Any] | None = None, **event: Any) -> Json:
        """Make an event; one hour at nine on Monday unless it says otherwise."""
        body = {"summary": "Review", **at("2018-06-18T09:00", "2018-06-18T10:00"), **event}
        return self("POST", f"calendars/{calendar}/events", body, **(query or {}))

    def list(self, calendar: str = "primary", **query: Any) -> list[Json]:
        return self("GET", f"calendars/{calendar}/events", **query)["items"]

    def as_user(self, token: str) -> Calendar:
        """The same world for another user."""
        return Calendar(self.environment, token)

    def diff(self, include: str = "plain") -> dict[str, list[Json]]:
        """What has changed since the environment was made."""
        return self.environment.platform.diff(self.environment.made["runId"], include=include)

    def advance(self, seconds: float) -> None:
        self.environment.platform.post(f"env/{self.environment.id}/clock", {"advance": seconds})


def at(start: str, end: str, zone: str = "America/Los_Angeles") -> Json:
    """Start and end of a timed event, or of one of whole days."""
    if len(start) == 10:
        return {"start": {"date": start}, "end": {"date": end}}
    return {name: {"dateTime": f"{time}:00", "timeZone": zone} for name, time in (("start", start), ("end", end))}


@pytest.fixture(scope="session")
def platform() -> Iterator[Platform]:
    """A server for all of the twin's tests in a process; clients reach it by its address, all else without a socket."""
    server = LiveServer(Settings())
    yield Platform(server.in_process)
    server.close()


@pytest.fixture
def world(platform: Platform) -> Callable[..., Calendar]:
    """Make a world of a template: `world("calendar_base", clock={"mode": "steps"})`."""

    def make(template: str = "calendar_base", user: str = AGENT, **options: Any) -> Calendar:
        environment = platform.environment(f"calendar:{template}", user, **{"tokens": TOKENS, **options})
        environment.made["runId"] = platform.start(environment)
        return Calendar(environment)

    return make


@pytest.fixture
def calendar(world: Callable[..., Calendar]) -> Calendar:
    """The agent in the base world."""
    return world()


@pytest.fixture(scope="session")
def office(platform: Platform) -> str:
    """A template with the agent, and with Bea in Berlin and Cem in Istanbul, who have primary calendars too."""
    seed: dict[str, list[Json]] = json.loads(BASE.read_text())
    for id, email, zone in (("bea", BEA, "Europe/Berlin"), ("cem", "cem@example.com", "Europe/Istanbul")):
        seed["calendar_users"].append({"id": id, "email": email, "display_name": id.title()})
        seed["calendars"].append({"id": email, "summary": email, "owner_id": id, "time_zone": zone})
        entry = {"id": f"{id}:{email}", "user_id": id, "calendar_id": email, "access_role": "owner", "primary": True}
        seed["calendar_list_entries"].append(entry)
    name = f"calendar_office_{uuid4().hex[:8]}"
    platform.post("import", {"files": {f"{name}.json": seed}})
    return name


@pytest.fixture
def colleagues(world: Callable[..., Calendar], office: str) -> tuple[Calendar, Calendar, Calendar]:
    """The agent, Bea and Cem in one world."""
    tokens = {**TOKENS, "ya29.bea": "bea", "ya29.cem": "cem"}
    agent = world(office, tokens=tokens, clock={"mode": "offset", "start": "2018-06-17T07:00:00Z"})
    return agent, agent.as_user("ya29.bea"), agent.as_user("ya29.cem")

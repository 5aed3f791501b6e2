"""The same calls by URL, port, TLS proxy and MCP, and in process, leave the same journal, byte for byte."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from http.client import HTTPConnection
from importlib.metadata import entry_points
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple
from urllib.parse import urlencode

import httpx
import msgspec
import pytest

from tests.door.conftest import open_door
from tests.drafts.conftest import make_twin
from tests.harness import AGENT, GENERAL, Environment, LiveServer, Platform
from tests.mcp_messages import call_tool
from tests.server_mode import embedded_only
from twindiff.environments.registry import GROUP, Registry
from twindiff.local import Twindiff, connect
from twindiff.server import Settings
from twindiff.storage.journal import JournalRecord, encode

Json = dict[str, Any]
PRIMARY = "calendar/v3/calendars/primary"
HOSTS = {
    "slack": "slack.com/api",
    "box": "api.box.com",
    "calendar": "www.googleapis.com",
    "linear": "api.linear.app",
    "stripe": "api.stripe.com",
    "github": "api.github.com",
    "notion": "api.notion.com",
    "bakery": "api.bakery.test",
}
USERS = {"slack": AGENT, "github": "ada"}
STEPS = {"mode": "steps"}
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
NOTION = {"Notion-Version": "2026-03-11"}
CREATE = "mutation($input: TeamCreateInput!) { teamCreate(input: $input) { team { id } } }"
HOME = {"page_id": "00000000-0000-4000-8000-000000000001"}
HOOK = {"config": {"url": "https://ci.example/hook"}, "events": ["issues"]}
PAYMENT = {"amount": 2000, "currency": "usd", "confirm": True, "return_url": "https://shop.example/back"}
CARDS = ["pm_card_visa", "pm_card_threeDSecure2Required"]
SHARED_FOLDER = "310401000317"
WATCH = {
    "target": {"type": "folder", "id": SHARED_FOLDER},
    "address": "https://a.example/b",
    "triggers": ["FOLDER.CREATED"],
}
EVENT = {"summary": "Plan", "start": {"date": "2026-12-01"}, "end": {"date": "2026-12-02"}}
HARBOUR = {"owner": "tidewater", "repo": "harbour-api"}


class DoorCall(NamedTuple):
    """A call by URL, and the tool with the arguments that do the same."""

    path: str
    body: Json
    tool: str
    arguments: Json

    def encode(self, twin: str) -> bytes:
        if twin != "stripe":
            return json.dumps(self.body).encode()
        return urlencode({name: value if value is not True else "true" for name, value in self.body.items()}).encode()


def same(path: str, body: Json, tool: str, **more: Any) -> DoorCall:
    return DoorCall(path, body, tool, {**more, **body})


CALLS: dict[str, list[DoorCall]] = {
    "slack": [
        same("chat.postMessage", {"channel": GENERAL, "text": "Hi"}, "chat_postMessage"),
        same("canvases.create", {"title": "Plans"}, "canvases_create"),
    ],
    "box": [
        same("2.0/webhooks", WATCH, "create_webhook"),
        same("2.0/folders", {"name": "Plans", "parent": {"id": "0"}}, "create_folder"),
    ],
    "calendar": [same(f"{PRIMARY}/events", EVENT, "insert_event", calendarId="primary")],
    "linear": [
        DoorCall("graphql", {"query": CREATE, "variables": {"input": each}}, "teamCreate", {"input": each})
        for each in ({"name": "Plans", "key": "PLN"}, {"name": "Teas", "key": "TEA"})
    ],
    "stripe": [
        same("v1/payment_intents", {**PAYMENT, "payment_method": each}, "create_payment_intent") for each in CARDS
    ],
    "github": [
        same("repos/tidewater/harbour-api/hooks", HOOK, "create_hook_repos_hooks", **HARBOUR),
        same("repos/tidewater/harbour-api/issues", {"title": "Leak"}, "create_issue", **HARBOUR),
    ],
    "notion": [
        DoorCall("v1/pages", body, "create_page", {"body": body})
        for body in [{"parent": HOME, "properties": {"title": [{"text": {"content": "Plan"}}]}}]
    ],
    "bakery": [
        DoorCall("v1/customers", each, "create_customer", {"body": each}) for each in ({"name": "Ada"}, {"name": "Ben"})
    ],
}
"""Calls of each twin; Stripe's events, GitHub's hooks and next actions have addresses in what is stored.

The bakery is a drafted twin.
"""


def headers_of(twin: str, token: str) -> dict[str, str]:
    more = FORM if twin == "stripe" else {"Content-Type": "application/json"}
    return {"Authorization": f"Bearer {token}"} | more | (NOTION if twin == "notion" else {})


def journal_of(records: Callable[[str], list[JournalRecord]], environment_id: str) -> list[bytes]:
    """The records as they are stored, without the environment's name, the time of day and the caller's address."""

    def strip(record: JournalRecord) -> JournalRecord:
        events = [event._replace(came_by="") for event in record.events]
        return msgspec.structs.replace(record, env="", at=0, events=events)

    return [encode(strip(each)) for each in records(environment_id)]


def by_url(environment: Environment, twin: str) -> None:
    for call in CALLS[twin]:
        headers = headers_of(twin, environment.token)
        answer = environment.ask(call.path, content=call.encode(twin), headers=headers)
        assert answer.is_success, answer.text


def by_tool(environment: Environment, twin: str) -> None:
    for call in CALLS[twin]:
        text, is_error = call_tool(environment, call.tool, call.arguments, twin=twin, query="profile=operations")
        assert not is_error, text


def by_port(environment: Environment, twin: str) -> None:
    url = environment.platform.post(f"env/{environment.id}/ports", {"twin": twin})["url"]
    with httpx.Client(trust_env=False) as client:
        send_all(client, url, environment.token, twin)


def by_proxy(environment: Environment, twin: str) -> None:
    """The vendor's own host over TLS."""
    with TemporaryDirectory() as folder, open_door(environment, Path(folder)).client() as client:
        send_all(client, f"https://{HOSTS[twin]}", environment.token, twin)


def by_name(environment: Environment, twin: str) -> None:
    """The vendor's own host over TLS, by a program that knows no proxy and whose names lead to the door."""
    host, _, path = HOSTS[twin].partition("/")
    with TemporaryDirectory() as folder:
        entry = open_door(environment, Path(folder))
        for call in CALLS[twin]:
            with entry.dial(host) as secure:
                wire = HTTPConnection(host)
                wire.sock = secure
                place = f"/{path}/{call.path}" if path else f"/{call.path}"
                wire.request("POST", place, call.encode(twin), headers_of(twin, environment.token))
                answer = wire.getresponse()
                assert answer.status < 300, answer.read()


def send_all(client: httpx.Client, base: str, token: str, twin: str) -> None:
    for call in CALLS[twin]:
        answer = client.post(f"{base}/{call.path}", content=call.encode(twin), headers=headers_of(twin, token))
        assert answer.is_success, answer.text


def in_process(twin: str, user: str | None) -> list[bytes]:
    """The journal after calls of the vendor's own host."""
    with Twindiff(twins=[make_twin()] if twin == "bakery" else None) as twins:
        environment = twins.create(template_of(twin), user=user, clock=STEPS)
        with connect(environment), httpx.Client() as client:
            send_all(client, f"https://{HOSTS[twin]}", environment.token, twin)
        return journal_of(twins._service.engine.records, environment.id)


def template_of(twin: str) -> str:
    return f"{twin}:{twin}_{'base' if twin == 'bakery' else 'default'}"


@pytest.fixture(scope="module")
def served() -> Iterator[LiveServer]:
    """A server of the installed twins and a drafted one."""
    server = LiveServer(Settings(), Registry([make_twin()], entry_points(group=GROUP)))
    yield server
    server.close()


@embedded_only("the journals of two engines are compared byte for byte")
@pytest.mark.parametrize("twin", CALLS)
def test_the_same_calls_through_each_door_leave_the_same_journal(served: LiveServer, twin: str):
    platform = Platform(served.client)
    templates = {each["name"]: each["id"] for each in platform.get("templates")["templates"]}
    template = template_of(twin)
    users = platform.get(f"templates/{templates[template.partition(':')[2]]}")["users"]
    user = USERS.get(twin) or next((each["id"] for each in users), None)  # a drafted twin has none
    journals = [in_process(twin, user)]
    for door in (by_url, by_tool, by_port, by_proxy, by_name):
        environment = platform.environment(template, user, clock=STEPS)
        door(environment, twin)
        read = partial(journal_of, served.service.engine.records, environment.id)
        journals.append(served.on_loop(read))
    assert journals == [journals[0]] * 6
    assert len(journals[0]) == len(CALLS[twin])

"""The same calls by URL, port, TLS proxy and MCP, and in process, leave the same journal, byte for byte."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx
import msgspec
import pytest

from tests.door.conftest import open_door
from tests.harness import AGENT, GENERAL, Environment, LiveServer, Platform
from tests.mcp_messages import call_tool
from tests.server_mode import embedded_only
from twindiff.local import Twindiff, connect
from twindiff.storage.journal import JournalRecord, encode

Json = dict[str, Any]
PRIMARY = "calendar/v3/calendars/primary"
HOSTS = {
    "slack": "slack.com/api",
    "box": "api.box.com",
    "calendar": "www.googleapis.com",
    "linear": "api.linear.app",
    "stripe": "api.stripe.com",
}
STEPS = {"mode": "steps"}
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
FOLDER = {"name": "Plans", "parent": {"id": "0"}}
EVENT = {"summary": "Plan", "start": {"date": "2026-12-01"}, "end": {"date": "2026-12-02"}}
CREATE = "mutation($input: TeamCreateInput!) { teamCreate(input: $input) { team { id } } }"
TEAM = {"input": {"name": "Plans", "key": "PLN"}}
MESSAGE = {"channel": GENERAL, "text": "Hi"}
CUSTOMER = {"email": "a@b.c", "metadata": {"k": "v"}}
CALLS: dict[str, tuple[str, bytes, str, Json]] = {
    "slack": ("chat.postMessage", json.dumps(MESSAGE).encode(), "chat_postMessage", MESSAGE),
    "box": ("2.0/folders", json.dumps(FOLDER).encode(), "create_folder", FOLDER),
    "calendar": (f"{PRIMARY}/events", json.dumps(EVENT).encode(), "insert_event", {"calendarId": "primary", **EVENT}),
    "linear": ("graphql", json.dumps({"query": CREATE, "variables": TEAM}).encode(), "teamCreate", TEAM),
    "stripe": ("v1/customers", b"email=a%40b.c&metadata[k]=v", "create_customer", CUSTOMER),
}
"""Path and body of a call by URL, and its tool with the arguments, by twin."""


def headers_of(twin: str, token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"} | (FORM if twin == "stripe" else {"Content-Type": "application/json"})


def journal_of(records: Callable[[str], list[JournalRecord]], environment_id: str) -> list[bytes]:
    """The records as they are stored, without the environment's name and the time of day."""
    return [encode(msgspec.structs.replace(each, env="", at=0)) for each in records(environment_id)]


def by_url(environment: Environment, twin: str) -> None:
    path, body, _, _ = CALLS[twin]
    answer = environment.ask(path, content=body, headers=headers_of(twin, environment.token))
    assert answer.is_success, answer.text


def by_tool(environment: Environment, twin: str) -> None:
    _, _, name, arguments = CALLS[twin]
    text, is_error = call_tool(environment, name, arguments, twin=twin, query="profile=operations")
    assert not is_error, text


def by_port(environment: Environment, twin: str) -> None:
    path, body, _, _ = CALLS[twin]
    url = environment.platform.post(f"env/{environment.id}/ports", {"twin": twin})["url"]
    answer = httpx.post(f"{url}/{path}", content=body, headers=headers_of(twin, environment.token), trust_env=False)
    assert answer.is_success, answer.text


def by_proxy(environment: Environment, twin: str) -> None:
    """The vendor's own host over TLS."""
    path, body, _, _ = CALLS[twin]
    with TemporaryDirectory() as folder, open_door(environment, Path(folder)).client() as client:
        url = f"https://{HOSTS[twin]}/{path}"
        answer = client.post(url, content=body, headers=headers_of(twin, environment.token))
    assert answer.is_success, answer.text


def in_process(twin: str, user: str) -> list[bytes]:
    """The journal after a call of the vendor's own host."""
    path, body, _, _ = CALLS[twin]
    with Twindiff() as twins:
        environment = twins.create(f"{twin}:{twin}_default", user=user, clock=STEPS)
        with connect(environment):
            headers = headers_of(twin, environment.token)
            answer = httpx.post(f"https://{HOSTS[twin]}/{path}", content=body, headers=headers)
        assert answer.is_success, answer.text
        return journal_of(twins._service.engine.records, environment.id)


@embedded_only("the journals of two engines are compared byte for byte")
@pytest.mark.parametrize("twin", CALLS)
def test_the_same_call_through_each_door_leaves_the_same_journal(live: LiveServer, platform: Platform, twin: str):
    templates = {each["name"]: each["id"] for each in platform.get("templates")["templates"]}
    user = AGENT if twin == "slack" else platform.get(f"templates/{templates[f'{twin}_default']}")["users"][0]["id"]
    journals = [in_process(twin, user)]
    for door in (by_url, by_tool, by_port, by_proxy):
        environment = platform.environment(f"{twin}:{twin}_default", user, clock=STEPS)
        door(environment, twin)
        read = partial(journal_of, live.service.engine.records, environment.id)
        journals.append(live.on_loop(read))
    assert journals == [journals[0]] * 5
    assert len(journals[0]) == 1

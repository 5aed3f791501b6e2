"""Addresses in answers lead back by the way that the caller came: a walk through the operations of every twin."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from typing import Any

import httpx
import pytest

from tests.door.conftest import OTHERS, WORLD, make_world, open_door
from tests.harness import Environment, InProcess, LiveServer, Platform
from tests.receiver import Receiver
from twindiff.kit import OWN_ADDRESS
from twindiff.kit.twin import Operation, Twin
from twindiff.server.door.door import Caller
from twindiff.server.door.hosts import has_host

ADDRESS = re.compile(r"(?:https?|wss?)://[^\s\"'<>|\\)]+")
PAGES = ("linear.app", "github.com")
NOBODYS = OWN_ADDRESS.partition("://")[2]
MAX_TRIES = 3
"""Ids that are tried for each placeholder."""
HOSTS = {
    "slack": "slack.com",
    "box": "api.box.com",
    "stripe": "api.stripe.com",
    "calendar": "www.googleapis.com/calendar/v3",
    "linear": "api.linear.app",
    "github": "api.github.com",
    "notion": "api.notion.com",
}
HEADERS = {"notion": {"Notion-Version": "2026-03-11"}}
GIVEN = {"owner": "tidewater", "org": "tidewater", "repo": "harbour-api", "username": "ada"} | {
    "calendarId": "primary",
    "setting": "timezone",
    "ruleId": "user:ada.brandt@tideline.example",
    "pull_number": "31",
    "team_slug": "platform",
    "branch": "main",
    **dict.fromkeys(("number", "issue_number", "project_number", "milestone_number"), "1"),
}
CANVAS = {"type": "markdown", "markdown": "hello"}
UPLOAD = {"attributes": '{"name": "a.txt", "parent": {"id": "0"}}'}
ISSUES = {
    "query": "{ issues(first: 5) { nodes { url } } projects(first: 3) { nodes { url } } users { nodes { url } } }"
}
SESSION = {"folder_id": "0", "file_size": 30_000_000, "file_name": "large"}
CARD = {"amount": "2000", "currency": "usd", "payment_method": "pm_card_threeDSecure2Required", "confirm": "true"}
RETURN = {"return_url": "https://shop.example/back"}
PRICES = {"line_items[0][price_data][currency]": "usd", "line_items[0][price_data][unit_amount]": "500"} | {
    "line_items[0][price_data][product_data][name]": "Tea",
    "line_items[0][quantity]": "1",
    "mode": "payment",
    "success_url": "https://shop.example/done",
}
WRITES: dict[str, list[tuple[str, str, dict[str, Any]]]] = {
    "slack": [
        ("POST", "/api/files.getUploadURLExternal", {"data": {"filename": "a.txt", "length": "2"}}),
        ("POST", "/api/apps.connections.open", {"headers": {"Authorization": "Bearer xapp-1"}}),
        ("POST", "/api/canvases.create", {"json": {"title": "a", "document_content": CANVAS}}),
    ],
    "box": [
        ("POST", "/api/2.0/files/content", {"data": UPLOAD, "files": {"file": b"hello"}}),
        ("OPTIONS", "/2.0/files/content", {"json": {"name": "b.txt", "parent": {"id": "0"}}}),
        ("POST", "/api/2.0/files/upload_sessions", {"json": SESSION}),
        ("POST", "/2.0/zip_downloads", {"json": {"items": [{"type": "folder", "id": "0"}]}}),
        ("OPTIONS", "/2.0/events", {}),
    ],
    "stripe": [
        ("POST", "/v1/files", {"data": {"purpose": "dispute_evidence"}, "files": {"file": b"hello"}}),
        ("POST", "/v1/payment_intents", {"data": {**CARD, **RETURN}}),
        ("POST", "/v1/payment_intents", {"data": {**CARD, "payment_method_types[]": "card"}}),
        ("POST", "/v1/checkout/sessions", {"data": PRICES}),
    ],
    "calendar": [],
    "linear": [("POST", "/graphql", {"json": ISSUES})],
    "github": [("POST", "/repos/tidewater/harbour-api/hooks", {"json": {"config": {"url": "https://ci.example"}}})],
    "notion": [
        ("POST", "/v1/file_uploads", {"json": {"filename": "a.txt", "content_type": "text/plain"}}),
        ("POST", "/v1/search", {"json": {}}),
    ],
}


class Walk:
    """Calls operations of a twin and keeps the addresses and the ids in their answers."""

    def __init__(self, client: httpx.Client, base: str, headers: dict[str, str]) -> None:
        self._client, self._base, self._headers = client, base, headers
        self.ids: dict[str, list[str]] = defaultdict(list)
        self.addresses: dict[str, str] = {}
        """An operation that named it, by address."""

    def call(self, name: str, verb: str, path: str, **options: Any) -> None:
        headers = {**self._headers, **options.pop("headers", {})}
        answer = self._client.request(verb, self._base + path, headers=headers, follow_redirects=False, **options)
        if answer.is_error or "json" not in answer.headers.get("content-type", "json"):
            return
        told = [*answer.headers.get_list("location"), *answer.headers.get_list("link")]
        for address in ADDRESS.findall("\n".join([*told, *_texts(_json(answer))])):
            self.addresses.setdefault(address, name)
        for each in _objects(_json(answer)):
            kind = str(each.get("type") or each.get("object") or each.get("kind", "").partition("#")[2])
            if isinstance(each.get("id"), str):
                self.ids[kind.lower()].append(each["id"])

    def paths(self, operation: Operation) -> Iterator[str]:
        """The paths of an operation, with the ids that are known so far."""
        path = operation.declared.path
        names = [*operation.placeholders]
        choices = [[GIVEN[each]] if each in GIVEN else self.known(each) for each in names]
        for number in range(MAX_TRIES if names else 1):
            if all(len(choice) > (number if len(choice) > 1 else 0) for choice in choices):
                values = [choice[min(number, len(choice) - 1)] for choice in choices]
                yield _fill(path, dict(zip(names, values, strict=True)))

    def known(self, placeholder: str) -> list[str]:
        return self.ids.get(re.sub(r"(_id|Id)$", "", placeholder).lower(), [])


def _fill(path: str, values: dict[str, str]) -> str:
    return re.sub(r"\{(\w+)(?::path)?\}", lambda match: values[match[1]], path)


def _json(answer: httpx.Response) -> Any:
    try:
        return answer.json()
    except ValueError:
        return None


def _objects(value: Any) -> Iterator[dict[str, Any]]:
    for each in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _objects(each)
    if isinstance(value, dict):
        yield value


def _texts(value: Any) -> Iterator[str]:
    """All texts in a value, at any depth."""
    if isinstance(value, str):
        yield value
    for each in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _texts(each)


def walk(twin: Twin, client: httpx.Client, base: str) -> dict[str, str]:
    """Call every operation that reads, lists before what their ids lead to, and those writes that give addresses."""
    walking = Walk(client, base, HEADERS.get(twin.name, {}))
    for verb, path, options in WRITES[twin.name]:
        walking.call(f"{verb} {path}", verb, path, **options)
    operations = sorted(twin.dispatch.operations, key=lambda each: len(each.placeholders))
    for operation in operations:
        verb = operation.declared.verb
        if not verb and operation.reads:
            parameters = {name: walking.ids[name][0] for name in ("channel", "file", "user") if walking.ids.get(name)}
            walking.call(operation.name, "POST", f"/api/{operation.name}", json=parameters)
        elif verb == "GET":
            for path in walking.paths(operation):
                walking.call(operation.name, verb, path)
    return walking.addresses


@pytest.fixture(scope="module")
def world(door_server: LiveServer) -> Callable[[str], Environment]:
    chosen = {each.partition(":")[0]: each for each in (*WORLD, *OTHERS)}
    return lambda twin: make_world(Platform(door_server.client), chosen[twin])


@pytest.mark.parametrize("name", HOSTS)
def test_addresses_lead_back_by_the_way_that_the_caller_came(door_server: LiveServer, world, name):
    environment, twin = world(name), door_server.service.registry.get(name)
    direct = walk(twin, door_server.in_process, environment.url)
    server = InProcess(partial(door_server.service.door.answer, Caller(environment.id)))
    server._loop = door_server._application._loop
    with httpx.Client(transport=server) as client:  # of the same world, so that stored addresses are read by both
        by_door = walk(twin, client, f"https://{HOSTS[name]}")
    assert {each: by for each, by in by_door.items() if "localhost" in each or "127.0.0.1" in each} == {}
    assert {each: by for each, by in (by_door | direct).items() if each.partition("://")[2].startswith(NOBODYS)} == {}
    assert {each: by for each, by in direct.items() if is_operation(twin, httpx.URL(each))} == {}
    assert direct
    assert by_door


def is_operation(twin: Twin, url: httpx.URL) -> bool:
    """Whether an address is one of the vendor's API, and no page for people."""
    return has_host([twin], url.host) and url.host not in PAGES and bool(twin.dispatch.verbs(url.path))


HOOKED: dict[str, tuple[str, dict[str, Any]]] = {
    "stripe": ("v1/payment_intents", {"data": {**CARD, **RETURN, "payment_method": "pm_card_visa"}}),
    "github": ("repos/tidewater/harbour-api/issues", {"json": {"title": "Leak"}}),
}
NAMED = {"stripe": ("/receipts/", "pay.stripe.com"), "github": ("/repos/", "api.github.com")}


@pytest.mark.parametrize("name", HOOKED)
def test_links_of_a_delivery_name_the_host_by_which_the_caller_came(door_server: LiveServer, world, name, tmp_path):
    environment = world(name)
    path, options = HOOKED[name]
    with closing(Receiver(lambda _: None)) as told:
        if name == "stripe":
            environment.ask("v1/webhook_endpoints", data={"url": told.url, "enabled_events[]": "charge.succeeded"})
        else:
            hook = {"config": {"url": told.url, "content_type": "json"}, "events": ["issues"]}
            environment.ask("repos/tidewater/harbour-api/hooks", json=hook)
        pings = 1 if name == "github" else 0
        told.wait(pings)
        with open_door(environment, tmp_path).client() as client:
            assert client.post(f"https://{HOSTS[name]}/{path}", **options).is_success
        told.wait(pings + 1)
        assert environment.ask(path, **options).is_success
        by_door, direct = (each.body.decode() for each in told.wait(pings + 2)[pings:])
    below, host = NAMED[name]
    assert f"https://{host}{below}" in by_door
    assert f"{environment.url}{below}" in direct

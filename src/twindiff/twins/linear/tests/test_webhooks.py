"""Webhooks that are made by the API are told of what they ask for.  https://linear.app/developers/webhooks"""

from __future__ import annotations

import hmac
import json
import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from tests.harness import LiveServer, Platform
from tests.receiver import PATIENCE_SECONDS, Received, Receiver
from twindiff.server import Settings
from twindiff.twins.linear.tests.conftest import AGENT, DONE, ENG, KEYS, PROD, Linear
from twindiff.twins.linear.tests.test_sdk import package  # noqa: F401 - a fixture

SECRET = "lin_wh_secret"
VERIFY = Path(__file__).with_name("test_webhooks.mjs")


@pytest.fixture(scope="module")
def platform() -> Iterator[Platform]:
    """A server that tells of events."""
    server = LiveServer(Settings())
    yield Platform(server.client)
    server.close()


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    made = Receiver()
    yield made
    made.close()


@pytest.fixture
def linear(platform: Platform) -> Linear:
    clock = {"mode": "steps", "start": "2026-01-31T09:30:00"}
    return Linear(platform.environment("linear:linear_default", AGENT, tokens=KEYS, clock=clock))


@pytest.fixture
def subscribe(linear: Linear, receiver: Receiver) -> Callable[..., dict[str, Any]]:
    """Make a webhook by the API."""

    def make(*kinds: str, **options: Any) -> dict[str, Any]:
        given = {"url": receiver.url, "secret": SECRET, "resourceTypes": kinds or ["Issue"], "allPublicTeams": True}
        return linear.create("webhook", "id secret enabled", **{**given, **options})

    return make


def deliveries(linear: Linear, count: int) -> list[dict[str, Any]]:
    """The deliveries, once there are so many that are settled."""
    environment = linear.environment
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        sent = environment.platform.get(f"env/{environment.id}/deliveries")["deliveries"]
        if len(sent) >= count and all(each["status"] != "pending" for each in sent):
            return sent
        assert time.monotonic() < deadline, sent


def only(receiver: Receiver) -> Received:
    [request] = receiver.wait(1)
    return request


def test_a_new_issue_is_told_of_signed(linear, subscribe, receiver):
    webhook = subscribe()
    issue = linear.issue("id identifier url createdAt", title="Charge the arm")
    request = only(receiver)
    signature = hmac.new(SECRET.encode(), request.body, sha256).hexdigest()
    headers = request.headers
    assert (headers["linear-signature"], headers["linear-event"]) == (signature, "Issue")
    assert len(headers["linear-delivery"]) == 36
    body = request.json
    at = body.pop("webhookTimestamp")
    assert headers["linear-timestamp"] == str(at)
    assert abs(time.time() * 1000 - at) < 60_000
    data, actor = body.pop("data"), body.pop("actor")
    assert (actor["id"], actor["type"]) == (AGENT, "user")
    assert body == {
        "action": "create",
        "createdAt": "2026-01-31T09:30:02.000Z",
        "type": "Issue",
        "url": issue["url"],
        "webhookId": webhook["id"],
        "organizationId": linear("{ organization { id } }")["organization"]["id"],
    }
    assert {**data, **issue} == data
    assert (data["title"], data["team"]["key"], data["teamId"]) == ("Charge the arm", "ENG", ENG)


def test_an_update_tells_what_was_there_before(linear, subscribe, receiver):
    issue = linear.issue("id updatedAt state { id }")
    subscribe()
    linear.update("issue", issue["id"], stateId=DONE)
    body = only(receiver).json
    assert (body["action"], body["data"]["state"]["id"]) == ("update", DONE)
    assert body["updatedFrom"]["stateId"] == issue["state"]["id"]
    assert body["updatedFrom"]["updatedAt"] == issue["updatedAt"]
    assert "title" not in body["updatedFrom"]


def test_a_deletion_tells_of_what_is_gone(linear, subscribe, receiver):
    issue = linear.issue()
    subscribe()
    linear("mutation($id: String!) { issueDelete(id: $id) { success } }", id=issue["id"])
    body = only(receiver).json
    assert (body["action"], body["data"]["id"]) == ("remove", issue["id"])


def test_only_the_kinds_that_were_asked_for_are_told(linear, subscribe, receiver):
    subscribe("Comment")
    issue = linear.issue()
    linear.create("comment", issueId=issue["id"], body="Done soon")
    [delivery] = deliveries(linear, 1)
    assert delivery["event"] == "Comment"
    body = only(receiver).json
    assert (body["data"]["body"], body["data"]["issue"]["id"]) == ("Done soon", issue["id"])


def test_a_webhook_of_a_team_hears_of_that_team_alone(linear, subscribe, receiver):
    subscribe("Issue", "Comment", teamId=ENG, allPublicTeams=None)
    other = linear.issue(teamId=PROD)
    linear.create("comment", issueId=other["id"], body="not told")
    linear.issue(title="told")
    assert len(deliveries(linear, 1)) == 1
    assert only(receiver).json["data"]["title"] == "told"


def test_a_webhook_that_is_disabled_is_told_no_more(linear, subscribe, receiver):
    webhook = subscribe()
    linear.update("webhook", webhook["id"], enabled=False)
    linear.issue()
    linear.update("webhook", webhook["id"], enabled=True)
    linear.issue(title="told")
    assert [each.json["data"]["title"] for each in receiver.wait(1)][-1] == "told"


def test_an_address_elsewhere_is_refused_when_it_is_told(linear, subscribe):
    subscribe(url="http://10.1.2.3/hook")
    linear.issue()
    [delivery] = deliveries(linear, 1)
    [attempt] = delivery["attempts"]
    assert (delivery["status"], attempt["failure"]) == ("failed", "refused")
    assert attempt["message"] == (
        "10.1.2.3 is 10.1.2.3, which is not this machine; start the server with --allow-webhooks-to 10.1.2.3"
    )


def test_settings_tell_of_everything_without_the_api(linear, receiver):
    environment = linear.environment
    environment.platform.post(
        f"env/{environment.id}/webhooks", {"twin": "linear", "url": receiver.url, "secret": SECRET}
    )
    linear.issue(title="told")
    assert only(receiver).json["data"]["title"] == "told"


def test_a_document_that_fails_halfway_tells_of_what_it_did(linear, subscribe, receiver):
    subscribe()
    create = 'issueCreate(input: {teamId: "%s", title: "%s"}) { issue { id } }'
    linear.ask("mutation { a: " + create % (ENG, "kept") + " b: " + create % ("nowhere", "lost") + " }")
    deliveries(linear, 1)
    assert [each.json["data"]["title"] for each in receiver.received] == ["kept"]


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no Node here")
def test_the_sdk_verifies_a_delivery(linear, subscribe, receiver, package, tmp_path):  # noqa: F811 - the fixture
    subscribe()
    linear.issue(title="Charge the arm")
    request = only(receiver)
    (tmp_path / "body").write_bytes(request.body)
    (tmp_path / "delivery").write_text(json.dumps({"path": str(tmp_path / "body"), "headers": dict(request.headers)}))
    given = {"LINEAR_SDK": str(package), "DELIVERY": str(tmp_path / "delivery"), "SECRET": SECRET}
    command = ["node", str(VERIFY)]
    done = subprocess.run(
        command, env={**os.environ, **given}, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr[-2000:]
    told = {"asItCame": [200, "create", "Charge the arm"], "changed": [400], "strange": [400]}
    assert json.loads(done.stdout) == told

"""`twindiff env webhooks`."""

import json

import httpx
import pytest

from tests.harness import AGENT
from tests.receiver import Receiver
from twindiff.client import Client


@pytest.fixture
def receiver():
    made = Receiver()
    yield made
    made.close()


@pytest.fixture
def env(server):
    with Client(server) as client, client.create("slack:slack_default", user=AGENT) as made:
        yield made


def test_a_webhook_is_added_told_listed_and_removed(twindiff, server, env, receiver):
    made = json.loads(
        twindiff(
            "env", "webhooks", "add", env.id, "slack", receiver.url, "--event", "message.channels", "--json"
        ).output
    )
    assert receiver.url in twindiff("env", "webhooks", "ls", env.id, COLUMNS="200").output
    headers = {"Authorization": f"Bearer {env.token}"}
    said = {"channel": "C01ABCD1234", "text": "hi"}
    httpx.post(f"{server}/api/env/{env.id}/services/slack/chat.postMessage", json=said, headers=headers)
    receiver.wait(2)
    shown = twindiff("env", "webhooks", "deliveries", env.id, COLUMNS="200").output
    assert "message" in shown
    assert twindiff("env", "webhooks", "redeliver", env.id, "1").output == "Delivery 1 is sent once more.\n"
    removed = twindiff("env", "webhooks", "rm", env.id, made["webhookId"][:12]).output
    assert removed.endswith(f"is told no more at {server}.\n")
    assert "No webhooks" in twindiff("env", "webhooks", "ls", env.id).output


def test_a_webhook_that_cannot_be_is_refused_in_one_line(twindiff, env):
    refused = twindiff("env", "webhooks", "add", env.id, "slack", "http://10.0.0.1/")
    assert refused.exit_code == 1
    assert "--allow-webhooks-to 10.0.0.1" in refused.output

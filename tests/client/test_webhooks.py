"""Webhooks through both Python clients."""

import asyncio

import pytest

from tests.harness import AGENT
from tests.receiver import Receiver
from twindiff.client import AsyncClient, Client, RequestRefused


@pytest.fixture
def receiver():
    made = Receiver()
    yield made
    made.close()


def test_webhooks_are_added_listed_and_removed(server, receiver):
    with Client(server) as client, client.create("slack:slack_default", user=AGENT) as env:
        made = env.add_webhook("slack", receiver.url, "message.channels", secret="s")
        assert env.webhooks() == [made]
        assert (made.url, made.events, made.secret) == (receiver.url, ["message.channels"], "s")
        assert env.remove_webhook(made.webhook_id) == made
        assert (env.webhooks(), env.deliveries()) == ([], [])


def test_the_same_with_async(server, receiver):
    async def episode():
        async with AsyncClient(server) as client, await client.create("slack:slack_default", user=AGENT) as env:
            made = await env.add_webhook("slack", receiver.url)
            return made, await env.webhooks(), await env.remove_webhook(made.webhook_id), await env.deliveries()

    made, listed, removed, deliveries = asyncio.run(episode())
    assert (listed, removed, deliveries) == ([made], made, [])


def test_a_delivery_that_is_not_there_cannot_be_repeated(server):
    opened = Client(server)
    with (
        opened as client,
        client.create("slack:slack_default", user=AGENT) as env,
        pytest.raises(RequestRefused) as refused,
    ):
        env.redeliver(7)
    assert "the environment has no delivery 7" in str(refused.value)

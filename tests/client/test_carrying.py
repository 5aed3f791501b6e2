"""Both clients export and import."""

import asyncio

import pytest

from tests.harness import AGENT
from twindiff.client import AsyncClient, Client, RequestRefused


@pytest.mark.parametrize("name", [None, "yours"])
def test_an_environment_goes_through_the_client_and_back(server, name):
    with Client(server) as client, client.create("slack:slack_default", user=AGENT, name="mine") as env:
        env.checkpoint("begun")
        with client.import_environment(env.export(), name=name, ttl_seconds=60) as arrived:
            assert arrived.token not in ("", env.token)
            assert [each.name for each in arrived.checkpoints()] == ["begun"]
            assert arrived.show().name == (name or "mine")


def test_the_same_with_async(server):
    async def episode():
        async with AsyncClient(server) as client, await client.create("slack:slack_default", user=AGENT) as env:
            arrived = await client.import_environment(await env.export())
            return await arrived.journal() == await env.journal(), arrived.service

    assert asyncio.run(episode()) == (True, "slack")


def test_a_refusal_of_a_file_has_the_servers_words(server):
    with Client(server) as client, pytest.raises(RequestRefused, match="Not a gzipped file") as refused:
        client.import_environment(b"PK")
    assert (refused.value.status, refused.value.code) == (400, "invalid_export")

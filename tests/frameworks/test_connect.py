# pyright: reportMissingImports=false
"""aiohttp, and the SDK made of it, reach a twin in the process under the vendor's host."""

from __future__ import annotations

import asyncio

import pytest

pytest.importorskip("aiohttp", reason="aiohttp is not installed; `make frameworks` has it")

import aiohttp
from slack_sdk.web.async_client import AsyncWebClient

import twindiff
from twindiff import Twindiff

URL = "https://slack.com/api/auth.test"


async def ask(token: str) -> list[str]:
    """The users of many calls at once, and of the SDK."""
    async with aiohttp.ClientSession(headers={"Authorization": f"Bearer {token}"}) as session:
        answers = await asyncio.gather(*(session.post(URL, data={"a": "b" * 100_000}) for _ in range(20)))
        users = [(await each.json())["user_id"] for each in answers]
        with pytest.raises(aiohttp.ClientConnectorError):
            await session.get("http://127.0.0.1:9/")
    return [*users, str((await AsyncWebClient(token=token).auth_test())["user_id"])]


def test_aiohttp_reaches_the_twin_by_its_vendors_host():
    with Twindiff() as twins:
        environment = twins.create("slack:slack_default")
        with twindiff.connect(environment):
            assert set(asyncio.run(ask(environment.token))) == {"U01AGENBOT9"}

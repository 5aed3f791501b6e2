"""Which way each vendor's SDK takes into the process. docs/reference/python.md has this table for readers."""

import asyncio
import json

import box_sdk_gen
import httplib2
import httpx
import pytest
import requests
import slack_sdk
import stripe
from box_sdk_gen.networking import BoxNetworkClient, NetworkSession

from twindiff.client import Environment
from twindiff.local import Twindiff


def slack_by_url(td: Twindiff, env: Environment) -> str:
    """It is made of urllib and takes a base URL."""
    client = slack_sdk.WebClient(token=env.token, base_url=td.url(env, "slack"))
    return str(client.auth_test()["user_id"])


def stripe_by_adapter(td: Twindiff, env: Environment) -> str:
    """It takes an HTTP client, which takes a session of requests."""
    with requests.Session() as session:
        session.mount("https://", td.adapter(env, "shop"))
        client = stripe.StripeClient(env.token, http_client=stripe.RequestsClient(session=session))
        return str(client.v1.customers.create({"name": "Ada"}).name)


def box_by_adapter(td: Twindiff, env: Environment) -> str:
    """It takes a network client, which takes a session of requests."""
    with requests.Session() as session:
        session.mount("https://", td.adapter(env, "shop"))
        network = NetworkSession(network_client=BoxNetworkClient(requests_session=session))
        auth = box_sdk_gen.BoxDeveloperTokenAuth(token=env.token)
        return str(box_sdk_gen.BoxClient(auth=auth, network_session=network).users.get_user_me().name)


def httplib2_by_url(td: Twindiff, env: Environment) -> str:
    """Google's client is made of it; it takes no transport of another kind."""
    headers = {"Authorization": f"Bearer {env.token}"}
    http = httplib2.Http()
    _, content = http.request(f"{td.url(env, 'shop')}/2.0/users/me", headers=headers)
    http.close()
    return json.loads(content)["name"]


def httpx_by_transport(td: Twindiff, env: Environment) -> str:
    headers = {"Authorization": f"Bearer {env.token}"}
    with httpx.Client(transport=td.transport(env, "shop"), headers=headers) as client:
        return client.get("https://api.example.com/2.0/users/me").json()["name"]


def async_httpx_by_transport(td: Twindiff, env: Environment) -> str:
    async def name() -> str:
        headers = {"Authorization": f"Bearer {env.token}"}
        async with httpx.AsyncClient(transport=td.transport(env, "shop"), headers=headers) as client:
            return (await client.get("https://api.example.com/2.0/users/me")).json()["name"]

    return asyncio.run(name())


WAYS = {
    "slack_sdk: url": (slack_by_url, "U01AGENBOT9"),
    "stripe: adapter": (stripe_by_adapter, "Ada"),
    "box-sdk-gen: adapter": (box_by_adapter, "Me"),
    "httplib2: url": (httplib2_by_url, "Me"),
    "httpx: transport": (httpx_by_transport, "Me"),
    "httpx, async: transport": (async_httpx_by_transport, "Me"),
}


@pytest.mark.parametrize(("call", "answer"), WAYS.values(), ids=WAYS)
def test_the_sdk_reaches_its_twin(td, call, answer):
    with td.create("slack:slack_default", "shop:shop_default") as env:
        assert call(td, env) == answer
        assert env.calls()[-1].status == 200

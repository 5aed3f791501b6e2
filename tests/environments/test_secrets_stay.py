"""Exports carry no secret: neither tokens that twins gave, nor client secrets, passwords and keys."""

import gzip
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import httpx
import pytest

from tests.environments.exported import lines
from twindiff.client import Environment
from twindiff.local import Twindiff

BACK = "https://app.example/back"
APP = {"client_id": "app-of-the-test", "client_secret": "a-secret-of-the-app"}
Speak = Callable[..., Any]
"""`speak("GET", "path", token="…", data={…})` gives the answer."""


@contextmanager
def speaking(td: Twindiff, env: Environment, twin: str) -> Iterator[Speak]:
    with httpx.Client(transport=td.transport(env, twin)) as client:

        def speak(verb: str, path: str, token: str = env.token, boxapi: str = "", **options: Any) -> Any:
            headers = {"BoxApi": boxapi, **({"Authorization": f"Bearer {token}"} if token else {})}
            return client.request(verb, f"https://{twin}.example/{path}", headers=headers, **options)

        yield speak


def code_of(speak: Speak, path: str, **more: str) -> str:
    asked = {"client_id": APP["client_id"], "redirect_uri": BACK, "response_type": "code", "state": "s", **more}
    return dict(parse_qsl(urlsplit(speak("GET", path, params=asked).headers["Location"]).query))["code"]


def exchange(speak: Speak, path: str, code: str, **more: str) -> dict[str, Any]:
    form = {"grant_type": "authorization_code", "code": code, "redirect_uri": BACK, **APP, **more}
    return speak("POST", path, token="", data=form).json()


def of_slack(speak: Speak) -> list[str]:
    codes = [code_of(speak, "oauth/v2/authorize", scope="chat:write", user_scope="chat:write") for _ in range(2)]
    tokens = exchange(speak, "api/oauth.v2.access", codes[0])
    return [*codes, tokens["authed_user"]["access_token"], tokens["access_token"]]


def of_box(speak: Speak) -> list[str]:
    codes = [code_of(speak, "api/oauth2/authorize") for _ in range(2)]
    tokens = exchange(speak, "oauth2/token", codes[0])
    folder = speak("POST", "2.0/folders", json={"name": "Shared", "parent": {"id": "0"}}).json()["id"]
    password = "Pass-word-of-the-link"
    link = {"shared_link": {"access": "open", "password": password}}
    url = speak("PUT", f"2.0/folders/{folder}?fields=shared_link", json=link).json()["shared_link"]["url"]
    opened = speak("GET", "2.0/shared_items", boxapi=f"shared_link={url}&shared_link_password={password}")
    assert opened.status_code == 200
    return [*codes, tokens["access_token"], tokens["refresh_token"], password]


def of_calendar(speak: Speak) -> list[str]:
    scope = "https://www.googleapis.com/auth/calendar"
    codes = [code_of(speak, "o/oauth2/v2/auth", scope=scope, access_type="offline") for _ in range(2)]
    tokens = exchange(speak, "token", codes[0])
    return [*codes, tokens["access_token"], tokens["refresh_token"]]


def of_linear(speak: Speak) -> list[str]:
    codes = [code_of(speak, "oauth/authorize") for _ in range(2)]
    tokens = exchange(speak, "oauth/token", codes[0])
    wanted = '(input: {url: "http://127.0.0.1:9/x", resourceTypes: ["Issue"], allPublicTeams: true%s})'
    wanted += " { webhook { secret } }"
    own = wanted % ', secret: "a-secret-of-the-webhook"'
    hooks = [f"mutation {{ webhookCreate{each} }}" for each in (own, wanted % "")]
    answers = [speak("POST", "graphql", json={"query": each}).json() for each in hooks]
    secrets = [each["data"]["webhookCreate"]["webhook"]["secret"] for each in answers]
    return [*codes, tokens["access_token"], tokens["refresh_token"], *secrets]


def of_stripe(speak: Speak) -> list[str]:
    intent = speak("POST", "v1/payment_intents", data={"amount": 2000, "currency": "usd"}).json()
    asked = {"url": "http://127.0.0.1:9/x", "enabled_events[]": "payment_intent.created"}
    endpoint = speak("POST", "v1/webhook_endpoints", data=asked).json()
    setup = speak("POST", "v1/setup_intents", data={}).json()
    speak("POST", f"v1/payment_intents/{intent['id']}", data={"amount": 3000})
    return [intent["client_secret"], endpoint["secret"], setup["client_secret"]]


WORK = {
    "slack:slack_default": of_slack,
    "box:box_default": of_box,
    "calendar:calendar_base": of_calendar,
    "linear:linear_default": of_linear,
    "stripe:stripe_default": of_stripe,
}


@pytest.mark.parametrize("template", WORK)
def test_no_secret_is_in_an_export(here, there, template):
    with here.create(template, auth="strict") as left, speaking(here, left, template.partition(":")[0]) as speak:
        secrets = WORK[template](speak)
        file = left.export()
        text = gzip.decompress(file).decode()
        assert [each for each in (*secrets, APP["client_secret"], left.token) if each in text] == []
        with there.import_environment(file) as arrived:
            assert lines(arrived.export())[1:] == lines(file)[1:]


TOKENS = {
    "slack:slack_default": (of_slack, "POST", "api/auth.test", {}),
    "box:box_default": (of_box, "GET", "2.0/users/me", {}),
    "calendar:calendar_base": (of_calendar, "GET", "calendars/primary", {}),
    "linear:linear_default": (of_linear, "POST", "graphql", {"json": {"query": "{ viewer { id } }"}}),
}


@pytest.mark.parametrize("template", TOKENS)
def test_a_token_of_the_original_opens_nothing_in_its_likeness(here, there, template):
    give, *asked, more = TOKENS[template]
    twin = template.partition(":")[0]
    with here.create(template, auth="strict") as left, speaking(here, left, twin) as speak:
        token = give(speak)[2]
        assert "error" not in speak(*asked, token=token, **more).text
        with there.import_environment(left.export()) as arrived, speaking(there, arrived, twin) as speak:
            assert "error" not in speak(*asked, **more).text
            refused = speak(*asked, token=token, **more)
            assert refused.status_code == 401 or "invalid_auth" in refused.text or "AUTHENTICATION" in refused.text

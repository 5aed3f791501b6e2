"""PKCE: a code that was asked for with a challenge is exchanged with its verifier, by Slack's own client too.

https://docs.slack.dev/authentication/using-pkce
"""

from base64 import urlsafe_b64encode
from hashlib import sha256
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError

VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
HASHED = urlsafe_b64encode(sha256(VERIFIER.encode()).digest()).decode().rstrip("=")
BACK = "https://app.example/back"


def code_of(slack, challenge="", method="", client="app"):
    asked = {"client_id": client, "user_scope": "chat:write", "redirect_uri": BACK}
    asked |= {"code_challenge": challenge, "code_challenge_method": method}
    sent = slack.http("GET", "oauth/v2/authorize", params=asked)
    return dict(parse_qsl(urlsplit(sent.headers["Location"]).query))["code"]


def exchange(slack, code, client="app", **form):
    asked = {"client_id": client, "code": code, "redirect_uri": BACK, **form}
    return slack.http("POST", "oauth.v2.access", token="", data=asked).json()


@pytest.mark.parametrize(("challenge", "method"), [(HASHED, "S256"), (VERIFIER, "plain"), (VERIFIER, "")])
@pytest.mark.parametrize("verifier", ["", "x" * 43, HASHED, f"{VERIFIER}=", "ü" * 43, VERIFIER * 4])
def test_a_code_with_a_challenge_is_refused_without_its_verifier(slack, challenge, method, verifier):
    code = code_of(slack, challenge, method)
    assert exchange(slack, code, client_secret="s", code_verifier=verifier)["error"] == "invalid_grant"
    assert exchange(slack, code, client_secret="s", code_verifier=VERIFIER)["authed_user"]["token_type"] == "user"


def test_a_code_with_a_challenge_needs_no_secret(slack):
    assert exchange(slack, code_of(slack, HASHED, "S256"), code_verifier=VERIFIER)["ok"]


def test_a_code_without_a_challenge_takes_no_notice_of_a_verifier(slack):
    assert exchange(slack, code_of(slack), client_secret="s", code_verifier=VERIFIER)["ok"]


def test_an_unknown_method_of_challenges_is_refused(slack):
    asked = {"client_id": "app", "redirect_uri": BACK, "code_challenge": HASHED, "code_challenge_method": "S512"}
    sent = slack.http("GET", "oauth/v2/authorize", params=asked)
    assert (sent.status_code, sent.json()["error"]) == (400, "invalid_request")


def test_slack_s_own_client_exchanges_a_code_with_its_verifier(slack):
    client = WebClient(base_url=slack.url)
    asked = {"client_id": "app", "client_secret": "s", "redirect_uri": BACK, "code": code_of(slack, HASHED, "S256")}
    with pytest.raises(SlackApiError, match="invalid_grant"):
        client.oauth_v2_access(**asked)
    person: Any = client.oauth_v2_access(**asked, code_verifier=VERIFIER)["authed_user"]
    assert person["access_token"].startswith("xoxp-")

"""A run's variables: all that the vendors' applications read are there, and open what they are for."""

from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError

from tests.receiver import Receiver
from twindiff.kit.oauth import JWT_BEARER

GRANTS = {
    "linear": ("/oauth/token", {"grant_type": "client_credentials"}, 400),
    "box": ("/oauth2/token", {"grant_type": "client_credentials", "box_subject_type": "enterprise"}, 400),
    "google_calendar": ("/token", {"grant_type": "refresh_token"}, 401),
}


READ = {
    "slack": "TOKEN BOT_TOKEN API_TOKEN CLIENT_ID CLIENT_SECRET API_URL BASE_URL TWIN_BASE_URL SIGNING_SECRET",
    "linear": "API_KEY ACCESS_TOKEN TOKEN API_URL BASE_URL GRAPHQL_URL CLIENT_ID CLIENT_SECRET",
    "stripe": "SECRET_KEY API_KEY KEY API_URL BASE_URL TWIN_BASE_URL TWIN_WEBHOOK_SECRET",
    "box": "CLIENT_ID CLIENT_SECRET DEVELOPER_TOKEN ACCESS_TOKEN API_URL BASE_URL",
    "google_calendar": "CLIENT_ID CLIENT_SECRET CALENDAR_TOKEN ACCESS_TOKEN CALENDAR_API_URL",
}
"""What applications read, after the name of the vendor."""
WHOSE = {
    "slack": ("POST", "/api/auth.test"),
    "linear": ("POST", "/graphql"),
    "stripe": ("GET", "/v1/account"),
    "box": ("GET", "/2.0/users/me"),
    "google_calendar": ("GET", "/calendars/primary"),
}
"""What tells of each twin whose a token is."""


@pytest.fixture(scope="module")
def run(live):
    made = live.in_process.post("/twin-runs", json={"twins": [*READ], "ports": False}).json()
    return live.in_process.get(f"/twin-runs/{made['run_id']}").json()


@pytest.fixture(scope="module")
def twins(run):
    return run["twins"]


@pytest.mark.parametrize("twin", READ)
def test_a_run_has_every_variable_that_applications_read(twins, twin):
    vendor = twin.partition("_")[0].upper()
    assert {f"{vendor}_{name}" for name in READ[twin].split()} <= twins[twin]["env_vars"].keys()
    assert {type(value) for value in twins[twin]["env_vars"].values()} == {str}


@pytest.mark.parametrize("twin", READ)
def test_every_token_of_a_run_s_variables_opens_its_twin(live, twins, twin):
    verb, path = WHOSE[twin]
    tokens = {key: value for key, value in twins[twin]["env_vars"].items() if "_TOKEN" in key or key.endswith("_KEY")}
    for name in tokens.keys() - {"STRIPE_PUBLISHABLE_KEY", "GOOGLE_REFRESH_TOKEN", "GOOGLE_TOKEN_URI"}:
        headers = {"Authorization": f"Bearer {tokens[name]}"}
        body = {"query": "{ viewer { id } }"} if verb == "POST" else None
        answer = live.in_process.request(verb, twins[twin]["base_url"] + path, headers=headers, json=body)
        assert answer.status_code == 200, (name, answer.text)
        assert answer.json().get("ok", True), (name, answer.text)


def test_an_application_is_installed_in_slack_by_slack_s_own_client(live, twins):
    variables = twins["slack"]["env_vars"]
    slack = WebClient(base_url=f"{variables['SLACK_API_URL']}/")
    asked = {"client_id": variables["SLACK_CLIENT_ID"], "scope": "chat:write", "user_scope": "identity.basic"}
    back = {"redirect_uri": "http://localhost:3000/installed", "state": "xyz"}
    sent = live.in_process.get(f"{variables['SLACK_BASE_URL']}/oauth/v2/authorize", params={**asked, **back})
    given = dict(parse_qsl(urlsplit(sent.headers["Location"]).query))
    assert (sent.status_code, given["state"]) == (302, "xyz")
    secrets = {"client_id": asked["client_id"], "client_secret": variables["SLACK_CLIENT_SECRET"]}
    exchange = {"code": given["code"], "redirect_uri": back["redirect_uri"]}
    with pytest.raises(SlackApiError, match="bad_client_secret"):
        slack.oauth_v2_access(**{**secrets, "client_secret": "wrong"}, **exchange)
    tokens: Any = slack.oauth_v2_access(**secrets, **exchange)
    for token, user in (
        (tokens["access_token"], tokens["bot_user_id"]),
        (tokens["authed_user"]["access_token"], tokens["authed_user"]["id"]),
    ):
        assert WebClient(token, base_url=slack.base_url).auth_test()["user_id"] == user
    somebody = {**asked, **back, "client_id": "somebody"}
    refused = live.in_process.get(f"{variables['SLACK_BASE_URL']}/oauth/v2/authorize", params=somebody)
    assert (refused.status_code, refused.json()["error"]) == (401, "invalid_client")


def test_events_are_signed_by_the_secret_of_the_variables(live, run, twins):
    receiver = Receiver()
    webhook = {"twin": "slack", "url": receiver.url}
    made = live.in_process.post(f"/api/platform/env/{run['environment_id']}/webhooks", json=webhook).json()
    receiver.close()
    assert made["secret"] == twins["slack"]["env_vars"]["SLACK_SIGNING_SECRET"]
    stripe = twins["stripe"]["env_vars"]
    endpoint = {"url": "http://127.0.0.1:9/events", "enabled_events[]": "*"}
    headers = {"Authorization": f"Bearer {stripe['STRIPE_SECRET_KEY']}"}
    url = f"{stripe['STRIPE_BASE_URL']}/v1/webhook_endpoints"
    assert (
        live.in_process.post(url, data=endpoint, headers=headers).json()["secret"]
        == stripe["STRIPE_TWIN_WEBHOOK_SECRET"]
    )


@pytest.mark.parametrize("twin", GRANTS)
def test_only_the_run_s_own_application_is_given_tokens(live, twins, twin):
    path, form, refused = GRANTS[twin]
    variables = twins[twin]["env_vars"]
    url, prefix = twins[twin]["base_url"] + path, twin.upper().replace("_CALENDAR", "")
    own = {name: variables[f"{prefix}_{name.upper()}"] for name in ("client_id", "client_secret")}
    form = {**form, "refresh_token": variables.get("GOOGLE_REFRESH_TOKEN", "")}
    given = live.in_process.post(url, data={**form, **own})
    assert given.json()["token_type"].lower() == "bearer", given.text
    for wrong in ({**own, "client_secret": "wrong"}, {**own, "client_id": "somebody"}):
        answer = live.in_process.post(url, data={**form, **wrong})
        assert (answer.status_code, answer.json()["error"]) == (refused, "invalid_client")


def test_a_service_account_needs_no_application(live, twins):
    calendar = twins["google_calendar"]
    url, form = calendar["base_url"] + "/token", {"grant_type": JWT_BEARER, "assertion": "no.token.here"}
    assert live.in_process.post(url, data=form).json()["error"] == "invalid_grant"

"""The id and the secret of an application that a run's variables name open every twin's token endpoint, others none."""

import pytest

from twindiff.kit.oauth import JWT_BEARER

GRANTS = {
    "linear": ("/oauth/token", {"grant_type": "client_credentials"}, 401),
    "box": ("/oauth2/token", {"grant_type": "client_credentials", "box_subject_type": "enterprise"}, 400),
    "google_calendar": ("/token", {"grant_type": "refresh_token"}, 401),
}


@pytest.fixture(scope="module")
def twins(live):
    made = live.in_process.post("/twin-runs", json={"twins": [*GRANTS]}).json()
    return live.in_process.get(f"/twin-runs/{made['run_id']}").json()["twins"]


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

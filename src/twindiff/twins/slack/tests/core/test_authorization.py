"""What tokens may do, and how often."""

import pytest

from tests.harness import AGENT, GENERAL, JOHN, RANDOM, Environment

GONE = "U09GONE0000"
TOKENS = {"xoxp-1": AGENT, "xoxb-1": JOHN, "xoxp-few": AGENT, "xoxp-gone": GONE}


@pytest.fixture
def strict(workspace_with):
    """A strict workspace: `strict("xoxb-1")("auth.test")`."""
    slack = workspace_with(
        _options={"auth": "strict", "tokens": TOKENS},
        users=[{"user_id": GONE, "username": "gone", "email": "g@example.com", "is_active": False}],
        access_tokens=[{"token": "xoxp-few", "scopes": "chat:write,groups:history"}],
    )

    def as_token(token):
        other = slack.as_user(AGENT)
        other.token = token
        return other

    return as_token


@pytest.mark.parametrize(
    ("token", "method", "error"),
    [
        ("xoxp-2", "auth.test", "invalid_auth"),
        ("", "auth.test", "not_authed"),
        ("xoxp-gone", "auth.test", "account_inactive"),
        ("xoxb-1", "search.messages", "not_allowed_token_type"),
        ("xoxb-1", "reminders.list", "not_allowed_token_type"),
        ("xoxp-few", "users.list", "missing_scope"),
        ("", "admin.users.list", "not_authed"),
        ("xoxp-2", "admin.users.list", "invalid_auth"),
        ("xoxp-gone", "admin.users.list", "account_inactive"),
        ("xoxb-1", "admin.users.list", "not_allowed_token_type"),
        ("xoxp-1", "admin.users.list", "feature_not_enabled"),
    ],
)
def test_a_strict_workspace_refuses(strict, token, method, error):
    assert strict(token)(method)["error"] == error


def test_a_missing_scope_is_named(strict):
    answer = strict("xoxp-few")("users.list")
    assert (answer["needed"], answer["provided"]) == ("users:read", "chat:write,groups:history")


@pytest.mark.parametrize(
    ("token", "method"),
    [
        ("xoxp-1", "search.all"),
        ("xoxb-1", "users.list"),
        ("xoxp-few", "auth.test"),
        ("xoxb-1", "emoji.list"),
    ],
)
def test_a_strict_workspace_lets_pass(strict, token, method):
    answer = strict(token)(method, query="billing")
    assert answer["ok"], answer


def test_of_scopes_for_several_kinds_of_rooms_one_will_do(strict):
    assert strict("xoxp-few")("conversations.history", channel=GENERAL)["ok"]


def test_what_needs_no_token_needs_none_in_a_strict_workspace(strict):
    assert strict("")("api.test", foo="bar")["args"] == {"foo": "bar"}


def test_a_revoked_token_is_worthless(slack):
    assert slack("auth.revoke", test=True)["revoked"] is False
    assert slack("auth.revoke")["revoked"] is True
    assert slack("auth.test")["error"] == "token_revoked"


def test_a_revoked_token_is_not_kept_in_clear(slack):
    slack("auth.revoke")
    assert slack.token not in str(slack.diff(include="all"))


def test_a_revocation_that_was_taken_back_never_happened(slack):
    points = f"env/{slack.environment.id}"
    slack("auth.revoke")
    assert slack("auth.test")["error"] == "token_revoked"
    slack.environment.platform.post(f"{points}/rewind", {"to": 0})
    assert slack("auth.test")["ok"]


def test_a_revocation_of_one_environment_is_none_of_its_fork_s(slack):
    platform = slack.environment.platform
    (made,) = platform.post(f"env/{slack.environment.id}/fork")["environments"]
    slack("auth.revoke")
    fork = Environment(platform, {**made, "environmentUrls": {"slack": made["environmentUrl"]}})
    assert fork.slack("auth.test", token=slack.token)["ok"]
    assert slack("auth.test")["error"] == "token_revoked"


def test_rates_are_not_limited_unless_a_template_says_so(slack):
    assert all(slack("pins.list", channel=GENERAL)["ok"] for _ in range(21))


def test_calls_beyond_a_tier_are_told_when_to_come_back(workspace_with):
    slack = workspace_with({"clock": {"mode": "frozen"}}, access_tokens=[{"token": "*", "limits_rates": True}])
    answers = [slack.http("GET", "pins.list", params={"channel": GENERAL}) for _ in range(21)]
    assert [answer.status_code for answer in answers] == [200] * 20 + [429]
    assert (answers[-1].json()["error"], 0 < int(answers[-1].headers["retry-after"]) <= 60) == ("ratelimited", True)
    assert slack.as_user(JOHN)("pins.list", channel=GENERAL)["ok"]


@pytest.mark.parametrize(
    ("method", "arguments", "error"),
    [
        ("conversations.create", {"name": "new"}, "user_is_restricted"),
        ("conversations.archive", {"channel": GENERAL}, "user_is_restricted"),
        ("conversations.join", {"channel": RANDOM}, "user_is_restricted"),
        ("files.sharedPublicURL", {"file": "F1"}, "user_is_restricted"),
        ("files.revokePublicURL", {"file": "F1"}, "user_is_restricted"),
        ("usergroups.list", {}, "user_is_restricted"),
        ("usergroups.users.list", {"usergroup": "S1"}, "user_is_restricted"),
        ("usergroups.create", {"name": "new"}, "user_is_restricted"),
        ("conversations.invite", {"channel": GENERAL, "users": JOHN}, "user_is_restricted"),
        ("conversations.kick", {"channel": GENERAL, "user": JOHN}, "user_is_restricted"),
        ("conversations.leave", {"channel": GENERAL}, "user_is_restricted"),
        ("conversations.rename", {"channel": GENERAL, "name": "all"}, "user_is_restricted"),
        ("conversations.setPurpose", {"channel": GENERAL, "purpose": "a"}, "user_is_restricted"),
        ("conversations.setTopic", {"channel": GENERAL, "topic": "a"}, "user_is_restricted"),
        ("conversations.unarchive", {"channel": GENERAL}, "user_is_restricted"),
    ],
)
def test_guests_may_not_do_everything(workspace_with, method, arguments, error):
    guest = {"user_id": GONE, "username": "guest", "email": "g@example.com"}
    place = {"user_id": GONE, "team_id": "T01WORKSPACE", "role": "guest"}
    member = {"channel_id": GENERAL, "user_id": GONE}
    rows = {"users": [guest], "user_teams": [place], "channel_members": [member]}
    slack = workspace_with(_options={"tokens": {f"xoxp-{GONE}": GONE}}, **rows)
    assert slack.as_user(GONE)(method, **arguments)["error"] == error

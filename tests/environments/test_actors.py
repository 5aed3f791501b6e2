"""Who acts in each twin of an environment."""

import json

import pytest

from tests.harness import Environment, Platform

AGENT_OF_SLACK = "U01AGENBOT9"
JOHN_OF_LINEAR = "2dcc8dc2-ca19-475d-9882-3ba5e911e7ec"
AGENT_OF_LINEAR = "2790a7ee-fde0-4537-9588-e233aa5a68d1"
BOTH = ["slack:slack_default", "linear:linear_default"]


def viewer(env):
    answer = env.ask("graphql", twin="linear", json={"query": "{ viewer { id email } }"}).json()
    return answer["data"]["viewer"]


@pytest.fixture(scope="module")
def alike(platform: Platform):
    """A Slack template whose John has the email address of Linear's John."""
    team = {"team_id": "T1", "team_name": "Test"}
    people = [
        {"user_id": "U1", "username": "john", "email": "john@example.com", "real_name": "John"},
        {"user_id": "U2", "username": "eve", "email": "eve@example.com", "real_name": "Eve"},
    ]
    rooms = [{"channel_id": "C1", "channel_name": "general", "team_id": "T1"}]
    joined = [{"channel_id": "C1", "user_id": each["user_id"]} for each in people]
    seed = {"teams": [team], "users": people, "channels": rooms, "channel_members": joined}
    platform.post("import", {"files": {"slack_alike.json": seed}})
    return ["slack:slack_alike", "linear:linear_default"]


def both(platform, templates, **who):
    made = platform.post("initEnv", {"templates": templates, **who})
    return Environment(platform, made)


def test_the_same_person_acts_in_both_twins_by_email(platform, alike):
    env = both(platform, alike, impersonateEmail="john@example.com")
    assert env.slack("auth.test")["user_id"] == "U1"
    assert viewer(env)["id"] == JOHN_OF_LINEAR


def test_a_user_of_one_twin_is_known_in_the_other_by_email(platform, alike):
    env = both(platform, alike, impersonateUserId="U1")
    assert env.slack("auth.test")["user_id"] == "U1"
    assert viewer(env)["id"] == JOHN_OF_LINEAR


def test_each_twin_may_have_its_own_user(platform):
    env = both(platform, BOTH, users={"slack": AGENT_OF_SLACK, "linear": "agent@example.com"})
    assert env.slack("auth.test")["user_id"] == AGENT_OF_SLACK
    assert viewer(env)["id"] == AGENT_OF_LINEAR


def test_changes_of_both_twins_are_by_their_own_user(platform, alike):
    env = both(platform, alike, impersonateEmail="john@example.com")
    assert env.slack("chat.postMessage", channel="C1", text="hi")["ok"]
    query = 'mutation { issueCreate(input: {teamId: "%s", title: "T"}) { success } }'
    teams = env.ask("graphql", twin="linear", json={"query": "{ teams { nodes { id } } }"}).json()
    env.ask("graphql", twin="linear", json={"query": query % teams["data"]["teams"]["nodes"][0]["id"]})
    actors = [record["actor"] for record in platform.get(f"env/{env.id}/journal")["records"]]
    assert actors == ["U1", JOHN_OF_LINEAR]


def test_a_fork_acts_as_the_same_users(platform, alike):
    env = both(platform, alike, impersonateEmail="john@example.com")
    (made,) = platform.post(f"env/{env.id}/fork", {})["environments"]
    urls = {"linear": f"/api/env/{made['environmentId']}/services/linear"}
    fork = Environment(platform, {**made, "environmentUrls": urls})
    assert viewer(fork)["id"] == JOHN_OF_LINEAR


@pytest.mark.parametrize(
    ("users", "said"),
    [
        ({"slack": "U404"}, "unknown user 'U404'"),
        ({"linear": "nobody@example.com"}, "unknown user 'nobody@example.com'"),
        ({"stripe": "x"}, "stripe"),
    ],
)
def test_users_that_are_not_there_are_refused(platform, users, said):
    answer = platform.ask("POST", "initEnv", {"templates": BOTH, "users": users})
    assert answer.status_code == 400
    assert said in json.dumps(answer.json())

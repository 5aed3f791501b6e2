"""Rows that a sandbox starts with."""

import json

import pytest

from tests.harness import GENERAL, Platform
from tests.local.shop import twin as shop
from tests.server.sandboxes.asking import Sandboxes
from twindiff.environments.registry import Registry

ADA = {"user_id": "UADA", "username": "ada", "email": "ada@example.com"}
TEAM = {"team_id": "T1", "team_name": "Engines"}
WORLD = {
    "teams": [TEAM],
    "users": [ADA],
    "channels": [{"channel_id": "C1", "channel_name": "notes", "team_id": "T1"}],
    "channel_members": [{"channel_id": "C1", "user_id": "UADA"}],
}


def test_seed_data_alone_is_all_there_is(sandboxes):
    made = sandboxes.create(seed_data=WORLD)
    assert made["scenario"] == "slack_base"
    assert [each["name"] for each in sandboxes.call(made, "/conversations.list")["channels"]] == ["notes"]
    assert sandboxes.call(made, "/auth.test")["user_id"] == "UADA"


def test_seed_data_lies_over_the_scenario(sandboxes):
    made = sandboxes.create(scenario="slack_default", seed_data={"users": [ADA]})
    assert made["scenario"] == "slack_default"
    members = sandboxes.call(made, "/users.list")["members"]
    assert {each["name"] for each in members} > {"ada"}


def test_a_row_with_the_key_of_another_replaces_it(sandboxes):
    channel = {"channel_id": GENERAL, "channel_name": "lobby", "team_id": "T01WORKSPACE"}
    made = sandboxes.create(scenario="slack_default", seed_data={"channels": [channel]})
    names = {each["id"]: each["name"] for each in sandboxes.call(made, "/conversations.list")["channels"]}
    assert (names[GENERAL], len(names)) == ("lobby", 2)


@pytest.fixture
def shops(make_server) -> Sandboxes:
    """The Sandbox API of a server that has a shop and nothing else."""
    return Sandboxes(make_server(Registry([shop])).client)


def test_ids_go_on_from_those_of_the_scenario(shops):
    first = shops.create("shop")
    one = shops.call(first, "/v1/customers", json={"name": "Ada"})["id"]
    kept = {"environmentId": first["id"], "service": "shop", "name": "open"}
    Platform(shops.client).post("templates/from-environment", kept)
    second = shops.create("shop", scenario="open", seed_data={"customers": [{"id": "c1", "name": "Bob"}]})
    assert shops.call(second, "/v1/customers", json={"name": "Cleo"})["id"] != one


def test_a_seeded_sandbox_is_reset_to_its_seed(sandboxes, platform):
    made = sandboxes.create(seed_data=WORLD)
    sandboxes.call(made, "/chat.postMessage", json={"channel": "C1", "text": "hi"})
    platform.post(f"env/{made['id']}/reset")
    assert sandboxes.call(made, "/conversations.history", json={"channel": "C1"})["messages"] == []
    assert sandboxes.call(made, "/auth.test")["user_id"] == "UADA"


def test_seed_data_is_no_diff(sandboxes):
    assert sandboxes.diffs(sandboxes.create(seed_data=WORLD)["id"], include="all") == []


def test_seeding_adds_no_template_to_the_list(sandboxes, platform):
    before = platform.get("templates")
    sandboxes.create(scenario="slack_default", seed_data={"users": [ADA]})
    assert platform.get("templates") == before


def test_seeded_sandboxes_do_not_see_each_other(sandboxes):
    one, other = sandboxes.create(seed_data=WORLD), sandboxes.create(seed_data=WORLD)
    sandboxes.call(one, "/chat.postMessage", json={"channel": "C1", "text": "hi"})
    assert sandboxes.call(other, "/conversations.history", json={"channel": "C1"})["messages"] == []


def test_a_twin_without_an_empty_template_is_given_one(shops):
    seed_data = {"customers": [{"id": "c1", "name": "Ada"}]}
    made = [shops.create("shop", seed_data=seed_data)["scenario"] for _ in range(2)]
    assert made == ["shop_base", "shop_base"]


WRONG = {
    "an unknown table": ({"usrs": []}, "slack has no table 'usrs'. Did you mean 'users'?"),
    "an unknown column": (
        {"users": [{**ADA, "user_idd": 1}]},
        "users[0] has no column 'user_idd'. Did you mean 'user_id'?",
    ),
    "a missing column": ({"users": [{"user_id": "U1"}]}, "users[0]: Object missing required field `username`"),
    "a wrong type": ({"users": [{**ADA, "user_id": 7}]}, "users[0]: Expected `str`, got `int` - at `$.user_id`"),
    "no list of rows": ({"users": {"UADA": ADA}}, "users must be a list of rows"),
    "a row that is no object": ({"users": [ADA, "UBOB"]}, "users[1] is not an object"),
    "a key used twice": ({"users": [ADA, ADA]}, "users[1]: user_id = 'UADA' is used twice"),
    "a name used twice": (
        {"teams": [TEAM, {**TEAM, "team_id": "T2"}]},
        "teams[1]: team_name = 'Engines' is used twice",
    ),
}


@pytest.mark.parametrize(("seed_data", "message"), WRONG.values(), ids=WRONG)
def test_seed_data_that_does_not_fit_is_refused_by_name(sandboxes, seed_data, message):
    before = sandboxes.get("", limit=1)
    assert sandboxes.complaint(api="slack", seed_data=seed_data) == (400, message)
    assert sandboxes.get("", limit=1) == before


@pytest.mark.parametrize("seed_data", [[], "users", 1, True])
def test_seed_data_that_is_no_object_is_refused(sandboxes, seed_data):
    body = {"api": "slack", "seed_data": seed_data}
    assert sandboxes.refusal("POST", "sandboxes", body) == (400, "invalid_parameter")


def test_what_must_be_unique_may_not_be_used_by_the_scenario(sandboxes):
    taken = {**ADA, "username": "agent1"}
    status, message = sandboxes.complaint(api="slack", scenario="slack_default", seed_data={"users": [taken]})
    assert (status, message) == (400, "users[0]: username = 'agent1' is used by a row of 'slack_default'")


def test_a_value_that_is_nested_too_deeply_is_refused(sandboxes):
    message = {"message_id": "1.1", "channel_id": "C1", "user_id": "UADA", "blocks": "deep"}
    body = json.dumps({"api": "slack", "seed_data": {"messages": [message]}})
    body = body.replace('"deep"', "[" * 700 + "]" * 700)
    assert sandboxes.refusal("POST", "sandboxes", content=body.encode()) == (400, "invalid_seed")


def test_a_body_over_the_limit_is_refused(sandboxes):
    body = {"api": "slack", "seed_data": {"users": [{**ADA, "username": "x" * 4_000_000}]}}
    assert sandboxes.refusal("POST", "sandboxes", body) == (413, "body_too_large")

"""Runs that take a while to be made: how they stand meanwhile, and what can be done with them."""

import json

import pytest

from tests.harness import LiveServer
from tests.server_mode import embedded_only
from twindiff.server import Settings

WORLD = json.dumps({"slack": {"channels": ["launch"]}})
NO_WORLD = "That I cannot do."
ASKED = {"twins": ["slack"], "scenario_prompt": "A launch", "scenario_generation_mode": "thorough"}


@pytest.fixture
def model(endpoint):
    """A model that keeps who asks it waiting, and answers with these texts afterwards."""

    def answers(*texts):
        held = endpoint(*texts)
        held.goes_on.clear()
        return held

    return answers


def begun(server, model, **asked):
    """A run that is being made."""
    made = server.client.post("/twin-runs", json={**ASKED, "wait_seconds": 0, **asked}).json()
    model.asks.acquire()
    return made["run_id"]


def shown(server, run_id):
    return server.client.get(f"/twin-runs/{run_id}").json()


def after(server, run_id, *statuses):
    """A run when it does not stand in one of these ways any more."""
    while (run := shown(server, run_id))["status"] in statuses:
        pass
    return run


def test_a_run_that_takes_long_is_shown_while_it_is_made(live, model):
    held = model(WORLD)
    run_id = begun(live, held)
    run = shown(live, run_id)
    assert (run["status"], run["twins"], run["environment_id"], run["expires_at"]) == ("provisioning", {}, None, None)
    (listed,) = [each for each in live.client.get("/twin-runs").json() if each["run_id"] == run_id]
    assert listed["status"] == "provisioning"
    assert "being filled" in live.client.get(f"/twin-runs/{run_id}/dashboard").text
    held.goes_on.set()
    run = after(live, run_id, "provisioning")
    assert (run["status"], run["seed_results"]["slack"]["counts"]["channels"]) == ("ready", 1)


def test_a_run_waits_for_its_turn(live, model):
    held = model(*[WORLD] * 5)
    runs = [begun(live, held) for _ in range(4)]
    last = live.client.post("/twin-runs", json={**ASKED, "wait_seconds": 0}).json()
    assert (last["status"], shown(live, last["run_id"])["status"]) == ("queued", "queued")
    held.goes_on.set()
    assert {after(live, each, "queued", "provisioning")["status"] for each in [*runs, last["run_id"]]} == {"ready"}


def test_a_run_is_extended_and_locked_while_it_is_made_and_not_reset(live, model):
    held = model(WORLD)
    run_id = begun(live, held, ttl_minutes=5)
    assert live.client.post(f"/twin-runs/{run_id}/extend", json={"ttl_minutes": 480}).json()["status"] == "extended"
    assert live.client.post(f"/twin-runs/{run_id}/lock", json={}).json()["status"] == "locked"
    refused = live.client.post(f"/twin-runs/{run_id}/reset", json={})
    assert (refused.status_code, "wait until it is ready" in refused.json()["detail"]) == (400, True)
    held.goes_on.set()
    run = after(live, run_id, "provisioning")
    assert run["is_public"] is False
    assert run["expires_at"][:13] > run["created_at"][:13]
    assert live.client.get(f"{run['twins']['slack']['base_url']}/api/api.test").status_code == 401


@pytest.mark.parametrize(
    ("path", "status"), [("/twin-runs/{}/teardown", "torn_down"), ("/validate/{}/cancel", "cancelled")]
)
def test_a_run_that_is_ended_while_it_is_made_never_becomes_ready(live, model, path, status):
    held = model(WORLD, WORLD)
    run_id = begun(live, held)
    live.client.post(path.format(run_id), json={})
    held.goes_on.set()
    assert after(live, begun(live, held), "provisioning")["status"] == "ready"
    run = shown(live, run_id)
    assert (run["status"], run["environment_id"]) == (status, None)


def test_a_run_that_fails_later_says_why(live, model):
    held = model(*[NO_WORLD] * 3)
    run_id = begun(live, held)
    held.goes_on.set()
    run = after(live, run_id, "provisioning")
    assert (run["status"], "no valid world after 3 tries" in run["error"]) == ("failed", True)
    assert live.client.post(f"/twin-runs/{run_id}/extend", json={}).status_code == 409
    assert run["error"] in live.client.get(f"/twin-runs/{run_id}/dashboard").text


def test_a_template_that_a_run_was_the_first_to_ask_for_says_what_is_in_it(make_server):
    client = make_server().client
    client.post("/twin-runs", json={"twins": ["slack"]}).raise_for_status()
    said = {each["name"]: each["description"] for each in client.get("/api/platform/templates").json()["templates"]}
    assert "3 people" in said["slack_default"]


def test_nothing_is_left_of_a_run_whose_seeds_are_refused(live):
    before = live.client.get("/twin-runs").json()
    config = {"slack": {"channels": [{"name": "g", "messages": [{"text": "x", "user": "Zed"}]}]}}
    refused = live.client.post("/twin-runs", json={"twins": ["slack"], "seed_config": config})
    assert refused.status_code == 422
    assert live.client.get("/twin-runs").json() == before


@pytest.mark.parametrize(
    ("twin", "config"),
    [
        ("slack", {"channels": [{"name": "g", "members": ["Zed"]}]}),
        ("linear", {"teams": [{"key": "G", "name": "G", "members": ["Zed"]}]}),
    ],
)
def test_a_member_who_is_no_user_is_refused_by_name(live, twin, config):
    refused = live.client.post("/twin-runs", json={"twins": [twin], "seed_config": {twin: config}})
    assert (refused.status_code, "[0].members: " in refused.text, "Zed" in refused.text) == (422, True, True)


def test_what_a_configuration_says_of_a_twin_that_the_run_lacks_is_told(live):
    config = {"slack": {"channels": ["general"]}, "linear": {"teams": [{"key": "ENG", "name": "Engineering"}]}}
    made = live.client.post("/twin-runs", json={"twins": ["slack"], "seed_config": config}).json()
    results = shown(live, made["run_id"])["seed_results"]
    assert results["linear"] == {"status": "skipped", "reason": "the run has no such twin"}


@embedded_only("a data directory belongs to one server")
def test_a_run_that_a_server_did_not_finish_has_failed(tmp_path, model):
    held = model(WORLD)
    server = LiveServer(Settings(data_dir=str(tmp_path)))
    run_id = begun(server, held)
    server.close()
    server = LiveServer(Settings(data_dir=str(tmp_path)))
    run = shown(server, run_id)
    assert (run["status"], run["error"]) == ("failed", "the server ended before the run was ready")
    server.close()


@pytest.mark.parametrize(
    ("config", "names", "email"),
    [
        ({"slack": {"users": [{"name": "Eva"}, {"name": "eva"}]}}, "'Eva' and 'eva'", "eva@example.com"),
        ({"linear": {"users": [{"name": "Eva"}, {"name": "eva"}]}}, "'Eva' and 'eva'", "eva@example.com"),
        (
            {
                "slack": {"users": [{"name": "eva", "email": "e@x.example"}]},
                "linear": {"users": [{"name": "Eva Lang", "email": "e@x.example"}]},
            },
            "'eva' and 'Eva Lang'",
            "e@x.example",
        ),
    ],
)
def test_users_of_one_address_and_several_names_are_refused_with_both_names(live, config, names, email):
    refused = live.client.post("/twin-runs", json={"twins": [*config], "seed_config": config})
    assert refused.status_code == 422
    assert f"the users {names} have the email address '{email}'" in refused.json()["detail"]

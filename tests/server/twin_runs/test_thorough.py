"""Worlds made by a model: a scripted endpoint stands for it."""

import json

import pytest

WORLD = {
    "slack": {
        "users": [{"name": "Eva"}],
        "channels": [{"name": "launch", "messages": [{"text": "hi", "user": "Eva"}]}],
    },
    "linear": {"teams": [{"key": "ENG", "name": "Engineering"}], "users": [{"name": "Eva"}]},
}
STRANGER = {"slack": {"channels": [{"name": "launch", "messages": [{"text": "hi", "user": "Zed"}]}]}}


def provision(live, **asked):
    asked = {
        "twins": ["slack", "linear"],
        "scenario_prompt": "A launch",
        "scenario_generation_mode": "thorough",
    } | asked
    return live.client.post("/twin-runs", json=asked)


@pytest.mark.parametrize(
    ("kind", "path", "key"),
    [("openai", "/v1/chat/completions", "Authorization"), ("anthropic", "/v1/messages", "x-api-key")],
)
def test_a_model_makes_the_world_of_a_prompt(live, endpoint, kind, path, key):
    model = endpoint(f"Here it is:\n```json\n{json.dumps(WORLD)}\n```", kind=kind)
    made = provision(live).json()
    assert (made["generation_mode"], made["model"]) == ("thorough", "a-model")
    status = live.client.get(f"/twin-runs/{made['run_id']}").json()
    assert status["seed_results"]["slack"]["counts"] == {"users": 2, "channels": 1, "messages": 1}
    ((asked_path, headers, body),) = model.asked
    assert (asked_path, body["model"]) == (path, "a-model")
    assert "the-key" in {name.lower(): value for name, value in headers.items()}[key.lower()]


def test_a_model_is_told_what_was_wrong_and_may_correct_it(live, endpoint):
    model = endpoint("No.", json.dumps(STRANGER), json.dumps(WORLD))
    assert provision(live).json()["status"] == "ready"
    advice = [body["messages"][-1]["content"] for _, _, body in model.asked]
    assert "no JSON object" in advice[1]
    assert "'Zed' is not among the users" in advice[2]


def test_a_model_that_never_gives_a_valid_world_is_refused_and_nothing_is_made(live, endpoint):
    endpoint(*[json.dumps(STRANGER)] * 3)
    refused = provision(live)
    assert refused.status_code == 502
    assert "no valid world after 3 tries" in refused.json()["detail"]


def test_a_scenario_is_saved_as_the_model_made_it(live, endpoint):
    endpoint(json.dumps(WORLD))
    made = live.client.post(
        "/scenarios", json={"name": "l", "prompt": "A launch", "generation_mode": "thorough"}
    ).json()
    assert (made["generation_mode"], made["seed_config"]) == ("thorough", WORLD)


def test_an_endpoint_that_is_away_is_said(live, endpoint):
    endpoint().close()
    refused = provision(live)
    assert refused.status_code == 502
    assert "/v1/chat/completions" in refused.json()["detail"]


def test_without_a_model_rules_make_the_world_and_that_is_said(live, monkeypatch):
    monkeypatch.delenv("TWINDIFF_MODEL", raising=False)
    assert provision(live, scenario_prompt="three users").json()["generation_mode"] == "fast"

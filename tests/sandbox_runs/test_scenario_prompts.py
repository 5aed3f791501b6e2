"""Sandbox, test and pull request runs say what of their scenario_prompt the twins show."""

import pytest

from tests.harness import succeeded
from tests.sandbox_runs.conftest import SERVES

PROMPT = "The #support channel has 2 messages about refunds. A busy week"
UNDERSTOOD = ["The #support channel has 2 messages about refunds"]
KEYS = ("scenario_understood", "scenario_not_understood")
SAID = (UNDERSTOOD, ["A busy week"])


def said(run):
    return tuple(run[key] for key in KEYS)


def test_a_sandbox_run_says_what_of_its_scenario_prompt_was_understood(sandboxes, repository):
    shop = repository(app_DOT_py=SERVES)
    run = sandboxes.create(repo=str(shop.path), twins=["slack"], scenario_prompt=PROMPT)
    assert said(run) == SAID
    assert any("no rule takes 'busy', 'week'" in each for each in run["scenario_warnings"])


def test_a_sandbox_run_without_twins_says_that_its_scenario_prompt_is_not_used(sandboxes, repository):
    run = sandboxes.create(repo=str(repository(app_DOT_py=SERVES).path), scenario_prompt=PROMPT)
    assert said(run) == ([], [PROMPT])


@pytest.mark.parametrize("twins", [{"twins": ["slack"]}, {"provision_id": "THERE"}])
def test_a_test_run_says_what_of_its_scenario_prompt_was_understood(live, twins):
    if "provision_id" in twins:
        twins = {"provision_id": live.client.post("/twin-runs", json={"twins": ["slack"]}).json()["run_id"]}
    asked = {"start_url": "http://127.0.0.1:9/", "prompt": 'expect "x"', "scenario_prompt": PROMPT, **twins}
    run = succeeded(live.client.post("/test-runs", json=asked))
    live.client.post(f"/validate/{run['id']}/cancel")
    assert said(run) == (SAID if "twins" in twins else ([], [PROMPT]))
    assert said(live.client.get(f"/test-runs/{run['id']}").json()) == said(run)


def test_a_pull_request_run_says_what_of_its_scenario_prompt_was_understood(live, sandboxes, repository):
    shop = repository(app_DOT_py=SERVES)
    shop.git("checkout", "--quiet", "-b", "better")
    shop.commit("Better", app_DOT_py=SERVES + "# tidied\n")
    asked = {"repo": str(shop.path), "branch": "better", "twins": ["slack"], "scenario_prompt": PROMPT}
    run_id = succeeded(live.client.post("/validate/pr-run", json=asked))["run_id"]
    while not (run := live.client.get(f"/test-runs/{run_id}").json())["scenario_understood"]:
        assert run["status"] in ("queued", "running"), run
    live.client.post(f"/validate/{run_id}/cancel")
    assert said(run) == SAID

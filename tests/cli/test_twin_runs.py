"""`twindiff twin-runs` and `twindiff scenarios`."""

import json
import subprocess
import sys

import httpx
import pytest

CONFIG = {"slack": {"channels": [{"name": "launch", "messages": ["hi"]}]}}


@pytest.fixture
def run_id(twindiff):
    return json.loads(twindiff("twin-runs", "create", "slack", "--json").output)["run_id"]


def test_twins_are_listed(twindiff):
    assert "slack" in twindiff("twin-runs", "catalog").output


def test_a_run_is_made_shown_and_ended(twindiff, server):
    made = twindiff("twin-runs", "create", "slack,linear", "--ttl", "30").output
    run_id = made.split()[1]
    assert "Linear       http://127.0.0.1:" in twindiff("twin-runs", "status", run_id).output
    assert run_id in twindiff("twin-runs", "ls", "--limit", "1").output
    assert twindiff("twin-runs", "extend", run_id, "--ttl", "5").output.startswith(f"{run_id} lasts until 20")
    assert twindiff("twin-runs", "lock", run_id).output == f"{run_id} is private.\n"
    assert twindiff("twin-runs", "reset", run_id).output == f"{run_id} is as it was provisioned.\n"
    assert twindiff("twin-runs", "teardown", run_id[:20]).output == f"{run_id[:20]} has ended at {server}.\n"
    assert "torn_down" in twindiff("twin-runs", "status", run_id).output


def test_a_shell_exports_the_variables_of_a_run_to_its_commands(twindiff, run_id):
    exports = twindiff("twin-runs", "env", run_id).output
    told = [sys.executable, "-c", "import json, os; print(json.dumps(dict(os.environ)))"]
    script = ["sh", "-c", 'eval "$EXPORTS"; exec "$@"', "sh", *told]
    variables = json.loads(subprocess.run(script, env={"EXPORTS": exports}, capture_output=True, check=True).stdout)
    headers = {"Authorization": f"Bearer {variables['SLACK_BOT_TOKEN']}"}
    assert httpx.post(f"{variables['SLACK_API_URL']}/auth.test", headers=headers).json()["ok"]


def test_a_run_is_filled_from_a_file(twindiff, tmp_path):
    file = tmp_path / "seeds.json"
    file.write_text(json.dumps(CONFIG))
    answer = twindiff("twin-runs", "create", "slack", "--seed-config", str(file), "--json").output
    assert json.loads(answer)["seed_results"]["slack"]["counts"]["messages"] == 1


def test_a_file_that_is_no_json_is_named(twindiff, tmp_path):
    file = tmp_path / "seeds.json"
    file.write_text("{")
    refused = twindiff("twin-runs", "create", "slack", "--seed-config", str(file))
    assert refused.exit_code == 2
    assert f"{file} is no JSON" in refused.output


def test_what_no_rule_understands_of_a_prompt_is_said(twindiff):
    made = twindiff("twin-runs", "create", "slack", "--scenario-prompt", "three users and a purple elephant").output
    assert "not understood" in made
    assert "purple elephant" in made


def test_an_unknown_twin_is_refused_with_the_nearest(twindiff):
    refused = twindiff("twin-runs", "create", "slak")
    assert refused.exit_code == 1
    assert "Did you mean 'slack'" in refused.output


def test_a_scenario_is_saved_shown_used_and_forgotten(twindiff, server):
    prompt = "two users and #launch with 3 messages"
    made = json.loads(twindiff("scenarios", "create", "launch", "--prompt", prompt, "--twin", "slack", "--json").output)
    assert made["id"] in twindiff("scenarios", "ls", "--no-presets").output
    assert "2 users, 1 channels" in twindiff("scenarios", "show", made["id"]).output
    assert "/services/slack" in twindiff("scenarios", "ensure", made["id"]).output
    assert twindiff("scenarios", "reseed", made["id"]).exit_code == 0
    assert twindiff("scenarios", "rm", made["id"]).output == f"Forgot {made['id']} at {server}.\n"


def test_a_copy_of_a_scenarios_environment_is_made_shown_reseeded_and_ended(twindiff, server):
    copy = ("e-commerce-checkout", "--copy", "eva")
    made = json.loads(twindiff("scenarios", "ensure", *copy, "--twin", "slack", "--json").output)
    assert (made["copy"], [*made["twins"]]) == ("eva", ["slack"])
    assert made["environment_id"] in twindiff("scenarios", "environment", *copy).output
    assert made["environment_id"] in twindiff("scenarios", "environments").output
    said = "The copy eva of e-commerce-checkout"
    assert twindiff("scenarios", "reseed", *copy).output == f"{said} is as the scenario says.\n"
    assert twindiff("scenarios", "end", *copy).output == f"{said} has ended at {server}.\n"
    assert "has no twin environment" in twindiff("scenarios", "environment", *copy).output


def test_presets_are_listed(twindiff):
    assert "e-commerce-checkout" in twindiff("scenarios", "ls", "--tag", "preset").output

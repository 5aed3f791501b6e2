"""The platform API does what its OpenAPI says, whatever is sent."""

import pytest
from jsonschema import Draft202012Validator

from tests.harness import Environment, Platform
from tests.server.described import ask_as_described, every_operation_in_both_modes
from twindiff.server.openapi import describe, described_runs

OF_RUNS = {each.path for each in described_runs()}
PLATFORM = {**describe(), "paths": {path: verbs for path, verbs in describe()["paths"].items() if path not in OF_RUNS}}


@every_operation_in_both_modes(PLATFORM)
def test_no_request_is_a_mistake_of_the_server(server, known, operation, mode):
    ask_as_described(server, operation, mode, lambda case: name_what_there_is(case, known))


@pytest.fixture
def known(platform, environment):
    """Ids of things that there are."""
    env = environment()
    suite = platform.post("testSuites", {"name": "known", "description": ""})
    template = platform.get("templates")["templates"][0]
    ids = {"envId": env.id, "environmentId": env.id, "runId": platform.start(env), "suiteId": suite["id"]}
    return {**ids, "templateId": template["id"], "service": "slack"}


def name_what_there_is(case, known):
    """Put ids that there are in the place of invented ones."""
    for ids in (case.path_parameters, case.body):
        if isinstance(ids, dict):
            ids.update({name: known[name] for name in ids if name in known and isinstance(ids[name], str)})


@pytest.fixture(scope="session")
def description(platform: Platform):
    return platform.get("openapi.json")


def validate(description, verb, path, answer):
    """Check an answer against the schema that the description has for it."""
    (status, response), *_ = description["paths"][f"/api/platform/{path}"][verb]["responses"].items()
    assert str(answer.status_code) == status, answer.text
    schema = {**response["content"]["application/json"]["schema"], "components": description["components"]}
    Draft202012Validator(schema).validate(answer.json())
    return answer.json()


def test_answers_of_a_whole_episode_are_as_described(platform, description):
    def ask(verb, path, body=None, **ids):
        answer = platform.ask(verb, path.format(**ids), body)
        return validate(description, verb.lower(), path, answer)

    made = ask("POST", "initEnv", {"templates": ["slack:slack_default"], "impersonateUserId": "U01AGENBOT9"})
    env_id = made["environmentId"]
    run_id = ask("POST", "startRun", {"envId": env_id})["runId"]
    spec = {"assertions": [{"diff_type": "added", "entity": "messages"}]}
    ask("POST", "diffRun", {"runId": run_id, "include": "all"})
    ask("POST", "evaluateRun", {"runId": run_id, "expectedOutput": spec})
    ask("GET", "results/{runId}", runId=run_id)
    for path in ("env/{envId}", "env/{envId}/journal", "env/{envId}/calls", "env/{envId}/runs"):
        ask("GET", path, envId=env_id)
    ask("POST", "env/{envId}/reset", envId=env_id)
    Environment(platform, made).post("a template of its own")
    ask("POST", "templates/from-environment", {"environmentId": env_id, "service": "slack", "name": "described"})
    for path in ("env", "runs", "templates", "testSuites", "health", "ready"):
        ask("GET", path)
    ask("DELETE", "env/{envId}", envId=env_id)


def test_every_operation_has_a_name_of_its_own_and_a_summary(description):
    operations = [operation for verbs in description["paths"].values() for operation in verbs.values()]
    assert len({operation["operationId"] for operation in operations}) == len(operations)
    assert all(operation["summary"].endswith(".") for operation in operations)


def test_the_page_shows_every_operation(platform, description):
    page = platform.ask("GET", "docs").text
    assert all(path in page for path in description["paths"])


def test_metrics_count_environments_and_calls(platform, environment):
    environment().post("counted")
    metrics = platform.ask("GET", "metrics").text
    assert 'twindiff_environments{status="ready"}' in metrics
    assert "twindiff_calls_total" in metrics

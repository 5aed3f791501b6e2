"""Every method of the public Python SDK, unmodified, against a live server."""

from uuid import UUID, uuid4

import pytest
import requests
from agent_diff.models import CreateTestsRequest

GENERAL = "C01ABCD1234"
ONE_MESSAGE = {"diff_type": "added", "entity": "messages", "where": {"message_text": "Hello!"}, "expected_count": 1}
SPEC = {"assertions": [ONE_MESSAGE]}


def item(**changes):
    test = {"name": "greet", "prompt": "Say Hello!", "type": "actionEval", "expected_output": SPEC}
    return {**test, "environmentTemplate": "slack_default", "impersonateUserId": "U01AGENBOT9", **changes}


def post(sdk, env, text="Hello!"):
    answer = requests.post(
        f"{sdk.base_url}/api/env/{env.environmentId}/services/slack/chat.postMessage",
        headers={"Authorization": f"Bearer {sdk.api_key}"},
        json={"channel": GENERAL, "text": text},
        timeout=120,
    ).json()
    assert answer["ok"], answer
    return answer


@pytest.fixture
def suite(sdk):
    return sdk.create_test_suite(name=f"Greetings {uuid4()}", description="Say hello", visibility="public")


def test_the_example_of_the_public_documents_shows_the_message_in_the_diff(sdk, env):
    run = sdk.start_run(envId=env.environmentId)
    post(sdk, env)
    inserts = sdk.diff_run(runId=run.runId).diff["inserts"]
    (message,) = [row for row in inserts if row["__table__"] == "messages"]
    assert (message["message_text"], message["user_id"]) == ("Hello!", "U01AGENBOT9")


def test_the_documents_update_of_the_channel_shows_with_what_is_derived(platform, sdk, env):
    run = sdk.start_run(envId=env.environmentId)
    post(sdk, env)
    (update,) = platform.diff(run.runId, include="derived")["updates"]
    assert update["__table__"] == "channels"
    assert update["before"]["last_message_at"] is None
    assert update["after"]["last_message_at"]


def test_a_run_is_evaluated_by_the_checks_that_come_with_the_call(sdk, env):
    run = sdk.start_run(envId=env.environmentId)
    post(sdk, env)
    result = sdk.evaluate_run(runId=run.runId, expectedOutput=SPEC)
    assert (result.status, result.passed, result.score) == (
        "passed",
        True,
        {"passed": 1, "total": 1, "percent": 100.0},
    )


def test_results_hold_diff_score_and_failures(sdk, env):
    run = sdk.start_run(envId=env.environmentId)
    sdk.evaluate_run(runId=run.runId, expectedOutput=SPEC)
    result = sdk.get_results_for_run(runId=run.runId)
    assert (result.status, result.passed) == ("failed", False)
    assert result.failures == ["assertion#1 messages expected count 1 but got 0"]
    assert result.diff == {"inserts": [], "updates": [], "deletes": []}


def test_an_environment_is_deleted_twice_without_an_error(sdk, env):
    for _ in range(2):
        gone = sdk.delete_env(envId=env.environmentId)
        assert (gone.environmentId, gone.status) == (env.environmentId, "deleted")


def test_templates_are_listed_and_read(sdk):
    (listed,) = [each for each in sdk.list_templates().templates if each.name == "slack_default"]
    template = sdk.get_template(listed.id)
    assert (template.service, template.version, template.schemaName) == ("slack", "v1", "slack_default")


def test_a_template_made_of_an_environment_starts_another_one_from_there(sdk, env):
    post(sdk, env)
    made = sdk.create_template_from_environment(
        environmentId=env.environmentId, service="slack", name=f"after hello {uuid4()}"
    )
    again = sdk.init_env(templateId=UUID(made.templateId), impersonateUserId="U01AGENBOT9")
    history = requests.get(f"{sdk.base_url}{again.environmentUrl}/conversations.history?channel={GENERAL}&token=x")
    assert history.json()["messages"][0]["text"] == "Hello!"


def test_a_suite_is_found_by_part_of_its_name_in_any_case_and_by_its_id(sdk, suite):
    by_name = sdk.list_test_suites(name=suite.name[4:].upper()).testSuites
    by_id = sdk.list_test_suites(suite_id=suite.id).testSuites
    assert [each.id for each in by_name] == [each.id for each in by_id] == [suite.id]


def test_suites_are_listed_by_visibility(sdk, suite):
    assert suite.id in [each.id for each in sdk.list_test_suites(visibility="public").testSuites]
    assert suite.id not in [each.id for each in sdk.list_test_suites(visibility="private").testSuites]


def test_a_suite_shows_its_tests_in_brief_or_in_full(sdk, suite):
    test = sdk.create_test(suite.id, item())
    assert sdk.get_test_suite(suite.id) == {"tests": [{"id": str(test.id), "prompt": "Say Hello!"}]}
    full = sdk.get_test_suite(suite.id, expand=True)
    assert full.tests == [test]
    assert (full.name, full.owner) == (suite.name, "dev-user")


def test_a_test_is_read_as_it_was_added(sdk, suite):
    (made,) = sdk.create_tests(suite.id, CreateTestsRequest.model_validate({"tests": [item()]})).tests
    test = sdk.get_test(made.id)
    assert (test.name, test.type, test.seed_template) == ("greet", "actionEval", "slack_default")
    assert test.expected_output == SPEC


def test_a_test_names_its_template_by_id_name_or_service_and_name(sdk, suite):
    (template,) = [each for each in sdk.list_templates().templates if each.name == "slack_default"]
    for name in (str(template.id), "slack_default", "slack:slack_default"):
        assert sdk.create_test(suite.id, item(environmentTemplate=name)).seed_template == "slack_default"


def test_an_environment_for_a_test_has_its_template_and_user_and_is_judged_by_it(sdk, suite):
    test = sdk.create_test(suite.id, item())
    env = sdk.init_env(testId=test.id)
    run = sdk.start_run(envId=env.environmentId, testId=test.id)
    assert post(sdk, env)["message"]["user"] == "U01AGENBOT9"
    assert sdk.evaluate_run(runId=run.runId).passed

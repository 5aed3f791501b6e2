"""Answers of the platform API, key by key, and its errors."""

import re
from datetime import datetime
from uuid import UUID

import pytest

from tests.harness import AGENT

ADDED = {"diff_type": "added", "entity": "messages", "where": {"message_text": "hello"}, "expected_count": 1}
NOTHING = {"inserts": [], "updates": [], "deletes": []}
NOBODY = "00000000-0000-4000-8000-000000000000"


def test_init_env_answers_the_public_fields_and_an_agent_token(platform):
    wanted = {"templateService": "slack", "templateName": "slack_default", "impersonateUserId": AGENT}
    answer = platform.ask("POST", "initEnv", wanted)
    made = answer.json()
    assert answer.status_code == 201
    assert made.keys() == {
        *("environmentId", "templateSchema", "schemaName", "service", "environmentUrl", "expiresAt"),
        *("agentToken", "environmentUrls"),
    }
    assert re.fullmatch("[0-9a-f]{32}", made["environmentId"])
    assert made["schemaName"] == f"state_{made['environmentId']}"
    assert made["environmentUrl"] == f"/api/env/{made['environmentId']}/services/slack"
    assert datetime.fromisoformat(made["expiresAt"]).tzinfo is None


def test_init_env_takes_the_nulls_that_the_sdk_sends(platform):
    nulls = dict.fromkeys(["testId", "templateId", "templateSchema", "ttlSeconds", "impersonateEmail"])
    wanted = {"templateService": "slack", "templateName": "slack_default", "impersonateUserId": AGENT}
    assert platform.ask("POST", "initEnv", {**nulls, **wanted}).status_code == 201


def test_an_environment_lives_half_an_hour_unless_told_otherwise(platform, environment):
    def seconds(**options):
        shown = platform.get(f"env/{environment(**options).id}")
        lifetime = datetime.fromisoformat(shown["expiresAt"]) - datetime.fromisoformat(shown["createdAt"])
        return lifetime.total_seconds()

    assert [seconds(), seconds(ttlSeconds=0), seconds(ttlSeconds=60)] == [1800, 1800, 60]


def test_an_environment_is_named_with_or_without_dashes(platform, environment):
    env = environment()
    assert platform.get(f"env/{UUID(env.id)}")["environmentId"] == env.id
    path = f"/api/env/{str(UUID(env.id)).upper()}/services/slack/auth.test"
    assert platform.client.post(path, headers={"Authorization": "Bearer x"}).json()["ok"]


def test_someone_can_be_named_by_email(platform, environment):
    made = platform.post("initEnv", {"templates": ["slack:slack_default"], "impersonateEmail": email_of(environment())})
    answer = platform.client.post(made["environmentUrl"] + "/auth.test", headers={"Authorization": "Bearer x"})
    assert answer.json()["user_id"] == AGENT


def email_of(env):
    return env.slack("users.info", user=AGENT)["user"]["profile"]["email"]


def test_start_run_answers_its_public_fields(platform, environment):
    answer = platform.ask("POST", "startRun", {"envId": environment().id})
    started = answer.json()
    assert (answer.status_code, started.keys()) == (201, {"runId", "status", "beforeSnapshot"})
    assert started["status"] == "running"
    assert re.fullmatch("before_[0-9a-f]{8}", started["beforeSnapshot"])


def test_diff_run_answers_its_public_fields(platform, environment):
    env = environment()
    run = platform.start(env)
    ts = env.post("hello")
    answer = platform.post("diffRun", {"runId": run})
    assert answer.keys() == {"runId", "status", "diff", "beforeSnapshot", "afterSnapshot"}
    assert (answer["runId"], answer["status"]) == (run, "completed")
    assert re.fullmatch("after_[0-9a-f]{8}", answer["afterSnapshot"])
    (row,) = answer["diff"]["inserts"]
    assert (row["__table__"], row["message_id"], row["user_id"]) == ("messages", ts, AGENT)


def test_a_diff_is_given_by_environment_and_snapshot_too(platform, environment):
    env = environment()
    started = platform.post("startRun", {"envId": env.id})
    env.post("hello")
    by_run = platform.diff(started["runId"])
    assert platform.diff(None, envId=env.id, beforeSuffix=started["beforeSnapshot"]) == by_run


def test_evaluate_run_answers_its_public_fields(platform, environment):
    env = environment()
    run = platform.start(env)
    env.post("hello")
    answer = platform.evaluate(run, ADDED)
    score = {"passed": 1, "total": 1, "percent": 100.0}
    assert answer == {
        "runId": run,
        "status": "passed",
        "passed": True,
        "score": score,
        "failures": [],
        "explanations": [],
    }


def test_a_failed_run_says_what_failed_and_explains_it(platform, environment):
    answer = platform.evaluate(platform.start(environment()), ADDED, {**ADDED, "expected_count": 0})
    assert (answer["status"], answer["passed"]) == ("failed", False)
    assert answer["score"] == {"passed": 1, "total": 2, "percent": 50.0}
    assert answer["failures"] == ["assertion#1 messages expected count 1 but got 0"]
    (explanation,) = answer["explanations"]
    assert (explanation["assertion"], explanation["entity"]) == (1, "messages")


def test_results_before_judging_hold_nulls(platform, environment):
    result = platform.get(f"results/{platform.start(environment())}")
    assert (result["status"], result["passed"], result["failures"]) == ("running", False, [])
    assert (result["score"], result["diff"], result["afterSnapshot"]) == (None, None, None)


def test_results_repeat_the_diff_and_the_verdict(platform, environment):
    env = environment()
    run = platform.start(env)
    env.post("hello")
    diff, verdict = platform.diff(run), platform.evaluate(run, ADDED)
    result = platform.get(f"results/{run}")
    assert result["diff"] == diff
    assert {name: result[name] for name in verdict} == verdict
    assert datetime.fromisoformat(result["createdAt"])


def test_runs_are_listed_newest_first(platform, environment):
    env = environment()
    first, second = platform.start(env), platform.start(env)
    assert [run["runId"] for run in platform.get(f"env/{env.id}/runs")["runs"]] == [second, first]
    assert platform.get("runs", status="running", limit=1)["runs"][0]["runId"] == second


REFUSALS = {
    "a diff of an unknown run": ("diffRun", {"runId": NOBODY}, 404, "run_not_found"),
    "a diff of a run id that is no UUID": ("diffRun", {"runId": "run-xyz789"}, 404, "run_not_found"),
    "judging an unknown run": ("evaluateRun", {"runId": NOBODY}, 404, "run_not_found"),
    "a diff of nothing": ("diffRun", {}, 400, "nothing_to_compare"),
    "a diff of half a snapshot": ("diffRun", {"envId": NOBODY}, 400, "nothing_to_compare"),
    "a run in an unknown environment": ("startRun", {"envId": NOBODY}, 404, "environment_not_found"),
    "a run in an environment that is no UUID": ("startRun", {"envId": "e1"}, 400, "invalid_environment_id"),
    "no template at all": ("initEnv", {"impersonateUserId": AGENT}, 400, "template_not_given"),
    "an unknown test": ("initEnv", {"testId": NOBODY}, 400, "test_not_found"),
    "an unknown template id": ("initEnv", {"templateId": NOBODY}, 400, "template_not_found"),
    "an unknown location": (
        *("initEnv", {"templateSchema": "nowhere", "impersonateUserId": AGENT}),
        *(400, "template_schema_not_registered"),
    ),
    "nobody to act as": ("initEnv", {"templateSchema": "slack_default"}, 400, "user_not_given"),
}


@pytest.mark.parametrize(("path", "body", "status", "code"), REFUSALS.values(), ids=REFUSALS)
def test_the_platform_refuses(platform, path, body, status, code):
    assert platform.refusal("POST", path, body) == (status, code)


def test_a_run_without_checks_cannot_be_judged(platform, environment):
    run = platform.start(environment())
    assert platform.refusal("POST", "evaluateRun", {"runId": run}) == (400, "no_test_defined")
    assert platform.refusal("POST", "evaluateRun", {"runId": run, "expectedOutput": {}}) == (400, "no_test_defined")


def test_checks_that_cannot_be_read_judge_nothing(platform, environment):
    run = platform.start(environment())
    body = {"runId": run, "expectedOutput": {"assertions": [{"diff_type": "addd", "entity": "messages"}]}}
    assert platform.refusal("POST", "evaluateRun", body) == (400, "invalid_spec")
    assert platform.get(f"results/{run}")["status"] == "running"


def test_an_unknown_snapshot_is_refused(platform, environment):
    body = {"envId": environment().id, "beforeSuffix": "before_00000000"}
    assert platform.refusal("POST", "diffRun", body) == (404, "snapshot_not_found")


@pytest.mark.parametrize(
    ("wanted", "hint"),
    [
        ({"templates": ["slack:slack_defualt"]}, "Did you mean 'slack_default'?"),
        ({"templates": ["slak:slack_default"]}, "Did you mean 'slack'?"),
        ({"templates": ["slack:slack_default"], "impersonateUserId": "U01AGENTBOT9"}, f"Did you mean '{AGENT}'?"),
        ({"templates": ["slack:slack_default"], "tokens": {"x": "U01AGENTBOT9"}}, f"Did you mean '{AGENT}'?"),
    ],
)
def test_a_name_that_is_nearly_right_gets_a_hint(platform, wanted, hint):
    answer = platform.ask("POST", "initEnv", {"impersonateUserId": AGENT, **wanted})
    assert answer.status_code == 400
    assert answer.json()["detail"].endswith(hint)


def test_an_environment_has_one_template_of_each_twin(platform):
    wanted = {"templates": ["slack:slack_default", "slack:slack_base"], "impersonateUserId": AGENT}
    assert platform.refusal("POST", "initEnv", wanted) == (400, "repeated_twin")


def test_environments_are_listed_with_their_status(platform, environment):
    env = environment(name="the one")
    platform.delete(f"env/{env.id}")
    (listed,) = [each for each in platform.get("env", status="deleted")["environments"] if each["name"] == "the one"]
    assert (listed["environmentId"], listed["status"]) == (env.id, "deleted")


def test_the_call_log_shows_reads_and_refusals(platform, environment):
    env = environment()
    env.post("hello")
    env.slack("conversations.info", channel="C404")
    env.slack("no.such")
    calls = platform.get(f"env/{env.id}/calls")["calls"]
    assert [(call["operation"], call["error"], call["seq"]) for call in calls] == [
        ("chat.postMessage", None, 1),
        ("conversations.info", "channel_not_found", None),
        ("POST /no.such", "unknown_operation", None),
    ]


def test_the_journal_shows_what_each_operation_wrote(platform, environment):
    env = environment()
    ts = env.post("hello")
    (record,) = platform.get(f"env/{env.id}/journal")["records"]
    assert (record["seq"], record["operation"], record["actor"]) == (1, "chat.postMessage", AGENT)
    (message,) = [change for change in record["changes"] if change["table"] == "messages"]
    assert (message["key"], message["before"], message["after"]["message_text"]) == ([ts], None, "hello")


def test_a_page_of_a_long_journal_says_where_to_go_on(platform, environment):
    env = environment()
    for number in range(3):
        env.post(str(number))
    page = platform.get(f"env/{env.id}/journal", after=1, limit=1)["records"]
    assert [record["seq"] for record in page] == [2]

"""Suites and tests over the platform API."""

from uuid import uuid4

import pytest

SPEC = {"assertions": [{"diff_type": "added", "entity": "messages"}]}
NOBODY = "00000000-0000-4000-8000-000000000000"


def item(**changes):
    test = {"name": "greet", "prompt": "Say hello", "type": "actionEval", "expected_output": SPEC}
    return {**test, "environmentTemplate": "slack:slack_default", "impersonateUserId": "U01AGENBOT9", **changes}


@pytest.fixture
def suite(platform):
    return platform.post("testSuites", {"name": f"suite {uuid4()}", "description": "mine", "tests": [item()]})


def test_a_suite_is_private_unless_told_otherwise(suite):
    assert suite.keys() == {"id", "name", "description", "visibility"}
    assert suite["visibility"] == "private"


def test_a_suite_in_full_names_its_owner_and_its_times(platform, suite):
    full = platform.get(f"testSuites/{suite['id']}", expand="tests")
    assert full["owner"] == "dev-user"
    assert full["created_at"] == full["updated_at"]
    assert [test["prompt"] for test in full["tests"]] == ["Say hello"]


def test_suites_are_listed_newest_first(platform, suite):
    later = platform.post("testSuites", {"name": f"later {uuid4()}", "description": ""})
    assert [each["id"] for each in platform.get("testSuites")["testSuites"][:2]] == [later["id"], suite["id"]]


def test_part_of_a_name_is_taken_as_it_is_written(platform, suite):
    for name in ("%", "_uite", "suite*"):
        assert suite["id"] not in [each["id"] for each in platform.get("testSuites", name=name)["testSuites"]]


def test_a_suite_with_one_bad_test_is_not_stored(platform):
    name = f"bad {uuid4()}"
    body = {"name": name, "description": "", "tests": [item(), item(expected_output={"assertions": []})]}
    assert platform.refusal("POST", "testSuites", body) == (400, "invalid_dsl")
    assert platform.get("testSuites", name=name) == {"testSuites": []}


def test_tests_are_added_all_or_none(platform, suite):
    path = f"testSuites/{suite['id']}/tests"
    assert platform.refusal("POST", path, {"tests": [item(), item(environmentTemplate="nowhere")]}) == (
        400,
        "template_not_found",
    )
    assert len(platform.get(f"testSuites/{suite['id']}")["tests"]) == 1


def test_tests_without_a_template_take_the_default(platform, suite):
    body = {"tests": [item(environmentTemplate="")], "defaultEnvironmentTemplate": "slack_default"}
    (test,) = platform.post(f"testSuites/{suite['id']}/tests", body)["tests"]
    assert test["seed_template"] == "slack_default"


def test_a_spec_comes_back_as_it_was_written(platform, suite):
    spec = {**SPEC, "strict": False, "assertions": [{**SPEC["assertions"][0], "where": {"b": 1.0, "a": "\N{SNOWMAN}"}}]}
    (test,) = platform.post(f"testSuites/{suite['id']}/tests", {"tests": [item(expected_output=spec)]})["tests"]
    shown = platform.get(f"tests/{test['id']}")
    assert shown == test
    assert list(shown["expected_output"]["assertions"][0]["where"]) == ["b", "a"]


def test_the_user_of_a_test_acts_unless_another_is_named(platform, suite):
    test_id = platform.get(f"testSuites/{suite['id']}")["tests"][0]["id"]

    def actor(**wanted):
        made = platform.post("initEnv", {"testId": test_id, **wanted})
        url = f"{made['environmentUrl']}/auth.test"
        return platform.client.post(url, headers={"Authorization": "Bearer x"}).json()["user_id"]

    assert actor() == "U01AGENBOT9"
    assert actor(impersonateUserId="U02JOHNDOE1") == "U02JOHNDOE1"


@pytest.mark.parametrize(
    ("verb", "path", "refusal"),
    [
        ("GET", f"testSuites/{NOBODY}", (404, "suite_not_found")),
        ("GET", "testSuites/not-a-uuid", (404, "suite_not_found")),
        ("GET", f"tests/{NOBODY}", (404, "test_not_found")),
        ("GET", "tests/not-a-uuid", (400, "invalid_test_id")),
        ("GET", "testSuites?id=not-a-uuid", (400, "invalid_id")),
        ("GET", "testSuites?visibility=secret", (400, "invalid_visibility")),
        ("GET", f"templates/{NOBODY}", (404, "template_not_found")),
        ("GET", "templates/not-a-uuid", (400, "invalid_template_id")),
    ],
)
def test_what_is_not_there_is_not_found(platform, verb, path, refusal):
    assert platform.refusal(verb, path) == refusal


def test_a_run_for_an_unknown_test_or_suite_is_not_begun(platform, environment):
    env = environment()
    assert platform.refusal("POST", "startRun", {"envId": env.id, "testId": NOBODY}) == (404, "test_not_found")
    assert platform.refusal("POST", "startRun", {"envId": env.id, "testSuiteId": NOBODY}) == (404, "suite_not_found")
    assert platform.get(f"env/{env.id}/runs") == {"runs": []}


def test_a_template_from_an_environment_has_a_location_of_its_own(platform, environment):
    body = {"environmentId": environment().id, "service": "slack", "name": f"My State {uuid4()}", "version": "v7"}
    made = platform.post("templates/from-environment", body)
    shown = platform.get(f"templates/{made['templateId']}")
    assert (made["templateName"], shown["version"]) == (body["name"], "v7")
    assert shown["schemaName"] == f"slack_{body['name']}".lower().replace(" ", "_")
    assert shown["origin"] == f"environment {body['environmentId']}"


def test_a_location_that_is_taken_gets_an_ending(platform, environment):
    env = environment()
    env.post("so that it differs")
    body = {"environmentId": env.id, "service": "slack", "name": "default"}
    shown = platform.get(f"templates/{platform.post('templates/from-environment', body)['templateId']}")
    assert shown["schemaName"].startswith("slack_default_")


def test_a_template_of_a_twin_that_the_environment_lacks_is_refused(platform, environment):
    body = {"environmentId": environment().id, "service": "linear", "name": "x"}
    assert platform.refusal("POST", "templates/from-environment", body) == (404, "twin_not_found")


def test_ids_go_on_after_those_of_the_environment_a_template_was_made_of(platform, environment):
    env = environment(clock={"mode": "steps"})
    first = env.slack("conversations.create", name="one")["channel"]["id"]
    body = {"environmentId": env.id, "service": "slack", "name": f"ids {uuid4()}"}
    made = platform.post("templates/from-environment", body)
    again = environment(f"slack:{made['templateName']}", clock={"mode": "steps"})
    assert again.slack("conversations.create", name="two")["channel"]["id"] != first


FROZEN = {"mode": "frozen", "start": "2027-01-15T08:00:00"}


def test_an_environment_for_a_test_has_the_clock_of_the_test(platform, suite):
    [test] = platform.post(f"testSuites/{suite['id']}/tests", {"tests": [item(clock=FROZEN)]})["tests"]
    assert test["clock"] == FROZEN
    env = platform.post("initEnv", {"testId": test["id"]})["environmentId"]
    clock = platform.get(f"env/{env}/clock")
    assert (clock["mode"], clock["now"]) == ("frozen", "2027-01-15T08:00:00")
    env = platform.post("initEnv", {"testId": test["id"], "clock": {"mode": "real"}})["environmentId"]
    assert platform.get(f"env/{env}/clock")["mode"] == "real"


def test_a_test_with_a_clock_that_cannot_start_is_refused(platform, suite):
    body = {"tests": [item(clock={"mode": "steps", "start": "tomorrow"})]}
    assert platform.refusal("POST", f"testSuites/{suite['id']}/tests", body) == (400, "invalid_clock")


def test_a_suite_s_clock_is_that_of_tests_without_one(platform):
    name = f"clocks {uuid4()}"
    test = {"prompt": "Say hello", "type": "actionEval", "seed_template": "slack_default", "name": "greet"}
    test |= {"impersonate_user_id": "U01AGENBOT9", "assertions": SPEC["assertions"]}
    mine = {**test, "id": "mine", "clock": {"mode": "steps"}}
    file = {"name": name, "service": "slack", "clock": FROZEN, "tests": [{**test, "id": "theirs"}, mine]}
    platform.post("import", {"files": {"clocks.json": file}})
    [suite] = platform.get("testSuites", name=name)["testSuites"]
    tests = platform.get(f"testSuites/{suite['id']}", expand="tests")["tests"]
    assert [each["clock"] for each in tests] == [FROZEN, {"mode": "steps"}]
    assert platform.post("import", {"files": {"clocks.json": file}})["unchanged"] == [name]
    file["clock"] = {"mode": "frozen", "start": "tomorrow"}
    assert platform.refusal("POST", "import", {"files": {"clocks.json": file}})[0] == 400

"""Import of public seed and suite files."""

import json
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from uuid import NAMESPACE_DNS, uuid4, uuid5

import pytest

from tests.harness import Platform

SHARED = Path(os.environ.get("TWINDIFF_SHARED") or Path(__file__).parents[3] / "shared") / "agent-diff"
NAMESPACE = NAMESPACE_DNS.__class__("6ba7b810-9dad-11d1-80b4-00c04fd430c8")
TEAM = {"team_id": "T1", "team_name": "Ours"}
USER = {"user_id": "U1", "username": "one", "email": "one@example.org"}
ROOM = {"channel_id": "C1", "channel_name": "room", "team_id": "T1"}
SPEC = {"diff_type": "added", "entity": "messages"}


def seed(**rows):
    return {"teams": [TEAM], "users": [USER], "channels": [ROOM], **rows}


def suite(name, *ids, **changes):
    test = {"prompt": "Go", "type": "actionEval", "seed_template": "slack_default", "assertions": [SPEC]}
    return {"name": name, "service": "slack", "tests": [{**test, "id": id, "name": id} for id in ids], **changes}


@pytest.fixture
def name():
    return f"slack_{uuid4().hex}"


def load(platform, **files):
    return platform.post("import", {"files": {f"{name}.json": content for name, content in files.items()}})


def newest(platform, name):
    (brief,) = [each for each in platform.get("templates")["templates"] if each["name"] == name]
    return platform.get(f"templates/{brief['id']}")


def test_a_seed_becomes_a_template(platform, environment, name):
    assert load(platform, **{name: seed()})["templates"] == [name]
    env = environment(f"slack:{name}", user="U1")
    assert [each["id"] for each in env.slack("conversations.list")["channels"]] == ["C1"]
    assert newest(platform, name)["origin"] == "import"


def test_a_suite_becomes_one_with_ids_that_follow_from_its_names(platform, name):
    load(platform, **{name: suite(name, "a", "b")})
    suite_id = uuid5(NAMESPACE, f"suite:dev-user:{name}")
    tests = platform.get(f"testSuites/{suite_id}")["tests"]
    assert [test["id"] for test in tests] == [str(uuid5(NAMESPACE, f"test:{name}:{id}")) for id in ("a", "b")]


@pytest.mark.parametrize("at_suite", [True, False])
def test_what_a_suite_or_a_test_says_of_its_checks_is_kept(platform, name, at_suite):
    rules = {"version": "1", "strict": False, "closed_world": True, "ignore_fields": {"global": ["ts"]}}
    whole = suite(name, "a", **(rules if at_suite else {}))
    if not at_suite:
        whole["tests"][0] |= rules
    load(platform, **{name: whole})
    test = platform.get(f"tests/{uuid5(NAMESPACE, f'test:{name}:a')}")
    assert test["expected_output"] == {"assertions": [SPEC], **rules}


def test_a_test_s_own_word_counts_more_than_its_suite_s(platform, name):
    whole = suite(name, "a", "b", version="1", closed_world=True)
    whole["tests"][0]["closed_world"] = False
    whole["tests"][1] |= {"assertions": None, "expected_output": {"assertions": [SPEC], "closed_world": False}}
    load(platform, **{name: whole})
    for id in "ab":
        test = platform.get(f"tests/{uuid5(NAMESPACE, f'test:{name}:{id}')}")
        assert test["expected_output"] == {"assertions": [SPEC], "version": "1", "closed_world": False}


def test_a_test_with_two_sets_of_checks_is_refused(platform, name):
    whole = suite(name, "a")
    whole["tests"][0]["expected_output"] = {"assertions": [SPEC]}
    answer = platform.ask("POST", "import", {"files": {f"{name}.json": whole}})
    assert (answer.status_code, "keep one of them" in answer.text) == (400, True)


def test_the_same_content_twice_changes_nothing(platform, name):
    files = {name: seed(), f"{name}_suite": suite(name, "a")}
    load(platform, **files)
    before = newest(platform, name)
    assert load(platform, **files) == {"templates": [], "suites": [], "unchanged": [name, name], "left_out": []}
    assert newest(platform, name) == before


def test_the_newest_content_of_a_name_wins_even_when_it_is_an_old_one(platform, name):
    states = [seed(), seed(channels=[]), seed()]
    hashes = []
    for rows in states:
        load(platform, **{name: rows})
        hashes.append(newest(platform, name)["hash"])
    assert hashes[0] == hashes[2] != hashes[1]


def test_an_environment_keeps_the_template_it_was_made_of(platform, environment, name):
    load(platform, **{name: seed()})
    env = environment(f"slack:{name}", user="U1")
    load(platform, **{name: seed(channels=[])})
    assert len(env.slack("conversations.list")["channels"]) == 1


def test_an_import_stands_beside_the_built_in_template_of_its_name(make_server):
    platform = Platform(make_server().client)
    built_in = newest(platform, "slack_default")
    load(platform, slack_default=seed())
    imported = newest(platform, "slack_default")
    assert (built_in["origin"], imported["origin"]) == ("built-in", "import")
    assert platform.get(f"templates/{built_in['id']}") == built_in


def test_an_import_stays_the_newest_after_a_restart(make_server, tmp_path):
    first = make_server(data_dir=str(tmp_path))
    load(Platform(first.client), slack_default=seed())
    first.close()
    assert newest(Platform(make_server(data_dir=str(tmp_path)).client), "slack_default")["origin"] == "import"


def test_an_imported_suite_that_changed_is_replaced(platform, name):
    load(platform, **{name: suite(name, "a", "b")})
    assert load(platform, **{name: suite(name, "b", "c")})["suites"] == [name]
    full = platform.get(f"testSuites/{uuid5(NAMESPACE, f'suite:dev-user:{name}')}", expand="tests")
    assert [test["name"] for test in full["tests"]] == ["b", "c"]


def test_what_no_twin_serves_is_left_out_by_name(platform):
    answer = load(platform, acme_default={"things": [{}]}, acme_bench=suite("Acme", "a", service="acme"))
    assert answer["left_out"] == [
        "acme_default.json: no installed twin serves it",
        "acme_bench.json: no installed twin serves it",
    ]


TWICE = {**USER, "email": "two@example.org"}
BAD_SEEDS = {
    "an unknown table": (seed(chanels=[]), "slack has no table 'chanels'. Did you mean 'channels'?"),
    "a table that is no list": (seed(channels={}), "channels must be a list of rows"),
    "a row that is no object": (seed(channels=[ROOM, 7]), "channels[1] is not an object"),
    "an unknown column": (
        seed(users=[{**USER, "emial": "x"}]),
        "users[0] has no column 'emial'. Did you mean 'email'?",
    ),
    "a missing column": (seed(users=[{"user_id": "U1"}]), "users[0]: Object missing required field `username`"),
    "a wrong type": (seed(channels=[{**ROOM, "is_private": "no"}]), "channels[0]: Expected `bool`, got `str`"),
    "a wrong instant": (seed(users=[{**USER, "created_at": "today"}]), "users[0]: Expected `str` matching regex"),
    "a key used twice": (seed(users=[USER, USER]), "users[1]: user_id = 'U1' is used twice"),
    "a unique value used twice": (
        *(seed(users=[USER, {**TWICE, "user_id": "U2"}]),),
        *("users[1]: username = 'one' is used twice",),
    ),
}


@pytest.mark.parametrize(("rows", "problem"), BAD_SEEDS.values(), ids=BAD_SEEDS)
def test_a_bad_seed_stops_the_whole_import_and_is_named(platform, name, rows, problem):
    good = f"{name}_good"
    answer = platform.ask("POST", "import", {"files": {f"{good}.json": seed(), f"seeds/{name}.json": rows}})
    assert answer.json()["error"] == "invalid_file"
    assert answer.json()["detail"].startswith(f"seeds/{name}.json: {problem}")
    assert good not in [each["name"] for each in platform.get("templates")["templates"]]


BAD_SUITES = {
    "no object": ([], "a seed is {table: [row]}, a suite {name, tests: […]}; this is neither"),
    "tests that are none": (suite("x", tests=7), "Expected `array`, got `int` - at `$.tests`"),
    "an unknown type": (suite("x", tests=[{**suite("x", "a")["tests"][0], "type": "guess"}]), "test a: Invalid enum"),
    "checks that cannot be read": (suite("x", tests=[{**suite("x", "a")["tests"][0], "assertions": []}]), "test a: "),
    "an id used twice": (suite("x", "a", "a"), "two tests have the id 'a'"),
}


@pytest.mark.parametrize(("content", "problem"), BAD_SUITES.values(), ids=BAD_SUITES)
def test_a_bad_suite_stops_the_whole_import_and_is_named(platform, name, content, problem):
    good = f"{name}_good"
    answer = platform.ask("POST", "import", {"files": {f"{good}.json": seed(), f"{name}.json": content}})
    assert answer.json()["error"] == "invalid_file"
    assert answer.json()["detail"].startswith(f"{name}.json: {problem}")
    assert good not in [each["name"] for each in platform.get("templates")["templates"]]


@pytest.mark.skipif(not SHARED.is_dir(), reason=f"the public benchmark's files are not at {SHARED}")
def test_all_public_files_are_imported_or_left_out_by_name(make_server):
    platform = Platform(make_server().client)
    paths = [*SHARED.glob("seeds/*.json"), *SHARED.glob("suites/*.json")]
    files = {str(path.relative_to(SHARED)): json.loads(path.read_text()) for path in paths}
    answer = platform.post("import", {"files": files})
    assert {"slack_default", "slack_bench_default", "slack_bench_v2"} <= {*answer["templates"], *answer["unchanged"]}
    files_told = {name: told for name, told in answer.items() if name != "warnings"}
    assert sum(map(len, files_told.values())) == len(files)


def test_a_suite_may_have_tests_of_another_twin(platform, name):
    checks = [{"diff_type": "added", "entity": "issues", "ignore": ["updatedAt"]}]
    moved = {"id": "b", "name": "b", "prompt": "Go", "type": "actionEval", "seed_template": "linear_default"}
    both = suite(name, "a")
    both["tests"].append({**moved, "assertions": checks})
    assert "warnings" not in load(platform, **{name: both})


def test_imports_that_race_store_everything_once(platform, name):
    files = {name: seed(), f"{name}_suite": suite(f"{name} suite", "a", "b")}
    start = threading.Barrier(6)

    def race(_):
        start.wait()
        return load(platform, **files)

    with ThreadPoolExecutor(6) as threads:
        results = list(threads.map(race, range(6)))
    assert sum(result["templates"] == [name] for result in results) == 1
    assert sum(len(result["unchanged"]) for result in results) == 5 * 2
    (stored,) = [each for each in platform.get("testSuites")["testSuites"] if each["name"] == f"{name} suite"]
    assert len(platform.get(f"testSuites/{stored['id']}")["tests"]) == 2


SEVERAL = {"seed_templates": ["slack_default", "linear_default"]}
WHO = {"slack": "U01AGENBOT9", "linear": "LINEAR"}
SPOKEN = {"diff_type": "added", "entity": "slack.messages", "expected_count": 1}
COMMENTED = {"diff_type": "added", "entity": "linear.comments", "expected_count": 1}


def several(name, **changes):
    test = {"id": "a", "name": "a", "prompt": "Go", "type": "actionEval", **SEVERAL, "assertions": [SPOKEN, COMMENTED]}
    return {"name": name, "service": "slack", "tests": [{**test, **changes}]}


def someone_of(platform, name):
    return newest(platform, name)["users"][-1]["id"]


def test_a_test_may_start_from_several_templates_and_name_a_user_in_each(platform, name):
    users = {**WHO, "linear": someone_of(platform, "linear_default")}
    load(platform, **{name: several(name, users=users, clock={"mode": "steps", "start": "2026-01-01T09:00:00"})})
    (brief,) = platform.get("testSuites", name=name)["testSuites"]
    (test,) = platform.get(f"testSuites/{brief['id']}", expand="tests")["tests"]
    assert (test["seed_template"], test["seed_templates"]) == ("slack_default", ["slack_default", "linear_default"])
    assert (test["users"], test["clock"]["mode"]) == (users, "steps")
    env = platform.environment(testId=test["id"], templates=None, impersonateUserId=None)
    run = platform.start(env, testId=test["id"])
    env.post("hello")
    issues = env.ask("graphql", twin="linear", json={"query": "{ issues(first: 1) { nodes { id } } viewer { id } }"})
    data = issues.json()["data"]
    assert data["viewer"]["id"] == users["linear"]
    comment = {"issueId": data["issues"]["nodes"][0]["id"], "body": "hello"}
    mutation = "mutation($input: CommentCreateInput!) { commentCreate(input: $input) { success } }"
    env.ask("graphql", twin="linear", json={"query": mutation, "variables": {"input": comment}})
    assert platform.evaluate(run)["passed"]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"seed_templates": []}, "test a: it has a seed_template, or several seed_templates"),
        ({"seed_template": "slack_default"}, "test a: it has a seed_template, or several seed_templates"),
        ({"seed_templates": [1]}, "Expected `str`, got `int`"),
        ({"users": {"slack": 1}}, "Expected `str`, got `int`"),
    ],
)
def test_a_test_that_starts_from_nothing_or_from_two_ways_is_refused(platform, name, changes, said):
    files = {f"{name}.json": {**several(name, **changes)}}
    answer = platform.ask("POST", "import", {"files": files})
    assert (answer.status_code, said in answer.json()["detail"]) == (400, True)


def test_tables_of_all_twins_of_a_test_are_known(platform, name):
    misspelt = {**SPOKEN, "entity": "slack.mesages"}
    warned = load(platform, **{name: several(name, assertions=[misspelt, COMMENTED])})["warnings"]
    assert len(warned) == 1
    assert "slack.mesages" in warned[0]


@pytest.mark.soak
def test_a_suite_of_ten_thousand_tests_is_imported_and_read(platform, name):
    load(platform, **{name: suite(name, *(f"t{number}" for number in range(10_000)))})
    (brief,) = platform.get("testSuites", name=name)["testSuites"]
    assert len(platform.get(f"testSuites/{brief['id']}")["tests"]) == 10_000

"""Trial sets of a server: trials with the verdicts of their runs, figures over tests, and how two sets differ."""

from __future__ import annotations

from uuid import uuid4

import pytest

from tests.harness import Json, Platform
from twindiff.client import Client

HELLO: Json = {"diff_type": "added", "entity": "messages", "where": {"message_text": "hello"}, "expected_count": 1}
NOBODY = "00000000-0000-4000-8000-000000000000"


def item(name: str) -> Json:
    return {
        "name": name,
        "prompt": "Say hello.",
        "type": "actionEval",
        "expected_output": {"assertions": [HELLO]},
        "environmentTemplate": "slack:slack_default",
        "impersonateUserId": "U01AGENBOT9",
    }


class Bench:
    """A suite of three tests, and trials of them."""

    def __init__(self, platform: Platform) -> None:
        self.platform = platform
        tests = [item(name) for name in ("one", "two", "three")]
        made = platform.post("testSuites", {"name": f"Bench {uuid4()}", "description": "", "tests": tests})
        self.suite: str = made["id"]
        self.tests: list[str] = [each["id"] for each in platform.get(f"testSuites/{self.suite}")["tests"]]
        self.runs = {text: [self.run(test, text) for test in self.tests] for text in ("hello", "good-bye")}

    def run(self, test: str, *texts: str) -> str:
        """A judged run of a test, of an environment that is gone."""
        env = self.platform.environment(testId=test)
        run = self.platform.start(env, testId=test)
        for text in texts:
            env.post(text)
        self.platform.evaluate(run)
        self.platform.delete(f"env/{env.id}")
        return run

    def trial(self, test: int, passed: bool, number: int = 1, **more: object) -> Json:
        run = self.runs["hello" if passed else "good-bye"][test]
        return {"testId": self.tests[test], "number": number, "runId": run, "seconds": 1.5, **more}

    def set(self, *trials: Json, **more: object) -> str:
        wanted = {"testSuiteId": self.suite, "agent": "agent:work", "trials": trials, **more}
        return self.platform.post("trial-sets", wanted)["trialSetId"]


@pytest.fixture(scope="module")
def bench(platform: Platform) -> Bench:
    return Bench(platform)


def test_a_trial_has_the_verdict_of_its_run(bench: Bench, platform: Platform) -> None:
    made = bench.set(bench.trial(1, passed=False), bench.trial(0, passed=True))
    first, second = platform.get(f"trial-sets/{made}/trials")["trials"]
    assert (first["test"], first["passed"], first["score"]["percent"], first["reason"]) == ("one", True, 100.0, "")
    assert (second["test"], second["passed"], second["number"], second["seconds"]) == ("two", False, 1, 1.5)
    assert 'should be "hello" but is "good-bye"' in second["reason"]
    assert second["explanations"][0]["text"] == second["reason"]


def test_a_trial_with_an_error_counts_neither_way_and_shows_its_verdict_all_the_same(
    bench: Bench, platform: Platform
) -> None:
    made = bench.set(bench.trial(0, passed=True, error="The agent raised ValueError: no idea"))
    (trial,) = platform.get(f"trial-sets/{made}/trials")["trials"]
    shown = (trial["status"], trial["passed"], trial["score"]["percent"], trial["reason"])
    assert shown == ("error", False, 100.0, "The agent raised ValueError: no idea")
    figures = platform.get(f"trial-sets/{made}")
    assert (figures["errors"], figures["share"], figures["uncountedTests"], figures["ofK"]) == (1, None, 1, [])
    assert platform.get(f"results/{trial['runId']}", calls="true")["calls"][0]["operation"] == "chat.postMessage"


def test_the_figures_count_tests_and_not_trials(bench: Bench, platform: Platform) -> None:
    made = bench.set(*(bench.trial(test, test == 0 or number == 1, number) for test in range(3) for number in (1, 2)))
    shown = platform.get(f"trial-sets/{made}")
    assert [shown[each] for each in ("tests", "trials", "passed")] == [3, 6, 4]
    assert shown["share"]["value"] == pytest.approx(2 / 3)
    assert [(each["k"], each["passAtK"]["value"]) for each in shown["ofK"]] == [(1, pytest.approx(2 / 3)), (2, 1.0)]
    assert shown["ofK"][1]["passAllOfK"]["value"] == pytest.approx(1 / 3)
    assert [(each["test"], each["passed"], each["trials"]) for each in shown["results"]] == [
        ("one", 2, 2),
        ("two", 1, 2),
        ("three", 1, 2),
    ]
    assert shown["results"][1]["runId"] == bench.runs["good-bye"][1]


def test_trials_are_added_one_by_one_and_each_number_once(bench: Bench, platform: Platform) -> None:
    made = bench.set(planned=2)
    for _ in range(2):
        platform.post(f"trial-sets/{made}/trials", {"trials": [bench.trial(0, passed=True)]})
    again = platform.post(f"trial-sets/{made}/trials", {"trials": [bench.trial(0, passed=False)]})
    assert [again[each] for each in ("planned", "tests", "trials", "passed")] == [2, 1, 1, 1]
    assert platform.get(f"trial-sets/{made}/trials", passed="false") == {"trials": []}


def test_an_empty_set_has_no_share(bench: Bench, platform: Platform) -> None:
    shown = platform.get(f"trial-sets/{bench.set()}")
    assert (shown["share"], shown["ofK"], shown["results"]) == (None, [], [])


def test_sets_are_listed_newest_first(bench: Bench, platform: Platform) -> None:
    made = [bench.set(), bench.set(bench.trial(0, passed=True))]
    listed = platform.get("trial-sets", testSuiteId=bench.suite, limit=2)["trialSets"]
    assert [each["trialSetId"] for each in listed] == made[::-1]
    assert (listed[0]["agent"], listed[0]["trials"], listed[0]["suite"][:5]) == ("agent:work", 1, "Bench")


def test_two_sets_are_compared_test_by_test(bench: Bench, platform: Platform) -> None:
    before = bench.set(bench.trial(0, passed=True), bench.trial(1, passed=False))
    after = bench.set(*(bench.trial(test, passed=True) for test in range(3)))
    answer = platform.get(f"trial-sets/{before}/compare/{after}")
    assert [(each["test"], each["before"], each["after"]) for each in answer["tests"]] == [("one", 1, 1), ("two", 0, 1)]
    assert (answer["better"], answer["worse"], answer["difference"]["value"], answer["p"]) == (1, 0, 0.5, 1.0)
    assert answer["difference"]["low"] < 0 < answer["difference"]["high"]


def test_a_deleted_set_is_gone_and_its_runs_stay(bench: Bench, platform: Platform) -> None:
    made = bench.set(bench.trial(0, passed=True))
    assert platform.delete(f"trial-sets/{made}") == {"trialSetId": made, "status": "deleted"}
    assert platform.refusal("GET", f"trial-sets/{made}/trials") == (404, "trial_set_not_found")
    assert platform.get(f"results/{bench.runs['hello'][0]}")["passed"]


def test_a_set_of_more_trials_than_are_read_at_once_is_whole_and_in_order(bench: Bench, platform: Platform) -> None:
    made = bench.set()
    for start in range(0, 600, 100):
        trials = [bench.trial(test, True, start + n + 1) for n in range(50) for test in (0, 1)]
        platform.post(f"trial-sets/{made}/trials", {"trials": trials})
    shown = platform.get(f"trial-sets/{made}")
    assert [(each["test"], each["trials"]) for each in shown["results"]] == [("one", 300), ("two", 300)]
    last = platform.get(f"trial-sets/{made}/trials", limit=2, offset=598)["trials"]
    assert [(each["test"], each["number"]) for each in last] == [("two", 549), ("two", 550)]


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"testId": NOBODY}, "test_not_found"),
        ({"runId": NOBODY}, "run_not_found"),
        ({"runId": ""}, "run_not_judged"),
        ({"number": 0}, "validation_error"),
        ({"seconds": -1}, "validation_error"),
        ({"testId": "one"}, "invalid_test_id"),
    ],
)
def test_a_bad_trial_is_refused_and_nothing_is_stored(
    change: Json, code: str, bench: Bench, platform: Platform
) -> None:
    made = bench.set()
    trials = [bench.trial(0, passed=True), {**bench.trial(1, passed=True), **change}]
    assert platform.refusal("POST", f"trial-sets/{made}/trials", {"trials": trials})[1] == code
    assert platform.get(f"trial-sets/{made}")["trials"] == 0


def test_a_trial_belongs_to_its_set_s_suite_and_its_run_to_its_test(bench: Bench, platform: Platform) -> None:
    made, other = bench.set(), Bench(platform)
    strange = [other.trial(0, passed=True), {**bench.trial(0, passed=True), "runId": bench.runs["hello"][1]}]
    codes = [platform.refusal("POST", f"trial-sets/{made}/trials", {"trials": [each]})[1] for each in strange]
    assert codes == ["test_of_another_suite", "run_of_another_test"]


@pytest.mark.parametrize("path", ["trial-sets/nothing", f"trial-sets/{NOBODY}", f"trial-sets/{NOBODY}/compare/x"])
def test_a_set_that_is_not_there_is_not_found(path: str, platform: Platform) -> None:
    assert platform.refusal("GET", path) == (404, "trial_set_not_found")


def test_a_suite_that_is_not_there_has_no_sets(platform: Platform) -> None:
    wanted = {"testSuiteId": NOBODY, "agent": "a"}
    assert platform.refusal("POST", "trial-sets", wanted) == (400, "test_suite_not_found")


def test_the_client_begins_fills_and_compares_sets(bench: Bench, platform: Platform, server: str) -> None:
    with Client(server) as client:
        sets = [client.trial_sets.create(bench.suite, "agent:work", planned=1).trial_set_id for _ in range(2)]
        for made, passed in zip(sets, (False, True), strict=True):
            assert client.trial_sets.add(made, [bench.trial(0, passed)]).trials == 1
        assert [each.test for each in client.trial_sets.get(sets[0]).results] == ["one"]
        assert client.trial_sets.trials(sets[0]).trials[0].run_id == bench.runs["good-bye"][0]
        assert client.trial_sets.compare(*sets).difference.value == 1
        assert {each.trial_set_id for each in client.trial_sets.find().trial_sets} >= {*sets}
        assert client.trial_sets.delete(sets[0]).status == "deleted"


def test_an_agent_s_token_opens_no_trial_set(bench: Bench, platform: Platform) -> None:
    env = platform.environment()
    headers = {"Authorization": f"Bearer {env.token}"}
    assert platform.refusal("GET", f"trial-sets/{bench.set()}", headers=headers) == (403, "unauthorized")

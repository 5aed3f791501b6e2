"""What the pages of trial sets and their comparisons tell."""

from __future__ import annotations

import re

import pytest

from tests.inspector.conftest import Trials, World

NOBODY = "00000000-0000-4000-8000-000000000000"


def seen(world: World, path: str, **query: str) -> str:
    """A page as one reads it: without tags, each run of white space a blank."""
    text = world.page(f"trial-sets{path}", **query).partition("<main")[2]
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", text))


def test_trial_sets_are_listed_newest_first_of_a_suite_or_of_all(world: World, trials: Trials) -> None:
    for query in ({}, {"suite": trials.suite}):
        page = seen(world, "", **query)
        assert page.index("agent:next Manners 2 of 3 1 · 50 %") < page.index("agent:first Manners 4 0 · 0 % 1 error")
    assert f"/inspect/trial-sets?suite={trials.suite}" in world.page(f"suites/{trials.suite}")


def test_runs_are_told_with_the_test_that_they_were_of(world: World, trials: Trials) -> None:
    assert "<td>Say hello</td>" in world.page("runs")
    address, _ = re.findall(r'/inspect/(runs/[^"]+)"><code>[^<]+</code></a></td><td>Say hello<', world.page("runs"))
    assert "of “Say hello”" in world.page(address)


def test_a_set_tells_how_sure_its_share_is_and_why_tests_failed(world: World, trials: Trials) -> None:
    page = seen(world, f"/{trials.before}")
    assert re.search(r"Passed tests: 0 % 0 % to \d+ % with 95 % confidence", page)
    assert re.search(r"Say hello 0 of 1 1 error 0 % 0\.2 its run .*good-bye", page)
    assert re.search(r"Say &lt;script&gt;.* 0 of 2 0 % 0\.5 its run .*good-bye", page)


def test_what_is_to_be_expected_of_several_trials_is_told(world: World, trials: Trials) -> None:
    path = f"api/platform/trial-sets/{trials.after}/trials"
    tests = {each["test"]: each for each in world.platform.get(f"trial-sets/{trials.after}/trials")["trials"]}
    more = [{"testId": each["testId"], "number": 2, "runId": each["runId"]} for each in tests.values()]
    world.platform.post(path.removeprefix("api/platform/"), {"trials": more})
    assert re.search(r"Several trials .* 1 50 % .* 2 50 % ", seen(world, f"/{trials.after}"))


def test_trials_are_told_one_by_one_with_their_runs(world: World, trials: Trials) -> None:
    page = world.page(f"trial-sets/{trials.before}/trials")
    assert page.count("/inspect/runs/") == 3
    assert page.count(">environment</a>") == 3
    assert "it hung" in seen(world, f"/{trials.before}/trials", ended="error")
    assert "There are none." in seen(world, f"/{trials.before}/trials", ended="passed")
    test = world.platform.get(f"trial-sets/{trials.before}/trials")["trials"][0]["testId"]
    assert world.page(f"trial-sets/{trials.before}/trials", test=test).count("/inspect/runs/") in (1, 2)


def test_two_sets_are_compared_test_by_test(world: World, trials: Trials) -> None:
    form = {"with": trials.after}
    answer = world.server.in_process.get(f"/inspect/trial-sets/{trials.before}/compare", params=form)
    assert answer.status_code == 303
    page = seen(world, answer.headers["location"].removeprefix("/inspect/trial-sets"))
    assert re.search(r"Difference: \+50 % .* 1 tests went better, 0 worse · p = 1\.000", page)
    assert "Say hello 0 % 100 % +100 %" in page
    backwards = seen(world, f"/{trials.after}/compare/{trials.before}")
    assert "Say hello 100 % 0 % -100 %" in backwards


def test_what_an_agent_said_is_beside_its_trial_and_a_test_without_trials_that_count_is_named(
    world: World, trials: Trials
) -> None:
    known = world.platform.get(f"trial-sets/{trials.before}/trials")["trials"][0]
    call = {"function": {"name": "call_api"}}
    messages = [
        {"role": "user", "content": "<b>Speak</b>"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
    ]
    trial = {"testId": known["testId"], "number": 1, "error": "gone", "messages": messages}
    wanted = {"testSuiteId": trials.suite, "agent": "agent:said", "trials": [trial]}
    made = world.platform.post("trial-sets", wanted)["trialSetId"]
    page = seen(world, f"/{made}/trials")
    assert re.search(r"What it said user &lt;b&gt;Speak.* assistant .*call_api", page)
    compared = seen(world, f"/{trials.before}/compare/{made}")
    assert "Not compared, since one of both has no trial that counts: Say &lt;script&gt;" in compared


@pytest.mark.parametrize("path", [f"/{NOBODY}", "/x", f"/{NOBODY}/trials", f"/{NOBODY}/compare/x", "?suite=x"])
def test_a_set_that_is_not_there_is_said(world: World, path: str) -> None:
    answer = world.server.in_process.get(f"/inspect/trial-sets{path}")
    assert (answer.status_code in (400, 404), 'role="alert"' in answer.text) == (True, True)

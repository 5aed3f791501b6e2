"""How long a prompt may be, and how the work of reading it grows."""

import pytest

from twindiff.server.apis.twin_runs.prompt_language.attachments import MAX_GROUPS
from twindiff.server.apis.twin_runs.prompt_language.sentence_reader import PromptReader

LONGEST = 20_000
ROUTES = {
    "/twin-runs": {"twins": ["slack"]},
    "/validate/twins/provision": {"twins": ["slack"]},
    "/test-runs": {"start_url": "http://127.0.0.1:9", "twins": ["none"]},
    "/tests/none/run": {},
    "/sandbox-runs": {"repo": "/nowhere", "twins": ["slack"]},
    "/validate/pr-run": {"repo": "/nowhere", "branch": "b", "twins": ["slack"]},
}
SENTENCES = [
    "a,",
    "1 user ",
    "#a ",
    "about ",
    'named "',
    "every day ",
    "3 issues about one big thing in the team Acme ",
    "two on a Team plan at $49 a month ",
    "Aa ",
    "„",
]


@pytest.mark.parametrize("route", ROUTES)
def test_a_prompt_beyond_the_bound_is_refused_on_every_route(live, route):
    answer = live.client.post(route, json={**ROUTES[route], "scenario_prompt": "a" * (LONGEST + 1)})
    assert (answer.status_code, "scenario_prompt" in answer.json()["detail"]) == (422, True)


@pytest.mark.parametrize("route", ROUTES)
def test_a_prompt_of_the_bound_is_read_on_every_route(live, route):
    answer = live.client.post(route, json={**ROUTES[route], "scenario_prompt": "a," * (LONGEST // 2)})
    assert answer.status_code == 200 or "scenario_prompt" not in answer.json()["detail"]


def steps(prompt):
    reader = PromptReader(["slack", "linear", "stripe", "box", "calendar"])
    reader.read(prompt)
    assert len(reader.groups) <= MAX_GROUPS + 1
    return reader.steps


@pytest.mark.parametrize("sentence", SENTENCES)
def test_twice_as_long_a_prompt_is_read_in_twice_as_many_steps(sentence):
    once, twice = (steps(sentence * count) for count in (100, 200))
    assert once <= len(sentence) * 100
    assert twice <= 2 * once + len(sentence)


def test_what_is_asked_for_beyond_so_many_phrases_is_not_understood(live):
    asked = {"twins": ["slack"], "scenario_prompt": "#a " + "1 message in #a and " * (MAX_GROUPS + 10)}
    made = live.client.post("/twin-runs", json=asked).json()
    assert (made["understood"], len(made["not_understood"])) == ([], 1)

"""The list of twin, test, sandbox and pull request runs, and secrets of recorded calls."""

from __future__ import annotations

import re

import pytest

from tests.harness import GENERAL, succeeded
from tests.inspector.conftest import World
from twindiff.browser.chromium import NoBrowser, chromium
from twindiff.server.apis.inspector import application_runs

CARD = "4000056655665556"


def create_runs(world: World) -> dict[str, str]:
    """A twin run and, where there is a browser, a test run that is not understood; their ids by kind."""
    twins = succeeded(world.server.client.post("/twin-runs", json={"twins": ["slack"]}))["run_id"]
    asked = {"start_url": "http://127.0.0.1:9/", "prompt": f"Wobble the <b>card</b> {CARD}"}
    try:
        chromium()
    except NoBrowser:
        pytest.skip("needs a Chromium")
    return {"twin": twins, "test": succeeded(world.server.client.post("/test-runs", json=asked))["id"]}


def test_the_list_has_each_run_with_its_state_and_a_link_that_opens(world: World) -> None:
    made = create_runs(world)
    page = world.page("application-runs")
    for run_id in made.values():
        address = re.search(rf'href="(/[^"]*{run_id}/[^"]+)"', page)
        assert address
        assert world.server.in_process.get(address[1].replace("&amp;", "&")).status_code == 200
    assert "ends in " in page
    assert "this was not understood" in page
    assert "<b>card" not in page


def test_the_list_can_be_filtered_by_kind_state_and_words(world: World) -> None:
    made = create_runs(world)
    for query, shown, hidden in (
        ({"kind": "twin"}, "twin", "test"),
        ({"kind": "test"}, "test", "twin"),
        ({"state": "failed"}, "test", "twin"),
        ({"state": "open"}, "twin", "test"),
        ({"q": "WOBBLE"}, "test", "twin"),
        ({"q": made["twin"][:12]}, "twin", "test"),
    ):
        page = world.page("application-runs", **query)
        assert (made[shown] in page, made[hidden] in page) == (True, False), query


def test_older_runs_are_on_further_pages(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(application_runs, "LISTED", 1)
    older, newer = (
        succeeded(world.server.client.post("/twin-runs", json={"twins": ["slack"]}))["run_id"] for _ in range(2)
    )
    first = world.page("application-runs", kind="twin", q="slack")
    assert (newer[:8] in first, older[:8] in first) == (True, False)
    (further,) = re.findall(r'rel="next" href="\?([^"]+)"', first)
    second = world.server.in_process.get(f"/inspect/application-runs?{further.replace('&amp;', '&')}").text
    assert (newer[:8] in second, older[:8] in second) == (False, True)


def test_no_card_number_of_a_recorded_call_is_on_its_page(world: World) -> None:
    mine = world.platform.environment()
    mine.slack("chat.postMessage", channel=GENERAL, text=f"pay with {CARD}", password="hunter2-Zz")
    calls = succeeded(world.platform.client.get(f"/api/platform/env/{mine.id}/calls"))["calls"]
    page = world.page(f"environments/{mine.id}/calls/{calls[-1]['number']}")
    assert "•••5556" in page
    assert not [each for each in (CARD, "hunter2-Zz") if each in page]

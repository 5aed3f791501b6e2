"""Journals that are read in parts: the same records, whatever was gone back over, and however long they are."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.harness import Environment, LiveServer, Platform
from twindiff.environments import interval_reading
from twindiff.environments.environments import EnvironmentDeleted
from twindiff.storage.cooperative import run_to_end
from twindiff.storage.sqlite import point_comparison

LONG = interval_reading.AT_ONCE * 2 + 30


@pytest.fixture(scope="module")
def winding(live: LiveServer, platform: Platform) -> Environment:
    """An environment with more records than are read in one go, that has gone back near and far."""
    env = platform.environment(clock={"mode": "steps"})
    for number in range(LONG):
        env.post(f"message {number}")
    for back in (LONG - 5, 3, LONG + 1, 120, LONG - 40):
        platform.post(f"env/{env.id}/rewind", {"to": back})
        env.post(f"after {back}")
    return env


@given(st.data())
def test_what_is_read_in_parts_leads_from_any_point_to_any_other(live: LiveServer, winding: Environment, data) -> None:
    engine = live.service.engine
    points = st.integers(0, live.on_loop(lambda: engine.seq(winding.id)))
    start, end = data.draw(points), data.draw(points)

    def both() -> tuple[object, object]:
        known = run_to_end(interval_reading.interval(engine, winding.id, min(start, end), max(start, end)))
        led = run_to_end(interval_reading.difference(engine, winding.id, start, end, known))
        return led, engine.difference(winding.id, start, end)

    led, whole = live.on_loop(both)
    assert led == whole


def test_a_journal_that_goes_while_it_is_read_is_said_to_be_gone(
    live: LiveServer, platform: Platform, environment: Callable[..., Environment]
) -> None:
    env = environment()
    env.post("hello")
    steps = interval_reading.interval(live.service.engine, env.id, 0, 1)
    platform.delete(f"env/{env.id}")
    with pytest.raises(EnvironmentDeleted):
        live.on_loop(lambda: run_to_end(steps))


def test_long_results_are_read_as_they_were_told(platform: Platform, winding: Environment) -> None:
    run = platform.start(winding)
    for number in range(LONG):
        winding.post(f"{number} " + "word " * 100)
    diff = platform.diff(run)
    assert len(diff["inserts"]) == LONG
    assert platform.get(f"results/{run}")["diff"] == diff


@pytest.mark.parametrize("include", ["plain", "derived", "all"])
def test_a_diff_by_rows_is_the_diff_by_records(
    live: LiveServer, winding: Environment, platform: Platform, monkeypatch: pytest.MonkeyPatch, include: str
) -> None:
    run = platform.start(winding)
    ts = [winding.post(f"number {number}") for number in range(20)]
    for each in ts[:9]:
        winding.slack("chat.update", channel="C01ABCD1234", ts=each, text="else")
    for each in ts[5:]:
        winding.slack("chat.delete", channel="C01ABCD1234", ts=each)
    platform.post(f"env/{winding.id}/rewind", {"to": LONG - 20})  # to before the run
    winding.post("last")
    folded = platform.ask("POST", "diffRun", {"runId": run, "include": include}).text
    monkeypatch.setattr(interval_reading, "FAR_APART", 1)
    monkeypatch.setattr(point_comparison, "OPERATIONS_PER_PAGE", 0)
    assert platform.ask("POST", "diffRun", {"runId": run, "include": include}).text == folded


def test_a_verdict_blames_whom_the_whole_history_blames(platform: Platform, environment) -> None:
    env = environment()
    run = platform.start(env)
    ts = env.post("helo")
    env.slack("chat.update", channel="C01ABCD1234", ts=ts, text="hullo")
    wanted = {"diff_type": "added", "entity": "messages", "where": {"message_text": "hello"}}
    (why,) = platform.evaluate(run, wanted)["explanations"]
    last = platform.get(f"runs/{run}/history")["records"][-1]
    assert why["nearest"][0]["blame"] == {name: last[name] for name in ("operation", "seq", "actor")}

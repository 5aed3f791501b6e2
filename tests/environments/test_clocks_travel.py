"""A clock that was set forward stays so: over restarts, in files, and in what runs find when they are judged."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.environments.alarms import registry, twin
from tests.harness import Environment, LiveServer, Platform
from tests.server_mode import embedded_only
from twindiff.client import Environment as LocalEnvironment
from twindiff.environments import clocks
from twindiff.local import Twindiff

NOON = "2027-01-15T08:00:00"
START = 1_800_000_000
FROZEN = {"mode": "frozen", "start": NOON}
A_DAY = timedelta(days=1)


@pytest.fixture
def here() -> Iterator[Twindiff]:
    with Twindiff(twins=[twin]) as td:
        yield td


def set_alarm(td: Twindiff, env: LocalEnvironment, **alarm: Any) -> None:
    with httpx.Client(transport=td.transport(env), headers={"Authorization": f"Bearer {env.token}"}) as client:
        assert client.post("https://alarms.example/alarms", json=alarm).status_code == 200


def test_a_clock_is_set_in_process(here: Twindiff):
    env = here.create("alarms:empty", clock=FROZEN)
    set_alarm(here, env, id="tea", at=START + 60)
    advanced = env.advance(30)
    assert (advanced.now, advanced.ran, advanced.still_due) == ("2027-01-15T08:00:30", [], 0)
    assert advanced.next
    assert (advanced.next.at, advanced.next.operation) == ("2027-01-15T08:01:00", "alarms:ring")
    assert [each.operation for each in env.advance(until="idle").ran] == ["alarms:ring"]
    assert env.advance(to="2027-01-15T09:00:00").mode == env.clock().mode == "frozen"


def test_an_exported_environment_goes_on_at_its_time(here: Twindiff):
    env = here.create("alarms:empty", clock=FROZEN)
    set_alarm(here, env, id="tea", at=START + 60, every=60, again=1)
    env.advance(90)
    there = here.import_environment(env.export())
    assert there.clock().now == "2027-01-15T08:01:30"
    assert [each.at for each in there.advance(90).ran] == ["2027-01-15T08:02:00"]
    there.rewind(1)
    assert there.clock().now == NOON


def test_a_real_clock_stays_set_forward_over_a_restart(make_server: Callable[..., LiveServer], tmp_path: Path):
    before = make_server(registry, data_dir=str(tmp_path))
    env = Platform(before.client).environment("alarms:empty", "P1")
    was = datetime.fromisoformat(Platform(before.client).post(f"env/{env.id}/clock", {"advance": 86_400})["now"])
    before.close()
    after = make_server(registry, data_dir=str(tmp_path))
    now = datetime.fromisoformat(Platform(after.client).get(f"env/{env.id}/clock")["now"])
    assert was <= now < was + A_DAY / 2


def test_what_is_due_is_found_after_a_restart(make_server: Callable[..., LiveServer], tmp_path: Path):
    before = make_server(registry, data_dir=str(tmp_path))
    env = Platform(before.client).environment("alarms:empty", "P1", clock=FROZEN)
    env.ask("alarms", json={"id": "tea", "at": START + 60})
    before.close()
    platform = Platform(make_server(registry, data_dir=str(tmp_path)).client)
    ran = platform.post(f"env/{env.id}/clock", {"advance": 60})["ran"]
    assert [each["operation"] for each in ran] == ["alarms:ring"]


def test_a_run_is_judged_with_everything_done_that_was_due(platform_of_alarms: Platform):
    env = platform_of_alarms.environment("alarms:empty", "P1", clock={"mode": "offset", "start": NOON})
    run = platform_of_alarms.start(env)
    env.ask("alarms", json={"id": "tea", "at": START})
    rings = [row["of"] for row in platform_of_alarms.diff(run)["inserts"] if row["__table__"] == "rings"]
    assert rings == ["tea"]


def test_more_than_is_done_in_one_go_is_done_before_a_call(platform_of_alarms: Platform):
    clock = {"mode": "offset", "start": "2027-01-15T08:01:00"}
    env = platform_of_alarms.environment("alarms:crowd", "P1", clock=clock)
    assert len(env.ask("rings", verb="GET").json()) == 300
    assert [each["operation"] for each in platform_of_alarms.get(f"env/{env.id}/calls")["calls"]] == ["GET /rings"]


@embedded_only("there 20 seconds are over before")
def test_work_without_end_stops_at_ten_thousand_pieces(platform_of_alarms: Platform):
    answer = told_to_work(platform_of_alarms, 10_004)
    assert 0 < len(answer["ran"]) <= 10_000
    assert (answer["stillDue"], answer["next"]["operation"]) == (1, "alarms:ring")
    assert answer["now"] == answer["ran"][-1]["at"]


def test_work_stops_when_it_has_taken_too_long(platform_of_alarms: Platform, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(clocks, "MAX_ADVANCE_SECONDS", 0)
    answer = told_to_work(platform_of_alarms, 500)
    assert 0 < len(answer["ran"]) < 500
    assert (answer["stillDue"], answer["next"]["operation"]) == (1, "alarms:ring")
    assert answer["now"] == answer["ran"][-1]["at"]


def told_to_work(platform: Platform, pieces: int) -> dict[str, Any]:
    """What is answered when the clock is to go on until so many pieces are done, of which each leads to the next."""
    env = platform.environment("alarms:empty", "P1", clock=FROZEN)
    env.ask("alarms", json={"id": "tea", "at": START + 1, "every": 1, "again": pieces - 1})
    return platform.post(f"env/{env.id}/clock", {"until": "idle"})


@pytest.fixture
def platform_of_alarms(make_server: Callable[..., LiveServer]) -> Platform:
    return Platform(make_server(registry).client)


def test_a_fork_of_a_real_clock_is_as_far_ahead(platform_of_alarms: Platform):
    env = platform_of_alarms.environment("alarms:empty", "P1")
    was = datetime.fromisoformat(platform_of_alarms.post(f"env/{env.id}/clock", {"advance": 86_400})["now"])
    made = platform_of_alarms.post(f"env/{env.id}/fork", {})["environments"][0]
    there = Environment(platform_of_alarms, {**env.made, **made})
    now = datetime.fromisoformat(platform_of_alarms.get(f"env/{there.id}/clock")["now"])
    assert was <= now < was + A_DAY / 2

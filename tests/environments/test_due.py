"""Work falls due when the environment's clock reaches its time, wherever the clock is and whoever finds out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from time import perf_counter
from typing import Any

import pytest

from tests.environments.alarms import OUTAGES, registry
from tests.harness import Environment, LiveServer, Platform
from twindiff.environments import due
from twindiff.kit.errors import NotServed
from twindiff.server import Settings

NOON = "2027-01-15T08:00:00"
START = 1_800_000_000
FROZEN = {"mode": "frozen", "start": NOON}
STEPS = {"mode": "steps", "start": NOON}

Make = Callable[..., "House"]


class House:
    """One environment of alarms, in a few words."""

    def __init__(self, environment: Environment) -> None:
        self.environment = environment
        self.id = environment.id
        self.platform = environment.platform

    def ask(self, path: str, **body: Any) -> Any:
        answer = self.environment.ask(path, json=body)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def alarm(self, id: str, after: int, **more: int) -> None:
        """Set an alarm so many seconds after noon."""
        self.ask("alarms", id=id, at=START + after, **more)

    def egg(self, id: int, after: float, then: str = "be eaten", **more: str) -> None:
        """Put an egg on that is done so many seconds after noon."""
        self.ask("eggs", id=id, done_at=at(after), then=then, **more)

    def rings(self) -> list[list[Any]]:
        """What has rung, so many seconds after noon, by whom."""
        rows = self.environment.ask("rings", verb="GET").json()
        return [[of, seconds(when), by] for of, when, by in rows]

    def clock(self, **wanted: Any) -> dict[str, Any]:
        """Set the clock."""
        return self.platform.post(f"env/{self.id}/clock", wanted)

    def journal(self) -> list[dict[str, Any]]:
        return self.platform.get(f"env/{self.id}/journal")["records"]

    def refusal(self, **wanted: Any) -> tuple[int, str]:
        return self.platform.refusal("POST", f"env/{self.id}/clock", wanted)


def at(after: float) -> str:
    """An instant so many seconds after noon."""
    return (datetime.fromisoformat(NOON) + timedelta(seconds=after)).isoformat()


def seconds(instant: str) -> float:
    return (datetime.fromisoformat(instant) - datetime.fromisoformat(NOON)).total_seconds()


@pytest.fixture(scope="module")
def alarms() -> Iterator[Platform]:
    """A server of one twin, whose alarms ring."""
    server = LiveServer(Settings(), registry)
    yield Platform(server.client)
    server.close()


@pytest.fixture
def house(alarms: Platform) -> Make:
    """Make an environment: `house()`, `house("set", clock=STEPS)`."""

    def make(template: str = "empty", clock: Any = FROZEN) -> House:
        return House(alarms.environment(f"alarms:{template}", "P1", clock=clock))

    return make


def test_a_frozen_clock_stands_still_until_it_is_set(house: Make):
    here = house()
    here.ask("notes", text="one")
    here.ask("notes", text="two")
    assert here.rings() == [["one", 0, "P1"], ["two", 0, "P1"]]
    here.clock(advance=90.5)
    here.ask("notes", text="three")
    assert here.rings()[-1] == ["three", 90.5, "P1"]


def test_work_is_done_at_its_own_time_by_whose_it_is(house: Make):
    here = house()
    here.alarm("tea", 60)
    answer = here.clock(advance=3600)
    assert here.rings() == [["tea", 60, "P1"]]
    assert (answer["now"], answer["stillDue"], answer["next"]) == (at(3600), 0, None)
    assert answer["ran"] == [
        {"at": at(60), "twin": "alarms", "operation": "alarms:ring", "actor": "P1", "seq": 2, "error": None}
    ]
    assert [(each["operation"], each["actor"], each["at"]) for each in here.journal()] == [
        ("POST /alarms", "P1", at(0)), ("alarms:ring", "P1", at(60)), ("advance", "", at(3600))
    ]  # fmt: skip


def test_what_is_not_due_yet_waits(house: Make):
    here = house()
    here.alarm("tea", 60)
    assert here.clock(advance=59)["next"] == {
        "at": at(60), "twin": "alarms", "operation": "alarms:ring", "actor": "P1"
    }  # fmt: skip
    assert here.rings() == []
    here.clock(advance=1)
    assert here.rings() == [["tea", 60, "P1"]]


def test_time_then_declaration_then_key_say_what_comes_first(house: Make):
    here = house()
    here.egg(2, 60)
    here.egg(1, 60)
    here.alarm("b", 60)
    here.alarm("a", 60)
    here.alarm("c", 30)
    here.egg(3, 59.5)
    here.clock(advance=60)
    assert [of for of, _, _ in here.rings()] == ["c", "egg 3", "a", "b", "egg 1", "egg 2"]


def test_work_that_makes_more_work_has_it_done_too(house: Make):
    here = house()
    here.alarm("tea", 10, every=20, again=3)
    here.egg(1, 40)
    here.clock(advance=60)
    assert here.rings() == [["tea", 10, "P1"], ["tea", 30, "P1"], ["egg 1", 40, ""], ["tea", 50, "P1"]]
    here.clock(until="idle")
    assert here.rings()[4:] == [["tea", 70, "P1"]]


def test_work_that_other_work_puts_off_is_done_in_its_new_order(house: Make):
    here = house()
    here.egg(1, 10, then="put off tea")
    here.alarm("tea", 20)
    here.alarm("cake", 30)
    here.clock(advance=60)
    assert here.rings() == [["egg 1", 10, ""], ["cake", 30, "P1"], ["tea", 40, "P1"]]


def test_work_that_other_work_makes_needless_is_not_done(house: Make):
    here = house()
    here.egg(1, 10, then="silence tea")
    here.alarm("tea", 20)
    here.alarm("cake", 30)
    assert len(here.clock(advance=60)["ran"]) == 2
    assert here.rings() == [["egg 1", 10, ""], ["cake", 30, "P1"]]


def test_work_that_the_storage_refuses_comes_first_again(house: Make):
    here = house()
    here.egg(1, 10)
    here.alarm("tea", 20)
    OUTAGES.append(NotServed("the disk is full"))
    here.refusal(advance=60)
    here.clock(advance=60)
    assert here.rings() == [["egg 1", 10, ""], ["tea", 20, "P1"]]


def test_much_work_of_several_kinds_is_done_in_the_order_of_its_time(house: Make):
    here = house()
    for number in reversed(range(150)):
        here.egg(number, 10 + number)
    here.alarm("tea", 100)
    here.alarm("cake", 159)
    here.clock(advance=200)
    eggs = [[f"egg {number}", 10 + number, ""] for number in range(150)]
    rung = [each for each in here.rings() if each[0].startswith("egg")]
    assert rung == eggs
    assert [each for each in here.rings() if each not in rung] == [["tea", 100, "P1"], ["cake", 159, "P1"]]


def test_what_has_been_set_since_the_last_look_is_known_when_the_clock_has_moved(house: Make):
    here = house()
    here.alarm("tea", 60)
    here.clock(advance=1)
    here.alarm("cake", 30)
    assert here.clock(advance=1)["next"]["at"] == at(30)


def test_work_is_remembered_for_some_environments_and_done_for_all(house: Make, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(due, "MAX_REMEMBERED_ENVIRONMENTS", 2)
    houses = [house() for _ in range(4)]
    for here in houses:
        here.alarm("tea", 60)
        here.alarm("cake", 70)
        here.clock(advance=65)
    assert [here.clock(advance=10)["ran"][0]["at"] for here in houses] == [at(70)] * 4


def test_work_under_a_condition_is_of_its_own_row(house: Make):
    here = house()
    here.egg(1, 900, then="burn", peeled_at=at(60))
    here.egg(2, 900, then="burn", peeled_at=at(70))
    ran = here.clock(advance=80)["ran"]
    assert [(each["at"], each["operation"], each["error"]) for each in ran] == [
        (at(60), "alarms:peel", "burnt"), (at(70), "alarms:peel", "burnt")
    ]  # fmt: skip


def test_a_writing_operation_of_steps_finds_what_is_due_by_its_time(house: Make):
    here = house(clock=STEPS)
    here.alarm("tea", 2)
    here.ask("notes", text="late")
    assert here.rings() == [["tea", 2, "P1"], ["late", 2, "P1"]]


def test_work_every_second_does_not_chase_the_steps_of_a_clock(house: Make):
    here = house(clock=STEPS)
    here.alarm("tea", 2, every=1, again=1000)
    here.ask("notes", text="late")
    assert [of for of, _, _ in here.rings()] == ["tea", "late"]


def test_an_alarm_set_anew_rings_only_then(house: Make):
    here = house()
    here.alarm("tea", 60)
    here.alarm("tea", 120)
    here.clock(advance=60)
    assert here.rings() == []
    here.ask("alarms", id="tea", at=None)
    assert here.clock(until="idle")["now"] == at(60)
    assert here.rings() == []


def test_a_time_that_is_past_when_it_is_set_is_due_at_once(house: Make):
    here = house()
    here.clock(advance=100)
    here.alarm("tea", 40)
    assert here.rings() == [["tea", 100, "P1"]]


def test_what_was_due_before_the_environment_began_is_never_done(house: Make):
    here = house("set")
    here.clock(advance=60)
    assert here.rings() == [["soon", 60, "P1"]]


def test_until_next_stops_where_work_falls_due(house: Make):
    here = house()
    here.alarm("tea", 60)
    here.alarm("cake", 60)
    here.alarm("late", 90)
    answer = here.clock(until="next")
    assert (answer["now"], [each["at"] for each in answer["ran"]]) == (at(60), [at(60)] * 2)
    assert here.clock(until="next")["now"] == at(90)
    answer = here.clock(until="next")
    assert (answer["now"], answer["ran"], here.platform.get(f"env/{here.id}")["seq"]) == (at(90), [], 6)


def test_looking_at_the_clock_does_nothing(house: Make):
    here = house()
    here.alarm("tea", 60)
    shown = here.platform.get(f"env/{here.id}/clock")
    assert shown == {
        "environmentId": here.id,
        "mode": "frozen",
        "now": at(0),
        "seq": 1,
        "next": {"at": at(60), "twin": "alarms", "operation": "alarms:ring", "actor": "P1"},
    }


@pytest.mark.parametrize(("then", "code", "status"), [("burn", "burnt", 409), ("explode", "internal_error", 500)])
def test_work_that_fails_is_recorded_and_the_rest_goes_on(house: Make, then: str, code: str, status: int):
    here = house()
    here.egg(1, 10, then)
    here.egg(2, 20)
    ran = here.clock(advance=30)["ran"]
    assert [(each["seq"], each["error"]) for each in ran] == [(3, code), (4, None)]
    assert here.rings() == [["egg 2", 20, ""]]
    assert here.clock(advance=30)["ran"] == []
    calls = here.platform.get(f"env/{here.id}/calls")["calls"]
    failed = [(each["operation"], each["status"], each["error"], each["seq"]) for each in calls if each["error"]]
    assert failed == [("alarms:take_off", status, code, 3)]
    (change,) = here.journal()[2]["changes"]
    assert (change["table"], change["after"]["row_key"]) == ("failed_work", "[1]")
    assert change["after"]["error"].startswith(("Burnt: ", "ZeroDivisionError: "))


def test_work_that_fails_is_told_of_like_any_other(house: Make):
    here = house()
    began = perf_counter()
    here.egg(1, 10, "burn")
    (ran,) = here.clock(advance=30)["ran"]
    assert (ran["twin"], ran["operation"], ran["actor"], ran["at"]) == ("alarms", "alarms:take_off", "", at(10))
    (failed,) = (each for each in here.platform.get(f"env/{here.id}/calls")["calls"] if each["error"])
    assert 0 <= failed["milliseconds"] <= (perf_counter() - began) * 1000


def test_work_that_has_failed_does_not_hide_what_comes_after_it(house: Make):
    here = house()
    for number in range(40):
        here.egg(number, 10, "burn")
    here.clock(advance=20)
    for number in range(40, 70):
        here.egg(number, 30)
    assert len(here.clock(advance=20)["ran"]) == 30
    assert len(here.rings()) == 30


def test_two_jobs_fail_for_the_same_row_at_the_same_time(house: Make):
    here = house()
    here.egg(1, 10, "burn", peeled_at=at(10))
    ran = here.clock(advance=30)["ran"]
    assert [(each["operation"], each["error"]) for each in ran] == [
        ("alarms:take_off", "burnt"),
        ("alarms:peel", "burnt"),
    ]
    assert here.clock(advance=30)["ran"] == []


def test_rows_that_a_job_is_not_for_are_not_due(house: Make):
    here = house()
    here.egg(1, 100, peeled_at=at(10))
    assert [each["at"] for each in here.clock(until="next")["ran"]] == [at(100)]


def test_work_may_keep_bytes(house: Make):
    here = house()
    here.egg(1, 10, "be weighed")
    assert [each["error"] for each in here.clock(advance=30)["ran"]] == [None]


def test_work_of_nobody_is_done_by_nobody(house: Make):
    here = house("nobody")
    here.clock(advance=60)
    assert here.rings() == [["lost", 60, ""]]


def test_what_is_due_as_the_environment_begins_is_done(house: Make):
    here = house()
    here.alarm("tea", 0)
    assert [each["at"] for each in here.clock(advance=1)["ran"]] == [at(0)]
    assert here.rings() == [["tea", 0, "P1"]]


def test_an_alarm_that_is_set_while_others_wait_rings_in_its_turn(house: Make):
    here = house()
    here.alarm("tea", 10)
    here.alarm("cake", 100)
    here.clock(advance=50)
    here.alarm("soup", 70)
    here.clock(advance=10)
    here.clock(advance=60)
    assert here.rings() == [["tea", 10, "P1"], ["soup", 70, "P1"], ["cake", 100, "P1"]]


def test_a_job_that_leaves_its_row_due_has_failed(house: Make):
    here = house()
    here.egg(1, 10, "stay")
    assert [each["error"] for each in here.clock(advance=30)["ran"]] == ["left_due"]
    assert here.rings() == []


def test_a_rewind_takes_an_advance_back(house: Make):
    here = house()
    here.alarm("tea", 60)
    here.clock(advance=100)
    here.platform.post(f"env/{here.id}/rewind", {"to": 1})
    assert here.platform.get(f"env/{here.id}/clock")["now"] == at(0)
    assert here.rings() == []
    here.clock(advance=60)
    assert here.rings() == [["tea", 60, "P1"]]


def test_a_fork_takes_what_waits_along(house: Make):
    here = house()
    here.alarm("tea", 60)
    here.clock(advance=30)
    made = here.platform.post(f"env/{here.id}/fork", {})["environments"][0]
    there = House(Environment(here.platform, {**here.environment.made, **made}))
    assert there.clock(advance=30)["now"] == at(60)
    assert (there.rings(), here.rings()) == ([["tea", 60, "P1"]], [])


def test_a_real_clock_runs_ahead_once_it_is_advanced(house: Make):
    here = house(clock=None)
    before = datetime.fromisoformat(here.platform.get(f"env/{here.id}/clock")["now"])
    here.clock(advance=86_400)
    here.ask("notes", text="tomorrow")
    _, when, _ = here.environment.ask("rings", verb="GET").json()[0]
    assert timedelta(days=1) <= datetime.fromisoformat(when) - before < timedelta(days=1, minutes=5)
    here.platform.post(f"env/{here.id}/rewind", {"to": 0})
    now = datetime.fromisoformat(here.platform.get(f"env/{here.id}/clock")["now"])
    assert now - before < timedelta(minutes=5)


def test_to_takes_an_instant_in_any_zone_and_seconds_since_1970(house: Make):
    here = house()
    assert here.clock(to="2027-01-15T10:00:00+01:00")["now"] == at(3600)
    assert here.clock(to=START + 7200)["now"] == at(7200)


@pytest.mark.parametrize(
    ("wanted", "code"),
    [
        ({"advance": -1}, "clock_goes_back"),
        ({"to": "2027-01-15T07:59:59"}, "clock_goes_back"),
        ({"to": 0}, "clock_goes_back"),
        ({"advance": 10**12}, "invalid_clock"),
        ({"advance": 1e300}, "invalid_clock"),
        ({"to": "9999-12-31T00:00:00"}, "invalid_clock"),
        ({"to": "tomorrow"}, "invalid_clock"),
        ({}, "clock_not_said"),
        ({"advance": 1, "until": "idle"}, "clock_not_said"),
        ({"until": "doomsday"}, "validation_error"),
    ],
)
def test_a_clock_that_cannot_be_set_is_refused_with_the_reason(house: Make, wanted: dict[str, Any], code: str):
    here = house()
    assert here.refusal(**wanted) == (400, code)
    assert here.platform.get(f"env/{here.id}")["seq"] == 0


def test_the_clock_of_no_environment_is_not_found(alarms: Platform):
    nobody = "0" * 32
    assert alarms.refusal("POST", f"env/{nobody}/clock", {"advance": 1}) == (404, "environment_not_found")

"""Ids and instants are functions of counters and clock alone."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twindiff.kit.clock import SECOND, Clock, ClockMode, micros_of
from twindiff.kit.ids import Ids

NOON = 1_800_000_000_123_456


class Counters:
    def __init__(self) -> None:
        self.values: dict[str, int] = {}

    def next(self, counter: str, *, at_least: int = 1) -> int:
        self.values[counter] = max(self.values.get(counter, 0) + 1, at_least)
        return self.values[counter]


def ids(micros: int = NOON, counters: Counters | None = None) -> Ids:
    return Ids((counters or Counters()).next, Clock(micros))


def test_the_same_counters_give_the_same_ids():
    one, other = ids(), ids(NOON + 5)
    assert [one.new("C") for _ in range(3)] == [other.new("C") for _ in range(3)]
    assert one.uuid() == other.uuid()


def test_ten_thousand_ids_are_all_different():
    made = ids()
    assert len({made.new("C", 9) for _ in range(10_000)} | {made.uuid() for _ in range(10_000)}) == 20_000


def test_an_id_has_its_prefix_length_and_letters():
    made = ids().new("T", 64, "ab")
    assert (made[0], len(made), set(made[1:])) == ("T", 65, {"a", "b"})


def test_a_uuid_is_of_version_4():
    assert ids().uuid()[14] == "4"


def test_a_ts_is_now_and_later_than_every_one_before_it():
    counters = Counters()
    assert [ids(NOON, counters).ts() for _ in range(2)] == ["1800000000.123456", "1800000000.123457"]
    assert ids(NOON - 10 * SECOND, counters).ts() == "1800000000.123458"
    assert ids(NOON + SECOND, counters).ts() == "1800000001.123456"


@given(st.integers(0, 4_000_000_000 * SECOND))
def test_an_instant_is_the_same_in_every_form(micros: int):
    clock = Clock(micros)
    assert micros_of(clock.now) == micros_of(datetime.fromisoformat(clock.iso())) == micros
    assert (clock.unix(), clock.now.tzinfo) == (micros // SECOND, UTC)


def test_an_instant_of_another_zone_is_taken_to_utc():
    two = timezone(timedelta(hours=2))
    assert micros_of(datetime(1970, 1, 1, 2, tzinfo=two)) == 0


@pytest.mark.parametrize(
    ("mode", "read", "write"), [("real", 700, 700), ("offset", 150, 150), ("steps", 50, 50 + SECOND)]
)
def test_a_clock_runs_as_its_mode_says(mode: str, read: int, write: int):
    clock = ClockMode(mode, 0)  # pyright: ignore[reportArgumentType]
    assert (clock.at(700, 50, 600, writes=False).micros, clock.at(700, 50, 600, writes=True).micros) == (read, write)

"""Long work gives way to others and to nobody else."""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import count
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twindiff.kit.http import json_answer
from twindiff.kit.throttling import CpuBudget, pace_thread, yield_processor

WORK_SECONDS = 0.02
"""Of the processor."""


@pytest.fixture
def rests(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds of each rest; none is taken."""
    taken: list[float] = []
    monkeypatch.setattr(time, "sleep", taken.append)
    return taken


def work() -> None:
    """Compute for a while."""
    end = time.thread_time() + WORK_SECONDS
    while time.thread_time() < end:
        yield_processor()


def work_beside(arrivals: Callable[[], int]) -> None:
    with pace_thread(arrivals):
        work()


def test_work_beside_others_rests_for_longer_than_it_works(rests: list[float]):
    work_beside(count().__next__)
    assert sum(rests) > WORK_SECONDS


def test_work_that_nobody_waits_for_never_rests(rests: list[float]):
    work_beside(lambda: 7)
    assert rests == []


def test_work_that_others_wait_for_ends_once_it_has_used_its_time_of_the_processor(rests: list[float]):
    with pytest.raises(TimeoutError), CpuBudget(WORK_SECONDS / 2, TimeoutError):
        work()
    with CpuBudget(10 * WORK_SECONDS, TimeoutError):
        work()
    work()
    assert rests == []


def test_work_that_is_over_has_no_part_in_what_its_thread_does_next(rests: list[float]):
    work_beside(lambda: 7)
    work()
    assert rests == []


Json = st.recursive(
    st.none() | st.booleans() | st.integers(0, 99) | st.floats(allow_nan=False) | st.text(max_size=3),
    lambda inside: (
        st.lists(inside, max_size=3)
        | st.dictionaries(st.text(max_size=3), inside, max_size=3)
        | st.dictionaries(st.integers(0, 9), inside, max_size=3)
    ),
    max_leaves=30,
)


@given(Json)
def test_long_work_writes_the_same_answer(value: Any):
    with pace_thread(lambda: 7):
        answer = json_answer(value, 201)
    assert answer == json_answer(value, 201)


def test_a_rest_ends_when_the_others_have_gone(monkeypatch: pytest.MonkeyPatch):
    come, rests = [0], list[float]()

    def rest(seconds: float) -> None:
        rests.append(seconds)
        until = time.monotonic() + 2 * seconds + 0.01
        while time.monotonic() < until:
            pass

    monkeypatch.setattr(time, "sleep", rest)
    with pace_thread(lambda: come[0]):
        end = time.thread_time() + WORK_SECONDS
        while time.thread_time() < end:
            pass
        come[0] += 1
        yield_processor()
    assert len(rests) == 1


def test_the_rest_that_is_left_when_work_ends_is_taken_at_its_end(rests: list[float]):
    with pace_thread(count().__next__):
        end = time.thread_time() + WORK_SECONDS
        while time.thread_time() < end:
            pass
    assert sum(rests) > WORK_SECONDS

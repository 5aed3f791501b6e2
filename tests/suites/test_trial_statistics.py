"""What trials say of an agent, held against counting every case."""

from __future__ import annotations

from itertools import combinations, product
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twindiff.suites.trial_statistics import (
    Share,
    compare,
    mean_pass_all,
    mean_pass_at,
    of_k,
    pass_all,
    pass_at,
    share,
    sign_test,
    wilson,
)


@given(st.lists(st.booleans(), min_size=1, max_size=7), st.integers(1, 7))
def test_pass_at_k_and_pass_all_of_k_are_those_of_every_choice_of_k_trials(trials: list[bool], k: int) -> None:
    k = min(k, len(trials))
    chosen = list(combinations(trials, k))
    assert pass_at(k, len(trials), sum(trials)) == pytest.approx(fmean(map(any, chosen)))
    assert pass_all(k, len(trials), sum(trials)) == pytest.approx(fmean(map(all, chosen)))


def test_a_suite_has_the_mean_of_its_tests() -> None:
    trials = {"a": [True, True], "b": [True, False]}
    assert (mean_pass_at(2, trials), mean_pass_all(2, trials), share(trials).value) == (1.0, 0.5, 0.75)


def test_the_interval_is_wilson_s() -> None:
    assert [round(each, 4) for each in wilson(0.8, 10)] == [0.8, 0.4902, 0.9433]


@given(st.integers(1, 500), st.integers(0, 500))
def test_an_interval_holds_its_share_and_lies_between_0_and_1(count: int, passed: int) -> None:
    interval = wilson(min(passed, count) / count, count)
    assert 0 <= interval.low <= interval.value + 1e-9 <= interval.high + 2e-9 <= 1 + 3e-9


def test_repeating_trials_makes_nobody_surer_of_other_tests() -> None:
    once = {"a": [True], "b": [False]}
    assert share({test: trials * 50 for test, trials in once.items()}) == share(once) == Share(*share(once))


@given(st.integers(0, 6), st.integers(0, 6))
def test_the_sign_test_counts_every_throw_that_is_as_uneven(better: int, worse: int) -> None:
    throws = list(product((0, 1), repeat=better + worse))
    uneven = [abs(2 * sum(throw) - len(throw)) >= abs(better - worse) for throw in throws]
    assert sign_test(better, worse) == pytest.approx(fmean(uneven))


def test_agents_are_compared_over_the_tests_that_both_tried() -> None:
    before = {"a": [True, False], "b": [True], "c": [False], "only before": [True]}
    after = {"a": [True, True], "b": [False], "c": [False], "only after": [True]}
    comparison = compare(before, after)
    assert (comparison.better, comparison.worse, comparison.p) == (["a"], ["b"], 1.0)
    assert comparison.difference == pytest.approx(-0.5 / 3)


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=30))
def test_the_interval_of_a_difference_holds_it(changes: list[float]) -> None:
    before = {str(number): [False] * 100 + [True] * 100 for number in range(len(changes))}
    after = {
        str(number): [True] * round(100 + 100 * each) + [False] * round(100 - 100 * each)
        for number, each in enumerate(changes)
    }
    comparison = compare(before, after)
    assert -1 <= comparison.low <= comparison.difference <= comparison.high <= 1


def test_a_difference_that_nobody_saw_is_no_proof_that_there_is_none() -> None:
    alike = {"a": [True], "b": [False]}
    few, many = (compare(each, each) for each in (alike, {str(n): [True] for n in range(100)}))
    assert (few.difference, round(few.low, 2), round(few.high, 2)) == (0.0, -0.69, 0.69)
    assert many.high < 0.03


@given(st.dictionaries(st.text(max_size=3), st.lists(st.booleans(), min_size=1, max_size=30), min_size=1, max_size=8))
def test_a_curve_goes_from_the_share_of_one_trial_up_and_down(trials: dict[str, list[bool]]) -> None:
    curve = of_k(trials)
    assert (curve[0].k, curve[-1].k) == (1, min(map(len, trials.values())))
    at_least_one = [each.at_least_one.value for each in curve]
    every = [each.all.value for each in curve]
    assert at_least_one[0] == pytest.approx(every[0]) == pytest.approx(share(trials).value)
    assert at_least_one == pytest.approx(sorted(at_least_one))
    assert every == pytest.approx(sorted(every, reverse=True))
    assert at_least_one[-1] == pytest.approx(mean_pass_at(curve[-1].k, trials))

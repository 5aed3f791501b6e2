"""What trials say of an agent: pass@k, pass^k, how sure the share of passed tests is, and whether two agents differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import comb, sqrt
from statistics import fmean
from typing import NamedTuple

Z = 1.96
"""Standard deviations to either side that hold 95 % of a normal distribution."""

Passed = Mapping[str, Sequence[bool]]
"""Whether the trials of each test passed."""


class Share(NamedTuple):
    """A share from 0 to 1, and between what it is with 95 % confidence."""

    value: float
    low: float
    high: float


class Comparison(NamedTuple):
    """How often the tests that two agents both tried went better or worse with the second.

    `p` is how likely such a difference would be by chance, were there none (an exact sign test over tests).
    """

    difference: float
    better: list[str]
    worse: list[str]
    p: float


def pass_at(k: int, tried: int, passed: int) -> float:
    """How likely at least one of k trials passes, estimated without bias from those that were made."""
    return 1 - comb(tried - passed, k) / comb(tried, k)


def pass_all(k: int, tried: int, passed: int) -> float:
    """How likely all of k trials pass (pass^k), estimated without bias from those that were made."""
    return comb(passed, k) / comb(tried, k)


def mean_pass_at(k: int, trials: Passed) -> float:
    """pass@k over all tests."""
    return fmean(pass_at(k, len(of_test), sum(of_test)) for of_test in trials.values())


def mean_pass_all(k: int, trials: Passed) -> float:
    """pass^k over all tests."""
    return fmean(pass_all(k, len(of_test), sum(of_test)) for of_test in trials.values())


def share(trials: Passed) -> Share:
    """The mean over tests of how often each passed, with Wilson's interval.

    Trials of one test are alike, so that tests are counted and not trials: repeating them makes nobody surer of others.
    """
    rates = [fmean(of_test) for of_test in trials.values()]
    return wilson(fmean(rates), len(rates))


def wilson(value: float, count: int) -> Share:
    """Wilson's interval of a share that was seen in so many cases."""
    middle = value + Z * Z / (2 * count)
    wide = Z * sqrt(value * (1 - value) / count + Z * Z / (4 * count * count))
    whole = 1 + Z * Z / count
    return Share(value, max(0.0, (middle - wide) / whole), min(1.0, (middle + wide) / whole))


def compare(before: Passed, after: Passed) -> Comparison:
    """Compare two agents, or two versions of one, over the tests that both tried."""
    both = [test for test in before if test in after]
    changes = {test: fmean(after[test]) - fmean(before[test]) for test in both}
    better = [test for test in both if changes[test] > 0]
    worse = [test for test in both if changes[test] < 0]
    return Comparison(fmean(changes.values()) if both else 0.0, better, worse, sign_test(len(better), len(worse)))


def sign_test(better: int, worse: int) -> float:
    """How likely heads and tails of a fair coin differ by as much or more."""
    count = better + worse
    tail = sum(comb(count, each) for each in range(min(better, worse) + 1))
    return min(1.0, 2 * tail / 2**count)

"""What trials say of an agent: pass@k, pass^k, how sure the share of passed tests is, and whether two agents differ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
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

    The difference lies between `low` and `high` with 95 % confidence. `p` is how likely such a difference would be by
    chance, were there none (an exact sign test over tests).
    """

    difference: float
    better: list[str]
    worse: list[str]
    p: float
    low: float
    high: float


class PassAtK(NamedTuple):
    """What is to be expected of k trials of each test: that at least one of them passes, and that all do."""

    k: int
    at_least_one: Share
    all: Share


K_SHOWN = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 20, 50, 100, 200, 500, 1000)
"""Numbers of trials that a curve has points at, besides its last."""


def pass_at(k: int, tried: int, passed: int) -> float:
    """How likely at least one of k trials passes, estimated without bias from those that were made."""
    return 1 - comb(tried - passed, k) / comb(tried, k)


def pass_all(k: int, tried: int, passed: int) -> float:
    """How likely all of k trials pass (pass^k), estimated without bias from those that were made."""
    return comb(passed, k) / comb(tried, k)


def mean_pass_at(k: int, trials: Passed) -> float:
    """pass@k over all tests."""
    return _mean(pass_at, k, _alike(trials))


def mean_pass_all(k: int, trials: Passed) -> float:
    """pass^k over all tests."""
    return _mean(pass_all, k, _alike(trials))


def of_k(trials: Passed) -> list[PassAtK]:
    """pass@k and pass^k with Wilson's intervals over tests, for k up to how often every test was tried.

    A mean of numbers from 0 to 1 varies no more than a share of that size, so that the intervals are wide enough.
    """
    alike, most = _alike(trials), min(map(len, trials.values()), default=0)
    counts = sorted({*(k for k in K_SHOWN if k < most), most} - {0})
    return [
        PassAtK(k, wilson(_mean(pass_at, k, alike), len(trials)), wilson(_mean(pass_all, k, alike), len(trials)))
        for k in counts
    ]


def _alike(trials: Passed) -> Counter[tuple[int, int]]:
    """How many tests were tried and passed so and so often."""
    return Counter((len(of_test), sum(of_test)) for of_test in trials.values())


def _mean(estimate: Callable[[int, int, int], float], k: int, alike: Counter[tuple[int, int]]) -> float:
    return sum(count * estimate(k, tried, passed) for (tried, passed), count in alike.items()) / alike.total()


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
    difference = fmean(changes.values()) if both else 0.0
    low, high = _between([*changes.values()])
    return Comparison(difference, better, worse, sign_test(len(better), len(worse)), low, high)


def _between(changes: Sequence[float]) -> tuple[float, float]:
    """Between what a mean difference lies: Bonett and Price's interval for pairs, with one more of either kind.

    D. G. Bonett, R. M. Price, "Adjusted Wald confidence interval for a difference of binomial proportions based on
    paired data", Journal of Educational and Behavioral Statistics 37 (2012).
    """
    count = len(changes) + 2
    middle = sum(changes) / count
    variance = (sum(change * change for change in changes) + 2) / count - middle * middle
    wide = Z * sqrt(variance / count)
    return max(-1.0, middle - wide), min(1.0, middle + wide)


def sign_test(better: int, worse: int) -> float:
    """How likely heads and tails of a fair coin differ by as much or more."""
    count = better + worse
    tail = sum(comb(count, each) for each in range(min(better, worse) + 1))
    return min(1.0, 2 * tail / 2**count)

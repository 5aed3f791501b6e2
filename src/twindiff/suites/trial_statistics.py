"""Statistics of trials: pass@k, pass^k, confidence intervals of pass rates, and comparison of two agents."""

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
    """A share from 0 to 1, with the bounds of its 95 % confidence interval."""

    value: float
    low: float
    high: float


class Comparison(NamedTuple):
    """The tests that two agents both tried and that went better or worse with the second.

    `low` and `high` bound the 95 % confidence interval of the difference. `p` is the probability of such a difference
    by chance (an exact sign test over tests).
    """

    difference: float
    better: list[str]
    worse: list[str]
    p: float
    low: float
    high: float


class PassAtK(NamedTuple):
    """The expected results of k trials of each test: that at least one passes, and that all do."""

    k: int
    at_least_one: Share
    all: Share


K_SHOWN = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 20, 50, 100, 200, 500, 1000)
"""Values of k at which a curve has points, besides its last."""


def pass_at(k: int, tried: int, passed: int) -> float:
    """Return the probability that at least one of k trials passes, an unbiased estimate from those made."""
    return 1 - comb(tried - passed, k) / comb(tried, k)


def pass_all(k: int, tried: int, passed: int) -> float:
    """Return the probability that all of k trials pass (pass^k), an unbiased estimate."""
    return comb(passed, k) / comb(tried, k)


def mean_pass_at(k: int, trials: Passed) -> float:
    """Return pass@k over all tests."""
    return _mean(pass_at, k, _alike(trials))


def mean_pass_all(k: int, trials: Passed) -> float:
    """Return pass^k over all tests."""
    return _mean(pass_all, k, _alike(trials))


def of_k(trials: Passed) -> list[PassAtK]:
    """Return pass@k and pass^k with Wilson intervals over tests, for k up to the trials that every test has.

    A mean of numbers from 0 to 1 varies no more than a share of that size, so the intervals are wide enough.
    """
    alike, most = _alike(trials), min(map(len, trials.values()), default=0)
    counts = sorted({*(k for k in K_SHOWN if k < most), most} - {0})
    return [
        PassAtK(k, wilson(_mean(pass_at, k, alike), len(trials)), wilson(_mean(pass_all, k, alike), len(trials)))
        for k in counts
    ]


def _alike(trials: Passed) -> Counter[tuple[int, int]]:
    """Count the tests by numbers of trials and of passed trials."""
    return Counter((len(of_test), sum(of_test)) for of_test in trials.values())


def _mean(estimate: Callable[[int, int, int], float], k: int, alike: Counter[tuple[int, int]]) -> float:
    return sum(count * estimate(k, tried, passed) for (tried, passed), count in alike.items()) / alike.total()


def share(trials: Passed) -> Share:
    """Return the mean pass rate over tests, with its Wilson interval.

    Trials of one test are alike, so the interval counts tests, not trials: repeating trials does not narrow it.
    """
    rates = [fmean(of_test) for of_test in trials.values()]
    return wilson(fmean(rates), len(rates))


def wilson(value: float, count: int) -> Share:
    """Return the Wilson interval of a share observed in `count` cases."""
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
    """Return bounds of a mean difference: Bonett and Price's interval for pairs, with one more of either kind.

    D. G. Bonett, R. M. Price, "Adjusted Wald confidence interval for a difference of binomial proportions based on
    paired data", Journal of Educational and Behavioral Statistics 37 (2012).
    """
    count = len(changes) + 2
    middle = sum(changes) / count
    variance = (sum(change * change for change in changes) + 2) / count - middle * middle
    wide = Z * sqrt(variance / count)
    return max(-1.0, middle - wide), min(1.0, middle + wide)


def sign_test(better: int, worse: int) -> float:
    """Return the probability that heads and tails of a fair coin differ at least this much."""
    count = better + worse
    tail = sum(comb(count, each) for each in range(min(better, worse) + 1))
    return min(1.0, 2 * tail / 2**count)

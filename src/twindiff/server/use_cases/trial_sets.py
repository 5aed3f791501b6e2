"""Trial sets: create and fill them, and compute the statistics of one or of two."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean
from typing import NamedTuple

from twindiff.catalog import TrialSetRecord
from twindiff.kit.errors import ApiError
from twindiff.server.service import Service
from twindiff.suites import trial_statistics
from twindiff.suites.suites import SuiteNotFound
from twindiff.suites.trial_sets import TrialFigures, TrialItem
from twindiff.suites.trial_statistics import Comparison, PassAtK, Passed, Share

MANY_TRIALS = 500
"""Number of trials from which statistics are computed off the event loop."""
ByTest = dict[str, list[TrialFigures]]


class UnknownSuite(ApiError):
    """test suite not found"""

    code = "test_suite_not_found"


class TestFigures(NamedTuple):
    """The results of a test's trials; `score` is their mean in percent, `seconds` their mean duration."""

    __test__ = False

    trials: list[TrialFigures]
    share: Share
    score: float
    seconds: float

    @property
    def passed(self) -> int:
        return sum(trial.passed for trial in self.trials)

    @property
    def failed(self) -> TrialFigures | None:
        """The first trial that failed."""
        return next((trial for trial in self.trials if not trial.passed), None)


class TrialSetFigures(NamedTuple):
    """The statistics of a trial set; `share` is that of passed tests, None before the first trial."""

    record: TrialSetRecord
    share: Share | None
    of_k: list[PassAtK]
    tests: list[TestFigures]


class TestChange(NamedTuple):
    """The pass rate of a test, from 0 to 1, in either of two sets."""

    __test__ = False

    test_id: str
    test: str
    before: float
    after: float


class TrialSetPair(NamedTuple):
    """The comparison of two sets in the tests that both tried."""

    before: TrialSetRecord
    after: TrialSetRecord
    comparison: Comparison
    tests: list[TestChange]


def create_trial_set(
    service: Service, suite_id: str, agent: str, planned: int, items: Sequence[TrialItem] = ()
) -> TrialSetRecord:
    """Create a set, with trials or empty; stores nothing if a trial is invalid. Raises UnknownSuite."""
    try:
        suite = service.suites.get(suite_id)
    except SuiteNotFound:
        raise UnknownSuite(f"test suite not found: '{suite_id}'") from None
    with service.engine.transaction():
        made = service.trial_sets.create(suite, agent, planned)
        return add_trials(service, made.trial_set_id, items)


def add_trials(service: Service, trial_set_id: str, items: Sequence[TrialItem]) -> TrialSetRecord:
    """Add trials, all or none, with copies of their runs' verdicts."""
    kept = service.trial_sets.get(trial_set_id)
    known = [
        (each, service.suites.test(each.test_id), service.runs.get(each.run_id) if each.run_id else None)
        for each in items
    ]
    return service.trial_sets.add(kept.trial_set_id, known)


async def trial_set_figures(service: Service, trial_set_id: str) -> TrialSetFigures:
    """Compute the share of passed tests with its confidence interval, pass@k, pass^k, and each test's results."""
    record = service.trial_sets.get(trial_set_id)
    outcomes = await service.runtime.collect(service.trial_sets.parts(record.trial_set_id))
    if len(outcomes) < MANY_TRIALS:
        return _figures(record, outcomes)
    return await service.runtime.run_in_thread(lambda: _figures(record, outcomes))


def _figures(record: TrialSetRecord, outcomes: list[TrialFigures]) -> TrialSetFigures:
    by_test = _by_test(outcomes)
    passed = _passed_by_test(by_test)
    share = trial_statistics.share(passed) if passed else None
    return TrialSetFigures(record, share, trial_statistics.of_k(passed), [_test(each) for each in by_test.values()])


def _test(trials: list[TrialFigures]) -> TestFigures:
    return TestFigures(
        trials,
        trial_statistics.wilson(_rate(trials), len(trials)),
        fmean(trial.percent for trial in trials),
        fmean(trial.seconds for trial in trials),
    )


async def compare_trial_sets(service: Service, before_id: str, after_id: str) -> TrialSetPair:
    """Compare two sets test by test."""
    before, after = service.trial_sets.get(before_id), service.trial_sets.get(after_id)
    of_before = await service.runtime.collect(service.trial_sets.parts(before.trial_set_id))
    of_after = await service.runtime.collect(service.trial_sets.parts(after.trial_set_id))
    return await service.runtime.run_in_thread(
        lambda: _compare_sets(before, after, _by_test(of_before), _by_test(of_after))
    )


def _compare_sets(before: TrialSetRecord, after: TrialSetRecord, of_before: ByTest, of_after: ByTest) -> TrialSetPair:
    tests = [
        TestChange(test_id, trials[0].test, _rate(trials), _rate(of_after[test_id]))
        for test_id, trials in of_before.items()
        if test_id in of_after
    ]
    comparison = trial_statistics.compare(_passed_by_test(of_before), _passed_by_test(of_after))
    return TrialSetPair(before, after, comparison, tests)


async def delete_trial_set(service: Service, trial_set_id: str) -> str:
    """Delete a set and return its id; its runs and their results stay."""
    record = service.trial_sets.get(trial_set_id)
    for _ in service.trial_sets.remove(record.trial_set_id):
        await service.runtime.yield_to_loop()
    return record.trial_set_id


def _by_test(outcomes: list[TrialFigures]) -> ByTest:
    by_test: ByTest = {}
    for each in outcomes:
        by_test.setdefault(each.test_id, []).append(each)
    return by_test


def _passed_by_test(by_test: ByTest) -> Passed:
    return {test_id: [trial.passed for trial in trials] for test_id, trials in by_test.items()}


def _rate(trials: list[TrialFigures]) -> float:
    return fmean(trial.passed for trial in trials)

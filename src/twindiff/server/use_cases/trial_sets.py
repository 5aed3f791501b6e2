"""Trial sets: create and fill them, and compute the statistics of one or of two."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import NamedTuple

import msgspec

from twindiff.catalog import TrialSetRecord
from twindiff.checks import no_op_score
from twindiff.kit.errors import ApiError
from twindiff.server.service import Service
from twindiff.suites import trial_statistics
from twindiff.suites.suites import SuiteNotFound
from twindiff.suites.trial_sets import AgentDescription, Given, TrialFigures, TrialItem
from twindiff.suites.trial_statistics import Comparison, PassAtK, Passed, Share

MANY_TRIALS = 500
"""Number of trials from which statistics are computed off the event loop."""
ByTest = dict[str, list[TrialFigures]]


class UnknownSuite(ApiError):
    """test suite not found"""

    code = "test_suite_not_found"


class TestFigures(NamedTuple):
    """The results of a test's trials; `seconds` is their mean duration.

    `share` and `score`, the mean in percent, are of the trials that count, None if none does. `no_op` is the score of
    an agent that does nothing, None if that is unknown.
    """

    __test__ = False

    trials: list[TrialFigures]
    share: Share | None
    score: float | None
    seconds: float
    no_op: float | None

    @property
    def passed(self) -> int:
        return sum(trial.passed for trial in self.trials)

    @property
    def errors(self) -> int:
        return sum(trial.status == "error" for trial in self.trials)

    @property
    def failed(self) -> TrialFigures | None:
        """The first trial that failed, or else the first that does not count."""
        return next((trial for trial in sorted(self.trials, key=_by_status) if not trial.passed), None)


def _by_status(trial: TrialFigures) -> bool:
    return trial.status == "error"


class TrialSetFigures(NamedTuple):
    """The statistics of a trial set; `share` is that of passed tests, None before the first trial that counts.

    `uncounted` is the number of tests without a trial that counts.
    """

    record: TrialSetRecord
    share: Share | None
    of_k: list[PassAtK]
    tests: list[TestFigures]

    @property
    def uncounted(self) -> int:
        return sum(test.share is None for test in self.tests)


class TestChange(NamedTuple):
    """The pass rate of a test, from 0 to 1, in either of two sets."""

    __test__ = False

    test_id: str
    test: str
    before: float
    after: float


class TrialSetPair(NamedTuple):
    """The comparison of two sets in the tests that both tried.

    `left_out` are the names of tests of which one set has no trial that counts.
    """

    before: TrialSetRecord
    after: TrialSetRecord
    comparison: Comparison
    tests: list[TestChange]
    left_out: list[str]


def create_trial_set(
    service: Service,
    suite_id: str,
    agent: str,
    planned: int,
    items: Sequence[TrialItem] = (),
    described: AgentDescription | None = None,
) -> TrialSetRecord:
    """Create a set, with trials or empty; stores nothing if a trial is invalid. Raises UnknownSuite."""
    try:
        suite = service.suites.get(suite_id)
    except SuiteNotFound:
        raise UnknownSuite(f"test suite not found: '{suite_id}'") from None
    with service.engine.transaction():
        made = service.trial_sets.create(suite, agent, planned, described)
        return add_trials(service, made.trial_set_id, items)


def add_trials(service: Service, trial_set_id: str, items: Sequence[TrialItem]) -> TrialSetRecord:
    """Add trials, all or none, with copies of their runs' verdicts."""
    kept = service.trial_sets.get(trial_set_id)
    return service.trial_sets.add(kept.trial_set_id, [_find_given(service, each) for each in items])


def _find_given(service: Service, item: TrialItem) -> Given:
    test = service.suites.test(item.test_id)
    if not item.run_id:
        return Given(item, test, None)
    run = service.runs.get(item.run_id)
    return Given(item, test, run, service.calls.log.list_refused(run.environment_id, after=run.start_call or 0))


async def trial_set_figures(service: Service, trial_set_id: str) -> TrialSetFigures:
    """Compute the share of passed tests with its confidence interval, pass@k, pass^k, and each test's results."""
    record = service.trial_sets.get(trial_set_id)
    outcomes = await service.runtime.collect(service.trial_sets.parts(record.trial_set_id))
    specs = {each.test_id: each.spec for each in service.suites.tests(record.suite_id)}
    if len(outcomes) < MANY_TRIALS:
        return _figures(record, outcomes, specs)
    return await service.runtime.run_in_thread(lambda: _figures(record, outcomes, specs))


def _figures(record: TrialSetRecord, outcomes: list[TrialFigures], specs: Mapping[str, str]) -> TrialSetFigures:
    by_test = _by_test(outcomes)
    passed = _passed_by_test(by_test)
    share = trial_statistics.share(passed) if passed else None
    tests = [_test(each, specs.get(test_id)) for test_id, each in by_test.items()]
    return TrialSetFigures(record, share, trial_statistics.of_k(passed), tests)


def _test(trials: list[TrialFigures], spec: str | None) -> TestFigures:
    counted = [trial for trial in trials if trial.status != "error"]
    return TestFigures(
        trials,
        trial_statistics.wilson(_rate(counted), len(counted)) if counted else None,
        fmean(trial.percent for trial in counted) if counted else None,
        fmean(trial.seconds for trial in trials),
        no_op_score(msgspec.json.decode(spec)) if spec else None,
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
    one, other = _passed_by_test(of_before), _passed_by_test(of_after)
    tests = [
        TestChange(test_id, of_before[test_id][0].test, fmean(passed), fmean(other[test_id]))
        for test_id, passed in one.items()
        if test_id in other
    ]
    comparison = trial_statistics.compare(one, other)
    names = {test_id: trials[0].test for each in (of_before, of_after) for test_id, trials in each.items()}
    left_out = [name for test_id, name in names.items() if test_id not in one or test_id not in other]
    return TrialSetPair(before, after, comparison, tests, left_out)


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
    """Return whether the trials that count passed, by test; a test without such trials is left out."""
    counted = {test_id: [each for each in trials if each.status != "error"] for test_id, trials in by_test.items()}
    return {test_id: [trial.passed for trial in trials] for test_id, trials in counted.items() if trials}


def _rate(trials: list[TrialFigures]) -> float:
    return fmean(trial.passed for trial in trials)

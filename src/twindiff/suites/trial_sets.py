"""Trial sets in the catalog: the results of an agent's trials of a suite, in the order of its tests."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, NamedTuple
from uuid import UUID

import msgspec

from twindiff.catalog import RunRecord, SuiteRecord, TestRecord, TrialRecord, TrialSetRecord
from twindiff.catalog.stamps import new_uuid, stamp
from twindiff.environments.stored_results import unpack_json
from twindiff.kit.errors import ApiError
from twindiff.kit.rows import any_of
from twindiff.storage import CatalogStore, StorageEngine

AT_ONCE = 500
"""Trials read or removed at a time."""
MAX_REASON_CHARACTERS = 2_000
"""Characters of a reason that are stored."""


class TrialSetNotFound(ApiError):
    """There is no such trial set."""

    status = 404


class TestOfAnotherSuite(ApiError):
    """A trial is of a test that the trial set's suite does not have."""

    __test__ = False


class RunOfAnotherTest(ApiError):
    """A trial names a run that was not started for its test."""


class RunNotJudged(ApiError):
    """A trial names a run that has no verdict, and no error that says why."""


class TrialItem(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    """A finished trial; `number` counts those of its test from 1.

    Its verdict is that of its run. A trial with an `error`, or without a run, has failed whatever its run's verdict.
    """

    test_id: str
    number: Annotated[int, msgspec.Meta(ge=1, le=100_000)]
    run_id: str = ""
    error: str = ""
    seconds: Annotated[float, msgspec.Meta(ge=0, le=1e7)] = 0.0
    is_kept: bool = False


Given = tuple[TrialItem, TestRecord, RunRecord | None]
"""A trial, its test and its run."""


class TrialSetStore:
    """The trial sets of a catalog."""

    def __init__(self, engine: StorageEngine, catalog: CatalogStore) -> None:
        self._engine = engine
        self._catalog = catalog

    def create(self, suite: SuiteRecord, agent: str, planned: int) -> TrialSetRecord:
        """Create an empty set."""
        now = stamp()
        return self._catalog.add(
            TrialSetRecord(
                trial_set_id=new_uuid(),
                suite_id=suite.suite_id,
                suite=suite.name,
                agent=agent,
                created=now.micros,
                created_at=now.iso,
                updated_at=now.iso,
                planned=planned,
            )
        )

    def get(self, trial_set_id: str) -> TrialSetRecord:
        """Return a set by its id; raises TrialSetNotFound."""
        try:
            key = str(UUID(trial_set_id))
        except ValueError:
            raise TrialSetNotFound(f"trial set not found: '{trial_set_id}'") from None
        trial_set = self._catalog.find(TrialSetRecord, TrialSetRecord.trial_set_id == key)
        if trial_set is None:
            raise TrialSetNotFound(f"trial set not found: '{trial_set_id}'")
        return trial_set

    def list(self, *, limit: int, suite_id: str = "") -> list[TrialSetRecord]:
        """Return sets, newest first."""
        where = (TrialSetRecord.suite_id == suite_id,) if suite_id else ()
        return self._catalog.rows(TrialSetRecord, *where, order=-TrialSetRecord.created, limit=limit)

    def add(self, trial_set_id: str, items: Sequence[Given]) -> TrialSetRecord:
        """Add trials, all or none, and return the updated set; trials with existing numbers stay unchanged."""
        with self._engine.transaction():
            kept = self.get(trial_set_id)
            for item, test, run in items:
                kept = self._add(kept, _record(kept, item, test, run))
            return kept

    def _add(self, kept: TrialSetRecord, trial: TrialRecord) -> TrialSetRecord:
        of_test = (TrialRecord.trial_set_id == kept.trial_set_id, TrialRecord.test_id == trial.test_id)
        if self._catalog.find(TrialRecord, *of_test, TrialRecord.number == trial.number):
            return kept
        is_first = self._catalog.find(TrialRecord, *of_test) is None
        self._catalog.add(trial)
        trials = kept.trials + 1
        return self._catalog.change(
            kept,
            updated_at=trial.created_at,
            tests=kept.tests + is_first,
            trials=trials,
            passed=kept.passed + trial.passed,
            planned=max(kept.planned, trials) if kept.planned else 0,
        )

    def trials(
        self, trial_set_id: str, *, test_id: str = "", passed: bool | None = None, limit: int, offset: int = 0
    ) -> list[TrialRecord]:
        """Return trials in the order of their tests, then by number."""
        where = [TrialRecord.trial_set_id == trial_set_id]
        where += [TrialRecord.test_id == test_id] if test_id else []
        where += [TrialRecord.passed == passed] if passed is not None else []
        order = (TrialRecord.trial_set_id, TrialRecord.position, TrialRecord.number)
        return self._catalog.rows(TrialRecord, *where, order=order, limit=limit, offset=offset)

    def parts(self, trial_set_id: str) -> Iterator[list[TrialFigures]]:
        """Yield the figures of all trials, in the same order, in parts."""
        order = (TrialRecord.trial_set_id, TrialRecord.position, TrialRecord.number)
        mine = TrialRecord.trial_set_id == trial_set_id
        position, number = -1, -1
        while True:
            after = (
                TrialRecord.position >= position,
                any_of(TrialRecord.position > position, TrialRecord.number > number),
            )
            trials = self._catalog.rows(TrialRecord, mine, *after, order=order, limit=AT_ONCE, columns=OUTCOME)
            yield [TrialFigures(*each) for each in trials]
            if len(trials) < AT_ONCE:
                return
            position, number, *_ = trials[-1]

    def remove(self, trial_set_id: str) -> Iterator[None]:
        """Delete a set in parts, the set itself first; its runs stay."""
        kept = self.get(trial_set_id)
        self._catalog.remove(kept)
        yield
        self._catalog.remove_all(TrialRecord, TrialRecord.trial_set_id == kept.trial_set_id)


class TrialFigures(NamedTuple):
    """The fields of a trial that statistics use."""

    position: int
    number: int
    test_id: str
    test: str
    passed: bool
    percent: float
    seconds: float
    reason: str
    run_id: str
    environment_id: str
    is_kept: bool


OUTCOME = tuple(getattr(TrialRecord, name) for name in TrialFigures._fields)


class _Judged(msgspec.Struct):
    """The fields of a verdict that are read."""

    score: dict[str, float]
    failures: list[str]
    explanations: list[dict[str, object]]

    @property
    def reason(self) -> str:
        said = [*(str(why.get("text", "")) for why in self.explanations), *self.failures]
        return next(iter(said), "")


def _record(kept: TrialSetRecord, item: TrialItem, test: TestRecord, run: RunRecord | None) -> TrialRecord:
    """Return the record of a trial; raises TestOfAnotherSuite, RunOfAnotherTest, RunNotJudged."""
    if test.suite_id != kept.suite_id:
        raise TestOfAnotherSuite(f"test '{test.test_id}' is not of the suite '{kept.suite}'")
    if run and run.test_id != test.test_id:
        raise RunOfAnotherTest(f"run '{run.run_id}' was not started for the test '{test.test_id}'")
    verdict = run.verdict if run and not item.error else None
    if verdict is None and not item.error:
        which = f"run '{run.run_id}' has not been judged; evaluateRun does that" if run else "no run is named"
        raise RunNotJudged(f"{which}: say in `error` why there is no verdict")
    judged = msgspec.json.decode(unpack_json(verdict), type=_Judged) if verdict else None
    passed = bool(run and judged and run.status == "passed")
    reason = judged.reason if judged and not passed else item.error
    return TrialRecord(
        trial_set_id=kept.trial_set_id,
        test_id=test.test_id,
        number=item.number,
        position=test.created,
        test=test.name,
        passed=passed,
        reason=_cut(reason),
        percent=judged.score["percent"] if judged else 0.0,
        seconds=round(item.seconds, 3),
        created_at=stamp().iso,
        environment_id=run.environment_id if run else "",
        run_id=run.run_id if run else "",
        is_kept=item.is_kept,
        verdict=verdict,
    )


def _cut(reason: str) -> str:
    return reason if len(reason) <= MAX_REASON_CHARACTERS else f"{reason[:MAX_REASON_CHARACTERS]}…"

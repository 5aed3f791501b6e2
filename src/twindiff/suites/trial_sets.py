"""Trial sets in the catalog: the results of an agent's trials of a suite, in the order of its tests."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Literal, NamedTuple
from uuid import UUID

import msgspec

from twindiff.catalog import RunRecord, SuiteRecord, TestRecord, TrialRecord, TrialSetRecord
from twindiff.catalog.stamps import new_uuid, stamp
from twindiff.environments.stored_results import pack_json, unpack_json
from twindiff.kit.errors import ApiError
from twindiff.kit.rows import Expression, any_of, not_
from twindiff.storage import CatalogStore, StorageEngine

AT_ONCE = 500
"""Trials read or removed at a time."""
MAX_REASON_CHARACTERS = 2_000
"""Characters of a reason that are stored."""


MAX_MESSAGES = 1_000
"""Entries of a trial's log."""
OVERREACH = "The agent asked the control plane, with its token"
Tokens = Annotated[int, msgspec.Meta(ge=0, le=10**12)]
ShortText = Annotated[str, msgspec.Meta(max_length=500)]


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

    Its verdict is that of its run. A trial with an `error`, or without a run, has neither passed nor failed: it does
    not count, whatever its run's verdict. `cost` is in US dollars; `messages` are what the agent logged.
    """

    test_id: str
    number: Annotated[int, msgspec.Meta(ge=1, le=100_000)]
    run_id: str = ""
    error: str = ""
    seconds: Annotated[float, msgspec.Meta(ge=0, le=1e7)] = 0.0
    is_kept: bool = False
    input_tokens: Tokens | None = None
    output_tokens: Tokens | None = None
    cost: Annotated[float, msgspec.Meta(ge=0, le=1e9)] | None = None
    messages: Annotated[list[dict[str, Any]], msgspec.Meta(max_length=MAX_MESSAGES)] | None = None


class AgentDescription(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    """What tells the trial sets of an agent apart; `revision` is that of its code."""

    label: ShortText = ""
    model: ShortText = ""
    parameters: dict[str, str | int | float | bool] = {}
    revision: ShortText = ""


Ended = Literal["passed", "failed", "error"]
"""How a trial ended; `error` is one that does not count."""


def status_of(trial: TrialRecord) -> Ended:
    """Return how a trial ended."""
    return "error" if trial.error else "passed" if trial.passed else "failed"


def _ending_so(ended: Ended) -> list[Expression]:
    if ended == "error":
        return [not_(TrialRecord.error.is_null())]
    return [TrialRecord.passed == (ended == "passed"), TrialRecord.error.is_null()]


def _sum(total: Any, more: Any) -> Any:
    """Add two numbers of which either may be unknown."""
    return total if more is None else more if total is None else total + more


class Given(NamedTuple):
    """A trial, its test and its run; `refused` are the agent's requests to the control plane."""

    item: TrialItem
    test: TestRecord
    run: RunRecord | None
    refused: Sequence[str] = ()


class TrialSetStore:
    """The trial sets of a catalog."""

    def __init__(self, engine: StorageEngine, catalog: CatalogStore) -> None:
        self._engine = engine
        self._catalog = catalog

    def create(
        self, suite: SuiteRecord, agent: str, planned: int, described: AgentDescription | None = None
    ) -> TrialSetRecord:
        """Create an empty set."""
        described = described or AgentDescription()
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
                label=described.label or None,
                model=described.model or None,
                parameters=described.parameters or None,
                revision=described.revision or None,
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
            for each in items:
                kept = self._add(kept, _record(kept, each))
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
            errors=(kept.errors or 0) + bool(trial.error),
            input_tokens=_sum(kept.input_tokens, trial.input_tokens),
            output_tokens=_sum(kept.output_tokens, trial.output_tokens),
            cost=_sum(kept.cost, trial.cost),
            seconds=round((kept.seconds or 0.0) + trial.seconds, 3),
            planned=max(kept.planned, trials) if kept.planned else 0,
        )

    def trials(
        self, trial_set_id: str, *, test_id: str = "", ended: Ended | None = None, limit: int, offset: int = 0
    ) -> list[TrialRecord]:
        """Return trials in the order of their tests, then by number; with `ended`, those that ended so."""
        where = [TrialRecord.trial_set_id == trial_set_id]
        where += [TrialRecord.test_id == test_id] if test_id else []
        where += _ending_so(ended) if ended else []
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
    error: str | None

    @property
    def status(self) -> Ended:
        return "error" if self.error else "passed" if self.passed else "failed"


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


def _record(kept: TrialSetRecord, given: Given) -> TrialRecord:
    """Return the record of a trial; raises TestOfAnotherSuite, RunOfAnotherTest, RunNotJudged."""
    item, test, run, refused = given
    if test.suite_id != kept.suite_id:
        raise TestOfAnotherSuite(f"test '{test.test_id}' is not of the suite '{kept.suite}'")
    if run and run.test_id != test.test_id:
        raise RunOfAnotherTest(f"run '{run.run_id}' was not started for the test '{test.test_id}'")
    verdict = run.verdict if run else None
    if verdict is None and not item.error:
        which = f"run '{run.run_id}' has not been judged; evaluateRun does that" if run else "no run is named"
        raise RunNotJudged(f"{which}: say in `error` why there is no verdict")
    judged = msgspec.json.decode(unpack_json(verdict), type=_Judged) if verdict else None
    overreach = f"{OVERREACH}: {', '.join(refused)}" if refused else ""
    passed = bool(run and judged and run.status == "passed" and not item.error and not overreach)
    reason = item.error or overreach or (judged.reason if judged and not passed else "")
    return TrialRecord(
        trial_set_id=kept.trial_set_id,
        test_id=test.test_id,
        number=item.number,
        position=test.created,
        test=test.name,
        passed=passed,
        reason=_cut(reason),
        percent=judged.score["percent"] if judged and not overreach else 0.0,
        seconds=round(item.seconds, 3),
        created_at=stamp().iso,
        environment_id=run.environment_id if run else "",
        run_id=run.run_id if run else "",
        is_kept=item.is_kept,
        verdict=verdict,
        error=_cut(item.error) or None,
        input_tokens=item.input_tokens,
        output_tokens=item.output_tokens,
        cost=item.cost,
        messages=pack_json(msgspec.json.encode(item.messages)) if item.messages else None,
    )


def _cut(reason: str) -> str:
    return reason if len(reason) <= MAX_REASON_CHARACTERS else f"{reason[:MAX_REASON_CHARACTERS]}…"

"""Runs: start one, compute its diff, evaluate it."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from math import inf
from typing import Any, NamedTuple, cast

import msgspec

from twindiff import changes
from twindiff.catalog import CallRecord, RunRecord
from twindiff.checks import (
    CheckSpec,
    JudgingStopped,
    JudgingTime,
    KnownTables,
    RunHistory,
    SpecError,
    Verdict,
    evaluate,
    is_long,
    judging_within,
    known_to,
    parse,
)
from twindiff.environments.registry import Registry
from twindiff.environments.runs import RunInterval, RunStart
from twindiff.environments.stored_results import pack_json
from twindiff.kit.errors import ApiError
from twindiff.server.bodies import ClientGone
from twindiff.server.client_presence import when_client_leaves
from twindiff.server.service import Service
from twindiff.server.use_cases.history import history

MAX_JUDGING_SECONDS = 60.0
"""CPU seconds of one evaluation."""
MANY_ASSERTIONS = 100
"""Number of assertions above which evaluation leaves the event loop, even for a small diff."""

_encoded = msgspec.json.Encoder().encode


class NothingToCompare(ApiError):
    """provide exactly one of runId or (envId and beforeSuffix)"""


class NoTestDefined(ApiError):
    """No test is associated with this run, and no expectedOutput was given."""


class InvalidSpec(ApiError):
    """The checks cannot be read."""


class EvaluationTooLong(ApiError):
    """Judging the run takes longer than one evaluation may."""


class RunWithDiff(NamedTuple):
    """A run, the interval that it covers, and its diff as JSON."""

    run: RunRecord
    interval: RunInterval
    text: bytes


async def start_run(
    service: Service,
    env_id: str,
    test_id: str | None = None,
    suite_id: str | None = None,
    once: bool | None = None,
    *,
    from_start: bool = False,
) -> RunRecord:
    """Start a run now, or in retrospect in the initial state; raises what Suites.test, Suites.get and
    Environments.get raise.
    """
    if test_id:
        test_id = service.suites.test(test_id).test_id
    if suite_id:
        suite_id = service.suites.get(suite_id).suite_id
    environment = service.environments.get(env_id)
    await service.loader.run_due_work(environment.id)
    start = RunStart(0, 0) if from_start else RunStart(None, service.calls.log.last(environment.id))
    return service.runs.start(environment.id, test_id=test_id, suite_id=suite_id, once=once, start=start)


def find_run(service: Service, run_id: str | None, env_id: str | None, before: str | None) -> RunRecord:
    """Find a run by its id, or by the snapshot of an environment that it started with; raises NothingToCompare."""
    if bool(run_id) == bool(env_id and before):
        raise NothingToCompare
    return service.runs.get(run_id) if run_id else service.runs.since_snapshot(env_id or "", before or "")


async def diff_run(
    service: Service, run: RunRecord, include: changes.Include = "plain", rows: changes.Rows = "full"
) -> RunWithDiff:
    """Compute the diff of a run so far, and store it as the run's result."""
    await service.loader.run_due_work(run.environment_id)
    end_call = service.calls.log.last(run.environment_id)
    interval = await service.runtime.run_steps(service.runs.net_interval(run))

    def compose() -> tuple[bytes, str]:
        text = _encoded(_diff(service.registry, interval, include, rows))
        return text, pack_json(text)

    text, diff = await service.runtime.compose(interval.records, compose)
    return RunWithDiff(service.runs.keep_diff(interval, diff, end_call=end_call), interval, text)


async def evaluate_run(
    service: Service,
    run: RunRecord,
    expected: dict[str, Any] | None = None,
    include: changes.Include = "plain",
) -> Verdict:
    """Evaluate a run with a spec, or with the checks of its test; cancelled if the client disconnects."""
    written, warned = (expected, []) if expected else _spec_of_test(service, run)
    spec = (
        await service.runtime.run_in_thread(lambda: _parse_spec(written)) if is_long(written) else _parse_spec(written)
    )
    await service.loader.run_due_work(run.environment_id)
    end_call = service.calls.log.last(run.environment_id)
    interval = await service.runtime.run_steps(service.runs.interval(run))
    known = _known_tables(interval.twins, service.registry)
    calls = await service.runtime.collect(service.calls.log.of_run(run, interval.end)) if spec.needs_calls else None

    limit = JudgingTime(MAX_JUDGING_SECONDS)

    def judge() -> tuple[Verdict, str, str]:
        diff = _diff(service.registry, interval, include, "full")
        with judging_within(limit), _explaining_stop(spec, limit):
            verdict = _evaluate(spec, diff, lambda: history(interval, service.registry, calls, diff), known)
            verdict = msgspec.structs.replace(verdict, warnings=[*dict.fromkeys([*warned, *verdict.warnings])])
        return verdict, pack_json(_encoded(diff)), pack_json(_encoded(verdict))

    async with when_client_leaves(service.runtime, limit.cancel):
        verdict, *result = await service.runtime.compose(interval.records, judge, times=_cost(spec), calls=calls)
    service.runs.keep_verdict(interval, "passed" if verdict.passed else "failed", *result, end_call=end_call)
    return verdict


@contextmanager
def _explaining_stop(spec: CheckSpec, limit: JudgingTime) -> Generator[None]:
    """Raise ClientGone or EvaluationTooLong if the evaluation in the block is stopped."""
    try:
        yield
    except JudgingStopped:
        if limit.is_cancelled:
            raise ClientGone from None
        raise EvaluationTooLong(
            f"Judging by {len(spec.assertions)} assertions takes more than {MAX_JUDGING_SECONDS:g} s of processor; "
            "give fewer assertions, or conditions with eq, which find their rows without looking at all of them"
        ) from None


async def covered_interval(service: Service, run: RunRecord) -> tuple[RunInterval, list[CallRecord]]:
    """The interval of a run up to its latest result, or up to now, and its calls."""
    await service.loader.run_due_work(run.environment_id)
    interval = await service.runtime.run_steps(service.runs.covered_interval(run))
    return interval, await service.runtime.collect(service.calls.log.of_run(run, interval.end))


def _diff(registry: Registry, interval: RunInterval, include: changes.Include, rows: changes.Rows) -> dict[str, Any]:
    for name in interval.twins:
        registry.get(name)
    several = len(interval.twins) > 1
    return changes.diff(interval.records, registry.schemas, include=include, rows=rows, several_twins=several)


def _parse_spec(spec: dict[str, Any]) -> CheckSpec:
    try:
        return parse(spec)
    except SpecError as error:
        raise InvalidSpec(f"invalid DSL: {error}") from None


def _evaluate(
    spec: CheckSpec, diff: dict[str, Any], load: Callable[[], RunHistory], known: KnownTables | None
) -> Verdict:
    try:
        return evaluate(spec, diff, load, known)
    except SpecError as error:
        raise InvalidSpec(f"invalid DSL: {error}") from None


def _known_tables(twins: list[str], registry: Registry) -> KnownTables | None:
    """The tables of an environment's twins; None if one of the twins is no longer installed."""
    if any(twin not in registry.schemas for twin in twins):
        return None
    return known_to(tuple(registry.schemas[twin] for twin in twins))


def _cost(spec: CheckSpec) -> float:
    """How many times checks look at each change; infinite with a regex, which may run for a second."""
    return inf if len(spec.assertions) > MANY_ASSERTIONS or b'"regex"' in _encoded(spec) else len(spec.assertions)


def _spec_of_test(service: Service, run: RunRecord) -> tuple[dict[str, Any], list[str]]:
    """Return the checks of a run's test, and what is known to be wrong with the test."""
    if run.test_id is None:
        raise NoTestDefined
    test = service.suites.test(run.test_id)
    return msgspec.json.decode(test.spec), cast("list[str]", test.warnings or [])

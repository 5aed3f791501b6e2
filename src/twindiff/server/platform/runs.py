"""Runs: begin one, see what changed, judge it."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Any, Literal

import msgspec

from twindiff import changes
from twindiff.catalog import RunRecord
from twindiff.checks import (
    Explanation,
    History,
    Known,
    Score,
    Spec,
    SpecError,
    Verdict,
    evaluate,
    is_long,
    known_to,
    parse,
)
from twindiff.environments.registry import Registry
from twindiff.environments.results import kept, told
from twindiff.environments.runs import Interval
from twindiff.kit.errors import ApiError
from twindiff.kit.http import Answer, json_answer
from twindiff.kit.twin import Operations
from twindiff.server.platform.calls import CallShown, with_transcripts
from twindiff.server.platform.environments import Limit, RunBriefs, briefs
from twindiff.server.platform.history import history
from twindiff.server.service import Service

api = Operations()


class NothingToCompare(ApiError):
    """provide exactly one of runId or (envId and beforeSuffix)"""


class NoTestDefined(ApiError):
    """No test is associated with this run, and no expectedOutput was given."""


class InvalidSpec(ApiError):
    """The checks cannot be read."""


LARGE_RESULT = 5_000
"""Letters of a kept result from which on to read it leaves the event loop; packed ones become many times longer."""
MOST_CALLS = 1_000
"""Calls that a result tells of; `/runs/{runId}/calls` has all of them, in pages."""
MANY_ASSERTIONS = 100
"""Assertions from which on to judge by them leaves the event loop, however little there is to judge."""
Status = Literal["running", "completed", "passed", "failed"]


class RunStarted(msgspec.Struct, rename="camel"):
    run_id: str
    status: str
    before_snapshot: str


class RunDiff(msgspec.Struct, rename="camel", omit_defaults=True):
    """`rewound` tells where the environment went back in time within the run."""

    run_id: str
    status: str
    diff: msgspec.Raw
    before_snapshot: str
    after_snapshot: str
    rewound: list[dict[str, int]] = []


class RunEvaluated(msgspec.Struct, rename="camel", omit_defaults=True):
    """`warnings` tell which tables and columns of the checks there are not."""

    run_id: str
    status: str
    passed: bool
    score: Score
    failures: list[str]
    explanations: list[Explanation]
    warnings: list[str] = []


class RunResult(msgspec.Struct, rename="camel", omit_defaults=True):
    """A run's latest result; before any, `score` and `diff` are null. `calls` are there where they are asked for."""

    run_id: str
    status: str
    passed: bool
    score: msgspec.Raw
    failures: msgspec.Raw
    explanations: msgspec.Raw
    diff: msgspec.Raw
    created_at: str
    before_snapshot: str
    after_snapshot: str | None
    warnings: list[str] = []
    calls: list[CallShown] | None = None


@api.post("/startRun", status=201)
async def start_run(
    service: Service,
    env_id: str,
    test_id: str | None = None,
    test_suite_id: str | None = None,
    once: bool | None = None,
) -> RunStarted:
    """Begin a run: what changes from now on belongs to it. With `once` it can be judged a single time."""
    if test_id:
        test_id = service.suites.test(test_id).test_id
    if test_suite_id:
        test_suite_id = service.suites.get(test_suite_id).suite_id
    environment = service.environments.get(env_id)
    await service.settle(environment.id)
    last = service.calls.log.last(environment.id)
    run = service.runs.start(environment.id, test_id=test_id, suite_id=test_suite_id, once=once, start_call=last)
    return RunStarted(run.run_id, run.status, run.before_snapshot)


@api.post("/diffRun")
async def diff_run(
    service: Service,
    run_id: str | None = None,
    env_id: str | None = None,
    before_suffix: str | None = None,
    include: changes.Include = "plain",
    rows: changes.Rows = "full",
) -> RunDiff:
    """What changed in a run so far, or since a snapshot that a run of the environment began with."""
    run = _run(service, run_id, env_id, before_suffix)
    await service.settle(run.environment_id)
    end_call = service.calls.log.last(run.environment_id)
    interval = await service.runtime.run_steps(service.runs.interval(run))

    def compose() -> tuple[bytes, str]:
        text = _encoded(_diff(service.registry, interval, include, rows))
        return text, kept(text)

    text, diff = await service.runtime.compose(interval.records, compose)
    run = service.runs.keep_diff(interval, diff, end_call=end_call)
    return RunDiff(
        run.run_id, "completed", msgspec.Raw(text), run.before_snapshot, interval.after_snapshot, interval.rewound
    )


def _run(service: Service, run_id: str | None, env_id: str | None, before: str | None) -> RunRecord:
    if bool(run_id) == bool(env_id and before):
        raise NothingToCompare
    if run_id:
        return service.runs.get(run_id)
    return service.runs.since_snapshot(env_id or "", before or "")


def _diff(registry: Registry, interval: Interval, include: changes.Include, rows: changes.Rows) -> dict[str, Any]:
    for name in interval.twins:
        registry.get(name)
    several = len(interval.twins) > 1
    return changes.diff(interval.records, registry.schemas, include=include, rows=rows, several_twins=several)


_encoded = msgspec.json.Encoder().encode


@api.post("/evaluateRun")
async def evaluate_run(
    service: Service,
    run_id: str,
    expected_output: dict[str, Any] | None = None,
    include: changes.Include = "plain",
) -> RunEvaluated:
    """Judge a run by `expectedOutput`, or by the checks of its test."""
    run = service.runs.get(run_id)
    written = expected_output or _spec_of_test(service, run)
    spec = await service.runtime.run_in_thread(lambda: _parsed(written)) if is_long(written) else _parsed(written)
    await service.settle(run.environment_id)
    end_call = service.calls.log.last(run.environment_id)
    interval = await service.runtime.run_steps(service.runs.interval(run))
    known = _known(interval.twins, service.registry)
    calls = await service.runtime.collect(service.calls.log.of_run(run, interval.end)) if spec.needs_calls else None

    def judge() -> tuple[Verdict, str, str]:
        diff = _diff(service.registry, interval, include, "full")
        verdict = _judged(spec, diff, lambda: history(interval, service.registry, calls, diff), known)
        return verdict, kept(_encoded(diff)), kept(_encoded(verdict))

    verdict, *result = await service.runtime.compose(interval.records, judge, times=_cost(spec), calls=calls)
    status = "passed" if verdict.passed else "failed"
    service.runs.keep_verdict(interval, status, *result, end_call=end_call)
    return RunEvaluated(
        run.run_id,
        status,
        verdict.passed,
        verdict.score,
        verdict.failures,
        verdict.explanations,
        verdict.warnings,
    )


def _parsed(spec: dict[str, Any]) -> Spec:
    try:
        return parse(spec)
    except SpecError as error:
        raise InvalidSpec(f"invalid DSL: {error}") from None


def _judged(spec: Spec, diff: dict[str, Any], load: Callable[[], History], known: Known | None) -> Verdict:
    try:
        return evaluate(spec, diff, load, known)
    except SpecError as error:
        raise InvalidSpec(f"invalid DSL: {error}") from None


def _known(twins: list[str], registry: Registry) -> Known | None:
    """The tables of an environment's twins; None where one of them is not installed any more."""
    if any(twin not in registry.schemas for twin in twins):
        return None
    return known_to(tuple(registry.schemas[twin] for twin in twins))


def _cost(spec: Spec) -> float:
    """How often checks look at each change; a regex may keep at it for a second."""
    return inf if len(spec.assertions) > MANY_ASSERTIONS or b'"regex"' in _encoded(spec) else len(spec.assertions)


def _spec_of_test(service: Service, run: RunRecord) -> dict[str, Any]:
    if run.test_id is None:
        raise NoTestDefined
    return msgspec.json.decode(service.suites.test(run.test_id).spec)


@api.get("/runs/{runId}/history")
async def run_history(service: Service, run_id: str) -> History | Answer:
    """What the verdict on a run may look at besides its diff: who changed which row, and every call.

    `records` are without what a rewind went back over, `calls` are all calls.
    """
    run = service.runs.get(run_id)
    await service.settle(run.environment_id)
    interval = await service.runtime.run_steps(service.runs.covered(run))
    calls = await service.runtime.collect(service.calls.log.of_run(run, interval.end))

    def compose() -> Answer:
        return json_answer(history(interval, service.registry, calls))

    return await service.runtime.compose(interval.records, compose, calls=calls)


@api.get("/results/{runId}")
async def results(service: Service, run_id: str, calls: bool = False) -> RunResult | Answer:
    """A run's latest diff and verdict, with its first 1,000 calls and their transcripts where `calls` is true.

    All of it is readable after the environment is gone.
    """
    run = service.runs.get(run_id)
    if calls:
        await service.write_calls()
        found = await service.runtime.collect(service.calls.log.kept_of_run(run, MOST_CALLS))
        packed = service.calls.log.transcripts(found)
        return await service.runtime.run_in_thread(lambda: json_answer(_result(run, with_transcripts(found, packed))))
    if len(run.diff or "") + len(run.verdict or "") > LARGE_RESULT:
        return await service.runtime.run_in_thread(lambda: _result(run))
    return _result(run)


def _result(run: RunRecord, calls: list[CallShown] | None = None) -> RunResult:
    verdict = msgspec.json.decode(told(run.verdict), type=dict[str, msgspec.Raw]) if run.verdict else {}
    nothing = msgspec.Raw(b"[]")
    return RunResult(
        run_id=run.run_id,
        status=run.status,
        passed=run.status == "passed",
        score=verdict.get("score", msgspec.Raw(b"null")),
        failures=verdict.get("failures", nothing),
        explanations=verdict.get("explanations", nothing),
        diff=msgspec.Raw(told(run.diff) if run.diff else b"null"),
        created_at=run.created_at,
        before_snapshot=run.before_snapshot,
        after_snapshot=run.after_snapshot,
        warnings=msgspec.json.decode(verdict.get("warnings", nothing), type=list[str]),
        calls=calls,
    )


@api.get("/runs")
def list_runs(service: Service, limit: Limit = 100, status: Status | None = None) -> RunBriefs:
    """Runs of all environments, newest first."""
    return briefs(service.runs.list(limit=limit, status=status or ""))

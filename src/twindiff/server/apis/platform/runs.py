"""Operations for runs: start one, get its diff, evaluate it."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from twindiff import changes
from twindiff.catalog import RunRecord
from twindiff.checks import Explanation, RunHistory, Score
from twindiff.environments.stored_results import unpack_json
from twindiff.kit.http import Response, json_answer
from twindiff.kit.twin import Operations
from twindiff.server.apis.platform.calls import CallShown, with_transcripts
from twindiff.server.apis.platform.environments import RunBriefs, briefs
from twindiff.server.parameters import Limit
from twindiff.server.service import Service
from twindiff.server.use_cases import runs as use_cases
from twindiff.server.use_cases.history import history

api = Operations()


LARGE_RESULT = 5_000
"""Characters of a stored, packed result from which it is unpacked off the event loop, as it grows many times longer."""
MAX_CALLS = 1_000
"""Maximum calls in a result; `/runs/{runId}/calls` lists all of them, in pages."""
Status = Literal["running", "completed", "passed", "failed"]


class RunStarted(msgspec.Struct, rename="camel"):
    run_id: str
    status: str
    before_snapshot: str


class RunDiff(msgspec.Struct, rename="camel", omit_defaults=True):
    """`rewound` lists the rewinds of the environment within the run."""

    run_id: str
    status: str
    diff: msgspec.Raw
    before_snapshot: str
    after_snapshot: str
    rewound: list[dict[str, int]] = []


class RunEvaluated(msgspec.Struct, rename="camel", omit_defaults=True):
    """`warnings` name the tables and columns of the checks that do not exist.
    `refused` lists up to ten control-plane requests that the agent made in the run with its token: none was accepted,
    and no check looks at them.
    """

    run_id: str
    status: str
    passed: bool
    score: Score
    failures: list[str]
    explanations: list[Explanation]
    warnings: list[str] = []
    refused: list[str] = []


class RunResult(msgspec.Struct, rename="camel", omit_defaults=True):
    """A run's latest result; before any, `score` and `diff` are null. `calls` are included on request."""

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
    from_start: bool = False,
) -> RunStarted:
    """Start a run: all changes from now on belong to it. With `once` it can be evaluated a single time.
    With `fromStart` all changes and calls since the environment's initial state belong to it, in a fork also those
    that it has from its parent.
    """
    run = await use_cases.start_run(service, env_id, test_id, test_suite_id, once, from_start=from_start)
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
    """The diff of a run so far, or since a snapshot that a run of the environment started with."""
    run = use_cases.find_run(service, run_id, env_id, before_suffix)
    run, interval, text = await use_cases.diff_run(service, run, include, rows)
    return RunDiff(
        run.run_id, "completed", msgspec.Raw(text), run.before_snapshot, interval.after_snapshot, interval.rewound
    )


@api.post("/evaluateRun")
async def evaluate_run(
    service: Service,
    run_id: str,
    expected_output: dict[str, Any] | None = None,
    include: changes.Include = "plain",
) -> RunEvaluated:
    """Evaluate a run with `expectedOutput`, or with the checks of its test."""
    run = service.runs.get(run_id)
    verdict = await use_cases.evaluate_run(service, run, expected_output, include)
    status = "passed" if verdict.passed else "failed"
    return RunEvaluated(
        run.run_id,
        status,
        verdict.passed,
        verdict.score,
        verdict.failures,
        verdict.explanations,
        verdict.warnings,
        service.calls.log.list_refused(run.environment_id, after=run.start_call or 0),
    )


@api.get("/runs/{runId}/history")
async def run_history(service: Service, run_id: str) -> RunHistory | Response:
    """The data that a verdict may use besides the diff: who changed which row, and every call.
    `records` exclude what a rewind has undone; `calls` include all calls.
    """
    interval, calls = await use_cases.covered_interval(service, service.runs.get(run_id))

    def compose() -> Response:
        return json_answer(history(interval, service.registry, calls))

    return await service.runtime.compose(interval.records, compose, calls=calls)


@api.get("/results/{runId}")
async def results(service: Service, run_id: str, calls: bool = False) -> RunResult | Response:
    """A run's latest diff and verdict, with its first 1,000 calls and their transcripts if `calls` is true.
    All of it remains readable after the environment is deleted.
    """
    run = service.runs.get(run_id)
    if calls:
        await service.call_log.write()
        records = await service.runtime.collect(service.calls.log.kept_of_run(run, MAX_CALLS))
        packed = service.calls.log.transcripts(records)
        return await service.runtime.run_in_thread(lambda: json_answer(_result(run, with_transcripts(records, packed))))
    if len(run.diff or "") + len(run.verdict or "") > LARGE_RESULT:
        return await service.runtime.run_in_thread(lambda: _result(run))
    return _result(run)


def _result(run: RunRecord, calls: list[CallShown] | None = None) -> RunResult:
    verdict = msgspec.json.decode(unpack_json(run.verdict), type=dict[str, msgspec.Raw]) if run.verdict else {}
    nothing = msgspec.Raw(b"[]")
    return RunResult(
        run_id=run.run_id,
        status=run.status,
        passed=run.status == "passed",
        score=verdict.get("score", msgspec.Raw(b"null")),
        failures=verdict.get("failures", nothing),
        explanations=verdict.get("explanations", nothing),
        diff=msgspec.Raw(unpack_json(run.diff) if run.diff else b"null"),
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

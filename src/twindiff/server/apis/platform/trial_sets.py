"""Operations for trial sets: the results of an agent's trials at a suite, and the comparison of two sets."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

from twindiff.catalog import TrialRecord, TrialSetRecord
from twindiff.environments.stored_results import unpack_json
from twindiff.kit.http import Response, json_answer
from twindiff.kit.twin import Operations
from twindiff.server.parameters import After, Limit
from twindiff.server.service import Service
from twindiff.server.use_cases import trial_sets as use_cases
from twindiff.suites.trial_sets import AgentDescription, Ended, TrialItem, status_of

api = Operations()

Agent = Annotated[str, msgspec.Meta(min_length=1, max_length=500)]
Planned = Annotated[int, msgspec.Meta(ge=0, le=10_000_000)]
Items = Annotated[list[TrialItem], msgspec.Meta(max_length=100)]


class ConfidenceInterval(msgspec.Struct):
    """A share from 0 to 1, with its 95 % confidence interval."""

    value: float
    low: float
    high: float


class OfKShown(msgspec.Struct, rename="camel"):
    """The expected result of k trials of each test: `passAtK` that at least one passes, `passAllOfK` that all pass."""

    k: int
    pass_at_k: ConfidenceInterval
    pass_all_of_k: ConfidenceInterval


class TrialSetBrief(msgspec.Struct, rename="camel"):
    """A trial set: `trials` of `tests` tests have ended, of `planned` ones (0 if unknown); `passed` ones
    are counted, and `errors`, which have neither passed nor failed. `cost` is in US dollars, null if it is unknown.
    """

    trial_set_id: str
    test_suite_id: str
    suite: str
    agent: str
    created_at: str
    updated_at: str
    planned: int
    tests: int
    trials: int
    passed: int
    errors: int
    label: str
    model: str
    parameters: dict[str, Any]
    revision: str
    input_tokens: int | None
    output_tokens: int | None
    cost: float | None
    seconds: float


class TrialSetList(msgspec.Struct, rename="camel"):
    trial_sets: list[TrialSetBrief]


class TestTried(msgspec.Struct, rename="camel"):
    """The results of a test; `score` is the mean in percent; `reason` and the ids are those of its first
    failed trial. `share` and `score` are null if no trial counts: all ended with `errors`. `noOpScore` is the score of
    an agent that does nothing.
    """

    __test__ = False

    test_id: str
    test: str
    trials: int
    passed: int
    share: ConfidenceInterval | None
    score: float | None
    seconds: float
    reason: str
    run_id: str
    environment_id: str
    is_kept: bool
    errors: int
    no_op_score: float | None


class TrialSetShown(TrialSetBrief, rename="camel"):
    """A trial set with its statistics; `share` is that of passed tests, and null before the first trial that counts.
    Trials that ended with an error are in no figure; `uncountedTests` have no other trials.
    `ofK` goes up to the number of trials that every test has. Intervals are Wilson's, over tests; a test's are over its
    trials.
    """

    share: ConfidenceInterval | None
    of_k: list[OfKShown]
    results: list[TestTried]
    uncounted_tests: int


class TrialShown(msgspec.Struct, rename="camel"):
    """A trial; `results/{runId}` has its diff and calls, as long as its run is kept. `status` is `error` for a trial
    that does not count, with its verdict if it was judged all the same. `messages` are what the agent logged.
    """

    test_id: str
    test: str
    number: int
    passed: bool
    reason: str
    score: msgspec.Raw
    failures: msgspec.Raw
    explanations: msgspec.Raw
    seconds: float
    created_at: str
    environment_id: str
    run_id: str
    is_kept: bool
    status: Ended
    error: str
    input_tokens: int | None
    output_tokens: int | None
    cost: float | None
    messages: msgspec.Raw


class TrialList(msgspec.Struct):
    trials: list[TrialShown]


class TestCompared(msgspec.Struct, rename="camel"):
    """The pass rate of a test in either set."""

    __test__ = False

    test_id: str
    test: str
    before: float
    after: float


class TrialSetsCompared(msgspec.Struct, rename="camel"):
    """How the second set differs from the first in the tests that both tried.
    `difference` is that of the shares of passed tests, with Bonett and Price's interval; `p` is the probability that as
    many differ by chance (a sign test over tests). `better` and `worse` count tests.
    """

    before: TrialSetBrief
    after: TrialSetBrief
    difference: ConfidenceInterval
    p: float
    better: int
    worse: int
    tests: list[TestCompared]


class TrialSetEnded(msgspec.Struct, rename="camel"):
    trial_set_id: str
    status: str


@api.post("/trial-sets", status=201)
def create_trial_set(
    service: Service,
    test_suite_id: str,
    agent: Agent,
    planned: Planned = 0,
    trials: Items | None = None,
    description: AgentDescription | None = None,
) -> TrialSetBrief:
    """Create a trial set of an agent at a suite, with up to 100 trials; stores nothing if one is invalid.
    `description` has the `label`, `model`, `parameters` and `revision` that tell sets of an agent apart.
    """
    return _brief(use_cases.create_trial_set(service, test_suite_id, agent, planned, trials or (), description))


@api.post("/trial-sets/{trialSetId}/trials", status=201)
def add_trials(service: Service, trial_set_id: str, trials: Items) -> TrialSetBrief:
    """Add up to 100 trials, all or none. A trial whose test and number exist already changes nothing.
    The verdict of a trial is copied from its run, which must have been evaluated; a trial that could not start, end or
    be judged has an `error`, and counts neither as passed nor as failed.
    """
    return _brief(use_cases.add_trials(service, trial_set_id, trials))


@api.get("/trial-sets")
def list_trial_sets(service: Service, limit: Limit = 100, test_suite_id: str = "") -> TrialSetList:
    """Trial sets, newest first; those of one suite if one is named."""
    return TrialSetList([_brief(each) for each in service.trial_sets.list(limit=limit, suite_id=test_suite_id)])


def _brief(record: TrialSetRecord) -> TrialSetBrief:
    return TrialSetBrief(
        trial_set_id=record.trial_set_id,
        test_suite_id=record.suite_id,
        suite=record.suite,
        agent=record.agent,
        created_at=record.created_at,
        updated_at=record.updated_at,
        planned=record.planned,
        tests=record.tests,
        trials=record.trials,
        passed=record.passed,
        errors=record.errors or 0,
        label=record.label or "",
        model=record.model or "",
        parameters=record.parameters or {},
        revision=record.revision or "",
        input_tokens=record.input_tokens,
        output_tokens=record.output_tokens,
        cost=record.cost,
        seconds=record.seconds or 0.0,
    )


@api.get("/trial-sets/{trialSetId}")
async def get_trial_set(service: Service, trial_set_id: str) -> TrialSetShown:
    """A trial set: its share of passed tests with the confidence interval, pass@k, pass^k, and each test's results."""
    figures = await use_cases.trial_set_figures(service, trial_set_id)
    return TrialSetShown(
        **msgspec.structs.asdict(_brief(figures.record)),
        share=ConfidenceInterval(*figures.share) if figures.share else None,
        of_k=[
            OfKShown(each.k, ConfidenceInterval(*each.at_least_one), ConfidenceInterval(*each.all))
            for each in figures.of_k
        ],
        results=[_render_figures(each) for each in figures.tests],
        uncounted_tests=figures.uncounted,
    )


def _render_figures(figures: use_cases.TestFigures) -> TestTried:
    first, failed = figures.trials[0], figures.failed
    return TestTried(
        test_id=first.test_id,
        test=first.test,
        trials=len(figures.trials),
        passed=figures.passed,
        share=ConfidenceInterval(*figures.share) if figures.share else None,
        score=figures.score,
        seconds=figures.seconds,
        reason=failed.reason if failed else "",
        run_id=failed.run_id if failed else "",
        environment_id=failed.environment_id if failed else "",
        is_kept=failed.is_kept if failed else False,
        errors=figures.errors,
        no_op_score=figures.no_op,
    )


@api.get("/trial-sets/{trialSetId}/trials")
async def list_trials(
    service: Service,
    trial_set_id: str,
    test_id: str = "",
    passed: bool | None = None,
    status: Ended | None = None,
    limit: Limit = 100,
    offset: After = 0,
) -> TrialList | Response:
    """Trials in the order of their tests, with their explanations; filtered by test and `status`.
    `passed` is `status` `passed` or `failed`.
    """
    record = service.trial_sets.get(trial_set_id)
    ended: Ended | None = status or (None if passed is None else "passed" if passed else "failed")
    trials = service.trial_sets.trials(record.trial_set_id, test_id=test_id, ended=ended, limit=limit, offset=offset)
    return await service.runtime.run_in_thread(lambda: json_answer(TrialList([trial_shown(each) for each in trials])))


def trial_shown(record: TrialRecord) -> TrialShown:
    """Render a trial with its verdict."""
    verdict = msgspec.json.decode(unpack_json(record.verdict), type=dict[str, msgspec.Raw]) if record.verdict else {}
    nothing = msgspec.Raw(b"[]")
    return TrialShown(
        test_id=record.test_id,
        test=record.test,
        number=record.number,
        passed=record.passed,
        reason=record.reason,
        score=verdict.get("score", msgspec.Raw(b"null")),
        failures=verdict.get("failures", nothing),
        explanations=verdict.get("explanations", nothing),
        seconds=record.seconds,
        created_at=record.created_at,
        environment_id=record.environment_id,
        run_id=record.run_id,
        is_kept=record.is_kept,
        status=status_of(record),
        error=record.error or "",
        input_tokens=record.input_tokens,
        output_tokens=record.output_tokens,
        cost=record.cost,
        messages=msgspec.Raw(unpack_json(record.messages)) if record.messages else nothing,
    )


@api.get("/trial-sets/{trialSetId}/compare/{otherId}")
async def compare_trial_sets(service: Service, trial_set_id: str, other_id: str) -> TrialSetsCompared:
    """Compare another trial set with this one, test by test: two agents, or two versions of one."""
    compared = await use_cases.compare_trial_sets(service, trial_set_id, other_id)
    differs = compared.comparison
    return TrialSetsCompared(
        before=_brief(compared.before),
        after=_brief(compared.after),
        difference=ConfidenceInterval(differs.difference, differs.low, differs.high),
        p=differs.p,
        better=len(differs.better),
        worse=len(differs.worse),
        tests=[TestCompared(*each) for each in compared.tests],
    )


@api.delete("/trial-sets/{trialSetId}")
async def delete_trial_set(service: Service, trial_set_id: str) -> TrialSetEnded:
    """Delete a trial set; its runs and their results stay."""
    return TrialSetEnded(await use_cases.delete_trial_set(service, trial_set_id), "deleted")

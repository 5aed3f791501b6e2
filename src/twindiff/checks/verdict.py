"""The entry point of the checks: judges all assertions of a spec and explains those that failed."""

from msgspec import Struct

from twindiff.checks import diffs
from twindiff.checks.closed_world import judge_rest
from twindiff.checks.explain import ExplanationContext, explain, share_of
from twindiff.checks.findings import Explanation
from twindiff.checks.history import RunHistory
from twindiff.checks.history import read as read_history
from twindiff.checks.match import AssertionResult
from twindiff.checks.names import KnownTables, warnings
from twindiff.checks.parse import parse
from twindiff.checks.provenance import check_authors, hold_order
from twindiff.checks.references import ReferenceValues, judge_all
from twindiff.checks.regexes import time_limit


class Score(Struct, frozen=True):
    """How many assertions hold; `percent` is from 0 to 100.

    A closed world counts only if it is broken, since an agent that does nothing keeps it.
    """

    passed: int
    total: int
    percent: float


class Verdict(Struct, frozen=True, omit_defaults=True):
    """The verdict on a diff: `failures` in the public engine's wording, `explanations` in more detail.

    `warnings` list tables and columns of the spec that do not exist.
    """

    passed: bool
    score: Score
    failures: list[str]
    explanations: list[Explanation]
    warnings: list[str] = []


def evaluate(spec: object, diff: object, history: object = None, known: KnownTables | None = None) -> Verdict:
    """Judge a diff by a spec; both may be parsed or decoded from JSON. `history` may be a function that loads it.

    If the existing tables are `known`, an unknown name raises in version 1 of the language and is a warning in 0.1.
    Raises only `SpecError`, `DiffError`, `HistoryError` and, within `judging_within`, `JudgingStopped`.
    """
    checks = parse(spec)
    warned = warnings(checks, known) if known else []
    scene = ExplanationContext(checks, diffs.read(diff, exact=checks.is_extended), read_history(history, checks), known)
    with time_limit():
        outcomes = _judge_scene(scene)
        failed = [outcome for outcome in outcomes if outcome.failures]
        rows = share_of(len(failed))
        explanations = [explain(outcome, scene, rows) for outcome in failed]
    is_kept = checks.is_closed and not outcomes[-1].failures
    total = len(outcomes) - 1 if is_kept else len(outcomes)
    held = total - len(failed)
    return Verdict(
        passed=not failed,
        score=Score(held, total, held / total * 100 if total else 100.0),
        failures=[failure for outcome in failed for failure in outcome.failure_lines],
        explanations=explanations,
        warnings=warned,
    )


def no_op_score(spec: object) -> float:
    """Return the score, in percent, of an agent that does nothing: it passes only the checks that forbid something.

    Raises SpecError for a spec that cannot be read.
    """
    return evaluate(spec, {"inserts": []}, RunHistory([], [])).score.percent


def _judge_scene(scene: ExplanationContext) -> list[AssertionResult]:
    spec, changes, past = scene.spec, scene.changes, scene.past
    referred = ReferenceValues()
    outcomes = judge_all(spec, changes, past, referred)
    for outcome in outcomes:
        check_authors(outcome, spec, past)
        hold_order(outcome, outcomes, past)
    if spec.is_closed:
        outcomes.append(judge_rest(referred.spec(spec), outcomes, changes, past))
    return outcomes

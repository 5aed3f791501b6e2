"""The public answer of the checks: judge all assertions of a spec and explain those that failed."""

from msgspec import Struct

from twindiff.checks import diffs
from twindiff.checks.explain import Explanation, explain
from twindiff.checks.match import judge
from twindiff.checks.parse import parse
from twindiff.checks.regexes import time_limit


class Score(Struct, frozen=True):
    """How many assertions hold; `percent` is from 0 to 100."""

    passed: int
    total: int
    percent: float


class Verdict(Struct, frozen=True):
    """The judgement of a diff: `failures` in the public engine's wording, `explanations` in more words."""

    passed: bool
    score: Score
    failures: list[str]
    explanations: list[Explanation]


def evaluate(spec: object, diff: object) -> Verdict:
    """Judge a diff by a spec, parsed or as JSON has it. Raises `SpecError` and `DiffError`, and nothing else."""
    checks, changes = parse(spec), diffs.read(diff)
    with time_limit():
        outcomes = [judge(assertion, checks, changes) for assertion in checks.assertions]
        failed = [outcome for outcome in outcomes if outcome.failures]
        explanations = [explain(outcome, checks, changes) for outcome in failed]
    total = len(outcomes)
    held = total - len(failed)
    return Verdict(
        passed=not failed,
        score=Score(held, total, held / total * 100),
        failures=[failure for outcome in failed for failure in outcome.failures],
        explanations=explanations,
    )

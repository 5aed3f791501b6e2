"""The assertion language: a spec says what a diff must contain, `evaluate` says whether it does and, if not, why."""

from twindiff.checks.diffs import DiffError
from twindiff.checks.explain import Difference, Explanation, Nearest
from twindiff.checks.parse import Spec, SpecError, parse
from twindiff.checks.verdict import Score, Verdict, evaluate

__all__ = [
    "DiffError",
    "Difference",
    "Explanation",
    "Nearest",
    "Score",
    "Spec",
    "SpecError",
    "Verdict",
    "evaluate",
    "parse",
]

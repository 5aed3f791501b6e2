"""The assertion language: a spec says what a diff must contain, `evaluate` says whether it does and, if not, why."""

from twindiff.checks.diffs import DiffError
from twindiff.checks.findings import Difference, Explanation, Nearest
from twindiff.checks.history import Blame, History, HistoryError
from twindiff.checks.judging_time import JudgingStopped, JudgingTime, judging_within
from twindiff.checks.names import Known, known_to, misspelt, warnings
from twindiff.checks.parse import is_long, parse
from twindiff.checks.readers import SpecError
from twindiff.checks.spec import Spec
from twindiff.checks.verdict import Score, Verdict, evaluate

__all__ = [
    "Blame",
    "DiffError",
    "Difference",
    "Explanation",
    "History",
    "HistoryError",
    "JudgingStopped",
    "JudgingTime",
    "Known",
    "Nearest",
    "Score",
    "Spec",
    "SpecError",
    "Verdict",
    "evaluate",
    "is_long",
    "judging_within",
    "known_to",
    "misspelt",
    "parse",
    "warnings",
]

"""The assertion language: a spec says what a diff must contain; `evaluate` judges a diff and explains failures."""

from twindiff.checks.diffs import DiffError
from twindiff.checks.findings import Explanation, Nearest, ValueDifference
from twindiff.checks.history import HistoryError, RowBlame, RunHistory
from twindiff.checks.judging_time import JudgingStopped, JudgingTime, judging_within
from twindiff.checks.names import KnownTables, known_to, misspelt, warnings
from twindiff.checks.parse import is_long, parse
from twindiff.checks.readers import SpecError
from twindiff.checks.spec import CheckSpec
from twindiff.checks.verdict import Score, Verdict, evaluate, no_op_score

__all__ = [
    "CheckSpec",
    "DiffError",
    "Explanation",
    "HistoryError",
    "JudgingStopped",
    "JudgingTime",
    "KnownTables",
    "Nearest",
    "RowBlame",
    "RunHistory",
    "Score",
    "SpecError",
    "ValueDifference",
    "Verdict",
    "evaluate",
    "is_long",
    "judging_within",
    "known_to",
    "misspelt",
    "no_op_score",
    "parse",
    "warnings",
]

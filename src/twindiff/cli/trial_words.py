"""How trials are put into words: status, score, usage and reason."""

from __future__ import annotations

from twindiff.cli.trial_sets import StoredTrial
from twindiff.client import Trial, Usage


def percent_words(percent: float | None) -> str:
    """Return a score in percent; a dash if there is none."""
    return "-" if percent is None else f"{percent:.0f} %"


def describe_reason(trial: Trial | StoredTrial) -> str:
    """Return why a trial did not pass; for one that ended with an error also what its checks say all the same."""
    if trial.status != "error" or trial.verdict is None:
        return trial.reason
    held, total = trial.verdict.score["passed"], trial.verdict.score["total"]
    return f"{trial.reason} (of what it did, {held} of {total} checks hold)"


def describe_usage(usage: Usage) -> str:
    """Return tokens and cost in words; what is unknown is left out."""
    tokens = [
        f"{count:,} {what} tokens"
        for count, what in ((usage.input_tokens, "input"), (usage.output_tokens, "output"))
        if count is not None
    ]
    return ", ".join([*tokens, *([] if usage.cost is None else [money_words(usage.cost)])])


def money_words(dollars: float | None) -> str:
    """Return an amount of US dollars; small ones with more digits; a dash if it is unknown."""
    return "-" if dollars is None else f"${dollars:.2f}" if dollars >= 1 else f"${dollars:.4f}"

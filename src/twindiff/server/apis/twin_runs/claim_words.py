"""The words of prompts that claims of a model must account for besides names and numbers: nouns and states."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

DENIED = re.compile(
    r"\b(?:no|not|none|never|nobody|nothing|neither|nor|without|cannot|\w+n['’]t|kein\w*|nicht|ohne)\b",  # noqa: RUF001
    re.IGNORECASE,
)
_NOUNS = {
    "message reply": r"messages?|msgs?|posts?|announcements?|repl(?:y|ies)",
    "channel": r"channels?",
    "user member person attendee": (
        r"users?|people|persons?|members?|colleagues?|employees?|guests?|attendees?|assignees?"
    ),
    "team": r"teams?",
    "project": r"projects?",
    "issue task ticket": r"issues?|tickets?|bugs?|tasks?|stor(?:y|ies)|epics?",
    "comment": r"comments?",
    "customer": r"customers?",
    "product price item": r"products?|plans?",
    "subscription": r"subscriptions?|subs?",
    "invoice": r"invoices?",
    "charge payment": r"payments?|charges?",
    "refund": r"refunds?",
    "dispute": r"disputes?",
    "folder": r"folders?",
    "file version": r"files?|documents?",
    "event": r"events?|meetings?|appointments?",
    "repositor": r"repositor(?:y|ies)|repos?",
    "pull": r"pull requests?|prs?",
    "review": r"reviews?|approvals?",
    "database data_source": r"databases?",
    "page row": r"pages?|subpages?|rows?",
    "contact": r"contacts?",
    "compan": r"compan(?:y|ies)",
    "deal": r"deals?",
}
"""Patterns of nouns by the words that the names of their tables begin with."""
_NOUN = [(tuple(stems.split()), re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE)) for stems, pattern in _NOUNS.items()]


class PromptNoun(NamedTuple):
    """A noun of a prompt: its text, where it stands, and what the names of its tables have."""

    text: str
    at: int
    stems: tuple[str, ...]

    def names(self, table: str) -> bool:
        """Return whether a table has such records."""
        words = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", table).lower().split("_")
        return any(
            word.startswith(stem) or (stem in table.lower() and "_" in stem) for word in words for stem in self.stems
        )


def list_nouns(text: str) -> list[PromptNoun]:
    """Return the known nouns of a text in its order."""
    nouns = (PromptNoun(said[0], said.start(), stems) for stems, noun in _NOUN for said in noun.finditer(text))
    return sorted(nouns, key=lambda noun: noun.at)


class PromptState(NamedTuple):
    """What a word such as `unpaid` may be in a row: a text, a number or a boolean of a column of that name."""

    word: str
    values: tuple[Any, ...]
    columns: tuple[str, ...] = ()
    """Parts of the names of columns with numbers, booleans or null."""

    def is_shown_by(self, path: str, value: Any) -> bool:
        """Return whether the value at a path of a row is that state."""
        column = path.rsplit(".", 1)[-1].lower()
        if isinstance(value, str):
            return value.casefold() in self.values
        is_its = any(part in column for part in self.columns)
        return is_its and any(type(each) is type(value) and each == value for each in _numbers(self.values, value))


def _numbers(values: tuple[Any, ...], value: Any) -> list[Any]:
    is_number = isinstance(value, float)
    return [float(each) if is_number and type(each) is int else each for each in values]


_STATES: tuple[tuple[str, tuple[Any, ...], tuple[str, ...]], ...] = (
    (r"paid", ("paid", "succeeded", True), ("paid",)),
    (r"unpaid|outstanding", ("open", "unpaid", "past_due", "uncollectible", False), ("paid",)),
    (r"overdue|past due", ("past_due", "overdue"), ()),
    (r"open(?! in\b)", ("open", "opened", "unstarted", "started", "todo", "backlog", "triage", "in progress"), ()),
    (r"closed", ("closed", "completed", "done", "canceled", "closed won", "closedwon"), ()),
    (r"done|completed|finished|resolved", ("done", "completed", "closed", "resolved", True), ("resolved", "done")),
    (r"cancel?led", ("canceled", "cancelled"), ()),
    (r"in progress", ("in progress", "started", "in_progress"), ()),
    (r"in review", ("in review",), ()),
    (r"to-?do(?!s)", ("todo", "to do", "unstarted"), ()),
    (r"backlog", ("backlog",), ()),
    (r"active(?:ly)?", ("active", True), ("active",)),
    (r"trialing|on trial", ("trialing",), ()),
    (r"void(?:ed)?", ("void",), ()),
    (r"draft", ("draft", True), ("draft",)),
    (r"merged", ("merged", True), ("merged",)),
    (r"disputed", ("needs_response", "warning_needs_response", "under_review", True), ("disputed",)),
    (r"declined", ("declined",), ()),
    (r"accepted", ("accepted",), ()),
    (r"private", ("private", True), ("private",)),
    (r"public", ("public", False), ("private",)),
    (r"archived", ("archived", True), ("archived",)),
    (r"urgent", ("urgent", 1), ("priority",)),
    (r"high priority|priority high", ("high", 2), ("priority",)),
    (r"medium priority|priority medium", ("medium", 3), ("priority",)),
    (r"low priority|priority low", ("low", 4), ("priority",)),
    (r"unassigned", (None,), ("assignee",)),
    (r"failed", ("failed",), ()),
    (r"success(?:ful)?|succeeded", ("succeeded", "success"), ()),
)
_STATE = [
    (re.compile(rf"(?<![\w-])(?:{word})(?![\w-])", re.IGNORECASE), values, columns) for word, values, columns in _STATES
]


def list_states(text: str) -> list[PromptState]:
    """Return the known states that a text says."""
    return [PromptState(said[0], values, columns) for word, values, columns in _STATE if (said := word.search(text))]

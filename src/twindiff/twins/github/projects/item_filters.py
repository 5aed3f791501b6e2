"""Filters of the items of a project: `status:"In Progress",Todo -label:bug no:assignee iteration:@current`.

https://docs.github.com/en/issues/planning-and-tracking-with-projects/customizing-views-in-your-project/filtering-projects
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from datetime import date, datetime, timedelta
from difflib import get_close_matches
from fnmatch import translate
from math import nextafter
from typing import Any, NamedTuple

from twindiff.kit import Call, not_

from ..core.stamps import parse_instant
from ..tables.issue_tables import Issue, Milestone, PullRequest, Review
from ..tables.project_tables import Project, ProjectItem
from ..tables.repository_tables import Repository
from ..wire_style import NotServedHere, Unprocessable
from .project_fields import Field, find_iteration, find_option
from .project_views import find_content

_TOKEN = re.compile(r"""(-?)(?:([^\s:"',]+):)?((?:"[^"]*"|'[^']*'|[^\s"'])+)""")
_VALUE = re.compile(r"""((?:"[^"]*"|'[^']*'|[^,"'])+)""")
_KEYWORD = re.compile(r"(@previous|@current|@next|@today)(?:([+-])(\d{1,4}))?", re.IGNORECASE)
_AGE = re.compile(r"(\d{1,5})days?", re.IGNORECASE)
_OPERATORS = (">=", "<=", ">", "<")
_ALIASES = {"assignee": "assignees", "label": "labels", "repo": "repository", "reviewer": "reviewers"}
_OFFSETS = {"@previous": -1, "@current": 0, "@next": 1}


class ItemFilter(NamedTuple):
    """One part of a filter: a qualifier, empty for plain text, and the values of which one has to match."""

    name: str
    values: list[str]
    negated: bool


class ItemFacts:
    """What filters ask about an item: its content, and its values of the project's fields."""

    def __init__(self, call: Call, item: ProjectItem) -> None:
        self.call, self.item = call, item
        content = find_content(call, item)
        self.issue: Issue | None = content[0] if content else None
        self.repo: Repository | None = content[1] if content else None
        is_pull = self.issue is not None and self.issue.is_pull_request
        self.pull = call.db.find(PullRequest, PullRequest.issue_id == item.issue_id) if is_pull else None

    @property
    def title(self) -> str:
        """The title of the item's content, or of the draft."""
        return self.issue.title if self.issue else self.item.title or ""

    def texts(self, field: Field) -> list[str]:
        """Return the values of a field as texts, none if it is empty."""
        kind, value = field["data_type"], self.item.values.get(str(field["id"]))
        if kind in _TEXTS:
            return [text for text in _TEXTS[kind](self) if text]
        if kind == "single_select":
            return [str(option["name"])] if (option := find_option(field, value)) else []
        if kind == "iteration":
            return [str(iteration["title"])] if (iteration := find_iteration(field, value)) else []
        return [] if value is None else [str(value)]

    def rank(self, field: Field) -> float | None:
        """Return the number by which a number, a date or an iteration is compared; None without a value."""
        value = self.item.values.get(str(field["id"]))
        if value is None or field["data_type"] == "number":
            return value
        if field["data_type"] == "date":
            return date.fromisoformat(value).toordinal()
        iteration = find_iteration(field, value)
        return date.fromisoformat(iteration["start_date"]).toordinal() if iteration else None


def _milestones(facts: ItemFacts) -> Iterable[str]:
    number = facts.issue.milestone_id if facts.issue else None
    return [facts.call.db.get(Milestone, number).title] if number else []


def _reviewers(facts: ItemFacts) -> Iterable[str]:
    if facts.pull is None:
        return []
    rows = facts.call.db.rows(Review, Review.pull_request_id == facts.pull.id, not_(Review.submitted_at.is_null()))
    return {*facts.pull.requested_reviewers, *(row.user for row in rows)}


def _parents(facts: ItemFacts) -> Iterable[str]:
    parent = facts.call.db.find(Issue, Issue.id == facts.issue.parent_id) if facts.issue else None
    return [f"{facts.call.db.get(Repository, parent.repository_id).full_name}#{parent.number}"] if parent else []


_TEXTS: dict[str, Callable[[ItemFacts], Iterable[str]]] = {
    "title": lambda facts: [facts.title],
    "assignees": lambda facts: facts.issue.assignees if facts.issue else facts.item.assignees or [],
    "labels": lambda facts: facts.issue.labels if facts.issue else [],
    "milestone": _milestones,
    "repository": lambda facts: [facts.repo.full_name] if facts.repo else [],
    "reviewers": _reviewers,
    "parent_issue": _parents,
}
_STATES: dict[str, Callable[[ItemFacts], bool]] = {
    "open": lambda facts: facts.issue is not None and facts.issue.state == "open",
    "closed": lambda facts: facts.issue is not None and facts.issue.state == "closed",
    "merged": lambda facts: facts.pull is not None and facts.pull.merged,
    "issue": lambda facts: facts.issue is not None and facts.pull is None,
    "pr": lambda facts: facts.pull is not None,
    "draft": lambda facts: facts.item.content_type == "DraftIssue" or (facts.pull is not None and facts.pull.draft),
}


def filter_items(call: Call, project: Project, items: list[ProjectItem], query: str) -> list[ProjectItem]:
    """Return the items for which all parts of a filter hold; raise NotServedHere for a qualifier that is not known."""
    parts = parse_filter(query)
    tests = [(_test_of(call, project, part), part.negated) for part in parts]
    return [
        item
        for item in items
        if not tests or all(test(facts) != negated for facts in (ItemFacts(call, item),) for test, negated in tests)
    ]


def parse_filter(query: str) -> list[ItemFilter]:
    """Parse a filter into its parts."""
    parts: list[ItemFilter] = []
    for hyphen, name, text in _TOKEN.findall(query):
        values = [_unquote(each) for each in _VALUE.findall(text)] if name else [_unquote(text)]
        parts.append(ItemFilter(name.lower(), values, bool(hyphen)))
    return parts


def _unquote(text: str) -> str:
    return re.sub(r"""["']""", "", text).strip()


def _test_of(call: Call, project: Project, part: ItemFilter) -> Callable[[ItemFacts], bool]:
    """Return the test of one part of a filter, without its negation."""
    if not part.name:
        return lambda facts: _has_text(project, facts, part.values[0])
    if part.name == "is":
        states = [_find_state(value) for value in part.values]
        return lambda facts: any(is_so(facts) for is_so in states)
    if part.name == "no":
        fields = [_find_field(project, value, "no:") for value in part.values]
        return lambda facts: any(not facts.texts(field) for field in fields)
    if part.name == "reason":
        reasons = {value.lower().replace(" ", "_") for value in part.values}
        return lambda facts: facts.issue is not None and facts.issue.state_reason in reasons
    if part.name == "type":
        types = {value.lower() for value in part.values}
        return lambda facts: facts.issue is not None and (facts.issue.type or "").lower() in types
    if part.name == "last-updated":
        limits = [_updated_before(call, value) for value in part.values]
        return lambda facts: any(_updated_at(facts) <= limit for limit in limits)
    field = _find_field(project, part.name, "")
    if field["data_type"] in ("number", "date", "iteration"):
        spans = [_read_span(call, field, value) for value in part.values]
        return lambda facts: (rank := facts.rank(field)) is not None and any(low <= rank <= high for low, high in spans)
    patterns = [_pattern_of(call.actor if value.lower() == "@me" else value) for value in part.values]
    return lambda facts: any(pattern.fullmatch(text) for pattern in patterns for text in facts.texts(field))


def _find_state(value: str) -> Callable[[ItemFacts], bool]:
    if value.lower() not in _STATES:
        raise _unknown("is:", value, _STATES)
    return _STATES[value.lower()]


def _unknown(prefix: str, value: str, known: Iterable[str]) -> NotServedHere:
    """Build the refusal of a filter, with the known one that is nearest to it."""
    near = get_close_matches(value.lower(), list(known), 1)
    hint = f"; did you mean {prefix}{near[0]}?" if near else ""
    return NotServedHere(f"Not implemented: the filter {prefix}{value} of project items{hint}")


def _find_field(project: Project, name: str, prefix: str) -> Field:
    """Return the field of a project that a filter names, in lower case and with hyphens for spaces."""
    names = {str(field["name"]).lower().replace(" ", "-"): field for field in project.fields}
    by_kind = {field["data_type"]: field for field in project.fields if field["data_type"] in _TEXTS}
    wanted = name.lower().replace(" ", "-")
    field = names.get(wanted) or by_kind.get(_ALIASES.get(wanted, wanted).replace("-", "_"))
    if field is None or field["data_type"] in ("linked_pull_requests", "sub_issues_progress"):
        raise _unknown(prefix, name, [each for each in names if names[each] is not field])
    return field


def _has_text(project: Project, facts: ItemFacts, text: str) -> bool:
    """Return whether the title or a text field of an item contains a text."""
    fields = [field for field in project.fields if field["data_type"] in ("title", "text")]
    return any(text.lower() in value.lower() for field in fields for value in facts.texts(field))


def _pattern_of(text: str) -> re.Pattern[str]:
    """Return the pattern of a value, in which `*` stands for any text."""
    plain = text.replace("[", "[[]").replace("?", "[?]")
    return re.compile(translate(plain), re.IGNORECASE)


def _updated_at(facts: ItemFacts) -> str:
    return max(facts.item.updated_at, facts.issue.updated_at if facts.issue else "")


def _updated_before(call: Call, text: str) -> str:
    days = _AGE.fullmatch(text)
    if days is None:
        raise Unprocessable(f"{text!r} is not a number of days, such as 7days")
    now = datetime.fromisoformat(call.clock.iso())
    return parse_instant((now - timedelta(days=int(days[1]))).isoformat()) or ""


def _read_span(call: Call, field: Field, text: str) -> tuple[float, float]:
    """Return the lowest and the highest number that a value, a comparison or a range admits."""
    low, dots, high = text.partition("..")
    least, most = float("-inf"), float("inf")
    if dots:
        return (
            least if low in ("", "*") else _read_rank(call, field, low),
            most if high in ("", "*") else _read_rank(call, field, high),
        )
    operator = next((each for each in _OPERATORS if text.startswith(each)), "")
    rank = _read_rank(call, field, text.removeprefix(operator))
    return {
        "": (rank, rank),
        ">": (nextafter(rank, most), most),
        ">=": (rank, most),
        "<": (least, nextafter(rank, least)),
        "<=": (least, rank),
    }[operator]


def _read_rank(call: Call, field: Field, text: str) -> float:
    """Return the number that a value of a filter stands for; raise GitHub's 422 for one that the field cannot have."""
    keyword = _KEYWORD.fullmatch(text.strip())
    shift = int(f"{keyword[2] or '+'}{keyword[3] or 0}") if keyword else 0
    today = date.fromisoformat(call.clock.iso()[:10]).toordinal()
    kind = field["data_type"]
    try:
        if kind == "number":
            return float(text)
        if kind == "date":
            is_today = keyword is not None and keyword[1].lower() == "@today"
            return today + shift if is_today else date.fromisoformat(text.strip()).toordinal()
        return _iteration_rank(field, text.strip(), today, keyword and (keyword[1].lower(), shift))
    except ValueError:
        raise Unprocessable(f"{text!r} is not a value of the {kind} field {field['name']!r}") from None


def _iteration_rank(field: Field, text: str, today: int, keyword: tuple[str, int] | None) -> float:
    """Return the first day of an iteration, given by its title or by where it stands from today."""
    iterations: list[dict[str, Any]] = field["configuration"]["iterations"]
    starts = sorted(date.fromisoformat(each["start_date"]).toordinal() for each in iterations)
    if keyword is None or keyword[0] not in _OFFSETS:
        named = [each for each in iterations if str(each["title"]).lower() == text.lower()]
        if not named:
            raise ValueError(text)
        return date.fromisoformat(named[0]["start_date"]).toordinal()
    current = sum(start <= today for start in starts) - 1
    place = current + _OFFSETS[keyword[0]] + keyword[1]
    if place < 0:
        return float("-inf")
    return starts[place] if place < len(starts) else float("inf")

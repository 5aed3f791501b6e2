"""Issue filters that are not columns: relations, texts, agent sessions, activity, and features the twin does not have.

https://linear.app/developers/filtering
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twindiff.kit import Call, all_of, any_of, exists, not_
from twindiff.kit.computed_values import count
from twindiff.kit.graphql import Section, by_case, entity_operations, fits, in_words, is_negative, no_rows, yes_or_no
from twindiff.kit.rows import Column, Expression

from ..core.word_filters import match_all_words
from ..model.agents import AgentSession
from ..model.comments import Comment
from ..model.history import IssueHistory
from ..model.issues import Issue, IssueRelation

api = Section()


def _register_relation_filter(name: str, kind: str, *, mine: str, theirs: str) -> None:
    """Register a filter for issues with a relation of `kind`, where `mine` and `theirs` are the ends compared."""

    @api.filter(Issue, name)
    def has_relation(call: Call, comparator: dict[str, Any]) -> Expression:  # pyright: ignore[reportUnusedFunction]
        relation = IssueRelation.row
        here = getattr(relation, mine) == Issue.row.id
        there = getattr(relation, theirs) == Issue.row.id
        related = exists(relation, any_of(here, there), relation.type == kind, relation.archivedAt.is_null())
        return yes_or_no(related, comparator)


_register_relation_filter("hasBlockingRelations", "blocks", mine="issueId", theirs="issueId")
_register_relation_filter("hasBlockedByRelations", "blocks", mine="relatedIssueId", theirs="relatedIssueId")
_register_relation_filter("hasDuplicateRelations", "duplicate", mine="issueId", theirs="relatedIssueId")
_register_relation_filter("hasRelatedRelations", "related", mine="issueId", theirs="relatedIssueId")


def _never(name: str) -> None:
    """Register a filter for a feature that the twin does not have, such as pull requests or suggestions."""

    @api.filter(Issue, name)
    def has_none(call: Call, comparator: dict[str, Any]) -> Expression:  # pyright: ignore[reportUnusedFunction]
        return yes_or_no(any_of(), comparator)


for _name in (
    "hasMergedAgentPullRequests",
    "hasSharedUsers",
    "hasSuggestedAssignees",
    "hasSuggestedLabels",
    "hasSuggestedProjects",
    "hasSuggestedRelatedIssues",
    "hasSuggestedSimilarIssues",
    "hasSuggestedTeams",
):
    _never(_name)


def _at_work(name: str, condition: Expression) -> None:
    """Register a filter for issues with an agent session that matches a condition."""

    @api.filter(Issue, name)
    def has_session(call: Call, comparator: dict[str, Any]) -> Expression:  # pyright: ignore[reportUnusedFunction]
        session = AgentSession.row
        return yes_or_no(exists(session, session.issueId == Issue.row.id, condition), comparator)


_at_work("hasActiveAgentSessions", AgentSession.row.status.in_(("pending", "active", "awaitingInput")))
_at_work("hasDismissedAgentSessions", not_(AgentSession.row.dismissedAt.is_null()))
_at_work("hasErroredAgentSessions", AgentSession.row.status == "error")


def _of_none(name: str) -> None:
    @api.filter(Issue, name)
    def empty(call: Call, comparator: dict[str, Any]) -> Expression:  # pyright: ignore[reportUnusedFunction]
        return no_rows(comparator)


_of_none("sharedWith")
_of_none("suggestions")


@api.filter(Issue, "sourceMetadata")
def source_metadata(call: Call, comparator: dict[str, Any]) -> Expression:
    """Build the condition on the source metadata, which is always null: no issue comes from another system."""
    inside = [comparator.get("subType") or {}, comparator.get("salesforceMetadata") and {"eq": "a case"}]
    parts = [{"null": comparator.get("null")}, *(each for each in inside if each)]
    return all_of(*(by_case({}, part) for part in parts))


@api.filter(Issue, "searchableContent")
def searchable_content(call: Call, comparator: dict[str, Any]) -> Expression:
    """Build the condition on title and description together, ignoring case."""
    return match_all_words((Issue.row.title, Issue.row.description), comparator)


# Activity: comments, and changes in the history


@api.filter(Issue, "activity")
def activity(call: Call, comparator: dict[str, Any]) -> Expression:
    """Build the condition on an issue's activity: its comments and history entries together."""
    words: dict[str, Callable[[Any], Expression]] = {
        "some": lambda given: any_of(_is_quiet(given), *(exists(*each) for each in _active(call, given, all_of))),
        "every": lambda given: all_of(
            not_(any_of(*(exists(*each) for each in _active(call, given, lambda *of: not_(all_of(*of)))))),
            all_of() if is_negative(given) else not_(_is_quiet({"neq": ""})),
        ),
        "length": lambda given: fits(_activities(Comment.row) + _activities(IssueHistory.row), given),
    }
    return in_words(comparator, words)


def _is_quiet(given: dict[str, Any]) -> Expression:
    """Build the condition that an issue has no activity, which a negative filter matches."""
    quiet = fits(_activities(Comment.row) + _activities(IssueHistory.row), {"eq": 0})
    return quiet if is_negative(given) else any_of()


def _active(
    call: Call, given: dict[str, Any], combine: Callable[..., Expression]
) -> list[tuple[Any, Expression, Expression, Expression]]:
    """Return a source for each kind of activity, and the conditions on its rows."""
    sources: list[tuple[Any, dict[str, Any]]] = [(Comment, given), (IssueHistory, _by_actor(given))]
    return [
        (
            each.row,
            each.row.issueId == Issue.row.id,
            each.row.archivedAt.is_null(),
            combine(*entity_operations.matching(call, each, condition)),
        )
        for each, condition in sources
    ]


def _by_actor(given: dict[str, Any]) -> dict[str, Any]:
    """Translate a condition on a comment to one on a history entry, where the user is the `actor`."""
    return {
        "actor" if word == "user" else word: [_by_actor(each) for each in value] if word in ("and", "or") else value
        for word, value in given.items()
        if value is not None
    }


def _activities(table: Any) -> Column[int]:
    """Build the number of a table's rows that refer to an issue."""
    return count(table, table.issueId == Issue.row.id, table.archivedAt.is_null())

"""The conditions that a search of discussions is about.

https://docs.github.com/en/search-github/searching-on-github/searching-discussions
"""

from __future__ import annotations

from collections.abc import Callable

from twindiff.kit import Call, any_of
from twindiff.kit.rows import Expression, exists, not_

from ..core.date_ranges import date_conditions
from ..issues.issues import has_item
from ..tables.discussion_tables import Discussion, DiscussionCategory, DiscussionComment
from .search_query import Qualifier, parse_query, words_in
from .searches import negate, number_conditions, resolve_me, scope_conditions

QUALIFIERS = frozenset(
    (
        "repo", "org", "user", "author", "commenter", "answered-by", "category", "label", "is", "type",
        "created", "updated", "comments", "in", "sort",
    )
)  # fmt: skip


def discussion_conditions(call: Call, text: str) -> list[Expression]:
    """Return the conditions of discussions that a query finds in repositories that the caller sees."""
    query = parse_query(text, QUALIFIERS)
    where = scope_conditions(call, query, Discussion.repository_id)
    for qualifier in query.qualifiers:
        where += _conditions(call, qualifier)
    return where + words_in([Discussion.title, Discussion.body], query.words)


def _conditions(call: Call, qualifier: Qualifier) -> list[Expression]:
    """Return the conditions of one qualifier; none for one that has no effect here."""
    value, login = qualifier.value, resolve_me(call, qualifier.value)
    category = DiscussionCategory.id == Discussion.category_id
    named = any_of(DiscussionCategory.name.equals(value), DiscussionCategory.slug == value)
    comments = DiscussionComment.discussion_id == Discussion.id
    simple: dict[str, Callable[[], Expression]] = {
        "is": lambda: _state_condition(value),
        "author": lambda: Discussion.user == login,
        "commenter": lambda: exists(DiscussionComment, comments, DiscussionComment.user == login),
        "answered-by": lambda: exists(
            DiscussionComment, DiscussionComment.id == Discussion.answer_id, DiscussionComment.user == login
        ),
        "category": lambda: exists(DiscussionCategory, category, named),
        "label": lambda: has_item(Discussion.labels, value),
    }
    if qualifier.name in simple:
        return [negate(simple[qualifier.name](), qualifier)]
    columns = {"created": Discussion.created_at, "updated": Discussion.updated_at}
    if qualifier.name in columns:
        return [negate(each, qualifier) for each in date_conditions(columns[qualifier.name], value)]
    return number_conditions(Discussion.comments, value) if qualifier.name == "comments" else []


def _state_condition(value: str) -> Expression:
    is_open, is_unanswered = Discussion.closed_at.is_null(), Discussion.answer_id.is_null()
    states: dict[str, Expression] = {
        "open": is_open,
        "closed": not_(is_open),
        "unanswered": is_unanswered,
        "answered": not_(is_unanswered),
        "locked": Discussion.locked.is_true,
        "unlocked": ~Discussion.locked,
    }
    return states.get(value, any_of(is_open, not_(is_open)))

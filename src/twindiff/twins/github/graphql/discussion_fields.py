"""Fields of discussions, their categories and comments.

https://docs.github.com/en/graphql/guides/using-the-graphql-api-for-discussions
"""

from __future__ import annotations

from typing import Any

from twindiff.kit import Call
from twindiff.kit.rows import Expression, exists, not_

from ..core.access import association_of, may
from ..core.stamps import show_instant
from ..core.visibility import visible_to_caller
from ..discussions.discussion_views import comment_url, discussion_url
from ..search.discussion_search import discussion_conditions
from ..tables.discussion_tables import Discussion, DiscussionCategory, DiscussionComment
from ..tables.issue_tables import Label
from ..tables.repository_tables import Repository
from ..views.user_views import PAGES
from .nodes import GraphNode, GraphRefusal, connect, find_node, user_node
from .resolvers import compute, connect_rows, enclosing_repo, field


def discussion_node(call: Call, row: Discussion) -> GraphNode:
    """Return a discussion as a node."""
    return GraphNode("Discussion", row, call.db.get(Repository, row.repository_id))


def _order(wanted: dict[str, Any] | None) -> tuple[Any, Any]:
    """Return the order that `orderBy` selects; by default the last changed first."""
    by = wanted or {"field": "UPDATED_AT", "direction": "DESC"}
    column = Discussion.created_at if by["field"] == "CREATED_AT" else Discussion.updated_at
    return (-column, -Discussion.id) if by["direction"] == "DESC" else (column, Discussion.id)


def _filters(arguments: dict[str, Any]) -> list[Expression]:
    """Return the conditions of `states` and `answered`."""
    states: list[str] = arguments.get("states") or []
    where: list[Expression] = []
    if len(states) == 1:
        where.append(Discussion.closed_at.is_null() if states == ["OPEN"] else not_(Discussion.closed_at.is_null()))
    if arguments.get("answered") is not None:
        open_ones = Discussion.answer_id.is_null()
        where.append(not_(open_ones) if arguments["answered"] else open_ones)
    return where


@field("Repository.discussions")
def _discussions(call: Call, node: GraphNode, **arguments: Any) -> Any:
    where = [Discussion.repository_id == node.row.id, *_filters(arguments)]
    if arguments.get("categoryId"):
        category = find_node(call, arguments["categoryId"], "DiscussionCategory").row
        where.append(Discussion.category_id == category.id)
    order = _order(arguments.get("orderBy"))
    return connect_rows(call, Discussion, where, order, lambda row: GraphNode("Discussion", row, node.row), arguments)


@field("User.repositoryDiscussions", "Organization.repositoryDiscussions")
def _owned_discussions(call: Call, node: GraphNode, **arguments: Any) -> Any:
    if node.type == "Organization":
        owner = Repository.owner == node.row.login
        where = [exists(Repository, Repository.id == Discussion.repository_id, owner, visible_to_caller(call))]
    else:
        visible = exists(Repository, Repository.id == Discussion.repository_id, visible_to_caller(call))
        where = [Discussion.user == node.row.login, visible]
    order = _order(arguments.get("orderBy"))
    return connect_rows(
        call, Discussion, [*where, *_filters(arguments)], order, lambda row: discussion_node(call, row), arguments
    )


@field("Repository.discussion")
def _discussion(call: Call, node: GraphNode, number: int) -> Any:
    row = call.db.find(Discussion, Discussion.repository_id == node.row.id, Discussion.number == number)
    if row is None:
        raise GraphRefusal(f"Could not resolve to a Discussion with the number of {number}.")
    return GraphNode("Discussion", row, node.row)


def _category_node(row: DiscussionCategory, repo: Repository) -> GraphNode:
    return GraphNode("DiscussionCategory", row, repo)


@field("Repository.discussionCategories")
def _categories(call: Call, node: GraphNode, **arguments: Any) -> Any:
    where: list[Expression] = [DiscussionCategory.repository_id == node.row.id]
    rows = call.db.rows(DiscussionCategory, *where, order=DiscussionCategory.id)
    return connect([_category_node(row, node.row) for row in rows], arguments)


@field("Repository.discussionCategory")
def _category_by_slug(call: Call, node: GraphNode, slug: str) -> Any:
    where = (DiscussionCategory.repository_id == node.row.id, DiscussionCategory.slug == slug)
    row = call.db.find(DiscussionCategory, *where)
    return _category_node(row, node.row) if row else None


@field("Discussion.category")
def _category(call: Call, node: GraphNode) -> Any:
    return _category_node(call.db.get(DiscussionCategory, node.row.category_id), enclosing_repo(node))


for _kind in ("Discussion", "DiscussionCategory"):
    compute(f"{_kind}.repository")(lambda call, node: GraphNode("Repository", node.repo))
for _kind in ("Discussion", "DiscussionComment"):
    compute(f"{_kind}.author")(lambda call, node: user_node(call, node.row.user))
    compute(f"{_kind}.authorAssociation")(lambda call, node: association_of(call, enclosing_repo(node), node.row.user))
    compute(f"{_kind}.bodyText")(lambda call, node: node.row.body)
    compute(f"{_kind}.publishedAt")(lambda call, node: show_instant(node.row.created_at))
    compute(f"{_kind}.resourcePath")(lambda call, node: f"{_path(call, node)}")
    compute(f"{_kind}.url")(lambda call, node: f"{PAGES}{_path(call, node)}")
    compute(f"{_kind}.upvoteCount")(lambda call, node: len(node.row.upvotes))
    compute(f"{_kind}.viewerCanUpvote")(lambda call, node: True)
    compute(f"{_kind}.viewerHasUpvoted")(lambda call, node: call.actor in node.row.upvotes)
    compute(f"{_kind}.viewerDidAuthor")(lambda call, node: node.row.user == call.actor)
    compute(f"{_kind}.viewerCanUpdate")(lambda call, node: _may_edit(call, node, "push"))
compute("DiscussionComment.viewerCanDelete")(lambda call, node: _may_edit(call, node, "push"))
compute("Discussion.viewerCanDelete")(lambda call, node: may(call, enclosing_repo(node), "push"))
compute("Discussion.viewerCanLabel")(lambda call, node: may(call, enclosing_repo(node), "triage"))
compute("Discussion.closed")(lambda call, node: node.row.closed_at is not None)
compute("Discussion.stateReason")(lambda call, node: node.row.state_reason.upper() if node.row.state_reason else None)
compute("Discussion.answerChosenAt")(lambda call, node: show_instant(node.row.answer_chosen_at))
compute("Discussion.answerChosenBy")(lambda call, node: user_node(call, node.row.answer_chosen_by))
compute("Discussion.answer")(lambda call, node: _comment_node(call, node.row.answer_id, node.repo))
compute("Discussion.viewerCanClose")(lambda call, node: not node.row.closed_at and _may_edit(call, node, "triage"))
compute("Discussion.viewerCanReopen")(lambda call, node: bool(node.row.closed_at) and _may_edit(call, node, "triage"))


def _may_edit(call: Call, node: GraphNode, need: str) -> bool:
    return node.row.user == call.actor or may(call, enclosing_repo(node), need)


def _path(call: Call, node: GraphNode) -> str:
    """Return the path of the page of a discussion or a comment."""
    repo = enclosing_repo(node)
    if node.type == "Discussion":
        return discussion_url(call, repo, node.row).removeprefix(PAGES)
    return comment_url(call, repo, _discussion_of(call, node), node.row.id).removeprefix(PAGES)


def _discussion_of(call: Call, node: GraphNode) -> Discussion:
    return call.db.get(Discussion, node.row.discussion_id)


def _comment_node(call: Call, comment_id: int | None, repo: Repository | None) -> GraphNode | None:
    row = call.db.find(DiscussionComment, DiscussionComment.id == comment_id) if comment_id else None
    return GraphNode("DiscussionComment", row, repo) if row else None


@field("Discussion.isAnswered")
def _is_answered(call: Call, node: GraphNode) -> bool | None:
    is_answerable = call.db.get(DiscussionCategory, node.row.category_id).is_answerable
    return node.row.answer_id is not None if is_answerable else None


@field("Discussion.labels")
def _labels(call: Call, node: GraphNode, **arguments: Any) -> Any:
    names: list[str] = node.row.labels
    where = (Label.repository_id == enclosing_repo(node).id, Label.name.in_(names))
    rows = call.db.rows(Label, *where, order=Label.id) if names else []
    return connect([GraphNode("Label", row, node.repo) for row in rows], arguments)


def _connect_comments(call: Call, node: GraphNode, where: list[Expression], arguments: dict[str, Any]) -> Any:
    show = GraphNode
    return connect_rows(
        call,
        DiscussionComment,
        where,
        DiscussionComment.id,
        lambda row: show("DiscussionComment", row, node.repo),
        arguments,
    )


@field("Discussion.comments")
def _comments(call: Call, node: GraphNode, **arguments: Any) -> Any:
    where: list[Expression] = [DiscussionComment.discussion_id == node.row.id, DiscussionComment.parent_id.is_null()]
    return _connect_comments(call, node, where, arguments)


@field("DiscussionComment.replies")
def _replies(call: Call, node: GraphNode, **arguments: Any) -> Any:
    where: list[Expression] = [DiscussionComment.discussion_id == node.row.discussion_id]
    return _connect_comments(call, node, [*where, DiscussionComment.parent_id == node.row.id], arguments)


compute("DiscussionComment.discussion")(
    lambda call, node: GraphNode("Discussion", _discussion_of(call, node), node.repo)
)
compute("DiscussionComment.replyTo")(lambda call, node: _comment_node(call, node.row.parent_id, node.repo))
compute("DiscussionComment.isAnswer")(lambda call, node: _discussion_of(call, node).answer_id == node.row.id)
compute("DiscussionComment.isMinimized")(lambda call, node: False)
compute("DiscussionComment.minimizedReason")(lambda call, node: None)


def _may_answer(call: Call, node: GraphNode, *, marked: bool) -> bool:
    discussion = _discussion_of(call, node)
    answerable = call.db.get(DiscussionCategory, discussion.category_id).is_answerable
    allowed = discussion.user == call.actor or may(call, enclosing_repo(node), "triage")
    return answerable and allowed and (discussion.answer_id == node.row.id) == marked


compute("DiscussionComment.viewerCanMarkAsAnswer")(lambda call, node: _may_answer(call, node, marked=False))
compute("DiscussionComment.viewerCanUnmarkAsAnswer")(lambda call, node: _may_answer(call, node, marked=True))


def search_discussions(call: Call, query: str, arguments: dict[str, Any], counts: dict[str, int]) -> Any:
    """Return the discussions that a search finds."""
    where = discussion_conditions(call, query)
    more = {**counts, "discussionCount": call.db.count(Discussion, *where)}
    return connect_rows(
        call, Discussion, where, _order(None), lambda row: discussion_node(call, row), arguments, **more
    )

"""Polls of discussions, which are made on GitHub's pages and voted in by GraphQL.

https://docs.github.com/en/graphql/reference/objects#discussionpoll
"""

from __future__ import annotations

from typing import Any, NamedTuple

from twindiff.kit import Call

from ..core.access import authorize
from ..core.node_ids import node_id, parse_node_id
from ..discussions.discussion_changes import vote_in_poll
from ..tables.discussion_tables import Discussion
from .mutations import Input, mutation
from .nodes import GraphNode, GraphRefusal, connect, find_node
from .resolvers import compute, enclosing_repo, field


class PollOption(NamedTuple):
    """An option of a discussion's poll: its place, text and voters."""

    discussion: Discussion
    place: int
    option: str
    votes: list[str]


def _options_of(discussion: Discussion) -> list[PollOption]:
    poll: dict[str, Any] = discussion.poll or {}
    options: list[dict[str, Any]] = poll.get("options") or []
    return [
        PollOption(discussion, place, each["option"], list(each.get("votes") or []))
        for place, each in enumerate(options)
    ]


def _has_voted(call: Call, node: GraphNode) -> bool:
    return any(call.actor in option.votes for option in _options_of(node.row))


@field("Discussion.poll")
def _poll(call: Call, node: GraphNode) -> Any:
    return GraphNode("DiscussionPoll", node.row, node.repo) if node.row.poll else None


@field("DiscussionPoll.options")
def _options(call: Call, node: GraphNode, **arguments: Any) -> Any:
    wanted: dict[str, Any] = arguments.get("orderBy") or {"field": "AUTHORED_ORDER", "direction": "ASC"}
    options = _options_of(node.row)
    if wanted["field"] == "VOTE_COUNT":
        options.sort(key=lambda option: len(option.votes))
    ordered = options[::-1] if wanted["direction"] == "DESC" else options
    return connect([GraphNode("DiscussionPollOption", option, node.repo) for option in ordered], arguments)


compute("DiscussionPoll.id")(lambda call, node: node_id("DP", enclosing_repo(node).id, node.row.id))
compute("DiscussionPoll.question")(lambda call, node: node.row.poll["question"])
compute("DiscussionPoll.discussion")(lambda call, node: GraphNode("Discussion", node.row, node.repo))
compute("DiscussionPoll.totalVoteCount")(lambda call, node: sum(len(each.votes) for each in _options_of(node.row)))
compute("DiscussionPoll.viewerHasVoted")(_has_voted)
compute("DiscussionPoll.viewerCanVote")(
    lambda call, node: not (node.row.locked or node.row.closed_at or _has_voted(call, node))
)
compute("DiscussionPollOption.id")(lambda call, node: node_id("DPO", node.row.discussion.id, node.row.place))
compute("DiscussionPollOption.option")(lambda call, node: node.row.option)
compute("DiscussionPollOption.poll")(lambda call, node: GraphNode("DiscussionPoll", node.row.discussion, node.repo))
compute("DiscussionPollOption.totalVoteCount")(lambda call, node: len(node.row.votes))
compute("DiscussionPollOption.viewerHasVoted")(lambda call, node: call.actor in node.row.votes)


@mutation
def add_discussion_poll_vote(call: Call, given: Input) -> Any:
    """Run `addDiscussionPollVote`, and return its payload."""
    parts = parse_node_id(given["pollOptionId"])
    number, place = (parts.ids[0], parts.ids[-1]) if parts and parts.prefix == "DPO" else (None, None)
    row = call.db.find(Discussion, Discussion.id == number) if isinstance(number, int) else None
    if row is None or not isinstance(place, int) or not 0 <= place < len(_options_of(row)):
        raise GraphRefusal(f"Could not resolve to a node with the global id of '{given['pollOptionId']}'")
    node = find_node(call, node_id("D", row.repository_id, row.id), "Discussion")
    repo = enclosing_repo(node)
    authorize(call, "POST", "/repos/{owner}/{repo}/discussions", {"owner": repo.owner, "repo": repo.name})
    call.memo.pop("guarded_repo", None)
    voted = vote_in_poll(call, repo, row, place)
    return {"pollOption": GraphNode("DiscussionPollOption", _options_of(voted)[place], repo)}

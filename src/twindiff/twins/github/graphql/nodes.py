"""Objects of GraphQL: rows with their type, connections of them, and global ids both ways."""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from graphql import GraphQLError

from twindiff.kit import Call
from twindiff.kit.errors import ApiError

from ..core.access import may
from ..core.node_ids import node_id, parse_node_id
from ..git.histories import get_commit
from ..projects.project_changes import can_see
from ..tables.discussion_tables import Discussion, DiscussionCategory, DiscussionComment
from ..tables.issue_tables import (
    Issue,
    IssueComment,
    Label,
    LinkedBranch,
    Milestone,
    PullRequest,
    Review,
    ReviewComment,
)
from ..tables.project_tables import Project, ProjectItem, ProjectStatusUpdate
from ..tables.repository_tables import Release, Repository
from ..tables.user_tables import Team, User

MAX_PAGE = 100
DEFAULT_PAGE = 30


class GraphNode(NamedTuple):
    """A row as an object of GraphQL: the name of its type, and the repository that it is in."""

    type: str
    row: Any
    repo: Repository | None = None


class ProjectField(NamedTuple):
    """A field of a project, as the row of a node."""

    project: Project
    field: dict[str, Any]


class GraphRefusal(GraphQLError):
    """An error with GitHub's `type`, such as NOT_FOUND."""

    def __init__(self, message: str, kind: str = "NOT_FOUND") -> None:
        super().__init__(message)
        self.kind = kind


PREFIXES: dict[str, tuple[str, type[Any]]] = {
    "R": ("Repository", Repository),
    "I": ("Issue", Issue),
    "PR": ("PullRequest", PullRequest),
    "IC": ("IssueComment", IssueComment),
    "LA": ("Label", Label),
    "LB": ("LinkedBranch", LinkedBranch),
    "MI": ("Milestone", Milestone),
    "PRR": ("PullRequestReview", Review),
    "PRRC": ("PullRequestReviewComment", ReviewComment),
    "PRRT": ("PullRequestReviewThread", ReviewComment),
    "RE": ("Release", Release),
    "T": ("Team", Team),
    "D": ("Discussion", Discussion),
    "DC": ("DiscussionComment", DiscussionComment),
    "DIC": ("DiscussionCategory", DiscussionCategory),
    "PVT": ("ProjectV2", Project),
    "PVTI": ("ProjectV2Item", ProjectItem),
    "PVTSU": ("ProjectV2StatusUpdate", ProjectStatusUpdate),
    "DI": ("DraftIssue", ProjectItem),
}
_FIELD_TYPES = {
    "PVTF": "ProjectV2Field",
    "PVTSSF": "ProjectV2SingleSelectField",
    "PVTIF": "ProjectV2IterationField",
}


def id_of(node: GraphNode) -> str:
    """Return the global id of an object."""
    prefix = next((name for name, (kind, _) in PREFIXES.items() if kind == node.type), "")
    if node.type == "Repository":
        return node_id("R", node.row.id)
    return node_id(prefix, node.repo.id if node.repo else 0, node.row.id)


def user_node(call: Call, login: str | None) -> GraphNode | None:
    """Return the user or organization with a login; None if there is none."""
    user = call.db.find(User, User.login == login) if login else None
    return GraphNode(user.type, user) if user else None


def user_nodes(call: Call, logins: Sequence[str]) -> list[GraphNode]:
    """Return the users with some logins."""
    return [node for login in logins if (node := user_node(call, login))]


def repo_of(call: Call, kind: str, row: Any) -> Repository | None:
    """Return the repository that a row is in."""
    if kind == "PullRequestReview":
        row = call.db.get(PullRequest, row.pull_request_id)
    repository_id: int | None = getattr(row, "repository_id", None)
    return call.db.find(Repository, Repository.id == repository_id) if repository_id else None


def find_node(call: Call, text: str, *kinds: str) -> GraphNode:
    """Return the object with a global id that the caller may see, of one of some types; raise NOT_FOUND."""
    node = _find_node(call, text)
    if node is None or (kinds and node.type not in kinds):
        raise GraphRefusal(f"Could not resolve to a node with the global id of '{text}'")
    return node


def _find_node(call: Call, text: str) -> GraphNode | None:
    parts = parse_node_id(text)
    if parts is None:
        return None
    own = parts.ids[-1]
    if parts.prefix in ("U", "O", "BOT"):
        user = call.db.find(User, User.id == own)
        return user_node(call, user.login) if user else None
    if parts.prefix == "C" and isinstance(own, str):
        repo = call.db.find(Repository, Repository.id == parts.ids[0])
        commit = get_commit(call, repo.network_id, own) if repo and may(call, repo, "pull") else None
        return GraphNode("Commit", commit, repo) if commit else None
    if parts.prefix in _FIELD_TYPES:
        return _find_project_field(call, _FIELD_TYPES[parts.prefix], parts.ids)
    if parts.prefix not in PREFIXES or not isinstance(own, int):
        return None
    kind, table = PREFIXES[parts.prefix]
    row: Any = call.db.find(table, table.id == own)
    if row is None and kind == "PullRequest":  # issues of pull requests have the prefix too
        row = call.db.find(PullRequest, PullRequest.issue_id == own)
    if row is None:
        return None
    if isinstance(row, Project | ProjectItem | ProjectStatusUpdate):
        return GraphNode(kind, row) if _sees_project(call, kind, row) else None
    repo = row if kind == "Repository" else repo_of(call, kind, row)
    if repo and not may(call, repo, "pull"):
        return None
    return GraphNode(kind, row, None if kind == "Repository" else repo)


def _sees_project(call: Call, kind: str, row: Project | ProjectItem | ProjectStatusUpdate) -> bool:
    """Return whether the caller sees a project or a part of one; drafts are only items with that content."""
    if isinstance(row, Project):
        return can_see(call, row)
    is_draft = isinstance(row, ProjectStatusUpdate) or row.content_type == "DraftIssue"
    return (is_draft or kind != "DraftIssue") and can_see(call, call.db.get(Project, row.project_id))


def _find_project_field(call: Call, kind: str, ids: tuple[Any, ...]) -> GraphNode | None:
    project = call.db.find(Project, Project.id == ids[0]) if isinstance(ids[0], int) else None
    if project is None or not can_see(call, project):
        return None
    own = next((each for each in project.fields if each["id"] == ids[-1]), None)
    return GraphNode(kind, ProjectField(project, own)) if own else None


def cursor_of(place: int) -> str:
    """Return the cursor of a place in a list."""
    return b64encode(f"cursor:{place}".encode()).decode()


def place_of(cursor: str | None) -> int | None:
    """Return the place of a cursor; raise an error for one that no list gave."""
    if cursor is None:
        return None
    try:
        text = b64decode(cursor, validate=True).decode()
    except ValueError:
        text = ""
    if not text.startswith("cursor:") or not text[7:].isdecimal() or len(text) > 20:
        raise GraphRefusal(f"`{cursor[:60]}` does not appear to be a valid cursor.", "INVALID_CURSOR_ARGUMENTS")
    return int(text[7:])


def connect(items: Sequence[Any], arguments: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Return a connection with the part of a list that `first`, `after`, `last` and `before` select."""
    return connect_page(len(items), lambda start, stop: list(items[start:stop]), arguments, **more)


def connect_page(
    total: int, read: Callable[[int, int], list[Any]], arguments: dict[str, Any], **more: Any
) -> dict[str, Any]:
    """Return a connection of `total` objects, of which `read(start, stop)` returns a part."""
    for name in ("first", "last"):
        if not 0 <= (arguments.get(name) or 0) <= MAX_PAGE:
            limit = f"exceeds the `{name}` limit of {MAX_PAGE} records."
            text = f"Requesting {arguments[name]} records on the connection {limit}"
            raise GraphRefusal(text, "EXCESSIVE_PAGINATION")
    after, before = place_of(arguments.get("after")), place_of(arguments.get("before"))
    start, stop = after or 0, total if before is None else min(before - 1, total)
    if arguments.get("last") is not None:
        start = max(start, stop - arguments["last"])
    else:
        first = arguments.get("first")
        stop = min(stop, start + (DEFAULT_PAGE if first is None else first))
    nodes = read(start, max(start, stop))
    edges = [{"node": node, "cursor": cursor_of(start + number)} for number, node in enumerate(nodes, 1)]
    info = {
        "hasNextPage": stop < total,
        "hasPreviousPage": start > 0,
        "startCursor": edges[0]["cursor"] if edges else None,
        "endCursor": edges[-1]["cursor"] if edges else None,
    }
    return {"nodes": nodes, "edges": edges, "pageInfo": info, "totalCount": total, **more}


def explain_error(error: ApiError) -> tuple[str, str]:
    """Return the message and the type of an error of the REST API in GraphQL."""
    kinds = {
        404: "NOT_FOUND",
        403: "FORBIDDEN",
        422: "UNPROCESSABLE",
        409: "UNPROCESSABLE",
        405: "UNPROCESSABLE",
        501: "NOT_IMPLEMENTED",
    }
    details: list[Any] = error.details.get("errors") or []
    texts = [
        each if isinstance(each, str) else each.get("message") or f"{each.get('field', '')} {each['code']}"
        for each in details
    ]
    return "; ".join(texts) or str(error), kinds.get(error.status, "UNPROCESSABLE")

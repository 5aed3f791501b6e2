"""How the fields of GraphQL objects are resolved: from columns, and by a table of functions for all other fields."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, cast

from twindiff.kit import Call, any_of
from twindiff.kit.rows import Expression, exists, table_of

from ..core.access import association_of, issue_of, may, permission_of
from ..core.node_ids import node_id
from ..core.stamps import show_instant
from ..core.visibility import assignable_logins, visible_to_caller
from ..git.histories import get_commit, walk_history, walk_path
from ..git.objects import store_of
from ..git.refs import HEADS, TAGS, find_ref, is_empty, list_refs, resolve_commit
from ..git.trees import find_entry
from ..issues.issues import has_item
from ..pulls.mergeability import latest_reviews, merge_state
from ..pulls.merging import issues_closed_by
from ..pulls.pull_commits import changes_of_pull, commits_of
from ..pulls.pull_views import head_repository
from ..repos.licenses import show_license
from ..tables.issue_tables import Issue, IssueComment, Label, Milestone, PullRequest, Reaction, Review, ReviewComment
from ..tables.repository_tables import CheckRun, CommitStatus, Ref, Release, Repository
from ..tables.user_tables import Membership, Team, TeamMember, User
from ..tables.work_tables import Star
from ..views.repository_views import html_url, setting
from ..views.user_views import PAGES, user_node_id
from .nodes import GraphNode, GraphRefusal, connect, connect_page, id_of, user_node, user_nodes

Resolver = Callable[..., Any]
FIELDS: dict[tuple[str, str], Resolver] = {}
_CAMEL = re.compile(r"(?<!^)(?=[A-Z])")
REACTION_NAMES = {
    "+1": "THUMBS_UP", "-1": "THUMBS_DOWN", "laugh": "LAUGH", "hooray": "HOORAY", "confused": "CONFUSED",
    "heart": "HEART", "rocket": "ROCKET", "eyes": "EYES",
}  # fmt: skip


def field(*names: str) -> Callable[[Resolver], Resolver]:
    """Declare the resolver of fields, each as `Type.field`; it takes the call, the node and the field's arguments."""

    def declare(resolver: Resolver) -> Resolver:
        for name in names:
            kind, _, own = name.partition(".")
            FIELDS[kind, own] = resolver
        return resolver

    return declare


def compute(*names: str) -> Callable[[Callable[[Call, GraphNode], Any]], None]:
    """Declare the resolver of fields without arguments."""

    def declare(resolver: Callable[[Call, GraphNode], Any]) -> None:
        field(*names)(resolver)

    return declare


def resolve_field(call: Call, source: Any, name: str, arguments: dict[str, Any]) -> Any:
    """Return the value of a field of a mapping or a node."""
    if isinstance(source, dict):
        return cast(dict[str, Any], source).get(name)
    node: GraphNode = source
    resolver = FIELDS.get((node.type, name))
    if resolver:
        return resolver(call, node, **arguments)
    column = _CAMEL.sub("_", name).lower()
    if name == "id":
        return id_of(node)
    if name == "databaseId":
        return node.row.id
    if column not in table_of(node.row.__class__).columns and node.type == "PullRequest":
        return resolve_field(call, GraphNode("Issue", issue_of(call, node.row), node.repo), name, arguments)
    if name in ("createdAt", "updatedAt", "closedAt", "mergedAt", "pushedAt", "publishedAt", "submittedAt", "dueOn"):
        return show_instant(getattr(node.row, column))
    return getattr(
        node.row, column.removeprefix("is_") if column not in table_of(node.row.__class__).columns else column
    )


def _repo(node: GraphNode) -> Repository:
    """Return the repository of a node, which may be the node itself."""
    repo: Repository = node.repo or node.row
    return repo


def _issue(call: Call, node: GraphNode) -> Issue:
    issue: Issue = issue_of(call, node.row) if node.type == "PullRequest" else node.row
    return issue


# Users and organizations

compute("User.id", "Organization.id")(lambda call, node: user_node_id(node.row))
compute("User.url", "Organization.url")(lambda call, node: f"{PAGES}/{node.row.login}")
compute("User.email")(lambda call, node: node.row.email or "")
compute("User.isViewer")(lambda call, node: node.row.login == call.actor)


@field("User.avatarUrl", "Organization.avatarUrl")
def _avatar(call: Call, node: GraphNode, size: int | None = None) -> str:
    return f"https://avatars.githubusercontent.com/u/{node.row.id}?v=4" + (f"&s={size}" if size else "")


@field("User.repositories", "Organization.repositories")
def _repositories(call: Call, node: GraphNode, **arguments: Any) -> Any:
    where: list[Expression] = [Repository.owner == node.row.login, visible_to_caller(call)]
    if arguments.get("privacy"):
        where.append(Repository.private == (arguments["privacy"] == "PRIVATE"))
    if arguments.get("isFork") is not None:
        where.append(Repository.parent_id.is_null() if not arguments["isFork"] else Repository.parent_id > 0)
    columns = {
        "CREATED_AT": Repository.created_at,
        "UPDATED_AT": Repository.updated_at,
        "PUSHED_AT": Repository.pushed_at,
    }
    wanted: dict[str, Any] = arguments.get("orderBy") or {}
    column: Any = columns.get(wanted.get("field", ""), Repository.name)
    by = -column if wanted.get("direction") == "DESC" else column
    return _connect_rows(call, Repository, where, by, lambda row: GraphNode("Repository", row), arguments)


def _connect_rows(
    call: Call,
    table: type[Any],
    where: list[Expression],
    by: Any,
    show: Callable[[Any], Any],
    arguments: dict[str, Any],
    **more: Any,
) -> Any:
    """Return a connection of rows, of which only the page is read."""

    def read(start: int, stop: int) -> list[Any]:
        rows = call.db.rows(table, *where, order=by, limit=stop - start, offset=start) if stop > start else []
        return [show(row) for row in rows]

    return connect_page(call.db.count(table, *where), read, arguments, **more)


@field("User.repository", "Organization.repository")
def _repository(call: Call, node: GraphNode, name: str) -> Any:
    row = call.db.find(Repository, Repository.full_name.equals(f"{node.row.login}/{name}"), visible_to_caller(call))
    return GraphNode("Repository", row) if row else None


@field("User.organizations")
def _organizations(call: Call, node: GraphNode, **arguments: Any) -> Any:
    rows = call.db.rows(Membership, Membership.user == node.row.login, order=Membership.org)
    return connect(user_nodes(call, [row.org for row in rows]), arguments)


@field("Organization.membersWithRole")
def _members(call: Call, node: GraphNode, **arguments: Any) -> Any:
    rows = call.db.rows(Membership, Membership.org == node.row.login, order=Membership.user)
    return connect(user_nodes(call, [row.user for row in rows]), arguments)


@field("Organization.teams")
def _teams(call: Call, node: GraphNode, **arguments: Any) -> Any:
    return _connect_rows(
        call, Team, [Team.org == node.row.login], Team.name, lambda row: GraphNode("Team", row), arguments
    )


@field("Team.members")
def _team_members(call: Call, node: GraphNode, **arguments: Any) -> Any:
    rows = call.db.rows(TeamMember, TeamMember.team_id == node.row.id, order=TeamMember.user)
    return connect(user_nodes(call, [row.user for row in rows]), arguments)


# Repositories

compute("Repository.nameWithOwner")(lambda call, node: node.row.full_name)
compute("Repository.owner")(lambda call, node: user_node(call, node.row.owner))
compute("Repository.homepageUrl")(lambda call, node: node.row.homepage)
compute("Repository.url")(lambda call, node: html_url(call, node.row))
compute("Repository.sshUrl")(lambda call, node: f"git@github.com:{node.row.full_name}.git")
compute("Repository.isFork")(lambda call, node: node.row.parent_id is not None)
compute("Repository.isEmpty")(lambda call, node: is_empty(call, node.row))
compute("Repository.visibility")(lambda call, node: node.row.visibility.upper())
compute("Repository.diskUsage")(lambda call, node: node.row.size)
compute("Repository.stargazerCount")(lambda call, node: call.db.count(Star, Star.repository_id == node.row.id))
compute("Repository.forkCount")(lambda call, node: call.db.count(Repository, Repository.parent_id == node.row.id))
compute("Repository.viewerCanAdminister")(lambda call, node: may(call, node.row, "admin"))
compute("Repository.hasIssuesEnabled")(lambda call, node: setting(node.row, "has_issues"))
compute("Repository.hasWikiEnabled")(lambda call, node: setting(node.row, "has_wiki"))
compute("Repository.hasProjectsEnabled")(lambda call, node: setting(node.row, "has_projects"))
compute("Repository.hasDiscussionsEnabled")(lambda call, node: setting(node.row, "has_discussions"))
compute("Repository.mergeCommitAllowed")(lambda call, node: setting(node.row, "allow_merge_commit"))
compute("Repository.squashMergeAllowed")(lambda call, node: setting(node.row, "allow_squash_merge"))
compute("Repository.rebaseMergeAllowed")(lambda call, node: setting(node.row, "allow_rebase_merge"))
compute("Repository.autoMergeAllowed")(lambda call, node: setting(node.row, "allow_auto_merge"))
compute("Repository.deleteBranchOnMerge")(lambda call, node: setting(node.row, "delete_branch_on_merge"))
compute("Repository.isInOrganization")(
    lambda call, node: call.db.count(User, User.login == node.row.owner, User.type == "Organization") > 0
)
compute("Repository.viewerHasStarred")(
    lambda call, node: call.db.count(Star, Star.repository_id == node.row.id, Star.user == call.actor) > 0
)
compute("Repository.viewerPermission")(
    lambda call, node: {"pull": "READ", "push": "WRITE"}.get(
        permission_of(call, node.row), permission_of(call, node.row).upper()
    )
)


@field("Repository.parent")
def _parent(call: Call, node: GraphNode) -> Any:
    row = call.db.find(Repository, Repository.id == node.row.parent_id) if node.row.parent_id else None
    return GraphNode("Repository", row) if row else None


@field("Repository.primaryLanguage")
def _language(call: Call, node: GraphNode) -> Any:
    name = node.row.language
    return {"id": node_id("LANG", 0, name), "name": name, "color": None} if name else None


@field("Repository.licenseInfo")
def _license(call: Call, node: GraphNode) -> Any:
    shown = show_license(call, node.row.license)
    return {"key": shown["key"], "name": shown["name"], "spdxId": shown["spdx_id"], "nickname": None} if shown else None


@field("Repository.repositoryTopics")
def _topics(call: Call, node: GraphNode, **arguments: Any) -> Any:
    return connect([{"topic": {"name": name}} for name in node.row.topics], arguments)


@field("Repository.defaultBranchRef")
def _default_branch(call: Call, node: GraphNode) -> Any:
    ref = find_ref(call, node.row, HEADS + node.row.default_branch)
    return GraphNode("Ref", ref, node.row) if ref else None


@field("Repository.ref")
def _ref(call: Call, node: GraphNode, qualifiedName: str) -> Any:  # noqa: N803 - the vendor's name
    names = [qualifiedName, HEADS + qualifiedName, TAGS + qualifiedName]
    ref = next((ref for name in names if (ref := find_ref(call, node.row, name))), None)
    return GraphNode("Ref", ref, node.row) if ref else None


@field("Repository.refs")
def _refs(call: Call, node: GraphNode, refPrefix: str, query: str = "", **arguments: Any) -> Any:  # noqa: N803
    refs = [ref for ref in list_refs(call, node.row, refPrefix) if (query or "").lower() in ref.ref.lower()]
    return connect([GraphNode("Ref", ref, node.row) for ref in refs], arguments)


@field("Repository.object")
def _object(call: Call, node: GraphNode, oid: str | None = None, expression: str | None = None) -> Any:
    text, _, path = (expression or oid or "").partition(":")
    commit, store = resolve_commit(call, node.row, text), store_of(call, node.row)
    if ":" in (expression or ""):
        entry = find_entry(store, commit.tree_sha, path) if commit else None
        return _git_node(call, node.row, entry.sha) if entry else None
    return GraphNode("Commit", commit, node.row) if commit else _git_node(call, node.row, text)


def _git_node(call: Call, repo: Repository, sha: str) -> Any:
    """Return a git object as a node of its type; None if there is none."""
    row = store_of(call, repo).row(sha)
    if row is None:
        return None
    if row.type == "commit":
        return GraphNode("Commit", get_commit(call, repo.network_id, sha), repo)
    return GraphNode(row.type.capitalize(), row, repo)


def _find_numbered(call: Call, node: GraphNode, number: int, kind: str) -> GraphNode:
    """Return the issue or pull request with a number; raise GitHub's NOT_FOUND if it is none of that kind."""
    issue = call.db.find(Issue, Issue.repository_id == node.row.id, Issue.number == number)
    match = issue_node(call, issue, node.row) if issue else None
    if match is None or not kind.endswith((match.type, "request")):
        raise GraphRefusal(f"Could not resolve to {kind} with the number of {number}.")
    return match


@field("Repository.issue")
def _issue_by_number(call: Call, node: GraphNode, number: int) -> GraphNode:
    return _find_numbered(call, node, number, "an Issue")


@field("Repository.pullRequest")
def _pull_by_number(call: Call, node: GraphNode, number: int) -> GraphNode:
    return _find_numbered(call, node, number, "a PullRequest")


@field("Repository.issueOrPullRequest")
def _either_by_number(call: Call, node: GraphNode, number: int) -> GraphNode:
    return _find_numbered(call, node, number, "an issue or pull request")


def issue_node(call: Call, issue: Issue, repo: Repository) -> GraphNode:
    """Return an issue, or the pull request that it is half of, as a node."""
    if not issue.is_pull_request:
        return GraphNode("Issue", issue, repo)
    pull = call.db.find(PullRequest, PullRequest.issue_id == issue.id)
    return GraphNode("PullRequest", pull, repo)


def _issue_order(arguments: dict[str, Any]) -> Any:
    wanted: dict[str, Any] = arguments.get("orderBy") or {"field": "CREATED_AT", "direction": "ASC"}
    columns = {"CREATED_AT": Issue.created_at, "UPDATED_AT": Issue.updated_at, "COMMENTS": Issue.comments}
    column = columns[wanted["field"]]
    return (-column, -Issue.id) if wanted["direction"] == "DESC" else (column, Issue.id)


@field("Repository.issues")
def _issues(call: Call, node: GraphNode, **arguments: Any) -> Any:
    filters: dict[str, Any] = arguments.get("filterBy") or {}
    where: list[Expression] = [Issue.repository_id == node.row.id, ~Issue.is_pull_request]
    states: list[str] = arguments.get("states") or filters.get("states") or []
    labels: list[str] = arguments.get("labels") or filters.get("labels") or []
    where += [Issue.state.in_([state.lower() for state in states])] if states else []
    where += [has_item(Issue.labels, label) for label in labels]
    where += [has_item(Issue.assignees, filters["assignee"])] if filters.get("assignee") else []
    where += [Issue.user.equals(filters["createdBy"])] if filters.get("createdBy") else []
    where += [Issue.updated_at >= filters["since"].removesuffix("Z")] if filters.get("since") else []
    return _connect_rows(
        call, Issue, where, _issue_order(arguments), lambda row: GraphNode("Issue", row, node.row), arguments
    )


@field("Repository.pullRequests")
def _pulls(call: Call, node: GraphNode, **arguments: Any) -> Any:
    where: list[Expression] = [Issue.repository_id == node.row.id, Issue.is_pull_request.is_true]
    states: list[str] = arguments.get("states") or []
    pull: list[Expression] = [PullRequest.issue_id == Issue.id]
    pull += [PullRequest.head_ref == arguments["headRefName"]] if arguments.get("headRefName") else []
    pull += [PullRequest.base_ref == arguments["baseRefName"]] if arguments.get("baseRefName") else []
    if states and len(states) < 3:
        kinds = {"OPEN": Issue.state == "open", "MERGED": exists(PullRequest, *pull[:1], PullRequest.merged)}
        kinds["CLOSED"] = exists(PullRequest, *pull[:1], ~PullRequest.merged, Issue.state == "closed")
        where.append(any_of(*(kinds[state] for state in states)))
    where.append(exists(PullRequest, *pull))
    labels: list[str] = arguments.get("labels") or []
    where += [has_item(Issue.labels, label) for label in labels]
    return _connect_rows(
        call, Issue, where, _issue_order(arguments), lambda row: issue_node(call, row, node.row), arguments
    )


@field("Repository.label")
def _label(call: Call, node: GraphNode, name: str) -> Any:
    row = call.db.find(Label, Label.repository_id == node.row.id, Label.name.equals(name))
    return GraphNode("Label", row, node.row) if row else None


@field("Repository.labels")
def _labels(call: Call, node: GraphNode, query: str | None = None, **arguments: Any) -> Any:
    where: list[Expression] = [Label.repository_id == node.row.id]
    where += [Label.name.contains(query, fold=True)] if query else []
    return _connect_rows(call, Label, where, Label.name, lambda row: GraphNode("Label", row, node.row), arguments)


@field("Repository.milestone")
def _milestone(call: Call, node: GraphNode, number: int) -> Any:
    row = call.db.find(Milestone, Milestone.repository_id == node.row.id, Milestone.number == number)
    return GraphNode("Milestone", row, node.row) if row else None


@field("Repository.milestones")
def _milestones(call: Call, node: GraphNode, states: list[str] | None = None, **arguments: Any) -> Any:
    where: list[Expression] = [Milestone.repository_id == node.row.id]
    where += [Milestone.state.in_([state.lower() for state in states])] if states else []
    show = GraphNode
    return _connect_rows(
        call, Milestone, where, Milestone.number, lambda row: show("Milestone", row, node.row), arguments
    )


@field("Repository.assignableUsers", "Repository.collaborators")
def _assignable(call: Call, node: GraphNode, query: str | None = None, **arguments: Any) -> Any:
    logins = [login for login in assignable_logins(call, node.row) if (query or "").lower() in login.lower()]
    return connect(user_nodes(call, logins), arguments)


def _release_rows(call: Call, node: GraphNode) -> list[Release]:
    rows = call.db.rows(Release, Release.repository_id == node.row.id, order=(-Release.created_at, -Release.id))
    return [row for row in rows if not row.draft or may(call, node.row, "push")]


@field("Repository.releases")
def _releases(call: Call, node: GraphNode, **arguments: Any) -> Any:
    return connect([GraphNode("Release", row, node.row) for row in _release_rows(call, node)], arguments)


@field("Repository.discussions", "Repository.discussionCategories")
def _no_discussions(call: Call, node: GraphNode, **arguments: Any) -> Any:
    """Return an empty connection: discussions are not served, so no repository has any."""
    return connect(list[Any](), arguments)


@field("Repository.discussion")
def _no_discussion(call: Call, node: GraphNode, number: int) -> Any:
    raise GraphRefusal(f"Could not resolve to a Discussion with the number of {number}.")


@field("Repository.latestRelease")
def _latest_release(call: Call, node: GraphNode) -> Any:
    rows = [row for row in _release_rows(call, node) if not row.draft and not row.prerelease]
    return GraphNode("Release", rows[0], node.row) if rows else None


compute("Release.description")(lambda call, node: node.row.body)
compute("Release.isLatest")(lambda call, node: bool(node.row.is_latest))
compute("Release.author")(lambda call, node: user_node(call, node.row.author))
compute("Release.url")(lambda call, node: f"{html_url(call, _repo(node))}/releases/tag/{node.row.tag_name}")
compute("Label.isDefault")(lambda call, node: node.row.default)
compute("Label.url")(lambda call, node: f"{html_url(call, _repo(node))}/labels/{node.row.name}")
compute("Milestone.state")(lambda call, node: node.row.state.upper())
compute("Milestone.url")(lambda call, node: f"{html_url(call, _repo(node))}/milestone/{node.row.number}")

# Git

compute("Ref.id")(lambda call, node: node_id("REF", _repo(node).id, node.row.ref))
compute("Ref.name")(lambda call, node: node.row.ref.partition("/")[2].partition("/")[2])
compute("Ref.prefix")(lambda call, node: "/".join(node.row.ref.split("/")[:2]) + "/")
compute("Ref.target")(lambda call, node: _git_node(call, _repo(node), node.row.sha))
compute("Ref.repository")(lambda call, node: GraphNode("Repository", node.repo))
GIT_PREFIXES = {"Commit": "C", "Tree": "T", "Blob": "B", "Tag": "TA"}
for _kind in GIT_PREFIXES:
    compute(f"{_kind}.oid")(lambda call, node: node.row.sha)
    compute(f"{_kind}.abbreviatedOid")(lambda call, node: node.row.sha[:7])
    compute(f"{_kind}.id")(lambda call, node: node_id(GIT_PREFIXES[node.type], _repo(node).id, node.row.sha))
compute("Commit.messageHeadline")(lambda call, node: node.row.message.partition("\n")[0])
compute("Commit.messageBody")(lambda call, node: node.row.message.partition("\n")[2].strip())
compute("Commit.committedDate")(lambda call, node: show_instant(node.row.committed_at))
compute("Commit.authoredDate")(lambda call, node: show_instant(node.row.author_date))
compute("Commit.url")(lambda call, node: f"{html_url(call, _repo(node))}/commit/{node.row.sha}")
compute("Commit.tree")(lambda call, node: _git_node(call, _repo(node), node.row.tree_sha))
compute("Commit.additions")(lambda call, node: _count_lines(node, "additions"))
compute("Commit.deletions")(lambda call, node: _count_lines(node, "deletions"))
compute("Blob.byteSize")(lambda call, node: node.row.size)
compute("Blob.text")(lambda call, node: store_of(call, _repo(node)).read(node.row.sha).decode("utf-8", "replace"))
compute("Blob.isBinary")(lambda call, node: b"\0" in store_of(call, _repo(node)).read(node.row.sha)[:8000])


def _count_lines(node: GraphNode, which: str) -> int:
    changes: list[dict[str, Any]] = node.row.changes or []
    return sum(each[which] for each in changes)


def _person(call: Call, node: GraphNode, who: str) -> dict[str, Any]:
    row = node.row
    name, email = (getattr(row, f"{who}_{part}") for part in ("name", "email"))
    date = row.author_date if who == "author" else row.committed_at
    return {"name": name, "email": email, "date": show_instant(date), "user": user_node(call, getattr(row, who))}


compute("Commit.author")(lambda call, node: _person(call, node, "author"))
compute("Commit.committer")(lambda call, node: _person(call, node, "committer"))


@field("Commit.authors")
def _authors(call: Call, node: GraphNode, **arguments: Any) -> Any:
    return connect([_person(call, node, "author")], arguments)


@field("Commit.parents")
def _parents(call: Call, node: GraphNode, **arguments: Any) -> Any:
    rows = [get_commit(call, _repo(node).network_id, sha) for sha in node.row.parents]
    return connect([GraphNode("Commit", row, node.repo) for row in rows if row], arguments)


@field("Commit.history")
def _history(call: Call, node: GraphNode, path: str | None = None, **arguments: Any) -> Any:
    repo = _repo(node)
    walk = (
        walk_path(call, store_of(call, repo), node.row.sha, path)
        if path
        else walk_history(call, repo.network_id, [node.row.sha])
    )
    return connect([GraphNode("Commit", row, repo) for row in walk], arguments)


@field("Tree.entries")
def _entries(call: Call, node: GraphNode) -> Any:
    store = store_of(call, _repo(node))
    return [
        {
            "name": name,
            "path": name,
            "type": each.type,
            "mode": int(each.mode, 8),
            "oid": each.sha,
            "object": _git_node(call, _repo(node), each.sha),
        }
        for name, each in store.tree(node.row.sha).items()
    ]


def _rollup(call: Call, repo: Repository, sha: str) -> Any:
    """Return the checks of a commit together; None without any."""
    runs = call.db.rows(CheckRun, CheckRun.repository_id == repo.id, CheckRun.head_sha == sha, order=CheckRun.id)
    where = (CommitStatus.repository_id == repo.id, CommitStatus.sha == sha)
    statuses = {row.context: row for row in call.db.rows(CommitStatus, *where, order=CommitStatus.id)}
    latest = {run.name: run for run in runs}
    if not latest and not statuses:
        return None
    states = [run.conclusion or "pending" for run in latest.values()] + [row.state for row in statuses.values()]
    nodes = [GraphNode("CheckRun", run, repo) for run in latest.values()]
    nodes += [GraphNode("StatusContext", row, repo) for row in statuses.values()]
    failed = any(state in ("failure", "error", "timed_out", "cancelled", "action_required") for state in states)
    state = "FAILURE" if failed else "PENDING" if "pending" in states else "SUCCESS"
    return {"state": state, "contexts": {**connect(nodes, {"first": 100}), "checkRunCount": len(latest)}}


compute("Commit.statusCheckRollup")(lambda call, node: _rollup(call, _repo(node), node.row.sha))
compute("PullRequest.statusCheckRollup")(lambda call, node: _rollup(call, _repo(node), node.row.head_sha))
compute("CheckRun.id")(lambda call, node: node_id("CR", _repo(node).id, node.row.id))
compute("CheckRun.status")(lambda call, node: node.row.status.upper())
compute("CheckRun.conclusion")(lambda call, node: node.row.conclusion.upper() if node.row.conclusion else None)
compute("CheckRun.startedAt")(lambda call, node: show_instant(node.row.started_at))
compute("CheckRun.completedAt")(lambda call, node: show_instant(node.row.completed_at))
compute("StatusContext.id")(lambda call, node: node_id("SC", _repo(node).id, node.row.id))
compute("StatusContext.state")(lambda call, node: node.row.state.upper())


@field("CheckRun.isRequired", "StatusContext.isRequired")
def _is_required(call: Call, node: GraphNode, **arguments: Any) -> bool:
    return False


# Issues and pull requests

for _kind in ("Issue", "PullRequest"):
    compute(f"{_kind}.author")(lambda call, node: user_node(call, _issue(call, node).user))
    compute(f"{_kind}.authorAssociation")(lambda call, node: association_of(call, _repo(node), _issue(call, node).user))
    compute(f"{_kind}.body", f"{_kind}.bodyText")(lambda call, node: _issue(call, node).body or "")
    compute(f"{_kind}.closed")(lambda call, node: _issue(call, node).state == "closed")
    compute(f"{_kind}.fullDatabaseId")(lambda call, node: str(node.row.id))
    compute(f"{_kind}.repository")(lambda call, node: GraphNode("Repository", node.repo))
    compute("Issue.url")(lambda call, node: f"{html_url(call, _repo(node))}/issues/{node.row.number}")
compute("Issue.state")(lambda call, node: node.row.state.upper())
compute("Issue.isPinned")(lambda call, node: False)


@field("Issue.stateReason")
def _state_reason(call: Call, node: GraphNode, **arguments: Any) -> Any:
    return node.row.state_reason.upper() if node.row.state_reason else None


@field("Issue.assignees", "PullRequest.assignees")
def _assignees(call: Call, node: GraphNode, **arguments: Any) -> Any:
    return connect(user_nodes(call, _issue(call, node).assignees), arguments)


@field("Issue.labels", "PullRequest.labels")
def _labels_of(call: Call, node: GraphNode, **arguments: Any) -> Any:
    names: list[str] = _issue(call, node).labels
    where = (Label.repository_id == _repo(node).id, Label.name.in_(names))
    rows = call.db.rows(Label, *where, order=Label.id) if names else []
    return connect([GraphNode("Label", row, node.repo) for row in rows], arguments)


@field("Issue.milestone", "PullRequest.milestone")
def _milestone_of(call: Call, node: GraphNode) -> Any:
    number = _issue(call, node).milestone_id
    return GraphNode("Milestone", call.db.get(Milestone, number), node.repo) if number else None


@field("Issue.comments", "PullRequest.comments")
def _comments(call: Call, node: GraphNode, **arguments: Any) -> Any:
    where: list[Expression] = [IssueComment.issue_id == _issue(call, node).id]
    show = GraphNode
    return _connect_rows(
        call, IssueComment, where, IssueComment.id, lambda row: show("IssueComment", row, node.repo), arguments
    )


@field("Issue.participants")
def _participants(call: Call, node: GraphNode, **arguments: Any) -> Any:
    rows = call.db.rows(IssueComment, IssueComment.issue_id == node.row.id, order=IssueComment.id)
    logins = dict.fromkeys([node.row.user, *node.row.assignees, *(row.user for row in rows)])
    return connect(user_nodes(call, list(logins)), arguments)


@field("Issue.parent")
def _parent_issue(call: Call, node: GraphNode) -> Any:
    row = call.db.find(Issue, Issue.id == node.row.parent_id) if node.row.parent_id else None
    return GraphNode("Issue", row, call.db.get(Repository, row.repository_id)) if row else None


@field("Issue.subIssues")
def _sub_issues(call: Call, node: GraphNode, **arguments: Any) -> Any:
    rows = call.db.rows(Issue, Issue.parent_id == node.row.id, order=(Issue.position, Issue.id))
    return connect([GraphNode("Issue", row, call.db.get(Repository, row.repository_id)) for row in rows], arguments)


@field("Issue.reactionGroups", "PullRequest.reactionGroups", "IssueComment.reactionGroups")
def _reaction_groups(call: Call, node: GraphNode) -> Any:
    subject = "issue_comments" if node.type == "IssueComment" else "issues"
    number = node.row.id if node.type == "IssueComment" else _issue(call, node).id
    rows = call.db.rows(Reaction, Reaction.subject == subject, Reaction.subject_id == number)
    contents = [row.content for row in rows]
    return [
        {"content": name, "users": {"totalCount": contents.count(content)}} for content, name in REACTION_NAMES.items()
    ]


for _kind in ("IssueComment", "PullRequestReviewComment", "PullRequestReview"):
    compute(f"{_kind}.author")(lambda call, node: user_node(call, node.row.user))
    if _kind != "PullRequestReviewComment":
        compute(f"{_kind}.authorAssociation")(lambda call, node: association_of(call, _repo(node), node.row.user))
compute("IssueComment.isMinimized", "IssueComment.includesCreatedEdit")(lambda call, node: False)
compute("IssueComment.minimizedReason")(lambda call, node: None)
compute("IssueComment.viewerDidAuthor")(lambda call, node: node.row.user == call.actor)


@field("IssueComment.url")
def _comment_url(call: Call, node: GraphNode) -> str:
    number = call.db.get(Issue, node.row.issue_id).number
    return f"{html_url(call, _repo(node))}/issues/{number}#issuecomment-{node.row.id}"


def _pull_url(call: Call, node: GraphNode) -> str:
    return f"{html_url(call, _repo(node))}/pull/{node.row.number}"


def _merge_state(call: Call, node: GraphNode) -> Any:
    return merge_state(call, _repo(node), node.row, is_open=_issue(call, node).state == "open")


field("PullRequest.url")(_pull_url)
compute("PullRequest.state")(lambda call, node: "MERGED" if node.row.merged else _issue(call, node).state.upper())
compute("PullRequest.isDraft")(lambda call, node: node.row.draft)
compute("PullRequest.mergedBy")(lambda call, node: user_node(call, node.row.merged_by))
compute("PullRequest.headRefName")(lambda call, node: node.row.head_ref)
compute("PullRequest.headRefOid")(lambda call, node: node.row.head_sha)
compute("PullRequest.baseRefName")(lambda call, node: node.row.base_ref)
compute("PullRequest.baseRefOid")(lambda call, node: node.row.base_sha)
compute("PullRequest.isCrossRepository")(lambda call, node: node.row.head_repository_id != node.row.repository_id)
compute("PullRequest.headRepositoryOwner")(lambda call, node: user_node(call, node.row.head_owner))
compute("PullRequest.viewerCanEditFiles")(lambda call, node: may(call, _repo(node), "push"))
compute("PullRequest.mergeable")(
    lambda call, node: {True: "MERGEABLE", False: "CONFLICTING", None: "UNKNOWN"}[_merge_state(call, node).mergeable]
)
compute("PullRequest.mergeStateStatus")(lambda call, node: _merge_state(call, node).state.upper())
compute("PullRequest.potentialMergeCommit")(lambda call, node: None)
compute("PullRequest.additions")(
    lambda call, node: sum(each.patch.additions for each in changes_of_pull(call, _repo(node), node.row))
)
compute("PullRequest.deletions")(
    lambda call, node: sum(each.patch.deletions for each in changes_of_pull(call, _repo(node), node.row))
)
compute("PullRequest.changedFiles")(lambda call, node: len(changes_of_pull(call, _repo(node), node.row)))


@field("PullRequest.headRepository")
def _head_repository(call: Call, node: GraphNode) -> Any:
    row = head_repository(call, node.row)
    return GraphNode("Repository", row) if row else None


@field("PullRequest.headRef", "PullRequest.baseRef")
def _pull_ref(call: Call, node: GraphNode) -> Any:
    source = head_repository(call, node.row)
    ref = find_ref(call, source, HEADS + node.row.head_ref) if source else None
    return GraphNode("Ref", ref, source) if ref else None


@field("PullRequest.mergeCommit")
def _merge_commit(call: Call, node: GraphNode) -> Any:
    sha = node.row.merge_commit_sha
    return _git_node(call, _repo(node), sha) if sha else None


@field("PullRequest.reviewDecision")
def _decision(call: Call, node: GraphNode) -> Any:
    states = [review.state for review in latest_reviews(call, node.row).values()]
    if "CHANGES_REQUESTED" in states:
        return "CHANGES_REQUESTED"
    return "APPROVED" if "APPROVED" in states else ("REVIEW_REQUIRED" if node.row.requested_reviewers else None)


@field("PullRequest.commits")
def _pull_commits(call: Call, node: GraphNode, **arguments: Any) -> Any:
    rows = commits_of(call, _repo(node), node.row)
    return connect([{"commit": GraphNode("Commit", row, node.repo)} for row in rows], arguments)


@field("PullRequest.files")
def _files(call: Call, node: GraphNode, **arguments: Any) -> Any:
    kinds = {"added": "ADDED", "removed": "DELETED", "renamed": "RENAMED"}
    files = [
        {
            "path": each.path,
            "additions": each.patch.additions,
            "deletions": each.patch.deletions,
            "changeType": kinds.get(each.status, "MODIFIED"),
        }
        for each in changes_of_pull(call, _repo(node), node.row)
    ]
    return connect(files, arguments)


@field("PullRequest.reviews", "PullRequest.latestReviews")
def _reviews(
    call: Call, node: GraphNode, states: list[str] | None = None, author: str | None = None, **arguments: Any
) -> Any:
    rows = call.db.rows(Review, Review.pull_request_id == node.row.id, order=Review.id)
    kept = [
        row
        for row in rows
        if (row.state != "PENDING" or row.user == call.actor)
        and (not states or row.state in states)
        and (not author or row.user == author)
    ]
    return connect([GraphNode("PullRequestReview", row, node.repo) for row in kept], arguments)


@field("PullRequest.reviewRequests")
def _review_requests(call: Call, node: GraphNode, **arguments: Any) -> Any:
    teams = call.db.rows(Team, Team.org == _repo(node).owner, Team.slug.in_(node.row.requested_teams))
    asked = [*user_nodes(call, node.row.requested_reviewers), *(GraphNode("Team", team) for team in teams)]
    return connect([{"requestedReviewer": each} for each in asked], arguments)


@field("PullRequest.reviewThreads")
def _threads(call: Call, node: GraphNode, **arguments: Any) -> Any:
    where = (ReviewComment.pull_request_id == node.row.id, ReviewComment.in_reply_to_id.is_null())
    rows = call.db.rows(ReviewComment, *where, order=ReviewComment.id)
    return connect([GraphNode("PullRequestReviewThread", row, node.repo) for row in rows], arguments)


@field("PullRequest.closingIssuesReferences")
def _closing(call: Call, node: GraphNode, **arguments: Any) -> Any:
    numbers = issues_closed_by(_issue(call, node).body or "")
    rows = call.db.rows(Issue, Issue.repository_id == _repo(node).id, Issue.number.in_(numbers), ~Issue.is_pull_request)
    return connect([GraphNode("Issue", row, node.repo) for row in rows], arguments)


@field("PullRequest.autoMergeRequest")
def _auto_merge(call: Call, node: GraphNode) -> Any:
    wanted = node.row.auto_merge
    if not wanted:
        return None
    texts = {"commitHeadline": wanted["commit_title"], "commitBody": wanted["commit_message"]}
    return {"enabledBy": user_node(call, wanted["enabled_by"]), "mergeMethod": wanted["merge_method"].upper(), **texts}


compute("PullRequestReview.createdAt")(lambda call, node: show_instant(node.row.submitted_at))
compute("PullRequestReview.commit")(lambda call, node: _git_node(call, _repo(node), node.row.commit_id))


@field("PullRequestReview.url", "PullRequestReviewComment.url")
def _review_url(call: Call, node: GraphNode) -> str:
    number = call.db.get(PullRequest, node.row.pull_request_id).number
    anchor = "pullrequestreview-" if node.type == "PullRequestReview" else "discussion_r"
    return f"{html_url(call, _repo(node))}/pull/{number}#{anchor}{node.row.id}"


@field("PullRequestReview.comments", "PullRequestReviewThread.comments")
def _review_comments(call: Call, node: GraphNode, **arguments: Any) -> Any:
    is_thread = node.type == "PullRequestReviewThread"
    where: list[Expression] = [
        ReviewComment.thread_id == node.row.id if is_thread else ReviewComment.review_id == node.row.id
    ]
    where.append(ReviewComment.pull_request_id == node.row.pull_request_id)
    show = GraphNode
    return _connect_rows(
        call,
        ReviewComment,
        where,
        ReviewComment.id,
        lambda row: show("PullRequestReviewComment", row, node.repo),
        arguments,
    )


@field("PullRequestReviewComment.pullRequestReview")
def _review_of(call: Call, node: GraphNode) -> Any:
    row = call.db.find(Review, Review.id == node.row.review_id)
    return GraphNode("PullRequestReview", row, node.repo) if row else None


compute("PullRequestReviewThread.diffSide")(lambda call, node: node.row.side)
compute("PullRequestReviewThread.subjectType")(lambda call, node: node.row.subject_type.upper())
compute("PullRequestReviewThread.resolvedBy")(lambda call, node: user_node(call, node.row.resolved_by))
compute("PullRequestReviewThread.isCollapsed")(lambda call, node: node.row.is_resolved)
compute("PullRequestReviewThread.viewerCanResolve")(lambda call, node: may(call, _repo(node), "push"))


@field("PullRequestReviewThread.isOutdated")
def _is_outdated(call: Call, node: GraphNode) -> bool:
    return call.db.get(PullRequest, node.row.pull_request_id).head_sha != node.row.commit_id and node.row.line is None


def ref_node(call: Call, repo: Repository, ref: str) -> GraphNode:
    """Return a reference as a node."""
    return GraphNode("Ref", call.db.get(Ref, repo.id, ref), repo)

"""Fields of references, git's objects and the checks of commits.

https://docs.github.com/en/graphql/reference/objects
"""

from __future__ import annotations

from base64 import b64encode
from collections import Counter
from typing import Any

from twindiff.kit import Call

from ..core.node_ids import node_id
from ..core.stamps import show_instant
from ..git.histories import get_commit, walk_history, walk_path
from ..git.objects import store_of
from ..git.refs import HEADS, TAGS, find_ref, list_refs, resolve_commit
from ..git.trees import find_entry
from ..tables.repository_tables import CheckRun, CommitStatus, Ref, Repository
from ..views.repository_views import html_url
from .nodes import GraphNode, connect, user_node
from .resolvers import compute, enclosing_repo, field


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
        return git_node(call, node.row, entry.sha) if entry else None
    return GraphNode("Commit", commit, node.row) if commit else git_node(call, node.row, text)


def git_node(call: Call, repo: Repository, sha: str) -> Any:
    """Return a git object as a node of its type; None if there is none."""
    row = store_of(call, repo).row(sha)
    if row is None:
        return None
    if row.type == "commit":
        return GraphNode("Commit", get_commit(call, repo.network_id, sha), repo)
    return GraphNode(row.type.capitalize(), row, repo)


compute("Ref.id")(lambda call, node: node_id("REF", enclosing_repo(node).id, node.row.ref))
compute("Ref.name")(lambda call, node: node.row.ref.partition("/")[2].partition("/")[2])
compute("Ref.prefix")(lambda call, node: "/".join(node.row.ref.split("/")[:2]) + "/")
compute("Ref.target")(lambda call, node: git_node(call, enclosing_repo(node), node.row.sha))
compute("Ref.repository")(lambda call, node: GraphNode("Repository", node.repo))
GIT_PREFIXES = {"Commit": "C", "Tree": "T", "Blob": "B", "Tag": "TA"}
for _kind in GIT_PREFIXES:
    compute(f"{_kind}.oid")(lambda call, node: node.row.sha)
    compute(f"{_kind}.abbreviatedOid")(lambda call, node: node.row.sha[:7])
    compute(f"{_kind}.id")(lambda call, node: node_id(GIT_PREFIXES[node.type], enclosing_repo(node).id, node.row.sha))
compute("Commit.messageHeadline")(lambda call, node: node.row.message.partition("\n")[0])
compute("Commit.messageBody")(lambda call, node: node.row.message.partition("\n")[2].strip())
compute("Commit.committedDate")(lambda call, node: show_instant(node.row.committed_at))
compute("Commit.authoredDate")(lambda call, node: show_instant(node.row.author_date))
compute("Commit.url")(lambda call, node: f"{html_url(call, enclosing_repo(node))}/commit/{node.row.sha}")
compute("Commit.tree")(lambda call, node: git_node(call, enclosing_repo(node), node.row.tree_sha))
compute("Commit.additions")(lambda call, node: _count_lines(node, "additions"))
compute("Commit.deletions")(lambda call, node: _count_lines(node, "deletions"))
compute("Blob.byteSize")(lambda call, node: node.row.size)
compute("Blob.text")(
    lambda call, node: store_of(call, enclosing_repo(node)).read(node.row.sha).decode("utf-8", "replace")
)
compute("Blob.isBinary")(lambda call, node: b"\0" in store_of(call, enclosing_repo(node)).read(node.row.sha)[:8000])


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
    rows = [get_commit(call, enclosing_repo(node).network_id, sha) for sha in node.row.parents]
    return connect([GraphNode("Commit", row, node.repo) for row in rows if row], arguments)


@field("Commit.history")
def _history(call: Call, node: GraphNode, path: str | None = None, **arguments: Any) -> Any:
    repo = enclosing_repo(node)
    walk = (
        walk_path(call, store_of(call, repo), node.row.sha, path)
        if path
        else walk_history(call, repo.network_id, [node.row.sha])
    )
    return connect([GraphNode("Commit", row, repo) for row in walk], arguments)


@field("Tree.entries")
def _entries(call: Call, node: GraphNode) -> Any:
    store = store_of(call, enclosing_repo(node))
    return [
        {
            "name": name,
            "path": name,
            "type": each.type,
            "mode": int(each.mode, 8),
            "oid": each.sha,
            "object": git_node(call, enclosing_repo(node), each.sha),
            "nameRaw": b64encode(name.encode()).decode(),
            "pathRaw": b64encode(name.encode()).decode(),
            "extension": f".{name.rpartition('.')[2]}" if "." in name else "",
            "size": store.size_of(each.sha) if each.type == "blob" else 0,
            "submodule": None,
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
    run_states = Counter((run.conclusion or run.status).upper() for run in latest.values())
    counts = {
        "checkRunCount": len(latest),
        "checkRunCountsByState": _show_counts(run_states),
        "statusContextCount": len(statuses),
        "statusContextCountsByState": _show_counts(Counter(row.state.upper() for row in statuses.values())),
    }
    return {"state": state, "contexts": {**connect(nodes, {"first": 100}), **counts}}


def _show_counts(states: Counter[str]) -> list[dict[str, Any]]:
    return [{"state": state, "count": count} for state, count in states.items()]


compute("Commit.statusCheckRollup")(lambda call, node: _rollup(call, enclosing_repo(node), node.row.sha))
compute("PullRequest.statusCheckRollup")(lambda call, node: _rollup(call, enclosing_repo(node), node.row.head_sha))
compute("CheckRun.id")(lambda call, node: node_id("CR", enclosing_repo(node).id, node.row.id))
compute("CheckRun.status")(lambda call, node: node.row.status.upper())
compute("CheckRun.conclusion")(lambda call, node: node.row.conclusion.upper() if node.row.conclusion else None)
compute("CheckRun.startedAt")(lambda call, node: show_instant(node.row.started_at))
compute("CheckRun.completedAt")(lambda call, node: show_instant(node.row.completed_at))
compute("StatusContext.id")(lambda call, node: node_id("SC", enclosing_repo(node).id, node.row.id))
compute("StatusContext.state")(lambda call, node: node.row.state.upper())


@field("CheckRun.isRequired", "StatusContext.isRequired")
def _is_required(call: Call, node: GraphNode, **arguments: Any) -> bool:
    return False


def ref_node(call: Call, repo: Repository, ref: str) -> GraphNode:
    """Return a reference as a node."""
    return GraphNode("Ref", call.db.get(Ref, repo.id, ref), repo)

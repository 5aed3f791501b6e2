"""Commits: list, get, compare, comments; pull requests and branches of a commit.

https://docs.github.com/en/rest/commits
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

from twindiff.kit import Body, Call, Operations, Response, Struct

from ..core.access import association_of, find_repo, may
from ..core.listing import page_request, paginate, slice_page, wrap_page
from ..core.node_ids import node_id
from ..core.stamps import new_id, parse_instant, times_of
from ..git.diffs import compare_trees, write_diff
from ..git.histories import diverge, walk_history, walk_path
from ..git.objects import store_of
from ..git.patches import changes_of, write_patch
from ..git.refs import HEADS, find_commit, is_empty, list_refs, resolve_commit
from ..tables.issue_tables import PullRequest
from ..tables.repository_tables import Commit, CommitComment, Repository
from ..views.commit_views import show_change, show_commit
from ..views.pull_views import show_pull
from ..views.reaction_views import show_reactions
from ..views.repository_views import html_url, repo_url
from ..views.user_views import user_of
from ..wire_style import Conflict, NotVisible, Unprocessable

api = Operations()
MAX_COMPARED_COMMITS, MAX_COMPARED_FILES = 250, 300


@api.get("/repos/{owner}/{repo}/commits")
def list_commits(
    call: Call,
    owner: str,
    repo: str,
    sha: str = "",
    path: str = "",
    author: str = "",
    committer: str = "",
    since: str = "",
    until: str = "",
) -> Any:
    """List the commits of a branch, newest first."""
    row = find_repo(call, owner, repo)
    if is_empty(call, row):
        raise Conflict("Git Repository is empty.")
    head = find_commit(call, row, sha)
    store = store_of(call, row)
    rows = walk_path(call, store, head.sha, path) if path else walk_history(call, row.network_id, [head.sha])
    kept = _filter(call, rows, author, committer, parse_instant(since) or "", parse_instant(until) or "9")
    wanted = page_request(call)
    commits: list[Commit] = []
    for commit in kept:
        commits.append(commit)
        if len(commits) > wanted.offset + wanted.size and not path and not author:
            break
    more = 0
    if len(commits) > wanted.offset + wanted.size:
        more = sum(1 for _ in kept)
    part = commits[wanted.offset : wanted.offset + wanted.size]
    return wrap_page(call, [show_commit(call, row, commit) for commit in part], len(commits) + more)


def _filter(
    call: Call, rows: Iterator[Commit], author: str, committer: str, since: str, until: str
) -> Iterator[Commit]:
    """Yield the commits of an author or a committer (a login or an address) in a span of time."""
    for row in rows:
        is_in_time = since <= row.committed_at[:19] <= until
        by_author = not author or author.lower() in ((row.author or "").lower(), row.author_email.lower())
        by_committer = not committer or committer.lower() in (
            (row.committer or "").lower(),
            row.committer_email.lower(),
        )
        if is_in_time and by_author and by_committer:
            yield row


@api.get("/repos/{owner}/{repo}/commits/{ref:path}")
def get_commit_by_ref(call: Call, owner: str, repo: str, ref: str) -> Any:
    """Get a commit with its files; the media types `diff`, `patch` and `sha` give texts."""
    row = find_repo(call, owner, repo)
    if is_empty(call, row):
        raise Conflict("Git Repository is empty.")
    commit = resolve_commit(call, row, ref)
    if commit is None:
        raise Unprocessable(f"No commit found for SHA: {ref}")
    accept = str(call.memo.get("accept", ""))
    if ".diff" in accept:
        return Response(
            write_diff(changes_of(call, row, commit)).encode(), 200, "application/vnd.github.diff; charset=utf-8"
        )
    if ".patch" in accept:
        return Response(write_patch(call, row, commit).encode(), 200, "application/vnd.github.patch; charset=utf-8")
    if ".sha" in accept:
        return Response(commit.sha.encode(), 200, "application/vnd.github.sha; charset=utf-8")
    return show_commit(call, row, commit, changes_of(call, row, commit))


def split_basehead(call: Call, repo: Repository, text: str) -> tuple[Commit, Commit]:
    """Return the two commits of `base...head`; a head may be `owner:branch` of a fork."""
    base, dots, head = text.partition("...")
    if not dots:
        raise NotVisible
    return _side(call, repo, base), _side(call, repo, head)


def _side(call: Call, repo: Repository, text: str) -> Commit:
    owner, colon, branch = text.rpartition(":")
    if not colon:
        return find_commit(call, repo, text)
    name = owner.partition(":")[0]
    forks = call.db.rows(Repository, Repository.network_id == repo.network_id, Repository.owner == name)
    visible = [fork for fork in forks if may(call, fork, "pull")]
    if not visible:
        raise NotVisible
    return find_commit(call, visible[0], branch)


@api.get("/repos/{owner}/{repo}/compare/{basehead:path}")
def compare_commits(call: Call, owner: str, repo: str, basehead: str) -> Any:
    """Compare two commits: what the head has and the base lacks, and the files that differ since they parted."""
    row = find_repo(call, owner, repo)
    base, head = split_basehead(call, row, basehead)
    relation = diverge(call, row.network_id, head.sha, base.sha)
    if relation.merge_base is None:
        raise NotVisible(f"No common ancestor between {basehead.replace('...', ' and ')}.")
    changes = compare_trees(store_of(call, row), relation.merge_base.tree_sha, head.tree_sha)
    if ".diff" in str(call.memo.get("accept")):
        return Response(write_diff(changes).encode(), 200, "application/vnd.github.diff; charset=utf-8")
    ahead, behind = len(relation.ours), len(relation.theirs)
    status = {(False, False): "identical", (True, False): "ahead", (False, True): "behind"}.get(
        (bool(ahead), bool(behind)), "diverged"
    )
    page = f"{html_url(call, row)}/compare/{basehead}"
    commits = slice_compared(call, relation.ours[::-1])
    return {
        "url": f"{repo_url(call, row)}/compare/{basehead}",
        "html_url": page,
        "permalink_url": f"{html_url(call, row)}/compare/{row.owner}:{base.sha[:7]}...{row.owner}:{head.sha[:7]}",
        "diff_url": f"{page}.diff",
        "patch_url": f"{page}.patch",
        "base_commit": show_commit(call, row, base),
        "merge_base_commit": show_commit(call, row, relation.merge_base),
        "status": status,
        "ahead_by": ahead,
        "behind_by": behind,
        "total_commits": ahead,
        "commits": [show_commit(call, row, commit) for commit in commits],
        "files": [show_change(call, row, head.sha, each) for each in changes[:MAX_COMPARED_FILES]],
    }


def slice_compared(call: Call, commits: list[Commit]) -> list[Commit]:
    """Return the requested page of compared commits, or the newest 250 without one."""
    query: dict[str, Any] = call.memo.get("query", {})
    if "page" not in query and "per_page" not in query:
        return commits[-MAX_COMPARED_COMMITS:]
    wanted = page_request(call)
    return commits[wanted.offset : wanted.offset + wanted.size]


@api.get("/repos/{owner}/{repo}/commits/{commit_sha}/branches-where-head")
def list_branches_of_head(call: Call, owner: str, repo: str, commit_sha: str) -> Any:
    """List the branches whose newest commit this is."""
    row = find_repo(call, owner, repo)
    refs = [ref for ref in list_refs(call, row, HEADS) if ref.sha == commit_sha]
    url = f"{repo_url(call, row)}/commits"
    return [
        {"name": ref.ref.removeprefix(HEADS), "commit": {"sha": ref.sha, "url": f"{url}/{ref.sha}"}, "protected": False}
        for ref in refs
    ]


@api.get("/repos/{owner}/{repo}/commits/{commit_sha}/pulls")
def list_pulls_of_commit(call: Call, owner: str, repo: str, commit_sha: str) -> Any:
    """List the pull requests whose head or merge commit this is."""
    row = find_repo(call, owner, repo)
    commit = find_commit(call, row, commit_sha)
    pulls = [
        pull
        for pull in call.db.rows(PullRequest, PullRequest.repository_id == row.id, order=-PullRequest.number)
        if commit.sha in (pull.head_sha, pull.merge_commit_sha)
    ]
    return slice_page(call, pulls, lambda pull: show_pull(call, row, pull))


def show_commit_comment(call: Call, repo: Repository, comment: CommitComment) -> dict[str, Any]:
    """Render a comment on a commit."""
    url = f"{repo_url(call, repo)}/comments/{comment.id}"
    return {
        "url": url,
        "html_url": f"{html_url(call, repo)}/commit/{comment.commit_id}#commitcomment-{comment.id}",
        "id": comment.id,
        "node_id": node_id("CC", repo.id, comment.id),
        "user": user_of(call, comment.user),
        "position": comment.position,
        "line": comment.line,
        "path": comment.path,
        "commit_id": comment.commit_id,
        **times_of(comment),
        "author_association": association_of(call, repo, comment.user),
        "body": comment.body,
        "reactions": show_reactions(call, "commit_comments", comment.id, url),
    }


class CommitCommentBody(Struct):
    """A comment on a commit, or on a line of one of its files."""

    body: str
    path: str | None = None
    position: int | None = None
    line: int | None = None


@api.post("/repos/{owner}/{repo}/commits/{commit_sha}/comments", status=201)
def create_commit_comment(
    call: Call, owner: str, repo: str, commit_sha: str, body: Annotated[CommitCommentBody, Body]
) -> Any:
    """Comment on a commit."""
    row = find_repo(call, owner, repo)
    commit, now = find_commit(call, row, commit_sha), call.clock.iso()
    fields: dict[str, Any] = {"commit_id": commit.sha, "created_at": now, "updated_at": now, "user": call.actor}
    given: dict[str, Any] = {"body": body.body, "path": body.path, "position": body.position, "line": body.line}
    comment = call.db.add(CommitComment(id=new_id(call), repository_id=row.id, **fields, **given))
    return show_commit_comment(call, row, comment)


@api.get("/repos/{owner}/{repo}/commits/{commit_sha}/comments")
def list_comments_of_commit(call: Call, owner: str, repo: str, commit_sha: str) -> Any:
    """List the comments on a commit."""
    row = find_repo(call, owner, repo)
    commit = find_commit(call, row, commit_sha)
    where = (CommitComment.repository_id == row.id, CommitComment.commit_id == commit.sha)
    return paginate(
        call, CommitComment, *where, by=CommitComment.id, show=lambda each: show_commit_comment(call, row, each)
    )


@api.get("/repos/{owner}/{repo}/comments")
def list_commit_comments(call: Call, owner: str, repo: str) -> Any:
    """List all comments on commits of a repository."""
    row = find_repo(call, owner, repo)
    where, by = CommitComment.repository_id == row.id, CommitComment.id
    return paginate(call, CommitComment, where, by=by, show=lambda each: show_commit_comment(call, row, each))


def find_commit_comment(call: Call, repo: Repository, comment_id: int) -> CommitComment:
    """Return a comment on a commit of a repository; raise NotVisible."""
    comment = call.db.find(CommitComment, CommitComment.id == comment_id, CommitComment.repository_id == repo.id)
    if comment is None:
        raise NotVisible
    return comment


@api.get("/repos/{owner}/{repo}/comments/{comment_id}")
def get_commit_comment(call: Call, owner: str, repo: str, comment_id: int) -> Any:
    """Get a comment on a commit."""
    row = find_repo(call, owner, repo)
    return show_commit_comment(call, row, find_commit_comment(call, row, comment_id))


@api.patch("/repos/{owner}/{repo}/comments/{comment_id}")
def update_commit_comment(call: Call, owner: str, repo: str, comment_id: int, body: str) -> Any:
    """Change a comment on a commit."""
    row = find_repo(call, owner, repo)
    comment = find_commit_comment(call, row, comment_id)
    return show_commit_comment(call, row, call.db.change(comment, body=body, updated_at=call.clock.iso()))


@api.delete("/repos/{owner}/{repo}/comments/{comment_id}", status=204)
def delete_commit_comment(call: Call, owner: str, repo: str, comment_id: int) -> None:
    """Delete a comment on a commit."""
    call.db.remove(find_commit_comment(call, find_repo(call, owner, repo), comment_id))

"""Commits, trees, blobs, references and diffs as the API shows them."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from twindiff.kit import Call

from ..core.node_ids import node_id
from ..core.stamps import show_instant
from ..git.commit_objects import Signature, TagObject
from ..git.diffs import FileChange
from ..git.objects import ObjectStore
from ..tables.repository_tables import Commit, CommitComment, Ref, Repository
from .repository_views import html_url, repo_url
from .user_views import Shown, user_of

UNVERIFIED: dict[str, Any] = {
    "verified": False,
    "reason": "unsigned",
    "signature": None,
    "payload": None,
    "verified_at": None,
}


def show_person(person: Signature) -> Shown:
    """Render an author, a committer or a tagger."""
    return {"name": person.name, "email": person.email, "date": show_instant(person.stamp)}


def author_of(commit: Commit) -> Signature:
    """Return the author of a commit."""
    return Signature(commit.author_name, commit.author_email, commit.author_date)


def committer_of(commit: Commit) -> Signature:
    """Return the committer of a commit."""
    return Signature(commit.committer_name, commit.committer_email, commit.committed_at)


def show_git_commit(call: Call, repo: Repository, commit: Commit) -> Shown:
    """Render a commit as the git database's part of the API does."""
    url, page = repo_url(call, repo), html_url(call, repo)
    parents = [
        {"sha": sha, "url": f"{url}/git/commits/{sha}", "html_url": f"{page}/commit/{sha}"} for sha in commit.parents
    ]
    return {
        "sha": commit.sha,
        "node_id": node_id("C", repo.id, commit.sha),
        "url": f"{url}/git/commits/{commit.sha}",
        "html_url": f"{page}/commit/{commit.sha}",
        "author": show_person(author_of(commit)),
        "committer": show_person(committer_of(commit)),
        "tree": {"sha": commit.tree_sha, "url": f"{url}/git/trees/{commit.tree_sha}"},
        "message": commit.message.rstrip("\n"),
        "parents": parents,
        "verification": UNVERIFIED,
    }


def show_commit(call: Call, repo: Repository, commit: Commit, changes: list[FileChange] | None = None) -> Shown:
    """Render a commit, with its files if `changes` are given."""
    url, page = repo_url(call, repo), html_url(call, repo)
    comments = call.db.count(
        CommitComment, CommitComment.repository_id == repo.id, CommitComment.commit_id == commit.sha
    )
    shown: Shown = {
        "sha": commit.sha,
        "node_id": node_id("C", repo.id, commit.sha),
        "commit": {
            "author": show_person(author_of(commit)),
            "committer": show_person(committer_of(commit)),
            "message": commit.message.rstrip("\n"),
            "tree": {"sha": commit.tree_sha, "url": f"{url}/git/trees/{commit.tree_sha}"},
            "url": f"{url}/git/commits/{commit.sha}",
            "comment_count": comments,
            "verification": UNVERIFIED,
        },
        "url": f"{url}/commits/{commit.sha}",
        "html_url": f"{page}/commit/{commit.sha}",
        "comments_url": f"{url}/commits/{commit.sha}/comments",
        "author": user_of(call, commit.author),
        "committer": user_of(call, commit.committer),
        "parents": [
            {"sha": sha, "url": f"{url}/commits/{sha}", "html_url": f"{page}/commit/{sha}"} for sha in commit.parents
        ],
    }
    if changes is None:
        return shown
    added, removed = (sum(getattr(each.patch, name) for each in changes) for name in ("additions", "deletions"))
    stats = {"total": added + removed, "additions": added, "deletions": removed}
    return shown | {"stats": stats, "files": [show_change(call, repo, commit.sha, each) for each in changes]}


def show_change(call: Call, repo: Repository, sha: str, change: FileChange) -> Shown:
    """Render a file of a diff; addresses name the commit `sha`."""
    url, page, path = repo_url(call, repo), html_url(call, repo), quote(change.path)
    entry, patch = change.new or change.old, change.patch
    shown: Shown = {
        "sha": entry.sha if entry else None,
        "filename": change.path,
        "status": change.status,
        "additions": patch.additions,
        "deletions": patch.deletions,
        "changes": patch.additions + patch.deletions,
        "blob_url": f"{page}/blob/{sha}/{path}",
        "raw_url": f"{page}/raw/{sha}/{path}",
        "contents_url": f"{url}/contents/{path}?ref={sha}",
    }
    if patch.text:
        shown["patch"] = patch.text
    return shown | {"previous_filename": change.previous} if change.previous else shown


def show_simple_commit(commit: Commit) -> Shown:
    """Render a commit as events and workflow runs do."""
    return {
        "id": commit.sha,
        "tree_id": commit.tree_sha,
        "message": commit.message.rstrip("\n"),
        "timestamp": show_instant(commit.committed_at),
        "author": {"name": commit.author_name, "email": commit.author_email},
        "committer": {"name": commit.committer_name, "email": commit.committer_email},
    }


def show_ref(call: Call, repo: Repository, store: ObjectStore, ref: Ref) -> Shown:
    """Render a reference."""
    url, kind = repo_url(call, repo), store.type_of(ref.sha) or "commit"
    return {
        "ref": ref.ref,
        "node_id": node_id("REF", repo.id, ref.ref),
        "url": f"{url}/git/{ref.ref}",
        "object": {"sha": ref.sha, "type": kind, "url": f"{url}/git/{kind}s/{ref.sha}"},
    }


def show_tag_object(call: Call, repo: Repository, sha: str, tag: TagObject) -> Shown:
    """Render an annotated tag."""
    url = repo_url(call, repo)
    return {
        "node_id": node_id("TA", repo.id, sha),
        "sha": sha,
        "url": f"{url}/git/tags/{sha}",
        "tagger": show_person(tag.tagger),
        "object": {"sha": tag.target, "type": tag.type, "url": f"{url}/git/{tag.type}s/{tag.target}"},
        "tag": tag.name,
        "message": tag.message,
        "verification": UNVERIFIED,
    }

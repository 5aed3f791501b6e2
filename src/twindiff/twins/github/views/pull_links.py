"""The shortest form of a pull request, as checks and workflow runs have it."""

from __future__ import annotations

from typing import Any

from twindiff.kit import Call

from ..tables.issue_tables import PullRequest
from ..tables.repository_tables import Repository
from .repository_views import repo_url


def show_pull_links(call: Call, repo: Repository, pull: PullRequest) -> dict[str, Any]:
    """Render a pull request's id, number and both of its sides."""
    head = call.db.find(Repository, Repository.id == pull.head_repository_id) if pull.head_repository_id else None
    sides = (("head", pull.head_ref, pull.head_sha, head or repo), ("base", pull.base_ref, pull.base_sha, repo))
    shown: dict[str, Any] = {
        "id": pull.id,
        "number": pull.number,
        "url": f"{repo_url(call, repo)}/pulls/{pull.number}",
    }
    for side, ref, sha, row in sides:
        shown[side] = {"ref": ref, "sha": sha, "repo": {"id": row.id, "url": repo_url(call, row), "name": row.name}}
    return shown


def pulls_with_head(call: Call, repo: Repository, sha: str) -> list[dict[str, Any]]:
    """Render the open pull requests whose head is a commit, as checks and runs have them."""
    pulls = call.db.rows(PullRequest, PullRequest.repository_id == repo.id, PullRequest.head_sha == sha)
    return [show_pull_links(call, repo, pull) for pull in pulls if not pull.merged]

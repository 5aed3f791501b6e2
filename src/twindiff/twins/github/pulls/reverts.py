"""Pull requests that undo a merged one.

https://docs.github.com/en/pull-requests/collaborating-with-pull-requests/incorporating-changes-from-a-pull-request/reverting-a-pull-request
"""

from __future__ import annotations

from twindiff.kit import Call

from ..core.access import check_permission, issue_of
from ..git.commit_objects import signature_of, write_commit
from ..git.histories import get_commit
from ..git.objects import EMPTY_TREE, store_of
from ..git.refs import HEADS, find_branch, find_ref
from ..git.tree_merges import merge_trees
from ..pushes.ref_updates import move_ref
from ..tables.issue_tables import PullRequest
from ..tables.repository_tables import Repository
from ..wire_style import Unprocessable
from .pulls import PullBody, open_pull

NOT_REVERTED = "Sorry, this pull request couldn't be reverted automatically."


def revert_pull(
    call: Call, repo: Repository, pull: PullRequest, title: str | None, body: str | None, *, draft: bool
) -> PullRequest:
    """Open a pull request whose branch undoes what a merged one added; raise Unprocessable where that conflicts."""
    check_permission(call, repo, "push")
    if not pull.merged or not pull.merge_commit_sha:
        raise Unprocessable(f"{NOT_REVERTED} It has not been merged.")
    tip = find_branch(call, repo, pull.base_ref).sha
    commits = [get_commit(call, repo.network_id, sha) for sha in (pull.merge_commit_sha, tip, pull.base_sha)]
    trees = [commit.tree_sha if commit else EMPTY_TREE for commit in commits]
    merged = merge_trees(store_of(call, repo), *trees)
    if merged.conflicts or merged.tree == trees[1]:
        text = "It may have already been reverted, or the content may have changed since it was merged."
        raise Unprocessable(f"{NOT_REVERTED} {text}")
    branch = f"revert-{pull.number}-{pull.head_ref}"
    if find_ref(call, repo, HEADS + branch):
        raise Unprocessable(f"{NOT_REVERTED} The branch {branch} exists already.")
    heading = title or f'Revert "{issue_of(call, pull).title}"'
    message = f"{heading}\n\nThis reverts commit {pull.merge_commit_sha}."
    commit = write_commit(call, repo, merged.tree, [tip], message, signature_of(call, None))
    repo = move_ref(call, repo, HEADS + branch, commit.sha)
    text = body or f"Reverts {repo.full_name}#{pull.number}"
    return open_pull(call, repo, PullBody(title=heading, body=text, head=branch, base=pull.base_ref, draft=draft))

"""Merging pull requests: by three methods, at once or when nothing blocks it (auto-merge).

https://docs.github.com/en/rest/pulls/pulls#merge-a-pull-request
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from twindiff.kit import Body, Call, Operations, Struct

from ..core.access import find_pull, find_repo, issue_of, may
from ..git.commit_objects import Signature, signature_of, write_commit
from ..git.histories import get_commit
from ..git.objects import store_of
from ..git.protection import is_deletable
from ..git.pull_commits import commits_of
from ..git.pull_mergeability import merge_state, try_merge, why_blocked
from ..git.refs import HEADS, find_ref
from ..git.tree_merges import merge_trees
from ..issues.issue_changes import note_event
from ..pushes.pull_closing import mark_merged
from ..pushes.ref_updates import move_ref
from ..tables.issue_tables import Issue, PullRequest
from ..tables.repository_tables import Commit, Repository
from ..views.commit_views import author_of
from ..views.pull_views import head_repository
from ..views.repository_views import setting
from ..wire_style import Conflict, Forbidden, MethodNotAllowed, NotVisible

api = Operations()
Method = Literal["merge", "squash", "rebase"]
_METHOD_SETTINGS = {
    "merge": ("allow_merge_commit", "Merge commits are not allowed on this repository."),
    "squash": ("allow_squash_merge", "Squash merges are not allowed on this repository."),
    "rebase": ("allow_rebase_merge", "Rebase merges are not allowed on this repository."),
}


class MergePullBody(Struct):
    """How to merge, and the message of the commit."""

    commit_title: str | None = None
    commit_message: str | None = None
    sha: str | None = None
    merge_method: Method = "merge"


@api.get("/repos/{owner}/{repo}/pulls/{pull_number}/merge", status=204)
def check_merged(call: Call, owner: str, repo: str, pull_number: int) -> None:
    """Answer 204 if a pull request is merged, else 404."""
    if not find_pull(call, find_repo(call, owner, repo), pull_number).merged:
        raise NotVisible


@api.put("/repos/{owner}/{repo}/pulls/{pull_number}/merge")
def merge_pull(call: Call, owner: str, repo: str, pull_number: int, body: Annotated[MergePullBody, Body]) -> Any:
    """Merge a pull request."""
    row = find_repo(call, owner, repo)
    pull = find_pull(call, row, pull_number)
    issue = issue_of(call, pull)
    if body.sha and body.sha != pull.head_sha:
        raise Conflict("Head branch was modified. Review and try the merge again.")
    if pull.merged or issue.state != "open":
        raise MethodNotAllowed("Pull Request is not mergeable")
    if pull.draft:
        raise MethodNotAllowed("Pull Request is still a draft")
    name, refusal = _METHOD_SETTINGS[body.merge_method]
    if not setting(row, name):
        raise MethodNotAllowed(refusal)
    reason = why_blocked(call, row, pull)
    if reason:
        raise MethodNotAllowed(reason)
    sha = perform_merge(call, row, pull, issue, body)
    return {"sha": sha, "merged": True, "message": "Pull Request successfully merged"}


def perform_merge(call: Call, repo: Repository, pull: PullRequest, issue: Issue, body: MergePullBody) -> str:
    """Write the commits of a merge and move the base; return the merge commit's SHA-1.

    The pull request and the issues that it fixes are closed, and its head is deleted if the repository says so.
    """
    merged = try_merge(call, repo, pull, writes=True)
    if merged.conflicts:
        raise MethodNotAllowed("Pull Request is not mergeable")
    if body.merge_method == "rebase":
        sha = _rebase(call, repo, pull)
    else:
        is_squash = body.merge_method == "squash"
        title, text = _squash_message(call, repo, pull, issue) if is_squash else _merge_message(pull, issue)
        title = title if body.commit_title is None else body.commit_title
        text = text if body.commit_message is None else body.commit_message
        message = f"{title}\n\n{text}" if text else title
        parents = [pull.base_sha] if is_squash else [pull.base_sha, pull.head_sha]
        committer = Signature("GitHub", "noreply@github.com", call.clock.iso()[:19])
        author = signature_of(call, None)
        if is_squash:
            author = _squash_author(call, repo, pull) or author
        sha = write_commit(call, repo, merged.tree, parents, message, author, committer).sha
    pull = mark_merged(call, repo, pull, issue, sha)
    repo = move_ref(call, repo, HEADS + pull.base_ref, sha, skips_protection=True)
    if setting(repo, "delete_branch_on_merge"):
        _delete_head(call, pull, issue)
    return sha


def _merge_message(pull: PullRequest, issue: Issue) -> tuple[str, str]:
    return f"Merge pull request #{pull.number} from {pull.head_owner}/{pull.head_ref}", issue.title


def _squash_message(call: Call, repo: Repository, pull: PullRequest, issue: Issue) -> tuple[str, str]:
    """Return the title and the text of a squashed commit as the repository's settings say."""
    commits = commits_of(call, repo, pull)
    is_single = len(commits) == 1 and setting(repo, "squash_merge_commit_title") == "COMMIT_OR_PR_TITLE"
    title = commits[0].message.partition("\n")[0] if is_single else issue.title
    how = setting(repo, "squash_merge_commit_message")
    if how == "PR_BODY":
        text = issue.body or ""
    elif how == "BLANK":
        text = ""
    elif len(commits) == 1:
        text = commits[0].message.partition("\n")[2].strip()
    else:
        text = "\n\n".join(f"* {commit.message}" for commit in commits)
    return f"{title} (#{pull.number})", text


def _squash_author(call: Call, repo: Repository, pull: PullRequest) -> Signature | None:
    """Return the author of the first commit, now."""
    commits = commits_of(call, repo, pull)
    return author_of(commits[0])._replace(stamp=call.clock.iso()[:19]) if commits else None


def _rebase(call: Call, repo: Repository, pull: PullRequest) -> str:
    """Write the commits of a pull request again on its base; raise MethodNotAllowed where one conflicts."""
    store, tip = store_of(call, repo), get_commit(call, repo.network_id, pull.base_sha)
    committer = signature_of(call, None)
    for commit in commits_of(call, repo, pull):
        if len(commit.parents) != 1 or tip is None:
            raise MethodNotAllowed("This branch can't be rebased")
        parent = get_commit(call, repo.network_id, commit.parents[0])
        merged = merge_trees(store, parent.tree_sha if parent else "", tip.tree_sha, commit.tree_sha)
        if merged.conflicts:
            raise MethodNotAllowed("This branch can't be rebased")
        tip = _copy_commit(call, repo, merged.tree, tip, commit, committer)
    return tip.sha if tip else pull.base_sha


def _copy_commit(call: Call, repo: Repository, tree: str, tip: Commit, commit: Commit, committer: Signature) -> Commit:
    return write_commit(call, repo, tree, [tip.sha], commit.message, author_of(commit), committer)


def _delete_head(call: Call, pull: PullRequest, issue: Issue) -> None:
    """Delete the head of a merge, unless it is the default branch, protected, or not the caller's to delete.

    https://docs.github.com/en/repositories/configuring-branches-and-merges-in-your-repository/configuring-pull-request-merges/managing-the-automatic-deletion-of-branches
    """
    source = head_repository(call, pull)
    if source is None or pull.head_ref == source.default_branch or not is_deletable(call, source, pull.head_ref):
        return
    if may(call, source, "push") and find_ref(call, source, HEADS + pull.head_ref):
        move_ref(call, source, HEADS + pull.head_ref, None)
        note_event(call, issue, "head_ref_deleted")


def merge_when_ready(call: Call, repo: Repository, pull: PullRequest) -> bool:
    """Merge a pull request with auto-merge once nothing blocks it; return whether it was merged."""
    wanted: dict[str, Any] | None = pull.auto_merge
    issue = issue_of(call, pull)
    if wanted is None or issue.state != "open" or merge_state(call, repo, pull, is_open=True).state != "clean":
        return False
    method: Method = wanted["merge_method"]
    title, message = wanted.get("commit_title"), wanted.get("commit_message")
    body = MergePullBody(merge_method=method, commit_title=title or None, commit_message=message or None)
    perform_merge(call, repo, pull, issue, body)
    return True


def enable_auto_merge(
    call: Call, repo: Repository, pull: PullRequest, method: Method, title: str = "", message: str = ""
) -> PullRequest:
    """Let a pull request be merged once nothing blocks it; raise Forbidden if the repository does not allow it."""
    if not setting(repo, "allow_auto_merge"):
        raise Forbidden("Auto merge is not allowed for this repository")
    wanted = {"enabled_by": call.actor, "merge_method": method, "commit_title": title, "commit_message": message}
    pull = call.db.change(pull, auto_merge={**wanted, "enabled_at": call.clock.iso()})
    note_event(call, issue_of(call, pull), "auto_merge_enabled")
    return pull

"""Creates, moves and deletes references, with what follows: rows of files, pull requests, issues, workflows, webhooks.

https://docs.github.com/en/webhooks/webhook-events-and-payloads#push
"""

from __future__ import annotations

from typing import Any

from twindiff.kit import Call

from ..event_delivery.announcements import announce
from ..git.file_projection import project_files
from ..git.histories import diverge, get_commit
from ..git.protection import check_update
from ..git.refs import HEADS, TAGS, find_conflict, find_ref, is_empty
from ..tables.repository_tables import Commit, Ref, Repository
from ..views.commit_views import show_simple_commit
from ..views.repository_views import forget_shown, html_url
from ..views.user_views import user_of
from ..wire_style import Unprocessable
from ..workflows.triggers import trigger_workflows
from .head_tracking import follow_branch
from .pull_closing import close_issues_fixed_by

ZERO = "0" * 40
MAX_ANNOUNCED_COMMITS = 20


def move_ref(
    call: Call, repo: Repository, name: str, sha: str | None, *, forced: bool = False, skips_protection: bool = False
) -> Repository:
    """Create, move or, with None, delete a reference with everything that follows; return the repository's row.

    `skips_protection` is for callers that have checked protection themselves, such as the merge of a pull request.
    """
    known = find_ref(call, repo, name)
    before = known.sha if known else None
    if before == sha:
        return repo
    if name.startswith(HEADS) and not skips_protection:
        check_update(call, repo, name.removeprefix(HEADS), before, sha, forced=forced)
    is_first = sha is not None and name.startswith(HEADS) and is_empty(call, repo)
    if known is None and sha:
        if conflict := find_conflict(call, repo, name):
            raise Unprocessable(f"cannot lock ref '{name}': '{conflict}' exists; cannot create '{name}'")
        call.db.add(Ref(repository_id=repo.id, ref=name, sha=sha))
    elif known and sha:
        call.db.change(known, sha=sha)
    elif known:
        call.db.remove(known)
    fields: dict[str, Any] = {"pushed_at": call.clock.iso(), "updated_at": call.clock.iso()}
    branch = name.removeprefix(HEADS)
    if is_first and branch != repo.default_branch:
        fields["default_branch"] = branch
    repo = call.db.change(repo, **fields)
    if name == HEADS + repo.default_branch:
        repo = project_files(call, repo, before, sha)
    forget_shown(call)
    if name.startswith((HEADS, TAGS)):
        _process_push(call, repo, name, before, sha, forced=forced)
    return repo


def _process_push(
    call: Call, repo: Repository, name: str, before: str | None, after: str | None, *, forced: bool
) -> None:
    """Announce a push, let pull requests follow, close the issues that its commits fix, and start workflows."""
    is_branch = name.startswith(HEADS)
    kind = "branch" if is_branch else "tag"
    short = name.removeprefix(HEADS if is_branch else TAGS)
    if before is None or after is None:
        about = {"ref": short, "ref_type": kind, "pusher_type": "user", "description": repo.description}
        created = {"master_branch": repo.default_branch} if after else {}
        announce(call, repo, "create" if after else "delete", {**about, **created})
    commits = new_commits(call, repo, before, after) if is_branch else []
    announce(call, repo, "push", _push_payload(call, repo, name, (before, after), commits, forced=forced))
    if is_branch:
        follow_branch(call, repo, short, before, after)
    if name == HEADS + repo.default_branch:
        close_issues_fixed_by(call, repo, commits)
    if after:
        trigger_workflows(call, repo, "push", after, ref=name)


def new_commits(call: Call, repo: Repository, before: str | None, after: str | None) -> list[Commit]:
    """Return the commits that a push adds to a branch, oldest first."""
    if after is None:
        return []
    base = before or _default_head(call, repo)
    if base is None or base == after:
        tip = get_commit(call, repo.network_id, after) if before is None and base != after else None
        return [tip] if tip else []
    return diverge(call, repo.network_id, after, base).ours[::-1]


def _default_head(call: Call, repo: Repository) -> str | None:
    ref = find_ref(call, repo, HEADS + repo.default_branch)
    return ref.sha if ref else None


def _push_payload(
    call: Call,
    repo: Repository,
    name: str,
    moved: tuple[str | None, str | None],
    commits: list[Commit],
    *,
    forced: bool,
) -> dict[str, Any]:
    before, after = moved[0] or ZERO, moved[1] or ZERO
    shown = [_pushed_commit(call, repo, commit) for commit in commits[-MAX_ANNOUNCED_COMMITS:]]
    pusher = user_of(call, call.actor) or {"login": call.actor}
    return {
        "ref": name,
        "before": before,
        "after": after,
        "created": before == ZERO,
        "deleted": after == ZERO,
        "forced": forced,
        "base_ref": None,
        "compare": f"{html_url(call, repo)}/compare/{before[:12]}...{after[:12]}",
        "commits": shown,
        "head_commit": shown[-1] if shown else None,
        "pusher": {"name": pusher["login"], "email": None},
    }


def _pushed_commit(call: Call, repo: Repository, commit: Commit) -> dict[str, Any]:
    changes: list[dict[str, Any]] = commit.changes or []
    by_status = {
        kind: [each["filename"] for each in changes if each["status"] == status]
        for kind, status in (("added", "added"), ("removed", "removed"), ("modified", "modified"))
    }
    shown = show_simple_commit(commit)
    url = f"{html_url(call, repo)}/commit/{commit.sha}"
    return {**shown, "distinct": True, "url": url, **by_status}

"""What protected branches refuse: deletions, forced pushes, and pushes past required reviews and checks.

https://docs.github.com/en/repositories/configuring-branches-and-merges-in-your-repository/managing-protected-branches
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import Any

from twindiff.kit import Call

from ..core.access import may
from ..tables.repository_tables import BranchProtection, CheckRun, CommitStatus, Repository
from ..wire_style import Unprocessable
from .histories import is_ancestor


def protection_of(call: Call, repo: Repository, branch: str) -> BranchProtection | None:
    """Return the protection of a branch, by its name or by a pattern; None if it is not protected."""
    rows = call.db.rows(BranchProtection, BranchProtection.repository_id == repo.id)
    exact = next((row for row in rows if row.branch == branch), None)
    return exact or next((row for row in rows if fnmatchcase(branch, row.branch)), None)


def binds(call: Call, repo: Repository, protection: BranchProtection) -> bool:
    """Return whether a protection binds the caller: administrators only if it says so."""
    return bool(protection.settings.get("enforce_admins")) or not may(call, repo, "admin")


def is_deletable(call: Call, repo: Repository, branch: str) -> bool:
    """Return whether the protection of a branch, if there is one, allows to delete it."""
    protection = protection_of(call, repo, branch)
    return protection is None or bool(protection.settings.get("allow_deletions"))


def check_update(
    call: Call, repo: Repository, branch: str, before: str | None, after: str | None, *, forced: bool
) -> None:
    """Raise Unprocessable if the protection of a branch forbids to move it."""
    if after is None and not is_deletable(call, repo, branch):
        raise Unprocessable("Cannot delete this branch")
    protection = protection_of(call, repo, branch)
    if protection is None:
        return
    settings: dict[str, Any] = protection.settings
    is_forced = forced and before and after and not is_ancestor(call, repo.network_id, before, after)
    if is_forced and not settings.get("allow_force_pushes"):
        raise Unprocessable("Cannot force-push to this branch")
    if before is None or after is None or not binds(call, repo, protection):
        return
    if settings.get("lock_branch"):
        raise Unprocessable("Branch is locked and cannot be modified")
    if settings.get("required_pull_request_reviews") is not None:
        raise Unprocessable("Changes must be made through a pull request.")
    missing = missing_checks(call, repo, settings, after)
    if missing:
        raise Unprocessable(f'Required status check "{missing[0]}" is expected.')


def missing_checks(call: Call, repo: Repository, settings: dict[str, Any], sha: str) -> list[str]:
    """Return the required checks that a commit has not passed."""
    wanted = required_contexts(settings)
    return [context for context in wanted if not has_passed(call, repo, sha, context)]


def required_contexts(settings: dict[str, Any]) -> list[str]:
    """Return the names of the checks that a protection requires."""
    required: dict[str, Any] = settings.get("required_status_checks") or {}
    given: list[dict[str, Any]] = required.get("checks") or []
    checks = [str(check["context"]) for check in given]
    return list(dict.fromkeys([*(required.get("contexts") or []), *checks]))


def has_passed(call: Call, repo: Repository, sha: str, context: str) -> bool:
    """Return whether the newest status or check run of a name succeeded for a commit."""
    status = call.db.rows(
        CommitStatus,
        CommitStatus.repository_id == repo.id,
        CommitStatus.sha == sha,
        CommitStatus.context == context,
        order=-CommitStatus.id,
        limit=1,
    )
    if status:
        return status[0].state == "success"
    run = call.db.rows(
        CheckRun,
        CheckRun.repository_id == repo.id,
        CheckRun.head_sha == sha,
        CheckRun.name == context,
        order=-CheckRun.id,
        limit=1,
    )
    return bool(run) and run[0].conclusion in ("success", "neutral", "skipped")

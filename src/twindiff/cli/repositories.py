"""Repositories as given to commands, and what a CI system has checked out."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

BRANCH_VARIABLES = ("GITHUB_HEAD_REF", "GITHUB_REF_NAME", "CI_COMMIT_REF_NAME")
"""Variables that name the branch of a detached checkout: GitHub's and GitLab's."""
BASE_VARIABLES = ("GITHUB_BASE_REF", "CI_MERGE_REQUEST_TARGET_BRANCH_NAME")
"""Variables that name the target branch of a pull request."""


def resolve_repository(given: str) -> str:
    """Resolve a repository for the server: `.` and paths that begin with it become its absolute path."""
    if given.split("/", maxsplit=1)[0] not in (".", ".."):
        return given
    folder = Path(given).resolve()
    return str(next((each for each in (folder, *folder.parents) if (each / ".git").exists()), folder))


def checked_out(repository: str, base: str) -> dict[str, str]:
    """Return `commit`, `branch` and `base` of a detached checkout, with names from CI variables, else {}."""
    if not _is_detached(repository):
        return {}
    return {"commit": "HEAD", "branch": _first(BRANCH_VARIABLES) or "HEAD", "base": base or _first(BASE_VARIABLES)}


def has_uncommitted_changes(repository: str) -> bool:
    """Return whether files of a checkout differ from its commit, or are new."""
    if not repository.startswith("/"):
        return False
    command = ["git", "-C", repository, "-c", "core.fsmonitor=false", "--no-optional-locks", "status", "--porcelain"]
    try:
        return bool(subprocess.run(command, capture_output=True, check=False).stdout)
    except OSError:
        return False


def _first(variables: tuple[str, ...]) -> str:
    return next((value for name in variables if (value := os.environ.get(name))), "")


def _is_detached(repository: str) -> bool:
    if not repository.startswith("/"):
        return False
    command = ["git", "-C", repository, "symbolic-ref", "--quiet", "HEAD"]
    try:
        return subprocess.run(command, capture_output=True, check=False).returncode == 1
    except OSError:
        return False

"""The changes of a branch: the tested commit, its base, and the files that differ."""

from __future__ import annotations

from contextlib import suppress
from typing import NamedTuple

from twindiff.kit.errors import ApiError, InvalidParameter
from twindiff.server.apis.sandbox_runs.checkouts import (
    GitFailed,
    Revision,
    UnknownBranch,
    branches,
    commit_of,
    current_branch,
    git,
)

MAIN_BRANCHES = ("main", "master")


class NothingChanged(ApiError):
    """The branch has no difference from its base."""

    status = 422


class ShallowCheckout(ApiError):
    """The checkout is shallow, and the base of the branch is not in it."""

    status = 422


class BranchComparison(NamedTuple):
    """A revision, the name of its base, and the paths of the files changed since their merge base."""

    revision: Revision
    base: str
    changed: list[str]


def compare(revision: Revision, base: str | None) -> BranchComparison:
    """Compare a revision with a base, by default the repository's main branch.
    Raises UnknownBranch, ShallowCheckout, NothingChanged, and InvalidParameter if the base has no common history.
    """
    name = base or _main_branch(revision)
    changed = _changed_files(revision, name)
    if not changed:
        raise NothingChanged(f"branch '{revision.name}' has no difference from '{name}'; another base can be named")
    return BranchComparison(revision, name, changed)


def _main_branch(revision: Revision) -> str:
    """The main branch: the default branch of origin, else main or master, local or at origin, else the current one."""
    repository = revision.repository
    with suppress(GitFailed):
        return git(repository, "symbolic-ref", "--short", "refs/remotes/origin/HEAD")
    local = [name for name in branches(repository) if name.rpartition("/")[2] in MAIN_BRANCHES]
    for name in (*local, *(f"origin/{each}" for each in MAIN_BRANCHES)):
        with suppress(UnknownBranch):
            commit_of(repository, name)
            return name
    if _is_shallow(revision):
        raise _shallow(revision, "its main branch")
    return current_branch(repository)


def _changed_files(revision: Revision, base: str) -> list[str]:
    repository = revision.repository
    try:
        left = git(repository, "merge-base", commit_of(repository, base), revision.commit)
    except UnknownBranch:
        if _is_shallow(revision):
            raise _shallow(revision, f"base '{base}'") from None
        raise
    except GitFailed:  # git prints no message here: there is no common commit
        if _is_shallow(revision):
            raise _shallow(revision, f"where '{revision.name}' left '{base}'") from None
        raise InvalidParameter("base", f"'{base}' has no commit in common with '{revision.name}'") from None
    return git(repository, "diff", "--no-ext-diff", "--no-textconv", "--name-only", "-z", left, revision.commit).split(
        "\0"
    )[:-1]


def _is_shallow(revision: Revision) -> bool:
    return git(revision.repository, "rev-parse", "--is-shallow-repository") == "true"


def _shallow(revision: Revision, missing: str) -> ShallowCheckout:
    return ShallowCheckout(
        f"the checkout {revision.repository} is shallow and lacks {missing}: add `fetch-depth: 0` to actions/checkout, "
        "`GIT_DEPTH: 0` in GitLab, or run `git fetch --unshallow`"
    )

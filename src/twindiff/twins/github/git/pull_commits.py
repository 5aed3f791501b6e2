"""The commits and files of a pull request: what its head has and its base lacks."""

from __future__ import annotations

from twindiff.kit import Call

from ..tables.issue_tables import PullRequest
from ..tables.repository_tables import Commit, Repository
from .diffs import FileChange, compare_trees
from .histories import Divergence, diverge, get_commit
from .objects import EMPTY_TREE, store_of


def divergence_of(call: Call, repo: Repository, pull: PullRequest) -> Divergence:
    """Return how the head and the base of a pull request relate; computed once in an operation."""
    known: dict[tuple[str, str], Divergence] = call.memo.setdefault("divergences", {})
    key = pull.head_sha, pull.base_sha
    if key not in known:
        known[key] = diverge(call, repo.network_id, *key)
    return known[key]


def commits_of(call: Call, repo: Repository, pull: PullRequest) -> list[Commit]:
    """Return the commits of a pull request, oldest first."""
    return divergence_of(call, repo, pull).ours[::-1]


def changes_of_pull(call: Call, repo: Repository, pull: PullRequest) -> list[FileChange]:
    """Return the files that a pull request changes, compared with where its head left the base."""
    base = divergence_of(call, repo, pull).merge_base
    head = get_commit(call, repo.network_id, pull.head_sha)
    return compare_trees(
        store_of(call, repo), base.tree_sha if base else EMPTY_TREE, head.tree_sha if head else EMPTY_TREE
    )

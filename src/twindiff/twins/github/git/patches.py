"""The files that a commit changes, and its patch as mail."""

from __future__ import annotations

from twindiff.kit import Call

from ..tables.repository_tables import Commit, Repository
from .diffs import FileChange, compare_trees, write_diff
from .histories import get_commit
from .objects import EMPTY_TREE, store_of


def changes_of(call: Call, repo: Repository, commit: Commit) -> list[FileChange]:
    """Return the files of a commit, compared with its first parent."""
    parent = get_commit(call, repo.network_id, commit.parents[0]) if commit.parents else None
    return compare_trees(store_of(call, repo), parent.tree_sha if parent else EMPTY_TREE, commit.tree_sha)


def write_patch(call: Call, repo: Repository, commit: Commit) -> str:
    """Return a commit as `git format-patch` writes it, without the table of changes."""
    title, _, body = commit.message.partition("\n")
    head = f"From {commit.sha} Mon Sep 17 00:00:00 2001\nFrom: {commit.author_name} <{commit.author_email}>\n"
    diff = write_diff(changes_of(call, repo, commit))
    return f"{head}Date: {commit.author_date}\nSubject: [PATCH] {title}\n{body}\n---\n{diff}"

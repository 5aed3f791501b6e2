"""Histories: walks in order of time, merge bases, what one branch has and another lacks."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from twindiff.kit import Call

from ..tables.repository_tables import Commit
from .objects import ObjectStore
from .trees import find_entry

OURS, THEIRS, BOTH, BELOW_BASE = 1, 2, 3, 4
MAX_SPARE_COMMITS = 8
_NO_PUNCTUATION = str.maketrans("", "", "-:T")


class Divergence(NamedTuple):
    """How two commits relate: their best common ancestor, and what only one of them has, newest first."""

    merge_base: Commit | None
    ours: list[Commit]
    theirs: list[Commit]


def get_commit(call: Call, network_id: int, sha: str) -> Commit | None:
    """Return the row of a commit, or None."""
    return call.db.find(Commit, Commit.network_id == network_id, Commit.sha == sha)


class _Queue:
    """Commits to visit, the latest first; ties keep the order in which they were added."""

    def __init__(self) -> None:
        self._heap: list[tuple[int, int, Commit]] = []
        self._count = 0

    def push(self, commit: Commit) -> None:
        digits = commit.committed_at[:19].translate(_NO_PUNCTUATION)
        heapq.heappush(self._heap, (-int(digits), self._count, commit))
        self._count += 1

    def pop(self) -> Commit:
        return heapq.heappop(self._heap)[2]

    def __len__(self) -> int:
        return len(self._heap)


def walk_history(
    call: Call,
    network_id: int,
    heads: Iterable[str],
    hidden: frozenset[str] = frozenset(),
    ends: frozenset[str] = frozenset(),
) -> Iterator[Commit]:
    """Yield the commits that are reachable from heads, newest first, but none in `hidden` and no parents of `ends`."""
    queue, seen = _Queue(), {*hidden}
    wanted: list[str] = list(heads)
    while True:
        for sha in wanted:
            commit = get_commit(call, network_id, sha) if sha not in seen else None
            if commit:
                seen.add(sha)
                queue.push(commit)
        if not len(queue):
            return
        commit = queue.pop()
        yield commit
        wanted = [] if commit.sha in ends else commit.parents


def walk_path(call: Call, store: ObjectStore, head: str, path: str) -> Iterator[Commit]:
    """Yield the commits that changed a path, newest first; a merge that equals a parent there is left out."""
    queue, seen = _Queue(), set[str]()
    wanted: list[str] = [head]
    while True:
        for sha in wanted:
            commit = get_commit(call, store.network_id, sha) if sha not in seen else None
            if commit:
                seen.add(sha)
                queue.push(commit)
        if not len(queue):
            return
        commit = queue.pop()
        entry = find_entry(store, commit.tree_sha, path)
        parents = [get_commit(call, store.network_id, sha) for sha in commit.parents]
        same = [each.sha for each in parents if each and find_entry(store, each.tree_sha, path) == entry]
        if not same and (entry or parents):
            yield commit
        wanted = same[:1] or commit.parents


def diverge(call: Call, network_id: int, ours: str, theirs: str) -> Divergence:
    """Return the merge base of two commits and the commits that only one of them has.

    The walk goes by dates, which may belie parents: a commit that was read too early is read again with the marks of
    its children, and `MAX_SPARE_COMMITS` more are read where dates say that nothing is left.
    """
    queue, flags, rows = _Queue(), dict[str, int](), dict[str, Commit]()

    def mark(sha: str, flag: int) -> None:
        commit = rows.get(sha) or get_commit(call, network_id, sha)
        if commit and flags.get(sha, 0) | flag != flags.get(sha, 0):
            rows[sha] = commit
            flags[sha] = flags.get(sha, 0) | flag
            queue.push(commit)
            pending.add(sha)

    pending: set[str] = set()
    mark(ours, OURS)
    mark(theirs, THEIRS)
    order: dict[str, Commit] = {}
    spare = MAX_SPARE_COMMITS
    while pending and spare >= 0:
        commit = queue.pop()
        pending.discard(commit.sha)
        order.setdefault(commit.sha, commit)
        flag = flags[commit.sha]
        for parent in commit.parents:
            mark(parent, flag | BELOW_BASE if flag & BOTH == BOTH else flag)
        is_unsettled = any(not flags[sha] & BELOW_BASE or sha in order for sha in pending)
        spare = MAX_SPARE_COMMITS if is_unsettled else spare - 1
    bases = [commit for sha, commit in order.items() if flags[sha] == BOTH]
    return Divergence(
        max(bases, key=lambda commit: commit.committed_at, default=None),
        [commit for sha, commit in order.items() if flags[sha] == OURS],
        [commit for sha, commit in order.items() if flags[sha] == THEIRS],
    )


def is_ancestor(call: Call, network_id: int, ancestor: str, descendant: str) -> bool:
    """Return whether a commit is reachable from another."""
    if ancestor == descendant:
        return True
    relation = diverge(call, network_id, ancestor, descendant)
    return relation.merge_base is not None and not relation.ours

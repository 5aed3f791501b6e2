"""Three-way merges of trees, file by file, as `git merge` without the detection of renames.

https://docs.github.com/en/pull-requests/collaborating-with-pull-requests/incorporating-changes-from-a-pull-request
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from merge3 import Merge3

from .diffs import is_binary, split_lines
from .objects import ObjectStore, TreeEntry
from .trees import Difference, change_tree, diff_trees


class MergeResult(NamedTuple):
    """A merged tree, or the paths that conflict."""

    tree: str
    conflicts: list[str]


def merge_trees(store: ObjectStore, base: str, ours: str, theirs: str) -> MergeResult:
    """Merge two trees that come from a third one."""
    if base == ours:
        return MergeResult(theirs, [])
    mine = {each.path: each for each in diff_trees(store, base, ours)}
    conflicts: list[str] = []
    changes: dict[str, TreeEntry | None] = {}
    for other in diff_trees(store, base, theirs):
        own = mine.get(other.path)
        if own is None:
            if _blocks(other, mine):
                conflicts.append(other.path)
            changes[other.path] = other.new
        elif own.new != other.new:
            merged = merge_entries(store, own, other)
            if merged is None:
                conflicts.append(other.path)
            else:
                changes[other.path] = merged
    if conflicts:
        return MergeResult("", conflicts)
    return MergeResult(change_tree(store, ours, changes) if changes else ours, [])


def _blocks(other: Difference, mine: dict[str, Difference]) -> bool:
    """Return whether a new file would stand where our side made a directory, or below a file that it made."""
    if other.new is None:
        return False
    parts = other.path.split("/")
    above = any((each := mine.get("/".join(parts[:number]))) and each.new for number in range(1, len(parts)))
    return above or (other.old is None and any(path.startswith(f"{other.path}/") for path in mine if mine[path].new))


def merge_entries(store: ObjectStore, own: Difference, other: Difference) -> TreeEntry | None:
    """Merge a file that both sides changed; None if they conflict."""
    if not (own.new and other.new and own.new.type == other.new.type == "blob"):
        return None
    base = store.read(own.old.sha) if own.old else b""
    merged = merge_contents(base, store.read(own.new.sha), store.read(other.new.sha))
    if merged is None:
        return None
    mode = other.new.mode if own.old and own.new.mode == own.old.mode else own.new.mode
    return TreeEntry(mode, store.add("blob", merged))


def merge_contents(base: bytes, ours: bytes, theirs: bytes) -> bytes | None:
    """Merge two texts that come from a third one; None if they conflict or are binary."""
    if ours == theirs:
        return ours
    if is_binary(base) or is_binary(ours) or is_binary(theirs) or not base:
        return None
    merge: Merge3[bytes] = Merge3(split_lines(base), split_lines(ours), split_lines(theirs))
    parts: list[bytes] = []
    for group in merge.merge_groups():
        if group[0] == "conflict":
            return None
        lines: Sequence[bytes] = group[1]
        parts += lines
    return b"".join(parts)

"""Trees: paths in them, changes to them, and their differences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from dulwich.index import validate_path_element_hfs, validate_path_element_ntfs

from ..wire_style import Unprocessable, invalid
from .objects import EMPTY_TREE, LINK_MODE, TREE_MODE, Entries, ObjectStore, TreeEntry

MODES = frozenset({"100644", "100755", "040000", "160000", "120000"})
MAX_PATH_LENGTH = 4096
MAX_TREE_DEPTH = 256
"""Folders within each other; GitHub recommends at most 50."""


class Difference(NamedTuple):
    """A path that differs between two trees; None where it does not exist."""

    path: str
    old: TreeEntry | None
    new: TreeEntry | None


def is_file_name(name: str) -> bool:
    """Return whether a working tree may hold a name, which no file system takes for `.git`.

    Raises UnicodeEncodeError for a name that is not UTF-8.
    """
    raw = name.encode()
    is_dotgit = not (validate_path_element_ntfs(raw) and validate_path_element_hfs(raw))
    return not is_dotgit and name not in ("..", ".", "") and "/" not in name


def is_linked_modules(name: str, mode: str) -> bool:
    """Return whether an entry is a `.gitmodules` that is a symbolic link, which git refuses."""
    return mode == LINK_MODE and name.lower() == ".gitmodules"


def check_path(path: str, mode: str = "100644") -> str:
    """Return a path of a file; raise GitHub's 422 for one that no working tree may hold with that mode."""
    parts = path.split("/")
    try:
        is_fit = all(map(is_file_name, parts)) and not is_linked_modules(parts[-1], mode)
    except UnicodeEncodeError:
        is_fit = False
    if not is_fit:
        raise Unprocessable(f"path contains a malformed path component: {path[:200]}")
    if "\0" in path or len(path) > MAX_PATH_LENGTH or len(parts) > MAX_TREE_DEPTH:
        raise invalid("Commit", "path")
    return path


def _enter_folder(prefix: str, name: str) -> str:
    """Return the prefix of the paths in a folder; raise GitHub's 422 for one that lies too deep."""
    if prefix.count("/") >= MAX_TREE_DEPTH:
        raise Unprocessable(f"path contains more than {MAX_TREE_DEPTH} folders: {prefix[:200]}")
    return f"{prefix}{name}/"


def find_entry(store: ObjectStore, tree: str, path: str) -> TreeEntry | None:
    """Return the entry at a path below a tree; the empty path is the tree itself."""
    entry = TreeEntry(TREE_MODE, tree)
    for part in filter(None, path.strip("/").split("/")):
        if entry.mode != TREE_MODE:
            return None
        below = store.tree(entry.sha).get(part)
        if below is None:
            return None
        entry = below
    return entry


def change_tree(store: ObjectStore, tree: str, changes: Mapping[str, TreeEntry | None]) -> str:
    """Return the SHA-1 of a tree with entries set or, where None, removed, by path; empty trees vanish."""
    entries: dict[str, TreeEntry] = {**store.tree(tree)} if tree != EMPTY_TREE else {}
    below: dict[str, dict[str, TreeEntry | None]] = {}
    for path, entry in changes.items():
        name, _, rest = path.partition("/")
        if rest:
            below.setdefault(name, {})[rest] = entry
        elif entry is None:
            entries.pop(name, None)
        else:
            entries[name] = entry
    for name, inner in below.items():
        known = entries.get(name)
        start = known.sha if known and known.mode == TREE_MODE else EMPTY_TREE
        changed = change_tree(store, start, inner)
        if changed == EMPTY_TREE:
            entries.pop(name, None)
        else:
            entries[name] = TreeEntry(TREE_MODE, changed)
    return store.add_tree(entries) if entries else EMPTY_TREE


def walk_tree(
    store: ObjectStore, tree: str, prefix: str = "", *, trees: bool = False
) -> Iterator[tuple[str, TreeEntry]]:
    """Yield the paths and entries below a tree; with `trees`, those of trees too."""
    for name, entry in store.walk_into(tree).items():
        if entry.mode != TREE_MODE:
            yield prefix + name, entry
            continue
        if trees:
            yield prefix + name, entry
        yield from walk_tree(store, entry.sha, _enter_folder(prefix, name), trees=trees)


def diff_trees(store: ObjectStore, old: str, new: str, prefix: str = "") -> Iterator[Difference]:
    """Yield the files that differ between two trees, in order of paths; equal subtrees are not read."""
    if old == new:
        return
    before: Entries = store.walk_into(old)
    after: Entries = store.walk_into(new)
    for name in sorted(before.keys() | after.keys()):
        a, b = before.get(name), after.get(name)
        if a == b:
            continue
        a_tree = a.sha if a and a.mode == TREE_MODE else EMPTY_TREE
        b_tree = b.sha if b and b.mode == TREE_MODE else EMPTY_TREE
        if a_tree != b_tree:
            yield from diff_trees(store, a_tree, b_tree, _enter_folder(prefix, name))
        a_file = a if a and a.mode != TREE_MODE else None
        b_file = b if b and b.mode != TREE_MODE else None
        if a_file or b_file:
            yield Difference(prefix + name, a_file, b_file)

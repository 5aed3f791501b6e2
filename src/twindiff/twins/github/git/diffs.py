"""Differences as GitHub shows them: hunks as `git diff` writes them, counts, and renames.

https://docs.github.com/en/rest/commits/commits#get-a-commit
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from typing import NamedTuple

from .objects import ObjectStore, TreeEntry
from .trees import Difference, diff_trees

CONTEXT_LINES = 3
MAX_TEXT_BYTES = 500_000
MAX_RENAME_CANDIDATES = 50
MIN_SIMILARITY = 0.5
MAX_EQUAL_PAIRS = 2_000_000
"""Pairs of equal lines, one of each text, up to which the best match of two texts is searched."""
BINARY_SNIFF_BYTES = 8000
_NO_NEWLINE = "\\ No newline at end of file"
_FUNCTION = re.compile(rb"[A-Za-z_$]")
Opcode = tuple[str, int, int, int, int]


class FilePatch(NamedTuple):
    """Hunks of a file, without headers, and its numbers of lines; `text` is None for binary and huge files."""

    text: str | None
    additions: int
    deletions: int


class FileChange(NamedTuple):
    """One file of a diff; `previous` is its former path if it was renamed."""

    path: str
    status: str
    old: TreeEntry | None
    new: TreeEntry | None
    patch: FilePatch
    previous: str = ""


def is_binary(data: bytes) -> bool:
    """Return whether git takes bytes for binary."""
    return b"\0" in data[:BINARY_SNIFF_BYTES]


def split_lines(data: bytes) -> list[bytes]:
    """Return the lines of a text with their line feeds."""
    return [line for line in re.split(rb"(?<=\n)", data) if line]


def match_lines(old: Sequence[bytes], new: Sequence[bytes]) -> SequenceMatcher[bytes]:
    """Return a matcher of two texts; equal beginnings and ends are found before the rest is searched."""
    start, limit = 0, min(len(old), len(new))
    while start < limit and old[start] == new[start]:
        start += 1
    end = 0
    while end < limit - start and old[-1 - end] == new[-1 - end]:
        end += 1
    codes: list[Opcode] = [("equal", 0, start, 0, start)] if start else []
    middle = _match_middle(old[start : len(old) - end], new[start : len(new) - end])
    codes += [(tag, a + start, b + start, c + start, d + start) for tag, a, b, c, d in middle]
    if end:
        codes.append(("equal", len(old) - end, len(old), len(new) - end, len(new)))
    whole: SequenceMatcher[bytes] = SequenceMatcher(None, [], [], autojunk=False)
    whole.opcodes = codes  # pyright: ignore[reportAttributeAccessIssue] - what get_opcodes caches
    return whole


def _match_middle(old: Sequence[bytes], new: Sequence[bytes]) -> Sequence[Opcode]:
    """Return the differences of two texts; where too many lines are alike, all of one is replaced by the other."""
    counts = Counter(new)
    if sum(counts[line] for line in old) > MAX_EQUAL_PAIRS:
        return [("replace", 0, len(old), 0, len(new))]
    return SequenceMatcher(None, old, new, autojunk=False).get_opcodes()


@lru_cache(maxsize=2048)
def make_patch(old: bytes, new: bytes) -> FilePatch:
    """Return the patch from one content to another."""
    if is_binary(old) or is_binary(new) or max(len(old), len(new)) > MAX_TEXT_BYTES:
        return FilePatch(None, 0, 0)
    before, after = split_lines(old), split_lines(new)
    parts: list[str] = []
    additions = deletions = 0
    for group in match_lines(before, after).get_grouped_opcodes(CONTEXT_LINES):
        parts.append(_hunk_header(group, before))
        for tag, a, b, c, d in group:
            if tag == "equal":
                parts += _prefix(" ", before[a:b])
                continue
            deletions, additions = deletions + b - a, additions + d - c
            parts += [*_prefix("-", before[a:b]), *_prefix("+", after[c:d])]
    return FilePatch("\n".join(parts), additions, deletions)


def _prefix(sign: str, lines: Iterable[bytes]) -> list[str]:
    shown: list[str] = []
    for line in lines:
        shown.append(sign + line.decode("utf-8", "replace").rstrip("\n"))
        if not line.endswith(b"\n"):
            shown.append(_NO_NEWLINE)
    return shown


def _hunk_header(group: Sequence[Opcode], before: Sequence[bytes]) -> str:
    """Return `@@ -1,3 +1,4 @@ function`, as git writes it."""
    first, last = group[0], group[-1]
    old, new = _span(first[1], last[2]), _span(first[3], last[4])
    heading = next((line for line in reversed(before[: first[1]]) if _FUNCTION.match(line)), b"")
    text = heading.decode("utf-8", "replace").rstrip()[:80]
    return f"@@ -{old} +{new} @@{' ' * bool(text)}{text}"


def _span(start: int, stop: int) -> str:
    length = stop - start
    at = start + 1 if length else start
    return str(at) if length == 1 else f"{at},{length}"


def compare_trees(store: ObjectStore, old: str, new: str) -> list[FileChange]:
    """Return the changes of files from one tree to another, renames joined, in order of paths."""
    differences = list(diff_trees(store, old, new))
    removed = [each for each in differences if each.new is None]
    added = [each for each in differences if each.old is None]
    renames = _find_renames(store, removed, added)
    gone = {each.path for each in renames.values()}
    changes: list[FileChange] = []
    for each in differences:
        if each.path in gone:
            continue
        if source := renames.get(each.path):
            patch = make_patch(_content(store, source.old), _content(store, each.new))
            changes.append(FileChange(each.path, "renamed", source.old, each.new, patch, source.path))
        else:
            patch = make_patch(_content(store, each.old), _content(store, each.new))
            status = "added" if each.old is None else "removed" if each.new is None else "modified"
            changes.append(FileChange(each.path, status, each.old, each.new, patch))
    return changes


def _content(store: ObjectStore, entry: TreeEntry | None) -> bytes:
    if entry is None:
        return b""
    if entry.type == "commit":
        return f"Subproject commit {entry.sha}\n".encode()
    return store.read(entry.sha)


def _find_renames(
    store: ObjectStore, removed: Sequence[Difference], added: Sequence[Difference]
) -> dict[str, Difference]:
    """Return the removed file that each added one was, by the added path: first equal files, then similar ones."""
    renames: dict[str, Difference] = {}
    left = list(removed)
    for each in added:
        same = next((one for one in left if one.old and each.new and one.old.sha == each.new.sha), None)
        if same:
            renames[each.path] = same
            left.remove(same)
    rest = [each for each in added if each.path not in renames]
    if not left or not rest or max(len(left), len(rest)) > MAX_RENAME_CANDIDATES:
        return renames
    for each in rest:
        scores = [(_similarity(store, one, each), -number, one) for number, one in enumerate(left)]
        best = max(scores, default=None, key=lambda score: score[:2])
        if best and best[0] >= MIN_SIMILARITY:
            renames[each.path] = best[2]
            left.remove(best[2])
    return renames


def _similarity(store: ObjectStore, one: Difference, other: Difference) -> float:
    a, b = _content(store, one.old), _content(store, other.new)
    if is_binary(a) or is_binary(b) or not a or not b or max(len(a), len(b)) > MAX_TEXT_BYTES // 10:
        return 0.0
    lines = split_lines(a), split_lines(b)
    matcher = match_lines(*lines)
    equal = sum(len(b"".join(lines[0][i:j])) for tag, i, j, _, _ in matcher.get_opcodes() if tag == "equal")
    return equal / max(len(a), len(b))


def write_diff(changes: Iterable[FileChange]) -> str:
    """Return a diff as `git diff` writes it, for the media type `.diff`."""
    return "".join(_file_diff(change) for change in changes)


def _file_diff(change: FileChange) -> str:
    old_path, new_path = change.previous or change.path, change.path
    lines = [f"diff --git a/{old_path} b/{new_path}"]
    old_sha, new_sha = (entry.sha[:7] if entry else "0000000" for entry in (change.old, change.new))
    if change.new and not change.old:
        lines.append(f"new file mode {change.new.mode}")
    elif change.old and not change.new:
        lines.append(f"deleted file mode {change.old.mode}")
    elif change.previous:
        lines += [f"rename from {old_path}", f"rename to {new_path}"]
    mode = f" {change.new.mode}" if change.old and change.new and change.old.mode == change.new.mode else ""
    if old_sha != new_sha:
        lines.append(f"index {old_sha}..{new_sha}{mode}")
    if change.patch.text:
        lines.append(f"--- a/{old_path}" if change.old else "--- /dev/null")
        lines.append(f"+++ b/{new_path}" if change.new else "+++ /dev/null")
        lines.append(change.patch.text)
    return "\n".join(lines) + "\n"

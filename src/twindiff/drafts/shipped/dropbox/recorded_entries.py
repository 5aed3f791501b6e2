"""Finds the files and folders that must have been there before recorded calls."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, cast

from ...recorded_needs import is_reading
from ...recordings import RecordedCall, show_timestamp

Entry = dict[str, Any]
_TAKEN = ("delete", "delete_v2", "move", "move_v2", "copy", "copy_v2")
"""Last words of calls that need what they name."""
_OF_FOLDERS = ("list_folder", "share_folder", "get_latest_cursor")
_OF_FILES = ("list_revisions", "download", "get_temporary_link", "add_file_member", "list_file_members", "unshare_file")
_SHARING = ("create_shared_link_with_settings", "share_folder")
"""Last words of calls that show what they name and do not make it."""
_FILE_ERRORS = ("path/not_folder", "bad_path/is_file", "not_a_folder", "path_write/conflict/file")
_OF_COPIES = ("id", "rev")
"""Fields that a copy has of its own."""
_NAMES = ("path", "from_path", "file")


class _Move(NamedTuple):
    """What a call moved or copied."""

    source: str
    target: str
    is_copy: bool


class _Source(NamedTuple):
    """Where an entry was before the calls, and the fields that were others then."""

    path: str
    others: tuple[str, ...]


def find_entries(calls: Sequence[RecordedCall]) -> list[Entry]:
    """Return the rows of entries that calls show or take and do not make, with the folders above them."""
    entries = _FoundEntries()
    for call in calls:
        entries.read(call)
    return entries.with_folders()


class _FoundEntries:
    """The entries that were there before, by path in lower case."""

    def __init__(self) -> None:
        self._made: set[str] = set()
        self._moves: list[_Move] = []
        self._rows: dict[str, Entry] = {}

    def read(self, call: RecordedCall) -> None:
        """Note what a call shows, takes or names."""
        for row in _rows_named(call):
            source = _find_source(str(row["path_display"]), self._moves)
            is_moved = source is None or source.path != row["path_display"]
            if row["path_lower"] not in self._made and not is_moved:
                self._rows.setdefault(row["path_lower"], row)
        shown = {str(each["path_lower"]): each for each in _metadata_in(call.answer)} if call.status < 300 else {}
        word = call.path.rpartition("/")[2]
        is_taken = word in _TAKEN and call.status < 300
        if word in _SHARING:
            self._note_shared(shown)
        elif not is_reading(call) and not is_taken:
            self._made |= shown.keys()
        else:
            for path, each in _named_by(call, shown) if is_taken else [*shown.items()]:
                self._note_shown(path, each)
            self._moves += _moves_of(call, shown) if is_taken else ()

    def _note_shared(self, shown: Mapping[str, Entry]) -> None:
        """Note entries as the sharing of them shows them, which has no path in upper case."""
        for path, each in shown.items():
            known = self._rows.get(path)
            if path not in self._made:
                self._rows[path] = to_row(each, path, str(known["path_display"] if known else path))

    def _note_shown(self, path: str, shown: Entry) -> None:
        source = None if path in self._made else _find_source(str(shown.get("path_display") or path), self._moves)
        if source and source.path.lower() not in self._made:
            own = {name: value for name, value in shown.items() if name not in source.others}
            row = to_row(own, source.path.lower(), source.path)
            known = self._rows.setdefault(row["path_lower"], row)
            is_better = "id" in own and known["id"] == _make_id(row["path_lower"])
            if is_better or len(row) > len(known):
                self._rows[row["path_lower"]] = row

    def with_folders(self) -> list[Entry]:
        """Return the rows, with those of the folders above them."""
        for row in [*self._rows.values()]:
            for path in _folders_above(str(row["path_display"])):
                if path.lower() not in self._made:
                    self._rows.setdefault(path.lower(), to_row({".tag": "folder"}, path.lower(), path))
        return [*self._rows.values()]


def _rows_named(call: RecordedCall) -> Iterator[Entry]:
    """Yield a bare entry that a call names and whose being there its answer shows."""
    body: Any = call.body
    given = cast(Entry, body) if isinstance(body, dict) else {}
    path = next((str(given[name]) for name in (*_NAMES, "destination") if given.get(name)), "")
    if "conflict/" in _summary_of(call) or _was_renamed(call, given):
        path = str(given.get("to_path") or path)
    tag = _tag_shown(call, given, path)
    content: Entry = {"rev": "1", "size": 0} if tag == "file" else {}
    if tag and path.startswith("/"):
        yield to_row({".tag": tag, **content}, path.lower(), path)
    elif tag == "file" and path.startswith("id:"):
        yield to_row({".tag": tag, "id": path, **content}, f"/{path[3:].lower()}", f"/{path[3:]}")


def _tag_shown(call: RecordedCall, given: Entry, path: str) -> str:
    """Return whether a `file` or `folder` was at the path that a call names; empty if its answer shows neither."""
    word, summary = call.path.rpartition("/")[2], _summary_of(call)
    conflict = re.match(r"(?:path|to)/conflict/(file|folder)\b(?!_)", summary)
    if conflict:
        return conflict[1]
    is_done = call.status < 300
    if is_done and word in _OF_FOLDERS:
        return "folder"
    if (is_done and word in _OF_FILES) or summary.startswith(_FILE_ERRORS):
        return "file"
    is_shared = word in _SHARING and (is_done or summary.startswith("settings_error"))
    return _guess_tag(path) if is_shared or (is_done and _was_renamed(call, given)) else ""


def _guess_tag(path: str) -> str:
    return "file" if "." in path.rpartition("/")[2] else "folder"


def _was_renamed(call: RecordedCall, given: Entry) -> bool:
    """Tell whether what a call placed has a number in its name, since something was there."""
    shown = next(_metadata_in(call.answer), Entry())
    target = str(given.get("to_path") or "").lower()
    return bool(given.get("autorename") and target and shown.get("path_lower") not in (target, None))


def _summary_of(call: RecordedCall) -> str:
    answer: Any = call.answer
    return str(cast(Entry, answer).get("error_summary") or "") if isinstance(answer, dict) else ""


def _moves_of(call: RecordedCall, shown: Mapping[str, Entry]) -> Iterator[_Move]:
    body: Any = call.body
    given = cast(Entry, body) if isinstance(body, dict) else {}
    if given.get("from_path") and given.get("to_path"):
        told = next((str(each["path_display"]) for each in shown.values() if each.get("path_display")), None)
        is_copy = call.path.rpartition("/")[2].startswith("copy")
        yield _Move(str(given["from_path"]), told or str(given["to_path"]), is_copy)


def _find_source(path: str, moves: Sequence[_Move]) -> _Source | None:
    """Return where an entry was before the moves; None for one that they made."""
    others: tuple[str, ...] = ()
    for move in reversed(moves):
        if path.lower() == move.target.lower():
            return None
        if path.lower().startswith(f"{move.target.lower()}/"):
            path = move.source + path[len(move.target) :]
            others = _OF_COPIES if move.is_copy else others
    return _Source(path, others)


def to_row(shown: Mapping[str, Any], path_lower: str, path: str) -> Entry:
    """Return the row of an entry as an answer shows it."""
    tag = shown.get(".tag") or ("file" if "rev" in shown else "folder")
    content = {name: shown[name] for name in ("rev", "size", "content_hash") if name in shown}
    times = {name: show_timestamp(str(shown[name])) for name in ("client_modified", "server_modified") if name in shown}
    return {
        "id": shown.get("id") or _make_id(path_lower),
        "tag": "file" if tag == "file" else "folder",
        "name": path.rpartition("/")[2],
        "path_lower": path_lower,
        "path_display": path,
        "parent_lower": path_lower.rpartition("/")[0],
        **content,
        **times,
        "change_number": 0,
    }


def _make_id(path_lower: str) -> str:
    """Return the id of an entry of which no answer has shown one."""
    return f"id:{path_lower}"


def _named_by(call: RecordedCall, shown: Mapping[str, Entry]) -> list[tuple[str, Entry]]:
    """Return the paths that a call takes away or copies, with what its answer shows of them."""
    each = next(iter(shown.values())) if shown else {}
    if call.path.rpartition("/")[2].startswith("copy"):
        each = {name: value for name, value in each.items() if name not in _OF_COPIES}
    return [(path.lower(), {**each, "path_display": path}) for path in _paths_given(call.body)]


def _folders_above(path: str) -> Iterator[str]:
    while path := path.rpartition("/")[0]:
        yield path


def _paths_given(body: Any) -> Iterator[str]:
    given = cast(Entry, body) if isinstance(body, dict) else {}
    for name in _NAMES:
        if isinstance(given.get(name), str) and given[name].startswith("/"):
            yield given[name]


def _metadata_in(value: Any) -> Iterator[Entry]:
    """Yield the metadata of files and folders in an answer."""
    if isinstance(value, dict):
        fields = cast(Entry, value)
        if "path_lower" in fields and fields.get(".tag") != "deleted":
            yield fields
        for each in fields.values():
            yield from _metadata_in(each)
    elif isinstance(value, list):
        for each in cast(list[Any], value):
            yield from _metadata_in(each)

"""Finds the files and folders that must have been there before recorded calls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, cast

from ...recorded_needs import is_reading
from ...recordings import RecordedCall, show_timestamp

Entry = dict[str, Any]
_TAKEN = ("delete", "delete_v2", "move", "move_v2", "copy", "copy_v2")
"""Last words of calls that need what they name."""
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


def find_entries(calls: Sequence[RecordedCall]) -> Mapping[str, list[Entry]]:
    """Return the rows of entries that calls show or take and do not make, with the folders above them."""
    made: set[str] = set()
    moves: list[_Move] = []
    entries: dict[str, Entry] = {}
    for call in calls:
        shown = {str(each["path_lower"]): each for each in _metadata_in(call.answer)} if call.status < 300 else {}
        is_taken = call.path.rpartition("/")[2] in _TAKEN and call.status < 300
        if not is_reading(call) and not is_taken:
            made |= shown.keys()
            continue
        for path, each in _named_by(call, shown) if is_taken else [*shown.items()]:
            source = None if path in made else _find_source(str(each.get("path_display") or path), moves)
            if source and source.path.lower() not in made:
                own = {name: value for name, value in each.items() if name not in source.others}
                row = _to_row(own, source.path.lower(), source.path)
                known = entries.setdefault(row["path_lower"], row)
                if "id" in own and known["id"] == _make_id(row["path_lower"]):
                    entries[row["path_lower"]] = row
        moves += _moves_of(call, shown) if is_taken else ()
    for row in [*entries.values()]:
        for path in _folders_above(str(row["path_display"])):
            if path.lower() not in made:
                entries.setdefault(path.lower(), _to_row({".tag": "folder"}, path.lower(), path))
    return {"entries": [{**row, "change_number": 0} for row in entries.values()]}


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


def _to_row(shown: Mapping[str, Any], path_lower: str, path: str) -> Entry:
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

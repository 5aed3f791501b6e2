"""Files and folders by path: lookup, names, creation, moves and removal."""

from __future__ import annotations

import re
from collections.abc import Sequence
from hashlib import sha256
from typing import Any

from twindiff.kit.call import Call
from twindiff.kit.errors import InvalidParameter
from twindiff.kit.rows import any_of

from .tables import DropboxDeletion, DropboxEntry, DropboxRevision
from .wire_style import DropboxError

BLOCK_BYTES = 4 * 1024 * 1024
"""The size of the blocks of which a content hash is made."""
MAX_NAME_LETTERS = 255
MAX_AUTORENAMES = 1000
Shown = dict[str, Any]
_CONTENT = ("size", "content_hash", "client_modified", "server_modified", "blob")
_PATH = re.compile(r"(/[^/]+)*")
_SPACE = r"(ns:[0-9]+(/(.|[\r\n])*)?)"
READ_PATTERN = rf"(/(.|[\r\n])*|id:.*)|(rev:[0-9a-f]{{9,}})|{_SPACE}"
WRITE_PATTERN = rf"(/(.|[\r\n])*)|{_SPACE}|(id:.*)"
LIST_PATTERN = rf"(/(.|[\r\n])*)?|id:.*|{_SPACE}"
"""What a path is by the parameter that has it. https://github.com/dropbox/dropbox-api-spec/blob/main/files.stone"""
_PARAMETERS = {"from_lookup": "from_path", "to": "to_path"}
"""Parameters by the tag of their errors, where that is not `path`."""


def check_pattern(path: str, tag: str, pattern: str) -> None:
    """Raise InvalidParameter for a path that is not one by the pattern of its parameter, which Dropbox names."""
    if re.fullmatch(pattern, path) is None:
        raise InvalidParameter(_PARAMETERS.get(tag, "path"), f"'{path}' did not match pattern '{pattern}'")


def check_path(path: str, tag: str = "path") -> str:
    """Return a path to write to.

    Raises InvalidParameter for one that does not match the pattern, DropboxError for another that is malformed.
    """
    check_pattern(path, tag, WRITE_PATTERN)
    if path == "/" or not _PATH.fullmatch(path) or any(len(each) > MAX_NAME_LETTERS for each in path.split("/")):
        raise DropboxError(f"{tag}/malformed_path")
    return path


def find_entry(call: Call, path: str, tag: str = "path", pattern: str = "") -> DropboxEntry:
    """Return the entry at a path, or with an id (`id:…`) or revision (`rev:…`).

    Raises InvalidParameter for a path that does not match the pattern, DropboxError if nothing is there.
    """
    check_pattern(path, tag, pattern or (READ_PATTERN if tag == "path" else WRITE_PATTERN))
    entry = look_for(call, path) if path.startswith(("id:", "rev:")) else look_for(call, check_path(path, tag))
    if entry is None:
        raise DropboxError(f"{tag}/not_found")
    return entry


def look_for(call: Call, path: str) -> DropboxEntry | None:
    """Return the entry at a path, or with an id or revision; None if there is none."""
    if path.startswith("id:"):
        return call.db.find(DropboxEntry, DropboxEntry.id == path)
    if path.startswith("rev:"):
        return call.db.find(DropboxEntry, DropboxEntry.rev == path[4:])
    return call.db.find(DropboxEntry, DropboxEntry.path_lower == path.lower())


def find_file(call: Call, path: str, tag: str = "path") -> DropboxEntry:
    """Return a file; raises DropboxError for a folder."""
    entry = find_entry(call, path, tag)
    if entry.tag != "file":
        raise DropboxError(f"{tag}/not_file")
    return entry


def list_below(call: Call, path_lower: str) -> list[DropboxEntry]:
    """Return all entries below a folder, by path."""
    below = DropboxEntry.path_lower.starts(f"{path_lower}/")
    return call.db.rows(DropboxEntry, below, order=DropboxEntry.path_lower)


def choose_path(call: Call, path: str, *, autorename: bool, tag: str = "path") -> str:
    """Return a free path: the given one, or one with a number. Raises DropboxError for one that is taken."""
    taken = look_for(call, path)
    if taken is None:
        return path
    if not autorename:
        raise DropboxError(f"{tag}/conflict/{taken.tag}")
    stem, dot, end = path.rpartition(".") if "." in path.rpartition("/")[2][1:] else (path, "", "")
    for number in range(1, MAX_AUTORENAMES):
        candidate = f"{stem} ({number}){dot}{end}"
        if look_for(call, candidate) is None:
            return candidate
    raise DropboxError(f"{tag}/conflict/{taken.tag}")


def add_folder(call: Call, path: str) -> DropboxEntry:
    """Store a folder, and those above it that do not exist yet."""
    make_folders_above(call, path)
    return _add(call, DropboxEntry(id=_new_id(call), tag="folder", **place_of(path), change_number=_count(call)))


def _add(call: Call, entry: DropboxEntry) -> DropboxEntry:
    _forget_deletion(call, entry.path_lower)
    return call.db.add(entry)


def _forget_deletion(call: Call, path_lower: str) -> None:
    deletion = call.db.find(DropboxDeletion, DropboxDeletion.path_lower == path_lower)
    if deletion is not None:
        call.db.remove(deletion)


def _note_deletion(call: Call, path: str) -> None:
    _forget_deletion(call, path.lower())
    call.db.add(DropboxDeletion(path_lower=path.lower(), path_display=path, change_number=_count(call)))


def _keep_revision(call: Call, file: DropboxEntry) -> None:
    """Store what a file is, which is about to be replaced or deleted."""
    content = {name: getattr(file, name) for name in _CONTENT}
    known = call.db.find(DropboxRevision, DropboxRevision.rev == file.rev)
    if file.rev and known is None:
        place = {"path_lower": file.path_lower, "path_display": file.path_display}
        call.db.add(DropboxRevision(rev=file.rev, id=file.id, **place, **content, change_number=file.change_number))


def make_folders_above(call: Call, path: str, tag: str = "path") -> None:
    """Store the folders above a path that do not exist; raises DropboxError if one of them is a file."""
    above = path.rpartition("/")[0]
    if not above:
        return
    known = look_for(call, above)
    if known is None:
        add_folder(call, above)
    elif known.tag == "file":
        raise DropboxError(f"{tag}/conflict/file_ancestor")


def place_of(path: str) -> Shown:
    """Return the columns that say where an entry is."""
    above, _, name = path.rpartition("/")
    return {"name": name, "path_display": path, "path_lower": path.lower(), "parent_lower": above.lower()}


def write_file(call: Call, path: str, data: bytes, modified: str | None = None) -> DropboxEntry:
    """Store a file, or the next revision of the one at the path."""
    columns = describe_content(call, data)
    columns["client_modified"] = modified or columns["server_modified"]
    known = look_for(call, path)
    if known is not None:
        _keep_revision(call, known)
        return call.db.change(known, **columns)
    make_folders_above(call, path)
    return _add(call, DropboxEntry(id=_new_id(call), tag="file", **place_of(path), **columns))


def restore_revision(call: Call, revision: DropboxRevision) -> DropboxEntry:
    """Make a former content of a file its content again, also where the file was deleted."""
    number = _count(call)
    content = {name: getattr(revision, name) for name in _CONTENT}
    content |= {"rev": f"015{number:013x}", "server_modified": call.clock.iso(), "change_number": number}
    known = look_for(call, revision.path_lower)
    if known is not None:
        _keep_revision(call, known)
        return call.db.change(known, **content)
    make_folders_above(call, revision.path_display)
    return _add(call, DropboxEntry(id=revision.id, tag="file", **place_of(revision.path_display), **content))


def describe_content(call: Call, data: bytes) -> Shown:
    """Return the columns of content, which is stored."""
    number = _count(call)
    return {
        "rev": f"015{number:013x}",
        "size": len(data),
        "content_hash": hash_content(data),
        "server_modified": call.clock.iso(),
        "blob": call.blobs.put(data),
        "change_number": number,
    }


def hash_content(data: bytes) -> str:
    """Return Dropbox's hash: the SHA-256 of the SHA-256 of each block.

    https://www.dropbox.com/developers/reference/content-hash
    """
    blocks = (data[start : start + BLOCK_BYTES] for start in range(0, len(data), BLOCK_BYTES))
    return sha256(b"".join(sha256(block).digest() for block in blocks)).hexdigest()


def move_entry(call: Call, entry: DropboxEntry, path: str) -> DropboxEntry:
    """Move an entry and all that is below it."""
    below = list_below(call, entry.path_lower) if entry.tag == "folder" else []
    cut = len(entry.path_display)
    make_folders_above(call, path, "to")
    for each in (*below, entry):
        _note_deletion(call, each.path_display)
    moved = entry
    for each in (*below, entry):
        target = path + each.path_display[cut:]
        _forget_deletion(call, target.lower())
        moved = call.db.change(each, **place_of(target), change_number=_count(call))
    return moved


def copy_entry(call: Call, entry: DropboxEntry, path: str) -> DropboxEntry:
    """Copy an entry and all that is below it."""
    below = list_below(call, entry.path_lower) if entry.tag == "folder" else []
    make_folders_above(call, path, "to")
    copies = [_copy_one(call, each, path + each.path_display[len(entry.path_display) :]) for each in (entry, *below)]
    return copies[0]


def _copy_one(call: Call, entry: DropboxEntry, path: str) -> DropboxEntry:
    number = _count(call)
    content: Shown = {
        "rev": f"015{number:013x}" if entry.tag == "file" else None,
        "size": entry.size,
        "content_hash": entry.content_hash,
        "client_modified": entry.client_modified,
        "server_modified": call.clock.iso() if entry.tag == "file" else None,
        "blob": entry.blob,
    }
    return _add(call, DropboxEntry(id=_new_id(call), tag=entry.tag, **place_of(path), **content, change_number=number))


def remove_entry(call: Call, entry: DropboxEntry) -> None:
    """Remove an entry and all that is below it."""
    below = list_below(call, entry.path_lower) if entry.tag == "folder" else []
    for each in (*below, entry):
        if each.tag == "file":
            _keep_revision(call, each)
        _note_deletion(call, each.path_display)
        call.db.remove(each)


def list_deletions(call: Call, path_lower: str, *, recursive: bool) -> list[DropboxDeletion]:
    """Return what was deleted in a folder, by path."""
    below = DropboxDeletion.path_lower.starts(f"{path_lower}/")
    rows = call.db.rows(DropboxDeletion, below, order=DropboxDeletion.path_lower)
    return [each for each in rows if recursive or each.path_lower.rpartition("/")[0] == path_lower]


def find_deletion(call: Call, path: str) -> DropboxDeletion | None:
    """Return the deletion at a path; None if nothing was deleted there, or something is there again."""
    return call.db.find(DropboxDeletion, DropboxDeletion.path_lower == path.lower())


def show_deletion(deletion: DropboxDeletion) -> Shown:
    """Return what was deleted as Dropbox shows it."""
    path = deletion.path_display
    name = path.rpartition("/")[2]
    return {".tag": "deleted", "name": name, "path_lower": deletion.path_lower, "path_display": path}


def list_folder(call: Call, path_lower: str, *, recursive: bool) -> Sequence[DropboxEntry]:
    """Return the entries of a folder, by path."""
    if not recursive:
        inside = DropboxEntry.parent_lower == path_lower
        return call.db.rows(DropboxEntry, inside, order=DropboxEntry.path_lower)
    if path_lower:
        here = DropboxEntry.path_lower == path_lower
        below = DropboxEntry.path_lower.starts(f"{path_lower}/")
        return call.db.rows(DropboxEntry, any_of(here, below), order=DropboxEntry.path_lower)
    return call.db.rows(DropboxEntry, order=DropboxEntry.path_lower)


def show_entry(entry: DropboxEntry, *, tagged: bool = True) -> Shown:
    """Return an entry as Dropbox shows it; endpoints of one kind of entry leave out the tag."""
    shown: Shown = {".tag": entry.tag} if tagged else {}
    shown |= {
        "name": entry.name,
        "path_lower": entry.path_lower,
        "path_display": entry.path_display,
        "id": entry.id,
    }
    if entry.tag == "folder":
        return shown
    return shown | {
        "client_modified": show_time(entry.client_modified),
        "server_modified": show_time(entry.server_modified),
        "rev": entry.rev,
        "size": entry.size,
        "is_downloadable": True,
        "content_hash": entry.content_hash,
    }


def show_failure(error: DropboxError) -> Shown:
    """Return an error as an entry of a batch."""
    return {".tag": "failure", "failure": error.show()}


def show_time(timestamp: str | None) -> str | None:
    """Return a time in whole seconds: `2026-01-31T09:30:00Z`."""
    return timestamp and timestamp[:19] + "Z"


def _new_id(call: Call) -> str:
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"
    return call.ids.new("id:", 22, letters)


def _count(call: Call) -> int:
    return call.db.next("change")

"""Files and folders by path: lookup, names, creation, moves and removal."""

from __future__ import annotations

import re
from collections.abc import Sequence
from hashlib import sha256
from typing import Any

from twindiff.kit.call import Call
from twindiff.kit.rows import any_of

from .tables import DropboxEntry
from .wire_style import DropboxError

BLOCK_BYTES = 4 * 1024 * 1024
"""The size of the blocks of which a content hash is made."""
MAX_NAME_LETTERS = 255
MAX_AUTORENAMES = 1000
Shown = dict[str, Any]
_PATH = re.compile(r"(/[^/]+)*")


def check_path(path: str, tag: str = "path") -> str:
    """Return a path; raises DropboxError for one that is malformed."""
    if path == "/" or not _PATH.fullmatch(path) or any(len(each) > MAX_NAME_LETTERS for each in path.split("/")):
        raise DropboxError(f"{tag}/malformed_path")
    return path


def find_entry(call: Call, path: str, tag: str = "path") -> DropboxEntry:
    """Return the entry at a path, or with an id (`id:…`) or revision (`rev:…`); raises DropboxError."""
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
    return call.db.add(DropboxEntry(id=_new_id(call), tag="folder", **place_of(path), change_number=_count(call)))


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
        return call.db.change(known, **columns)
    make_folders_above(call, path)
    return call.db.add(DropboxEntry(id=_new_id(call), tag="file", **place_of(path), **columns))


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
    for each in below:
        call.db.change(each, **place_of(path + each.path_display[cut:]), change_number=_count(call))
    return call.db.change(entry, **place_of(path), change_number=_count(call))


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
    return call.db.add(DropboxEntry(id=_new_id(call), tag=entry.tag, **place_of(path), **content, change_number=number))


def remove_entry(call: Call, entry: DropboxEntry) -> None:
    """Remove an entry and all that is below it."""
    for each in list_below(call, entry.path_lower) if entry.tag == "folder" else ():
        call.db.remove(each)
    call.db.remove(entry)


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

"""Previews, thumbnails and copy references.

A twin draws nothing: a preview or thumbnail of a file that could have one is not implemented.
https://www.dropbox.com/developers/documentation/http/documentation#files-get_thumbnail
"""

from __future__ import annotations

from typing import Any

import msgspec

from twindiff.kit.call import Call
from twindiff.kit.errors import MissingOperation
from twindiff.kit.twin import Operations

from .entries import Shown, check_path, choose_path, copy_entry, find_entry, find_file, show_entry, show_failure
from .files import ApiArgument, PathArgument, read_argument
from .tables import DropboxCopyReference, DropboxEntry
from .wire_style import DropboxError

api = Operations(prefix="/2/files")
MAX_THUMBNAILS = 25
REFERENCE_LETTERS = 22
_IMAGES = frozenset(("jpg", "jpeg", "png", "tiff", "tif", "gif", "webp", "ppm", "bmp"))
_OF_DOCUMENTS = ("ai", "doc", "docm", "docx", "eps", "gdoc", "odt", "rtf")
_OF_SLIDES = ("gslides", "odp", "pps", "ppsm", "ppsx", "ppt", "pptm", "pptx")
_OF_SHEETS = ("csv", "ods", "xls", "xlsm", "gsheet", "xlsx")
_PREVIEWED = frozenset((*_OF_DOCUMENTS, *_OF_SLIDES, *_OF_SHEETS))


class ResourceArgument(msgspec.Struct):
    """The argument of a thumbnail: a `path`, or a shared link."""

    resource: dict[str, Any]


def _refuse(call: Call, path: str, endings: frozenset[str], tag: str = "path") -> None:
    """Refuse to draw a file: since there is none, of no such kind, or since a twin does not draw."""
    if find_file(call, path, tag).name.rpartition(".")[2].lower() not in endings:
        raise DropboxError("unsupported_extension")
    raise MissingOperation("previews and thumbnails are not drawn")


@api.post("/get_preview", reads=True)
def post_get_preview(call: Call, argument: ApiArgument) -> None:
    """Refuse a preview of a document."""
    _refuse(call, read_argument(argument, PathArgument).path, _PREVIEWED)


@api.post("/get_thumbnail", reads=True)
def post_get_thumbnail(call: Call, argument: ApiArgument) -> None:
    """Refuse a thumbnail of an image."""
    _refuse(call, read_argument(argument, PathArgument).path, _IMAGES)


@api.post("/get_thumbnail_v2", reads=True)
def post_get_thumbnail_of_resource(call: Call, argument: ApiArgument) -> None:
    """Refuse a thumbnail of an image."""
    asked: ResourceArgument = read_argument(argument, ResourceArgument)
    _refuse(call, str(asked.resource.get("path") or ""), _IMAGES)


@api.post("/get_thumbnail_batch", reads=True)
def post_get_thumbnail_batch(call: Call, entries: list[dict[str, Any]]) -> Shown:
    """Say of each file why it has no thumbnail; if one could have one, the batch is not implemented."""
    if len(entries) > MAX_THUMBNAILS:
        raise DropboxError("too_many_files")
    shown: list[Shown] = []
    for each in entries:
        try:
            _refuse(call, str(each.get("path") or ""), _IMAGES)
        except DropboxError as error:
            shown.append(show_failure(error))
    return {"entries": shown}


@api.post("/copy_reference/get")
def post_get_copy_reference(call: Call, path: str) -> Shown:
    """Return a reference by which a file or folder may be copied."""
    entry = find_entry(call, path)
    reference = call.ids.new("", REFERENCE_LETTERS)
    call.db.add(DropboxCopyReference(reference=reference, entry_id=entry.id))
    expires = f"{int(call.clock.iso()[:4]) + 30}{call.clock.iso()[4:10]}T00:00:00Z"
    return {"metadata": show_entry(entry), "copy_reference": reference, "expires": expires}


@api.post("/copy_reference/save")
def post_save_copy_reference(call: Call, copy_reference: str, path: str) -> Shown:
    """Copy what a reference stands for to a path."""
    target = check_path(path)
    known = call.db.find(DropboxCopyReference, DropboxCopyReference.reference == copy_reference)
    if known is None:
        raise DropboxError("invalid_copy_reference")
    entry = call.db.find(DropboxEntry, DropboxEntry.id == known.entry_id)
    if entry is None:
        raise DropboxError("not_found")
    free = choose_path(call, target, autorename=True)
    return {"metadata": show_entry(copy_entry(call, entry, free))}
